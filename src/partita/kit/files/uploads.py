"""Uploads: a file arrives piece by piece, and is deleted unless an item claims it in time.

Its item is written first, so that at no moment there is a file that nothing names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request

from partita.kit.changes import Change, Handler
from partita.kit.clock import Clock, Ids, stamp
from partita.kit.files.arriving import WrongKind, arriving, check_kind
from partita.kit.files.content import ENDINGS
from partita.kit.files.files import MOST_UPLOAD, Files
from partita.kit.files.multipart import Part, is_multipart, no_form, parts_of
from partita.kit.files.names import download_name
from partita.kit.files.schema import UPLOADS, Upload
from partita.kit.files.serving import FORM_BYTES
from partita.kit.problems import Problem, TooLarge
from partita.kit.unknown import refuse_unknown_fields
from partita.store.store import AsyncStore
from partita.table import Delete, Put, Update

UPLOAD_BODY = MOST_UPLOAD + FORM_BYTES
"""`most_bytes` of a route that takes the largest upload in a form."""

DAY = 86_400


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file that has arrived and waits to be claimed."""

    name: str
    """Its name in the store, made by us."""
    kind: str
    """By its content; `application/octet-stream` if that is nothing we know."""
    size: int
    called: str
    """What it was called where it comes from, cleaned: to show, and to save it under again (`download_as`)."""


@dataclass(frozen=True, slots=True)
class UploadedForm:
    """A form as it was sent: its file, where one was chosen, and its other fields."""

    fields: ImmutableMultiDict[str, str]
    """What was typed; of a form whose file is too large, what stands before the file."""
    taken: UploadedFile | None = None
    refusal: Problem | None = None
    """Why the file was not taken: of the wrong kind, or too large. The fields are there to be shown again."""

    @property
    def file(self) -> UploadedFile | None:
        """The file; None if none was chosen. One that was refused raises its refusal."""
        if self.refusal is not None:
            raise self.refusal
        return self.taken


@dataclass(frozen=True, slots=True)
class UploadedFiles:
    """A form with several files: those that were taken, and why others were not, by what they are called."""

    fields: ImmutableMultiDict[str, str]
    files: tuple[UploadedFile, ...] = ()
    refused: tuple[tuple[str, Problem], ...] = ()


class _Endless(TooLarge):
    """Too much, of a request that does not say how much is still to come: the connection ends."""

    @property
    def headers(self) -> dict[str, str]:
        return {"Connection": "close"}


