"""Who is told of a cause, in which words and why: groups of people, the strongest reason first.

Whoever is in two groups is told once, since a notification is one per cause and person and the first one stays.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

import orjson

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_in_words, last_valid_day, major_of, match_name, moment_of
from partita.apps.enablement.permissions import State
from partita.apps.enablement.schema import (
    QUEUE,
    About,
    Content,
    ContentChange,
    Fanout,
    FollowKind,
    MustRead,
    SubscriptionMatch,
    Version,
    all_matching,
)
from partita.apps.enablement.service.access import state_of
from partita.apps.enablement.service.bookkeeping import EXPIRY, MUST_READ, REVIEW
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.table import Query
from partita.table.types import timestamp

Type = Literal["info", "success", "warning", "error"]
TOLD_ACTIONS = frozenset(
    {
        "submitted",
        "comment",
        "changes_requested",
        "approved",
        "scheduled",
        "released",
        "handed_over",
        "expired",
        "retired",
    }
)
"""Actions of the history that people are told of."""
ASKED, REMINDED, REPORTED, REPORT_CLOSED, JOB_DONE = "asked", "reminded", "reported", "report-closed", "job-done"
"""Causes that other parts of the portal store: people must read it, a report and its answer, long work."""
BATCH_SUBMITTED, BATCH_APPROVED = "batch-submitted", "batch-approved"
"""The same was done with several items by a job: their authors and the approvers hear of them together."""
_NAMED = 5
"""So many items of a batch are named."""
_LATE_REVIEW = 14
DOWNLOADED_WITHIN = timedelta(days=30)
_TALK = 100
"""How far back a talk goes."""
_READABLE = frozenset({State.RELEASED, State.SOFT_EXPIRED})

People = Callable[[], AsyncIterator[tuple[str, str]]]
"""Who, and why: `because you follow Atlas`."""


@dataclass(frozen=True, slots=True)
class Group:
    """People who are told the same."""

    name: str
    """Unique among the groups of a cause, and stored: how far it is."""
    about: About
    type: Type
    title: str
    message: str
    link: str
    people: People


@dataclass(frozen=True, slots=True)
class _Cause:
    """A cause with what its words are made of."""

    fanout: Fanout
    content: Content
    change: ContentChange | None
    version: Version | None
    """What was released, as it was then."""
    actor: str
    """The name of whoever did it."""
    authors: tuple[str, ...] = field(default=())

    @property
    def title(self) -> str:
        return f"“{self.content.title}”"

    @property
    def owner(self) -> str:
        """Whose it was when it happened."""
        return self.authors[0] if self.authors else self.content.owner_user_id

    @property
    def page(self) -> str:
        return f"/enablement/content/{self.content.content_id}"

    @property
    def review_page(self) -> str:
        return f"/enablement/queue/{self.content.content_id}"

    @property
    def comment(self) -> str:
        return (self.change.comment if self.change else None) or ""


class Audience:
    """Finds the people who must be told of a cause."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def groups(self, fanout: Fanout) -> tuple[Content | None, list[Group]]:
        """The groups of people, the strongest reason first; none if the content item is gone."""
        content = await find(self._store, schema.content, fanout.of_content)
        if fanout.cause == JOB_DONE:
            return content, [_job_done(fanout)]
        if fanout.cause in (BATCH_SUBMITTED, BATCH_APPROVED):
            return None, await self._batch(fanout)
        if content is None:
            return None, []
        change = await find(self._store, schema.change, fanout.of_content, fanout.change_id)
        released = fanout.cause in ("approved", "released") and change is not None and change.to_version
        major = major_of(change.to_version or "") if change is not None and released else 0
        version = await self._store.get(schema.version_of(content.content_id, major)) if major else None
        by = fanout.caused_by
        person = None if by is None else await self._kit.accounts.people.find(by)
        authors = tuple((fanout.details or {}).get("authors", ()))
        cause = _Cause(fanout, content, change, version, person.name if person else "Somebody", authors)
        return content, await self._of(cause)

    async def _batch(self, fanout: Fanout) -> list[Group]:
        """What a job did with several items, once it has ended: to the queue how many wait, to each author how many of
        theirs were approved. A job that failed halfway tells of what it had done."""
        job = await self._kit.jobs.look(fanout.of_content)
        kept = (job.result or job.checkpoint) if job is not None else None
        result = orjson.loads(kept) if kept else {}
        if fanout.cause == BATCH_SUBMITTED:
            number = result.get("submitted") if isinstance(result, dict) else None
            title = "Several items wait for approval" if number is None else _waiting(number)
            followers = self._following(fanout, "queue", QUEUE, "because you follow the approval queue")
            return [_together(fanout, "queue", "info", title, "", "/enablement/queue", followers)]
        outcomes = result.get("outcomes", ()) if isinstance(result, dict) else result
        approved = tuple(content_id for content_id, _, refused in outcomes if not refused)
        return await self._approved_together(fanout, approved)

    async def _approved_together(self, fanout: Fanout, content_ids: tuple[str, ...]) -> list[Group]:
        found = await self._store.batch_get(schema.content_found(content_ids).keys) if content_ids else []
        works: dict[str, list[Content]] = {}
        for content in filter(None, found):
            for author in dict.fromkeys((content.owner_user_id, content.submitted_by, content.changed_by)):
                if author:
                    works.setdefault(author, []).append(content)
        groups = []
        for author, theirs in works.items():
            number, first = len(theirs), theirs[0]
            title = f"“{first.title}” was approved" if number == 1 else f"{number:,} of yours were approved"
            rest = f" and {number - _NAMED:,} more" if number > _NAMED else ""
            said = "" if number == 1 else ", ".join(f"“{each.title}”" for each in theirs[:_NAMED]) + rest
            link = f"/enablement/content/{first.content_id}" if number == 1 else "/enablement/mine"
            people = _just((author, "because it is your work"))
            groups.append(_together(fanout, f"author-{author}", "success", title, said, link, people))
        return groups

    async def authors(self, content: Content) -> tuple[str, ...]:
        """The side of the talk that writes: the owner, and who submitted and changed it last."""
        proposal = await find(self._store, schema.proposal, content.content_id)
        source = proposal or content
        people = (content.owner_user_id, source.submitted_by, source.changed_by)
        return tuple(dict.fromkeys(filter(None, people)))

    async def _of(self, cause: _Cause) -> list[Group]:
        match cause.fanout.cause:
            case "submitted":
                return [self._queue(cause, f"{cause.title} waits for approval", cause.comment)]
            case "comment":
                return await self._talk(cause)
            case "changes_requested":
                return [self._to_authors(cause, "warning", f"Changes requested: {cause.title}", cause.comment)]
            case "scheduled":
                return [
                    self._to_authors(cause, "success", f"{cause.title} was approved for a later day", cause.comment)
                ]
            case "approved":
                said = f"Readers have version {_major(cause)} now."
                told = self._to_authors(cause, "success", f"{cause.title} was approved", cause.comment or said)
                together = bool((cause.fanout.details or {}).get("batch"))
                return [*([] if together else [told]), *self._news(cause)]
            case "released":
                return [*self._to_readers(cause), *self._news(cause)]
            case "handed_over":
                return self._handed_over(cause)
            case "expired" | "retired":
                return self._ended(cause)
            case _:
                return self._reminders(cause)

    # Reminders, and what other parts store

    def _reminders(self, cause: _Cause) -> list[Group]:
        content, details = cause.content, cause.fanout.details or {}
        owner = (content.owner_user_id, "because it is yours")
        match cause.fanout.cause:
            case kind if kind == REVIEW:
                step = int(details.get("step") or 0)
                title = f"{cause.title} is due for review" if step <= 0 else f"The review of {cause.title} is overdue"
                said = f"Due on {day_in_words(content.review_due_date)}. Say that it is still correct, or change it."
                told = [_group(cause, "owner", "my_work", "warning", title, said, cause.page, _just(owner))]
                return [*told, self._queue(cause, title, said, "warning", cause.page)] if step >= _LATE_REVIEW else told
            case kind if kind == EXPIRY:
                said = f"Its last valid day is {day_in_words(last_valid_day(content.expiry_date))}."
                title = f"{cause.title} expires soon"
                return [_group(cause, "owner", "my_work", "warning", title, said, cause.page, _just(owner))]
            case kind if kind in (MUST_READ, ASKED, REMINDED):
                return self._to_readers(cause)
            case kind if kind == REPORTED:
                title = f"{cause.title} was reported as out of date"
                said = str(details.get("text") or "")
                return [_group(cause, "owner", "my_work", "warning", title, said, cause.page, _just(owner))]
            case kind if kind == REPORT_CLOSED:
                who = str(details.get("person") or "")
                title = f"Your report on {cause.title} was answered"
                people = _just((who, "because you reported it"))
                return [
                    _group(
                        cause,
                        "reporter",
                        "my_work",
                        "success",
                        title,
                        str(details.get("answer") or ""),
                        cause.page,
                        people,
                    )
                ]
        return []

    def _to_readers(self, cause: _Cause) -> list[Group]:
        """Those who have not confirmed it: nobody before they can read it, and then those who were asked meanwhile."""
        day = cause.content.must_read_by
        if day is None or state_of(cause.content, self._kit.clock.now()) not in _READABLE:
            return []
        title = f"Please read {cause.title}"

        async def people() -> AsyncIterator[tuple[str, str]]:
            async for each in self._store.stream(schema.readers_asked(cause.content.content_id)):
                if each.open_reader == each.reader and _concerns(cause, each):
                    yield each.reader, "because you were asked to read it"

        said = f"Read it by {day_in_words(day)}."
        return [_group(cause, "readers", "must_read", "warning", title, said, cause.page, people)]

    # The two sides of an approval

    def _to_authors(self, cause: _Cause, type: Type, title: str, message: str) -> Group:
        people = _just(*((author, "because it is your work") for author in cause.authors))
        return _group(cause, "authors", "my_work", type, title, message, cause.page, people)

    def _queue(self, cause: _Cause, title: str, message: str, type: Type = "info", link: str | None = None) -> Group:
        people = self._followers(cause, "queue", QUEUE, "because you follow the approval queue")
        return _group(cause, "queue", "my_work", type, title, message, link or cause.review_page, people)

    async def _talk(self, cause: _Cause) -> list[Group]:
        """A comment: to everybody else in the talk; from its authors before anybody answered, to the queue."""
        title = f"{cause.actor} commented on {cause.title}"
        place = cause.fanout.caused_at
        rows = await self._store.page(schema.history_of(cause.content.content_id), limit=_TALK)
        spoke = ("comment", "changes_requested", "approved", "scheduled")
        others = {row.changed_by for row in rows if row.action in spoke and row.changed_at <= place}
        approvers = others - {*cause.authors, cause.fanout.caused_by}
        told = [self._to_authors(cause, "info", title, cause.comment)]
        if approvers:
            people = _just(*((each, "because you take part in the talk") for each in sorted(approvers)))
            return [*told, _group(cause, "talk", "my_work", "info", title, cause.comment, cause.review_page, people)]
        return [*told, self._queue(cause, title, cause.comment)] if cause.fanout.caused_by in cause.authors else told

    def _handed_over(self, cause: _Cause) -> list[Group]:
        moved = (cause.change.changed_fields or {}).get("owner_user_id") if cause.change else None
        if moved is None:
            return []
        new, old = (
            _just((moved.after or "", "because it is yours")),
            _just((moved.before or "", "because it was yours")),
        )
        said = cause.comment or f"{cause.actor} handed it over."
        return [
            _group(cause, "new-owner", "my_work", "warning", f"{cause.title} is yours now", said, cause.page, new),
            _group(cause, "old-owner", "my_work", "warning", f"{cause.title} was handed over", said, cause.page, old),
        ]

    # What readers hear

    def _news(self, cause: _Cause) -> list[Group]:
        """Of a release: nothing if readers have lost it again meanwhile."""
        if cause.version is None or state_of(cause.content, self._kit.clock.now()) not in _READABLE:
            return []
        major, note = cause.version.major, cause.version.change_note
        title = f"New: “{cause.version.fields.title}”" if major == 1 else f"Version {major} of {cause.title}"
        said = (note if major > 1 else None) or ""  # then whoever reads it sees the summary, if they still may
        fields = cause.version.fields
        return self._listeners(cause, "info", title, said, (fields.product_suite, fields.product_concept, fields.tags))

    def _ended(self, cause: _Cause) -> list[Group]:
        content = cause.content
        what = "has expired" if cause.fanout.cause == "expired" else "was retired"
        title = f"{cause.title} {what}"
        owner = _just((cause.owner, "because it is yours"))
        own = _group(cause, "owner", "my_work", "warning", title, cause.comment, cause.page, owner)
        product = (content.product_suite, content.product_concept, content.tags)
        since = moment_of(cause.fanout.caused_at)
        assert since is not None

        async def downloaders() -> AsyncIterator[tuple[str, str]]:
            query = schema.downloaders_of(content.content_id, timestamp(since - DOWNLOADED_WITHIN))
            async for reader in self._store.stream(query):
                if (reader.last_downloaded or "") <= cause.fanout.caused_at:
                    yield reader.person, "because you downloaded it lately"

        late = _group(cause, "downloaders", "news", "warning", title, cause.comment, cause.page, downloaders)
        return [own, *self._listeners(cause, "warning", title, cause.comment, product), late]

    def _listeners(
        self, cause: _Cause, type: Type, title: str, message: str, of: tuple[str | None, str | None, tuple[str, ...]]
    ) -> list[Group]:
        """Followers of the item, subscribers of its product and tags, followers of its owner."""

        def group(name: str, people: People) -> Group:
            return _group(cause, name, "news", type, title, message, cause.page, people)

        content = cause.content
        owner = content.owner_user_id
        item = self._followers(cause, "content", content.content_id, "because you follow it")
        person = self._followers(cause, "person", owner, "because you follow its owner")
        matching = enumerate(all_matching(*of))
        return [
            group("item", item),
            *(group(f"match-{number}", self._matches(cause, query)) for number, query in matching),
            group("person", person),
        ]

    def _matches(self, cause: _Cause, query: Query[SubscriptionMatch]) -> People:
        async def people() -> AsyncIterator[tuple[str, str]]:
            async for match in self._store.stream(query):
                if match.since <= cause.fanout.caused_at:
                    yield match.subscriber, f"because you follow {_subscribed(match)}"

        return people

    def _followers(self, cause: _Cause, kind: FollowKind, followed_id: str, why: str) -> People:
        return self._following(cause.fanout, kind, followed_id, why)

    def _following(self, fanout: Fanout, kind: FollowKind, followed_id: str, why: str) -> People:
        async def people() -> AsyncIterator[tuple[str, str]]:
            async for each in self._store.stream(schema.followers_of(kind, followed_id)):
                if not each.muted and each.since <= fanout.caused_at:
                    yield each.person, why

        return people


