"""How far two people agree on the titles that both have rated."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.service.curators import Curators
from partita.apps.worthwatch.service.labels import Ref, Title, titles_by_ref
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer

FEWEST = 5
"""Titles that both have rated; with fewer there is no percentage."""
_EXAMPLES = 3
_LOVED = 7
"""What somebody who loves a title gives at least."""
_WIDEST = 9
"""The largest difference of two ratings."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A title with both ratings."""

    title: Title
    mine: int
    theirs: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the viewer agrees with somebody."""

    common: int
    percent: int | None
    """None with fewer than five titles in common."""
    loved: tuple[Compared, ...] = ()
    differ: tuple[Compared, ...] = ()
    to_rate: tuple[Title, ...] = ()
    """Titles that they rated highest and the viewer has not rated, while too few are in common."""

    @property
    def missing(self) -> int:
        """How many titles more it takes."""
        return max(0, FEWEST - self.common)


class Agreements:
    """Compares tastes: ratings side by side, without reviews."""

    def __init__(self, kit: Kit, curators: Curators) -> None:
        self._store = kit.store
        self._curators = curators

    async def with_curator(self, viewer: Viewer, curator_id: str) -> Agreement:
        """How far the viewer agrees with a curator, whose ratings are public."""
        curator = await self._curators.curator(curator_id)
        mine, theirs = await asyncio.gather(self._taste(viewer.id), self._taste(curator.user_id))
        both = sorted(mine.keys() & theirs.keys())
        if len(both) < FEWEST:
            best = sorted(theirs.keys() - mine.keys(), key=lambda ref: (-theirs[ref], ref))[:_EXAMPLES]
            titles = await titles_by_ref(self._store, best)
            return Agreement(len(both), None, to_rate=tuple(titles.values()))
        loved, differ = examples(mine, theirs)
        titles = await titles_by_ref(self._store, (*loved, *differ))
        compared = {ref: Compared(title, mine[ref], theirs[ref]) for ref, title in titles.items()}
        return Agreement(
            len(both),
            percent(mine, theirs),
            tuple(compared[ref] for ref in loved if ref in compared),
            tuple(compared[ref] for ref in differ if ref in compared),
        )

    async def _taste(self, user_id: str) -> dict[Ref, int]:
        entries = self._store.stream(schema.taste_of(user_id), chunk=1000)
        return {(each.content_type, each.content_id): each.rating async for each in entries}


def percent(mine: Mapping[Ref, int], theirs: Mapping[Ref, int]) -> int | None:
    """100 × (1 - mean difference / 9) over titles both rated, rounded; None if those are too few."""
    both = mine.keys() & theirs.keys()
    if len(both) < FEWEST:
        return None
    difference = sum(abs(mine[ref] - theirs[ref]) for ref in both)
    return round(100 * (1 - difference / (_WIDEST * len(both))))


def examples(mine: Mapping[Ref, int], theirs: Mapping[Ref, int]) -> tuple[list[Ref], list[Ref]]:
    """Three titles that both love, and three that they differ most on."""
    both = sorted(mine.keys() & theirs.keys())
    loved = [ref for ref in both if min(mine[ref], theirs[ref]) >= _LOVED]
    loved.sort(key=lambda ref: -(mine[ref] + theirs[ref]))
    differ = [ref for ref in both if abs(mine[ref] - theirs[ref]) >= 2]
    differ.sort(key=lambda ref: -abs(mine[ref] - theirs[ref]))
    return loved[:_EXAMPLES], differ[:_EXAMPLES]
