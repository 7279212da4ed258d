"""Curators: members apply, moderators decide; suspending hides a curator's lists, and approval brings them back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ApplicationInput
from partita.apps.worthwatch.schema import Application, Curating, User, Watchlist
from partita.apps.worthwatch.service.lists import Lists, seen_by_everybody
from partita.apps.worthwatch.service.people import People, no_such_person
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find, follow_page
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Forbidden, Invalid, NotFound
from partita.table import ChangedMeanwhileError, Page, Put, Transaction, Update, Write

AGAIN_AFTER = timedelta(days=30)
"""How long somebody waits after their application was declined."""

Decision: TypeAlias = Literal["approved", "declined", "suspended"]


class AlreadyApplied(Conflict):
    """The application waits."""

    code = "already_applied"

    def __init__(self) -> None:
        super().__init__("Your application waits for a decision. You will get a mail.")


class AlreadyCurator(Conflict):
    """They may publish."""

    code = "already_curator"

    def __init__(self) -> None:
        super().__init__("You are a curator already: publish your lists.")


class TooEarly(Conflict):
    """The last application was declined a short time ago."""

    code = "too_early"

    def __init__(self, day: str) -> None:
        super().__init__(f"Your last application was declined. You can apply again from {day}.")
        self.day = day


class NothingToDecide(Conflict):
    """They are not in a state that this decision follows."""

    code = "nothing_to_decide"


@dataclass(frozen=True, slots=True)
class Applicant:
    """Somebody who waits for a decision, and what they wrote."""

    user: User
    application: Application


@dataclass(frozen=True, slots=True)
class CuratorWithNewest:
    """A curator and the newest of their live lists."""

    curator: User
    newest: Watchlist | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How far somebody is on the way to being a curator."""

    user: User | None
    application: Application | None
    """The last one."""
    again_on: str | None = None
    """The day from which they can apply again, if that is not today."""

    @property
    def may_apply(self) -> bool:
        return (self.user is None or self.user.curator_status is None) and self.again_on is None


