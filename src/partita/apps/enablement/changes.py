"""What follows a change of content: files that no row names any more are deleted."""

from __future__ import annotations

from partita.apps.enablement.schema import CONTENT, Content, Proposal
from partita.apps.enablement.service import EnablementService
from partita.kit.changes import Change, Handler


def handlers(service: EnablementService) -> tuple[Handler, ...]:
    """The portal's handlers; each may see a change twice."""

    async def delete_files(change: Change) -> None:
        before, after = change.read(Content)
        if before is not None:
            await service.files.delete_replaced(before, after)
        proposed, left = change.read(Proposal)
        if proposed is not None:
            await service.files.delete_proposed(proposed, left)

    return (Handler("enablement.files", CONTENT, delete_files),)
