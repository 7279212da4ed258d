"""Uploaded pictures: posters of titles, faces of people, covers of lists. Each is cut to its frame, kept in the file
store, and named by the item that it belongs to; a file that its item no longer names is deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from starlette.requests import Request

from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import AVATARS, COVERS, POSTERS, ContentType, Movie, Show, User, Watchlist
from partita.apps.worthwatch.service.labels import Title, title_get
from partita.apps.worthwatch.service.lists import Lists
from partita.apps.worthwatch.service.merging import merged_into
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.titles import Titles
from partita.kit.changes import Change
from partita.kit.files import OwnedFiles
from partita.kit.framed import Frame, give_picture, sent_picture
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find
from partita.kit.permissions import Viewer, authorize
from partita.table import Item

UPLOADING = Rule("worthwatch-pictures", most=60, seconds=3600)
T = TypeVar("T")


POSTER = Frame(POSTERS, "poster_file", (360, 540), (120, 180))
AVATAR = Frame(AVATARS, "avatar_file", (176, 176), (64, 64))
COVER = Frame(COVERS, "cover_file", (1200, 600), (320, 160))
_PICTURED: tuple[tuple[type[Item], Frame], ...] = (
    (Movie, POSTER),
    (Show, POSTER),
    (User, AVATAR),
    (Watchlist, COVER),
)


class Pictures:
    """Giving things a picture, and taking it away."""

    def __init__(self, kit: Kit, people: People, titles: Titles, lists: Lists) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._titles = titles
        self._lists = lists

    def url(self, thing: Title | User | Watchlist) -> str | None:
        """A link to the uploaded picture of a thing that works for a while; for those who may see the thing."""
        name = thing.face if isinstance(thing, User) else thing.cover if isinstance(thing, Watchlist) else thing.picture
        return None if name is None else self._kit.files.url(name)

    async def receive(self, request: Request, frame: Frame) -> bytes | None:
        """The picture that a form brings; None if it says `remove`."""
        return await sent_picture(self._kit, request, frame)

    async def set_poster(self, viewer: Viewer, content_type: ContentType, content_id: str, data: bytes | None) -> Title:
        """Give a title a poster, or the drawn one again; for librarians."""
        authorize(viewer, WorthWatch.CATALOG)

        async def read() -> Title:
            return await self._titles.title(content_type, content_id)

        return await self._set(viewer, POSTER, read, data)

    async def set_avatar(self, viewer: Viewer, data: bytes | None) -> User:
        """Give the viewer a face, or the drawn one again."""

        async def read() -> User:
            return await self._people.me(viewer)

        return await self._set(viewer, AVATAR, read, data)

    async def set_cover(self, viewer: Viewer, watchlist_id: str, data: bytes | None) -> Watchlist:
        """Give one of the viewer's own lists a cover, or its first posters again."""

        async def read() -> Watchlist:
            return await self._lists.own(viewer, watchlist_id)

        return await self._set(viewer, COVER, read, data)

    async def forget(self, change: Change) -> None:
        """Delete the file that an item has stopped naming."""
        for item_type, frame in _PICTURED:
            before, after = change.read(item_type)
            old = None if before is None else getattr(before, frame.field)
            if not old or not old.startswith(f"{frame.folder}/") or getattr(after, frame.field, None) == old:
                continue
            if isinstance(before, Movie | Show) and after is None and await self._went_on(before, old):
                continue
            await self._kit.files.delete(old)

    async def _went_on(self, title: Title, name: str) -> bool:
        """Whether the poster of a title that is gone belongs to the one that it was merged into. If that stops naming
        it, its own change deletes the file."""
        went = await merged_into(self._store, title.content_type, title.content_id)
        into: Title | None = None if went is None else await find(self._store, title_get, *went)
        return into is not None and into.poster_file == name

    @property
    def owned(self) -> tuple[OwnedFiles, ...]:
        """Where pictures are, and which are named, for the sweep."""
        return tuple(OwnedFiles(frame.folder, self._named(frame)) for frame in (POSTER, AVATAR, COVER))

    def _named(self, frame: Frame) -> Callable[[], AsyncIterator[str]]:
        async def named() -> AsyncIterator[str]:
            for item_type, its_frame in _PICTURED:
                if its_frame is frame:
                    async for item in self._store.scan_whole_table(item_type):
                        name = getattr(item, frame.field)
                        if name:
                            yield name

        return named

    async def _set(self, viewer: Viewer, frame: Frame, read: Callable[[], Awaitable[T]], data: bytes | None) -> T:
        also = {"updated_by": viewer.id}
        return await give_picture(self._kit, viewer, frame, read, data, rule=UPLOADING, also=also)
