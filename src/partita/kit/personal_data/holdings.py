"""What a system holds about people: which items, by which attributes, and what becomes of them if somebody leaves."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import orjson
from markupsafe import escape

from partita.kit.limits import counted_as
from partita.table import Item, Query

Fate: TypeAlias = Literal["removed", "unnamed", "stays"]
"""`removed`: it goes. `unnamed`: an id that leads to nobody takes the place of the person's, and no name is left.
`stays`: it is left as it is, with an id that leads to nobody once the account is gone."""

LEFT = "Somebody who left"
"""What is shown instead of a name."""


def spellings(text: str) -> tuple[str, ...]:
    """A text as it stands in others: by itself, in HTML, and in JSON."""
    return tuple(dict.fromkeys((text, str(escape(text)), _in_json(text))))


def whole_word(*texts: str, flags: int = 0) -> re.Pattern[str]:
    """One of the texts, but not as a part of a longer word."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, texts))})(?![^\W_])", flags)


def _in_json(text: str) -> str:
    return orjson.dumps(text).decode()[1:-1]


@dataclass(frozen=True)
class Person:
    """Whose data it is about."""

    user_id: str
    username: str
    name: str
    email: str | None
    stand_in: str
    """Takes the place of the id where something stays: the same everywhere, and it leads to nobody."""
    formerly: tuple[str, ...] = ()
    """Names and addresses that they had before."""
    formerly_and_not_now: tuple[str, ...] = ()
    """Addresses that they had before and that are somebody else's now: theirs only where their id is."""

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """Texts, folded, of which every row about them has one as JSON: cheaper to look for than to read the row."""
        told = [each for each in (self.user_id, *self._names, *self.formerly_and_not_now) if each]
        texts = (*(spelling for each in told for spelling in spellings(each)), *map(counted_as, told))
        return tuple(dict.fromkeys(_in_json(text).casefold() for text in texts))

    @property
    def called(self) -> frozenset[str]:
        """What they are or were called, folded: username, name, address."""
        return frozenset(each.casefold() for each in (*self._names, *self.formerly_and_not_now))

    @cached_property
    def in_texts(self) -> re.Pattern[str]:
        """What means them in running text: names and addresses, not the username, which may be a word. Of two that
        begin alike it is the longer one; and what takes their place is found too, should they be called like that."""
        told = {each for each in (self.email, self.name, *self.formerly) if each}
        spelled = {spelling for each in (*told, LEFT) for spelling in spellings(each)}
        return whole_word(*sorted(spelled, key=lambda each: (-len(each), each)), flags=re.IGNORECASE)

    @property
    def addresses(self) -> frozenset[str]:
        """Addresses that are or were theirs and are nobody else's, folded."""
        return frozenset(each.casefold() for each in (self.email, *self.formerly) if each and "@" in each)

    @property
    def counted(self) -> tuple[str, ...]:
        """What limits may have counted them by."""
        return (self.user_id, *self._names)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(each for each in (self.username, self.name, self.email, *self.formerly) if each)


@dataclass(frozen=True, slots=True)
class Holding:
    """One type of items that hold something about people."""

    item_type: type[Item]
    what: str
    """What people call them: `Ratings`."""
    owner: str | None = None
    """The field with the id of whom such an item belongs to; only they get all of it."""
    also: tuple[str, ...] = ()
    """Other fields that hold ids of people, by themselves or within a text or a map."""
    names: tuple[str, ...] = ()
    """Fields that hold a username, a name or an email address, and nothing else; or maps of them."""
    texts: tuple[str, ...] = ()
    """Fields with running text, such as a mail's, in which names and addresses occur."""
    documents: tuple[str, ...] = ()
    """Fields with JSON, in which texts are names or have them."""
    secrets: tuple[str, ...] = ()
    """Fields that nobody gets, not even their owner."""
    files: Callable[[Any], tuple[str, ...]] = lambda _item: ()
    """The names of an item's files in the file store."""
    parts: Callable[[Any], tuple[Query[Any], ...]] = lambda _item: ()
    """Lists of items that belong to one and do not say whose they are: its owner gets them with it."""
    files_of_part: Callable[[Any], tuple[str, ...]] = lambda _part: ()
    """The names of the files of such a part."""
    blank: tuple[str, ...] = ()
    """Texts that are emptied in an item whose owner leaves and that stays."""
    fate: Fate | Callable[[Any], Awaitable[Fate]] = "removed"
    """What becomes of an item whose owner leaves; of others, whoever leaves is unnamed."""
    because: str = ""
    """Why it is not removed."""
    others: Fate = "unnamed"
    """What becomes of an item that somebody else owns, or nobody."""
    remove: Callable[[Any, Person], Awaitable[None]] | None = None
    """Removes an item with everything that counts it; harmless a second time. Without it, the item is deleted."""
    after_others: bool = False
    """Whether it goes only when nothing else is left to remove: others are counted in it."""
    is_of: Callable[[Any, Person], bool] | None = None
    """Whether an item belongs to somebody, if that is not told by an id."""

    def __post_init__(self) -> None:
        if not self.because and (self.fate != "removed" or (self.owner is None and self.is_of is None)):
            raise ValueError(f"{self.item_type.__name__} is kept when somebody leaves: say why, with `because`")

    @property
    def ids(self) -> tuple[str, ...]:
        """All fields that hold ids of people."""
        return self.also if self.owner is None else (self.owner, *self.also)

    def belongs_to(self, item: Item, person: Person) -> bool:
        """Whether an item is the person's own."""
        if self.is_of is not None and self.is_of(item, person):
            return True
        return self.owner is not None and getattr(item, self.owner) == person.user_id

    async def fate_of(self, item: Item, person: Person) -> Fate:
        """What becomes of an item if the person leaves."""
        if not self.belongs_to(item, person):
            return self.others
        return await self.fate(item) if callable(self.fate) else self.fate
