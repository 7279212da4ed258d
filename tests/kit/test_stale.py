"""An edit of an old revision loses neither version: whatever is chosen is what is saved."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from partita.kit.forms import MOST_FIELDS, filled, keepable, parse
from partita.kit.history import Field, Fields
from partita.kit.inputs import Edit, Input
from partita.kit.stale import _hidden, disputed, edited, opened, with_choices

pytestmark = pytest.mark.anyio


class Link(Input):
    title: str = ""
    url: str = ""


class Page(Edit):
    title: str
    text: str = ""
    open: bool = False
    tags: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()


class Stored(BaseModel):
    title: str = "Sea"
    text: str = "Maps of the sea."
    open: bool = False
    tags: tuple[str, ...] = ("maps",)
    lines: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    revision: int = 1


FIELDS = Fields(*(Field(name, name.title(), name) for name in ("title", "text", "open", "tags", "lines", "links")))
WORDS = st.sampled_from(["sea", "sky", "a b", "Öl", "=x", "keep:title"])
TEXTS = st.builds(
    lambda words, between: between.join(words), st.lists(WORDS, max_size=4), st.sampled_from([" ", "\n", "\n\n"])
)
LINKS = st.builds(Link, title=WORDS | st.just(""), url=WORDS | st.just("")).filter(lambda link: link != Link())
PAGES = st.builds(
    Stored,
    title=WORDS,
    text=TEXTS,
    open=st.booleans(),
    tags=st.lists(st.sampled_from("abc"), max_size=3, unique=True).map(tuple),
    lines=st.lists(WORDS, max_size=3).map(tuple),
    links=st.lists(LINKS, max_size=2).map(tuple),
    revision=st.integers(1, 9),
)


def _values(page: Stored, **more: str) -> dict[str, Any]:
    return {**filled(Page, page, separated={"tags"}).values, **more}


def _sent(hidden: list[tuple[str, str]], keep: dict[str, str]) -> Page:
    pairs = [*hidden, *((f"keep:{name}", choice) for name, choice in keep.items())]
    form = parse(Page, with_choices(pairs), separated={"tags"})
    assert form.value is not None, form.errors
    # If the session ended while somebody chose, the form is kept as it was sent, with what was chosen.
    assert parse(Page, with_choices(keepable(Page, pairs)), separated={"tags"}) == form
    return form.value


@given(PAGES, PAGES, PAGES, st.data())
def test_each_field_is_saved_as_it_was_chosen_and_the_others_as_they_agree(
    first: Stored, mine: Stored, theirs: Stored, data: st.DataObject
) -> None:
    typed = _values(mine, opened=opened(_values(first)))
    stored = _values(theirs)
    disputes = disputed(FIELDS, typed, stored)
    keep = {field.name: data.draw(st.sampled_from(["typed", "stored"])) for field in disputes}
    saved = _sent(_hidden("revision", FIELDS, typed, stored), keep)
    assert saved.revision == theirs.revision
    for name in FIELDS.labels:
        wanted = theirs if keep.get(name) == "stored" else mine
        assert getattr(saved, name) == getattr(wanted, name)


@given(PAGES, PAGES, PAGES)
def test_what_is_chosen_at_first_keeps_everybodys_changes_that_do_not_meet(
    first: Stored, mine: Stored, theirs: Stored
) -> None:
    typed = _values(mine, opened=opened(_values(first)))
    disputes = disputed(FIELDS, typed, _values(theirs))
    saved = _sent(_hidden("revision", FIELDS, typed, _values(theirs)), {field.name: field.keep for field in disputes})
    for name in FIELDS.labels:
        before, own, other = (getattr(page, name) for page in (first, mine, theirs))
        assert getattr(saved, name) == (other if own == before else own)


@given(PAGES, PAGES)
def test_exactly_the_fields_that_differ_are_asked_about(mine: Stored, theirs: Stored) -> None:
    asked = {field.name for field in disputed(FIELDS, _values(mine), _values(theirs))}
    assert asked == {name for name in FIELDS.labels if getattr(mine, name) != getattr(theirs, name)}


BETWEEN = st.sampled_from([" ", "\n", "\n\n", "\n  "])


@given(st.lists(WORDS, min_size=2, max_size=4), BETWEEN, BETWEEN, WORDS, WORDS, st.booleans())
def test_paragraphs_and_the_places_of_words_are_changes_too(
    words: list[str], one: str, other: str, title: str, url: str, moved: bool
) -> None:
    """A law: two versions of the same words, in other lines or other parts of a row, lose nothing of either."""
    links = (Link(title=title), Link(url=url)) if moved else (Link(title=title, url=url),)
    first = Stored(text=one.join(words), links=(Link(title=title, url=url),))
    theirs = first.model_copy(update={"text": other.join(words), "links": links})
    mine = first.model_copy(update={"title": "Mine"})
    typed = _values(mine, opened=opened(_values(first)))
    disputes = disputed(FIELDS, typed, _values(theirs))
    saved = _sent(_hidden("revision", FIELDS, typed, _values(theirs)), {field.name: field.keep for field in disputes})
    assert (saved.title, saved.text, saved.links) == ("Mine", theirs.text, theirs.links)


@given(WORDS, WORDS)
def test_a_text_in_another_field_of_a_row_is_a_change(title: str, other: str) -> None:
    before = _values(Stored(links=(Link(title=title), Link(title=other))))
    mine = _values(Stored(links=(Link(title=title), Link(url=other))))
    assert [field.name for field in disputed(FIELDS, mine, before)] == ["links"]


def test_without_knowing_what_was_opened_everything_typed_is_chosen() -> None:
    disputes = disputed(FIELDS, _values(Stored(title="Mine")), _values(Stored(title="Theirs")))
    assert [(field.name, field.by, field.keep) for field in disputes] == [("title", "both", "typed")]


async def test_two_versions_of_a_form_with_the_most_fields_can_be_chosen_from() -> None:
    many = tuple(Link(title=str(place), url=str(place)) for place in range(MOST_FIELDS // 2 - 5))
    typed = _values(Stored(links=many), opened=opened(_values(Stored())))
    stored = _values(Stored(links=many[::-1], revision=2))
    body = urlencode([*_hidden("revision", FIELDS, typed, stored), ("keep:links", "stored")]).encode()
    saved: list[Page] = []

    async def save(page: Page) -> Response:
        saved.append(page)
        return Response()

    async def never(*_: Any) -> Any:
        raise AssertionError("it is valid and current")

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    kind = (b"content-type", b"application/x-www-form-urlencoded")
    request = Request({"type": "http", "method": "POST", "path": "/", "headers": [kind]}, receive)
    await edited(request, Page, save, never, never, fields=FIELDS, back="/", separated={"tags"})
    assert (saved[0].revision, saved[0].links) == (2, many[::-1])


PARTS = Fields(
    Field("page.title", "Title", "title"), Field("page.links", "Links", "links"), Field("more", "More", "more")
)


def test_a_form_in_parts_is_compared_field_by_field() -> None:
    before = {"page.title": "Sea", "page.links.0.url": "a", "more": "b"}
    mine = {**before, "page.links.0.url": "mine", "opened": opened(before)}
    theirs = {**before, "page.title": "Sky"}
    disputes = {field.name: field.by for field in disputed(PARTS, mine, theirs)}
    assert disputes == {"page.links": "you", "page.title": "others"}
    sent = [*_hidden("revision", PARTS, mine, theirs), ("keep:page.title", "stored"), ("keep:page.links", "typed")]
    chosen = dict(with_choices(sent))
    assert (chosen["page.title"], chosen["page.links.0.url"], chosen["more"]) == ("Sky", "mine", "b")
