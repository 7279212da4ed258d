"""Taking a list or one's history elsewhere: CSV with the columns that Letterboxd or IMDb read, or JSON."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import tail
from partita.apps.worthwatch.schema import Mine, Movie, Rating, Viewing, Watchlist, WatchlistItem
from partita.apps.worthwatch.service.labels import Ref, Title, titles_by_ref
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer, require_confirmation
from partita.kit.spreadsheets import line
from partita.store.store import AsyncStore

Format = Literal["letterboxd", "imdb", "json"]
LETTERBOXD = ("Title", "Year", "imdbID", "tmdbID", "WatchedDate", "Rating10", "Rewatch", "Review")
IMDB_LIST = ("Position", "Const", "Created", "Modified", "Description", "Title", "URL", "Title Type", "Year")
IMDB_RATINGS = ("Const", "Your Rating", "Date Rated", "Title", "URL", "Title Type", "Year")
_TYPES: dict[Format, str] = {
    "letterboxd": "text/csv; charset=utf-8",
    "imdb": "text/csv; charset=utf-8",
    "json": "application/json",
}
_BATCH = 100


@dataclass(frozen=True, slots=True)
class Export:
    """A file: its name, its type, and its pieces as they come."""

    filename: str
    media_type: str
    pieces: AsyncIterator[bytes]


class Exporting:
    """Files to take away."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    def of_list(self, watchlist: Watchlist, format: Format) -> Export:
        """A list that the viewer may see, in its order; whoever asks has checked that."""
        name = _ascii(tail(watchlist.title)) or "list"
        return _export(name, format, _list_pieces(self._store, watchlist, format))

    def history(self, viewer: Viewer, format: Format) -> Export:
        """What the viewer has seen, when, and how they rated it."""
        require_confirmation(viewer)
        return _export("worthwatch-history", format, _history_pieces(self._store, viewer, format))


def _export(name: str, format: Format, pieces: AsyncIterator[bytes]) -> Export:
    return Export(f"{name}.{'json' if format == 'json' else 'csv'}", _TYPES[format], pieces)


async def _list_pieces(store: AsyncStore, watchlist: Watchlist, format: Format) -> AsyncIterator[bytes]:
    yield _head(format, IMDB_LIST)
    place, between = 0, b""
    async for items in _in_batches(store.stream(schema.items_in_order(watchlist.watchlist_id), chunk=_BATCH)):
        titles = await titles_by_ref(store, ((each.content_type, each.content_id) for each in items))
        for item in items:
            place += 1
            title = titles.get((item.content_type, item.content_id))
            if format == "json":
                yield between + _json(_item_object(place, item, title))
                between = b","
            elif title is not None:
                cells = _letterboxd(title, review=item.curator_note or "")
                yield line(cells if format == "letterboxd" else _imdb_item(place, item, title)).encode()
    yield b"\n]\n" if format == "json" else b""


async def _history_pieces(store: AsyncStore, viewer: Viewer, format: Format) -> AsyncIterator[bytes]:
    yield _head(format, IMDB_RATINGS)
    between = b""
    viewings: dict[Ref, list[Viewing]] = {}
    async for viewing in store.stream(schema.diary_of(viewer.id)):
        viewings.setdefault((viewing.content_type, viewing.content_id), []).append(viewing)
    async for marks in _in_batches(store.stream(schema.all_mine(viewer.id), chunk=_BATCH)):
        seen: list[Mine] = [each for each in marks if each.seen]
        refs: list[Ref] = [(each.content_type, each.content_id) for each in seen]
        titles = await titles_by_ref(store, refs)
        rated = await _ratings(store, viewer, [ref for ref, each in zip(refs, seen, strict=True) if each.rating])
        for ref, mark in zip(refs, seen, strict=True):
            title, rating = titles.get(ref), rated.get(ref)
            if title is None:
                continue
            days = sorted(viewings.get(ref, ()), key=lambda each: each.day)
            if format == "json":
                yield between + _json(_seen_object(title, mark, rating, days))
                between = b","
            elif format == "letterboxd":
                for number, day in enumerate(days or [None]):
                    yield line(_letterboxd(title, rating if not number else None, day)).encode()
            elif rating is not None and title.imdb_id:
                yield line(_imdb_rating(title, rating)).encode()
    yield b"\n]\n" if format == "json" else b""


async def _ratings(store: AsyncStore, viewer: Viewer, refs: Sequence[Ref]) -> dict[Ref, Rating]:
    found = await store.batch_get([schema.rating(viewer.id, *ref).key for ref in refs]) if refs else []
    return {(each.content_type, each.content_id): each for each in found if each is not None}


async def _in_batches(stream: AsyncIterator[Any]) -> AsyncIterator[list[Any]]:
    batch: list[Any] = []
    async for each in stream:
        batch.append(each)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _head(format: Format, imdb: Sequence[str]) -> bytes:
    return b"[" if format == "json" else line(LETTERBOXD if format == "letterboxd" else imdb).encode()


def _json(value: dict[str, Any]) -> bytes:
    return b"\n" + orjson.dumps({name: each for name, each in value.items() if each is not None})


def _letterboxd(
    title: Title, rating: Rating | None = None, viewing: Viewing | None = None, *, review: str = ""
) -> tuple[str, ...]:
    again = "true" if viewing is not None and viewing.rewatch else ""
    return (
        title.title,
        str(title.year or ""),
        title.imdb_id or "",
        title.tmdb_id or "",
        viewing.day if viewing else "",
        str(rating.rating) if rating else "",
        again,
        (rating.review or "") if rating else review,
    )


def _imdb_item(place: int, item: WatchlistItem, title: Title) -> tuple[str, ...]:
    const = title.imdb_id or ""
    note = item.curator_note or ""
    day = item.added_at[:10]
    return (str(place), const, day, day, note, title.title, _url(const), _type(title), str(title.year or ""))


def _imdb_rating(title: Title, rating: Rating) -> tuple[str, ...]:
    const = title.imdb_id or ""
    return (
        const,
        str(rating.rating),
        rating.rated_at[:10],
        title.title,
        _url(const),
        _type(title),
        str(title.year or ""),
    )


def _item_object(place: int, item: WatchlistItem, title: Title | None) -> dict[str, Any]:
    return {
        "position": place,
        "contentType": item.content_type,
        "contentId": item.content_id,
        "title": title.title if title else (item.label.title if item.label else None),
        "year": title.year if title else None,
        "imdbId": title.imdb_id if title else None,
        "tmdbId": title.tmdb_id if title else None,
        "curatorNote": item.curator_note,
        "addedAt": item.added_at,
    }


def _seen_object(title: Title, mark: Mine, rating: Rating | None, viewings: Sequence[Viewing]) -> dict[str, Any]:
    return {
        "contentType": title.content_type,
        "contentId": title.content_id,
        "title": title.title,
        "year": title.year,
        "imdbId": title.imdb_id,
        "tmdbId": title.tmdb_id,
        "seenAt": mark.marked_at,
        "viewings": [{"day": each.day, "rewatch": bool(each.rewatch), "note": each.note} for each in viewings],
        "rating": rating.rating if rating else None,
        "review": rating.review if rating else None,
    }


def _type(title: Title) -> str:
    return "Movie" if isinstance(title, Movie) else "TV Series"


def _url(const: str) -> str:
    return f"https://www.imdb.com/title/{const}/" if const else ""


def _ascii(text: str) -> str:
    """The name of a file, of letters that every system has."""
    return "".join(each for each in text if each.isascii() and (each.isalnum() or each == "-")).strip("-")
