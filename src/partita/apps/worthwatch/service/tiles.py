"""What pages show of a title and of a list: one shape, whatever it was read from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from partita.apps.worthwatch.formats import picture_in
from partita.apps.worthwatch.schema import (
    POSTERS,
    ContentType,
    Label,
    ListTotals,
    Mine,
    Movie,
    TitleRef,
    User,
    Watchlist,
    WatchlistItem,
)
from partita.apps.worthwatch.search import ENOUGH_RATINGS
from partita.apps.worthwatch.service.addresses import (
    curator_path,
    list_path,
    poster_path,
    tag_path,
    title_parts,
    title_path,
)
from partita.apps.worthwatch.service.labels import Ref, Title, label_of, tint_of

FAN = 5
"""How many posters a card shows."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A title as a poster: what it is, and what the viewer has done with it."""

    type: ContentType
    id: str
    title: str
    year: int | None = None
    runtime: int | None = None
    genres: tuple[str, ...] = ()
    digest: str | None = None
    tint: int | None = None
    seen: bool = False
    queued: bool = False
    rating: int | None = None
    """The viewer's own."""
    average: float | None = None
    rated_by: int = 0
    """How many people the average is of, where it is known."""
    place: int | None = None
    """Its place on a list, counted from 1."""
    ranked: bool = False
    note: str = ""
    note_spoils: bool = False
    new: bool = False
    """Whether it came since the viewer's last visit."""
    gone: bool = False
    """Whether the title is not in the catalog any more."""
    file: str | None = None
    """Its uploaded poster, as it was copied."""

    @property
    def ref(self) -> Ref:
        return self.type, self.id

    @property
    def path(self) -> str:
        return title_path(self.type, self.id, self.title)

    @property
    def parts(self) -> str:
        """It within an address: `film/tt1`."""
        return title_parts(self.type, self.id)

    @property
    def poster(self) -> str:
        return poster_path(self.type, self.id, self.digest)

    @property
    def picture(self) -> str | None:
        """The file of its uploaded poster; without one it is drawn, at `poster`."""
        return picture_in(POSTERS, self.file)

    @property
    def name(self) -> str:
        """Title and year: what somebody who cannot see the poster is told."""
        return f"{self.title} ({self.year})" if self.year else self.title

    @property
    def length(self) -> str:
        """1 h 57 min."""
        return in_hours(self.runtime)

    @property
    def kind(self) -> str:
        return "Film" if self.type == "MOVIE" else "Series"

    def average_shown(self, *, hidden: bool) -> float | None:
        """The average as grids show it: of enough ratings, and to who hides averages only once they have seen it."""
        return None if self.rated_by < ENOUGH_RATINGS or (hidden and not self.seen) else self.average

    def marked(self, mine: Mine | None) -> Tile:
        """The tile with what the viewer has done with the title."""
        if mine is None:
            return self
        return replace(self, seen=mine.seen, queued=bool(mine.queued), rating=mine.rating)


@dataclass(frozen=True, slots=True)
class ListCard:
    """A list as a card: a fan of posters, its title, its curator."""

    watchlist: Watchlist
    curator: User | None
    saves: int = 0
    comments: int = 0
    fan: tuple[Tile, ...] = field(default=())

    @property
    def path(self) -> str:
        return list_path(self.watchlist)

    @property
    def tint(self) -> int | None:
        return self.fan[0].tint if self.fan else None

    @property
    def curator_path(self) -> str:
        return curator_path(self.watchlist.curator_id, curator_name(self.curator))

    @property
    def curator_name(self) -> str:
        return curator_name(self.curator)

    @property
    def face(self) -> str | None:
        """The file of its curator's face."""
        return self.curator.face if self.curator else None

    @property
    def first_sentence(self) -> str:
        """The beginning of its description."""
        text = " ".join(self.watchlist.description.split())
        ends = [place for mark in (". ", "! ", "? ") if (place := text.find(mark)) > 0]
        return text[: min(ends) + 1] if ends else text

    @property
    def tags(self) -> tuple[tuple[str, str], ...]:
        return tuple((tag, tag_path(tag)) for tag in self.watchlist.tags)


def curator_name(curator: User | None) -> str:
    """Who made a list; somebody who left and let it stay has no name."""
    return "Somebody who left" if curator is None else curator.username


def tile_of_label(content_type: ContentType, content_id: str, label: Label | None) -> Tile:
    """A title by what was copied of it; another program may have copied nothing."""
    if label is None:
        return Tile(content_type, content_id, "A film" if content_type == "MOVIE" else "A series")
    return Tile(
        content_type,
        content_id,
        label.title,
        label.year,
        label.runtime,
        label.genres,
        label.poster,
        tint_of(content_type, content_id, label.genres),
        file=label.picture,
    )


def tile_of_item(item: WatchlistItem, *, place: int | None = None, ranked: bool = False, since: str = "") -> Tile:
    """A title of a list; `since` is when the viewer was last here."""
    return replace(
        tile_of_label(item.content_type, item.content_id, item.label),
        place=place,
        ranked=ranked,
        note=item.curator_note or "",
        note_spoils=bool(item.note_spoils),
        new=bool(since) and item.added_at > since,
    )


def tile_of_title(title: Title) -> Tile:
    """A title of the catalog."""
    tile = tile_of_label(title.content_type, title.content_id, label_of(title))
    average = float(title.rating) if title.rating is not None else None
    runtime = title.runtime if isinstance(title, Movie) else None
    return replace(tile, average=average, rated_by=title.rating_count or 0, runtime=runtime)


def tile_of_ref(ref: TitleRef) -> Tile:
    """A title on a cover or among favourites."""
    return Tile(ref.type, ref.id, ref.title, ref.year, digest=ref.poster, tint=ref.tint, file=ref.picture)


def marked(tiles: Iterable[Tile], mine: Mapping[Ref, Mine]) -> tuple[Tile, ...]:
    """Tiles with what the viewer has done with each."""
    return tuple(tile.marked(mine.get(tile.ref)) for tile in tiles)


def card_of(watchlist: Watchlist, curator: User | None, totals: ListTotals | None) -> ListCard:
    """A list with what it adds up to."""
    return ListCard(
        watchlist,
        curator,
        (totals.save_count if totals else 0) or 0,
        (totals.comment_count if totals else 0) or 0,
        tuple(map(tile_of_ref, (watchlist.cover_items or ())[:FAN])),
    )


def in_hours(minutes: int | None) -> str:
    """1 h 57 min; nothing if it is not known."""
    if not minutes:
        return ""
    hours, rest = divmod(minutes, 60)
    return " ".join(filter(None, (f"{hours} h" if hours else "", f"{rest} min" if rest else "")))
