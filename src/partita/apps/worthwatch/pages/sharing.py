"""What pages of lists say to other programs: heads, feeds, pictures beside links, and lists within pages of others."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import RedirectResponse, Response

from partita.apps.worthwatch.formats import version_of
from partita.apps.worthwatch.schema import Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import list_path
from partita.apps.worthwatch.service.labels import poster_of
from partita.apps.worthwatch.service.posters import motif_strip
from partita.apps.worthwatch.service.posters.strip import MOST_MOTIFS
from partita.apps.worthwatch.service.reading import ShownList
from partita.apps.worthwatch.service.tiles import curator_name, tile_of_item
from partita.kit.pages import render
from partita.kit.permissions import NOBODY, Access
from partita.kit.problems import NotFound
from partita.kit.routes import Routes
from partita.kit.serving import serving
from partita.kit.sharing import Feed, FeedLink, Head, absolute, add_feed, address
from partita.kit.sharing.structured import thing

FEEDS = (FeedLink("WorthWatch: new lists", "/worthwatch/lists.atom"),)
PAGES = ("/worthwatch", "/worthwatch/design")
_FOR_A_YEAR = "public, max-age=31536000, immutable"
_EMBED_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors *"


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    sharing = service.sharing

    async def newest(tag: Annotated[str, Query(max_length=50)] = "") -> Feed:
        return await sharing.newest(tag)

    async def of_curator(user_id: str) -> Feed:
        return await sharing.of_curator(user_id)

    async def of_list(watchlist_id: str) -> Feed:
        return await sharing.of_list(watchlist_id)

    add_feed(pages, "/lists", newest)
    add_feed(pages, "/curators/{user_id}/lists", of_curator)
    add_feed(pages, "/lists/{watchlist_id}/titles", of_list)

    @pages.get("/pictures/{watchlist_id}/{digest}.png", Access.PUBLIC, faceless=True)
    async def picture(watchlist_id: str, digest: str) -> Response:
        """The motifs of a list's first titles, side by side."""
        watchlist = (await service.lists.visible(NOBODY, watchlist_id)).watchlist
        current = _picture_digest(watchlist)
        if digest != current:
            return RedirectResponse(_picture_path(watchlist), 302, {"Cache-Control": "public, max-age=300"})
        refs = [(each.type, each.id) for each in (watchlist.cover_items or ())[:MOST_MOTIFS]]
        titles = await service.titles.by_ref(refs)
        if not titles:
            raise NotFound("There is no picture of an empty list.")
        drawn = await asyncio.to_thread(motif_strip, [poster_of(title) for title in titles.values()])
        headers = {"Cache-Control": _FOR_A_YEAR, "Cross-Origin-Resource-Policy": "cross-origin"}
        return Response(drawn, media_type="image/png", headers=headers)

    @pages.get("/embed/{watchlist_id}", Access.PUBLIC, faceless=True)
    async def embed(request: Request, watchlist_id: str) -> Response:
        """Six posters, title and curator, within pages of others."""
        visible, items = await sharing.embedded(watchlist_id)
        if not items:
            raise NotFound("There is no such list. It may be private, or deleted.")
        headers = {
            "Content-Security-Policy": _EMBED_POLICY,
            "Cross-Origin-Resource-Policy": "cross-origin",
            "Cross-Origin-Opener-Policy": "unsafe-none",
            "Cache-Control": "public, max-age=300",
        }
        return render(
            request,
            "worthwatch/embed.html",
            headers=headers,
            watchlist=visible.watchlist,
            name=curator_name(visible.curator),
            tiles=[tile_of_item(item) for item in items],
            path=list_path(visible.watchlist),
        )


def discover_head(tag: str, sort: str) -> Head:
    """Discover; a tag has a page of its own."""
    narrowed = {"tag": tag, "sort": "" if tag else sort}
    feeds = (
        (FeedLink(f"WorthWatch: lists about {tag}", address("/worthwatch/lists.atom", {"tag": tag})),) if tag else ()
    )
    about = f"Lists about {tag}" if tag else "Lists of films and series"
    return Head(address("/worthwatch", narrowed), f"{about}, each title with a person’s reason.", feeds=feeds)


def list_head(request: Request, shown: ShownList) -> Head:
    """A list that everybody may see."""
    watchlist = shown.watchlist
    path = list_path(watchlist)
    base = serving(request).base_url
    # Places and addresses alone: the page of each title says what it is.
    entries = [thing("ListItem", position=tile.place, url=absolute(base, tile.path)) for tile in shown.tiles]
    data: dict[str, Any] = thing(
        "ItemList",
        name=watchlist.title,
        description=watchlist.description,
        url=absolute(base, path),
        numberOfItems=watchlist.item_count,
        itemListElement=entries,
    )
    # For search engines, which never sign in: a sixth of the page.
    read = not request.state.viewer.signed_in
    first = ", ".join(tile.title for tile in shown.tiles[:3])
    return Head(
        path,
        watchlist.description or f"{watchlist.item_count} titles: {first} …",
        kind="article",
        picture=_picture_path(watchlist) if watchlist.cover_items else "",
        feeds=(FeedLink(f"{watchlist.title}: new titles", f"/worthwatch/lists/{watchlist.watchlist_id}/titles.atom"),),
        data=data if read else None,
    )


def _picture_path(watchlist: Watchlist) -> str:
    return f"/worthwatch/pictures/{watchlist.watchlist_id}/{_picture_digest(watchlist)}.png"


def _picture_digest(watchlist: Watchlist) -> str:
    return version_of(*((each.type, each.id, each.tint) for each in watchlist.cover_items or ()))
