"""Logos from the pages of resources: if one comes into the directory without a logo, its page is read in the background
for its icon, or the picture that it names for others; three more times within eight days if that gives none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import LOGOS, Resource
from partita.apps.kelifax.service.filling import SMALLEST_LOGO
from partita.kit.fetcher import FetchRefused
from partita.kit.icons import keep_icon
from partita.kit.jobs import Arguments, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.politeness import visit_hosts
from partita.table import Transaction, Update

KIND = "kelifax.fetch-logos"
MOST_AT_ONCE = 200
"""How many resources one job looks at."""
PAUSES = tuple(timedelta(hours=hours) for hours in (1, 24, 168))
"""After each look that found nothing; then none is looked for."""
_DECISIONS = 20
"""How many of the latest decisions on a resource tell whether its logo was removed."""


class Logos:
    """Finds logos. What a killed job had begun is begun again: a resource that has a logo is passed over."""

    def __init__(self, kit: Kit, *, pause: float = 1.0) -> None:
        """`pause` is how many seconds a host is left alone between two of its pages."""
        self._kit = kit
        self._pause = pause

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Find logos of resources", self.run, kept_days=2)

    async def begin(self, resources: Sequence[Resource]) -> None:
        """Start to look for the logos of approved resources that have none."""
        if not self._kit.settings.fetch:
            return
        slugs = [*dict.fromkeys(each.resource_slug for each in resources if _wants_logo(each))]
        for start in range(0, len(slugs), MOST_AT_ONCE):
            await self._kit.jobs.start(KIND, {"slugs": slugs[start : start + MOST_AT_ONCE]}, None)

    async def run(self, running: Running, arguments: Arguments) -> Result:
        """Read the pages, one after the other of each host."""
        since: str | None = arguments.get("since")  # the first look, if this is another one
        asked = [await find(self._kit.store, schema.resource, slug) for slug in arguments["slugs"]]
        resources = [each for each in asked if each is not None and _wants_logo(each)]
        if since is not None:
            resources = [each for each in resources if not await self._removed(each, since)]
        found = failed = 0
        without: list[str] = []
        await running.progress("Reading pages", total=len(resources))

        async def look(resource: Resource) -> None:
            nonlocal found, failed
            outcome = await self._look(resource)
            found += outcome is True
            failed += outcome is None
            if not outcome:
                without.append(resource.resource_slug)
            if not running.stopping.is_set():
                running.note(done=found + failed, total=len(resources))

        await visit_hosts(running, resources, lambda resource: resource.resource_url, look, pause=self._pause)
        await self._look_again(running, arguments, without)
        logos = "1 logo" if found == 1 else f"{found:,} logos"
        return Result(f"{logos} found, {failed:,} pages could not be read.", values={"found": found, "failed": failed})

    async def _look_again(self, running: Running, arguments: Arguments, slugs: list[str]) -> None:
        """Start the next look at those that have no logo; once, if this one was killed and begins again."""
        looks: int = arguments.get("looks", 0)
        if not slugs or looks == len(PAUSES):
            return
        again = {"slugs": slugs, "looks": looks + 1, "since": arguments.get("since", running.created_at)}
        await self._kit.jobs.start(KIND, again, None, key=running.job_id, after=PAUSES[looks])

    async def _removed(self, resource: Resource, since: str) -> bool:
        """Whether moderators have removed its logo since the first look."""
        decisions = await self._kit.store.page(schema.decisions_on(resource.resource_slug), limit=_DECISIONS)
        return any(each.action == "remove logo" and each.logged_at >= since for each in decisions)

    async def _look(self, resource: Resource) -> bool | None:
        """Whether a logo was found; None if the page could not be read."""
        try:
            page = await self._kit.fetcher.fetch(resource.resource_url)
        except FetchRefused:
            return None
        logo = await keep_icon(self._kit, page, LOGOS, smallest=SMALLEST_LOGO)
        if logo is None:
            return False
        kept = await self._kit.store.attempt(lambda: self._write(resource, logo))
        if not kept:
            await self._kit.uploads.discard(logo)
        return kept

    async def _write(self, asked: Resource, logo: str) -> bool:
        """Give a resource its logo, unless somebody has given it one, or another address, meanwhile."""
        before = await find(self._kit.store, schema.resource, asked.resource_slug)
        same = before is not None and before.submission_id == asked.submission_id
        if before is None or not same or not _wants_logo(before) or before.resource_url != asked.resource_url:
            return False
        update = Update(before.own_key, Resource.logo_image.set(logo.rpartition("/")[2]))
        update = update.unless_changed(before, Resource.logo_image, Resource.resource_url, Resource.resource_status)
        await self._kit.store.transact(Transaction(self._kit.uploads.claim(logo), update))
        return True


def _wants_logo(resource: Resource) -> bool:
    """Another program may have named a picture of its own."""
    return resource.is_approved and not resource.logo_image


def newly_without_logo(before: Resource | None, after: Resource | None) -> bool:
    """Whether a change brought a resource into the directory without a logo, or gave one without it another address.
    A logo that moderators removed is not looked for again."""
    if after is None or not _wants_logo(after):
        return False
    return before is None or not before.is_approved or before.resource_url != after.resource_url
