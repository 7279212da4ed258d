"""What writes of Kelifax and fus cost, measured on the embedded engine with the real services.

`python -m tests.apps.write_units` prints the tables that docs/kelifax.md and docs/fus.md have.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable
from pathlib import Path

from partita.apps.fus import system
from partita.apps.fus.inputs import CommentInput, RatingInput, SiteEdit
from partita.apps.fus.schema import FUS, Site
from partita.apps.fus.service import FusService
from partita.apps.kelifax.inputs import Details, ResourceEdit, Submission
from partita.apps.kelifax.permissions import MEMBERS
from partita.apps.kelifax.schema import RESOURCES, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.kit.kit import Kit
from partita.kit.links import Link
from partita.store.observe import Observation
from partita.table import Update
from tests.apps.demo_data import demo_entries
from tests.apps.fus.conftest import manager, member, put
from tests.apps.house import kit_on, person, worker_of
from tests.apps.kelifax.conftest import MOD, submission

Row = tuple[str, tuple[float, ...]]
"""What is done, and its write units, for a small item and for larger ones."""
_SHORT = ["Does it soon", "Does it well", "Does it all"]
SMALL = submission("Loom", "https://loom.example.org", resource__tags=["maps", "looms", "cards", "cloth"]).model_copy(
    update={"details": Details(key_features=_SHORT, use_cases=["Weaving a carpet", "Weaving a shirt"])}
)
DEMO = Submission.model_validate(
    {part: demo_entries("kelifax", "resources.json")[0][part] for part in ("submitter", "resource", "details")}
)
"""A resource as people submit them."""
PAGES = (0, 2_000, 20_000)
"""How many characters of its page a site holds."""


def kelifax() -> list[Row]:
    """Of a resource of less than 1 KB, and of the first one of the demo data; both have four tags."""
    small, large = (asyncio.run(_kelifax(form)) for form in (SMALL, DEMO))
    return [(name, (units, large[name])) for name, units in small.items()]


def fus() -> list[Row]:
    """Of sites with two tags, whose pages were not read, are short, and are long."""
    measured = [asyncio.run(_fus(page)) for page in PAGES]
    return [(name, tuple(each[name] for each in measured)) for name in measured[0]]


class _Meter:
    """Counts the write units of what is done."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self.units: dict[str, float] = {}

    async def of(self, name: str, work: Awaitable[object]) -> None:
        seen: list[Observation] = []
        self._kit.tables.observe(seen.append)
        await work
        self._kit.tables.observers.remove(seen.append)
        self.units[name] = sum(call.units for call in seen if call.is_write and _own(call))


def _own(call: Observation) -> bool:
    """Whether a call is to a table of the system: limits of use are counted in one of the house's."""
    return bool({RESOURCES.name, FUS.name} & set(call.tables))


async def _kelifax(form: Submission) -> dict[str, float]:
    fan = person("fan", *MEMBERS)
    with tempfile.TemporaryDirectory() as folder, kit_on(Path(folder), RESOURCES) as kit:
        service, meter = KelifaxService(kit), _Meter(kit)

        async def submitted() -> str:
            return (await service.submissions.submit(form, "x")).resource_slug

        slug = await submitted()
        await meter.of("reject", service.moderation.reject(MOD, slug, "It is a copy."))
        await service.moderation.delete(MOD, slug)
        await meter.of("submit", submitted())
        await meter.of("approve", service.moderation.approve(MOD, slug))
        await meter.of("a view", service.views.count(slug))
        await meter.of("add waiting views to the resource", service.views.add_waiting())
        await meter.of("upvote", service.liked.upvote(fan, slug))
        await meter.of("save", service.liked.save(fan, slug))
        await meter.of("feature", service.moderation.feature(MOD, slug, featured=True))
        edit = ResourceEdit(usage_purpose="Weaves, and tells others how.")
        await meter.of("edit the purpose", service.moderation.edit(MOD, slug, edit))
        resource = await service.moderation.inspect(slug)
        link = Link(slug, resource.resource_url)
        await meter.of("a link that fails", service.links.record(link, "It answers 404 Not Found."))
        counted = Update(resource.own_key, Resource.view_count.add(1))
        await meter.of("a view counted in the resource, as the document does", kit.store.write(counted))
        return meter.units


async def _fus(page: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder, kit_on(Path(folder), FUS) as kit:
        service, meter, viewer = FusService(kit), _Meter(kit), member()
        site = await put(service, tags=["maps", "history"])
        if page:
            await kit.store.write(Update(site.own_key, Site.scraped_content.set("x" * page)))
        worker = worker_of(kit, system.build(kit))
        await worker.drain()
        await meter.of("a first rating", service.ratings.rate(viewer, site.site_id, RatingInput(stars=3)))
        await meter.of("the rank that follows it", worker.drain())
        await meter.of("a changed rating", service.ratings.rate(viewer, site.site_id, RatingInput(stars=4)))
        await meter.of("a rating removed", service.ratings.remove(viewer, site.site_id))
        await meter.of("a comment", service.comments.write(viewer, site.site_id, CommentInput(body="It has a map.")))
        title = SiteEdit(title="Maps of everything")
        await meter.of("an edit of the title", service.sites.edit(manager(), site.site_id, title))
        await meter.of("adding a site with two tags", put(service, tags=["maps", "history"]))
        return meter.units


def lines(rows: list[Row]) -> list[str]:
    """As the pages have them, after the columns of before."""
    return [f"| {name} | {' | '.join(f'{each:g}' for each in units)} |" for name, units in rows]


if __name__ == "__main__":
    print("Kelifax: less than 1 KB, 2 KB", *lines(kelifax()), sep="\n")
    print("fus: no page, a page of 2 KB, of 20 KB", *lines(fus()), sep="\n")
