"""The titles of a list, for its curator: found, added, noted, moved, removed and put back."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import ChosenForm, ItemEdit, MoveInput, NewItem, NoteForm, PlaceForm, TitleInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import WatchlistItem
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import CONTENT_TYPES, Kind, edit_path, title_parts
from partita.apps.worthwatch.service.items import item_version
from partita.apps.worthwatch.service.reading import row_of
from partita.apps.worthwatch.service.tiles import tile_of_item
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.history import Field, Fields
from partita.kit.inputs import given
from partita.kit.pages import redirect, render
from partita.kit.problems import FieldError, Invalid, NotFound
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

_LIST = "/lists/{watchlist_id}"
_ONE = f"{_LIST}/items/{{kind}}/{{content_id}}"
_NOTE = Fields(Field("curatorNote", "Note", "curator_note"), Field("noteSpoils", "Tells the ending", "note_spoils"))


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    items = service.items

    @pages.get(f"{_LIST}/find", WorthWatch.LIST)
    async def find(
        request: Request, viewer: CurrentViewer, watchlist_id: str, q: Annotated[str, Query(max_length=300)] = ""
    ) -> Response:
        """The options of the field that adds titles."""
        await service.lists.own(viewer, watchlist_id)
        found = await service.suggestions.for_list(watchlist_id, q)
        return render(request, "worthwatch/options.html", found=found, q=q)

    @pages.post(f"{_LIST}/items", WorthWatch.LIST)
    async def add_one(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        async def save(wanted: TitleInput) -> Response:
            new = NewItem(content_type=wanted.content_type, content_id=wanted.content_id)
            item = await items.add(viewer, watchlist_id, new)
            return redirect(f"{edit_path(watchlist_id)}#add", flash=f"{_name(item)} added.")

        async def again(form: Parsed[TitleInput]) -> Response:
            assert form.problem is not None
            return redirect(f"{edit_path(watchlist_id)}#add", flash=form.problem.detail, kind="warn")

        return await submitted(request, TitleInput, save, again)

    @pages.get(_ONE, WorthWatch.LIST)
    async def row(
        request: Request,
        viewer: CurrentViewer,
        watchlist_id: str,
        kind: Kind,
        content_id: str,
        place: Annotated[int, Query(ge=1, le=1000)] = 1,
    ) -> Response:
        """A row of the page, for script that has added it or shows what another window has changed."""
        watchlist = await service.lists.own(viewer, watchlist_id)
        item = await items.item(watchlist_id, CONTENT_TYPES[kind], content_id)
        return render(request, "worthwatch/edit_row.html", row=row_of(item, place), watchlist=watchlist)

    @pages.post(f"{_ONE}/note", WorthWatch.LIST, keeps=NoteForm)
    async def note(request: Request, viewer: CurrentViewer, watchlist_id: str, kind: Kind, content_id: str) -> Response:
        content_type = CONTENT_TYPES[kind]
        back = f"{edit_path(watchlist_id)}#{kind}-{content_id}"

        async def save(form: NoteForm) -> Response:
            edit = ItemEdit(curator_note=form.curator_note, note_spoils=form.note_spoils, **given(version=form.version))
            item = await items.edit(viewer, watchlist_id, content_type, content_id, edit)
            return redirect(back, flash=f"Note on {_name(item)} saved.")

        async def stored() -> Parsed[NoteForm]:
            item = await items.item(watchlist_id, content_type, content_id)
            form = filled(NoteForm, item)
            return Parsed(None, {**form.values, "version": item_version(item)})

        async def again(form: Parsed[NoteForm]) -> Response:
            item = await items.item(watchlist_id, content_type, content_id)
            return render(request, "worthwatch/note.html", form=form, tile=tile_of_item(item), back=back)

        return await edited(request, NoteForm, save, again, stored, fields=_NOTE, back=back)

    @pages.post(f"{_ONE}/move", WorthWatch.LIST)
    async def move(request: Request, viewer: CurrentViewer, watchlist_id: str, kind: Kind, content_id: str) -> Response:
        async def save(form: PlaceForm) -> Response:
            where = MoveInput(position=form.position)
            item = await items.move(viewer, watchlist_id, CONTENT_TYPES[kind], content_id, where)
            return redirect(f"{edit_path(watchlist_id)}#{kind}-{content_id}", flash=f"{_name(item)} moved.")

        async def again(form: Parsed[PlaceForm]) -> Response:
            raise form.problem or NotFound("There is no such place.")

        return await submitted(request, PlaceForm, save, again)

    @pages.post(f"{_ONE}/remove", WorthWatch.LIST)
    async def remove(viewer: CurrentViewer, watchlist_id: str, kind: Kind, content_id: str) -> Response:
        item = await items.remove(viewer, watchlist_id, CONTENT_TYPES[kind], content_id)
        undo = f"/worthwatch/lists/{watchlist_id}/items/{title_parts(item.content_type, content_id)}/restore"
        return redirect(edit_path(watchlist_id), flash=f"{_name(item)} removed.", kind="info", undo=undo)

    @pages.post(f"{_ONE}/restore", WorthWatch.LIST)
    async def restore(viewer: CurrentViewer, watchlist_id: str, kind: Kind, content_id: str) -> Response:
        item = await items.restore(viewer, watchlist_id, CONTENT_TYPES[kind], content_id)
        return redirect(f"{edit_path(watchlist_id)}#{kind}-{content_id}", flash=f"{_name(item)} is back.")

    @pages.post(f"{_LIST}/several", WorthWatch.LIST)
    async def several(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        async def save(form: ChosenForm) -> Response:
            chosen = [each.partition("/") for each in form.chosen]
            refs = [(CONTENT_TYPES[kind], content_id) for kind, _, content_id in chosen if kind in CONTENT_TYPES]
            if not refs:
                raise Invalid(FieldError("chosen", "Choose at least one title."))
            if form.does == "remove":
                done = await items.remove_many(viewer, watchlist_id, refs)
                said = f"{done} {'title' if done == 1 else 'titles'} removed."
            else:
                done = await items.to_the_top(viewer, watchlist_id, refs)
                said = f"{done} {'title' if done == 1 else 'titles'} moved to the top."
            return redirect(edit_path(watchlist_id), flash=said, kind="info")

        async def again(form: Parsed[ChosenForm]) -> Response:
            assert form.problem is not None
            return redirect(edit_path(watchlist_id), flash="Choose at least one title first.", kind="warn")

        return await submitted(request, ChosenForm, save, again)


def _name(item: WatchlistItem) -> str:
    return tile_of_item(item).title
