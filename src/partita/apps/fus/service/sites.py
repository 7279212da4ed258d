"""Sites: adding, editing, deleting, and a preview of a page before it is added."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.formats import host_of
from partita.apps.fus.inputs import NewSite, SiteEdit
from partita.apps.fus.schema import Site, SiteRemoval
from partita.apps.fus.service.adoption import adopt_site
from partita.apps.fus.service.asking import ask
from partita.apps.fus.service.bookkeeping import Write, actions, changes, creation
from partita.apps.fus.service.counting import no_such_site
from partita.apps.fus.service.history import deletion_entry, edit_entry
from partita.apps.fus.service.icons import keep_icon, looked_for
from partita.apps.fus.service.page_text import page_text, with_page
from partita.kit.clock import stamp
from partita.kit.fetcher import Fetched
from partita.kit.files.schema import Upload
from partita.kit.inputs import nothing_to_change
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, NotFound
from partita.kit.urls import UrlTaken, spellings
from partita.table import Delete, Put, Transaction, Update

ADDING = Rule("fus-add", most=120, seconds=3600)
FETCHING = Rule("fus-fetch", most=60, seconds=3600)


class AlreadyThere(Conflict):
    """The address is in the catalog."""

    code = "url_taken"

    def __init__(self, site_id: str, title: str) -> None:
        detail = f"This address is in the catalog already, as “{title}”."
        super().__init__(detail, errors=[FieldError("url", detail)])
        self.site_id = site_id


@dataclass(frozen=True, slots=True)
class Preview:
    """What a page says, and the site that has its address; nothing was saved."""

    url: str
    title: str
    description: str = ""
    text: str = ""
    note: str | None = None
    """Why the page could not be read."""
    known_as: Site | None = None


class Sites:
    """The entries of the catalog."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    @property
    def reads_pages(self) -> bool:
        """Whether pages can be read at all: a setting."""
        return self._kit.settings.fetch

    async def site(self, site_id: str) -> Site:
        """One site."""
        return await find_or(no_such_site(site_id), self._store, schema.site, site_id)

    async def by_id(self, site_ids: Iterable[str]) -> dict[str, Site]:
        """Sites by their ids, in that order; those that are gone are left out."""
        wanted = tuple(dict.fromkeys(site_ids))
        sites = await self._store.batch_get(schema.sites_by_id(wanted).keys) if wanted else []
        return {site.site_id: site for site in sites if site is not None}

    async def total(self) -> int:
        """The number of sites."""
        total = await self._store.get(schema.total("sites"))
        return 0 if total is None else max(total.amount, 0)

    async def preview(self, viewer: Viewer, url: str) -> Preview:
        """Read a page without saving anything."""
        known_as = await self._with_url(url)
        fetched = await self._fetch(viewer, url)
        if isinstance(fetched, str):
            return Preview(url, host_of(url), note=fetched, known_as=known_as)
        page = page_text(fetched)
        return Preview(url, page.title or host_of(url), page.description, page.text, known_as=known_as)

    async def add(
        self,
        viewer: Viewer,
        new: NewSite,
        *,
        added_by: str | None = None,
        beside: Callable[[Site], Iterable[Write]] = lambda _site: (),
    ) -> Site:
        """Add a site, with what its page says if that was not given; once per address. `beside` are writes of the same
        transaction, and `added_by` is somebody else in whose name it is added."""
        await self._kit.limits.check(ADDING, viewer.id)
        await self.refuse_known(new.url)
        site = new_site(new, self._kit.ids.new(), stamp(self._kit.clock), added_by or viewer.user_id)
        if not new.fetch:
            return await self.put(site, *beside(site))
        fetched = await self._fetch(viewer, new.url)
        site = with_page(site, fetched, self._kit.clock, new.title, again=self._kit.settings.fetch)
        async with self._icon(fetched) as icon:
            site = site.with_(Site.icon_file(icon))
            if isinstance(fetched, Fetched):
                site = looked_for(site, fetched, self._kit.clock, again=self._kit.settings.fetch)
            return await self.put(site, *beside(site))

    async def refuse_known(self, url: str) -> None:
        """Raise `AlreadyThere` if a site has this address."""
        known_as = await self._with_url(url)
        if known_as is not None:
            raise AlreadyThere(known_as.site_id, known_as.title)

    async def put(self, site: Site, *beside: Write) -> Site:
        """Write a new site and everything that goes with it; `AlreadyThere` if somebody else was faster."""
        try:
            await self._store.transact(Transaction(*self._claim(site.icon_file), *creation(site), *beside))
        except UrlTaken as taken:
            raise await self.already_there(taken) from None
        return site

    async def edit(self, viewer: Viewer, site_id: str, edit: SiteEdit) -> Site:
        """Change a site: only the fields that differ, and exactly the tags that come and go."""
        wanted = edit.changes
        fetched: Fetched | str | None = None
        if wanted.pop("fetch", False):
            fetched = await self._fetch(viewer, edit.url or (await self.site(site_id)).url)
        elif not wanted and edit.model_fields_set <= {"fetch"}:
            raise nothing_to_change()
        async with self._icon(fetched) as icon:
            return await self._edit(viewer, site_id, edit, wanted, fetched, icon)

    async def _edit(
        self,
        viewer: Viewer,
        site_id: str,
        edit: SiteEdit,
        wanted: dict[str, Any],
        fetched: Fetched | str | None,
        icon: str | None,
    ) -> Site:
        async def attempt() -> Site:
            before = await self.adopted(site_id)
            edit.check_revision(before.revision)
            after = before.model_copy(update=wanted)
            if fetched is not None:
                after = with_page(after, fetched, self._kit.clock, after.title, again=self._kit.settings.fetch)
            if icon is not None or after.host != before.host:  # the icon of another host is wrong here
                after = after.with_(Site.icon_file(icon))
            if isinstance(fetched, Fetched):
                after = looked_for(after, fetched, self._kit.clock, again=self._kit.settings.fetch)
            if not actions(before, after):
                return before
            after = changed_now(self._kit, before, after)
            try:
                await self._store.transact(Transaction(*self._claim(icon), *edition(self._kit, viewer, before, after)))
            except UrlTaken as taken:
                raise await self.already_there(taken) from None
            return after

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, site_id: str) -> Site:
        """Delete a site with its guard and tags; ratings and comments are removed by the change stream."""

        async def attempt() -> Site:
            before = await self.site(site_id)
            await self._store.transact(Transaction(*deletion(self._kit, viewer, before)))
            return before

        return await self._store.attempt(attempt)

    async def adopted(self, site_id: str) -> Site:
        """A site as it is now; one that another program wrote is adopted first."""
        site = await self.site(site_id)
        if site.listed:
            return site
        try:
            await adopt_site(self._store, site)
        except UrlTaken as taken:
            raise await self.already_there(taken) from None
        return await self.site(site_id)

    async def _with_url(self, url: str) -> Site | None:
        guards = await self._store.batch_get(schema.sites_with_urls(spellings(url)).keys)
        guard = next((each for each in guards if each is not None), None)
        return None if guard is None else await self._store.get(schema.site(guard.of_site))

    async def already_there(self, taken: UrlTaken) -> AlreadyThere:
        """The refusal that names the site with this address."""
        other = await self._store.get(schema.site(taken.owner))
        return AlreadyThere(taken.owner, "another site" if other is None else other.title)

    @asynccontextmanager
    async def _icon(self, fetched: Fetched | str | None) -> AsyncIterator[str | None]:
        """The icon of a page that was read; given up if the site is refused (else it expires unless it is claimed)."""
        icon = await keep_icon(self._kit, fetched) if isinstance(fetched, Fetched) else None
        try:
            yield icon
        except (Conflict, NotFound):
            if icon is not None:
                await self._kit.uploads.discard(icon)
            raise

    def _claim(self, icon: str | None) -> tuple[Delete[Upload], ...]:
        return () if icon is None else (self._kit.uploads.claim(icon),)

    async def _fetch(self, viewer: Viewer, url: str) -> Fetched | str:
        """A page, or why it could not be read."""
        await self._kit.limits.check(FETCHING, viewer.id)
        return await ask(self._kit, url)


