"""Newsletter as a part of the suite."""

from __future__ import annotations

import asyncio
from pathlib import Path

from partita.apps.newsletter import api, pages
from partita.apps.newsletter.changes import handlers
from partita.apps.newsletter.demo import fill
from partita.apps.newsletter.permissions import ROLES, Letters
from partita.apps.newsletter.personal_data import holdings
from partita.apps.newsletter.schema import MAIN
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.files import EDITIONS, PROPOSALS
from partita.apps.newsletter.service.notifications import KINDS
from partita.apps.newsletter.service.sources import FOLDER
from partita.kit.files import OwnedFiles
from partita.kit.kit import Kit
from partita.kit.permissions import Access, Viewer
from partita.kit.system import Headline, Highlight, Link, System

HUE = 305
_NEWS = 4
_FOLDER = Path(__file__).parent


def build(kit: Kit) -> System:
    """The system, on a kit."""
    service = NewsletterService(kit)

    async def news_for(viewer: Viewer) -> tuple[Headline, ...]:
        """The viewer's own newsletters and those that are shared with them, last edited first."""
        if not viewer.may(Letters.WRITE):
            return ()
        own, shared = await asyncio.gather(
            service.newsletters.mine(viewer, limit=_NEWS), service.newsletters.shared(viewer, limit=_NEWS)
        )
        headlines = (
            Headline(
                each.title,
                f"/newsletter/editions/{each.newsletter_code}",
                each.touched_at or each.created_at,
                each.issue_label,
            )
            for each in (*own, *shared)
        )
        return tuple(sorted(headlines, key=lambda each: each.at, reverse=True)[:_NEWS])

    return System(
        name="newsletter",
        title="Newsletter",
        purpose="A newsletter in four steps, and a proposal writer beside it.",
        hue=HUE,
        icon="newsletter",
        tables=(MAIN,),
        permissions=Letters,
        roles=ROLES,
        navigation=(
            Link("Newsletters", "/newsletter", Access.SIGNED_IN, "newsletter"),
            Link("New newsletter", "/newsletter/new", Letters.WRITE, "plus"),
            Link("Sources", "/newsletter/sources", Letters.READ_SOURCES, "folder"),
            Link("Proposals", "/newsletter/proposals", Letters.PROPOSE, "file"),
            Link("Try a search", "/newsletter/search", Letters.READ_SOURCES, "search"),
            Link("Writers", "/newsletter/writers", Letters.MANAGE_PROMPTS, "edit"),
            Link("Brand", "/newsletter/brand", Letters.MANAGE_BRAND, "settings"),
            Link("Data model", "/newsletter/design", Access.PUBLIC, "table"),
        ),
        search_path="/newsletter/find",
        api=api.routes(service),
        pages=pages.routes(service),
        templates=_FOLDER / "templates",
        static=_FOLDER / "static",
        changes=handlers(kit, service),
        personal_data=holdings(service, kit),
        notifications=KINDS,
        jobs=(*service.steps.kinds, *service.removal_kinds, service.generators.kind),
        adoptions=service.adoptions,
        searches=(service.passages.catalog,),
        files=(
            OwnedFiles(EDITIONS, service.files.of_editions),
            OwnedFiles(PROPOSALS, service.files.of_proposals),
            OwnedFiles(FOLDER, service.files.of_sources),
        ),
        highlights=(
            Highlight(
                "Newsletters and reviews that need you",
                "/newsletter",
                Letters.WRITE,
                "newsletter",
                service.waiting_for,
                waits=True,
            ),
            Highlight("New newsletter", "/newsletter/new", Letters.WRITE, "plus"),
        ),
        demo=lambda: fill(kit, service),
        news_for=news_for,
    )
