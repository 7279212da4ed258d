"""Collections: content in an order, put together by approvers."""

from __future__ import annotations

from partita.apps.enablement.demo.stage import Stage, entries
from partita.apps.enablement.inputs import CollectionEntry, NewCollection

_MADE_AGO = 9


async def fill(stage: Stage) -> str:
    """All of them; one names content that is retired since."""
    wanted = entries("collections")
    for place, entry in enumerate(wanted):
        service, _ = stage.past(_MADE_AGO + place, entry["title"])
        listed = tuple(
            CollectionEntry(content_id=stage.content[each["content"]], note=each["note"]) for each in entry["entries"]
        )
        new = NewCollection(title=entry["title"], text=entry["text"], entries=listed)
        await service.collections.create(stage.viewers[entry["by"]], new)
    return f"{len(wanted)} collections"
