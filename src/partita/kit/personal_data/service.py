"""Somebody's data: what is held, all of it as a document, and erasing it with the account."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterable

from partita.kit.accounts.former_names import formerly
from partita.kit.accounts.schema import Account, Erasure, Password, staff_accounts
from partita.kit.accounts.schema import password as password_of
from partita.kit.changes.backlog import Backlog
from partita.kit.clock import stamp
from partita.kit.jobs import Job, JobKind, Running
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import ADMIN, House, Viewer, authorize, require_confirmation
from partita.kit.personal_data.erasing import KIND, Erasing, Settle
from partita.kit.personal_data.exporting import export
from partita.kit.personal_data.holdings import Person
from partita.kit.personal_data.house import house
from partita.kit.personal_data.remains import still_kept
from partita.kit.personal_data.rooms import Room
from partita.kit.problems import Conflict, NotFound
from partita.kit.system import System
from partita.table import ChangedMeanwhileError, Check, Put, Update, Write, all_of

EXPORTING = Rule("export-data", most=10, seconds=86_400)
"""An export reads all tables."""
_SETTLING, _OVER_THE_NETWORK = 3, 60
"""Seconds between two rounds: what follows changes writes a moment later."""
_ID = re.compile("[0-9A-Za-z-]{16,64}")
"""What may be an id. Something shorter may be a word of any text."""
_log = logging.getLogger(__name__)


class PersonalData:
    """Everything that the suite holds about people."""

    def __init__(
        self,
        kit: Kit,
        systems: Iterable[System],
        *,
        settle: Settle | None = None,
        backlog: Backlog | None = None,
    ) -> None:
        """The job that erases waits until `backlog` says that no change handler is behind."""
        self._kit = kit
        self._store = kit.store
        known = tuple(systems)
        searches = [each for system in known for each in system.searches]
        self.rooms = (house(), *(_room(system) for system in known))
        self._erasing = Erasing(kit, self.rooms, searches, settle or self._settled, backlog)

    @property
    def remains(self) -> str:
        """What is still kept of whoever was erased, and for how long."""
        return still_kept(self._kit.settings)

    @property
    def kind(self) -> JobKind:
        """The job that erases."""
        return self._erasing.kind

    async def export(
        self, viewer: Viewer, user_id: str | None = None, *, link_to: Callable[[str], str] | None = None
    ) -> AsyncIterator[bytes]:
        """One document with everything about the viewer, or about somebody else for administrators. Files have links
        that end after an hour, unless something else is given."""
        require_confirmation(viewer)
        person = await self._person(viewer, user_id)
        await self._kit.limits.check(EXPORTING, person.user_id)
        _log.info("the data of an account are exported")
        theirs, others = await formerly(self._store, person.user_id)
        about = Person(person.user_id, person.username, person.name, person.email, "", theirs, others)
        return export(self._kit, self.rooms, about, stamp(self._kit.clock), link_to)

    async def erase(self, viewer: Viewer, user_id: str | None = None) -> Job:
        """Close an account at once, and begin to erase it. That cannot be undone."""
        if user_id is None or user_id == viewer.user_id:
            require_confirmation(viewer)
            wanted = (await self._kit.accounts.people.own_account(viewer)).user_id
        else:
            wanted = (await self._kit.accounts.administration.manageable(viewer, user_id)).user_id
        job = await self._store.attempt(lambda: self._close(wanted, by_administrator=wanted != viewer.user_id))
        _log.info("an account was closed and is being erased by job %s", job.job_id)
        return job

    async def erase_again(self, viewer: Viewer, user_id: str) -> Job:
        """Erase what is left of an account that is gone: of a system that was not there when it was erased, or from a
        backup. Only its id is known by now, so names that stand alone stay."""
        require_confirmation(viewer)
        authorize(viewer, House.MANAGE_USERS)
        if not _ID.fullmatch(user_id):
            raise NotFound(f"{user_id} is no id of an account.")
        if (await self._kit.accounts.people.get_many([user_id])).get(user_id) is not None:
            return await self.erase(viewer, user_id)
        wanted = Erasure(
            erasure_id=self._kit.ids.new(),
            user_id=user_id,
            username=user_id,
            name=user_id,
            stand_in=f"left-{self._kit.ids.new()}",
            systems=tuple(room.name for room in self.rooms),
            by_administrator=True,
            asked_at=stamp(self._kit.clock),
        )
        job = await self._start(wanted.erasure_id, Put(wanted).if_new())
        _log.info("what is left of an account is being erased by job %s", job.job_id)
        return job

    async def _close(self, user_id: str, *, by_administrator: bool) -> Job:
        person = await self._kit.accounts.people.get(user_id)
        if person.erasing is not None:  # taken up again, should the job have ended before it was done
            return await self._start(person.erasing)
        wanted = Erasure(
            erasure_id=self._kit.ids.new(),
            user_id=person.user_id,
            username=person.username,
            name=person.name,
            email=person.email,
            stand_in=f"left-{self._kit.ids.new()}",
            systems=tuple(room.name for room in self.rooms),
            by_administrator=by_administrator,
            asked_at=stamp(self._kit.clock),
        )
        closed = Update(
            person.own_key,
            Account.erasing.set(wanted.erasure_id),
            Account.suspended_at.set(wanted.asked_at),
            Account.generation.set(person.generation + 1),
            Account.token_generation.set(person.token_generation + 1),
        ).unless_changed(person, Account.erasing, Account.generation, Account.roles, Account.email, Account.username)
        stored = await self._store.get(password_of(user_id).consistently())
        ended = () if stored is None else (Update(stored.own_key, Password.generation.set(person.generation + 1)),)
        others = await self._another_administrator(person) if ADMIN in person.roles else ()
        writes = (closed, Put(wanted).if_new(), *ended, *others)
        return await self._start(wanted.erasure_id, *writes)

    async def _start(self, erasure_id: str, *writes: Write) -> Job:
        arguments = {"erasure": erasure_id}
        return await self._kit.jobs.start(KIND, arguments, None, key=erasure_id, beside=lambda _job: writes)

    async def _another_administrator(self, person: Account) -> tuple[Check[Account], ...]:
        """That somebody else administers the suite, at the moment in which this account is closed."""
        async for each in self._store.stream(staff_accounts()):
            if each.user_id != person.user_id and ADMIN in each.roles and not each.suspended:
                still = all_of(Account.roles.contains(ADMIN), Account.suspended_at.missing())
                return (Check(each.own_key, still).otherwise(ChangedMeanwhileError("Another administrator")),)
        raise Conflict(
            "The last administrator cannot be erased. Make somebody else an administrator first.",
            code="last_administrator",
        )

    async def _person(self, viewer: Viewer, user_id: str | None) -> Account:
        if user_id is None or user_id == viewer.user_id:
            return await self._kit.accounts.people.get(viewer.id)
        authorize(viewer, House.MANAGE_USERS)
        return await self._kit.accounts.administration.manageable(viewer, user_id)

    async def _settled(self, running: Running) -> None:
        for _ in range(_SETTLING if self._kit.settings.backend == "embedded" else _OVER_THE_NETWORK):
            running.check()
            await asyncio.sleep(1.0)


def _room(system: System) -> Room:
    return Room(system.name, system.title, system.tables, system.personal_data)
