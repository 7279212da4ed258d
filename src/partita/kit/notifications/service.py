"""Notifications: telling people, what they have to read, and their mail."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from partita.kit import cursors
from partita.kit.accounts import Accounts
from partita.kit.clock import Clock
from partita.kit.keys import signing_keys
from partita.kit.limits import Limits, Rule
from partita.kit.mail import Mail, Message
from partita.kit.mail_queue import MailQueue
from partita.kit.notifications.digest_mail import DigestMail
from partita.kit.notifications.digests import Digests
from partita.kit.notifications.house import HouseStore
from partita.kit.notifications.kinds import Channels, Kind, Words
from partita.kit.notifications.letters import Line, letter
from partita.kit.notifications.preferences import SETTINGS_PATH, Preferences, Subscription
from partita.kit.notifications.registry import (
    DIGEST_PREFIX,
    Registry,
    digest_label,
    digest_of,
    looked_up,
    may_hear,
    safe_words,
)
from partita.kit.notifications.stores import (
    KEPT_DAYS,
    Entry,
    Notification,
    NotificationStore,
    Position,
    digest,
    moment,
)
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound, TooMany
from partita.kit.settings import Settings
from partita.store.store import AsyncStore
from partita.table import CursorKeys, InvalidCursorError, Page

TO_ADDRESS = Rule("mail-to-address", most=20, seconds=86_400)
"""How many mails an address without an account gets in a day: anybody can type it."""
LATE = timedelta(days=2)
"""Mail about something older is not sent: change streams keep a day, so it comes from an import or a replay."""
_log = logging.getLogger(__name__)
_GONE = Words("You no longer have access to this.")


@dataclass(frozen=True, slots=True)
class Told:
    """A notification as somebody reads it."""

    store: str
    entry: Entry
    words: Words
    link: str
    """Empty if there is nowhere to go, or the viewer may no longer go there."""


@dataclass(frozen=True, slots=True)
class InMail:
    """What only whoever reads an address may know, and not whoever has given it for an account: a private link."""

    address: str
    data: Mapping[str, Any]
    link: str


class Notifications:
    """Everything that can be done with notifications."""

    def __init__(self, store: AsyncStore, *, clock: Clock, settings: Settings, accounts: Accounts, mail: Mail) -> None:
        self._clock = clock
        self._base_url = settings.base_url
        self._accounts = accounts
        self._limits = Limits(store, clock)
        self._cursors = CursorKeys(*signing_keys(settings, "notifications"))
        self._registry = Registry(HouseStore(store, clock))
        self.preferences = Preferences(store, clock, signing_keys(settings, "unsubscribe"), settings.base_url)
        self.queue = MailQueue(store, mail, clock)
        self._digests = Digests(store, hour=settings.digest_hour)
        self._digest_mail = DigestMail(self._registry, accounts, self.preferences, self.queue, settings.base_url)

    def use(self, kinds: Iterable[Kind], stores: Iterable[NotificationStore] = ()) -> None:
        """Set which kinds there are, and whose tables hold them beside the house's: to be called once the systems are
        built, which need notifications themselves."""
        self._registry.use(kinds, stores)

    # -- telling

    async def tell(
        self,
        user_id: str,
        kind: Kind,
        *,
        cause: str,
        at: str,
        data: Mapping[str, Any],
        link: str = "",
        group: str = "",
        in_mail: InMail | None = None,
    ) -> None:
        """Tell somebody of something, as they have chosen to hear of it. `cause` and `at` are the cause's own, so that
        this may run any number of times, at once or after a crash, and tells once."""
        kind = self._registry.kinds[kind.name]  # one that no system brings is a mistake
        told = Notification(user_id, kind.name, cause, at, data, link, group)
        if self._clock.now() - moment(told.at) >= timedelta(days=KEPT_DAYS):
            return
        person = await self._accounts.people.find(user_id)
        if person is None or not await may_hear(self._accounts, person, kind):
            return
        channels = (await self.preferences.channels(user_id, {kind.name: kind}))[kind.name]
        alone = await self._registry.stores[kind.store].add(told) if channels.suite else True
        if person.email is None or self._is_late(told.at):
            return
        if channels.mail == "once" and kind.gathers:
            await self._digests.add("soon", told, in_suite=channels.suite)
        elif channels.mail in ("daily", "weekly"):
            await self._digests.add(channels.mail, told, in_suite=channels.suite)
        elif channels.mail == "once" and alone:  # what was merged into an unread one has had its mail
            said = in_mail if in_mail is not None and in_mail.address == person.email else InMail("", data, link)
            (now,) = await looked_up({kind.name: kind}, [(kind.name, said.data)])
            if now is None:
                return  # hidden meanwhile
            words = kind.words(now, 1)
            unsubscribe = self.preferences.link_for_user(user_id, kind.name)
            written = letter(
                words.title,
                [Line(words, self._url(now.get("link", said.link)))],
                name=person.name,
                why=kind.why,
                unsubscribe=unsubscribe,
                settings=self._url(SETTINGS_PATH),
            )
            mail_id = digest("mail", user_id, kind.name, cause)
            await self.queue.add(
                Message(person.email, written.subject, written.text, written.html, mail_id, unsubscribe)
            )

    async def tell_address(
        self, address: str, kind: Kind, *, cause: str, at: str, data: Mapping[str, Any], link: str = "", name: str = ""
    ) -> None:
        """Send a mail to somebody who has no account, unless they have ended mail of this kind; once for its cause."""
        kind = self._registry.kinds[kind.name]
        if not kind.by_address:
            raise ValueError(f"{kind.name} goes to people with an account; say by_address=True if to others too")
        mail_id = digest("address", address.strip().lower(), kind.name, cause)
        if self._is_late(at) or await self.queue.knows(mail_id):
            return
        if not await self.preferences.wants_mail(address, kind.name):
            return
        try:
            await self._limits.check(TO_ADDRESS, address.strip().lower())
        except TooMany:  # whoever types somebody else's address must not fill their mailbox
            # Without the cause, whose id may be a secret: that of a submission is its private link.
            _log.warning("a mail of kind %s is not sent: too many mails to one address today", kind.name)
            return
        words = kind.words(data, 1)
        unsubscribe = self.preferences.link_for_address(address, kind.name)
        written = letter(words.title, [Line(words, self._url(link))], name=name, why=kind.why, unsubscribe=unsubscribe)
        await self.queue.add(Message(address, written.subject, written.text, written.html, mail_id, unsubscribe))

    # -- reading

    async def unread_count(self, user_id: str) -> int:
        """How many somebody has not read, in all stores together."""
        return sum(await asyncio.gather(*(each.unread_count(user_id) for each in self._registry.stores.values())))

    async def page(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Told]:
        """The viewer's notifications of all stores, newest first."""
        name = ["notifications", viewer.id]
        before = None
        if cursor is not None:
            place = cursors.unseal(self._cursors, name, cursor)
            if not isinstance(place, list) or len(place) != 2:
                raise InvalidCursorError("of another list")
            before = Position(*place)
        parts = await asyncio.gather(
            *(each.page(viewer.id, limit=limit + 1, before=before) for each in self._registry.stores.values())
        )
        everything = [
            (store, entry) for store, part in zip(self._registry.stores, parts, strict=True) for entry in part
        ]
        everything.sort(key=lambda pair: pair[1].position, reverse=True)
        shown = everything[:limit]
        last = shown[-1][1] if len(everything) > limit else None
        following = None if last is None else cursors.seal(self._cursors, name, [last.at, last.id])
        return Page(await self._told(viewer, shown), following)

    async def read(self, viewer: Viewer, store: str, id: str) -> Told:
        """Mark one of the viewer's notifications as read."""
        found = self._registry.stores.get(store)
        entry = None if found is None else await found.mark_read(viewer.id, id)
        if entry is None:
            raise NotFound(f"There is no such notification. They are kept for {KEPT_DAYS} days.")
        return (await self._told(viewer, [(store, entry)]))[0]

    async def read_all(self, viewer: Viewer) -> None:
        """Mark all of the viewer's notifications as read."""
        await asyncio.gather(*(each.mark_all_read(viewer.id) for each in self._registry.stores.values()))

    # -- settings

    async def choices(self, viewer: Viewer) -> list[tuple[Kind, Channels]]:
        """Every kind that the viewer can hear of, and how they do."""
        kinds = {
            name: kind for name, kind in self._registry.kinds.items() if kind.needs is None or viewer.may(kind.needs)
        }
        channels = await self.preferences.channels(viewer.id, kinds)
        return [(kind, channels[name]) for name, kind in kinds.items()]

    def subscription(self, token: str) -> tuple[Subscription, str]:
        """What the link in a mail ends, and what people call it."""
        found = self.preferences.subscription(token)
        if found.kind.startswith(DIGEST_PREFIX):
            return found, digest_label(found.kind)
        return found, self._registry.kind(found.kind).label

    async def unsubscribe(self, subscription: Subscription) -> None:
        """End mail of a kind, or a digest; what is shown in the suite stays. Doing it twice is harmless."""
        if subscription.of == "address":
            await self.preferences.end_for_address(subscription)
            return
        now = await self.preferences.channels(subscription.who, self._registry.kinds)
        ended = {
            name: Channels(channels.suite, "never")
            for name, channels in now.items()
            if subscription.kind in (name, digest_of(self._registry.kinds[name], channels.mail))
        }
        await self.preferences.choose(subscription.who, ended)

    # -- mail

    async def send_due_digests(self, now: datetime) -> int:
        """Send the digests that are due; how many mails there were. To be called now and then, by any process."""
        return await self._digests.send_due(now, self._digest_mail.queue)

    async def send_waiting_mail(self) -> int:
        """Send mail that was refused before, or left behind; how many were sent. To be called now and then."""
        return await self.queue.send_waiting()

    async def finish(self) -> None:
        """Wait for mail that is being sent; call it before the store is closed."""
        await self.queue.finish()

    # -- rules

    async def _told(self, viewer: Viewer, entries: Sequence[tuple[str, Entry]]) -> tuple[Told, ...]:
        kinds = {
            name: kind for name, kind in self._registry.kinds.items() if kind.needs is None or viewer.may(kind.needs)
        }
        data = await looked_up(kinds, [(entry.kind, entry.data) for _, entry in entries])
        return tuple(
            Told(store, entry, _GONE, "")
            if entry.kind not in kinds or now is None
            else Told(store, entry, safe_words(kinds[entry.kind], now, entry.count), now.get("link", entry.link))
            for (store, entry), now in zip(entries, data, strict=True)
        )

    def _is_late(self, at: str) -> bool:
        return self._clock.now() - moment(at) > LATE

    def _url(self, path: str) -> str:
        return f"{self._base_url}{path}" if path else ""
