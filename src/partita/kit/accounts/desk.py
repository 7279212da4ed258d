"""What every part of the accounts works with."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta

from partita.kit.accounts.passwords import Passwords
from partita.kit.accounts.schema import Account, account
from partita.kit.clock import Clock, Ids
from partita.kit.limits import Limits
from partita.kit.mail import Mail
from partita.kit.permissions import Grants, Policy, Viewer
from partita.kit.problems import Forbidden, NotFound, SignInRequired
from partita.kit.settings import Settings
from partita.store.store import AsyncStore
from partita.table.types import timestamp

log = logging.getLogger("partita.kit.accounts")

_NOTHING_YET = Policy(known=frozenset(), roles={}, members=frozenset())


def is_id(text: str) -> bool:
    """Whether it could be an id of ours; what addresses of pages hold may be anything."""
    return 0 < len(text) <= 64 and text.isprintable()


class Desk:
    """The table, the clock, and the rules of who may do what."""

    def __init__(
        self,
        store: AsyncStore,
        *,
        clock: Clock,
        ids: Ids,
        settings: Settings,
        limits: Limits,
        mail: Mail,
        passwords: Passwords | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._settings = settings
        self._limits = limits
        self._mail = mail
        self._passwords = passwords or Passwords()
        self._policy = _NOTHING_YET
        self._grants: tuple[Grants, ...] = ()
        self._unfinished: set[asyncio.Task[None]] = set()

    async def finish(self) -> None:
        """Wait for what is still under way after its answer was given; before the store is closed."""
        while self._unfinished:
            await asyncio.gather(*self._unfinished)

    def use(self, policy: Policy, grants: tuple[Grants, ...] = ()) -> None:
        """The permissions there are; known only when all systems are made, which themselves need accounts."""
        self._policy = policy
        self._grants = grants

    @property
    def policy(self) -> Policy:
        """The permissions and roles there are."""
        return self._policy

    def _now(self) -> datetime:
        return self._clock.now()

    def _stamp(self) -> str:
        return timestamp(self._clock.now())

    def _seconds_in(self, **span: float) -> int:
        """A moment from now, as tables that expire items have it."""
        return int((self._clock.now() + timedelta(**span)).timestamp())

    async def _person(self, user_id: str) -> Account:
        """An account as it is now; nobody else may be seen in its place."""
        found = await self._store.get(account(user_id).consistently()) if is_id(user_id) else None
        if found is None:
            raise NotFound(f"There is no account {user_id[:64]}.")
        return found

    async def _in_person(self, viewer: Viewer, *, with_one_time_password: bool = False) -> Account:
        """The account of somebody who is there with a browser: programs do not change accounts."""
        if not viewer.signed_in:
            raise SignInRequired("Sign in to do this.")
        if viewer.via != "session":
            raise Forbidden("A program cannot do this. Sign in with a browser.", code="sign_in_with_a_browser")
        person = await self._person(viewer.id)
        if person.must_change_password and not with_one_time_password:
            raise Forbidden("Choose a password of your own first.", code="change_the_password_first")
        return person

    async def _granted(self, person: Account, *more_roles: str) -> frozenset[str]:
        """All that roles and groups grant to somebody."""
        extra: set[str] = set()
        for each in self._grants:
            extra |= await each.permissions_of(person.user_id)
        return self._policy.granted((*person.roles, *more_roles), extra)
