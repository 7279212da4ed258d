"""Collections and products over HTTP."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from partita.apps.enablement.inputs import CollectionEdit, NewCollection, ProductsInput
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Products
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.collections import Place, Shelf
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View

_SNAKE = ConfigDict(alias_generator=None)


class PlaceView(View):
    """A content item in a collection."""

    model_config = _SNAKE

    content_id: str
    title: str
    note: str
    read: bool = Field(description="Whether you have confirmed that you have read it.")
    retired: bool = Field(description="Whether it is out of use.")
    superseded_by: str | None = Field(description="What replaced it.")


class CollectionView(View):
    """Content in an order, and how far you are."""

    model_config = _SNAKE

    collection_id: str
    title: str
    text: str
    entries: list[PlaceView]
    read: int
    to_read: int
    revision: int = Field(description="Send it with an edit, and the edit is refused if somebody was faster.")


class SuiteView(View):
    """A product suite."""

    model_config = _SNAKE

    name: str
    concepts: list[str]
    colour: int
    review_days: int | None
    valid_days: int | None


class ProductsView(View):
    """The suites in their order, and the words for audiences and stages."""

    model_config = _SNAKE

    suites: list[SuiteView]
    audiences: list[str]
    stages: list[str]
    revision: int = Field(description="Send it with the next list; 0 if there is none yet.")


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    collections = service.collections

    @api.get("/collections", Enablement.READ, response_model=ListOf[CollectionView], refuses=[400, 422])
    async def all_collections(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Collections by title, with what you may find of them."""
        page = await collections.all(viewer, limit=limit, cursor=cursor)
        return Json({"items": [_shelf(each) for each in page], "next_cursor": page.next_cursor})

    @api.post("/collections", Enablement.APPROVE, status_code=201, response_model=CollectionView, refuses=[422, 429])
    async def create_collection(viewer: CurrentViewer, new: NewCollection) -> Json:
        """Make a collection of up to 50 items."""
        made = await collections.create(viewer, new)
        return Json(_shelf(await collections.get(viewer, made.collection_id)), 201)

    @api.get("/collections/{collection_id}", Enablement.READ, response_model=CollectionView, refuses=[404])
    async def collection(viewer: CurrentViewer, collection_id: str) -> Json:
        """A collection, with what you may find of it."""
        return Json(_shelf(await collections.get(viewer, collection_id)))

    @api.put(
        "/collections/{collection_id}",
        Enablement.APPROVE,
        response_model=CollectionView,
        refuses=[400, 404, 409, 422],
    )
    async def edit_collection(viewer: CurrentViewer, collection_id: str, edit: CollectionEdit) -> Json:
        """Change it; entries are given whole and in order, other fields that are left out stay."""
        await collections.edit(viewer, collection_id, edit)
        return Json(_shelf(await collections.get(viewer, collection_id)))

    @api.delete("/collections/{collection_id}", Enablement.APPROVE, status_code=204, refuses=[404])
    async def delete_collection(viewer: CurrentViewer, collection_id: str) -> None:
        """Delete it; its content stays."""
        await collections.delete(viewer, collection_id)

    @api.get("/products", Enablement.READ, response_model=ProductsView)
    async def products() -> Json:
        """The suites with their concepts, colours and days."""
        return Json(_products(await service.products.get()))

    @api.put("/products", Enablement.MANAGE, response_model=ProductsView, refuses=[409, 422])
    async def save_products(viewer: CurrentViewer, new: ProductsInput) -> Json:
        """Replace the list; what content uses cannot go."""
        return Json(_products(await service.products.save(viewer, new)))


def _products(products: Products) -> dict[str, Any]:
    return ProductsView.of(
        products, suites=[each.model_dump() for each in products.suites], audiences=list(products.audiences)
    )


def _shelf(shelf: Shelf) -> dict[str, Any]:
    return CollectionView.of(
        shelf.collection,
        entries=[_place(each) for each in shelf.places],
        read=shelf.read,
        to_read=shelf.to_read,
    )


def _place(place: Place) -> dict[str, Any]:
    return {
        "content_id": place.content.content_id,
        "title": place.content.title,
        "note": place.entry.note,
        "read": place.read,
        "retired": place.retired,
        "superseded_by": None if place.replacement is None else place.replacement.content_id,
    }
