"""Content as pages show it: its state in words, its suite's colour, and the people who stand behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2s
from typing import Any, NamedTuple

from partita.apps.enablement import schema
from partita.apps.enablement.formats import (
    KINDS,
    colour_of,
    day_of,
    glyph_of,
    kind_of_file,
    last_valid_day,
    today_of,
)
from partita.apps.enablement.permissions import State
from partita.apps.enablement.schema import Content, Products
from partita.apps.enablement.service.access import state_of
from partita.kit.accounts.schema import Account
from partita.kit.kit import Kit

NO_OWNER = "No owner"
APPROVAL_WORDS = {"waiting": "Waiting for approval", "changes_requested": "Changes requested", "scheduled": "Scheduled"}
STATE_WORDS = {
    State.DRAFT: "Draft",
    State.SCHEDULED: "Scheduled",
    State.RELEASED: "Released",
    State.SOFT_EXPIRED: "Expired",
    State.HARD_EXPIRED: "Expired",
    State.RETIRED: "Retired",
}


class Badge(NamedTuple):
    """A state that speaks: its word, its kind of colour, and its picture."""

    word: str
    kind: str
    icon: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A content item with everything that its card, row or head shows."""

    content: Content
    state: State
    colour: int
    owner: str | None
    """The owner's name; None if their account is gone or suspended."""
    owner_picture: str | None
    """The file of the owner's own picture."""
    confirmer: str | None
    today: str
    marks: Mapping[str, str] = field(default_factory=dict)
    """Texts with the words of a search marked."""

    @property
    def content_id(self) -> str:
        return self.content.content_id

    @property
    def title(self) -> str:
        return self.content.title

    @property
    def path(self) -> str:
        """Its page."""
        return f"/enablement/content/{self.content.content_id}"

    @property
    def cover(self) -> str:
        """The address of its cover; another one whenever the picture is another."""
        return _cover(self.content, self.colour)

    @property
    def file_tag(self) -> str:
        """Another text whenever the file is another."""
        return (self.content.s3_key or "").rpartition("/")[2][-10:]

    @property
    def kind(self) -> str:
        return kind_of_file(self.content.content_type if self.content.s3_key else None)

    @property
    def kind_name(self) -> str:
        return KINDS[self.kind]

    @property
    def glyph(self) -> str:
        return glyph_of(self.kind)

    @property
    def owner_name(self) -> str:
        return self.owner or NO_OWNER

    @property
    def released(self) -> bool:
        return self.state is State.RELEASED

    @property
    def expired(self) -> bool:
        return self.state in (State.SOFT_EXPIRED, State.HARD_EXPIRED)

    @property
    def overdue(self) -> bool:
        """Whether it should have been reviewed by now."""
        return self.released and (day_of(self.content.review_due_date) or "9999") < self.today

    @property
    def valid_until(self) -> str | None:
        """Its last valid day."""
        return last_valid_day(self.content.expiry_date)

    @property
    def confirmed_at(self) -> str | None:
        """When somebody last said that it is correct: by a review, or by releasing it."""
        return self.content.confirmed_at or self.content.released_at

    @property
    def badge(self) -> Badge | None:
        """What is special about it; released content is quiet."""
        if self.state is State.DRAFT and self.content.approval_state in ("waiting", "changes_requested"):
            waits = self.content.approval_state == "waiting"
            word = APPROVAL_WORDS[self.content.approval_state]
            return Badge(word, "info" if waits else "warn", "clock" if waits else "comment")
        if self.overdue:
            return Badge("Review overdue", "warn", "alert")
        return {
            State.DRAFT: Badge("Draft", "", "edit"),
            State.SCHEDULED: Badge("Scheduled", "info", "calendar"),
            State.SOFT_EXPIRED: Badge("Expired", "bad", "alert"),
            State.HARD_EXPIRED: Badge("Expired", "bad", "lock"),
            State.RETIRED: Badge("Retired", "bad", "stop"),
        }.get(self.state)

    @property
    def excerpt(self) -> str:
        """Where a search found its words, if not in the title; otherwise the summary. Marked texts are safe HTML."""
        where = (self.marks.get(name, "") for name in ("summary", "text", "file", "name", "tags"))
        return next((text for text in where if "<mark>" in text), "") or self.content.summary

    @property
    def found_within(self) -> bool:
        """Whether a search found it by words that its title does not have."""
        return bool(self.marks) and "<mark>" not in self.marks.get("title", "")

    @property
    def status_word(self) -> str:
        """Its state in a word, whatever it is."""
        return self.badge.word if self.badge else STATE_WORDS[self.state]


