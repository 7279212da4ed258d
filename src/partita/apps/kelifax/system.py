"""Kelifax as a part of the suite."""

from __future__ import annotations

from partita.apps.kelifax import api, pages
from partita.apps.kelifax.changes import handlers
from partita.apps.kelifax.demo import fill
from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.permissions import ROLES, Kelifax
from partita.apps.kelifax.schema import RESOURCES
from partita.apps.kelifax.search import CATALOG
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.visits import Visits
from partita.kit.kit import Kit
from partita.kit.permissions import Access
from partita.kit.system import Headline, Link, System

HUE = 250


def build(kit: Kit) -> System:
    """The system, on a kit."""
    service = KelifaxService(kit)
    visits = Visits(service.count_views)

    async def news() -> tuple[Headline, ...]:
        page = await service.browse(limit=4)
        return tuple(
            Headline(
                each.resource.resource_name,
                f"/kelifax/resources/{each.resource.resource_slug}",
                each.resource.created_at,
                category_name(each.resource.category),
            )
            for each in page.found
        )

    return System(
        name="kelifax",
        title="Kelifax",
        purpose="A public directory of developer resources, kept good by moderators.",
        hue=HUE,
        tables=(RESOURCES,),
        permissions=frozenset(map(str, Kelifax)),
        roles=ROLES,
        navigation=(
            Link("Home", "/kelifax", Access.PUBLIC, "home"),
            Link("Browse", "/kelifax/resources", Access.PUBLIC, "list"),
            Link("Submit", "/kelifax/submit", Access.PUBLIC, "plus"),
            Link("Moderation", "/kelifax/moderation", Kelifax.READ_MODERATION, "shield"),
            Link("Log", "/kelifax/moderation/log", Kelifax.READ_LOG, "clock"),
            Link("Analytics", "/kelifax/analytics", Kelifax.READ_ANALYTICS, "chart"),
            Link("Design", "/kelifax/design", Access.PUBLIC, "table"),
        ),
        search_path="/kelifax/resources",
        api=api.routes(service),
        pages=pages.routes(service, visits),
        changes=handlers(kit),
        searches=(CATALOG,),
        demo=lambda: fill(service, kit),
        news=news,
        finish=visits.finish,
    )
