"""What administrators do to accounts of others; nobody reaches further than their own permissions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pydantic import SecretStr

from partita.kit.accounts.desk import log
from partita.kit.accounts.inputs import SignUp, checked, checked_password
from partita.kit.accounts.passwords import one_time_password
from partita.kit.accounts.profile import Profile
from partita.kit.accounts.registration import Registration
from partita.kit.accounts.schema import Account, ApiToken, Password, Session, password, tokens_of
from partita.kit.accounts.tokens import Tokens
from partita.kit.permissions import ADMIN, House, Reason, Viewer, authorize
from partita.kit.problems import FieldError, Forbidden, Invalid
from partita.table import Delete, Transaction, Update, Write


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account that was made for somebody, with a password that they must change."""

    account: Account
    password: str = field(repr=False)


class Administration(Registration, Profile, Tokens):
    """Accounts of others, for those who may manage users."""

    def operator(self) -> Viewer:
        """Whoever can start commands on this machine, and so may do everything."""
        return Viewer(username="operator", name="Operator", permissions=self._policy.known, via="command")

    async def create_account(
        self, viewer: Viewer, username: str, email: str, name: str, *, roles: Collection[str] = ()
    ) -> NewAccount:
        """Make an account for somebody; the password that is returned must be changed at the first sign-in."""
        authorize(viewer, House.MANAGE_USERS)
        self._check_roles(viewer, set(roles))
        new = one_time_password()
        said = checked(lambda: SignUp(username=username, email=email, name=name, password=SecretStr(new)))
        made = await self._make(said.username, said.email, said.name, new, roles=roles, must_change=True)
        log.info("%s made the account %s", viewer.username, made.user_id)
        return NewAccount(made, new)

    async def set_password(self, viewer: Viewer, user_id: str, new: str | None = None) -> str:
        """Give somebody a password that they must change (a random one where none is given); their sessions end."""
        person = await self._someone_within_reach(viewer, user_id)
        chosen = one_time_password() if new is None else new
        checked_password("password", chosen, person.username, person.email, person.name)
        before = await self._store.get(password(user_id).consistently())
        await self._store_password(person, before, chosen, must_change=True)
        log.info("%s set the password of %s", viewer.username, user_id)
        return chosen

    async def set_roles(self, viewer: Viewer, user_id: str, roles: Collection[str]) -> Account:
        """Give somebody exactly these roles. Nobody gives or takes a role whose permissions they do not hold."""
        person = await self._someone_within_reach(viewer, user_id, itself=True)
        wanted = frozenset(roles)
        self._check_roles(viewer, wanted ^ person.roles)
        if person.user_id == viewer.user_id and ADMIN in person.roles - wanted:
            raise Forbidden("You cannot give up the role admin yourself: ask another administrator to take it.")
        change = Update(person.own_key, Account.roles.set(wanted), Account.updated_at.set(self._stamp()))
        after = await self._store.update(change.unless_changed(person, Account.roles))
        log.info("%s gave %s the roles %s", viewer.username, user_id, ", ".join(sorted(wanted)) or "none")
        return after

    async def revoke_access(self, viewer: Viewer, user_id: str) -> None:
        """End every session and every API token of somebody."""
        person = await self._someone_within_reach(viewer, user_id, itself=True)
        generation = person.generation + 1
        account = Update(person.own_key, Account.generation.set(generation))
        writes: list[Write] = [account.unless_changed(person, Account.generation)]
        if await self._store.get(password(user_id).consistently()) is not None:
            writes.append(
                Update(Password.key(Password.user_id(user_id)), Password.generation.set(generation))
            )
        await self._store.transact(Transaction(*writes))
        await self._clear_sessions(user_id, before=generation)
        tokens = [token async for token in self._store.stream(tokens_of(user_id).consistently())]
        await self._store.batch_write(Delete(token.own_key) for token in tokens)
        log.info("%s ended all sessions and tokens of %s", viewer.username, user_id)

    async def access_of(self, viewer: Viewer, user_id: str) -> tuple[tuple[Session, ...], tuple[ApiToken, ...]]:
        """Where somebody is signed in, and which programs act for them."""
        authorize(viewer, House.MANAGE_USERS)
        person = await self._person(user_id)
        return await self._live_sessions(person), await self._live_tokens(person)

    async def granted_to(self, person: Account) -> frozenset[str]:
        """All that roles and groups grant to somebody, but for what the OpenID provider adds."""
        return await self._granted(person)

    async def reasons_for(self, person: Account) -> tuple[Reason, ...]:
        """The same, apart by what grants it."""
        groups = [reason for each in self._grants for reason in await each.reasons_for(person.user_id)]
        return self._policy.reasons(person.roles, groups)

    async def suspend(self, viewer: Viewer, user_id: str) -> Account:
        """Keep somebody out until further notice; nothing of theirs is lost."""
        person = await self._someone_within_reach(viewer, user_id)
        return await self._set_suspended(viewer, person, self._stamp())

    async def restore(self, viewer: Viewer, user_id: str) -> Account:
        """Let somebody in again."""
        person = await self._someone_within_reach(viewer, user_id)
        return await self._set_suspended(viewer, person, None)

    async def _set_suspended(self, viewer: Viewer, person: Account, since: str | None) -> Account:
        change = Update(person.own_key, Account.suspended_at.set(since), Account.updated_at.set(self._stamp()))
        after = await self._store.update(change)
        log.info("%s %s %s", viewer.username, "suspended" if since else "restored", person.user_id)
        return after

    async def _someone_within_reach(self, viewer: Viewer, user_id: str, *, itself: bool = False) -> Account:
        """An account that holds nothing the viewer does not hold: else to manage it would be to become it."""
        authorize(viewer, House.MANAGE_USERS)
        person = await self._person(user_id)
        if person.user_id == viewer.user_id and not itself:
            raise Forbidden("Do this to your own account on its own page.")
        if not await self._granted(person) <= viewer.permissions:
            raise Forbidden(f"{person.username} may do things that you may not. Ask an administrator who may.")
        return person

    def _check_roles(self, viewer: Viewer, roles: Collection[str]) -> None:
        for role in sorted(roles):
            if role != ADMIN and role not in self._policy.roles:
                known = ", ".join((ADMIN, *sorted(self._policy.roles)))
                raise Invalid(FieldError("roles", f"There is no role {role}; there are {known}."))
            if not self._policy.granted((role,)) - self._policy.members <= viewer.permissions:
                raise Forbidden(f"You cannot give or take the role {role}, because you do not hold all that it grants.")
