"""Pictures that people give to themselves and to things: cut to a frame, kept in the file store, and named by the item
that they belong to. A file that its item no longer names is deleted by the item's change handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import Request

from partita.kit.clock import stamp
from partita.kit.files import image_of
from partita.kit.files.content import JPEG, PNG, WEBP
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid
from partita.table import Transaction, Update

MOST_BYTES = 4_000_000
KINDS = (PNG, JPEG, WEBP)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Frame:
    """What pictures of a kind become."""

    folder: str
    field: str
    size: tuple[int, int]
    least: tuple[int, int]


async def sent_picture(kit: Kit, request: Request, frame: Frame) -> bytes | None:
    """The picture that a form brings; None if it says `remove`."""
    sent = await kit.uploads.receive(request, frame.folder, kinds=KINDS, most_bytes=MOST_BYTES)
    if sent.file is None:
        if sent.fields.get("remove"):
            return None
        raise Invalid(FieldError("file", "Choose a picture: PNG, JPEG or WebP."))
    try:
        return (await kit.files.load(sent.file.name)).data
    finally:
        await kit.uploads.discard(sent.file.name)


async def give_picture(
    kit: Kit,
    viewer: Viewer,
    frame: Frame,
    read: Callable[[], Awaitable[T]],
    data: bytes | None,
    *,
    rule: Rule,
    also: dict[str, Any] | None = None,
) -> T:
    """Give a picture to the item that `read` reads, or take it away. The file is made before the item names it, and
    claimed by the write that does: at no moment is there an item without its file, or a file that nothing names for
    longer than a day."""
    await read()  # whoever may not is told before anything is decoded
    name: str | None = None
    if data is not None:
        await kit.limits.check(rule, viewer.id)
        picture = await image_of(data, kinds=KINDS, most_bytes=MOST_BYTES, least=frame.least, frame=frame.size)
        name = await kit.uploads.keep(frame.folder, picture.data, picture.kind)

    async def attempt() -> T:
        before: Any = await read()
        changes = {frame.field: name, "updated_at": stamp(kit.clock), **(also or {})}
        own = Update.between(before, before.model_copy(update=changes))
        claims = () if name is None else (kit.uploads.claim(name).otherwise(_Lost()),)
        await kit.store.transact(Transaction(own, *claims))
        after: T = before.model_copy(update=changes)
        return after

    try:
        return await kit.store.attempt(attempt)
    except BaseException:
        if name is not None:
            await kit.uploads.discard(name)
        raise


class _Lost(Conflict):
    code = "picture_lost"

    def __init__(self) -> None:
        super().__init__("The picture was not kept in time. Choose it again.")
