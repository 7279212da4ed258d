"""Collections over HTTP."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from partita.apps.fus.api.people import PersonView
from partita.apps.fus.api.sites import SiteSummary
from partita.apps.fus.inputs import CollectionEdit, CollectionInput
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed
from partita.table import Page


class CollectionView(View):
    """A collection of yours."""

    collection_id: str
    name: str
    description: str
    site_count: int
    secret: str | None = Field(description="`/fus/shared/{secret}` shows it to everybody; null if only you see it.")
    created_at: str
    revision: int = Field(description="Send it with an edit to have the edit refused if it was changed meanwhile.")


class SharedView(View):
    """A collection that somebody shares by a link."""

    name: Annotated[str, From("collection.name")]
    description: Annotated[str, From("collection.description")]
    site_count: Annotated[int, From("collection.site_count")]
    by: PersonView


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""
    collections = service.collections

    @api.get("/me/collections", Access.SIGNED_IN, response_model=ListOf[CollectionView])
    async def my_collections(viewer: CurrentViewer) -> Json:
        """Your collections, newest first; all of them."""
        return Json(listed(CollectionView, Page(await collections.mine(viewer), None)))

    @api.post("/me/collections", Fus.COLLECT, status_code=201, response_model=CollectionView, refuses=[409, 422, 429])
    async def create_collection(viewer: CurrentViewer, collection: CollectionInput) -> Json:
        """Begin a collection. Nobody else sees it until you open a link to it."""
        return Json(CollectionView.of(await collections.create(viewer, collection)), 201)

    @api.get("/me/collections/{collection_id}", Access.SIGNED_IN, response_model=CollectionView, refuses=[404])
    async def get_collection(viewer: CurrentViewer, collection_id: str) -> Json:
        """A collection of yours."""
        return Json(CollectionView.of(await collections.collection(viewer, collection_id)))

    @api.put("/me/collections/{collection_id}", Fus.COLLECT, response_model=CollectionView, refuses=[404, 409, 422])
    async def edit_collection(viewer: CurrentViewer, collection_id: str, collection: CollectionEdit) -> Json:
        """Call a collection otherwise."""
        return Json(CollectionView.of(await collections.edit(viewer, collection_id, collection)))

    @api.delete("/me/collections/{collection_id}", Fus.COLLECT, status_code=204, refuses=[404, 409])
    async def delete_collection(viewer: CurrentViewer, collection_id: str) -> None:
        """Delete a collection; its sites stay in the catalog."""
        await collections.delete(viewer, collection_id)

    @api.get(
        "/me/collections/{collection_id}/sites",
        Access.SIGNED_IN,
        response_model=ListOf[SiteSummary],
        refuses=[400, 404, 422],
    )
    async def collection_sites(
        viewer: CurrentViewer, collection_id: str, limit: Limit = 20, cursor: Cursor = None
    ) -> Json:
        """The sites of a collection, latest first."""
        collection = await collections.collection(viewer, collection_id)
        return Json(listed(SiteSummary, await collections.sites(collection, limit=limit, cursor=cursor)))

    @api.put("/me/collections/{collection_id}/sites/{site_id}", Fus.COLLECT, status_code=204, refuses=[404, 409, 429])
    async def collect(viewer: CurrentViewer, collection_id: str, site_id: str) -> None:
        """Put a site into a collection; nothing changes if it is in it."""
        await collections.add(viewer, collection_id, site_id)

    @api.delete("/me/collections/{collection_id}/sites/{site_id}", Fus.COLLECT, status_code=204, refuses=[404, 409])
    async def take_out(viewer: CurrentViewer, collection_id: str, site_id: str) -> None:
        """Take a site out of a collection."""
        await collections.remove(viewer, collection_id, site_id)

    @api.put("/me/collections/{collection_id}/link", Fus.COLLECT, response_model=CollectionView, refuses=[404, 409])
    async def share_collection(viewer: CurrentViewer, collection_id: str) -> Json:
        """Open a link to a collection: everybody who has it sees the collection."""
        return Json(CollectionView.of(await collections.share(viewer, collection_id)))

    @api.delete("/me/collections/{collection_id}/link", Fus.COLLECT, status_code=204, refuses=[404, 409])
    async def unshare_collection(viewer: CurrentViewer, collection_id: str) -> None:
        """Close the link; another one will be different."""
        await collections.unshare(viewer, collection_id)

    @api.get("/shared/{secret}", Access.PUBLIC, response_model=SharedView, refuses=[404])
    async def shared_collection(secret: str) -> Json:
        """A collection that somebody shares by a link."""
        return Json(SharedView.of(await collections.shared(secret)))

    @api.get("/shared/{secret}/sites", Access.PUBLIC, response_model=ListOf[SiteSummary], refuses=[400, 404, 422])
    async def shared_sites(secret: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The sites of a collection that somebody shares, latest first."""
        collection = (await collections.shared(secret)).collection
        return Json(listed(SiteSummary, await collections.sites(collection, limit=limit, cursor=cursor)))
