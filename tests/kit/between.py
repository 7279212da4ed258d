"""A store whose first write comes too late: something else happens just before it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from partita.dynamo.requests import ItemRequest, TransactWriteItems, UpdateItem
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.store.store import AsyncStore


class _Between:
    def __init__(self, inner: Any, meanwhile: Callable[[], Awaitable[object]]) -> None:
        self._inner = inner
        self._meanwhile: Callable[[], Awaitable[object]] | None = meanwhile

    async def send_async(self, request: ItemRequest) -> dict[str, Any]:
        if self._meanwhile is not None and isinstance(request, TransactWriteItems | UpdateItem):
            meanwhile, self._meanwhile = self._meanwhile, None
            await meanwhile()
        answer: dict[str, Any] = await self._inner.send_async(request)
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def late_store(engine: Engine, clock: Callable[[], float], meanwhile: Callable[[], Awaitable[object]]) -> AsyncStore:
    """A store on an engine; `meanwhile` happens between what it has read and its first update or transaction."""
    store = EmbeddedStore(engine, clock=clock).asynchronous
    store.transport = _Between(store.transport, meanwhile)
    return store
