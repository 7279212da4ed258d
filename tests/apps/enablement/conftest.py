from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from partita.apps.enablement.inputs import Approval, ContentEdit, NewContent, Submission
from partita.apps.enablement.permissions import APPROVER, CONTRIBUTOR, ROLES, VIEWER
from partita.apps.enablement.schema import CONTENT, EVENTS, NOTIFICATIONS, SUBSCRIPTIONS, Content, Proposal
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.system import build
from partita.dynamo.python_values import item_to_python
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.kit.suite import policy_of
from partita.store import EmbeddedStore
from partita.store.observe import Observation
from tests.apps.house import kit_on, person

TABLES = (CONTENT, NOTIFICATIONS, SUBSCRIPTIONS, EVENTS)
VERA = person("vera", *VIEWER)
"""A viewer."""
CARLA, CARL = person("carla", *CONTRIBUTOR), person("carl", *CONTRIBUTOR)
"""Contributors."""
ANNA, ARNO = person("anna", *APPROVER), person("arno", *APPROVER)
"""Approvers."""
ADMIN = person("xenia", *ROLES["admin"])
NOTE = "Prices of this year added."
_READS = ("GetItem", "Query", "BatchGetItem", "TransactGetItems")
BEGUN = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@dataclass
class TestClock:
    """A clock that stands still until a test moves it; each look is a microsecond later."""

    __test__ = False
    at: datetime = field(default=BEGUN)

    def now(self) -> datetime:
        self.at += timedelta(microseconds=1)
        return self.at

    def to(self, day: str, hour: int = 12) -> None:
        """Go to an hour of a day."""
        self.at = datetime.fromisoformat(day).replace(hour=hour, tzinfo=UTC)

    def on(self, **time: float) -> None:
        """Go on for some time."""
        self.at += timedelta(**time)


@dataclass(frozen=True)
class Portal:
    """The portal's service on a clock of the test's own."""

    kit: Kit
    clock: TestClock
    service: EnablementService

    async def draft(self, title: str = "How to price Atlas", **fields: Any) -> Content:
        """Carla's draft."""
        values = {"summary": "List prices.", "text": "# Prices\n\nAtlas costs 100.\n", **fields}
        return await self.service.content.create(CARLA, NewContent(title=title, **values))

    async def waiting(self, title: str = "How to price Atlas", **fields: Any) -> Content:
        """Carla's draft, submitted."""
        draft = await self.draft(title, **fields)
        waiting = await self.service.lifecycle.submit(CARLA, draft.content_id, Submission())
        assert isinstance(waiting, Content)
        return waiting

    async def released(self, title: str = "How to price Atlas", **fields: Any) -> Content:
        """Carla's content, approved by Anna now."""
        waiting = await self.waiting(title, **fields)
        return await self.service.lifecycle.approve(ANNA, waiting.content_id, Approval(version=waiting.version))

    async def proposed(self, content_id: str, **changes: Any) -> Proposal:
        """A proposal of Carla's, submitted."""
        await self.service.content.edit(CARLA, content_id, ContentEdit(**changes or {"summary": "New prices."}))
        proposal = await self.service.lifecycle.submit(CARLA, content_id, Submission(note=NOTE))
        assert isinstance(proposal, Proposal)
        return proposal

    async def proposed_again(self, content_id: str, **changes: Any) -> None:
        """An edit of a proposal that waits already."""
        await self.service.content.edit(CARLA, content_id, ContentEdit(**changes))

    async def row(self, content_id: str) -> dict[str, Any]:
        """A row as the original program reads it."""
        assert isinstance(self.kit.tables, EmbeddedStore)
        key = {"content_id": {"S": content_id}}
        found = self.kit.tables.engine.call("GetItem", {"TableName": CONTENT.name, "Key": key})["Item"]
        return item_to_python(found)


@contextmanager
def portal_in(folder: Path, *, faults: FaultPlan | None = None) -> Iterator[Portal]:
    clock = TestClock()
    with kit_on(folder, *TABLES, faults=faults, clock=clock) as kit:
        service = EnablementService(kit)
        kit.notifications.use(service.notifications.kinds, [service.notifications.inbox])
        yield Portal(kit, clock, service)


@contextmanager
def reading(portal: Portal) -> Iterator[list[float]]:
    """The read units of every request."""
    units: list[float] = []

    def observe(seen: Observation) -> None:
        if seen.operation in _READS:
            units.append(seen.units)

    portal.kit.store.observe(observe)
    yield units
    portal.kit.store.observers.remove(observe)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    with portal_in(tmp_path) as portal:
        yield portal


def with_roles(kit: Kit) -> None:
    """Let accounts have the portal's roles, as a suite with it does."""
    kit.accounts.use(policy_of((build(kit),)))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Any]:
    from tests.apps.enablement.served import served_in

    with served_in(tmp_path) as portal:
        yield portal
