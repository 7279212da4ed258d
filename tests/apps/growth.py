"""What pages read when much is stored; `make growth` tries it with very much."""

from __future__ import annotations

import os
from collections.abc import Mapping

from partita.kit.kit import Kit
from partita.store.observe import Observation
from partita.table import Table
from tests.web.visitor import Visitor

_READS = ("GetItem", "Query", "BatchGetItem", "TransactGetItems")
_MOVED = (301, 302, 303, 307, 308)


def sizes(small: str) -> list[int]:
    """How much there is, from little to much: with all other tests little, otherwise as PARTITA_GROWTH says."""
    return [int(size) for size in os.environ.get("PARTITA_GROWTH", small).split(",")]


async def units_of_pages(kit: Kit, pages: Mapping[str, tuple[Visitor, str]], *tables: Table) -> dict[str, float]:
    """The read units of pages on these tables, each as somebody gets it; none may look at whole tables."""
    names = {table.name for table in tables}
    calls: list[Observation] = []
    kit.store.observe(calls.append)
    units = {}
    for name, (who, path) in pages.items():
        calls.clear()
        answer = await who.get(path)
        if answer.status in _MOVED:  # the address gets its readable tail
            calls.clear()
            answer = await who.get(answer.location)
        assert answer.status == 200, (name, answer.status, answer.text[:500])
        assert "Scan" not in {call.operation for call in calls}, name
        units[name] = sum(call.units for call in calls if call.operation in _READS and names & set(call.tables))
    kit.store.observers.remove(calls.append)
    return units


def check_growth(measured: Mapping[int, Mapping[str, float]], limits: Mapping[str, float]) -> None:
    """With the most that is stored, pages stay in their limits, and cost what they cost with the least."""
    least, most = measured[min(measured)], measured[max(measured)]
    for name, limit in limits.items():
        assert most[name] <= limit, (name, most[name])
        assert most[name] <= least[name] + 1, f"{name} costs more because more is stored: {least[name]}, {most[name]}"
