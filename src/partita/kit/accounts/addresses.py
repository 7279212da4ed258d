"""Email addresses: one counts when its owner has opened the link that was sent there, and not before."""

from __future__ import annotations

import logging
from urllib.parse import urlencode

from partita.kit.accounts import credentials
from partita.kit.accounts.background import Background
from partita.kit.accounts.former_names import given_up
from partita.kit.accounts.inputs import Email, checked_field
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.mails import address_known, confirm_address
from partita.kit.accounts.notices import Notices
from partita.kit.accounts.people import People
from partita.kit.accounts.schema import EMAIL, Account, PendingAddress, ResetLink, pending_address
from partita.kit.accounts.stored_passwords import StoredPasswords
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer
from partita.kit.problems import BadRequest, Conflict
from partita.table import Delete, Put, Transaction, Update

ADDRESS_PATH = "/account/address"
"""The page that the link leads to, with `?token=…`."""
_VALID_DAYS = 3
_LINKS_TO_ADDRESS = Rule("address-link", most=3, seconds=3600)
_CHANGES = Rule("address-change", most=10, seconds=3600)
_TAKEN = "This email address belongs to another account. Sign in there, or use another address."
_INVALID_LINK = "This link is invalid or expired. Send yourself a new one on your account page."
_log = logging.getLogger(__name__)


class Addresses:
    """Addresses that are pending, and how they become an account's own.

    Whoever types an address learns nothing about it: a link is promised in any case. If the address has an account, its
    owner is told so by mail instead.
    """

    def __init__(
        self,
        kit: AccountsKit,
        people: People,
        passwords: StoredPasswords,
        notices: Notices,
        background: Background,
    ) -> None:
        self._kit = kit
        self._people = people
        self._passwords = passwords
        self._notices = notices
        self._background = background

    async def pending(self, user_id: str) -> str | None:
        """The address that somebody has typed and not confirmed."""
        found = await self._kit.store.get(pending_address(user_id).consistently())
        if found is None or found.expires_at <= self._kit.clock.now().timestamp():
            return None
        return found.email

    async def change(self, viewer: Viewer, email: str, password: str) -> str | None:
        """Send a link to another address, which becomes the viewer's when they open it. Needs the password, because
        whoever has the address can reset it. None if it is theirs already."""
        person = await self._people.own_account(viewer)
        new: str = checked_field("email", Email, email)
        await self._passwords.confirm(person, password, field="password")
        if new == person.email:
            await self._kit.store.write(Delete(PendingAddress.key(PendingAddress.user_id(person.user_id))))
            return None
        await self._kit.limits.check(_CHANGES, person.user_id)
        put, token = self.claim(person, new)
        await self._kit.store.write(put)
        self.send_link(person, new, token)
        return new

    async def send_again(self, viewer: Viewer) -> str:
        """Send another link to the address that is pending; the one before no longer works."""
        person = await self._people.own_account(viewer)
        email = await self.pending(person.user_id)
        if email is None:
            raise Conflict("No address waits to be confirmed. Enter it again.", code="no_pending_address")
        await self._kit.limits.check(_CHANGES, person.user_id)
        put, token = self.claim(person, email)
        await self._kit.store.write(put)
        self.send_link(person, email, token)
        return email

    async def check(self, viewer: Viewer, token: str) -> str:
        """The address that a link confirms; refused if it is invalid, expired or somebody else's."""
        return (await self._valid_link(viewer, token)).email

    async def confirm(self, viewer: Viewer, token: str) -> Account:
        """Make the address the viewer's own and release the one before, whose owner is told."""
        person = await self._people.own_account(viewer)
        link = await self._valid_link(viewer, token)
        after = person.model_copy(update={"email": link.email, "updated_at": self._kit.timestamp()})
        moves = EMAIL.otherwise(Conflict(_TAKEN, code="email_taken")).move(person, after)
        use_up = Delete(link.own_key).when(PendingAddress.digest.equals(link.digest))
        once = use_up.otherwise(BadRequest(_INVALID_LINK, code="link_used"))
        change = Update(person.own_key, Account.email.set(link.email), Account.updated_at.set(after.updated_at))
        forget = Delete(ResetLink.key(ResetLink.user_id(person.user_id)))  # it went to the old address
        kept = () if person.email is None else (given_up(person.user_id, person.email, after.updated_at),)
        mine = change.unless_changed(person, Account.email)
        await self._kit.store.transact(Transaction(once, mine, *moves, forget, *kept))
        _log.info("%s confirmed an email address", person.user_id)
        if person.email is not None:
            await self._notices.address_changed(person, person.email, link.email)
        return after

    def claim(self, person: Account, email: str) -> tuple[Put[PendingAddress], str]:
        """The write that makes an address somebody's pending one, and the secret of its link."""
        token = credentials.make(person.user_id, "", self._kit.ids.secret())
        pending = PendingAddress(
            user_id=person.user_id,
            email=email,
            digest=token.digest,
            created_at=self._kit.timestamp(),
            expires_at=self._kit.expiry_in(days=_VALID_DAYS),
        )
        return Put(pending), token.text

    def send_link(self, person: Account, email: str, token: str) -> None:
        """Send the link in the background: the answer and its time do not tell whether the address has an account."""
        self._background.begin("a link to confirm an address", self._send_link(person, email, token))

    async def _send_link(self, person: Account, email: str, token: str) -> None:
        await self._kit.limits.check(_LINKS_TO_ADDRESS, email)
        owner, base_url = await self._people.by_email(email), self._kit.settings.base_url
        if owner is not None and owner.user_id != person.user_id:
            await self._kit.mail.send(address_known(email, owner, base_url=base_url))
            return
        url = f"{base_url}{ADDRESS_PATH}?{urlencode({'token': token})}"
        await self._kit.mail.send(confirm_address(email, person, url, days=_VALID_DAYS, base_url=base_url))
        _log.info("%s was sent a link to confirm an address", person.user_id)

    async def _valid_link(self, viewer: Viewer, token: str) -> PendingAddress:
        """The pending address of a link. Only its account can open it: else somebody's click on a mail that they did
        not ask for would give their address to a stranger's account."""
        link = credentials.read(token)
        if link is not None and link.owner != viewer.id:
            raise BadRequest(
                "This link belongs to another account. Sign in to that one and open it again.", code="link_used"
            )
        found = (
            None
            if link is None or link.which
            else await self._kit.store.get(pending_address(link.owner).consistently())
        )
        now = self._kit.clock.now().timestamp()
        if link is None or found is None or not link.is_of(found.digest) or found.expires_at <= now:
            raise BadRequest(_INVALID_LINK, code="link_used")
        return found
