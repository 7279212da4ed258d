"""Boxes in an attic: each has a name and a file, and its face."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import Request
from pydantic import Field
from starlette.responses import Response

from partita.kit.files import MOST_UPLOAD, UPLOAD_BODY, OwnedFiles
from partita.kit.forms import Parsed, parse
from partita.kit.inputs import Input
from partita.kit.kit import Kit
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import Conflict, FieldError, Invalid, Problem
from partita.kit.routes import Routes
from partita.kit.system import Link, System
from partita.table import Attribute, Item, Put, Query, Table, Transaction, attribute

ATTIC = Table("attic-boxes", pk="PK", sk="SK")


class Box(Item, table=ATTIC, pk="ATTIC", sk="BOX#{box_id}"):
    box_id: Attribute[str]
    title: Attribute[str]
    file: Attribute[str] = attribute(default="")
    called: Attribute[str] = attribute(default="")
    size: Attribute[int] = attribute(default=0)


class NewBox(Input):
    title: str = Field(min_length=2, max_length=60)


def boxes() -> Query[Box]:
    return Box.query().newest_first()


def build(kit: Kit) -> System:
    """The system, on a kit."""
    pages = Routes("/attic", tag="attic", pages=True)

    async def shown(request: Request, form: Parsed[NewBox], refused: Problem | None = None) -> Response:
        page = await kit.store.page(boxes(), limit=20)
        return render(request, "attic/boxes.html", form=form, page=page, refused=refused, most=MOST_UPLOAD)

    @pages.get("", Access.PUBLIC)
    async def home(request: Request) -> Response:
        return await shown(request, Parsed(None))

    @pages.post("/boxes", Access.PUBLIC, most_bytes=UPLOAD_BODY)
    async def add(request: Request) -> Response:
        sent = await kit.uploads.receive(request, "attic/boxes")
        form = parse(NewBox, sent.fields)
        if sent.refusal is not None:
            return await shown(request, form.refused(Invalid(FieldError("file", sent.refusal.detail))), sent.refusal)
        if form.value is None:
            if sent.file is not None:
                await kit.uploads.discard(sent.file.name)
            return await shown(request, form)
        box_id, title, file = kit.ids.new(), form.value.title, sent.file
        if file is None:
            await kit.store.write(Put(Box(box_id=box_id, title=title)).if_new())
        else:
            box = Box(box_id=box_id, title=title, file=file.name, called=file.called, size=file.size)
            gone = Conflict("This file was uploaded too long ago. Upload it again.")
            await kit.store.transact(Transaction(kit.uploads.claim(file.name).otherwise(gone), Put(box).if_new()))
        return redirect("/attic", flash="Added.")

    async def named() -> AsyncIterator[str]:
        async for box in kit.store.scan_whole_table(Box):
            if box.file:
                yield box.file

    return System(
        name="attic",
        title="Attic",
        purpose="Files for tests.",
        hue=60,
        icon="list",
        tables=(ATTIC,),
        navigation=(Link("Boxes", "/attic", Access.PUBLIC, "list"),),
        pages=pages,
        templates=Path(__file__).parent / "templates",
        files=(OwnedFiles("attic/boxes", named),),
    )
