"""Filling in a submission from its page: name, purpose and logo, as a proposal that nobody has to take."""

from __future__ import annotations

import re
from dataclasses import dataclass

from partita.apps.kelifax.schema import LOGOS
from partita.kit.fetcher import Fetched
from partita.kit.icons import keep_icon
from partita.kit.inputs import one_line, tidy, without_halves
from partita.kit.kit import Kit
from partita.kit.limits import Rule

FILLING = Rule("kelifax-fill", most=30, seconds=3600)
MOST_NAME = 100
MOST_PURPOSE = 500
SMALLEST_LOGO = 64
_SHORTEST_NAME = 3
_SLOGAN = re.compile(r"\s+[|–—·:]\s+|\s+-\s+|:\s+")
"""What stands between the name of a thing and what its title says of it."""


@dataclass(frozen=True, slots=True)
class PageProposal:
    """What a page says about itself; each may be empty."""

    resource_name: str = ""
    usage_purpose: str = ""
    logo_image: str = ""
    """The name of an upload that a submission may claim within a day."""


class Filling:
    """Reads the page of a resource that somebody is about to submit."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    @property
    def enabled(self) -> bool:
        return self._kit.settings.fetch

    async def propose(self, url: str, address: str, *, logo: bool = True) -> PageProposal:
        """What the page says, with its icon if a logo is wanted; `FetchRefused` if it cannot be read."""
        await self._kit.limits.check(FILLING, address)
        page = await self._kit.fetcher.fetch(url)
        kept = await keep_icon(self._kit, page, LOGOS, smallest=SMALLEST_LOGO) if logo else None
        name, purpose = proposed_texts(page)
        return PageProposal(name, purpose, kept.rpartition("/")[2] if kept else "")


def proposed_texts(page: Fetched) -> tuple[str, str]:
    """Name and purpose, within the limits of the form."""
    title = str(one_line(without_halves(page.title)))
    name = _SLOGAN.split(title, 1)[0]
    name = title if len(name) < _SHORTEST_NAME else name
    return _cut(name, MOST_NAME), _cut(str(one_line(tidy(without_halves(page.description)))), MOST_PURPOSE)


def _cut(text: str, most: int) -> str:
    """The text, or as many whole words of it as fit."""
    if len(text) <= most:
        return text
    words = text[: most - 1].rpartition(" ")[0].rstrip(" ,;:.")
    return f"{words or text[: most - 1]}…"
