"""Responses with feeds, sitemaps and pictures: read again only if they have changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from email.utils import format_datetime
from hashlib import blake2b

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from partita.kit.files.ranges import is_known
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.serving import serving
from partita.kit.sharing.cards import Card
from partita.kit.sharing.feeds import Feed, atom, rss

FEED_SECONDS = 300
FOR_A_YEAR = "public, max-age=31536000, immutable"

_FORMATS: dict[str, tuple[str, Callable[[Feed, str], bytes]]] = {
    "atom": ("application/atom+xml; charset=utf-8", atom),
    "rss": ("application/rss+xml; charset=utf-8", rss),
}


def add_feed(pages: Routes, path: str, read: Callable[..., Awaitable[Feed]]) -> None:
    """Declare the routes of a feed, one for each format. The parameters of `read` are those of the routes, as for any
    route; it reads with the service, as a visitor would."""
    for ending in _FORMATS:
        _declare(pages, path, ending, read)


def document_response(
    request: Request, body: bytes, kind: str, *, seconds: int, modified: datetime | None = None
) -> Response:
    """A public document that is made for each request, or 304 if the reader has it."""
    tag = blake2b(body, digest_size=12).hexdigest()
    # A weak tag, since the document may be compressed on its way.
    headers = {"ETag": f'W/"{tag}"', "Cache-Control": f"public, max-age={seconds}"}
    if modified is not None:
        headers["Last-Modified"] = format_datetime(modified, usegmt=True)
    if _is_same(request, tag, headers.get("Last-Modified")):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=kind, headers=headers)


async def picture_response(request: Request, card: Card, digest: str, path: str) -> Response:
    """The picture of a card. `path` is its address without the last part; who asks with an old digest is sent to it."""
    if digest != card.digest:
        return RedirectResponse(f"{path}/{card.file}", 302, {"Cache-Control": "public, max-age=300"})
    headers = {
        "ETag": f'"{digest}"',
        "Cache-Control": FOR_A_YEAR,
        "Cross-Origin-Resource-Policy": "cross-origin",  # it is for pages of others
    }
    if is_known(request.headers.get("if-none-match"), digest):
        return Response(status_code=304, headers=headers)
    return Response(await serving(request).studio.draw(card), media_type="image/png", headers=headers)


def _declare(pages: Routes, path: str, ending: str, read: Callable[..., Awaitable[Feed]]) -> None:
    kind, write = _FORMATS[ending]

    @pages.get(f"{path}.{ending}", Access.PUBLIC, faceless=True, name=f"{path}.{ending}")
    async def show(request: Request, feed: Feed = Depends(read)) -> Response:  # noqa: B008 - a declaration
        body = write(feed, serving(request).base_url)
        return document_response(request, body, kind, seconds=FEED_SECONDS, modified=feed.modified)


def _is_same(request: Request, tag: str, modified: str | None) -> bool:
    known = request.headers.get("if-none-match")
    if known is not None:
        return is_known(known, tag)
    # Only the very same time: if the newest entry is withdrawn, the feed becomes older.
    return modified is not None and request.headers.get("if-modified-since") == modified
