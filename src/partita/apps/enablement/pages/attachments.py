"""Files of content: downloading, and sending one without script."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from partita.apps.enablement.api.attachments import counts
from partita.apps.enablement.inputs import Attachment, NewUpload
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import redirect, render
from partita.kit.routes import CurrentViewer, Routes


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @pages.get("/content/{content_id}/download", Enablement.READ)
    async def download(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """The file: checked, counted, and then a link that ends."""
        link = await service.attachments.download(viewer, content_id, counts=counts(request))
        return RedirectResponse(link, 302, {"Cache-Control": "private, no-store"})

    @pages.get("/content/{content_id}/upload", Enablement.WRITE)
    async def upload(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Choose a file and send it, without script."""
        content, _, fields = await service.content.for_editor(viewer, content_id)
        # The file goes straight to where files are kept, which sends the browser back here.
        then = f"/enablement/content/{content_id}/attach?upload={{upload_id}}"
        begun = await service.attachments.begin(viewer, content_id, NewUpload(file_name="file"), then=then)
        return render(request, "enablement/upload.html", content=content, fields=fields, begun=begun, form=Parsed(None))

    @pages.get("/content/{content_id}/attach", Enablement.WRITE)
    async def name_it(request: Request, viewer: CurrentViewer, content_id: str, upload: str = "") -> Response:
        """The file has arrived: what is it called?"""
        content, _, fields = await service.content.for_editor(viewer, content_id)
        await service.attachments.arrived(viewer, content_id, upload)
        form: Parsed[Attachment] = Parsed(None, {"upload_id": upload, "file_name": fields.file_name or ""})
        return render(request, "enablement/attach.html", content=content, form=form)

    @pages.post("/content/{content_id}/attach", Enablement.WRITE)
    async def attach(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Attach it."""

        async def save(attachment: Attachment) -> Response:
            await service.attachments.attach(viewer, content_id, attachment)
            return redirect(f"/enablement/content/{content_id}/edit", flash="The file is attached.")

        async def again(form: Parsed[Attachment]) -> Response:
            content, _ = await service.content.look(viewer, content_id)
            return render(request, "enablement/attach.html", content=content, form=form)

        return await submitted(request, Attachment, save, again)
