"""What can be found: which items of a table, by which of their words."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Generic, TypeVar

from partita.table import Item, Query, Table

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_TAKEN = ("doc", "rank", "rowid")
"""Names that the index itself has for columns."""
_LAYOUT = 4
"""How the tables of an index are laid out and words are folded: another number builds every index anew."""


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of one item: its words by field, what lists can be narrowed by, and what they can be sorted by."""

    id: str
    fields: Mapping[str, str]
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    sorts: Mapping[str, int | float | str | None] = field(default_factory=dict)
    """Whatever has no value comes last, in both directions."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that belongs to a document and comes from another item, such as a page of an attachment."""

    id: str
    """The document's."""
    part: str
    """Which of the document's texts: `{file}#{page}`. They are read in the order of their names."""
    text: str


@dataclass(frozen=True, slots=True)
class Texts(Generic[I]):
    """A field of a catalog whose text comes from items of another type, at another time than the document."""

    field: str
    item_type: type[I]
    text: Callable[[I], Text | None]
    """None for items that have none; its id and part must depend on the item's key alone."""
    sources: tuple[Query[I], ...]
    """Queries that together read every item, for building the index anew."""
    load: Callable[[str], Awaitable[str]] | None = None
    """If the text is in a file: `text` tells its name, and this loads its words."""

    async def words(self, text: Text) -> Text:
        """A text as it is indexed."""
        return text if self.load is None else replace(text, text=await self.load(text.text))


@dataclass(frozen=True, slots=True, eq=False)
class Catalog(Generic[I]):
    """One index: fields with the weight a match in them has, filters, and how an item becomes a document.

    Each is equal to itself alone, so that answers can be remembered by it.
    """

    name: str
    """`kelifax.resources`: stored, so it never changes."""
    item_type: type[I]
    document: Callable[[I], Document | None]
    """None for items that must not be found; the id must depend on the item's key alone."""
    weights: Mapping[str, float]
    sources: tuple[Query[I], ...]
    """Queries that together read every item, for building the index anew."""
    filters: tuple[str, ...] = ()
    sorts: tuple[str, ...] = ()
    """What lists can be sorted by: `created_at` is ascending, `-created_at` descending."""
    order: str = ""
    """The sort of lists without words; by id if there is none."""
    texts: tuple[Texts[Any], ...] = ()
    expand: Callable[[I], AsyncIterator[Document]] | None = None
    """If an item stands for several documents, such as a source for its passages: reads them, for building anew."""
    meaning: Callable[[Mapping[str, str]], tuple[str, ...]] | None = None
    """The texts, made of the fields, that tell together what a document means; without it there are words alone."""
    sentences: Callable[[Mapping[str, str]], tuple[str, ...]] | None = None
    """Its sentences, each with a vector of its own: whoever asks, mostly asks for one of them."""
    word_by_word: Callable[[Mapping[str, str]], str] | None = None
    """The text whose words are compared one by one with those of a question."""
    title: str = ""
    """What people call it: “resources of Kelifax”."""

    def __post_init__(self) -> None:
        for name in (*self.weights, *self.filters, *self.sorts):
            if not _NAME.match(name):
                raise ValueError(f"{self.name}: {name!r} is no name for a field, filter or sort; use a-z, 0-9 and _")
        for name in _TAKEN:
            if name in self.weights:
                raise ValueError(
                    f"{self.name}: the index has a column {name!r} of its own; give the field another name"
                )
        for each in self.texts:
            if each.field not in self.weights:
                raise ValueError(f"{self.name}: texts go into {each.field!r}, which has no weight; add it to weights")
        if self.order:
            self.check_sort(self.order)

    def check_sort(self, sort: str) -> None:
        """Refuse a sort that is not declared: which sorts there are is for programs to know, not for people."""
        if sort.removeprefix("-") not in self.sorts:
            raise ValueError(f"{self.name} has no sort {sort!r}; declared are {', '.join(self.sorts) or 'none'}")

    def check_filters(self, names: Mapping[str, Any] | tuple[str, ...]) -> None:
        """Refuse filters that are not declared."""
        for name in names:
            if name not in self.filters:
                raise ValueError(
                    f"{self.name} has no filter {name!r}; declared are {', '.join(self.filters) or 'none'}"
                )

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that its items and texts are in, its items' first."""
        return tuple(dict.fromkeys(each.__table__ for each in (self.item_type, *(t.item_type for t in self.texts))))

    @property
    def name_field(self) -> str:
        """The field that counts most: a title or a name."""
        return max(self.weights, key=self.weights.__getitem__)

    @property
    def slug(self) -> str:
        """The name as tables of the index file spell it."""
        return re.sub(r"[^a-z0-9]", "_", self.name)

    @property
    def shape(self) -> str:
        """Changes when the index must be built anew."""
        texts = tuple((each.field, len(each.sources)) for each in self.texts)
        declared: Any = (_LAYOUT, self.name, tuple(self.weights), self.filters, self.sorts, len(self.sources), texts)
        if self.meaning is not None:
            declared = (*declared, "meaning", "with sentences" if self.sentences else "whole")
            declared = (*declared, "word by word") if self.word_by_word else declared
        return sha256(repr(declared).encode()).hexdigest()[:16]


def column_names(catalog: Catalog[Any]) -> str:
    """The fields as statements spell them: in quotes, since a word of SQL (`cast`, `order`) may be the name of one."""
    return ", ".join(f'"{name}"' for name in catalog.weights)
