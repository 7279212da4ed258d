"""The names of people, for those who read what they wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from partita.kit.accounts import Accounts


@dataclass(frozen=True, slots=True)
class Person:
    """What everybody may know of somebody."""

    user_id: str
    username: str
    name: str
    avatar: str | None = None
    """The file of their own picture."""


class People:
    """Names by id, many at once."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def named(self, user_ids: Iterable[str]) -> Mapping[str, Person]:
        """Everybody who was asked for, also those whose account is deleted."""
        wanted = set(user_ids)
        accounts = await self._accounts.people.get_many(wanted) if wanted else {}
        return {
            user_id: Person(user_id, accounts[user_id].username, accounts[user_id].name, accounts[user_id].avatar)
            if user_id in accounts
            else Person(user_id, "", "Deleted account")
            for user_id in wanted
        }
