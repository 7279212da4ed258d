"""Our own addresses of files, `/files/{name}`: what they show, and what may be posted to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from partita.kit.files.arriving import arriving, check_kind
from partita.kit.files.content import ENDINGS
from partita.kit.files.files import MOST_UPLOAD, Files, OpenFile
from partita.kit.files.headers import safe_headers
from partita.kit.files.links import CLAIM
from partita.kit.files.local import LocalFiles, already_sent
from partita.kit.files.multipart import no_form, parts_of
from partita.kit.files.ranges import RangeNotSatisfiable, Slice, is_known, same_file, slice_of
from partita.kit.files.sweep import OwnedFiles
from partita.kit.permissions import Access
from partita.kit.problems import Forbidden, NotFound, TooLarge
from partita.kit.routes import Routes

FORM_BYTES = 1_000_000
"""What a form may have beside its file."""

_PUBLIC_SECONDS = 300


def file_routes(files: Files, owners: Sequence[OwnedFiles] = (), *, path: str = "/files") -> Routes:
    """Public, because the link is the permission: signed by us, or to a file that is public."""
    routes = Routes(path, tag="files", pages=True)

    @routes.get("/{name:path}", Access.PUBLIC, faceless=True)
    async def show(name: str, request: Request) -> Response:
        link = dict(request.query_params)
        found = await files.follow(name, link)
        checked = CLAIM in link
        if isinstance(found, str):
            await _ask_owner(name, link)
            kept = "private, no-store" if checked else f"public, max-age={_PUBLIC_SECONDS}"
            return RedirectResponse(found, 302, {"Cache-Control": kept})
        try:
            await _ask_owner(name, link)
            return _file_response(found, request, link.get("download"), asked_each_time=checked)
        except BaseException:
            await found.close()
            raise

    async def _ask_owner(name: str, link: Mapping[str, str]) -> None:
        """The link is one of ours; whether it may still be followed, the owner of the file knows."""
        for owner in owners:
            if owner.may_follow is not None and name.startswith(f"{owner.prefix}/"):
                if CLAIM not in link:
                    raise Forbidden("This link has expired. Open the page again for a new one.", code="link_expired")
                await owner.may_follow(name, link[CLAIM])

    @routes.post("/{name:path}", Access.PUBLIC, most_bytes=MOST_UPLOAD + FORM_BYTES, faceless=True)
    async def take(name: str, request: Request) -> Response:
        if not isinstance(files, LocalFiles):
            raise NotFound("Files are uploaded elsewhere. Open the page again.")
        terms = files.check_upload(name, dict(request.query_params))
        if await files.exists(name):
            raise already_sent()
        announced = request.headers.get("content-length", "")
        if announced.isdigit() and int(announced) > terms.most_bytes + FORM_BYTES:
            raise TooLarge(f"At most {terms.most_bytes:,} bytes; this is more.")
        async for part in parts_of(request):
            if part.name == "file" and part.filename is not None:
                file = await arriving(part.chunks())
                if terms.content_type in ENDINGS:
                    check_kind(file.kind, (terms.content_type,))
                await files.receive(name, file.chunks, terms.content_type, most_bytes=terms.most_bytes, once=True)
                return Response(status_code=204) if terms.then is None else RedirectResponse(terms.then, 303)
        raise no_form("there is no file in the field `file`")

    return routes


def _file_response(
    file: OpenFile, request: Request, download_as: str | None, *, asked_each_time: bool = False
) -> Response:
    info = file.info
    kept = f"max-age={file.keep_seconds}"
    private = "private, no-cache" if asked_each_time else f"private, {kept}, immutable"
    headers = {
        **safe_headers(info.content_type, download_as=download_as),
        "ETag": f'"{info.tag}"',
        "Accept-Ranges": "bytes",
        # A link is for its holder, and leads to the same content until it ends; a public file may be withdrawn.
        "Cache-Control": f"public, {kept}" if info.public else private,
    }
    if is_known(request.headers.get("if-none-match"), info.tag):
        return _FileResponse(file, 304, headers, Slice(0, 0))
    if request.method == "HEAD" or getattr(request.state, "head", False):
        # What a HEAD says is what a GET without a range would; the file itself need not be read for it.
        return _FileResponse(file, 200, {**headers, "Content-Length": str(info.size)}, Slice(0, 0))
    wanted = request.headers.get("range") if same_file(request.headers.get("if-range"), info.tag) else None
    try:
        part = slice_of(wanted, info.size)
    except RangeNotSatisfiable as refused:
        return _FileResponse(file, 416, {**headers, **refused.headers, "Content-Length": "0"}, Slice(0, 0))
    if part is None:
        return _FileResponse(file, 200, {**headers, "Content-Length": str(info.size)}, Slice(0, info.size))
    told = {"Content-Range": part.content_range(info.size), "Content-Length": str(part.length)}
    return _FileResponse(file, 206, {**headers, **told}, part)


class _FileResponse(StreamingResponse):
    """Sends a file and lets go of it, also when the reader has gone away."""

    def __init__(self, file: OpenFile, status: int, headers: dict[str, str], part: Slice) -> None:
        super().__init__(_sent(file, part), status, headers)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._file.close()


async def _sent(file: OpenFile, part: Slice) -> AsyncIterator[bytes]:
    if part.length:
        async for chunk in file.chunks(part):
            yield chunk
