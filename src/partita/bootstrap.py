"""The one place where everything is put together: which systems there are, and their tables."""

from __future__ import annotations

from collections.abc import Iterator

from partita.apps.enablement import schema as enablement
from partita.apps.fus import schema as fus
from partita.apps.kelifax import schema as kelifax
from partita.apps.newsletter import schema as newsletter
from partita.apps.worthwatch import schema as worthwatch
from partita.table import Pattern, Table

SYSTEMS: dict[str, tuple[Table, ...]] = {
    "kelifax": (kelifax.RESOURCES,),
    "fus": (fus.FUS,),
    "worthwatch": (worthwatch.WORTHWATCH,),
    "newsletter": (newsletter.MAIN,),
    "enablement": (
        enablement.CONTENT,
        enablement.NOTIFICATIONS,
        enablement.SUBSCRIPTIONS,
        enablement.EVENTS,
    ),
}


def tables() -> Iterator[Table]:
    """Every table of every system."""
    for system in SYSTEMS.values():
        yield from system


def patterns() -> Iterator[Pattern]:
    """Every access pattern of every system."""
    for table in tables():
        yield from table.patterns
