"""fus as a part of the suite. Its groups grant permissions of all systems."""

from __future__ import annotations

from pathlib import Path

from partita.apps.fus.api import routes as api_routes
from partita.apps.fus.changes import handlers
from partita.apps.fus.demo import fill
from partita.apps.fus.pages import routes as page_routes
from partita.apps.fus.pages.sharing import FEEDS, PAGES
from partita.apps.fus.permissions import MEMBERS, ROLES, Fus
from partita.apps.fus.personal_data import holdings
from partita.apps.fus.schema import FUS
from partita.apps.fus.search import CATALOG, COPIES
from partita.apps.fus.service import FusService, copies
from partita.apps.fus.service.icons import FOLDER, icon_files
from partita.apps.fus.service.notifications import KINDS
from partita.apps.fus.service.recounting import RECOUNTS
from partita.kit.files import OwnedFiles
from partita.kit.kit import Kit
from partita.kit.permissions import Access, Viewer
from partita.kit.sharing import Sitemap
from partita.kit.system import Headline, Highlight, Link, System

HUE = 160
_MOST_COUNTED = 50
"""So many ratings or comments of somebody are counted for the start page: there is no total of them."""


def build(kit: Kit) -> System:
    """The system, on a kit."""
    service = FusService(kit)

    async def news() -> tuple[Headline, ...]:
        page = await service.catalog.browse(limit=4)
        sites = (match.item for match in page)
        return tuple(
            Headline(site.title, f"/fus/sites/{site.site_id}", site.created_at, site.host, site.icon_file)
            for site in sites
        )

    async def my_ratings(viewer: Viewer) -> int:
        return await service.ratings.count_mine(viewer, _MOST_COUNTED)

    async def my_comments(viewer: Viewer) -> int:
        return await service.comments.count_mine(viewer, _MOST_COUNTED)

    async def suggestions(_viewer: Viewer) -> int:
        return await service.suggestions.count_waiting(_MOST_COUNTED)

    return System(
        name="fus",
        title="fus",
        purpose="A catalog of good sites, with ratings, private notes and comments.",
        hue=HUE,
        icon="fus",
        tables=(FUS,),
        permissions=Fus,
        roles=ROLES,
        members=frozenset(map(str, MEMBERS)),
        navigation=(
            Link("Catalog", "/fus", Access.PUBLIC, "list"),
            Link("Tags", "/fus/tags", Access.PUBLIC, "tag"),
            Link("My ratings", "/fus/me/ratings", Access.SIGNED_IN, "star"),
            Link("My comments", "/fus/me/comments", Access.SIGNED_IN, "comment"),
            Link("My collections", "/fus/me/collections", Fus.COLLECT, "folder"),
            Link("My suggestions", "/fus/me/suggestions", Fus.SUGGEST, "inbox"),
            Link("My profile", "/fus/me/profile", Fus.RATE, "user"),
            Link("My groups", "/fus/me/groups", Access.SIGNED_IN, "key"),
            Link("Add a site", "/fus/sites/new", Fus.CREATE, "plus"),
            Link("Suggestions", "/fus/suggestions", Fus.CREATE, "inbox"),
            Link("Broken links", "/fus/broken", Fus.EDIT, "alert"),
            Link("Copies", "/fus/copies", Fus.COPY, "file"),
            Link("Groups", "/fus/groups", Fus.MANAGE_GROUPS, "users"),
            Link("Import", "/fus/import", Fus.IMPORT, "upload"),
            Link("Export", "/fus/export", Fus.EXPORT, "download"),
            Link("Data model", "/fus/design", Access.PUBLIC, "table"),
        ),
        search_path="/fus",
        api=api_routes(service),
        pages=page_routes(service),
        templates=Path(__file__).parent / "templates",
        changes=handlers(kit),
        jobs=(
            service.transfer.kind,
            service.fetching.kind,
            service.fetching.icons_kind,
            service.batches.kind,
            service.links.kind,
        ),
        schedules=(*service.fetching.schedules, *service.links.schedules),
        adoptions=service.adoptions,
        recounts=RECOUNTS,
        searches=(CATALOG, COPIES),
        files=(
            OwnedFiles(FOLDER, lambda: icon_files(kit.store)),
            OwnedFiles(copies.FOLDER, lambda: copies.copy_files(kit.store)),
        ),
        personal_data=holdings(service, kit),
        notifications=KINDS,
        grants=service.grants,
        demo=lambda: fill(service, kit),
        news=news,
        feeds=FEEDS,
        sitemap=Sitemap(PAGES, service.sharing.addresses),
        highlights=(
            Highlight(
                "Suggestions to decide on",
                "/fus/suggestions",
                Fus.CREATE,
                "inbox",
                suggestions,
                _MOST_COUNTED,
                waits=True,
            ),
            Highlight("My ratings", "/fus/me/ratings", Access.SIGNED_IN, "star", my_ratings, _MOST_COUNTED),
            Highlight("My comments", "/fus/me/comments", Access.SIGNED_IN, "comment", my_comments, _MOST_COUNTED),
            Highlight("Add a site", "/fus/sites/new", Fus.CREATE, "plus"),
        ),
    )
