"""What a site takes from its page, and when to look again at a page that could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from partita.apps.fus.formats import MOST_TEXT_BYTES, cut
from partita.apps.fus.inputs import MOST_DESCRIPTION, MOST_TITLE
from partita.apps.fus.schema import Site
from partita.kit.clock import Clock, stamp
from partita.kit.fetcher import Fetched
from partita.kit.inputs import one_line, tidy, without_halves
from partita.table.types import timestamp

PAUSES = tuple(timedelta(hours=hours) for hours in (1, 6, 24, 72, 168))
"""How long a page that could not be read is left alone, after each try; then it is given up."""
_LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True)
class PageText:
    """What is kept of a page, within the limits of a site."""

    title: str
    description: str
    text: str


def page_text(page: Fetched) -> PageText:
    """What a site takes from its page."""
    return PageText(
        title=str(one_line(without_halves(page.title)))[:MOST_TITLE].strip(),
        description=str(tidy(without_halves(page.description)))[:MOST_DESCRIPTION].strip(),
        text=cut(str(tidy(without_halves(page.text))), MOST_TEXT_BYTES),
    )


def with_page(site: Site, fetched: Fetched | str, clock: Clock, title: str, *, again: bool) -> Site:
    """The site with what its page says, or with why it could not be read and, if `again`, when to look once more; what
    people wrote themselves stays."""
    if isinstance(fetched, str):
        noted = site.with_(Site.fetch_note(fetched[:_LONGEST_NOTE]))
        return noted.with_(Site.fetch_due(due_after(1, clock)), Site.fetch_tries(1)) if again else noted
    page = page_text(fetched)
    return site.with_(
        Site.scraped_content(page.text),
        Site.title(title or page.title or site.title),
        Site.description(site.description or page.description),
        Site.fetched_at(stamp(clock)),
        Site.fetch_note(None),
        Site.fetch_due(None),
        Site.fetch_tries(None),
        Site.icon_tries(None),
    )


def due_after(tries: int, clock: Clock) -> str | None:
    """When to look again after so many tries; None if that was the last one."""
    return timestamp(clock.now() + PAUSES[tries - 1]) if tries <= len(PAUSES) else None
