"""The routes of files, `/files/{name}`: download and upload."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from partita.kit.files.files import Files, OpenFile
from partita.kit.files.headers import safe_headers
from partita.kit.files.local import LocalFiles
from partita.kit.permissions import Access
from partita.kit.problems import BadRequest, NotFound, TooLarge
from partita.kit.routes import Routes

_CHUNK = 256 * 1024
_FORM_BYTES = 10_000  # the multipart form around the file
_MOST_UPLOAD = 101_000_000  # whatever a link allows
_CACHED_SECONDS = 300


def file_routes(files: Files, *, path: str = "/files") -> Routes:
    """Public routes: the signed link is the permission, or the file is public."""
    routes = Routes(path, tag="files", pages=True)

    @routes.get("/{name:path}", Access.PUBLIC, faceless=True)
    async def show(name: str, request: Request) -> Response:
        link = dict(request.query_params)
        target = await files.follow(name, link)
        if isinstance(target, str):
            return RedirectResponse(target, 302, {"Cache-Control": f"public, max-age={_CACHED_SECONDS}"})
        return await _file_response(target, request, link.get("download"))

    @routes.post("/{name:path}", Access.PUBLIC, most_bytes=_MOST_UPLOAD, faceless=True)
    async def take(name: str, request: Request) -> Response:
        if not isinstance(files, LocalFiles):
            raise NotFound("Files are not uploaded here. Open the page again.")
        terms = files.check_upload(name, dict(request.query_params))
        upload = Request(request.scope, _at_most(request.receive, terms.most_bytes + _FORM_BYTES))
        try:
            async with upload.form(max_files=1, max_fields=20) as form:
                file = form.get("file")
                if not isinstance(file, UploadFile):
                    raise BadRequest("Post a form with a file in the field `file`.", code="file_missing")
                await files.receive(name, _pieces(file), terms.content_type, most_bytes=terms.most_bytes)
        except HTTPException as error:
            if error.status_code != 400:
                raise
            raise BadRequest(f"Post a form with a file: {error.detail}", code="file_missing") from None
        return Response(status_code=204) if terms.then is None else RedirectResponse(terms.then, 303)

    return routes


async def _file_response(file: OpenFile, request: Request, download_as: str | None) -> Response:
    info = file.info
    tag = f'"{info.tag}"'
    headers = {
        **safe_headers(info.content_type, download_as=download_as),
        "ETag": tag,
        # A file behind a link is private; a public one may be withdrawn, so it is not cached for long.
        "Cache-Control": f"{'public' if info.public else 'private'}, max-age={_CACHED_SECONDS}",
    }
    if tag in request.headers.get("if-none-match", ""):
        await file.close()
        return Response(status_code=304, headers=headers)
    return _FileResponse(file, headers)


class _FileResponse(StreamingResponse):
    """Sends a file and closes it, also if the client has disconnected."""

    def __init__(self, file: OpenFile, headers: dict[str, str]) -> None:
        super().__init__(file.chunks(), headers={**headers, "Content-Length": str(file.info.size)})
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._file.close()


async def _pieces(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(_CHUNK):
        yield piece


def _at_most(receive: Receive, most_bytes: int) -> Receive:
    """Stop receiving as soon as there is too much."""
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most_bytes:
            raise TooLarge(f"The file is larger than {most_bytes - _FORM_BYTES:,} bytes.")
        return message

    return counted
