"""Forgotten passwords: a link by mail that works once, within an hour."""

from __future__ import annotations

import logging
from urllib.parse import urlencode

from partita.kit.accounts import credentials
from partita.kit.accounts.background import Background
from partita.kit.accounts.inputs import checked_password
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.mails import reset_password
from partita.kit.accounts.notices import Notices
from partita.kit.accounts.people import People
from partita.kit.accounts.schema import Account, ResetLink, reset_link
from partita.kit.accounts.stored_passwords import StoredPasswords
from partita.kit.accounts.tokens import Tokens
from partita.kit.limits import Rule, network_of
from partita.kit.problems import BadRequest
from partita.table import Delete, Put

RESET_PATH = "/account/reset"
"""The page that the link leads to, with `?token=…`."""
_VALID_HOURS = 1
_REQUESTS_FOR_ADDRESS = Rule("reset", most=3, seconds=3600)
_REQUESTS_FROM_PLACE = Rule("reset-place", most=30, seconds=3600)
_INVALID_LINK = "This link is invalid or expired. Request a new one."
_log = logging.getLogger(__name__)


class Resets:
    """New passwords for people who can read their mail."""

    def __init__(
        self,
        kit: AccountsKit,
        people: People,
        passwords: StoredPasswords,
        tokens: Tokens,
        notices: Notices,
        background: Background,
    ) -> None:
        self._kit = kit
        self._people = people
        self._passwords = passwords
        self._tokens = tokens
        self._notices = notices
        self._background = background

    async def request(self, email: str, *, address: str = "") -> None:
        """Send a link to this email address, in the background: the answer and its time do not tell whether it has an
        account. `address` is the network address of the request."""
        if address:
            await self._kit.limits.check(_REQUESTS_FROM_PLACE, network_of(address))
        await self._kit.limits.check(_REQUESTS_FOR_ADDRESS, email.strip().lower()[:400])
        self._background.begin("a reset link", self._send_link(email))

    async def check(self, token: str) -> None:
        """Refuse an invalid or expired link, before anybody thinks of a new password."""
        await self._valid_link(token)

    async def complete(self, token: str, new: str) -> Account:
        """Set a new password with a link, which then is used up; every session and every API token ends."""
        link, stored = await self._valid_link(token)
        person = await self._people.get(link.owner)
        checked_password("new", new, person.username, person.email, person.name)
        use_up = Delete(stored.own_key).when(ResetLink.digest.equals(link.digest))
        once = use_up.otherwise(BadRequest(_INVALID_LINK, code="link_used"))
        before = await self._passwords.get(person.user_id)
        await self._passwords.replace(person, before, new, link=once, end_tokens=True)
        await self._tokens.revoke_all(person.user_id)
        _log.info("%s reset the password", person.user_id)
        await self._notices.password_changed(person)
        return person

    async def _valid_link(self, token: str) -> tuple[credentials.Credential, ResetLink]:
        link = credentials.read(token)
        found = None if link is None or link.which else await self._kit.store.get(reset_link(link.owner).consistently())
        now = self._kit.clock.now().timestamp()
        if link is None or found is None or not link.is_of(found.digest) or found.expires_at <= now:
            raise BadRequest(_INVALID_LINK, code="link_used")
        return link, found

    async def _send_link(self, email: str) -> None:
        person = await self._people.by_email(email)
        if person is None or person.email is None or person.suspended:
            _log.info("a reset was requested for an address without an active account")
            return
        token = credentials.make(person.user_id, "", self._kit.ids.secret())
        link = ResetLink(
            user_id=person.user_id,
            digest=token.digest,
            created_at=self._kit.timestamp(),
            expires_at=self._kit.expiry_in(hours=_VALID_HOURS),
        )
        await self._kit.store.write(Put(link))
        base_url = self._kit.settings.base_url
        url = f"{base_url}{RESET_PATH}?{urlencode({'token': token.text})}"
        await self._kit.mail.send(reset_password(person.email, person, url, base_url=base_url))
        _log.info("%s was sent a reset link", person.user_id)
