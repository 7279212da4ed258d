"""Pictures of a newsletter over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, UploadFile
from pydantic import ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from partita.apps.newsletter.inputs import PictureWords
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.images import MOST_BYTES
from partita.kit.answers import Json
from partita.kit.inputs import Line
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class ImageView(View):
    """A picture of a newsletter."""

    model_config = ConfigDict(alias_generator=None)

    name: str = Field(description="As the text names it: `images/….png`.")
    alt: str
    caption: str
    width: int
    height: int
    file_size: int
    s3_key: str
    markdown: str = Field(description="How the text shows it.")


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.post(
        "/newsletters/{code}/images",
        Letters.WRITE,
        status_code=201,
        response_model=ImageView,
        refuses=[403, 404, 409, 413, 422],
        most_bytes=MOST_BYTES + 20_000,
    )
    async def add_image(
        viewer: CurrentViewer,
        code: str,
        file: UploadFile,
        alt: Annotated[Line, Form(min_length=1, max_length=300)],
        caption: Annotated[Line, Form(max_length=300)] = "",
    ) -> Json:
        """Add a picture (PNG, JPEG, WebP or GIF, 5 MB) with a description for those who do not see it."""
        words = PictureWords(alt=alt, caption=caption)
        return Json(ImageView.of(await service.images.add(viewer, code, await file.read(), words)), 201)

    @api.get(
        "/newsletters/{code}/images/{name}", Letters.WRITE, status_code=302, response_class=Response, refuses=[404]
    )
    async def get_image(viewer: CurrentViewer, code: str, name: str) -> Response:
        """A picture; leads to where it is kept."""
        return RedirectResponse(
            await service.images.address(viewer, code, name), 302, {"Cache-Control": "private, no-store"}
        )
