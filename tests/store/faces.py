"""The two faces of a store over HTTP, asked in the same words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from partita.store import Retries
from partita.store.address import Timeouts
from partita.store.dynamo import DynamoStore, fixed
from partita.table import Put
from tests.table.forum import Member

FACES = ("blocking", "async")
ONCE = Retries(attempts=1, first=0.0, longest=0.0, answers_get_lost=True)
THRICE = Retries(attempts=3, first=0.0, longest=0.0, answers_get_lost=True)
SOON = Timeouts(connect=10.0, read=1.0, idle=60.0)


class Face:
    """One face: its event loop lives as long as the face, so that connections are kept between calls."""

    def __init__(self, store: DynamoStore, loop: asyncio.AbstractEventLoop | None) -> None:
        self.store = store
        self._loop = loop

    def get(self, name: str = "ann") -> Member | None:
        if self._loop is None:
            return self.store.get(Member.get(Member.member_id(name)))
        return self._loop.run_until_complete(self.store.asynchronous.get(Member.get(Member.member_id(name))))

    def put(self, member: Member) -> None:
        wanted = Put(member).if_new()
        if self._loop is None:
            self.store.write(wanted)
        else:
            self._loop.run_until_complete(self.store.asynchronous.write(wanted))

    def close(self) -> None:
        if self._loop is None:
            self.store.close()
        else:
            self._loop.run_until_complete(self.store.dynamo.close_async())


@contextmanager
def connected(face: str, url: str, *, retries: Retries = ONCE, **settings: Any) -> Iterator[Face]:
    """A face of a store at an address, closed in the end."""
    store = DynamoStore(
        endpoint_url=url, region="us-east-1", credentials=fixed("any", "any"), retries=retries, **settings
    )
    loop = asyncio.new_event_loop() if face == "async" else None
    found = Face(store, loop)
    try:
        yield found
    finally:
        found.close()
        if loop is not None:
            loop.close()
