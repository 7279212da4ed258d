"""What people type is bounded, tidied and refused with a sentence that says what to do."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from partita.apps.enablement import formats, inputs
from partita.apps.enablement.inputs import ContentEdit, EditForm, ImportRow, NewContent
from partita.kit.problems import BadRequest

LONG = "x" * 3000


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (NewContent, {"title": ""}),
        (NewContent, {"title": "x" * 301}),
        (NewContent, {"title": "T", "summary": "x" * 501}),
        (NewContent, {"title": "T", "product_suite": "A#B"}),
        (NewContent, {"title": "T", "product_concept": "*"}),
        (NewContent, {"title": "T", "tags": ["a#b"]}),
        (NewContent, {"title": "T", "tags": ["*"]}),
        (NewContent, {"title": "T", "tags": ["x" * 41]}),
        (NewContent, {"title": "T", "tags": [str(n) for n in range(21)]}),
        (NewContent, {"title": "T", "text": "ä" * 100_001}),
        (NewContent, {"title": "T", "review_due_date": "2026-02-30"}),
        (NewContent, {"title": "T", "review_due_date": "2026-02-03T10:00:00Z"}),
        (NewContent, {"title": "T", "expiry_date": "never"}),
        (NewContent, {"title": "T", "expiry_policy": "hide"}),
        (NewContent, {"title": "T", "review_every_days": 0}),
        (NewContent, {"title": "T", "owner_user_id": "somebody"}),
        (ContentEdit, {"title": None}),
        (ContentEdit, {"tags": None}),
        (inputs.Submission, {"note": "short"}),
        (inputs.Submission, {"note": LONG}),
        (inputs.NewComment, {"comment": LONG}),
        (inputs.ChangesRequest, {"comment": " "}),
        (inputs.Approval, {}),
        (inputs.Approval, {"version": "1.0", "release_on": "tomorrow"}),
        (inputs.Retirement, {"reason": ""}),
        (inputs.Transfer, {"to": ""}),
        (inputs.MustReadRequest, {"read_by": "2027-01-01"}),
        (inputs.MustReadRequest, {"read_by": "2027-01-01", "usernames": ["x"] * 501}),
        (inputs.NewReport, {"text": "too old"}),
        (inputs.NewReport, {"text": LONG}),
        (inputs.NewCollection, {"title": "T", "entries": [{"content_id": "c"}] * 51}),
        (inputs.NewSubscription, {"product_suite": "*"}),
        (inputs.PreferencesInput, {"news": "hourly"}),
        (inputs.EventBatch, {"events": []}),
        (inputs.EventBatch, {"events": [{"event_name": "content_viewed"}] * 101}),
        (inputs.EventBatch, {"events": [{"event_name": "something_else"}]}),
        (inputs.EventBatch, {"events": [{"event_name": "search_done", "metadata": {"words": "x" * 8200}}]}),
        (inputs.EventBatch, {"events": [{"event_name": "search_done", "user_id": "somebody"}]}),
        (inputs.ProductsInput, {"suites": [{"name": "Atlas"}, {"name": "ATLAS"}], "revision": 0}),
        (inputs.ProductsInput, {"suites": [{"name": "Atlas", "colour": 13}], "revision": 0}),
        (ImportRow, {"title": "T", "tags": "a#b"}),
        (ImportRow, {"title": "T", "expiry_date": "31.12.2026"}),
    ],
)
def test_this_is_refused(model: type[BaseModel], values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(values)


def test_an_empty_field_is_absent_and_not_an_empty_text() -> None:
    new = NewContent(title="T", product_suite="", audience_role=" ", expiry_date="", expiry_policy="")  # type: ignore[arg-type]
    assert (new.product_suite, new.audience_role, new.expiry_date, new.expiry_policy) == (None, None, None, None)


def test_tags_are_kept_as_typed_and_compared_without_case() -> None:
    assert NewContent(title="T", tags=("Pricing", "PRICING", "Straße", "STRASSE")).tags == ("Pricing", "Straße")


def test_a_moment_is_stored_in_utc() -> None:
    assert NewContent(title="T", expiry_date="2026-03-01T10:00:00+02:00").expiry_date == "2026-03-01T08:00:00.000000Z"


def test_an_edit_may_empty_what_is_optional_and_changes_nothing_else() -> None:
    edit = ContentEdit.model_validate({"product_suite": "", "expiry_date": None, "version": "0.3"})
    assert edit.changes == {"product_suite": None, "expiry_date": None}
    with pytest.raises(BadRequest):
        _ = ContentEdit(version="0.3").changes


def test_the_form_of_an_edit_changes_every_field_that_it_shows() -> None:
    form = EditForm(title="T", version="0.3")
    assert set(form.edit.changes) == set(NewContent.model_fields)
    assert form.edit.version == "0.3"


def test_tags_of_a_row_are_separated_by_commas_or_semicolons() -> None:
    assert ImportRow(title="T", tags="a, b;c;;").tags == ("a", "b", "c")  # type: ignore[arg-type]


@given(st.integers(0, 999), st.integers(0, 999))
def test_versions_count_up(major: int, minor: int) -> None:
    version = f"{major}.{minor}"
    assert formats.version_number(formats.next_minor(version)) == (major, minor + 1)
    assert formats.version_number(formats.next_major(version)) == (major + 1, 0)


@given(st.text(max_size=20), st.text(max_size=20))
def test_tags_that_are_the_same_without_case_have_one_match_key(one: str, two: str) -> None:
    assert (formats.match_tag(one) == formats.match_tag(two)) == (formats.folded(one) == formats.folded(two))
    assert formats.folded(formats.folded(one)) == formats.folded(one)
    assert "#" not in formats.match_tag(one)


@given(st.dates(min_value=date(1971, 1, 2), max_value=date(2999, 1, 1)))
def test_a_day_is_valid_to_its_end_and_a_moment_exactly(day: Any) -> None:
    text = day.isoformat()
    assert formats.expires_at(text) == formats.start_of(formats.day_after(text))
    assert formats.expires_at(formats.start_of(text)) == formats.start_of(text)