def _group(
    cause: _Cause, name: str, about: About, type: Type, title: str, message: str, link: str, people: People
) -> Group:
    """Nobody hears of what they did themselves; whoever hears it as their work does not hear it as news too."""
    own_work = {"approved": cause.authors, "expired": (cause.owner,), "retired": (cause.owner,)}
    unconcerned = {cause.fanout.caused_by}
    if about == "news":
        unconcerned.update(own_work.get(cause.fanout.cause, ()))

    async def others() -> AsyncIterator[tuple[str, str]]:
        async for user_id, reason in people():
            if user_id and user_id not in unconcerned:
                yield user_id, reason

    return Group(name, about, type, title, message, link, others)


def _together(fanout: Fanout, name: str, type: Type, title: str, message: str, link: str, people: People) -> Group:
    """What is told of a batch as one; nobody hears of what they did themselves."""

    async def others() -> AsyncIterator[tuple[str, str]]:
        async for user_id, reason in people():
            if user_id != fanout.caused_by:
                yield user_id, reason

    return Group(name, "my_work", type, title, message, link, others)


def _waiting(number: int) -> str:
    return "1 item waits for approval" if number == 1 else f"{number:,} items wait for approval"


def _just(*people: tuple[str, str]) -> People:
    async def named() -> AsyncIterator[tuple[str, str]]:
        for each in people:
            yield each

    return named


