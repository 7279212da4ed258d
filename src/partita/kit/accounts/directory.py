"""Finding people."""

from __future__ import annotations

import re
from collections.abc import Iterable

from partita.kit.accounts.desk import Desk, is_id
from partita.kit.accounts.schema import (
    Account,
    EmailOwner,
    UsernameOwner,
    account,
    accounts_named,
    email_owner,
    newest_accounts,
    username_owner,
)
from partita.kit.permissions import House, Viewer, authorize
from partita.table import Page

_LONGEST_IDENTITY = 320
_NEITHER = re.compile("[^a-z0-9-]")
"""What no username and no id holds."""
_NO_ID = "0" * 26
"""An id that nobody has: whoever is not found is looked for as long as those who are."""


class Directory(Desk):
    """Accounts by id, by address, by username, and the lists that administrators see."""

    async def account(self, user_id: str) -> Account:
        """One account; `NotFound` where there is none."""
        return await self._person(user_id)

    async def accounts(self, user_ids: Iterable[str]) -> dict[str, Account]:
        """Accounts by id, those that there are."""
        wanted = [user_id for user_id in dict.fromkeys(user_ids) if is_id(user_id)]
        found = await self._store.batch_get([account(user_id).key for user_id in wanted]) if wanted else []
        return {each.user_id: each for each in found if each is not None}

    async def account_by_email(self, email: str) -> Account | None:
        """Whose address it is."""
        return await self._owned(await self._owner(email)) if "@" in email else None

    async def account_by_username(self, username: str) -> Account | None:
        """Whose username it is."""
        return None if "@" in username else await self._owned(await self._owner(username))

    async def list_accounts(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Account]:
        """All accounts, newest first; for administrators."""
        authorize(viewer, House.MANAGE_USERS)
        return await self._store.page(newest_accounts(), limit=limit, after=cursor)

    async def search_accounts(
        self, viewer: Viewer, text: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[Account]:
        """Accounts whose username starts like this, or the one with this address or id; for administrators."""
        authorize(viewer, House.MANAGE_USERS)
        wanted = text.strip().lower()
        if "@" in wanted:
            one = await self.account_by_email(wanted)
            return Page(() if one is None else (one,), None)
        if _NEITHER.search(wanted):
            return Page((), None)
        page = await self._store.page(accounts_named(wanted[:64]), limit=limit, after=cursor)
        if not page.items and cursor is None and wanted:
            by_id = await self.accounts([wanted])
            return Page(tuple(by_id.values()), None)
        return page

    async def _owner(self, identity: str) -> str | None:
        """The id of whoever has this address or username."""
        known = identity.strip().lower()
        if not 0 < len(known) <= _LONGEST_IDENTITY or not known.isprintable():
            return None
        found: EmailOwner | UsernameOwner | None
        if "@" in known:
            found = await self._store.get(email_owner(known).consistently())
        else:
            found = await self._store.get(username_owner(known).consistently())
        return None if found is None else found.of_user

    async def _owned(self, user_id: str | None) -> Account | None:
        return None if user_id is None else await self._store.get(account(user_id).consistently())

    async def _owner_or_nobody(self, identity: str) -> str:
        return await self._owner(identity) or _NO_ID
