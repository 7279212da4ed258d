from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from partita.kit.views import From, ListOf, View, listed
from partita.table import Page


@dataclass(frozen=True)
class Author:
    full_name: str


@dataclass(frozen=True)
class Note:
    note_id: str
    text: str
    written_by: Author
    readers: tuple[Author, ...] = ()
    reviewed_by: Author | None = None


class AuthorView(View):
    full_name: str


class NoteView(View):
    """A note."""

    note_id: str
    body: Annotated[str, From("text")]
    author_name: Annotated[str, From("written_by.full_name")] = Field(description="Who wrote it.")
    written_by: AuthorView
    readers: list[AuthorView]
    reviewed_by: AuthorView | None
    link: str | None = None


authors = st.builds(Author, st.text())
notes = st.builds(Note, st.text(), st.text(), authors, st.lists(authors).map(tuple), st.none() | authors)


@given(notes, st.none() | st.text())
def test_what_a_view_makes_has_the_shape_that_it_documents(note: Note, link: str | None) -> None:
    made = NoteView.of(note, link=link)
    read = NoteView.model_validate(made)
    assert (read.note_id, read.body, read.link) == (note.note_id, note.text, link)
    assert read.author_name == read.written_by.full_name == note.written_by.full_name
    assert [each.full_name for each in read.readers] == [each.full_name for each in note.readers]
    assert (read.reviewed_by and read.reviewed_by.full_name) == (note.reviewed_by and note.reviewed_by.full_name)
    assert made == read.model_dump(by_alias=True)


def test_names_leave_in_camel_case() -> None:
    assert AuthorView.of(Author("Ada")) == {"fullName": "Ada"}


def test_a_list_says_where_it_goes_on_and_is_named_after_what_it_holds() -> None:
    page = Page((Author("Ada"), Author("Grace")), "more")
    assert listed(AuthorView, page) == {"items": [{"fullName": "Ada"}, {"fullName": "Grace"}], "next_cursor": "more"}
    assert ListOf[AuthorView].model_validate(listed(AuthorView, page)).next_cursor == "more"
    assert ListOf[AuthorView].__name__ == "AuthorViewList"


def test_what_no_item_of_a_list_has_is_made_of_each() -> None:
    class Linked(AuthorView):
        link: str

    listed_authors = listed(Linked, Page((Author("Ada"),), None), link=lambda author: f"/{author.full_name}")
    assert listed_authors["items"] == [{"fullName": "Ada", "link": "/Ada"}]
