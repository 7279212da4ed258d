"""Forms are read as models; what was typed is kept, and every bad field says what to do."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    EmailStr,
    Field,
    HttpUrl,
    SecretStr,
    TypeAdapter,
    ValidationError,
)
from starlette.datastructures import FormData, UploadFile

from partita.kit.forms import filled, parse
from partita.kit.messages import field_errors, matching
from partita.kit.problems import Conflict, FieldError


class Mood(StrEnum):
    CALM = "calm"
    KEEN = "keen"


class Person(BaseModel):
    email: EmailStr
    phone: str | None = None


class Source(BaseModel):
    url: HttpUrl
    weight: int = 1


class Submission(BaseModel):
    model_config = ConfigDict(extra="forbid")

    resource_name: str = Field(alias="resourceName", min_length=3, max_length=10)
    submitter: Person
    tags: list[Annotated[str, Field(max_length=5)]] = Field(default=[], max_length=3)
    stars: int | None = Field(default=None, ge=1, le=5)
    mood: Mood = Mood.CALM
    kind: Literal["tool", "book"]
    featured: bool = False
    sources: list[Source] = []
    password: SecretStr | None = None


GOOD = [("resourceName", "htmx"), ("submitter.email", "ada@example.org"), ("kind", "tool")]


def test_dotted_names_nest_and_repeated_names_are_lists() -> None:
    form = parse(Submission, FormData([*GOOD, ("tags", "web"), ("tags", "html"), ("featured", "on"), ("stars", "4")]))
    assert form.value is not None
    assert form.value.submitter.email == "ada@example.org"
    assert (form.value.tags, form.value.featured, form.value.stars) == (["web", "html"], True, 4)
    assert form.values["submitter.email"] == "ada@example.org"
    assert form.values["tags"] == ["web", "html"]
    assert form.errors == {}


def test_an_empty_text_is_nothing_where_the_model_wants_none_or_something_else_than_text() -> None:
    form = parse(Submission, [*GOOD, ("stars", ""), ("submitter.phone", ""), ("mood", "")])
    assert form.value is not None
    assert (form.value.stars, form.value.submitter.phone, form.value.mood) == (None, None, Mood.CALM)


def test_every_bad_field_has_a_message_in_plain_words_and_what_was_typed_is_kept() -> None:
    typed = {
        "resourceName": "ab",
        "submitter.email": "ada",
        "kind": "film",
        "stars": "9",
        "mood": "wild",
        "sources.0.url": "example",
        "tags": ["a", "too long", "b"],
    }
    form = parse(Submission, typed)
    assert form.value is None
    assert form.errors == {
        "resourceName": "At least 3 characters; this has 2.",
        "submitter.email": "An email address must have an @-sign.",
        "tags": "“too long”: At most 5 characters; this has 8.",
        "stars": "At most 5.",
        "mood": "Choose calm or keen.",
        "kind": "Choose tool or book.",
        "sources.0.url": "Enter a complete URL, such as https://example.org.",
    }
    assert form.values == typed


def test_a_field_may_be_called_body() -> None:
    class Comment(BaseModel):
        body: str = Field(min_length=3)

    assert parse(Comment, {"body": "no"}).errors == {"body": "At least 3 characters; this has 2."}


def test_of_a_list_with_a_field_per_entry_the_error_names_the_field() -> None:
    typed: list[tuple[str, str | UploadFile]] = [*GOOD, ("tags", "web"), ("tags", " "), ("tags", "too long")]
    form = parse(Submission, FormData(typed), lines={"tags"})
    assert form.errors == {"tags.2": "At most 5 characters; this has 8."}
    assert form.values["tags"] == ["web", " ", "too long"]
    assert parse(Submission, FormData(typed[:-1]), lines={"tags"}).errors == {}


def test_what_is_missing_is_to_be_filled_in() -> None:
    form = parse(Submission, {"resourceName": ""})
    fill = "Please fill this in."
    assert form.errors == {"resourceName": fill, "submitter.email": fill, "kind": fill}


def test_rows_of_a_list_keep_the_numbers_they_have_in_the_form_and_blank_rows_are_passed_over() -> None:
    rows = [("sources.0.url", ""), ("sources.2.url", "nowhere"), ("sources.10.url", "https://example.org")]
    form = parse(Submission, [*GOOD, *rows])
    assert list(form.errors) == ["sources.2.url"]
    assert parse(Submission, [*GOOD, *rows[::2]]).value is not None


def test_a_list_may_be_typed_as_one_text_with_commas() -> None:
    form = parse(Submission, [*GOOD, ("tags", "web, html,, \n")], separated={"tags"})
    assert form.value is not None
    assert form.value.tags == ["web", "html"]
    assert form.values["tags"] == "web, html,, \n"


def test_buttons_and_files_are_passed_over_even_where_the_model_forbids_other_fields() -> None:
    form = parse(Submission, FormData([*GOOD, ("save", "Save"), ("logo", UploadFile(file=None))]))  # type: ignore[arg-type]
    assert form.value is not None


class Change(BaseModel):
    tags: list[str] | None = None
    public: bool | None = None
    note: str = "none"


def test_what_the_form_does_not_have_stays_unset_where_the_default_is_none() -> None:
    assert parse(Change, {}).value == Change()
    assert parse(Change, {}).value is not None
    changed = parse(Change, {"tags": "", "note": "a\r\nb"}).value
    assert changed is not None
    assert (changed.tags, changed.public, changed.note) == ([], None, "a\nb")


def test_secrets_are_never_shown_again() -> None:
    form = parse(Submission, [("resourceName", "x"), ("password", "correct horse")])
    assert "correct horse" not in repr(form)
    assert "password" not in form.values
    good = parse(Submission, [*GOOD, ("password", "correct horse")])
    assert good.value is not None
    assert "password" not in filled(type(good.value), good.value).values
    assert "correct horse" not in repr(good)


def test_a_service_that_refuses_is_shown_beside_its_field_or_above_the_form() -> None:
    form = parse(Submission, GOOD)
    beside = form.refused(Conflict("Taken.", errors=[FieldError("resourceName", "This name is taken.")]))
    assert (beside.value, beside.errors) == (None, {"resourceName": "This name is taken."})
    assert form.refused(Conflict("Somebody was faster.")).errors == {"": "Somebody was faster."}


def test_a_filled_form_reads_back_as_the_value_it_shows() -> None:
    value = Submission(
        resourceName="htmx",
        submitter=Person(email="ada@example.org"),
        tags=["a", "b"],
        kind="book",
        sources=[Source(url=HttpUrl("https://example.org/"), weight=3)],
    )
    shown = filled(type(value), value)
    typed = {name: text for name, text in shown.values.items() if text is not False}
    assert parse(Submission, typed).value == value
    assert filled(type(value), value, separated={"tags"}).values["tags"] == "a, b"


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (Annotated[str, Field(max_length=3)], "abcd", "At most 3 characters; this has 4."),
        (Annotated[list[int], Field(min_length=2)], [1], "At least 2 entries; there are 1."),
        (Annotated[str, BeforeValidator(str.strip), Field(min_length=2)], " a ", "At least 2 characters; this has 1."),
        (Annotated[str, BeforeValidator(str.strip), Field(max_length=2)], "abc", "At most 2 characters; this has 3."),
        (Annotated[str, BeforeValidator(str.strip), Field(min_length=2)], "  ", "Please fill this in."),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "At most 1 entry; there are 2."),
        (Annotated[str, matching("[a-z]+", "Only small letters.")], "A", "Only small letters."),
        (int, "x", "Enter a whole number."),
        (float, "x", "Enter a number."),
        (bool, "x", "Enter true or false."),
        (list[int], 3, "Enter a list."),
        (Person, 3, "Enter an object."),
        (int, None, "Please fill this in."),
        (Annotated[int, Field(gt=3)], 3, "More than 3."),
    ],
)
def test_messages_say_what_to_do(kind: Any, given: Any, said: str) -> None:
    with pytest.raises(ValidationError) as error:
        TypeAdapter(kind).validate_python(given)
    assert field_errors(error.value)[0].message == said


def test_the_api_names_fields_without_saying_where_they_came_from() -> None:
    with pytest.raises(ValidationError) as error:
        Submission.model_validate({"resourceName": "htmx", "submitter": {}, "kind": "tool", "other": 1})
    details = [{**each, "loc": ("body", *each["loc"])} for each in error.value.errors()]
    assert field_errors(details, skip=1) == (
        FieldError("submitter.email", "Please fill this in."),
        FieldError("other", "There is no such field."),
    )
    assert field_errors([{"type": "json_invalid", "loc": ("body", 12), "msg": "…", "input": {}}], skip=1) == (
        FieldError("body", "This is not JSON."),
    )


def test_a_union_is_named_once() -> None:
    class Either(BaseModel):
        value: int | bool

    with pytest.raises(ValidationError) as error:
        Either.model_validate({"value": "x"})
    assert [each.field for each in field_errors(error.value)] == ["value"]


class Links(BaseModel):
    """One field with an entry on each line."""

    urls: Annotated[tuple[HttpUrl, ...], BeforeValidator(lambda typed: _lines(typed))]


def _lines(typed: str | list[str]) -> list[str]:
    return "\n".join([typed] if isinstance(typed, str) else typed).split()


@pytest.mark.parametrize("wrong", [(0,), (1,), (2,), (0, 2), (1, 2)])
def test_any_wrong_line_of_a_field_is_named(wrong: tuple[int, ...]) -> None:
    lines = ["nonsense" if number in wrong else f"https://example.org/{number}" for number in range(3)]
    form = parse(Links, [("urls", "\n".join(lines))])
    assert form.value is None
    assert "nonsense" in form.errors["urls"]