class Curators:
    """Who may publish. `isCurator` is true exactly while `curatorStatus` is `approved`."""

    def __init__(self, kit: Kit, people: People, lists: Lists) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._lists = lists

    # -- reading

    async def curator(self, user_id: str) -> User:
        """A curator as everybody sees them; somebody who is not approved is none."""
        user = await self._people.find(user_id)
        if user is None or not user.approved:
            raise no_such_curator()
        return user

    async def visible_person(self, user_id: str) -> User:
        """Somebody as everybody sees them; a suspended curator is not there."""
        user = await self._people.person(user_id)
        if user.curator_status == "suspended":
            raise no_such_person()
        return user

    async def approved(self, *, limit: int = 24, cursor: str | None = None) -> Page[CuratorWithNewest]:
        """Curators with their newest lists, those with the oldest profiles first."""

        async def follow(users: Sequence[User]) -> list[CuratorWithNewest]:
            newest = await self._newest_lists(users)
            return [CuratorWithNewest(user, newest.get(user.user_id)) for user in users]

        return await follow_page(self._store, schema.curators("approved"), follow, limit=limit, after=cursor)

    async def with_status(self, status: Curating, *, limit: int = 20, cursor: str | None = None) -> Page[User]:
        """People with a status, for moderators."""
        return await self._store.page(schema.curators(status), limit=limit, after=cursor)

    async def waiting(self, *, limit: int = 20, cursor: str | None = None) -> Page[Applicant]:
        """Applications that wait, oldest first."""

        async def follow(applications: Sequence[Application]) -> list[Applicant]:
            users = await self._people.by_id(each.user_id for each in applications)
            return [Applicant(users[each.user_id], each) for each in applications if each.user_id in users]

        return await follow_page(self._store, schema.open_applications(), follow, limit=limit, after=cursor)

    async def count_waiting(self, most: int) -> int:
        """How many applications wait, up to `most`."""
        return len((await self._store.page(schema.open_applications(), limit=most)).items)

    async def standing(self, viewer: Viewer) -> Standing:
        """How far the viewer is."""
        user = await self._people.mine(viewer)
        if user is None:
            return Standing(None, None)
        application = await self._last(user.user_id)
        return Standing(user, application, self._again_on(user, application))

    async def applicant(self, user_id: str) -> Applicant:
        """Somebody's last application, for moderators."""
        user = await self._people.person(user_id)
        application = await self._last(user_id)
        if application is None:
            raise NotFound("This person has not applied.")
        return Applicant(user, application)

    async def sample(self, applicant: Applicant) -> Watchlist | None:
        """The list that an applicant shows to whoever decides, though it may be private; None if it is gone."""
        sample_id = applicant.application.sample_list
        watchlist = None if sample_id is None else await find(self._store, schema.watchlist, sample_id)
        return watchlist if watchlist is not None and watchlist.curator_id == applicant.user.user_id else None

    # -- applying

    async def apply(self, viewer: Viewer, wanted: ApplicationInput) -> Application:
        """Apply as a curator."""
        if wanted.sample_list is not None:
            await self._check_sample(viewer, wanted.sample_list)

        async def attempt() -> Application:
            user = await self._people.me(viewer)
            self._refuse_early(user, await self._last(user.user_id))
            now = stamp(self._kit.clock)
            application = Application(
                user_id=viewer.id,
                applied_at=now,
                statement=wanted.statement,
                links=wanted.links,
                sample_list=wanted.sample_list,
            )
            pending = Update(
                user.own_key,
                User.curator_status.set("pending"),
                User.is_curator.set(False),
                User.updated_at.set(now),
                User.updated_by.set(viewer.id),
            )
            # Whoever was declined meanwhile has another `updatedAt`, and is asked to wait.
            same = pending.unless_changed(user, User.curator_status, User.updated_at)
            await self._store.transact(Transaction(same, Put(application).if_new().otherwise(_changed)))
            return application

        return await self._store.attempt(attempt)

    # -- deciding

    async def approve(self, viewer: Viewer, user_id: str, reason: str) -> User:
        """Let somebody publish: an applicant, or a suspended curator, whose lists return."""
        return await self._decide(viewer, user_id, "approved", reason, ("pending", "suspended"))

    async def decline(self, viewer: Viewer, user_id: str, reason: str) -> User:
        """Turn an application down; they can apply again after thirty days."""
        return await self._decide(viewer, user_id, "declined", reason, ("pending",))

    async def suspend(self, viewer: Viewer, user_id: str, reason: str) -> User:
        """Hide a curator and all their lists, without deleting any."""
        return await self._decide(viewer, user_id, "suspended", reason, ("approved",))

    async def _decide(
        self, viewer: Viewer, user_id: str, decision: Decision, reason: str, after: tuple[Curating, ...]
    ) -> User:
        async def attempt() -> User:
            user = await self._people.person(user_id)
            last = await self._last(user_id)
            if _status(user, last) not in after:
                raise NothingToDecide(_NOT_NOW[decision])
            now = stamp(self._kit.clock)
            status: Curating | None = None if decision == "declined" else decision
            decided = user.with_(
                User.curator_status(status),
                User.is_curator(status == "approved"),
                User.updated_at(now),
                User.updated_by(viewer.id),
            )
            own = Update(
                user.own_key,
                User.curator_status.remove() if status is None else User.curator_status.set(status),
                User.is_curator.set(decided.is_curator),
                User.updated_at.set(now),
                User.updated_by.set(viewer.id),
            ).unless_changed(user, User.curator_status)
            kept = self._keep(last, user_id, decision, reason, viewer.id, now)
            await self._store.transact(Transaction(own, kept))
            return decided

        return await self._store.attempt(attempt)

    @staticmethod
    def _keep(
        application: Application | None, user_id: str, decision: Decision, reason: str, by: str, now: str
    ) -> Write:
        """The decision, in the last application; a curator of another program has none, and gets one to keep it in."""
        if application is None:
            made = Application(
                user_id=user_id,
                applied_at=now,
                statement="",
                decision=decision,
                reason=reason,
                decided_by=by,
                decided_at=now,
            )
            return Put(made).if_new().otherwise(_changed)
        return Update(
            application.own_key,
            Application.decision.set(decision),
            Application.reason.set(reason),
            Application.decided_by.set(by),
            Application.decided_at.set(now),
        ).unless_changed(application, Application.decision, Application.decided_at)

    # -- what follows a decision

    async def follow_status(self, user_id: str) -> None:
        """Hide the lists of a suspended curator, or bring back those of one who is approved again. It looks again at
        the end: if another decision came meanwhile, that one is followed as well."""
        acted_on: Curating | None = None
        while True:
            user = await self._people.find(user_id)
            if user is None or user.curator_status == acted_on:
                return
            acted_on = user.curator_status
            if acted_on == "approved":
                # GSI2 may be late with `hidden`, so every public list is asked.
                async for each in self._store.stream(schema.watchlists_of(user_id)):
                    if each.is_public:
                        await self._lists.set_hidden(each.watchlist_id, False)
            else:
                async for pointer in self._store.stream(schema.live_lists_of(user_id).consistently()):
                    await self._lists.set_hidden(pointer.watchlist_id, True)

    # -- rules

    async def _last(self, user_id: str) -> Application | None:
        return await self._store.first(schema.applications_of(user_id).consistently())

    def _refuse_early(self, user: User, last: Application | None) -> None:
        if user.curator_status == "pending":
            raise AlreadyApplied
        if user.curator_status == "approved":
            raise AlreadyCurator
        if _status(user, last) == "suspended":
            raise Forbidden("You are suspended as a curator. Answer the mail that told you so.", code="suspended")
        if (day := self._again_on(user, last)) is not None:
            raise TooEarly(day)

    def _again_on(self, user: User, last: Application | None) -> str | None:
        if user.curator_status is not None or last is None or last.decision != "declined" or not last.decided_at:
            return None
        decided = datetime.fromisoformat(last.decided_at)
        again = (decided if decided.tzinfo else decided.replace(tzinfo=UTC)) + AGAIN_AFTER
        return again.date().isoformat() if again > self._kit.clock.now() else None

    async def _check_sample(self, viewer: Viewer, watchlist_id: str) -> None:
        try:
            await self._lists.own(viewer, watchlist_id)
        except NotFound:
            raise Invalid(FieldError("sampleList", "This is none of your lists. Choose another.")) from None

    async def _newest_lists(self, users: Sequence[User]) -> dict[str, Watchlist]:
        """The newest live list of each, as far as everybody may see it: one short query each, and one batch."""
        with_lists = [user for user in users if user.live_list_count]
        pages = await asyncio.gather(
            *(self._store.page(schema.live_lists_of(user.user_id), limit=1) for user in with_lists)
        )
        lists = await self._lists.by_id(pointer.watchlist_id for page in pages for pointer in page)
        by_id = {user.user_id: user for user in with_lists}
        return {
            each.curator_id: each
            for each in lists.values()
            if each.curator_id in by_id and each.live and seen_by_everybody(each, by_id[each.curator_id])
        }


def _status(user: User, last: Application | None) -> Curating | None:
    """What somebody is as a curator. Whoever left while they were suspended is so still when they come back."""
    was_suspended = last is not None and last.decision == "suspended"
    return "suspended" if user.curator_status is None and was_suspended else user.curator_status


def no_such_curator() -> NotFound:
    return NotFound("There is no such curator.")


_NOT_NOW: dict[Decision, str] = {
    "approved": "This person has not applied, or is a curator already.",
    "declined": "No application of this person waits for a decision.",
    "suspended": "This person is no curator, so there is nothing to suspend.",
}


def _changed(there: object) -> Exception:
    return ChangedMeanwhileError("The application", there)
