"""Views of resources: counted apart, and added to the resources together.

A resource is in up to nine indexes, two of which hold all of it as the document says, so that every change of
`viewCount` is written many times over. A view therefore goes into a small item beside the resource; a job adds what has
gathered there to the resource. The page of a resource shows both together, lists show what was added.
"""

from __future__ import annotations

from datetime import time, timedelta

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import Resource, WaitingViews
from partita.kit.clock import stamp
from partita.kit.jobs import Arguments, JobKind, Result, Running, Schedule
from partita.kit.kit import Kit
from partita.table import ChangedMeanwhileError, Delete, Transaction, Update

KIND = "kelifax.add-views"
WORTHWHILE = 100
"""So many views share the writes of one resource; fewer wait until the night."""
SCHEDULES = (
    Schedule("kelifax.add-many-views", KIND, every=timedelta(hours=1), arguments={"least": WORTHWHILE}),
    Schedule("kelifax.add-all-views", KIND, at=time(3), arguments={"least": 1}),
)


class NoResource(Exception):
    """The views are of a resource that was deleted."""


class Views:
    """Counting who looks at resources."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Add views to resources", self._run, kept_days=2)

    async def count(self, slug: str, views: int = 1) -> None:
        """Count views of a resource."""
        await self._store.write(schema.count_views(slug, views, stamp(self._kit.clock)))

    async def add_waiting(self, least: int = 1) -> int:
        """Add the views that wait to their resources, each exactly once; returns of how many resources."""
        added = 0
        async for waiting in self._store.stream(schema.waiting_views()):
            if waiting.views >= least:
                added += await self._add(waiting.slug)
        return added

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        await running.progress("Adding views")
        added = await self.add_waiting(int(arguments.get("least", 1)))
        return Result(f"Views of {added:,} resources added.", idle=not added)

    async def _add(self, slug: str) -> bool:
        """Add the views of one resource; False if others did it meanwhile, or more views come than one can add."""
        waiting = await self._store.get(schema.waiting_views_of(slug).consistently())
        if waiting is None:
            return False
        taken = Delete(waiting.own_key).unless_changed(waiting, WaitingViews.views)
        added = Update(
            Resource.key(Resource.resource_slug(slug)),
            Resource.view_count.add(waiting.views),
            Resource.last_viewed.set(waiting.last_viewed),
        )
        try:
            score = schema.add_to_month(waiting.last_viewed[:7], slug, waiting.views)
            await self._store.transact(Transaction(taken, added.otherwise(NoResource()), score))
        except NoResource:
            await self._store.write(Delete(waiting.own_key))
        except ChangedMeanwhileError:
            return False
        return True
