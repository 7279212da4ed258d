"""Sites: adding, editing, deleting, and looking at a page before it is added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.adoption import adopt
from partita.apps.fus.bookkeeping import UrlTaken, actions, changes, creation
from partita.apps.fus.counting import unknown
from partita.apps.fus.formats import MOST_TEXT_BYTES, host_of
from partita.apps.fus.inputs import MOST_DESCRIPTION, MOST_TITLE, NewSite, SiteEdit, one_line, tidy
from partita.apps.fus.schema import Site, SiteRemoval
from partita.apps.fus.titles import cut
from partita.kit.clock import stamp
from partita.kit.fetcher import Fetched, FetchRefused
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer
from partita.kit.problems import BadRequest, Conflict, FieldError
from partita.kit.urls import normalise
from partita.table import Delete, KeyPartError, Put, Transaction, Update

ADDING = Rule("fus-add", most=120, seconds=3600)
FETCHING = Rule("fus-fetch", most=60, seconds=3600)
_LONGEST_NOTE = 500


class AlreadyThere(Conflict):
    """The address is in the catalog."""

    code = "url_taken"

    def __init__(self, site_id: str, title: str) -> None:
        told = f"This address is in the catalog already, as “{title}”."
        super().__init__(told, errors=[FieldError("url", told)])
        self.site_id = site_id


@dataclass(frozen=True, slots=True)
class Preview:
    """What a page says, and what the catalog knows of it; nothing was saved."""

    url: str
    title: str
    description: str
    text: str
    note: str
    """Why nothing was fetched; empty where something was."""
    known: Site | None


class Sites:
    """The catalog's entries."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def site(self, site_id: str, *, consistent: bool = False) -> Site:
        """One site; one that is being removed is gone already."""
        try:
            get = schema.site(site_id)
        except KeyPartError:  # no id is written like this
            raise unknown(site_id) from None
        found = await self._store.get(get.consistently() if consistent else get)
        if found is None:
            raise unknown(site_id)
        return found

    async def total(self) -> int:
        """How many there are."""
        found = await self._store.get(schema.total("sites"))
        return 0 if found is None else max(found.amount, 0)

    async def preview(self, viewer: Viewer, url: str) -> Preview:
        """Look at a page without saving anything."""
        known = await self._with_url(url)
        fetched = await self._fetch(viewer, url)
        if isinstance(fetched, str):
            return Preview(url, host_of(url), "", "", fetched, known)
        page = said_by(fetched)
        return Preview(url, page["title"] or host_of(url), page["description"], page["scraped_content"], "", known)

    async def add(self, viewer: Viewer, new: NewSite) -> Site:
        """Put a site into the catalog, with what its page says where that was not given; once per address."""
        await self._kit.limits.check(ADDING, viewer.id)
        known = await self._with_url(new.url)
        if known is not None:
            raise AlreadyThere(known.site_id, known.title)
        site = new_site(new, self._kit.ids.new(), stamp(self._kit.clock), viewer.user_id)
        if new.fetch:
            site = _with_page(site, await self._fetch(viewer, new.url), stamp(self._kit.clock), new.title)
        return await self.put(site)

    async def put(self, site: Site) -> Site:
        """Write a new site and everything that goes with it; `AlreadyThere` where somebody was faster."""
        try:
            await self._store.transact(Transaction(*creation(site)))
        except UrlTaken as taken:
            raise await self._already_there(taken.site_id) from None
        return site

    async def edit(self, viewer: Viewer, site_id: str, edit: SiteEdit) -> Site:
        """Change what is said about a site: only what differs, and exactly the tags that come and go."""
        if not edit.model_fields_set - {"revision"} or (edit.model_fields_set <= {"fetch"} and not edit.fetch):
            raise BadRequest("Nothing to change was sent.", code="nothing_to_change")
        fetched: Fetched | str | None = None
        if edit.fetch:
            known = await self.site(site_id)
            fetched = await self._fetch(viewer, edit.url or known.url)

        async def attempt() -> Site:
            before = await self._listed(site_id)
            if edit.revision is not None and edit.revision != before.revision:
                raise Conflict(
                    "Somebody changed this site meanwhile. Load it again, and change what is still to be changed.",
                    code="changed_meanwhile",
                )
            after = _edited(before, edit)
            if fetched is not None:
                after = _with_page(after, fetched, stamp(self._kit.clock), after.title)
            if not actions(before, after):
                return before
            after = after.with_(Site.updated_at(stamp(self._kit.clock)), Site.revision(before.revision + 1))
            changed = (
                Update(before.own_key, *actions(before, after))
                .unless_changed(before, Site.updated_at, Site.url, Site.title, Site.tags)
                .next_version(before)
            )
            try:
                await self._store.transact(Transaction(changed, *changes(before, after)))
            except UrlTaken as taken:
                raise await self._already_there(taken.site_id) from None
            return after

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, site_id: str) -> Site:
        """Take a site away: it, its address and its tags at once; ratings and comments follow by the change stream."""

        async def attempt() -> Site:
            before = await self.site(site_id, consistent=True)
            gone = Delete(before.own_key).unless_changed(before, Site.url, Site.tags)
            removal = SiteRemoval(
                site_id=site_id,
                title=before.title,
                removed_by=viewer.username or viewer.id,
                removed_at=stamp(self._kit.clock),
            )
            # What another program wrote and we never listed has nothing beside it that we counted.
            beside = changes(before, None) if before.as_stored(Site.timeline) else ()
            await self._store.transact(Transaction(gone, *beside, Put(removal)))
            return before

        return await self._store.attempt(attempt)

    # -- addresses and pages

    async def _listed(self, site_id: str) -> Site:
        """A site as it is now; one that another program wrote is taken in first."""
        found = await self.site(site_id, consistent=True)
        if found.as_stored(Site.timeline):
            return found
        if not await adopt(self._store, found):
            other = await self._with_url(found.url)
            raise AlreadyThere(other.site_id if other else "", other.title if other else "another site")
        return await self.site(site_id, consistent=True)

    async def _with_url(self, url: str) -> Site | None:
        guard = await self._store.get(schema.site_with_url(normalise(url)))
        return None if guard is None else await self._store.get(schema.site(guard.of_site))

    async def _already_there(self, site_id: str) -> AlreadyThere:
        other = await self._store.get(schema.site(site_id))
        return AlreadyThere(site_id, "another site" if other is None else other.title)

    async def _fetch(self, viewer: Viewer, url: str) -> Fetched | str:
        """What a page says, or why it was not fetched."""
        await self._kit.limits.check(FETCHING, viewer.id)
        try:
            return await self._kit.fetcher.fetch(url)
        except FetchRefused as refused:
            return refused.reason


