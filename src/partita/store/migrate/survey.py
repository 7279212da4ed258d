"""Looking at every row before the first is moved: how many there are, and which claims meet."""

from __future__ import annotations

import threading

from partita.store.migrate.claims import Claims
from partita.store.migrate.moving import plan_of
from partita.store.migrate.report import Progress, Tell
from partita.store.migrate.segments import Segments
from partita.table.migrations import Migration, Move

_LOOKING = "looking at every row"


def survey(parts: Segments, migration: Migration, claims: Claims, tell: Tell) -> int:
    """Gather the claims of all rows; the number of rows."""
    seen = 0
    lock = threading.Lock()

    def segment(number: int) -> None:
        nonlocal seen
        for page in parts.pages(number):
            plans = ((migration.label(row), plan_of(migration, row)) for row in page.rows)
            claims.add((label, plan) for label, plan in plans if isinstance(plan, Move))
            with lock:
                seen += len(page.rows)
                tell(Progress(_LOOKING, seen, None))

    parts.side_by_side(segment)
    return seen