def _concerns(cause: _Cause, row: MustRead) -> bool:
    """Whether somebody who must read something hears of it now: asking again tells those alone who were asked with it,
    and whoever was asked after the day of a reminder began has heard of it that day."""
    if cause.fanout.cause == ASKED:
        return row.asked_at == (cause.fanout.details or {}).get("asked_at")
    if cause.fanout.cause == "released":
        return cause.version is not None and cause.version.approved_at < row.asked_at <= cause.fanout.caused_at
    return row.asked_at <= cause.fanout.caused_at


def _subscribed(match: SubscriptionMatch) -> str:
    """`Atlas · Pricing · tag discounts`, of a match."""
    suite, concept, tag = (match_name(part) for part in (match.suite, match.concept, match.tag))
    words = (suite, concept, tag and f"the tag {tag}")
    return " · ".join(filter(None, words)) or "everything"


def _major(cause: _Cause) -> int:
    return cause.version.major if cause.version is not None else cause.content.major


def job_done(person: str, title: str, link: str, message: str = "") -> dict[str, str]:
    """The details of the cause that long work has ended."""
    return {"person": person, "title": title, "link": link, "message": message}


def _job_done(fanout: Fanout) -> Group:
    """Long work has ended: to whoever started it."""
    details = fanout.details or {}
    return Group(
        "starter",
        "my_work",
        "error" if details.get("failed") else "success",
        str(details.get("title") or "Your work is done"),
        str(details.get("message") or ""),
        str(details.get("link") or "/enablement"),
        _just((str(details.get("person") or ""), "because you started it")),
    )
