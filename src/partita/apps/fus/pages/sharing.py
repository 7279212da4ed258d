"""What pages of the catalog say to other programs: heads, feeds, and the pictures beside links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.inputs import LONGEST_TAG
from partita.apps.fus.schema import Site
from partita.apps.fus.service import FusService
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.serving import serving
from partita.kit.sharing import Card, Feed, FeedLink, Head, absolute, add_feed, address, picture_response
from partita.kit.sharing.structured import rating, thing

FEEDS = (FeedLink("fus: new sites", "/fus/sites.atom"),)
PAGES = ("/fus", "/fus/tags", "/fus/design")


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    async def newest(tags: Annotated[str, Query(max_length=LONGEST_TAG)] = "") -> Feed:
        return await service.sharing.feed(tags)

    add_feed(pages, "/sites", newest)

    @pages.get("/sites/{site_id}/{digest}.png", Access.PUBLIC, faceless=True)
    async def picture(request: Request, site_id: str, digest: str) -> Response:
        site = await service.sites.site(site_id)
        return await picture_response(request, _card(site), digest, _path(site))


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
