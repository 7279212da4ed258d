"""What administrators do to other people's accounts; nobody can do more through it than they may themselves."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, field

from pydantic import SecretStr

from partita.kit.accounts.inputs import SignUp, checked, checked_password
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.notices import Notices
from partita.kit.accounts.passwords import one_time_password
from partita.kit.accounts.people import People
from partita.kit.accounts.permissions import Permissions
from partita.kit.accounts.registration import Registration
from partita.kit.accounts.schema import Account, ApiToken, Password, Session
from partita.kit.accounts.second_factor import SecondFactors
from partita.kit.accounts.sessions import Sessions
from partita.kit.accounts.stored_passwords import StoredPasswords
from partita.kit.accounts.tokens import Tokens
from partita.kit.permissions import ADMIN, House, Viewer, authorize, require_confirmation
from partita.kit.problems import Conflict, FieldError, Forbidden, Invalid
from partita.table import Transaction, Update, Write

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account that was created for somebody, with a one-time password."""

    account: Account
    password: str = field(repr=False)


class Administration:
    """Other people's accounts, for viewers with the permission to manage users."""

    def __init__(
        self,
        kit: AccountsKit,
        people: People,
        permissions: Permissions,
        registration: Registration,
        sessions: Sessions,
        tokens: Tokens,
        passwords: StoredPasswords,
        factors: SecondFactors,
        notices: Notices,
    ) -> None:
        self._kit = kit
        self._people = people
        self._permissions = permissions
        self._registration = registration
        self._sessions = sessions
        self._tokens = tokens
        self._passwords = passwords
        self._factors = factors
        self._notices = notices

    async def create_account(
        self, viewer: Viewer, username: str, email: str, name: str, *, roles: Collection[str] = ()
    ) -> NewAccount:
        """Create an account for somebody, who must change its one-time password at the first sign-in."""
        authorize(viewer, House.MANAGE_USERS)
        require_confirmation(viewer)
        self._check_roles(viewer, set(roles))
        new = one_time_password()
        valid = checked(lambda: SignUp(username=username, email=email, name=name, password=SecretStr(new)))
        person = await self._registration.create(
            valid.username, valid.email, valid.name, new, roles=roles, must_change=True
        )
        _log.info("%s created the account %s", viewer.username, person.user_id)
        return NewAccount(person, new)

    async def set_password(self, viewer: Viewer, user_id: str, new: str | None = None) -> str:
        """Give somebody a password that they must change, a random one by default. Their sessions and API tokens end:
        who made them nobody knows, if somebody else could use the account."""
        person = await self.manageable(viewer, user_id)
        chosen = one_time_password() if new is None else new
        checked_password("password", chosen, person.username, person.email, person.name)
        before = await self._passwords.get(user_id)
        await self._passwords.replace(person, before, chosen, must_change=True, end_tokens=True)
        await self._tokens.revoke_all(person.user_id)
        _log.info("%s set the password of %s", viewer.username, user_id)
        await self._notices.password_changed(person, by=viewer.name)
        return chosen

    async def set_roles(self, viewer: Viewer, user_id: str, roles: Collection[str]) -> Account:
        """Give somebody exactly these roles. To grant or remove a role, the viewer needs all of its permissions."""
        person = await self.manageable(viewer, user_id, or_self=True)
        wanted = frozenset(roles)
        self._check_roles(viewer, wanted ^ person.roles)
        if person.user_id == viewer.user_id and ADMIN in person.roles - wanted:
            raise Forbidden("You cannot remove your own role admin. Ask another administrator.")
        change = Update(person.own_key, Account.roles.set(wanted), Account.updated_at.set(self._kit.timestamp()))
        after = await self._kit.store.update(change.unless_changed(person, Account.roles))
        _log.info("%s set the roles of %s to %s", viewer.username, user_id, ", ".join(sorted(wanted)) or "none")
        return after

    async def revoke_access(self, viewer: Viewer, user_id: str) -> None:
        """End every session and revoke every API token of somebody."""
        person = await self.manageable(viewer, user_id, or_self=True)
        generation = person.generation + 1
        tokens = Account.token_generation.set(person.token_generation + 1)
        account = Update(person.own_key, Account.generation.set(generation), tokens)
        writes: list[Write] = [account.unless_changed(person, Account.generation)]
        stored = await self._passwords.get(user_id)
        if stored is not None:
            writes.append(Update(stored.own_key, Password.generation.set(generation)))
        await self._kit.store.transact(Transaction(*writes))
        await self._sessions.delete_ended(user_id, generation=generation)
        await self._tokens.revoke_all(user_id)
        _log.info("%s ended all sessions and tokens of %s", viewer.username, user_id)

    async def access_of(self, viewer: Viewer, user_id: str) -> tuple[tuple[Session, ...], tuple[ApiToken, ...]]:
        """Somebody's sessions and API tokens."""
        authorize(viewer, House.MANAGE_USERS)
        person = await self._people.get(user_id)
        granted = await self._permissions.of(person)
        return await self._sessions.active(person, granted), await self._tokens.active(person)

    async def suspend(self, viewer: Viewer, user_id: str) -> Account:
        """Keep somebody out until they are restored; nothing of theirs is deleted."""
        return await self._set_suspended(viewer, user_id, self._kit.timestamp())

    async def restore(self, viewer: Viewer, user_id: str) -> Account:
        """Let a suspended person in again."""
        return await self._set_suspended(viewer, user_id, None)

    async def remove_second_factor(self, viewer: Viewer, user_id: str) -> None:
        """Let somebody sign in with the password alone, who has lost their app and their recovery codes."""
        person = await self.manageable(viewer, user_id)
        await self._factors.remove_from(person)
        await self._notices.second_factor_removed(person, by=viewer.name)
        _log.info("%s removed the second factor of %s", viewer.username, user_id)

    async def _set_suspended(self, viewer: Viewer, user_id: str, since: str | None) -> Account:
        person = await self.manageable(viewer, user_id)
        if person.erasing is not None:
            raise Conflict("This account is being erased, and that cannot be undone.", code="being_erased")
        now = self._kit.timestamp()
        change = Update(person.own_key, Account.suspended_at.set(since), Account.updated_at.set(now))
        after = await self._kit.store.update(change.unless_changed(person, Account.erasing))
        _log.info("%s %s %s", viewer.username, "suspended" if since else "restored", user_id)
        return after

    async def manageable(self, viewer: Viewer, user_id: str, *, or_self: bool = False) -> Account:
        """An account with no permission that the viewer lacks: otherwise managing it would be a way to get it."""
        authorize(viewer, House.MANAGE_USERS)
        require_confirmation(viewer)
        person = await self._people.get(user_id)
        if person.user_id == viewer.user_id and not or_self:
            raise Forbidden("Change your own account on your account page.")
        if not await self._permissions.of(person) <= viewer.permissions:
            raise Forbidden(f"{person.username} has permissions that you do not have. Ask another administrator.")
        return person

    def _check_roles(self, viewer: Viewer, roles: Collection[str]) -> None:
        policy = self._permissions.policy
        for role in sorted(roles):
            if role != ADMIN and role not in policy.roles:
                known = ", ".join((ADMIN, *sorted(policy.roles)))
                raise Invalid(FieldError("roles", f"There is no role {role}. The roles are {known}."))
            if not policy.granted((role,)) - policy.members <= viewer.permissions:
                raise Forbidden(f"You cannot grant or remove the role {role}: you lack some of its permissions.")
