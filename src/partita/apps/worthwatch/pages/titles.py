"""The page of a film or series: decide."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from partita.apps.worthwatch.inputs import NewMovie, NewShow, ReviewForm
from partita.apps.worthwatch.schema import Mine, Movie, User
from partita.apps.worthwatch.search import ENOUGH_RATINGS, decade_of
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import (
    CONTENT_TYPES,
    Kind,
    curator_path,
    list_path,
    title_path,
    title_tail,
)
from partita.apps.worthwatch.service.labels import Title
from partita.apps.worthwatch.service.tiles import card_of, curator_name, in_hours, tile_of_title
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.serving import serving
from partita.kit.sharing import Head, absolute
from partita.kit.sharing.structured import rating, thing

_REVIEWS, _PAGE, _CAST = 4, 20, 12
_ONE = "/titles/{kind}/{content_id}"
_SEPARATED = ("genres", "directors", "creators", "cast", "otherTitles")


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""

    @pages.get("/titles/new", Access.SIGNED_IN)
    async def new_form(request: Request, viewer: CurrentViewer, title: str = "", kind: Kind = "film") -> Response:
        may = await _may_add(service, viewer)
        form: Parsed[Any] = Parsed(None, {"title": title[:300]})
        return render(request, "worthwatch/new_title.html", form=form, kind=kind, may=may)

    @pages.post("/titles/new", Access.SIGNED_IN)
    async def create(request: Request, viewer: CurrentViewer, kind: Kind = "film") -> Response:
        model: type[NewMovie | NewShow] = NewMovie if kind == "film" else NewShow

        async def save(new: NewMovie | NewShow) -> Response:
            title = await service.titles.add(viewer, new)
            return redirect(path_of(title), flash=f"“{title.title}” is in the catalog.")

        async def again(form: Parsed[Any]) -> Response:
            return render(request, "worthwatch/new_title.html", form=form, kind=kind, may=True)

        return await submitted(request, model, save, again, separated=_SEPARATED)

    @pages.get(f"{_ONE}/reviews", Access.PUBLIC)
    async def reviews(
        request: Request, viewer: CurrentViewer, kind: Kind, content_id: str, cursor: Cursor = None
    ) -> Response:
        title = await service.titles.title(CONTENT_TYPES[kind], content_id)
        mine = await service.shelves.mine(viewer, title.content_type, title.content_id)
        page = await service.ratings.reviews(title.content_type, title.content_id, limit=_PAGE, cursor=cursor)
        return render(
            request,
            "worthwatch/reviews.html",
            tile=tile_of_title(title).marked(mine),
            page=page,
            curator_path=curator_path,
            curator_name=curator_name,
        )

    @pages.get(f"{_ONE}/lists", Access.PUBLIC)
    async def lists(request: Request, kind: Kind, content_id: str, cursor: Cursor = None) -> Response:
        title = await service.titles.title(CONTENT_TYPES[kind], content_id)
        page = await service.reasons.on_lists(title.content_type, title.content_id, limit=_PAGE, cursor=cursor)
        cards = [card_of(each.watchlist, each.curator, None) for each in page]
        return render(
            request, "worthwatch/lists_with.html", tile=tile_of_title(title), cards=cards, cursor=page.next_cursor
        )

    @pages.get(_ONE, Access.PUBLIC)
    async def without_tail(kind: Kind, content_id: str) -> Response:
        return RedirectResponse(path_of(await found(kind, content_id)), 301)

    @pages.get(f"{_ONE}/{{tail}}", Access.PUBLIC)
    async def one(request: Request, viewer: CurrentViewer, kind: Kind, content_id: str, tail: str) -> Response:
        """The id decides; another tail, and a title that was merged into another one, lead to the right address."""
        title = await found(kind, content_id)
        if title.content_id != content_id or tail != title_tail(title.title):
            return RedirectResponse(path_of(title), 301)
        return await title_page(request, service, viewer, title)

    async def found(kind: Kind, content_id: str) -> Title:
        content_type = CONTENT_TYPES[kind]
        try:
            return await service.titles.title(content_type, content_id)
        except NotFound:
            went = await service.reasons.merged_into(content_type, content_id)
            if went is None:
                raise
            return await service.titles.title(*went)


async def title_page(
    request: Request,
    service: WorthWatchService,
    viewer: Viewer,
    title: Title,
    form: Parsed[ReviewForm] | None = None,
) -> Response:
    """All that one needs to decide; again with what was typed if a review was refused."""
    content_type, content_id = title.content_type, title.content_id
    me = await service.people.mine(viewer)
    mine = await service.shelves.mine(viewer, content_type, content_id)
    own = None
    if mine is not None and mine.rating is not None:
        own = await service.ratings.mine(viewer, content_type, content_id)
    if form is None:
        known = {"rating": own.rating, "review": own.review or "", "hasSpoilers": bool(own.has_spoilers)} if own else {}
        form = Parsed(None, known)
    why = await service.reasons.why(viewer, content_type, content_id)
    reviews = await service.ratings.reviews(content_type, content_id, limit=_REVIEWS)
    count = title.rating_count or 0
    return render(
        request,
        "worthwatch/title.html",
        page_head=title_head(request, title),
        refused=form.problem,
        title=title,
        tile=tile_of_title(title).marked(mine),
        here=path_of(title),
        mine=mine,
        own=own,
        form=form,
        why=why,
        cards=[card_of(each.watchlist, each.curator, None) for each in why.lists],
        reviews=reviews,
        count=count,
        shows_average=count >= ENOUGH_RATINGS and not _hidden(me, mine),
        hidden=count >= ENOUGH_RATINGS and _hidden(me, mine),
        bars=[(str(number), amount) for number, amount in reversed(list(enumerate(title.histogram, 1)))],
        facts=facts_of(title),
        people=people_of(title),
        curator_path=curator_path,
        curator_name=curator_name,
        list_path=list_path,
    )


def path_of(title: Title) -> str:
    """The page of a title."""
    return title_path(title.content_type, title.content_id, title.title)


def facts_of(title: Title) -> list[list[tuple[str, str]]]:
    """Year, length and genres, each with where it leads: others of that decade or genre. What is not known is left
    out, and a length leads nowhere."""
    years = str(title.year or "")
    if isinstance(title, Movie):
        lengths = [in_hours(title.runtime)]
    else:
        seasons = title.number_of_seasons
        lengths = ["Series", "" if not seasons else "1 season" if seasons == 1 else f"{seasons} seasons"]
        if years and title.end_year and title.end_year != title.start_year:
            years = f"{years} to {title.end_year}"
    decade = others_path(title, decade=decade_of(title.year)) if title.year else ""
    genres = [(genre, others_path(title, genre=genre)) for genre in title.genres]
    known = [[(years, decade)], *([(length, "")] for length in lengths), genres]
    return [fact for fact in known if fact and fact[0][0]]


def people_of(title: Title) -> dict[str, list[tuple[str, str]]]:
    """Who made it and who plays in it, each with where it leads: what else the catalog has of them."""
    makers = title.directors if isinstance(title, Movie) else title.creators
    groups = {"makers": makers, "cast": (title.cast or ())[:_CAST]}
    return {group: [(name, others_path(title, q=name)) for name in names] for group, names in groups.items()}


def others_path(title: Title, **wanted: str) -> str:
    """The search for other titles of the same kind."""
    return f"/worthwatch/search?{urlencode({**wanted, 'show': 'films' if isinstance(title, Movie) else 'series'})}"


def title_head(request: Request, title: Title) -> Head:
    """What the page says to search engines."""
    path = path_of(title)
    count = title.rating_count or 0
    average = float(title.rating) if title.rating is not None and count >= ENOUGH_RATINGS else None
    known = {
        "name": title.title,
        "url": absolute(serving(request).base_url, path),
        "genre": list(title.genres),
        "description": title.synopsis,
        "aggregateRating": rating(average, count, most=10),
    }
    if isinstance(title, Movie):
        data = thing(
            "Movie",
            **known,
            datePublished=str(title.release_year) if title.release_year else None,
            director=[thing("Person", name=name) for name in title.directors],
            duration=f"PT{title.runtime}M" if title.runtime else None,
        )
    else:
        data = thing(
            "TVSeries",
            **known,
            startDate=str(title.start_year) if title.start_year else None,
            endDate=str(title.end_year) if title.end_year else None,
            numberOfSeasons=title.number_of_seasons,
        )
    words = title.synopsis or f"{title.title}: who recommends it and why, ratings and reviews."
    return Head(path, words, kind="article", data=data)


def _hidden(me: User | None, mine: Mine | None) -> bool:
    """Whether somebody wants to see no average before they have seen the title."""
    return me is not None and bool(me.hide_averages) and not (mine is not None and mine.seen)


async def _may_add(service: WorthWatchService, viewer: Viewer) -> bool:
    me = await service.people.mine(viewer)
    return viewer.may("worthwatch:catalog:edit") or (me is not None and me.approved)
