"""Collections: the list, one, and arranging it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from partita.apps.enablement.inputs import CollectionEdit, CollectionText, CollectionTitle, Id, NewCollection
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Entry
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.collections import moved
from partita.apps.enablement.service.library import Wanted
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.history.fields import Field as EditedField
from partita.kit.history.fields import Fields
from partita.kit.inputs import SNAKE_CASE, Edit, Input, Text, given
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

_PATH = "/enablement/collections"
_FOUND = 8
FIELDS = Fields(EditedField("title", "Title", "title"), EditedField("text", "Text", "text"))


class CollectionForm(Edit):
    """Title and text; entries are arranged one by one."""

    model_config = SNAKE_CASE

    title: CollectionTitle
    text: CollectionText = ""


class EntryAdded(Input):
    """Something for the collection."""

    model_config = SNAKE_CASE

    content_id: Id


class EntryNote(Input):
    """Why it is in the collection."""

    model_config = SNAKE_CASE

    note: Annotated[Text, Field(max_length=300)] = ""


class EntryMove(Input):
    """One place up or down, or out."""

    model_config = SNAKE_CASE

    to: Literal["up", "down", "out"]


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    collections = service.collections

    @pages.get("/collections", Enablement.READ)
    async def all_collections(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        """Collections by title, and how far I am."""
        page = await collections.all(viewer, limit=24, cursor=cursor)
        covers = await service.showing.each(
            {place.content_id: place.content for shelf in page for place in shelf.places[:4]}.values()
        )
        shown = {each.content_id: each for each in covers}
        return render(request, "enablement/collections.html", page=page, shown=shown)

    @pages.get("/new-collection", Enablement.APPROVE)
    async def new_form(request: Request) -> Response:
        """A new collection."""
        return render(request, "enablement/collection_new.html", form=Parsed(None))

    @pages.post("/new-collection", Enablement.APPROVE, keeps=CollectionForm)
    async def new(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: CollectionForm) -> Response:
            made = await collections.create(viewer, NewCollection(title=form.title, text=form.text))
            return redirect(f"{_PATH}/{made.collection_id}/edit", flash="Collection made. Add content to it.")

        async def again(form: Parsed[CollectionForm]) -> Response:
            return render(request, "enablement/collection_new.html", form=form)

        return await submitted(request, CollectionForm, save, again)

    @pages.get("/collections/{collection_id}", Enablement.READ)
    async def one(request: Request, viewer: CurrentViewer, collection_id: str) -> Response:
        """A collection in order."""
        shelf = await collections.get(viewer, collection_id)
        shown = await service.showing.each(place.content for place in shelf.places)
        return render(
            request, "enablement/collection.html", shelf=shelf, places=list(zip(shelf.places, shown, strict=True))
        )

    async def edit_page(
        request: Request, viewer: Viewer, collection_id: str, form: Parsed[CollectionForm] | None, words: str = ""
    ) -> Response:
        shelf = await collections.get(viewer, collection_id)
        shown = await service.showing.each(place.content for place in shelf.places)
        there = {place.content_id for place in shelf.places}
        found = []
        if words.strip():
            page = await service.library.browse(viewer, Wanted(text=words.strip()), limit=_FOUND, cursor=None)
            found = list(await service.showing.each(page))
        return render(
            request,
            "enablement/collection_edit.html",
            shelf=shelf,
            places=list(zip(shelf.places, shown, strict=True)),
            form=form or filled(CollectionForm, shelf.collection),
            words=words.strip(),
            found=found,
            there=there,
        )

    @pages.get("/collections/{collection_id}/edit", Enablement.APPROVE)
    async def edit_form(
        request: Request, viewer: CurrentViewer, collection_id: str, add: Annotated[str, Query(max_length=200)] = ""
    ) -> Response:
        """Title and text, the order, and what could be added."""
        return await edit_page(request, viewer, collection_id, None, add)

    @pages.post("/collections/{collection_id}/edit", Enablement.APPROVE, keeps=CollectionForm)
    async def edit(request: Request, viewer: CurrentViewer, collection_id: str) -> Response:
        async def save(form: CollectionForm) -> Response:
            change = CollectionEdit(title=form.title, text=form.text, **given(revision=form.revision))
            await collections.edit(viewer, collection_id, change)
            return redirect(f"{_PATH}/{collection_id}", flash="Collection saved.")

        async def again(form: Parsed[CollectionForm]) -> Response:
            return await edit_page(request, viewer, collection_id, form)

        async def stored() -> Parsed[CollectionForm]:
            return filled(CollectionForm, (await collections.get(viewer, collection_id)).collection)

        back = f"{_PATH}/{collection_id}/edit"
        return await edited(request, CollectionForm, save, again, stored, fields=FIELDS, back=back)

    @pages.post("/collections/{collection_id}/entries", Enablement.APPROVE)
    async def add_entry(request: Request, viewer: CurrentViewer, collection_id: str) -> Response:
        """Put something at the end."""

        async def save(new: EntryAdded) -> Response:
            def arrange(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
                if any(each.content_id == new.content_id for each in entries):
                    return entries
                return (*entries, Entry(content_id=new.content_id))

            await collections.rearrange(viewer, collection_id, arrange)
            return redirect(f"{_PATH}/{collection_id}/edit", flash="Added at the end.")

        return await submitted(request, EntryAdded, save, _refused)

    @pages.post("/collections/{collection_id}/entries/{content_id}/move", Enablement.APPROVE)
    async def move(request: Request, viewer: CurrentViewer, collection_id: str, content_id: str) -> Response:
        """Move an entry, or take it out."""

        async def save(given: EntryMove) -> Response:
            if given.to == "out":
                await collections.rearrange(
                    viewer, collection_id, lambda all: tuple(each for each in all if each.content_id != content_id)
                )
                return redirect(f"{_PATH}/{collection_id}/edit", flash="Taken out of the collection.", kind="info")
            await collections.rearrange(viewer, collection_id, moved(content_id, -1 if given.to == "up" else 1))
            return redirect(f"{_PATH}/{collection_id}/edit#entries", flash="Moved.")

        return await submitted(request, EntryMove, save, _refused)

    @pages.post("/collections/{collection_id}/entries/{content_id}/note", Enablement.APPROVE)
    async def note(request: Request, viewer: CurrentViewer, collection_id: str, content_id: str) -> Response:
        """Say why something is in the collection."""

        async def save(given: EntryNote) -> Response:
            def arrange(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
                new = Entry(content_id=content_id, note=given.note)
                return tuple(new if each.content_id == content_id else each for each in entries)

            await collections.rearrange(viewer, collection_id, arrange)
            return redirect(f"{_PATH}/{collection_id}/edit#entries", flash="Note saved.")

        return await submitted(request, EntryNote, save, _refused)

    @pages.get("/collections/{collection_id}/delete", Enablement.APPROVE)
    async def delete_page(request: Request, viewer: CurrentViewer, collection_id: str) -> Response:
        """Ask before it is deleted."""
        shelf = await collections.get(viewer, collection_id)
        return confirm(
            request,
            f"Delete “{shelf.collection.title}”?",
            "Its order and notes are lost. The content itself stays.",
            button="Delete collection",
            keep=f"{_PATH}/{collection_id}/edit",
        )

    @pages.post("/collections/{collection_id}/delete", Enablement.APPROVE)
    async def delete(viewer: CurrentViewer, collection_id: str) -> Response:
        """Delete it."""
        await collections.delete(viewer, collection_id)
        return redirect(_PATH, flash="Collection deleted.", kind="info")


async def _refused(form: Parsed[Any]) -> Response:
    """A button has nothing to be corrected: what is wrong is told on a page of its own."""
    assert form.problem is not None
    raise form.problem
