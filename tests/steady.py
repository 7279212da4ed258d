"""Rate limits whose windows do not change while a test counts up to one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from partita.kit.clock import Clock, SystemClock
from partita.kit.limits import Limits


class _Standing:
    """Stands an hour ahead of the machine's clock, so that no count expires before the tests are over."""

    def __init__(self) -> None:
        self._moment = datetime.now(UTC) + timedelta(hours=1)

    def now(self) -> datetime:
        return self._moment


@pytest.fixture(scope="session", autouse=True)
def steady_limits() -> Iterator[None]:
    """Limits that would go by the machine's clock stand still; a clock of the test's own is kept."""
    begin, standing = Limits.__init__, _Standing()

    def begin_steadily(limits: Limits, store: object, clock: Clock) -> None:
        begin(limits, store, standing if isinstance(clock, SystemClock) else clock)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Limits, "__init__", begin_steadily)
        yield
