"""What people change about their own account."""

from __future__ import annotations

from partita.kit.accounts.desk import log
from partita.kit.accounts.inputs import Email, Name, checked_field, checked_password
from partita.kit.accounts.registration import EMAIL_TAKEN
from partita.kit.accounts.schema import EMAIL, Account, Password, ResetLink, Session, password
from partita.kit.accounts.sessions import Sessions
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, SignInRequired
from partita.table import Delete, Put, Transaction, Update, Write


class Profile(Sessions):
    """Name, address and password of whoever is signed in."""

    async def change_name(self, viewer: Viewer, name: str) -> Account:
        """How others see somebody."""
        person = await self._in_person(viewer)
        new: str = checked_field("name", Name, name)
        change = Update(person.own_key, Account.name.set(new), Account.updated_at.set(self._stamp()))
        return await self._store.update(change)

    async def change_email(self, viewer: Viewer, email: str, password: str) -> Account:
        """Another address; it is claimed and the old one let go of at once. Asks for the password, as whoever has the
        address can have the password reset."""
        person = await self._in_person(viewer)
        new: str = checked_field("email", Email, email)
        await self._right_password(person, password, field="password")
        after = person.model_copy(update={"email": new, "updated_at": self._stamp()})
        taken = Conflict(EMAIL_TAKEN, code="email_taken", errors=[FieldError("email", EMAIL_TAKEN)])
        moves = EMAIL.otherwise(taken).move(person, after)
        if not moves:
            return person
        change = Update(person.own_key, Account.email.set(new), Account.updated_at.set(after.updated_at))
        forget = Delete(ResetLink.key(ResetLink.user_id(person.user_id)))  # it went to the old address
        await self._store.transact(Transaction(change.unless_changed(person, Account.email), *moves, forget))
        log.info("%s changed the address", person.user_id)
        return after

    async def change_password(self, viewer: Viewer, old: str, new: str) -> None:
        """Another password; every other session ends."""
        person = await self._in_person(viewer, with_one_time_password=True)
        checked_password("new", new, person.username, person.email, person.name)
        stored = await self._right_password(person, old, field="old")
        if old == new:
            raise Invalid(FieldError("new", "This is the old password. Choose another."))
        await self._store_password(person, stored, new, staying=viewer.session_id)
        log.info("%s changed the password", person.user_id)

    async def _right_password(self, person: Account, said: str, *, field: str) -> Password:
        await self._count_try(person.username, "")
        stored = await self._store.get(password(person.user_id).consistently())
        if not await self._passwords.verify(None if stored is None else stored.encoded, said) or stored is None:
            raise Invalid(FieldError(field, "This is not the password."), code="wrong_password")
        return stored

    async def _store_password(
        self,
        person: Account,
        before: Password | None,
        new: str,
        *,
        staying: str | None = None,
        link: Delete[ResetLink] | None = None,
        must_change: bool = False,
    ) -> None:
        """Another password and a new generation, which ends all sessions but one; a reset link has no more use."""
        generation = person.generation + 1
        now = self._stamp()
        encoded = await self._passwords.encode(new)
        put = Put(Password(user_id=person.user_id, encoded=encoded, generation=generation, changed_at=now))
        account = Update(
            person.own_key,
            Account.generation.set(generation),
            Account.must_change_password.set(must_change),
            Account.updated_at.set(now),
        )
        writes: list[Write] = [
            link or Delete(ResetLink.key(ResetLink.user_id(person.user_id))),
            put.if_new() if before is None else put.unless_changed(before, Password.encoded),
            account.unless_changed(person, Account.generation),
        ]
        if staying is not None:
            current = Session.key(Session.user_id(person.user_id), Session.session_id(staying))
            stay = Update(current, Session.generation.set(generation))
            writes.append(stay.otherwise(SignInRequired("You were signed out meanwhile. Sign in again.")))
        await self._store.transact(Transaction(*writes))
        await self._clear_sessions(person.user_id, before=generation)
