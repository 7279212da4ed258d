"""People: a profile is made at somebody's first own action, and its email follows the account."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ProfileEdit
from partita.apps.worthwatch.schema import USER_EMAIL, User, UserRemoval
from partita.apps.worthwatch.service.labels import named_as, titles_by_ref
from partita.kit.accounts import Account
from partita.kit.accounts.former_names import NAME_CHANGES, given_up
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find, find_or
from partita.kit.notifications import Channels
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.table import ChangedMeanwhileError, Check, Put, Transaction, Update

_LONGEST_NAME, _SHORTEST_NAME = 30, 3
NEWS = ("worthwatch.list-news", "worthwatch.new-list", "worthwatch.comment", "worthwatch.reply")
"""The notices that a weekly mail tells of, for those who want one."""


class EmailTaken(Conflict):
    """Somebody else has the address."""

    code = "email_taken"

    def __init__(self) -> None:
        super().__init__("Another profile has your email address. Change the address of your account, then try again.")


class EmailNeeded(Conflict):
    """The account has no address, or its owner has not confirmed it yet."""

    code = "email_needed"

    def __init__(self) -> None:
        super().__init__("Your email address is not confirmed. Confirm it on your account page, then try again.")


class StillLeaving(Conflict):
    """They left, and what they had is being removed."""

    code = "still_leaving"

    def __init__(self) -> None:
        super().__init__("You have left, and your data are being removed. Try again in some minutes.")


class People:
    """Profiles."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def find(self, user_id: str) -> User | None:
        """Somebody's profile, if they have one."""
        return await find(self._store, schema.user, user_id)

    async def person(self, user_id: str) -> User:
        """Somebody's profile."""
        return await find_or(no_such_person(), self._store, schema.user, user_id)

    async def by_id(self, user_ids: Iterable[str]) -> dict[str, User]:
        """Profiles by their ids, many at once; those that do not exist are left out."""
        wanted = tuple(dict.fromkeys(user_ids))
        users = await self._store.batch_get(schema.people_by_id(wanted).keys) if wanted else []
        return {user.user_id: user for user in users if user is not None}

    async def mine(self, viewer: Viewer) -> User | None:
        """The viewer's profile; None if they have done nothing yet, or are not signed in. Makes none."""
        return await self.find(viewer.id) if viewer.signed_in else None

    async def me(self, viewer: Viewer) -> User:
        """The viewer's profile, made if this is their first own action."""

        async def attempt() -> User:
            user = await self.find(viewer.id)
            return await self._make(viewer) if user is None else user

        return await self._store.attempt(attempt)

    async def edit(self, viewer: Viewer, edit: ProfileEdit) -> User:
        """Change the viewer's own profile."""
        wanted = edit.changes
        if edit.favourites is not None:
            refs = [(each.content_type, each.content_id) for each in edit.favourites]
            titles = await titles_by_ref(self._store, refs)
            if len(titles) < len(refs):
                raise Invalid(FieldError("favourites", "One of these titles does not exist. Choose another."))
            wanted["favourites"] = tuple(named_as(titles[ref]) for ref in refs)
        if edit.username is not None and edit.username != (await self.me(viewer)).username:
            await self._kit.limits.check(NAME_CHANGES, viewer.id)

        async def attempt() -> User:
            before = await self.me(viewer)
            after = before.model_copy(update=wanted)
            if after == before:
                return before
            after = after.with_(User.updated_at(stamp(self._kit.clock)), User.updated_by(viewer.id))
            change = Update.between(before, after)
            if after.username == before.username:
                await self._store.write(change)
            else:
                await self._store.transact(Transaction(change, given_up(viewer.id, before.username, after.updated_at)))
            return after

        edited = await self._store.attempt(attempt)
        if edit.mail is not None:
            await self._choose_mail(viewer, edit.mail)
        return edited

    async def _choose_mail(self, viewer: Viewer, pace: Literal["never", "weekly"]) -> None:
        """The weekly mail is the house's digest, with its signed link that ends it; what the bell shows stays."""
        chosen = {
            kind.name: Channels(channels.suite, pace)
            for kind, channels in await self._kit.notifications.choices(viewer)
            if kind.name in NEWS
        }
        await self._kit.notifications.preferences.choose(viewer.id, chosen)

    async def follow_account(self, account: Account) -> bool:
        """Give a profile the email of its account; returns whether it changed. Doing it twice is harmless.

        `EmailTaken` if another profile has the address: then the profile keeps the one it has.
        """

        async def attempt() -> bool:
            before = await self.find(account.user_id)
            if before is None or account.email is None or account.email == before.email:
                return False
            now = stamp(self._kit.clock)
            after = before.with_(User.email(account.email), User.updated_at(now), User.updated_by(account.user_id))
            guard = USER_EMAIL.otherwise(EmailTaken())
            moved = guard.move(before, after) if before.as_stored(User.adopted) else guard.claim(after)
            own = Update(
                before.own_key,
                User.email.set(after.email),
                User.updated_at.set(after.updated_at),
                User.updated_by.set(after.updated_by),
            )
            await self._store.transact(Transaction(own.unless_changed(before, User.email), *moved))
            return True

        return await self._store.attempt(attempt)

    async def _make(self, viewer: Viewer) -> User:
        account = await self._kit.accounts.people.get(viewer.id)
        if account.email is None:
            raise EmailNeeded
        now = stamp(self._kit.clock)
        user = User(
            user_id=viewer.id,
            email=account.email,
            username=display_name(account),
            created_at=now,
            updated_at=now,
            updated_by=viewer.id,
        )
        made = Put(user).if_new().otherwise(lambda there: ChangedMeanwhileError("Your profile", there))
        removal = UserRemoval.key(UserRemoval.user_id(viewer.id))
        settled = Check(removal, removal.absent()).otherwise(StillLeaving())
        await self._store.transact(Transaction(settled, made, *USER_EMAIL.otherwise(EmailTaken()).claim(user)))
        return user


def display_name(account: Account) -> str:
    """The name that a profile begins with: the account's, cut to size."""
    for name in (account.username, account.name):
        if len(name.strip()) >= _SHORTEST_NAME:
            return name.strip()[:_LONGEST_NAME].strip()
    return account.username.strip().ljust(_SHORTEST_NAME, "_")


def no_such_person() -> NotFound:
    return NotFound("There is no such person here. They may have left.")
