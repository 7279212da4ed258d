"""A newsletter with a draft, on a clock of the test's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.permissions import ROLES
from partita.apps.newsletter.schema import MAIN, Draft, Newsletter, Share, Topics
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.citations import Citations
from partita.apps.newsletter.service.draft import Drafts
from partita.apps.newsletter.service.history import History
from partita.apps.newsletter.service.images import Images
from partita.apps.newsletter.service.versions import Versions
from partita.dynamo.python_values import item_to_python
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.store import EmbeddedStore
from partita.table import Put
from partita.table.types import timestamp
from tests.apps.house import kit_on, person

CODE = "NL-20260126-A1B2"
OLGA, ED = person("olga", *ROLES["author"]), person("ed", *ROLES["author"])
"""The owner, and an editor with whom it is shared."""
RIA, STAN = person("ria", *ROLES["author"]), person("stan", *ROLES["author"])
"""A reader with whom it is shared, and a stranger."""
ADMIN = person("adam", *ROLES["admin"])
TEXTS = {
    "introduction": "Welcome to this week's digest.",
    "research_findings": "## Research Findings\n\nSorghum yields rose by 12 percent [1].\n\nFarmers planted early [2].",
    "conclusion": "## Conclusion\n\nThank you for reading.",
}
CITATIONS: tuple[dict[str, Any], ...] = (
    {
        "n": 1,
        "chunk_id": "chunk-a",
        "source_id": "s1",
        "title": "Yields",
        "quote": "Sorghum yields rose by 12 percent.",
    },
    {"n": 2, "chunk_id": "chunk-b", "source_id": "s2", "title": "Planting", "quote": "Farmers planted early."},
    {"n": 3, "chunk_id": "chunk-c", "source_id": "s2", "title": "Planting", "quote": "It rained."},
)


@dataclass
class StandingClock:
    """A clock that stands still until a test moves it; each look is a microsecond later."""

    at: datetime = field(default=datetime(2026, 1, 26, 10, 1, tzinfo=UTC))

    def now(self) -> datetime:
        self.at += timedelta(microseconds=1)
        return self.at

    def on(self, **time: float) -> None:
        """Go on for some time."""
        self.at += timedelta(**time)


@dataclass(frozen=True)
class Desk:
    """The parts of the service that concern a draft."""

    kit: Kit
    clock: StandingClock
    access: Access
    versions: Versions
    drafts: Drafts
    history: History
    citations: Citations
    images: Images

    async def draft(self) -> Draft:
        """The draft as it is stored."""
        found = await self.kit.store.get(schema.draft(CODE).consistently())
        assert found is not None
        return found

    def row(self, sk: str) -> dict[str, Any]:
        """A row as the original program reads it."""
        assert isinstance(self.kit.tables, EmbeddedStore)
        key = {"PK": {"S": f"NEWSLETTER#{CODE}"}, "SK": {"S": sk}}
        return item_to_python(self.kit.tables.engine.call("GetItem", {"TableName": MAIN.name, "Key": key})["Item"])

    async def fill(self, **draft: Any) -> None:
        """Olga's newsletter with a generated draft, shared with Ed and Ria."""
        now = timestamp(self.clock.now())
        newsletter = Newsletter(
            id="1",
            newsletter_code=CODE,
            title="Weekly Research Digest",
            user_id=OLGA.id,
            user_email="olga@example.org",
            created_at=now,
            updated_at=now,
            current_step=4,
        )
        given: dict[str, Any] = {
            "sections": TEXTS,
            "generated_content": "# Weekly Research Digest\n\n" + "\n\n".join(TEXTS.values()),
            "citations": CITATIONS,
            "draft_status": "completed",
            **draft,
        }
        found = {
            "id": "chunk-a",
            "content": "It was dry. Sorghum yields rose by\n12 percent. Prices fell.",
            "metadata": {},
        }
        await self.kit.store.write(Put(newsletter))
        await self.kit.store.write(Put(Draft(newsletter_code=CODE, updated_at=now, **given)))
        await self.kit.store.write(Put(Topics(newsletter_code=CODE, updated_at=now, retrieved_content=(found,))))
        for share in (
            Share(code=CODE, user_id=ED.id, role="editor", shared_by=OLGA.id, shared_at=now),
            Share(code=CODE, user_id=RIA.id, role="reader", shared_by=OLGA.id, shared_at=now),
        ):
            await self.kit.store.write(Put(share))


async def _card(_newsletter: Newsletter, _draft: Draft, texts: Mapping[str, str]) -> dict[str, Any]:
    return {"sections": len(texts)}


@contextmanager
def desk_in(folder: Path, *, faults: FaultPlan | None = None) -> Iterator[Desk]:
    clock = StandingClock()
    with kit_on(folder, MAIN, faults=faults, clock=clock) as kit:
        access, versions = Access(kit), Versions(kit)
        drafts = Drafts(kit, access, versions, _card)
        yield Desk(
            kit,
            clock,
            access,
            versions,
            drafts,
            History(access, drafts, versions),
            Citations(kit, access, drafts),
            Images(kit, access, drafts),
        )
