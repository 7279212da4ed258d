"""The outline over HTTP: whole, and item by item."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from partita.apps.newsletter.api.steps import StepView, accepted, step_view
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.inputs import ItemEdit, ItemMove, NewItem, OutlineEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter, Outline
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.outline import outdated, plan_of
from partita.apps.newsletter.service.outlining import item_version
from partita.kit.answers import Json
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_OUTLINE = "/newsletters/{code}/outline"
_ITEM = f"{_OUTLINE}/items/{{item_id}}"


class OutlineView(View):
    """An outline, in the document's words."""

    model_config = ConfigDict(alias_generator=None)

    outline_status: str
    outline_started_at: str | None
    outline_completed_at: str | None
    outline_error: str | None
    sections: list[dict[str, Any]] = Field(
        description="As stored; each item has its `version`: an edit that names it is refused if others were faster."
    )
    user_modifications: dict[str, Any]
    generated_at: str | None
    updated_at: str
    revision: int
    made_with: dict[str, Any] = Field(description="Writer, model, tokens, and the reason if it was made without one.")
    outdated: list[str] = Field(description="What has changed since it was made.")


def _with_versions(outline: Outline) -> list[dict[str, Any]]:
    versions = {item.id: item_version(item) for item in plan_of(outline).items}
    return [
        {**section, "items": [{**item, "version": versions[item["id"]]} for item in section.get("items", ())]}
        for section in as_plain(outline.sections)
    ]


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    outlines = service.outline

    async def view(newsletter: Newsletter, outline: Outline) -> dict[str, Any]:
        topics = await service.topics.of(newsletter)
        return OutlineView.of(
            outline,
            sections=_with_versions(outline),
            user_modifications=as_plain(outline.user_modifications),
            made_with=as_plain(outline.made_with),
            outdated=list(outdated(newsletter, topics, outline)),
        )

    async def answer(viewer: Viewer, code: str, status: int = 200) -> Json:
        return Json(await view(*await outlines.get(viewer, code)), status)

    @api.get(_OUTLINE, Letters.WRITE, response_model=OutlineView, refuses=[404])
    async def get_outline(viewer: CurrentViewer, code: str) -> Json:
        """The outline."""
        return await answer(viewer, code)

    @api.put(_OUTLINE, Letters.WRITE, response_model=OutlineView, refuses=[403, 404, 409, 422])
    async def put_outline(viewer: CurrentViewer, code: str, edit: OutlineEdit) -> Json:
        """Sections and items in their order; those without an id are added, those that are missing are removed."""
        await outlines.replace(viewer, code, edit)
        return await answer(viewer, code)

    @api.post(
        f"{_OUTLINE}/generate",
        Letters.WRITE,
        status_code=202,
        response_model=StepView,
        refuses=[403, 404, 409, 429],
    )
    async def generate_outline(viewer: CurrentViewer, code: str) -> Json:
        """Make the outline of what was found; your own items, words, order and removals are kept."""
        return accepted(code, step_view(await service.steps.start(viewer, code, "outline")))

    @api.post(f"{_OUTLINE}/items", Letters.WRITE, status_code=201, response_model=OutlineView, refuses=[403, 404, 409])
    async def add_item(viewer: CurrentViewer, code: str, new: NewItem) -> Json:
        """Add a story of your own to a section; its id is `custom-item-N`."""
        await outlines.add_item(viewer, code, new)
        return await answer(viewer, code, 201)

    @api.patch(_ITEM, Letters.WRITE, response_model=OutlineView, refuses=[400, 403, 404, 409, 422])
    async def edit_item(viewer: CurrentViewer, code: str, item_id: str, edit: ItemEdit) -> Json:
        """Change an item, or switch it off."""
        await outlines.edit_item(viewer, code, item_id, edit)
        return await answer(viewer, code)

    @api.delete(_ITEM, Letters.WRITE, response_model=OutlineView, refuses=[403, 404, 409])
    async def remove_item(viewer: CurrentViewer, code: str, item_id: str) -> Json:
        """Remove an item; making the outline anew does not bring it back."""
        await outlines.remove_item(viewer, code, item_id)
        return await answer(viewer, code)

    @api.post(f"{_ITEM}/move", Letters.WRITE, response_model=OutlineView, refuses=[403, 404, 409, 422])
    async def move_item(viewer: CurrentViewer, code: str, item_id: str, move: ItemMove) -> Json:
        """Move an item a step `up` or `down`, or to a place in a section."""
        await outlines.move_item(viewer, code, item_id, move)
        return await answer(viewer, code)
