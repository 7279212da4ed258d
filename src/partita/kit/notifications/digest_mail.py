"""The mail of a digest: what is unread, allowed and still wanted, each notification as a line."""

from __future__ import annotations

from collections.abc import Sequence

from partita.kit.accounts import Account, Accounts
from partita.kit.mail import Message
from partita.kit.mail_queue import MailQueue
from partita.kit.notifications.digests import by_note
from partita.kit.notifications.letters import Line, letter
from partita.kit.notifications.preferences import SETTINGS_PATH, Preferences
from partita.kit.notifications.registry import DIGEST_PREFIX, Registry, looked_up, may_hear, safe_words
from partita.kit.notifications.schema import Digest, DigestEntry
from partita.kit.notifications.stores import digest

_LINES = 40
"""How many notifications a digest spells out."""

_WHY = {
    "soon": "You get this because you have chosen mail at once: what you have not read yet of the last minutes.",
    "daily": "This is your daily digest: what you have not read yet of the last day.",
    "weekly": "This is your weekly digest: what you have not read yet of the last week.",
}


class DigestMail:
    """Writes digests."""

    def __init__(
        self, registry: Registry, accounts: Accounts, preferences: Preferences, queue: MailQueue, base_url: str
    ) -> None:
        self._registry = registry
        self._accounts = accounts
        self._preferences = preferences
        self._queue = queue
        self._base_url = base_url

    async def queue(self, due: Digest, entries: Sequence[DigestEntry]) -> bool:
        """Queue the mail of a digest, unless there is nothing to tell; whether there is a new mail."""
        person = await self._accounts.people.find(due.user_id)
        if person is None or person.email is None or person.suspended:
            return False
        unread = await self._still_unread(person, due, entries)
        groups = list(by_note(unread).values())
        kinds = self._registry.kinds
        data = await looked_up(kinds, [(group[0].kind, group[0].data) for group in groups])
        lines = [
            Line(safe_words(kinds[group[0].kind], now, len(group)), self._url(now.get("link", group[0].link)))
            for group, now in zip(groups, data, strict=True)
            if now is not None
        ]
        if not lines:
            return False
        lines.sort(key=lambda line: line.words.section)
        subject = lines[0].words.title if len(lines) == 1 else f"{len(lines)} new notifications"
        unsubscribe = self._preferences.link_for_user(due.user_id, f"{DIGEST_PREFIX}{due.cadence}")
        left = len(lines) - _LINES
        written = letter(
            subject,
            lines[:_LINES],
            name=person.name,
            why=_WHY[due.cadence],
            unsubscribe=unsubscribe,
            settings=f"{self._base_url}{SETTINGS_PATH}",
            more=f"And {left} more: {self._base_url}/notifications" if left > 0 else "",
        )
        mail_id = digest("digest", due.user_id, due.cadence, due.period)
        return await self._queue.add(
            Message(person.email, written.subject, written.text, written.html, mail_id, unsubscribe)
        )

    def _url(self, path: str) -> str:
        return f"{self._base_url}{path}" if path else ""

    async def _still_unread(self, person: Account, due: Digest, entries: Sequence[DigestEntry]) -> list[DigestEntry]:
        """Entries that are still to be told: unread, allowed, and of kinds that are still wanted by mail."""
        known = [entry for entry in entries if entry.kind in self._registry.kinds]
        kinds = {entry.kind: self._registry.kinds[entry.kind] for entry in known}
        channels = await self._preferences.channels(person.user_id, kinds)
        wanted = {
            name
            for name, kind in kinds.items()
            if channels[name].mail != "never" and await may_hear(self._accounts, person, kind)
        }
        unread: set[str] = set()
        for name, store in self._registry.stores.items():
            causes = {
                entry.cause_id: entry.note_id for entry in known if entry.in_suite and kinds[entry.kind].store == name
            }
            unread |= await store.unread_among(due.user_id, causes)
        return [entry for entry in known if entry.kind in wanted and (not entry.in_suite or entry.cause_id in unread)]
