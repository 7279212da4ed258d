"""What a class of items says of its fields: their stored names, defaults, constraints, and what is made of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal

from pydantic import Field
from pydantic.fields import FieldInfo

from partita.dynamo.frozen import dataclass
from partita.table.errors import SchemaError

LARGE_BYTES = 32 * 1024


@dataclass(frozen=True, slots=True)
class Stored:
    """How a field is stored; kept in pydantic's field metadata."""

    name: str | None = None
    stored: bool = True
    null: bool = False
    large: int = 0
    """Bytes beyond which a value goes to the file store; none if there is no such bound."""


@dataclass(frozen=True, slots=True)
class Version:
    """Marks the field that counts an item's versions."""


def stored_as(info: FieldInfo) -> Stored:
    """How a field is stored."""
    return next((entry for entry in info.metadata if isinstance(entry, Stored)), Stored())


def attribute(
    name: str | None = None,
    *,
    default: Any = ...,
    default_factory: Any = None,
    stored: bool = True,
    null: bool = False,
    large: bool | int = False,
    **constraints: Any,
) -> Any:
    """A field: its stored name, its default, and pydantic's constraints (ge, le, max_length, pattern, …).

    `stored=False` is a part of the key that is not an attribute of its own; `null=True` stores None as NULL instead of
    leaving the attribute out; `large=True` keeps a value of over 32 KB (or so many bytes) in the file store.
    """
    if default_factory is not None:
        info = Field(default_factory=default_factory, **constraints)
    else:
        info = Field(default, **constraints)
    info.metadata.append(Stored(name, stored, null, LARGE_BYTES if large is True else int(large)))
    return info


def key_part(**constraints: Any) -> Any:
    """A field that only the key holds."""
    return attribute(stored=False, **constraints)


@dataclass(frozen=True, slots=True)
class Derived:
    """An attribute that is made of fields, whose names are the function's parameters."""

    function: Callable[..., Any]
    name: str | None
    inputs: tuple[str, ...]


def derived(function: Callable[..., Any], /, *, name: str | None = None, init: Literal[False] = False) -> Any:
    """An attribute that follows from others, made anew with every write of one of them; None leaves it out.

    is_public_str: Attribute[str] = derived(lambda is_public: "true" if is_public else "false")

    The function's parameters are the fields it is made of, and it must look at nothing else. `init` is for type
    checkers: nobody gives a derived attribute a value.
    """
    inputs = tuple(inspect.signature(function).parameters)
    if init:
        raise SchemaError("A derived attribute is never given: take init=… away")
    return Derived(function, name, inputs)
