"""The brand over HTTP."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from partita.apps.newsletter.inputs import BrandEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Brand
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.brand import readable
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class BrandView(View):
    """How editions look."""

    model_config = ConfigDict(alias_generator=None)

    version: int = Field(description="0 before anything was set.")
    colour: str
    text_colour: str = Field(description="The colour as text has it: dark enough to be read on white.")
    masthead_line: str
    imprint: str
    sign_off: str
    theme: str
    logo_key: str | None
    logo_alt: str


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.get("/brand", Letters.WRITE, response_model=BrandView)
    async def get_brand() -> Json:
        """The brand in use."""
        return Json(_view(await service.brand.current()))

    @api.patch("/brand", Letters.MANAGE_BRAND, response_model=BrandView, refuses=[409, 422])
    async def edit_brand(viewer: CurrentViewer, edit: BrandEdit) -> Json:
        """Change the brand of all editions. The logo is uploaded on its page."""
        return Json(_view(await service.brand.save(edit, viewer)))


def _view(brand: Brand) -> dict[str, Any]:
    return BrandView.of(brand, text_colour=readable(brand.colour, brand.theme).text)
