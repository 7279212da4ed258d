"""Each machine has a search index of its own: when an erasure is done, all let go of the words that it took away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from partita.kit.accounts.schema import ACCOUNTS, Erasure
from partita.kit.changes import Change, Handler, Kept
from partita.kit.search import Catalog, Search

NAME = "house.forgetting"
_NOBODY = "an id that nobody has"


def forget_handler(
    search: Search, catalogs: Sequence[Catalog[Any]], catch_up: Callable[[str], Awaitable[None]]
) -> Handler:
    """Runs on every machine, when the word that an account is being erased has gone. First the machine's other handlers
    `catch_up` with what was written until then: what they had not seen yet would bring the words back."""

    async def forget(mark: str) -> None:
        await catch_up(NAME)
        for catalog in catalogs:
            await search.forget(catalog, mark)

    async def run(change: Change) -> None:
        before, after = change.read(Erasure)
        if before is not None and after is None:
            await forget(before.user_id)

    async def whole() -> bool:
        return True

    async def build() -> None:
        # Changes were missed, and whoever was erased is not known: words that nothing has any more go in any case.
        await forget(_NOBODY)

    return Handler(NAME, ACCOUNTS, run, Kept(whole, build, None))
