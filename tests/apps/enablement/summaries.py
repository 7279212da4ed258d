"""The numbers of the portal's windows, for applications without a worker: whoever asks first would wait for one."""

from __future__ import annotations

from partita.apps.enablement.service.summaries import WINDOWS, Summaries
from partita.kit.kit import Kit


async def make_summaries(kit: Kit) -> None:
    """Count every window as it is now."""
    for days in WINDOWS:
        await Summaries(kit).make(days)
