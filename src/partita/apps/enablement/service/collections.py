"""Collections: content in an order, all in one item, and how far somebody is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import CollectionEdit, CollectionEntry, NewCollection
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import MOST_ENTRIES, Collection, Content, Entry
from partita.apps.enablement.service.access import visible_to
from partita.apps.enablement.service.changing import Changing
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find_or
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import FieldError, Invalid, NotFound
from partita.table import Delete, Page, Put
from partita.table.types import timestamp

MAKING = Rule("enablement-collection", most=60, seconds=3600)


@dataclass(frozen=True, slots=True)
class Place:
    """A content item in a collection, as somebody sees it."""

    entry: Entry
    content: Content
    retired: bool
    """No longer in use: what replaced it is shown instead."""
    replacement: Content | None
    read: bool

    @property
    def content_id(self) -> str:
        return self.content.content_id


@dataclass(frozen=True, slots=True)
class Shelf:
    """A collection as somebody sees it: what they may not find is not in it."""

    collection: Collection
    places: tuple[Place, ...]

    @property
    def to_read(self) -> int:
        """How many things there are to read."""
        return sum(not place.retired for place in self.places)

    @property
    def read(self) -> int:
        """How many of them somebody has read."""
        return sum(place.read and not place.retired for place in self.places)

    @property
    def following(self) -> Place | None:
        """What comes next."""
        return next((place for place in self.places if not place.read and not place.retired), None)


Arrange = Callable[[tuple[Entry, ...]], tuple[Entry, ...]]


def moved(content_id: str, by: int) -> Arrange:
    """An entry so many places further down."""

    def arrange(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        ids = [each.content_id for each in entries]
        if content_id not in ids:
            return entries
        place = ids.index(content_id)
        others = [each for each in entries if each.content_id != content_id]
        others.insert(min(max(place + by, 0), len(others)), entries[place])
        return tuple(others)

    return arrange


class Collections:
    """Making collections, and reading through them."""

    def __init__(self, kit: Kit, changing: Changing) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing

    async def all(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Shelf]:
        """Collections by title, each with how far the viewer is."""
        authorize(viewer, Enablement.READ)
        page = await self._store.page(schema.collections(), limit=limit, after=cursor)
        return Page(tuple(await self._shelves(viewer, page.items)), page.next_cursor)

    async def first(self, viewer: Viewer, number: int) -> tuple[Collection, ...]:
        """The first collections by title, without what is in them: for the front of the library."""
        authorize(viewer, Enablement.READ)
        return (await self._store.page(schema.collections(), limit=number)).items

    async def get(self, viewer: Viewer, collection_id: str) -> Shelf:
        """One collection."""
        authorize(viewer, Enablement.READ)
        (shelf,) = await self._shelves(viewer, [await self._collection(collection_id)])
        return shelf

    async def create(self, viewer: Viewer, new: NewCollection) -> Collection:
        """A collection."""
        authorize(viewer, Enablement.APPROVE)
        await self._kit.limits.check(MAKING, viewer.id)
        entries = await self._checked(viewer, new.entries, ())
        now = timestamp(self._changing.now())
        collection = Collection(
            collection_id=self._kit.ids.new(),
            title=new.title,
            text=new.text,
            entries=entries,
            made_by=viewer.id,
            made_at=now,
            edited_at=now,
        )
        await self._store.write(Put(collection).if_new())
        return collection

    async def edit(self, viewer: Viewer, collection_id: str, edit: CollectionEdit) -> Collection:
        """Change title, text or entries; entries are given whole and in order."""
        authorize(viewer, Enablement.APPROVE)

        async def attempt() -> Collection:
            before = await self._collection(collection_id)
            edit.check_revision(before.revision)
            changes = dict(edit.changes)
            if edit.entries is not None:
                changes["entries"] = await self._checked(viewer, edit.entries, before.entries)
            changes["edited_at"] = timestamp(self._changing.now())
            return await self._store.write(Put(before.model_copy(update=changes)).next_version(), returning="new")

        return await self._store.attempt(attempt)

    async def rearrange(self, viewer: Viewer, collection_id: str, arrange: Arrange) -> Collection:
        """Change the entries from what they are at that moment: add, move, remove, write a note."""
        authorize(viewer, Enablement.APPROVE)

        async def attempt() -> Collection:
            before = await self._collection(collection_id)
            wanted = tuple(CollectionEntry(**dict(each)) for each in arrange(before.entries))
            if len(wanted) > MOST_ENTRIES:
                raise Invalid(FieldError("entries", f"A collection has at most {MOST_ENTRIES} entries."))
            entries = await self._checked(viewer, wanted, before.entries)
            after = before.with_(Collection.entries(entries), Collection.edited_at(timestamp(self._changing.now())))
            return await self._store.write(Put(after).next_version(), returning="new")

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, collection_id: str) -> None:
        """Delete a collection; its content stays."""
        authorize(viewer, Enablement.APPROVE)
        collection = await self._collection(collection_id)
        await self._store.write(Delete(collection.own_key).if_there().otherwise(no_collection()))

    async def _collection(self, collection_id: str) -> Collection:
        return await find_or(no_collection(), self._store, schema.collection_with_id, collection_id)

    async def _checked(
        self, viewer: Viewer, entries: Sequence[CollectionEntry], before: Iterable[Entry]
    ) -> tuple[Entry, ...]:
        """Entries that are there for whoever arranges them, each once; what was there before may stay."""
        ids = [each.content_id for each in entries]
        known = {each.content_id for each in before}
        contents = await self._contents(set(ids) - known)
        now = self._changing.now()
        errors = [
            FieldError(f"entries.{number}.content_id", f"There is no content {content_id[:80]!r}.")
            for number, content_id in enumerate(ids)
            if content_id not in known
            and (content_id not in contents or visible_to(viewer, contents[content_id], now).page == "none")
        ]
        errors += [
            FieldError(f"entries.{number}.content_id", "This is in the collection already.")
            for number, content_id in enumerate(ids)
            if content_id in ids[:number]
        ]
        if errors:
            raise Invalid(*errors)
        return tuple(Entry(content_id=each.content_id, note=each.note) for each in entries)

    async def _contents(self, content_ids: Iterable[str]) -> dict[str, Content]:
        wanted = tuple(dict.fromkeys(content_ids))
        found = await self._store.batch_get(schema.content_found(wanted).keys) if wanted else []
        return {each.content_id: each for each in found if each is not None}

    async def _shelves(self, viewer: Viewer, collections: Sequence[Collection]) -> list[Shelf]:
        """Collections with their content: three reads for all of them, however many there are."""
        contents = await self._contents(entry.content_id for each in collections for entry in each.entries)
        replacements = await self._contents(
            each.superseded_by
            for each in contents.values()
            if each.superseded_by and each.superseded_by not in contents
        )
        read = await self._read(viewer, contents)
        now = self._changing.now()

        def visible(content_id: str | None) -> Content | None:
            found = contents.get(content_id or "") or replacements.get(content_id or "")
            return found if found is not None and visible_to(viewer, found, now).listed else None

        def place(entry: Entry) -> Place | None:
            content = contents.get(entry.content_id)
            if content is None:
                return None
            retired, seen = content.status == "Deprecated", visible_to(viewer, content, now)
            if seen.page == "none" or not (
                seen.listed or retired
            ):  # what has expired and is closed was replaced by nothing
                return None
            return Place(entry, content, retired, visible(content.superseded_by), content.content_id in read)

        return [
            Shelf(each, tuple(found for entry in each.entries if (found := place(entry)) is not None))
            for each in collections
        ]

    async def _read(self, viewer: Viewer, content_ids: Iterable[str]) -> frozenset[str]:
        wanted = tuple(content_ids)
        if not wanted:
            return frozenset()
        rows = await self._store.batch_get(schema.must_reads(wanted, viewer.id).keys)
        return frozenset(each.of_content for each in rows if each is not None and each.confirmed_at is not None)


def no_collection() -> NotFound:
    """There is none with this id."""
    return NotFound("There is no such collection.")