def cover_of(content: Content, products: Products) -> str:
    """The address of the cover of an item."""
    return _cover(content, colour_in(products, content.product_suite))


def _cover(content: Content, colour: int) -> str:
    return f"/enablement/content/{content.content_id}/cover?v={cover_tag(content, colour)}"


def cover_tag(content: Content, colour: int) -> str:
    """What the picture of an item depends on, as a short text."""
    drawn = (content.title, content.product_suite, content.product_concept, content.content_type, colour)
    made = content.cover_key or repr(drawn)
    return blake2s(made.encode(errors="replace"), digest_size=6).hexdigest()


class Showing:
    """Puts beside content items what pages show with them, with two reads however many they are."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def products(self) -> Products:
        """The suites with their colours, and the words for audiences and stages; empty before there are any."""
        return await self._store.get(schema.products()) or Products()

    async def each(
        self,
        contents: Iterable[Content],
        *,
        products: Products | None = None,
        marks: Mapping[str, Mapping[str, str]] | None = None,
    ) -> tuple[Shown, ...]:
        """Several items, in their order; `marks` are the marked texts of a search, by id."""
        items = tuple(contents)
        if not items:
            return ()
        known = products or await self.products()
        people = await self.people(person for item in items for person in (item.owner_user_id, item.confirmed_by))
        now = self._kit.clock.now()
        return tuple(_shown(item, known, people, now, (marks or {}).get(item.content_id, {})) for item in items)

    async def one(self, content: Content) -> Shown:
        """One item."""
        (shown,) = await self.each((content,))
        return shown

    async def names(self, user_ids: Iterable[str | None]) -> dict[str, str]:
        """The names of people, by id; those that are gone are left out."""
        return {user_id: each.name or each.username for user_id, each in (await self.people(user_ids)).items()}

    async def named(self, user_ids: Iterable[str | None]) -> dict[str, Any]:
        """What pages say of people, by id: `people` are their names, `pictures` the files of their own pictures."""
        found = await self.people(user_ids)
        return {
            "people": {user_id: each.name or each.username for user_id, each in found.items()},
            "pictures": {user_id: each.avatar for user_id, each in found.items() if each.avatar},
        }

    async def by_username(self, username: str) -> Account | None:
        """Somebody's account, by the name in an address."""
        return await self._kit.accounts.people.by_username(username)

    async def people(self, user_ids: Iterable[str | None]) -> dict[str, Account]:
        """The accounts of people, by id; those that are gone are left out."""
        return await self._kit.accounts.people.get_many(each for each in user_ids if each)


def _shown(
    content: Content, products: Products, people: Mapping[str, Account], now: datetime, marks: Mapping[str, str]
) -> Shown:
    owner = people.get(content.owner_user_id)
    confirmer = people.get(content.confirmed_by or "")
    if owner is not None and owner.suspended:
        owner = None
    return Shown(
        content=content,
        state=state_of(content, now),
        colour=colour_in(products, content.product_suite),
        owner=None if owner is None else owner.name or owner.username,
        owner_picture=None if owner is None else owner.avatar,
        confirmer=None if confirmer is None else confirmer.name or confirmer.username,
        today=today_of(now),
        marks=marks,
    )


def colour_in(products: Products, suite: str | None) -> int:
    """The colour of a suite; one that is not in the list has one all the same."""
    known = products.suite(suite)
    return colour_of(suite) if known is None else known.colour
