"""A forgotten password: a link by mail that works once, within the hour."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from partita.kit.accounts import credentials
from partita.kit.accounts.desk import log
from partita.kit.accounts.inputs import checked_password
from partita.kit.accounts.profile import Profile
from partita.kit.accounts.schema import Account, Password, ResetLink, reset_link
from partita.kit.accounts.schema import password as password_of
from partita.kit.limits import Rule, network_of
from partita.kit.mail import Message
from partita.kit.problems import BadRequest, Problem
from partita.table import Delete, Put

RESET_PATH = "/account/reset"
"""The page that the link leads to, with `?token=…`."""
_LASTS_HOURS = 1
_ASKED_FOR_ONE = Rule("reset", most=3, seconds=3600)
_ASKED_FROM_ONE_PLACE = Rule("reset-place", most=30, seconds=3600)
_USED_UP = "This link has been used or is too old. Have a new one sent."


class Resets(Profile):
    """Lets people in who can read their mail."""

    async def request_reset(self, email: str, *, address: str = "") -> None:
        """Send a link to whoever has this address. The answer and its time are the same where nobody has it; `address`
        is where the request came from."""
        if address:
            await self._limits.check(_ASKED_FROM_ONE_PLACE, network_of(address))
        await self._limits.check(_ASKED_FOR_ONE, email.strip().lower()[:400])
        task = asyncio.create_task(self._send_link(email))
        self._unfinished.add(task)
        task.add_done_callback(self._unfinished.discard)

    async def check_reset(self, token: str) -> None:
        """Refuse a link that was used or is too old, before anybody thinks of a password for it."""
        await self._live_link(token)

    async def reset_password(self, token: str, new: str) -> Account:
        """Choose a new password with a link; it is used up, and every session ends."""
        link, stored = await self._live_link(token)
        person = await self._person(link.owner)
        checked_password("new", new, person.username, person.email, person.name)
        use_up = Delete(stored.own_key).when(ResetLink.digest.equals(link.digest))
        before: Password | None = await self._store.get(password_of(person.user_id).consistently())
        once = use_up.otherwise(BadRequest(_USED_UP, code="link_used"))
        await self._store_password(person, before, new, link=once)
        log.info("%s reset the password", person.user_id)
        return person

    async def _live_link(self, token: str) -> tuple[credentials.Credential, ResetLink]:
        link = credentials.read(token)
        stored = None if link is None or link.which else await self._store.get(reset_link(link.owner).consistently())
        now = self._now().timestamp()
        if link is None or stored is None or not link.is_of(stored.digest) or stored.expires_at <= now:
            raise BadRequest(_USED_UP, code="link_used")
        return link, stored

    async def _send_link(self, email: str) -> None:
        try:
            person = await self.account_by_email(email)
            if person is None or person.email is None or person.suspended:
                log.info("a reset was asked for an address that nobody can use")
                return
            made = credentials.make(person.user_id, "", self._ids.secret())
            link = ResetLink(
                user_id=person.user_id,
                digest=made.digest,
                created_at=self._stamp(),
                expires_at=self._seconds_in(hours=_LASTS_HOURS),
            )
            await self._store.write(Put(link))
            url = f"{self._settings.base_url}{RESET_PATH}?{urlencode({'token': made.text})}"
            await self._mail.send(Message(person.email, "Choose a new password", _text(person.name, url)))
            log.info("%s was sent a reset link", person.user_id)
        except Problem as problem:
            log.warning("a reset link was not sent: %s", problem.detail)
        except Exception:
            log.exception("a reset link was not sent")


def _text(name: str, url: str) -> str:
    return f"""Hello {name},

somebody asked for a new password for your account. To choose one, follow this link within the hour:

{url}

If it was not you, do nothing: your password stays as it is.
"""
