"""Read-online links: a secret address of the web edition, which can be revoked. Only its digest is stored."""

from __future__ import annotations

import base64
import hmac
import secrets
from hashlib import sha256

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import Link, Newsletter
from partita.apps.newsletter.service.access import Access
from partita.kit.clock import stamp
from partita.kit.keys import signing_keys
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.table import Delete, Put, Transaction, Update

PATH = "/newsletter/read/"
_PURPOSE = "newsletter links"
_LONGEST = 64


class Links:
    """Makes, shows and revokes the links of newsletters."""

    def __init__(self, kit: Kit, access: Access) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access
        self._keys = signing_keys(kit.settings, _PURPOSE)

    async def make(self, viewer: Viewer, code: str) -> str:
        """The address; a newsletter has one at a time."""

        async def attempt() -> str:
            newsletter = await self._access.newsletter(viewer, code, write=True)
            there = self.address(newsletter)
            if there:
                return there
            nonce = secrets.token_urlsafe(16)
            secret = self._secret(self._keys[0], nonce)
            link = Link(
                digest=_digest(secret),
                newsletter_code=code,
                created_by=viewer.id,
                created_at=stamp(self._kit.clock),
            )
            noted = Update(
                newsletter.own_key, Newsletter.link_digest.set(link.digest), Newsletter.link_nonce.set(nonce)
            ).unless_changed(newsletter, Newsletter.link_digest)
            old = () if newsletter.link_digest is None else (Delete(schema.link(newsletter.link_digest).key),)
            await self._store.transact(Transaction(Put(link).if_new(), noted, *old))
            return f"{self._base}{secret}"

        return await self._store.attempt(attempt)

    async def revoke(self, viewer: Viewer, code: str) -> None:
        """From now on the address leads nowhere."""

        async def attempt() -> None:
            newsletter = await self._access.newsletter(viewer, code, write=True)
            if newsletter.link_digest is None:
                return
            gone = Update(newsletter.own_key, Newsletter.link_digest.remove(), Newsletter.link_nonce.remove())
            await self._store.transact(
                Transaction(
                    Delete(schema.link(newsletter.link_digest).key),
                    gone.unless_changed(newsletter, Newsletter.link_digest),
                )
            )

        await self._store.attempt(attempt)

    def address(self, newsletter: Newsletter) -> str:
        """The address of a newsletter's web edition; empty without a link, and if its key is gone."""
        if newsletter.link_digest is None or newsletter.link_nonce is None:
            return ""
        for key in self._keys:
            secret = self._secret(key, newsletter.link_nonce)
            if hmac.compare_digest(_digest(secret), newsletter.link_digest):
                return f"{self._base}{secret}"
        return ""

    async def opened(self, secret: str) -> Newsletter:
        """What a secret opens; one that was revoked opens nothing."""
        missing = NotFound("There is nothing to read at this address. The link may have been revoked.")
        if not secret or len(secret) > _LONGEST:
            raise missing
        link = await find(self._store, schema.link, _digest(secret))
        newsletter = None if link is None else await find(self._store, schema.newsletter, link.newsletter_code)
        if newsletter is None or newsletter.link_digest != _digest(secret):
            raise missing
        return newsletter

    @property
    def _base(self) -> str:
        return f"{self._kit.settings.base_url.rstrip('/')}{PATH}"

    @staticmethod
    def _secret(key: bytes, nonce: str) -> str:
        made = hmac.digest(key, nonce.encode(), "sha256")
        return base64.urlsafe_b64encode(made[:24]).decode()


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
