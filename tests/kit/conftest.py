"""A store with the house's tables on a temporary engine, and a clock that tests set."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from partita.engine import Engine
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore


class HandClock:
    """A clock that stands still until somebody moves it. It begins at the next full hour: nothing has expired yet."""

    def __init__(self) -> None:
        self._now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)

    def now(self) -> datetime:
        return self._now

    def forward(self, **spans: float) -> None:
        """Move it, as in `forward(hours=1)`."""
        self._now += timedelta(**spans)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def house(clock: HandClock) -> Iterator[EmbeddedStore]:
    """Expires by the test's clock, so that nothing goes because the test's time is past."""
    with Engine.temporary(clock=lambda: clock.now().timestamp()) as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE)
        yield store
