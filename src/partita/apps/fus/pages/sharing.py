"""What pages of the catalog say to other programs: heads, feeds, the pictures beside links; and what other programs
share with the catalog: links, by a bookmark button or from the menu of a phone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import JSONResponse, Response

from partita.apps.fus.inputs import LONGEST_TAG
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Site
from partita.apps.fus.service import FusService
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.serving import serving
from partita.kit.sharing import Card, Feed, FeedLink, Head, absolute, add_feed, address, picture_response
from partita.kit.sharing.structured import rating, thing

FEEDS = (FeedLink("fus: new sites", "/fus/sites.atom"),)
PAGES = ("/fus", "/fus/tags", "/fus/design")

Sent = Annotated[str, Query(max_length=8000)]
_LINK = re.compile(r"https?://[^\s<>\"]+")
_LONGEST = {"url": 2000, "title": 300, "description": 1500}
_MANIFEST = {
    "name": "fus",
    "short_name": "fus",
    "description": "A catalog of good sites.",
    "id": "/fus",
    "start_url": "/fus",
    "scope": "/",
    "display": "minimal-ui",
    "icons": [{"src": "/static/icon.svg", "type": "image/svg+xml", "sizes": "any"}],
    "share_target": {
        "action": "/fus/share",
        "method": "GET",
        "params": {"title": "title", "text": "text", "url": "url"},
    },
}
_BUTTON = (
    "javascript:(()=>{const q=encodeURIComponent;open('%s?url='+q(location.href)+'&title='+q(document.title)"
    "+'&text='+q(String(getSelection()).slice(0,1500)))})()"
)


def shared_link(url: str, title: str, text: str) -> dict[str, str]:
    """What a form is filled in with. Phones often put the address into the text, with words around it."""
    if not url.strip():
        link = _LINK.search(text) or _LINK.search(title)
        url = "" if link is None else link.group()
        text, title = text.replace(url, " ") if url else text, title.replace(url, " ") if url else title
    plain = {"url": url, "title": title, "description": text}
    return {name: " ".join(value.split())[: _LONGEST[name]] for name, value in plain.items() if value.strip()}


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    async def newest(tags: Annotated[str, Query(max_length=LONGEST_TAG)] = "") -> Feed:
        return await service.sharing.feed(tags)

    add_feed(pages, "/sites", newest)

    @pages.get("/sites/{site_id}/{digest}.png", Access.PUBLIC, faceless=True)
    async def picture(request: Request, site_id: str, digest: str) -> Response:
        site = await service.sites.site(site_id)
        return await picture_response(request, _card(site), digest, _path(site))

    @pages.get("/manifest.webmanifest", Access.PUBLIC, faceless=True)
    async def manifest() -> Response:
        """What lets a phone install the catalog, and offer it where links are shared."""
        return JSONResponse(_MANIFEST, media_type="application/manifest+json")

    @pages.get("/share", Access.SIGNED_IN)
    async def share(viewer: CurrentViewer, url: Sent = "", title: Sent = "", text: Sent = "") -> Response:
        """A link from elsewhere: to the form that adds or suggests it, filled in. Nothing is written before somebody
        sends that form."""
        found = shared_link(url, title, text)
        return redirect(address("/fus/sites/new" if viewer.may(Fus.CREATE) else "/fus/suggest", found))

    @pages.get("/button", Access.PUBLIC)
    async def button(request: Request) -> Response:
        return render(request, "fus/button.html", code=_BUTTON % absolute(serving(request).base_url, "/fus/share"))


def catalog_head(tags: Sequence[str], text: str) -> Head:
    """The catalog, or the sites with a tag; a search and several tags have no page of their own."""
    named = f"Sites tagged {' and '.join(tags)}" if tags else "Good sites"
    feeds: tuple[FeedLink, ...] = ()
    if len(tags) == 1 and not text:
        feeds = (FeedLink(f"fus: new sites tagged {tags[0]}", address("/fus/sites.atom", {"tags": tags})),)
    return Head(
        address("/fus", {"tags": tags}),
        f"{named}, rated by the people who use them.",
        indexed=not text and len(tags) <= 1,
        feeds=feeds,
    )


def site_head(request: Request, site: Site) -> Head:
    """A site, with what people think of it."""
    path = _path(site)
    stars = rating(site.rating_average, site.number_of_ratings)
    return Head(
        path,
        site.description or f"{site.title} ({site.host}): a site in the catalog of fus.",
        kind="article",
        picture=f"{path}/{_card(site).file}",
        data=thing(
            "WebPage",
            name=site.title,
            description=site.description,
            url=absolute(serving(request).base_url, path),
            datePublished=site.created_at,
            dateModified=site.updated_at,
            keywords=list(site.tags),
            about=thing("WebSite", name=site.title, url=site.url, aggregateRating=stars),
        ),
    )


def _card(site: Site) -> Card:
    return Card.of(site.title, "fus")


def _path(site: Site) -> str:
    return f"/fus/sites/{site.site_id}"
