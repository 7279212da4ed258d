"""Erasing somebody: table after table, item after item, until nothing is left; killed, it goes on where it was.

A change handler that is behind has the person in the changes before it, and would write of them again. So every round
begins when all handlers have passed what was written before. Others delete what the account alone named, such as its
picture: so the job ends when they have passed its end too.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from partita.dynamo.errors import ConditionalCheckFailedError, TransactionCanceledError
from partita.dynamo.values import Item as Row
from partita.kit.accounts.former_names import formerly
from partita.kit.accounts.mails import account_erased
from partita.kit.accounts.schema import EMAIL, USERNAME, Account, Erasure, account, erasure, former_names
from partita.kit.backup.taking import clear_left_behind
from partita.kit.changes.backlog import Backlog, Ends
from partita.kit.jobs import Arguments, JobFailed, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.mail import Message
from partita.kit.personal_data.holdings import Holding, Person
from partita.kit.personal_data.house import LAST
from partita.kit.personal_data.matching import mentions, unnamed
from partita.kit.personal_data.rooms import Room, tables_of
from partita.kit.personal_data.rows import (
    WholeRows,
    delete_row,
    holding_of,
    key_of,
    replace_row,
    row_now,
    some_rows,
)
from partita.kit.search import Catalog
from partita.kit.table_copies import clear_copies
from partita.table import Delete, ForeignItemError, Item, LostValueError, Put, Table, Transaction

KIND = "house.erase"
_ROUNDS = 20
_FEWEST_ROUNDS = 2
"""Streams may tell of a change a moment later; until then nobody is known to be behind."""
_WAITS = 2
"""What handlers wrote on their way has handlers of its own."""
_LOOK = 0.5
"""Seconds between two looks at where handlers are."""
_TRIES = 5
_log = logging.getLogger(__name__)

Settle = Callable[[Running], Awaitable[None]]


@dataclass(slots=True)
class Progress:
    """How far it is. The place is a key, which may name somebody: so it is not stored as it is."""

    round: int = 1
    table: int = 0
    after: str | None = None
    changed: int = 0
    """In this round."""
    removed: int = 0
    unnamed: int = 0
    ends: Ends | None = None
    """What handlers have to pass before this round."""
    waits: int = 0
    """How often they have done so."""


class Erasing:
    """The job."""

    def __init__(
        self,
        kit: Kit,
        rooms: Sequence[Room],
        searches: Sequence[Catalog[Any]],
        settle: Settle,
        backlog: Backlog | None,
    ) -> None:
        self._kit = kit
        self._store = kit.store
        self._queue = kit.notifications.queue
        self._tables = tuple(tables_of(rooms))
        self._searches = searches
        self._settle = settle
        self._backlog = backlog

    @property
    def kind(self) -> JobKind:
        """Erasing takes as long as reading all tables: it is tried for days."""
        return JobKind(KIND, "Erase an account", self._run, retries=100, seconds=86_400.0, kept_days=1)

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        wanted = await find(self._store, erasure, arguments["erasure"])
        if wanted is None:
            return await self._followed(running)
        if lacking := sorted(set(wanted.systems) - {room.name for room, _ in self._tables}):
            raise LookupError(
                f"This process lacks {', '.join(lacking)}, whose data are to be erased too; another may not"
            )
        await asyncio.to_thread(clear_left_behind, self._kit.settings.data)
        await asyncio.to_thread(clear_copies, self._kit.settings.data)
        progress = Progress(**running.saved) if running.saved else Progress()
        person, rows = await self._person(wanted), WholeRows(self._store)
        while True:
            await self._wait_for_handlers(running, progress)
            await self._round(running, person, progress, rows)
            if not progress.changed and progress.round >= _FEWEST_ROUNDS:
                break
            if progress.round == _ROUNDS:
                raise JobFailed("Something writes about this person again and again. Look at the log, then try again.")
            await self._settle(running)
            now = await self._person(wanted)
            if now != person:  # a system has removed a profile, and told which name it had
                person, rows = now, WholeRows(self._store)
            progress.round, progress.table, progress.after, progress.changed = progress.round + 1, 0, None, 0
            progress.waits = 0
            await running.checkpoint(asdict(progress))
        for catalog in self._searches:
            await self._kit.search.forget(catalog, person.user_id)
        await running.checkpoint(asdict(Progress()))  # whoever goes on after the end waits for handlers from the start
        await self._finish(wanted)
        _log.info("an account was erased: %d items removed, %d left without a name", progress.removed, progress.unnamed)
        return await self._followed(running)

    async def _followed(self, running: Running) -> Result:
        """The account is gone, and all that follows from it has been done."""
        await self._wait_for_handlers(running, Progress(**running.saved) if running.saved else Progress())
        await running.checkpoint(None)
        return Result("The account is erased.")

    async def _wait_for_handlers(self, running: Running, progress: Progress) -> None:
        """Until all have handled what was written before, and what they wrote on the way."""
        while self._backlog is not None and progress.waits < _WAITS:
            if progress.ends is None:
                progress.ends = await self._backlog.ends()
                await running.checkpoint(asdict(progress))
            while behind := await self._backlog.behind(progress.ends):
                await running.progress(f"Waiting for {len(behind)} change handlers, such as {behind[0]}")
                await asyncio.sleep(_LOOK)
            progress.ends, progress.waits = None, progress.waits + 1
            await running.checkpoint(asdict(progress))

    async def _round(self, running: Running, person: Person, progress: Progress, rows: WholeRows) -> None:
        """Once through all tables; what must go after others waits for a round in which nothing else was left."""
        while progress.table < len(self._tables):
            room, table = self._tables[progress.table]
            step = f"{room.title}, round {progress.round}"
            await running.progress(step, done=progress.table, total=len(self._tables))
            page = await some_rows(self._store, table, _place(progress.after))
            for row in page.rows:
                running.check()
                await self._row(table, room.of(table), row, person, progress, rows)
            progress.after = _stored(page.after)
            if page.after is None:
                progress.table += 1
            await running.checkpoint(asdict(progress))

    async def _row(
        self,
        table: Table,
        holdings: Sequence[Holding],
        row: Row,
        person: Person,
        progress: Progress,
        rows: WholeRows,
    ) -> None:
        holding = holding_of(row, holdings)
        if holding is not None and issubclass(holding.item_type, LAST):
            return
        found = await rows.about(table, row, person)
        if found is None or not await self._concerns(holding, found, person):
            return
        for _ in range(_TRIES):
            now = await row_now(self._store, table, key_of(table, row))
            whole = None if now is None else await rows.whole(table, now)
            if now is None or whole is None or not await self._concerns(holding, whole, person):
                return
            try:
                await self._apply(table, holding, now, whole, person, progress)
                return
            except (ConditionalCheckFailedError, TransactionCanceledError):
                continue  # somebody was faster: look again
        progress.changed += 1  # the next round tries again

    async def _concerns(self, holding: Holding | None, row: Row, person: Person) -> bool:
        item = await self._read(holding, row)
        own = holding is not None and item is not None and holding.belongs_to(item, person)
        if holding is not None and item is not None and await holding.fate_of(item, person) == "stays":
            return False
        return own or mentions(row, person, holding)

    async def _apply(
        self, table: Table, holding: Holding | None, row: Row, whole: Row, person: Person, progress: Progress
    ) -> None:
        item = await self._read(holding, whole)
        fate = "unnamed" if holding is None or item is None else await holding.fate_of(item, person)
        if fate == "stays":
            return  # since a moment ago
        if fate == "unnamed" or holding is None or item is None:
            own = holding is not None and item is not None and holding.belongs_to(item, person)
            kind = None if holding is None else holding.item_type
            after = unnamed(whole, person, holding, own=own)
            await replace_row(self._store, table, row, whole, after, kind)
            progress.unnamed += 1
        elif holding.after_others and (progress.changed or progress.round == 1):
            pass  # there may be others yet
        elif holding.remove is not None:
            await holding.remove(item, person)
            progress.removed += 1
        else:
            await delete_row(self._store, table, row)
            progress.removed += 1
        progress.changed += 1

    async def _read(self, holding: Holding | None, row: Row) -> Item | None:
        if holding is None:
            return None
        try:
            return await self._store.read(holding.item_type, row)
        except (ForeignItemError, LostValueError):  # what cannot be read has no rules: the id goes out of it
            return None

    async def _person(self, wanted: Erasure) -> Person:
        """Whom it is about, with what they were called before."""
        theirs, others = await formerly(self._store, wanted.user_id)
        return Person(wanted.user_id, wanted.username, wanted.name, wanted.email, wanted.stand_in, theirs, others)

    async def _finish(self, wanted: Erasure) -> None:
        """Former names, which nothing has any more; then the account itself, its guards and the word that it is being
        erased, together, so once. With them the mail is written down that tells of it: the last thing to hold the
        address."""
        async for name in self._store.stream(former_names(wanted.user_id)):
            await self._store.write(Delete(name.own_key))
        person = await self._store.get(account(wanted.user_id).consistently())
        gone: list[Any] = [Delete(wanted.own_key)]
        if person is not None:
            mine = Delete(person.own_key).when(Account.erasing.equals(wanted.erasure_id))
            gone += [mine, *EMAIL.release(person), *USERNAME.release(person)]
        last = self._last_mail(wanted)
        if last is not None:
            gone.append(Put(self._queue.entry(last)))
        await self._store.transact(Transaction(*gone))
        if last is not None:
            self._queue.send_soon(last.id)

    def _last_mail(self, wanted: Erasure) -> Message | None:
        if wanted.email is None:  # nobody has confirmed one
            return None
        base_url, mail_id = self._kit.settings.base_url, f"erased-{wanted.erasure_id}"
        return account_erased(wanted.email, by_administrator=wanted.by_administrator, base_url=base_url, id=mail_id)


def _stored(after: Row | None) -> str | None:
    return None if after is None else base64.b64encode(orjson.dumps(after)).decode()


def _place(stored: str | None) -> Row | None:
    place: Row | None = None if stored is None else orjson.loads(base64.b64decode(stored))
    return place
