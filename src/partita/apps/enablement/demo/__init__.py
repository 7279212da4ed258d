"""Demo data: the portal of a maker of lab instruments, filled through the services at times in the past.

Each part is a file of its own; they run in order, since later ones refer to what earlier ones made.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from partita.apps.enablement import schema
from partita.apps.enablement.demo import (
    collections,
    following,
    imports,
    items,
    people,
    products,
    reading,
    responses,
    use,
)
from partita.apps.enablement.demo.stage import Stage
from partita.kit.kit import Kit

Part = Callable[[Stage], Awaitable[str]]
PARTS: tuple[Part, ...] = (
    people.fill,
    products.fill,
    items.fill,
    imports.fill,
    use.fill,
    reading.fill,
    responses.fill,
    collections.fill,
    following.fill,
)
"""Each says what it added."""


async def fill(kit: Kit) -> str:
    """Fill an empty portal; tells what was added, and how to sign in."""
    for status in ("Approved", "Draft"):
        if len(await kit.store.page(schema.content_with_status(status), limit=1)):
            return "Enablement: nothing added, since there is content already."
    stage = Stage(kit)
    added = [await part(stage) for part in PARTS]
    return f"Enablement: {', '.join(filter(None, added))}.{people.how_to_sign_in(stage)}"
