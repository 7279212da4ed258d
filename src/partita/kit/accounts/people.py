"""Finding people."""

from __future__ import annotations

import re
from collections.abc import Iterable

from partita.kit.accounts.inputs import could_be_id
from partita.kit.accounts.kit import AccountsKit
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
from partita.kit.problems import Forbidden, NotFound, SignInRequired
from partita.table import Page

_LONGEST_IDENTITY = 320
_IN_NO_USERNAME_OR_ID = re.compile("[^a-z0-9-]")


class People:
    """Accounts by id, email address and username, and the lists that administrators see."""

    def __init__(self, kit: AccountsKit) -> None:
        self._store = kit.store

    async def get(self, user_id: str) -> Account:
        """One account, read consistently; `NotFound` if there is none."""
        found = await self.find(user_id)
        if found is None:
            raise NotFound(f"There is no account {user_id[:64]}.")
        return found

    async def find(self, user_id: str) -> Account | None:
        """One account, read consistently, or None."""
        return await self._store.get(account(user_id).consistently()) if could_be_id(user_id) else None

    async def get_many(self, user_ids: Iterable[str]) -> dict[str, Account]:
        """The accounts that exist, by id."""
        wanted = [user_id for user_id in dict.fromkeys(user_ids) if could_be_id(user_id)]
        found = await self._store.batch_get([account(user_id).key for user_id in wanted]) if wanted else []
        return {each.user_id: each for each in found if each is not None}

    async def pictures(self, user_ids: Iterable[str]) -> dict[str, str]:
        """The files of people's own pictures, by id; most people have none."""
        found = await self.get_many(user_ids)
        return {user_id: each.avatar for user_id, each in found.items() if each.avatar}

    async def with_usernames(self, usernames: Iterable[str]) -> dict[str, Account]:
        """The accounts that exist, by username, many at once."""
        wanted = [username_owner(name).key for name in dict.fromkeys(usernames) if could_be_id(name)]
        owners = await self._store.batch_get(wanted) if wanted else []
        found = await self.get_many(owner.of_user for owner in owners if owner is not None)
        return {person.username: person for person in found.values()}

    async def own_account(self, viewer: Viewer, *, unfinished: bool = False) -> Account:
        """The viewer's account, to change it: only from a browser. An `unfinished` one has a one-time password, which
        else must be changed first."""
        if not viewer.signed_in:
            raise SignInRequired("Sign in to do this.")
        if viewer.via != "session":
            raise Forbidden("A program cannot do this. Sign in with a browser.", code="sign_in_with_a_browser")
        person = await self.get(viewer.id)
        if person.must_change_password and not unfinished:
            raise Forbidden("Change your one-time password first.", code="change_the_password_first")
        return person

    async def by_email(self, email: str) -> Account | None:
        """The account with this email address."""
        return await self._owned(await self.id_of(email)) if "@" in email else None

    async def by_username(self, username: str) -> Account | None:
        """The account with this username."""
        return None if "@" in username else await self._owned(await self.id_of(username))

    async def id_of(self, identity: str) -> str | None:
        """The id of the account with this email address or username."""
        wanted = identity.strip().lower()
        if not 0 < len(wanted) <= _LONGEST_IDENTITY or not wanted.isprintable():
            return None
        owner: EmailOwner | UsernameOwner | None
        if "@" in wanted:
            owner = await self._store.get(email_owner(wanted).consistently())
        else:
            owner = await self._store.get(username_owner(wanted).consistently())
        return None if owner is None else owner.of_user

    async def list(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Account]:
        """All accounts, newest first; for administrators."""
        authorize(viewer, House.MANAGE_USERS)
        return await self._store.page(newest_accounts(), limit=limit, after=cursor)

    async def search(self, viewer: Viewer, text: str, *, limit: int = 20, cursor: str | None = None) -> Page[Account]:
        """Accounts whose username starts with the text, or the one with this email address or id; for
        administrators."""
        authorize(viewer, House.MANAGE_USERS)
        wanted = text.strip().lower()
        if "@" in wanted:
            one = await self.by_email(wanted)
            return Page(() if one is None else (one,), None)
        if _IN_NO_USERNAME_OR_ID.search(wanted):
            return Page((), None)
        page = await self._store.page(accounts_named(wanted[:64]), limit=limit, after=cursor)
        if not page.items and cursor is None and wanted:
            by_id = await self.get_many([wanted])
            return Page(tuple(by_id.values()), None)
        return page

    async def suggest(self, text: str, *, limit: int = 8) -> tuple[Account, ...]:
        """People whose username begins with the text, for a field that names a colleague. Whoever calls this has
        checked that the viewer may know who has an account."""
        wanted = text.strip().lower()
        if not wanted or _IN_NO_USERNAME_OR_ID.search(wanted):
            return ()
        page = await self._store.page(accounts_named(wanted[:64]), limit=limit)
        return tuple(person for person in page if not person.suspended)

    async def _owned(self, user_id: str | None) -> Account | None:
        return None if user_id is None else await self._store.get(account(user_id).consistently())


def refuse_suspended(person: Account) -> None:
    """Keep a suspended account out."""
    if person.suspended:
        raise Forbidden("This account is suspended. Ask an administrator.", code="suspended")
