"""Enablement as a part of the suite."""

from __future__ import annotations

from pathlib import Path

from partita.apps.enablement import api, pages
from partita.apps.enablement.changes import handlers
from partita.apps.enablement.demo import fill
from partita.apps.enablement.permissions import ROLES, Enablement, members
from partita.apps.enablement.personal_data import holdings
from partita.apps.enablement.schema import CONTENT, EVENTS, NOTIFICATIONS, SUBSCRIPTIONS, Products
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.clock import SCHEDULES, jobs
from partita.apps.enablement.service.desks import MOST_COUNTED
from partita.apps.enablement.service.files import ATTACHMENTS, PREVIEWS
from partita.apps.enablement.service.previews import job as preview_job
from partita.apps.enablement.service.shown import cover_of
from partita.apps.enablement.service.texts import TEXTS
from partita.kit.files import OwnedFiles
from partita.kit.kit import Kit
from partita.kit.permissions import Access, Viewer
from partita.kit.system import Headline, Highlight, Link, System

HUE = 65
_NEWS = 4
_FOLDER = Path(__file__).parent


def build(kit: Kit) -> System:
    """The system, on a kit."""
    service = EnablementService(kit)

    async def news_for(viewer: Viewer) -> tuple[Headline, ...]:
        newest = await service.library.newest(viewer, {}, _NEWS)
        items = await service.content.visible(viewer, newest)
        products = await service.showing.products() if items else Products()
        return tuple(
            Headline(
                item.title,
                f"/enablement/content/{item.content_id}",
                item.last_updated,
                item.product_suite or "",
                picture=cover_of(item, products),
            )
            for item in items
        )

    return System(
        name="enablement",
        title="Enablement",
        purpose="A portal of enablement content with life cycles, subscriptions and analytics.",
        hue=HUE,
        icon="enablement",
        tables=(CONTENT, NOTIFICATIONS, SUBSCRIPTIONS, EVENTS),
        permissions=Enablement,
        roles=ROLES,
        members=members(kit.settings.enablement_viewers),
        navigation=(
            Link("Library", "/enablement", Enablement.READ, "grid"),
            Link("Reading list", "/enablement/reading", Enablement.READ, "bookmark"),
            Link("Collections", "/enablement/collections", Enablement.READ, "list"),
            Link("Following", "/enablement/following", Enablement.READ, "heart"),
            Link("Notifications", "/enablement/notifications", Enablement.READ, "bell"),
            Link("My desk", "/enablement/mine", Enablement.WRITE, "inbox"),
            Link("New content", "/enablement/new", Enablement.WRITE, "plus"),
            Link("Import", "/enablement/import", Enablement.WRITE, "upload"),
            Link("Reviews", "/enablement/review", Enablement.WRITE, "calendar"),
            Link("Manage content", "/enablement/manage", Enablement.WRITE, "table"),
            Link("Approval queue", "/enablement/queue", Enablement.APPROVE, "check"),
            Link("Analytics", "/enablement/analytics", Enablement.APPROVE, "chart"),
            Link("Products", "/enablement/products", Enablement.MANAGE, "tag"),
            Link("Log", "/enablement/log", Enablement.MANAGE, "clock"),
            Link("Data model", "/enablement/design", Access.PUBLIC, "table"),
        ),
        search_path="/enablement",
        api=api.routes(service),
        pages=pages.routes(service),
        templates=_FOLDER / "templates",
        static=_FOLDER / "static",
        changes=handlers(kit, service),
        personal_data=holdings(service, kit),
        notifications=service.notifications.kinds,
        notification_store=service.notifications.inbox,
        searches=(service.library.catalog,),
        files=(
            OwnedFiles(TEXTS, service.files.named),
            OwnedFiles(ATTACHMENTS, service.files.named_attachments, service.attachments.may_follow),
            OwnedFiles(PREVIEWS, service.files.named_previews),
        ),
        jobs=(
            *jobs(service.clock),
            preview_job(service.previews),
            service.reading.job(),
            service.summaries.job(),
            service.imports.kind,
            service.removals.kind,
            service.transfers.kind,
            service.bulk.kind,
        ),
        schedules=SCHEDULES,
        adoptions=service.adoptions,
        demo=lambda: fill(kit),
        news_for=news_for,
        highlights=(
            Highlight(
                "To read",
                "/enablement/reading",
                Enablement.READ,
                "bookmark",
                service.reading.to_read_count,
                most=MOST_COUNTED,
                waits=True,
            ),
            Highlight(
                "Waiting for approval",
                "/enablement/queue",
                Enablement.APPROVE,
                "check",
                service.desks.waiting_count,
                most=MOST_COUNTED,
                waits=True,
            ),
        ),
    )