def new_site(new: NewSite, site_id: str, now: str, added_by: str | None) -> Site:
    """The item of a new site, before anything was fetched."""
    title = new.title or host_of(new.url)
    return Site(
        site_id=site_id,
        url=new.url,
        title=title,
        description=new.description,
        tags=new.tags,
        created_at=now,
        updated_at=now,
        rating_rank=0,
        added_by=added_by,
    )


def said_by(page: Fetched) -> dict[str, str]:
    """What is kept of a page, within our limits."""
    return {
        "title": str(one_line(page.title))[:MOST_TITLE].strip(),
        "description": str(tidy(page.description))[:MOST_DESCRIPTION].strip(),
        "scraped_content": cut(str(tidy(page.text)), MOST_TEXT_BYTES),
    }


def _with_page(site: Site, fetched: Fetched | str, now: str, title: str) -> Site:
    """The site with what its page says; what people wrote themselves stays."""
    if isinstance(fetched, str):
        return site.model_copy(update={"fetch_note": fetched[:_LONGEST_NOTE]})
    page = said_by(fetched)
    update: dict[str, Any] = {
        "scraped_content": page["scraped_content"],
        "title": title or page["title"] or site.title,
        "description": site.description or page["description"],
        "fetched_at": now,
        "fetch_note": None,
    }
    return site.model_copy(update=update)


def _edited(before: Site, edit: SiteEdit) -> Site:
    said = {
        field: value for field in ("url", "title", "description", "tags") if (value := getattr(edit, field)) is not None
    }
    return before.model_copy(update=said)
