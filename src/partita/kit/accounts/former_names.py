"""What people were called before, or in one system only: copies of it stand in other people's texts, and erasing an
account looks for them."""

from __future__ import annotations

from hashlib import blake2s

from partita.kit.accounts.schema import FormerName, email_owner, former_names
from partita.kit.limits import Rule
from partita.store.store import AsyncStore
from partita.table import Put

NAME_CHANGES = Rule("name-change", most=20, seconds=86_400)
"""In all of the suite: each name is remembered until the account goes."""


def given_up(user_id: str, text: str, now: str) -> Put[FormerName]:
    """The write that remembers a name or an address which somebody had until now."""
    digest = blake2s(text.casefold().encode(), digest_size=12).hexdigest()
    return Put(FormerName(user_id=user_id, digest=digest, text=text, given_up_at=now))


async def formerly(store: AsyncStore, user_id: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Somebody's former names; and apart from them former addresses that another account has now, where they mean
    somebody else."""
    theirs: list[str] = []
    others: list[str] = []
    async for each in store.stream(former_names(user_id)):
        owner = await store.get(email_owner(each.text.lower()).consistently()) if "@" in each.text else None
        (theirs if owner is None or owner.of_user == user_id else others).append(each.text)
    return tuple(theirs), tuple(others)
