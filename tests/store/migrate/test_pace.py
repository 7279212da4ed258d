"""How fast a migration is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.engine import Engine
from partita.store import Observation
from partita.store.migrate import Pace, migrate, rehearse, verify
from partita.store.migrate.pace import at_pace
from tests.store.migrate.library import LIBRARY, LIBRARY_CARDS, Reader, everything, filled


@dataclass
class Hourglass:
    """Time that passes only while somebody sleeps."""

    now: float = 1000.0
    naps: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds

    def pace(self, units_per_second: float) -> Pace:
        return Pace(units_per_second, clock=lambda: self.now, sleep=self.sleep)


@given(st.integers(1, 1000), st.lists(st.integers(0, 1000).map(lambda halves: halves / 2), min_size=1, max_size=50))
def test_no_more_is_spent_than_the_time_allows(rate: float, costs: list[float]) -> None:
    glass = Hourglass()
    pace = glass.pace(rate)
    spent = 0.0
    for cost in costs:
        pace.wait()
        # The last request may be ahead of its time: what it costs is known when it is done.
        assert spent <= (glass.now - 1000.0) * rate * 1.000001
        pace.spend(cost)
        spent += cost


def test_a_pause_does_not_save_up_for_a_burst() -> None:
    glass = Hourglass()
    pace = glass.pace(10)
    pace.wait()
    glass.now += 3600
    for _ in range(3):
        pace.wait()
        pace.spend(10)
    assert glass.naps == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("rate", [20, 500])
def test_a_run_keeps_its_rate(rate: float) -> None:
    glass = Hourglass()
    seen: list[Observation] = []
    with Engine.temporary(background=False) as engine:
        store = filled(engine)
        store.observe(seen.append)
        migrate(store, LIBRARY_CARDS, workers=1, pace=glass.pace(rate))
    total = sum(each.units for each in seen)
    assert total > 100
    elapsed = glass.now - 1000.0
    assert (total - seen[-1].units) / rate == pytest.approx(elapsed)


def test_rehearsals_and_verifications_keep_it_too() -> None:
    with Engine.temporary(background=False) as engine:
        store = filled(engine)
        rehearsed = Hourglass()
        rehearse(store, LIBRARY_CARDS, pace=rehearsed.pace(10))
        assert rehearsed.now > 1000.5
        migrate(store, LIBRARY_CARDS)
        verified = Hourglass()
        verify(store, LIBRARY_CARDS, pace=verified.pace(10))
        assert verified.now > 1001


def test_without_a_rate_nobody_waits() -> None:
    glass = Hourglass()
    pace = Pace(None, clock=lambda: glass.now, sleep=glass.sleep)
    with Engine.temporary(background=False) as engine:
        migrate(filled(engine), LIBRARY_CARDS, pace=pace)
        assert len(everything(engine, LIBRARY)) == 51
    assert glass.naps == []


def test_the_async_face_keeps_the_rate() -> None:
    glass = Hourglass()
    with Engine.temporary(background=False) as engine:
        store = at_pace(filled(engine), glass.pace(1))
        store.create(LIBRARY)

        async def read() -> None:
            for _ in range(3):
                await store.asynchronous.get(Reader.get(Reader.reader("ada")).consistently())

        asyncio.run(read())
    assert glass.naps == pytest.approx([1.0, 1.0])
