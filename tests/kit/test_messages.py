"""Messages about invalid fields: whatever a request holds, they cost little and stay short."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, ValidationError

from partita.kit.messages import field_errors


class Draft(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str = ""
    pages: int | list[int] = 1


def errors_of(content: object) -> list[str]:
    with pytest.raises(ValidationError) as refused:
        Draft.model_validate(content)
    return [each.field for each in field_errors(refused.value)]


@pytest.mark.parametrize("seed", ["[", "![", "a", "*", "]", ".[", "function-"])
def test_the_name_of_a_field_costs_no_time_and_is_not_sent_back_whole(seed: str) -> None:
    """A megabyte of brackets as the name of a field took minutes of the server, for nobody in particular."""
    began = time.process_time()
    (name,) = errors_of({(seed * 900_000)[:900_000]: 1})
    assert time.process_time() - began < 1.0
    assert len(name) <= 201


def test_of_thousands_of_mistakes_a_hundred_are_told() -> None:
    assert len(errors_of({f"field{number}": 1 for number in range(5000)})) == 100


def test_the_member_of_a_union_is_no_part_of_a_name() -> None:
    assert set(errors_of({"pages": "many"})) == {"pages"}
    assert set(errors_of({"pages": ["many"]})) == {"pages", "pages.0"}


@given(st.dictionaries(st.text(max_size=30).filter(lambda name: name not in ("title", "pages")), st.none(), min_size=1))
def test_every_unknown_field_is_named_or_left_to_the_body(content: dict[str, None]) -> None:
    assert set(errors_of(content)) <= {*content, "body"}
