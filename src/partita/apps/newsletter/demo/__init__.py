"""Demo data: sources on farming in East Africa in our own words, and newsletters and proposals made from them."""

from __future__ import annotations

from partita.apps.newsletter import schema
from partita.apps.newsletter.demo import newsletters, people, proposals, sources
from partita.apps.newsletter.demo.stage import Stage
from partita.apps.newsletter.service import NewsletterService
from partita.kit.kit import Kit


async def fill(kit: Kit, service: NewsletterService) -> str:
    """Fill an empty system; tells what was added, and how to sign in."""
    if len(await kit.store.page(schema.sources(), limit=1)):
        return "Newsletter: nothing added, since there are sources already."
    stage = Stage(kit, service)
    added = [await part.fill(stage) for part in (people, sources, newsletters, proposals)]
    return f"Newsletter: {', '.join(added)}.{people.how_to_sign_in(stage)}"
