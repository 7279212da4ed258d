"""Kelifax as a part of the suite."""

from __future__ import annotations

from pathlib import Path

from partita.apps.kelifax import api, pages
from partita.apps.kelifax.changes import handlers
from partita.apps.kelifax.demo import fill
from partita.apps.kelifax.pages.sharing import FEEDS, PAGES
from partita.apps.kelifax.permissions import MEMBERS, ROLES, Kelifax
from partita.apps.kelifax.personal_data import holdings
from partita.apps.kelifax.schema import LOGOS, RESOURCES
from partita.apps.kelifax.search import CATALOG
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.adoption import adoptions
from partita.apps.kelifax.service.notifications import KINDS
from partita.apps.kelifax.service.recounting import RECOUNTS
from partita.apps.kelifax.service.reports import MOST_COUNTED
from partita.apps.kelifax.service.views import SCHEDULES
from partita.kit.files import OwnedFiles
from partita.kit.kit import Kit
from partita.kit.permissions import Access, Viewer
from partita.kit.sharing import Sitemap
from partita.kit.system import Headline, Highlight, Link, System

HUE = 250


def build(kit: Kit) -> System:
    """The system, on a kit."""
    service = KelifaxService(kit)

    async def news() -> tuple[Headline, ...]:
        return tuple(
            Headline(
                each.resource_name,
                f"/kelifax/resources/{each.resource_slug}",
                each.public_since,
                each.category_name,
                each.logo_file,
            )
            for each in await service.resources.new(limit=4)
        )

    async def pending(_viewer: Viewer) -> int:
        return (await service.analytics.statuses())["pending"]

    async def reports(_viewer: Viewer) -> int:
        return await service.reports.count_open(MOST_COUNTED)

    return System(
        name="kelifax",
        title="Kelifax",
        purpose="A public directory of developer resources, reviewed by moderators.",
        hue=HUE,
        icon="kelifax",
        tables=(RESOURCES,),
        permissions=Kelifax,
        roles=ROLES,
        members=MEMBERS,
        navigation=(
            Link("Home", "/kelifax", Access.PUBLIC, "home"),
            Link("Browse", "/kelifax/resources", Access.PUBLIC, "list"),
            Link("Tags", "/kelifax/tags", Access.PUBLIC, "tag"),
            Link("Submit", "/kelifax/submit", Access.PUBLIC, "plus"),
            Link("Saved", "/kelifax/saved", Kelifax.LIKE, "bookmark"),
            Link("My submissions", "/kelifax/submissions", Access.SIGNED_IN, "inbox"),
            Link("Moderation", "/kelifax/moderation", Kelifax.READ_MODERATION, "shield"),
            Link("Log", "/kelifax/moderation/log", Kelifax.READ_LOG, "clock"),
            Link("Import", "/kelifax/moderation/import", Kelifax.TRANSFER, "upload"),
            Link("Analytics", "/kelifax/analytics", Kelifax.READ_ANALYTICS, "chart"),
            Link("Data model", "/kelifax/design", Access.PUBLIC, "table"),
        ),
        search_path="/kelifax/resources",
        api=api.routes(service),
        pages=pages.routes(service),
        templates=Path(__file__).parent / "templates",
        changes=handlers(kit),
        jobs=(service.views.kind, service.links.kind, service.logos.kind, service.transfer.kind),
        schedules=(*SCHEDULES, *service.links.schedules),
        adoptions=adoptions(kit.store),
        recounts=RECOUNTS,
        searches=(CATALOG,),
        files=(OwnedFiles(LOGOS, service.resources.named_files),),
        personal_data=holdings(service),
        notifications=KINDS,
        demo=lambda: fill(service, kit),
        news=news,
        feeds=FEEDS,
        sitemap=Sitemap(PAGES, service.sharing.addresses),
        highlights=(
            Highlight(
                "Submissions to review", "/kelifax/moderation", Kelifax.READ_MODERATION, "inbox", pending, waits=True
            ),
            Highlight(
                "Open reports",
                "/kelifax/moderation/reports",
                Kelifax.READ_MODERATION,
                "flag",
                reports,
                MOST_COUNTED,
                waits=True,
            ),
            Highlight("Submit a resource", "/kelifax/submit", Access.PUBLIC, "plus"),
        ),
        finish=service.visits.finish,
    )
