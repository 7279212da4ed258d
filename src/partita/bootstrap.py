"""The one place where everything is put together: which systems there are, and their tables."""

from __future__ import annotations

from collections.abc import Iterator

from partita.apps.enablement import schema as enablement
from partita.apps.fus import schema as fus
from partita.apps.kelifax import examples as kelifax_examples
from partita.apps.kelifax import schema as kelifax
from partita.apps.newsletter import examples as newsletter_examples
from partita.apps.newsletter import schema as newsletter
from partita.apps.worthwatch import examples as worthwatch_examples
from partita.apps.worthwatch import schema as worthwatch
from partita.apps.worthwatch.migration import WORTHWATCH_BY_ID
from partita.dynamo.python_values import item_from_python
from partita.table import Pattern, Table
from partita.table.examples import Examples
from partita.table.migrations import Migration

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

MIGRATIONS: dict[str, Migration] = {migration.name: migration for migration in (WORTHWATCH_BY_ID,)}


def tables() -> Iterator[Table]:
    """Every table of every system."""
    for system in SYSTEMS.values():
        yield from system


def patterns() -> Iterator[Pattern]:
    """Every access pattern of every system."""
    for table in tables():
        yield from table.patterns


def examples() -> Examples:
    """Example items like those the design documents print."""
    systems = (kelifax_examples, newsletter_examples, worthwatch_examples)
    rows = [pair for system in systems for pair in system.DOCUMENTED.items()]
    return Examples(kind.from_row(item_from_python(row)) for kind, row in rows)
