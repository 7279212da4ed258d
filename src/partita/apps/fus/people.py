"""Who people are, for those who read what they wrote."""

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


class People:
    """Names by id, many at once."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def named(self, user_ids: Iterable[str]) -> Mapping[str, Person]:
        """Everybody who was asked for; whoever has no account any more stays somebody."""
        wanted = set(user_ids)
        known = await self._accounts.accounts(wanted) if wanted else {}
        return {
            user_id: Person(user_id, known[user_id].username, known[user_id].name)
            if user_id in known
            else Person(user_id, "", "Somebody who left")
            for user_id in wanted
        }
