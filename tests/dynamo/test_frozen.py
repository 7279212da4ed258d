"""Frozen dataclasses that are made fast are like those of the standard library."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from partita.dynamo import frozen


@frozen.dataclass(frozen=True, slots=True)
class Fast:
    """Two fields."""

    name: str
    size: int = 3


@frozen.dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A field that must be named, and a check."""

    size: int = 1
    name: str

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("too small")

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "Named!"


@frozen.dataclass(frozen=True, slots=True)
class Above(Fast):
    """One that stands on another."""

    more: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class Usual:
    """Two fields."""

    name: str
    size: int = 3


def test_it_is_made_compared_and_shown_like_any_other() -> None:
    fast = Fast("a")
    usual: Any = Usual("a")
    assert repr(fast) == repr(usual).replace("Usual", "Fast")
    assert hash(fast) == hash(usual)
    assert fast == Fast("a", 3) != Fast("a", 4)
    assert fast != usual
    assert inspect.signature(Fast) == inspect.signature(Usual)
    assert (Fast.__match_args__, Fast.__slots__) == (Usual.__match_args__, Usual.__slots__)
    assert dataclasses.asdict(fast) == dataclasses.asdict(usual)
    assert dataclasses.replace(fast, size=9) == Fast("a", 9)
    assert Fast.__init__.__qualname__ == "Fast.__init__"
    with pytest.raises(TypeError, match=r"Fast\.__init__\(\) missing 1 required positional argument: 'name'"):
        Fast()  # type: ignore[call-arg]


@pytest.mark.parametrize("value", [Fast("a"), Named(name="b"), Above("c", more=[1])])
def test_it_does_not_change_and_can_be_copied(value: Any) -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        value.name = "z"
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del value.name
    assert not hasattr(value, "__dict__")
    for same in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert same == value


def test_what_a_class_says_itself_stands() -> None:
    assert (hash(Named(name="b")), repr(Named(name="b"))) == (7, "Named!")
    with pytest.raises(ValueError, match="too small"):
        Named(name="b", size=-1)
    with pytest.raises(TypeError, match="positional"):
        Named("b")  # type: ignore[call-arg, arg-type]


def test_what_has_more_than_plain_fields_is_made_by_the_standard_library() -> None:
    assert Above("a") == Above("a", 3, [])
    assert Above("a") != Fast("a")
