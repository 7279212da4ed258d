"""Texts in one form, and edits that change what was sent and nothing else."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field, ValidationError

from partita.engine import Engine
from partita.kit.answers import Json
from partita.kit.forms import filled, parse
from partita.kit.inputs import CLEARABLE, Edit, Input, Line, Text, counted, one_line, storable, tidy, without_halves
from partita.kit.messages import field_errors
from partita.kit.problems import BadRequest, Conflict
from partita.store import EmbeddedStore
from partita.table import Attribute, Item, Put, Table

PLANTS = Table("plants", pk="id")


class Measured(Item, table=PLANTS):
    id: Attribute[str]
    data: Attribute[dict[str, Any]]


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        made = EmbeddedStore(engine)
        made.create(PLANTS)
        yield made


class PlantEdit(Edit):
    name: Annotated[Line, Field(min_length=1)] | None = None
    notes: Text | None = None
    died_on: Annotated[date | None, CLEARABLE] = None


class Plant:
    name, notes, died_on, revision = "Fern", "Shade", date(2026, 5, 1), 3


@given(st.text())
def test_tidying_twice_is_tidying_once(text: str) -> None:
    plain = without_halves(text)
    assert tidy(tidy(plain)) == tidy(plain) == unicodedata.normalize("NFC", tidy(plain))
    assert one_line(one_line(plain)) == one_line(plain)
    assert not {"\n", "\r", "\t"} & set(one_line(plain))


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-9e18, max_value=9e18),
    st.builds(lambda digits, exponent: float(f"{digits}e{exponent}"), st.integers(-999, 999), st.integers(-330, -90)),
)


@given(st.lists(NUMBERS, max_size=20))
def test_a_number_of_json_is_given_back_as_it_was_sent_or_refused(store: EmbeddedStore, numbers: list[float]) -> None:
    kept = [number for number in numbers if number == 0 or abs(number) >= 1e-130]
    for number in set(numbers).difference(kept):
        with pytest.raises(ValueError, match=r"too close to zero: it has to be 0, or at least 10\^-130"):
            storable({"sizes": [number]})
    store.write(Put(Measured(id="fern", data=storable({"sizes": kept}))))
    read = store.get(Measured.get(Measured.id("fern")))
    assert read is not None
    assert list(map(float, orjson.loads(Json(read.data).body)["sizes"])) == kept  # a whole one has no point any more


@given(st.text(), st.characters(categories=["Cs"]), st.text())
def test_half_a_character_is_refused(before: str, half: str, after: str) -> None:
    with pytest.raises(ValueError, match="invalid character"):
        tidy(before + half + after)
    assert half not in without_halves(before + half + after)


def test_an_edit_changes_what_was_sent() -> None:
    assert PlantEdit.model_validate({"name": " Moss ", "revision": 3}).changes == {"name": "Moss"}
    assert PlantEdit.model_validate({"diedOn": None}).changes == {"died_on": None}
    with pytest.raises(BadRequest) as refused:
        _ = PlantEdit.model_validate({"revision": 3}).changes
    assert refused.value.code == "nothing_to_change"


@pytest.mark.parametrize("field", ["name", "notes", "revision"])
def test_null_is_refused_for_a_field_that_cannot_be_emptied(field: str) -> None:
    with pytest.raises(ValidationError):
        PlantEdit.model_validate({field: None})
    assert "null" not in str(PlantEdit.model_json_schema()["properties"][field])
    assert "null" in str(PlantEdit.model_json_schema()["properties"]["diedOn"])


def test_a_form_of_an_edit_shows_the_item_and_empties_only_what_can_be_empty() -> None:
    form = filled(PlantEdit, Plant())
    assert form.values == {"name": "Fern", "notes": "Shade", "diedOn": "2026-05-01", "revision": "3"}
    emptied = parse(PlantEdit, {**form.values, "diedOn": ""})
    assert emptied.value is not None
    assert emptied.value.changes == {"name": "Fern", "notes": "Shade", "died_on": None}
    assert parse(PlantEdit, {**form.values, "name": ""}).errors == {"name": "Please fill this in."}


def test_an_edit_of_an_old_revision_is_refused() -> None:
    PlantEdit(name="Moss", revision=3).check_revision(3)
    PlantEdit(name="Moss").check_revision(3)
    with pytest.raises(Conflict) as refused:
        PlantEdit(name="Moss", revision=2).check_revision(3)
    assert refused.value.code == "changed_meanwhile"


class _Counted(Input):
    words: Annotated[list[Annotated[str, Field(min_length=3)]], counted(2, 4)]


@settings(max_examples=60)
@given(st.lists(st.text(alphabet="abc", max_size=5), max_size=7))
def test_the_number_of_entries_and_every_bad_entry_are_told_at_once(words: list[str]) -> None:
    bad = {f"words.{place}" for place, word in enumerate(words) if len(word) < 3}
    expected = bad | (set() if 2 <= len(words) <= 4 else {"words"})
    try:
        assert _Counted(words=words).words == words
        told = set[str]()
    except ValidationError as error:
        told = {each.field for each in field_errors(error)}
    assert told == expected
