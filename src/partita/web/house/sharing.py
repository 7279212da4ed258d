"""What search engines ask for: sitemaps and `robots.txt`; and a picture for each system."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import cache

from fastapi import Request
from starlette.responses import Response

from partita.kit.permissions import Access
from partita.kit.problems import NotFound
from partita.kit.routes import Routes
from partita.kit.sharing import Sitemap, absolute, picture_response
from partita.kit.sharing.responses import document_response
from partita.kit.sharing.robots import robots
from partita.kit.sharing.sitemaps import MOST_ADDRESSES, part_addresses, sitemap_index, url_set, windows, with_new_parts
from partita.kit.suite import Suite
from partita.kit.system import System

_XML = "application/xml; charset=utf-8"
_SECONDS = 600
_LONGEST_NUMBER = 6
_HOUSE = "house"


def routes(suite: Suite) -> Routes:
    """The index, its parts, and the pictures of systems."""
    routes = Routes("", tag="house", pages=True)
    base_url = suite.kit.settings.base_url
    store = suite.kit.store
    sitemaps = {_HOUSE: Sitemap(pages=("/",)), **{each.name: _sitemap(each) for each in suite.systems}}
    cards = {each.name: each.card for each in suite.systems}

    @routes.get("/sitemap.xml", Access.PUBLIC, faceless=True)
    async def index(request: Request) -> Response:
        """The parts of all systems."""
        found = await asyncio.gather(*(with_new_parts(store, name, each.things) for name, each in sitemaps.items()))
        paths = [
            f"/sitemaps/{name}/{number}.xml"
            for name, parts in zip(sitemaps, found, strict=True)
            for number, _ in enumerate(parts, 1)
        ]
        return document_response(request, sitemap_index(base_url, paths), _XML, seconds=_SECONDS)

    @routes.get("/sitemaps/{name}/{number}.xml", Access.PUBLIC, faceless=True)
    async def part(request: Request, name: str, number: str) -> Response:
        """A part; the pages of a system are in its first."""
        sitemap = sitemaps.get(name)
        place = int(number) if number.isascii() and number.isdecimal() and len(number) <= _LONGEST_NUMBER else 0
        parts = await windows(store, name) if sitemap is not None else ()
        if sitemap is None or not 1 <= place <= len(parts):
            raise NotFound("There is no such part of the sitemap. /sitemap.xml names all of them.")
        pages = sitemap.pages if place == 1 else ()
        most = MOST_ADDRESSES - len(pages)
        found = () if sitemap.things is None else await part_addresses(sitemap.things, parts[place - 1], most)
        return document_response(request, url_set(base_url, pages, found), _XML, seconds=_SECONDS)

    @routes.get("/pictures/{name}/{digest}.png", Access.PUBLIC, faceless=True)
    async def picture(request: Request, name: str, digest: str) -> Response:
        """The picture of a system, for its pages that have none of their own."""
        card = cards.get(name)
        if card is None:
            raise NotFound(f"There is no system {name[:80]!r}.")
        return await picture_response(request, card, digest, f"/pictures/{name}")

    return routes


def robots_route(base_url: str, served: Iterable[Routes]) -> Routes:
    """`/robots.txt`, from all routes there are."""
    pages = [each for routes in served if routes.pages for each in routes.declarations if each.method == "GET"]

    @cache
    def text() -> bytes:
        public = {each.path for each in pages if each.permission == Access.PUBLIC}
        private = {each.path for each in pages} - public
        return robots(private, public, absolute(base_url, "/sitemap.xml")).encode()

    routes = Routes("", tag="house", pages=True)

    @routes.get("/robots.txt", Access.PUBLIC, faceless=True)
    async def show(request: Request) -> Response:
        return document_response(request, text(), "text/plain; charset=utf-8", seconds=_SECONDS)

    return routes


def _sitemap(system: System) -> Sitemap:
    """A system's own; of one that only has its tables, the page with their design."""
    return system.sitemap or Sitemap(pages=(f"/{system.name}/design",))
