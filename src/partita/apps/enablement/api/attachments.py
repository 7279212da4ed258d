"""Files of content over HTTP: sending, attaching, downloading."""

from __future__ import annotations

from fastapi import Request
from pydantic import ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from partita.apps.enablement.api.content import Edited, edited
from partita.apps.enablement.inputs import Attachment, NewUpload
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class UploadView(View):
    """Where one file may be sent: as a form with these fields, and then the file in the field `file`."""

    model_config = ConfigDict(alias_generator=None)

    upload_id: str
    url: str
    fields: dict[str, str]
    seconds: int = Field(description="How long the address can be used.")


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.post(
        "/content/{content_id}/uploads",
        Enablement.WRITE,
        status_code=201,
        response_model=UploadView,
        refuses=[403, 404, 409, 422, 429],
    )
    async def begin_upload(viewer: CurrentViewer, content_id: str, new: NewUpload) -> Json:
        """An address to send a file to, of at most 100 MB and within five minutes.

        What is not attached within a day is deleted.
        """
        begun = await service.attachments.begin(viewer, content_id, new)
        view = {"upload_id": begun.row.upload_id, "url": begun.form.url, "fields": dict(begun.form.fields)}
        return Json({**view, "seconds": 300}, 201)

    @api.post("/content/{content_id}/attach", Enablement.WRITE, response_model=Edited, refuses=[403, 404, 409, 422])
    async def attach(viewer: CurrentViewer, content_id: str, attachment: Attachment) -> Json:
        """Attach a file that you have sent, in the place of the one before. What it is, its content says."""
        return Json(edited(await service.attachments.attach(viewer, content_id, attachment)))

    @api.get(
        "/content/{content_id}/download",
        Enablement.READ,
        response_class=Response,
        status_code=302,
        responses={302: {"description": "The file, for an hour."}},
        refuses=[403, 404],
    )
    async def download(viewer: CurrentViewer, content_id: str, request: Request) -> Response:
        """The file. A download is counted."""
        link = await service.attachments.download(viewer, content_id, counts=counts(request))
        return RedirectResponse(link, 302, {"Cache-Control": "private, no-store"})


def counts(request: Request) -> bool:
    """Whether somebody wants the file: not a program that only looks whether it is there, or a browser in advance."""
    purpose = f"{request.headers.get('sec-purpose', '')} {request.headers.get('purpose', '')}"
    return request.method == "GET" and "prefetch" not in purpose