def new_site(new: NewSite, site_id: str, now: str, added_by: str | None) -> Site:
    """The item of a new site, before its page is read."""
    return Site(
        site_id=site_id,
        url=new.url,
        title=new.title or host_of(new.url),
        description=new.description,
        tags=new.tags,
        created_at=now,
        updated_at=now,
        rating_rank=0,
        added_by=added_by,
    )


def changed_now(kit: Kit, before: Site, after: Site) -> Site:
    """A site after an edit, with its time and its next revision."""
    return after.with_(Site.updated_at(stamp(kit.clock)), Site.revision(before.revision + 1))


def edition(kit: Kit, viewer: Viewer, before: Site, after: Site) -> tuple[Write, ...]:
    """Everything that an edit writes: the fields that differ, exactly the tags that come and go, and its history."""
    own = (
        Update(before.own_key, *actions(before, after))
        .unless_changed(before, Site.updated_at, Site.url, Site.title, Site.tags)
        .next_version(before)
    )
    return own, *changes(before, after), Put(edit_entry(kit, viewer, before, after)).if_new()


def deletion(kit: Kit, viewer: Viewer, before: Site, *, untouched: bool = False) -> tuple[Write, ...]:
    """Everything that deleting a site writes, only if nobody has done anything with it if it is to be `untouched`; what
    follows it is removed by the change stream."""
    gone = Delete(before.own_key).unless_changed(before, Site.url, Site.tags)
    if untouched:
        gone = gone.unless_changed(before, Site.revision, Site.rating_count, Site.comment_count)
    removal = SiteRemoval(
        site_id=before.site_id,
        title=before.title,
        removed_by=viewer.username or viewer.id,
        removed_at=stamp(kit.clock),
    )
    # A site that another program wrote and nobody adopted has no guard, and is not counted.
    beside = changes(before, None) if before.listed else ()
    return gone, *beside, Put(removal), Put(deletion_entry(kit, viewer, before)).if_new()
