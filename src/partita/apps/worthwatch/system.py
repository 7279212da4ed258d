"""WorthWatch as a part of the suite: its tables, rules, API and pages, and what follows changes."""

from __future__ import annotations

from pathlib import Path

from partita.apps.worthwatch.api import routes as api_routes
from partita.apps.worthwatch.changes import handlers
from partita.apps.worthwatch.demo import fill
from partita.apps.worthwatch.pages import routes as page_routes
from partita.apps.worthwatch.pages.sharing import FEEDS, PAGES
from partita.apps.worthwatch.permissions import MEMBERS, ROLES, WorthWatch
from partita.apps.worthwatch.personal_data import holdings
from partita.apps.worthwatch.schema import WORTHWATCH
from partita.apps.worthwatch.search import CATALOGS
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.kit import Kit
from partita.kit.permissions import Access, Viewer
from partita.kit.sharing import Sitemap
from partita.kit.system import Headline, Highlight, Link, System

HUE = 25
_MOST_COUNTED = 20
"""The start page counts what waits so far."""
_HERE = Path(__file__).parent


def build(kit: Kit) -> System:
    """The system, on a kit."""
    service = WorthWatchService(kit)

    async def applications(_viewer: Viewer) -> int:
        return await service.curators.count_waiting(_MOST_COUNTED)

    async def reports(_viewer: Viewer) -> int:
        return await service.reports.count_waiting(_MOST_COUNTED)

    async def news() -> tuple[Headline, ...]:
        page = await service.discovery.newest(limit=4)
        return tuple(
            Headline(
                card.watchlist.title,
                card.path,
                card.watchlist.published_at or "",
                f"by {card.curator_name}",
                card.watchlist.cover or (card.fan[0].picture if card.fan else None),
                card.fan[0].poster if card.fan else "",
            )
            for card in page
        )

    return System(
        name="worthwatch",
        title="WorthWatch",
        purpose="Curator-led watchlists: movies and shows worth your evening, with notes on why.",
        hue=HUE,
        icon="worthwatch",
        tables=(WORTHWATCH,),
        permissions=WorthWatch,
        roles=ROLES,
        members=frozenset(map(str, MEMBERS)),
        navigation=(
            Link("Discover", "/worthwatch", Access.PUBLIC, "grid"),
            Link("Tonight", "/worthwatch/tonight", Access.PUBLIC, "moon"),
            Link("To watch", "/worthwatch/to-watch", Access.SIGNED_IN, "bookmark"),
            Link("Diary", "/worthwatch/diary", Access.SIGNED_IN, "calendar"),
            Link("Saved", "/worthwatch/saved", Access.SIGNED_IN, "heart"),
            Link("My lists", "/worthwatch/me/lists", Access.SIGNED_IN, "list"),
            Link("Curators", "/worthwatch/curators", Access.PUBLIC, "users"),
            Link("Profile", "/worthwatch/profile", Access.SIGNED_IN, "user"),
            Link("Import", "/worthwatch/import", WorthWatch.LIST, "upload"),
            Link("Catalog", "/worthwatch/catalog", WorthWatch.CATALOG, "folder"),
            Link("Applications", "/worthwatch/applications", WorthWatch.DECIDE, "inbox"),
            Link("Reports", "/worthwatch/reports", WorthWatch.MODERATE, "flag"),
            Link("Log", "/worthwatch/log", WorthWatch.LOG, "history"),
            Link("Data model", "/worthwatch/design", Access.PUBLIC, "table"),
        ),
        search_path="/worthwatch/search",
        api=api_routes(service),
        pages=page_routes(service),
        templates=_HERE / "templates",
        static=_HERE / "static",
        changes=handlers(kit, service),
        jobs=(*service.notices.jobs, service.catalog.kind, service.imports.kind, service.merging.kind),
        personal_data=holdings(service),
        notifications=service.notices.kinds,
        feeds=FEEDS,
        news=news,
        sitemap=Sitemap(PAGES, service.sharing.addresses),
        highlights=(
            Highlight(
                "Applications to decide",
                "/worthwatch/applications",
                WorthWatch.DECIDE,
                "inbox",
                applications,
                _MOST_COUNTED,
                waits=True,
            ),
            Highlight(
                "Reports to look at",
                "/worthwatch/reports",
                WorthWatch.MODERATE,
                "flag",
                reports,
                _MOST_COUNTED,
                waits=True,
            ),
        ),
        adoptions=service.adoptions,
        files=service.pictures.owned,
        searches=CATALOGS,
        demo=lambda: fill(service, kit),
    )
