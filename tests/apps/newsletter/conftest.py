from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from partita.apps.newsletter.inputs import NewNewsletter
from partita.apps.newsletter.permissions import AUTHOR, EDITOR, ROLES
from partita.apps.newsletter.schema import MAIN, Newsletter
from partita.apps.newsletter.service import NewsletterService
from partita.dynamo.python_values import item_from_python, item_to_python
from partita.engine import FaultPlan
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.store import EmbeddedStore
from tests.apps.house import kit_on, person

ADA, ABEL = person("ada", *AUTHOR), person("abel", *AUTHOR)
"""Authors."""
EDDA = person("edda", *EDITOR)
ADMIN = person("xenia", *ROLES["admin"])
NOBODY = person("nora")
"""Somebody with an account and no role."""
BEGUN = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@dataclass
class TestClock:
    """A clock that stands still until a test moves it; each look is a microsecond later."""

    __test__ = False
    at: datetime = field(default=BEGUN)

    def now(self) -> datetime:
        self.at += timedelta(microseconds=1)
        return self.at

    def on(self, **time: float) -> None:
        """Go on for some time."""
        self.at += timedelta(**time)


@dataclass(frozen=True)
class Desk:
    """The service on a clock of the test's own."""

    kit: Kit
    clock: TestClock
    service: NewsletterService

    async def newsletter(self, title: str = "Weekly Research Digest", **fields: Any) -> Newsletter:
        """Ada's newsletter."""
        return await self.service.newsletters.create(ADA, NewNewsletter(title=title, **fields))

    def worker(self) -> JobWorker:
        """Runs the jobs; `drain` it."""
        self.kit.jobs.use(
            kind
            for kind in (*self.service.steps.kinds, *self.service.removal_kinds)
            if self.kit.jobs.kind(kind.name) is None
        )
        return JobWorker(self.kit.jobs, ())

    def row(self, pk: str, sk: str) -> dict[str, Any]:
        """A row as the original program reads it."""
        assert isinstance(self.kit.tables, EmbeddedStore)
        key = {"PK": {"S": pk}, "SK": {"S": sk}}
        found = self.kit.tables.engine.call("GetItem", {"TableName": MAIN.name, "Key": key}).get("Item", {})
        return item_to_python(found)

    def put(self, row: dict[str, Any]) -> None:
        """Write a row as the original program does."""
        assert isinstance(self.kit.tables, EmbeddedStore)
        self.kit.tables.engine.call("PutItem", {"TableName": MAIN.name, "Item": item_from_python(row)})

    def everything(self) -> list[tuple[str, str]]:
        """The keys of all rows."""
        assert isinstance(self.kit.tables, EmbeddedStore)
        rows = self.kit.tables.engine.call("Scan", {"TableName": MAIN.name})["Items"]
        return sorted((row["PK"]["S"], row["SK"]["S"]) for row in rows)


@contextmanager
def desk_in(folder: Path, *, faults: FaultPlan | None = None) -> Iterator[Desk]:
    clock = TestClock()
    with kit_on(folder, MAIN, faults=faults, clock=clock) as kit:
        yield Desk(kit, clock, NewsletterService(kit))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as desk:
        yield desk
