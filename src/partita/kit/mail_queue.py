"""The mail queue: a mail is written down with its cause, claimed, sent and marked as sent.

A mail is in the queue once, because its id is made of its cause. It is claimed by one process at a time; a claim is
over when another process has watched it for so long by its own count of seconds, whatever the clocks say. What SMTP
cannot promise: if a process dies between the server's answer and the mark, nobody can know whether the mail went out.
Such a mail is tried once more, with the same Message-ID, and then given up.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Literal

from partita.dynamo.errors import DynamoError
from partita.kit.clock import Clock
from partita.kit.leases import LONG_AGO, Watch
from partita.kit.mail import Mail, MaybeDelivered, Message, NotDelivered, Undeliverable
from partita.kit.schema import QueuedMail, due_mail, queued_mail
from partita.store.store import AsyncStore
from partita.table import Condition, Delete, Put, Update, all_of
from partita.table.types import timestamp

CLAIM = timedelta(minutes=5)
"""How long others watch a process that sends a mail before they think it dead; connections give up much earlier."""
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480, 1440))
"""How long a refused mail waits before each further try; then it has failed."""
UNANSWERED = 2
"""How many tries may end without an answer: one, and one retry."""
KEPT = timedelta(days=90)
"""How long the queue remembers that a mail was sent."""
_AT_ONCE = 8
_MOST = 500
_log = logging.getLogger(__name__)


class MailQueue:
    """Mail that goes out once, as far as SMTP allows."""

    def __init__(
        self, store: AsyncStore, mail: Mail, clock: Clock, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._mail = mail
        self._clock = clock
        self._watch = Watch(CLAIM.total_seconds(), clock, monotonic)
        self._sending: set[asyncio.Task[bool]] = set()

    async def add(self, message: Message) -> bool:
        """Write a mail down, once for its id, and begin to send it in the background; whether it was new."""
        try:
            await self._store.write(Put(self.entry(message)).if_new().otherwise(_Queued()))
        except _Queued:
            return False  # whoever queued it sends it, or `send_waiting` does
        self.send_soon(message.id)
        return True

    def entry(self, message: Message) -> QueuedMail:
        """A mail as it is written down, for a transaction together with its cause; `send_soon` then sends it."""
        if not message.id:
            raise ValueError("A queued mail needs an id that is made of its cause: retries would send it again")
        if message.attachments:
            raise ValueError("Queued mail has no attachments: link to the file, or send the mail at once")
        now = self._clock.now()
        return QueuedMail(
            mail_id=message.id,
            to=message.to,
            subject=message.subject,
            text=message.text,
            html=message.html,
            unsubscribe=message.unsubscribe,
            due_at=timestamp(now),
            queued_at=timestamp(now),
            expires_at=int((now + KEPT).timestamp()),
            leaves_no_trace=message.leaves_no_trace,
        )

    def send_soon(self, mail_id: str) -> None:
        """Begin to send a mail that was written down, in the background."""
        task = asyncio.create_task(self._deliver_quietly(mail_id))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def knows(self, mail_id: str) -> bool:
        """Whether a mail was queued, sent or not."""
        return await self._store.get(queued_mail(mail_id).consistently()) is not None

    async def send_waiting(self) -> int:
        """Send what is due: refused before, or left behind by a process that died; how many were sent."""
        now = self._clock.now()
        # Claims are looked at from their beginning, so that one of a process that died is over in time. Its clock may
        # have been ahead.
        page = await self._store.page(due_mail(timestamp(now + CLAIM + LONG_AGO)), limit=_MOST)
        self._watch.forget_all_but(each.mail_id for each in page)
        turns = asyncio.Semaphore(_AT_ONCE)

        async def one(mail_id: str) -> bool:
            async with turns:
                return await self.deliver(mail_id)

        return sum(await asyncio.gather(*(one(each.mail_id) for each in page if self._may_be_due(each))))

    async def deliver(self, mail_id: str) -> bool:
        """Send one mail if it is due and nobody else is at it; whether it was sent now."""
        claimed = await self._claim(mail_id)
        if claimed is None:
            return False
        message = Message(
            to=claimed.to,
            subject=claimed.subject,
            text=claimed.text,
            html=claimed.html,
            id=mail_id,
            unsubscribe=claimed.unsubscribe,
            leaves_no_trace=claimed.leaves_no_trace,
        )
        try:
            await self._mail.send(message)
        except Undeliverable as refused:
            await self._give_up(claimed, _told("refused", claimed, refused))
        except MaybeDelivered as unknown:
            await self._again_or_give_up(claimed, _told("no answer", claimed, unknown), unanswered=True)
        except NotDelivered as failed:
            await self._again_or_give_up(claimed, _told("not sent", claimed, failed))
        else:
            await self._finish(claimed, "sent")
            return True
        return False

    async def finish(self) -> None:
        """Wait for mail that is being sent."""
        while self._sending:
            await asyncio.gather(*self._sending)

    async def _deliver_quietly(self, mail_id: str) -> bool:
        """In the background nobody hears of an error; the mail stays in the queue."""
        try:
            return await self.deliver(mail_id)
        except DynamoError as error:
            _log.warning("mail %s is still queued: %s", mail_id, error)
        except Exception:
            _log.exception("mail %s is still queued", mail_id)
        return False

    async def _claim(self, mail_id: str) -> QueuedMail | None:
        """The mail, claimed; None if it is not due, or somebody else's. A claim that ended without a result counts as a
        try without an answer."""
        key = QueuedMail.key(QueuedMail.mail_id(mail_id))
        found = await self._store.get(queued_mail(mail_id).consistently())
        now = self._clock.now()
        if found is None or not self._may_be_due(found) or not self._is_free(found):
            return None
        unanswered = found.unanswered + (found.state == "claimed")
        if unanswered >= UNANSWERED:
            await self._give_up(found, "two processes ended while they sent it; it may have gone out")
            return None
        claim = Update(
            key,
            QueuedMail.state.set("claimed"),
            QueuedMail.due_at.set(timestamp(now + CLAIM)),
            QueuedMail.tries.set(found.tries + 1),
            QueuedMail.unanswered.set(unanswered),
        )
        with suppress(_Taken):
            return await self._store.update(claim.when(_unchanged(found)).otherwise(_Taken()))
        return None

    def _may_be_due(self, found: QueuedMail) -> bool:
        """What nobody has tried is due at once, whatever the clock of whoever queued it said."""
        if found.state != "waiting":
            return found.state == "claimed"
        return found.due_at <= timestamp(self._clock.now()) or found.due_at == found.queued_at

    def _is_free(self, found: QueuedMail) -> bool:
        """Whether nobody sends it, as far as can be known without a look at another machine's clock."""
        sign = found.tries, found.due_at
        return found.state == "waiting" or self._watch.is_over(found.mail_id, sign, found.due_at)

    async def _again_or_give_up(self, claimed: QueuedMail, error: str, *, unanswered: bool = False) -> None:
        times = claimed.unanswered + unanswered
        if claimed.tries > len(PAUSES) or times >= UNANSWERED:
            await self._give_up(claimed, error)
            return
        later = Update(
            claimed.own_key,
            QueuedMail.state.set("waiting"),
            QueuedMail.due_at.set(timestamp(self._clock.now() + PAUSES[claimed.tries - 1])),
            QueuedMail.unanswered.set(times),
            QueuedMail.error.set(error[:500]),
        )
        with suppress(_Taken):
            await self._store.write(later.when(_unchanged(claimed)).otherwise(_Taken()))

    async def _give_up(self, found: QueuedMail, error: str) -> None:
        # Whom it was for, and what the server said of them, is in the item, which ends; a log is kept by others.
        _log.error("mail %s is given up after %d tries: %s", found.mail_id, found.tries, error.partition(":")[0])
        await self._finish(found, "failed", error)

    async def _finish(self, found: QueuedMail, state: Literal["sent", "failed"], error: str = "") -> None:
        """Note the result, and forget the text: links in it are secrets."""
        if found.leaves_no_trace:
            with suppress(_Taken):
                gone = Delete(found.own_key).when(_unchanged(found))
                await self._store.write(gone.otherwise(_Taken()))
            return
        done = Update(
            found.own_key,
            QueuedMail.state.set(state),
            QueuedMail.error.set(error[:500]),
            QueuedMail.text.set(""),
            QueuedMail.html.set(""),
            QueuedMail.unsubscribe.set(""),
        )
        with suppress(_Taken):
            await self._store.write(done.when(_unchanged(found)).otherwise(_Taken()))


def _told(what: str, claimed: QueuedMail, error: NotDelivered) -> str:
    """What became of a try; the server's own words repeat the address."""
    return what if claimed.leaves_no_trace else f"{what}: {error.__cause__ or error}"


def _unchanged(found: QueuedMail) -> Condition[QueuedMail]:
    return all_of(QueuedMail.state.equals(found.state), QueuedMail.due_at.equals(found.due_at))


class _Queued(Exception):
    """This mail is in the queue."""


class _Taken(Exception):
    """Another process has the mail."""
