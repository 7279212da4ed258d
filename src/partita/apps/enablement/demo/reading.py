"""What people must read: two items, each confirmed by half of those who were asked."""

from __future__ import annotations

from partita.apps.enablement.demo.stage import Stage, entries
from partita.apps.enablement.inputs import MustReadRequest

_ASKED = ("ines", "kwame", "yuki", "layla", "fergus", "ioana")
_ASKED_AGO = 12
_DUE_IN = (4, 11)


async def fill(stage: Stage) -> str:
    """One is due within days."""
    wanted = [entry for entry in entries("content") if entry.get("mustRead")]
    for place, entry in enumerate(wanted):
        service, clock = stage.past(_ASKED_AGO - place, f"{entry['key']} asked")
        content_id = stage.content[entry["key"]]
        request = MustReadRequest(read_by=stage.day(_DUE_IN[place]), usernames=_ASKED)
        await service.reading.ask(stage.viewers["marit"], content_id, request)
        # Not the same half of each.
        for day, username in enumerate(_ASKED[place::2], 1):
            clock.to(stage.moment(_ASKED_AGO - place - 2 * day, f"{entry['key']} {username} confirms"))
            await service.reading.confirm(stage.viewers[username], content_id)
    return f"{len(wanted)} must-reads"
