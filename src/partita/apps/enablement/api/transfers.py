"""Handing over everything of an owner over HTTP."""

from __future__ import annotations

from partita.apps.enablement.inputs import Transfer
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Json
from partita.kit.jobs.answers import StartedJob, accepted
from partita.kit.routes import CurrentViewer, Routes


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.post(
        "/owners/{user_id}/transfer",
        Enablement.MANAGE,
        status_code=202,
        response_model=StartedJob,
        refuses=[404, 422],
    )
    async def transfer_owner(viewer: CurrentViewer, user_id: str, transfer: Transfer) -> Json:
        """Hand over everything that somebody owns, whose account may be gone, to somebody who may write; as a job."""
        return accepted(await service.transfers.start(viewer, user_id, transfer))