class Uploads:
    """Takes uploads, and forgets those that nobody claims."""

    def __init__(self, files: Files, store: AsyncStore, clock: Clock, ids: Ids) -> None:
        self._files = files
        self._store = store
        self._clock = clock
        self._ids = ids

    async def receive(
        self,
        request: Request,
        folder: str,
        *,
        kinds: Collection[str] = (),
        most_bytes: int = MOST_UPLOAD,
        field: str = "file",
        texts: Collection[str] | None = None,
        seconds: int = DAY,
    ) -> UploadedForm:
        """Take a form with at most one file, which is streamed into the store as it arrives.

        What it is, its content says: it is refused with `WrongKind` (415) if it is none of the kinds, before the rest
        is taken, and with `TooLarge` (413) as soon as it is. Whatever is refused leaves nothing behind. A form without
        files works too. `texts` are the other fields of a form that programs send: it is refused if it has more.
        """
        if not is_multipart(request):
            async with request.form() as sent:
                pairs = [(name, value) for name, value in sent.multi_items() if isinstance(value, str)]
            _refuse_others([name for name, _ in pairs], field, texts)
            return UploadedForm(ImmutableMultiDict(pairs))
        names: list[str] = []
        announced = request.headers.get("content-length", "")
        too_large = announced.isdigit() and int(announced) > most_bytes + FORM_BYTES
        file: UploadedFile | None = None
        refusal: Problem | None = None
        typed: list[tuple[str, str]] = []
        left = FORM_BYTES
        try:
            async for part in parts_of(request):
                names.append(part.name)
                if part.filename is None:
                    text = await _text(part, left)
                    left -= len(text)
                    typed.append((part.name, text.decode("utf-8", "replace")))
                elif part.name == field:
                    if too_large:
                        raise TooLarge(f"At most {most_bytes / 1_000_000:g} MB; this file is larger.")
                    if file is not None:
                        raise no_form("it brings more than one")
                    try:
                        file = await self._take(part, folder, kinds, most_bytes, seconds)
                    except WrongKind as wrong:
                        refusal = wrong  # what was typed after it is still to come
            _refuse_others(names, field, texts)
        except TooLarge as problem:
            # What was announced is passed over, so that a browser reads the answer; what has no end is not.
            refusal = problem if announced else _Endless(problem.detail)
        except BaseException:
            if file is not None:
                await self.discard(file.name)
            raise
        if refusal is not None and file is not None:
            await self.discard(file.name)
        return UploadedForm(ImmutableMultiDict(typed), file if refusal is None else None, refusal)

    async def receive_several(
        self,
        request: Request,
        folder: str,
        *,
        kinds: Collection[str] = (),
        most_bytes: int = MOST_UPLOAD,
        most_files: int = 20,
        field: str = "files",
        texts: Collection[str] | None = None,
        seconds: int = DAY,
    ) -> UploadedFiles:
        """Take a form with any number of files, each streamed into the store as it arrives. What is wrong with one of
        them (its kind, its size, that there are too many) is said of it alone; the others are taken."""
        if not is_multipart(request):
            async with request.form() as sent:
                pairs = [(name, value) for name, value in sent.multi_items() if isinstance(value, str)]
            _refuse_others([name for name, _ in pairs], field, texts)
            return UploadedFiles(ImmutableMultiDict(pairs))
        names: list[str] = []
        taken: list[UploadedFile] = []
        refused: list[tuple[str, Problem]] = []
        typed: list[tuple[str, str]] = []
        left = FORM_BYTES
        try:
            async for part in parts_of(request):
                names.append(part.name)
                if part.filename is None:
                    text = await _text(part, left)
                    left -= len(text)
                    typed.append((part.name, text.decode("utf-8", "replace")))
                elif part.name == field:
                    called = download_name(part.filename)
                    try:
                        if part.filename and len(taken) + len(refused) >= most_files:
                            raise TooLarge(f"At most {most_files} files at a time; send it with the next ones.")
                        file = await self._take(part, folder, kinds, most_bytes, seconds)
                    except (WrongKind, TooLarge) as problem:
                        refused.append((called, problem))
                    else:
                        taken.extend(() if file is None else (file,))
            _refuse_others(names, field, texts)
        except BaseException:
            for each in taken:
                await self.discard(each.name)
            raise
        return UploadedFiles(ImmutableMultiDict(typed), tuple(taken), tuple(refused))

    async def keep(self, folder: str, data: bytes, kind: str, *, seconds: int = DAY) -> str:
        """Keep a file that is in memory, such as a picture that was encoded anew; its name, to be claimed in time."""
        name = await self._begin(folder, kind, seconds)
        await self._files.save(name, data, kind)
        return name

    def claim(self, name: str) -> Delete[Upload]:
        """The write that claims an upload, for the transaction that writes the item which names it. It fails if the
        upload has expired or was claimed before: say so with `.otherwise(…)`."""
        return Delete(Upload.key(Upload.name(name))).if_there()

    async def expire(self, name: str, *, seconds: int = DAY) -> None:
        """Delete a file after so many seconds from now, unless something claims it."""
        expires = int(self._clock.now().timestamp()) + seconds
        await self._store.write(Put(Upload(name=name, started_at=stamp(self._clock), expires_at=expires)))

    def claim_for(self, name: str, *, seconds: int) -> Update[Upload]:
        """The write with which something that ends by itself, such as a job, claims an upload: the file stays for so
        many seconds from now, and is then deleted. It fails if the upload has expired."""
        expires = int(self._clock.now().timestamp()) + seconds
        return Update(Upload.key(Upload.name(name)), Upload.expires_at.set(expires))

    async def discard(self, name: str) -> None:
        """Delete an upload that nobody wants any more, and its file."""
        # The file first: as long as the item is there, somebody will come for the file.
        await self._files.delete(name)
        await self._store.write(Delete(Upload.key(Upload.name(name))))

    async def _take(
        self, part: Part, folder: str, kinds: Collection[str], most_bytes: int, seconds: int
    ) -> UploadedFile | None:
        file = await arriving(part.chunks())
        if file.empty and not part.filename:
            return None  # no file was chosen
        check_kind(file.kind, kinds)
        name = await self._begin(folder, file.kind, seconds)
        try:
            info = await self._files.receive(name, file.chunks, file.kind, most_bytes=most_bytes)
        except BaseException:
            await self.discard(name)
            raise
        return UploadedFile(name, file.kind, info.size, download_name(part.filename or ""))

    async def _begin(self, folder: str, kind: str, seconds: int) -> str:
        name = f"{folder}/{self._ids.new()}.{ENDINGS.get(kind, 'bin')}"
        expires = int(self._clock.now().timestamp()) + seconds
        await self._store.write(Put(Upload(name=name, started_at=stamp(self._clock), expires_at=expires)).if_new())
        return name


def form_with_files(field: str, *texts: str, most: int = 1) -> dict[str, Any]:
    """How such a form is described (`openapi_extra`), as no parameter of a function declares what is read while it
    arrives."""
    file: dict[str, Any] = {"type": "string", "format": "binary"}
    files = file if most == 1 else {"type": "array", "items": file, "minItems": 1, "maxItems": most}
    fields = {field: files, **{name: {"type": "string"} for name in texts}}
    form = {"schema": {"type": "object", "required": [field], "properties": fields}}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": form}}}


def upload_handler(files: Files) -> Handler:
    """Deletes the files of uploads that have expired."""

    async def remove_expired(change: Change) -> None:
        upload, _ = change.read(Upload)
        if upload is not None and change.expired:
            await files.delete(upload.name)

    return Handler("house.uploads", UPLOADS, remove_expired)


def _refuse_others(names: Iterable[str], field: str, texts: Collection[str] | None) -> None:
    if texts is not None:
        refuse_unknown_fields(names, (field, *texts))


async def _text(part: Part, most: int) -> bytes:
    text = bytearray()
    async for chunk in part.chunks():
        text += chunk
        if len(text) > most:
            raise TooLarge(f"The fields of this form have more than {FORM_BYTES:,} bytes together.")
    return bytes(text)
