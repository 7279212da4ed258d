"""What pages of the directory say to other programs: heads, feeds, and the pictures beside links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.inputs import AskedTag
from partita.apps.kelifax.schema import Category, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.sharing import list_title
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.serving import serving
from partita.kit.sharing import Card, Feed, FeedLink, Head, absolute, add_feed, address, picture_response
from partita.kit.sharing.structured import thing

FEEDS = (FeedLink("Kelifax: new resources", "/kelifax/resources.atom"),)
PAGES = ("/kelifax", "/kelifax/resources", "/kelifax/tags", "/kelifax/design")


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    async def newest(category: Annotated[str, Query(max_length=30)] = "", tag: AskedTag = "") -> Feed:
        return await service.sharing.feed(category, tag)

    add_feed(pages, "/resources", newest)

    @pages.get("/resources/{slug}/{digest}.png", Access.PUBLIC, faceless=True)
    async def picture(request: Request, slug: str, digest: str) -> Response:
        resource = await service.resources.detail(slug)
        return await picture_response(request, _card(resource), digest, _path(resource))


def list_head(title: str, category: Category | None, tags: Sequence[str], text: str) -> Head:
    """A category and a tag have a page of their own; a search has not, and several tags are one."""
    narrowed = {"category": category, "tag": tags}
    feeds: tuple[FeedLink, ...] = ()
    if len(tags) <= 1 and (category or tags) and not text:
        feed_title = f"Kelifax: {list_title(category, ''.join(tags)).lower()}"
        feeds = (FeedLink(feed_title, address("/kelifax/resources.atom", narrowed)),)
    return Head(
        address("/kelifax/resources", narrowed),
        f"{title}: tools, libraries and places to learn, reviewed by moderators.",
        indexed=not text and len(tags) <= 1,
        feeds=feeds,
    )


def resource_head(request: Request, resource: Resource) -> Head:
    """A resource; of what it is we only know that it has a site."""
    path = _path(resource)
    about = thing("WebSite", name=resource.resource_name, url=resource.resource_url)
    return Head(
        path,
        resource.usage_purpose,
        kind="article",
        picture=f"{path}/{_card(resource).file}",
        data=thing(
            "WebPage",
            name=resource.resource_name,
            description=resource.usage_purpose,
            url=absolute(serving(request).base_url, path),
            datePublished=resource.approved_at or resource.created_at,
            keywords=list(resource.tag_list),
            about=about,
        ),
    )


def _card(resource: Resource) -> Card:
    return Card.of(resource.resource_name, "Kelifax")


def _path(resource: Resource) -> str:
    return f"/kelifax/resources/{resource.resource_slug}"
