"""Handing over everything that somebody owns."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.inputs import Transfer
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import redirect, render
from partita.kit.routes import CurrentViewer, Routes


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    async def page(request: Request, viewer: CurrentViewer, user_id: str, form: Parsed[Transfer]) -> Response:
        transfers = service.transfers
        return render(
            request,
            "enablement/transfer.html",
            form=form,
            owner=await transfers.owner(user_id),
            user_id=user_id,
            number=await transfers.count(viewer, user_id),
            heirs=[(heir.username, heir.name) for heir in await transfers.heirs(viewer, user_id)],
        )

    @pages.get("/owners/complete", Enablement.WRITE)
    async def complete(
        request: Request, viewer: CurrentViewer, to: Annotated[str, Query(max_length=200)] = ""
    ) -> Response:
        """Options for the field of a new owner: people who may write."""
        people = await service.transfers.suggest(viewer, to)
        return render(request, "people_options.html", people=people)

    @pages.get("/owners/{user_id}/transfer", Enablement.MANAGE)
    async def ask(request: Request, viewer: CurrentViewer, user_id: str) -> Response:
        return await page(request, viewer, user_id, Parsed(None))

    @pages.post("/owners/{user_id}/transfer", Enablement.MANAGE, keeps=Transfer)
    async def start(request: Request, viewer: CurrentViewer, user_id: str) -> Response:
        async def save(transfer: Transfer) -> Response:
            job = await service.transfers.start(viewer, user_id, transfer)
            return redirect(f"/jobs/{job.job_id}")

        async def again(form: Parsed[Transfer]) -> Response:
            return await page(request, viewer, user_id, form)

        return await submitted(request, Transfer, save, again)
