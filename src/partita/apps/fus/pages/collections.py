"""The viewer's collections, putting sites into them, and collections that others share by a link."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.inputs import CollectInput, CollectionEdit, CollectionInput
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.history import COLLECTION_FIELDS
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

_PAGE = 30


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""
    collections = service.collections

    async def list_page(request: Request, viewer: Viewer, form: Parsed[Any]) -> Response:
        return render(request, "fus/collections.html", collections=await collections.mine(viewer), form=form)

    @pages.get("/me/collections", Fus.COLLECT)
    async def mine(request: Request, viewer: CurrentViewer) -> Response:
        return await list_page(request, viewer, Parsed(None))

    @pages.post("/me/collections", Fus.COLLECT, keeps=CollectionInput)
    async def create(request: Request, viewer: CurrentViewer) -> Response:
        async def save(new: CollectionInput) -> Response:
            made = await collections.create(viewer, new)
            return redirect(f"/fus/me/collections/{made.collection_id}", flash="Collection created.")

        async def again(form: Parsed[CollectionInput]) -> Response:
            return await list_page(request, viewer, form)

        return await submitted(request, CollectionInput, save, again)

    @pages.get("/me/collections/{collection_id}", Fus.COLLECT)
    async def collection(
        request: Request, viewer: CurrentViewer, collection_id: str, cursor: Cursor = None
    ) -> Response:
        found = await collections.collection(viewer, collection_id)
        page = await collections.sites(found, limit=_PAGE, cursor=cursor)
        return render(request, "fus/collection.html", collection=found, page=page)

    @pages.get("/me/collections/{collection_id}/edit", Fus.COLLECT)
    async def edit_form(request: Request, viewer: CurrentViewer, collection_id: str) -> Response:
        found = await collections.collection(viewer, collection_id)
        return render(request, "fus/edit_collection.html", collection=found, form=filled(CollectionEdit, found))

    @pages.post("/me/collections/{collection_id}/edit", Fus.COLLECT, keeps=CollectionEdit)
    async def edit(request: Request, viewer: CurrentViewer, collection_id: str) -> Response:
        async def save(wanted: CollectionEdit) -> Response:
            await collections.edit(viewer, collection_id, wanted)
            return redirect(f"/fus/me/collections/{collection_id}", flash="Changes saved.")

        async def again(form: Parsed[CollectionEdit]) -> Response:
            found = await collections.collection(viewer, collection_id)
            return render(request, "fus/edit_collection.html", collection=found, form=form)

        async def stored() -> Parsed[CollectionEdit]:
            return filled(CollectionEdit, await collections.collection(viewer, collection_id))

        back = f"/fus/me/collections/{collection_id}"
        return await edited(request, CollectionEdit, save, again, stored, fields=COLLECTION_FIELDS, back=back)

    @pages.post("/me/collections/{collection_id}/share", Fus.COLLECT)
    async def share(viewer: CurrentViewer, collection_id: str) -> Response:
        await collections.share(viewer, collection_id)
        return redirect(f"/fus/me/collections/{collection_id}", flash="Everybody who has the link sees it now.")

    @pages.post("/me/collections/{collection_id}/unshare", Fus.COLLECT)
    async def unshare(viewer: CurrentViewer, collection_id: str) -> Response:
        await collections.unshare(viewer, collection_id)
        return redirect(f"/fus/me/collections/{collection_id}", flash="The link is closed.", kind="info")

    @pages.get("/me/collections/{collection_id}/delete", Fus.COLLECT)
    async def delete_form(request: Request, viewer: CurrentViewer, collection_id: str) -> Response:
        found = await collections.collection(viewer, collection_id)
        return confirm(
            request,
            f"Delete “{found.name}”?",
            "The collection will be deleted. Its sites stay in the catalog.",
            button="Delete",
            keep=f"/fus/me/collections/{collection_id}",
        )

    @pages.post("/me/collections/{collection_id}/delete", Fus.COLLECT)
    async def delete(viewer: CurrentViewer, collection_id: str) -> Response:
        found = await collections.delete(viewer, collection_id)
        return redirect("/fus/me/collections", flash=f"“{found.name}” deleted.", kind="info")

    @pages.post("/me/collections/{collection_id}/sites/{site_id}/remove", Fus.COLLECT)
    async def remove(viewer: CurrentViewer, collection_id: str, site_id: str) -> Response:
        await collections.remove(viewer, collection_id, site_id)
        path = f"/fus/me/collections/{collection_id}"
        return redirect(path, flash="Site taken out.", kind="info", undo=f"{path}/sites/{site_id}/add")

    @pages.post("/me/collections/{collection_id}/sites/{site_id}/add", Fus.COLLECT)
    async def put_back(viewer: CurrentViewer, collection_id: str, site_id: str) -> Response:
        await collections.add(viewer, collection_id, site_id)
        return redirect(f"/fus/me/collections/{collection_id}", flash="Site put back.")

    @pages.post("/sites/{site_id}/collect", Fus.COLLECT, keeps=CollectInput)
    async def collect(request: Request, viewer: CurrentViewer, site_id: str) -> Response:
        """From a site's page."""

        async def save(wanted: CollectInput) -> Response:
            found = await collections.add(viewer, wanted.collection_id, site_id)
            return redirect(f"/fus/sites/{site_id}", flash=f"The site is in “{found.name}”.")

        async def again(_form: Parsed[CollectInput]) -> Response:
            return redirect(f"/fus/sites/{site_id}", flash="Choose a collection with room for it.", kind="bad")

        return await submitted(request, CollectInput, save, again)

    @pages.get("/shared/{secret}", Access.PUBLIC)
    async def shared(request: Request, secret: str, cursor: Cursor = None) -> Response:
        found = await collections.shared(secret)
        page = await collections.sites(found.collection, limit=_PAGE, cursor=cursor)
        return render(request, "fus/shared.html", found=found, page=page)
