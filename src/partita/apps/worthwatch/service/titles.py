"""Films and series: added by librarians and curators, each external id once, never deleted while a list uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import content_name, folded, version_of
from partita.apps.worthwatch.inputs import MovieEdit, NewMovie, NewShow, ShowEdit
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import (
    MOVIE_IDS,
    SHOW_IDS,
    ContentType,
    ExternalId,
    Movie,
    Named,
    Show,
)
from partita.apps.worthwatch.service.labels import Ref, Title, ref_of, title_get, title_key, titles_by_ref
from partita.apps.worthwatch.service.live import Write
from partita.apps.worthwatch.service.people import People
from partita.kit.clock import stamp
from partita.kit.inputs import nothing_to_change
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer, authorize, refuse_withheld
from partita.kit.problems import Conflict, FieldError, Forbidden, NotFound
from partita.table import Action, ChangedMeanwhileError, Check, Delete, Guard, Page, Put, Transaction, Update, any_of

_YEARS_APART = 1
_EDITED = ("title", "other_titles", "genres", "cast", "synopsis", "poster_url", "tmdb_id", "imdb_id", "checked_at")
_EDITED_OF = {
    "MOVIE": (*_EDITED, "release_year", "directors", "runtime"),
    "SHOW": (*_EDITED, "start_year", "end_year", "creators", "number_of_seasons", "number_of_episodes", "status"),
}


class ExternalIdTaken(Conflict):
    """Another title has the TMDB or IMDb id."""

    code = "external_id_taken"

    def __init__(self, guard: ExternalId) -> None:
        detail = f"This {guard.source.upper()} id belongs to another title already, {guard.of_content}."
        super().__init__(detail, errors=[FieldError(f"{guard.source}Id", detail)])
        self.of_content = guard.of_content


class InUse(Conflict):
    """Lists use a title, so that it stays."""

    code = "title_in_use"

    def __init__(self, uses: int) -> None:
        super().__init__(f"It is on {uses} {'list' if uses == 1 else 'lists'}. Take it off them, or merge it.")


class Titles:
    """The catalog."""

    def __init__(self, kit: Kit, people: People) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people

    async def title(self, content_type: ContentType, content_id: str) -> Title:
        """One film or series."""
        found: Title | None = await find(self._store, title_get, content_type, content_id)
        if found is None:
            raise no_such_title()
        return found

    async def by_ref(self, refs: Iterable[Ref]) -> dict[Ref, Title]:
        """Titles, many at once and in that order; those that do not exist are left out."""
        return await titles_by_ref(self._store, refs)

    async def newest(
        self, content_type: ContentType, *, limit: int = 20, cursor: str | None = None
    ) -> Page[Movie] | Page[Show]:
        """Films or series, newest in the catalog first."""
        if content_type == "MOVIE":
            return await self._store.page(schema.all_movies(), limit=limit, after=cursor)
        return await self._store.page(schema.all_shows(), limit=limit, after=cursor)

    async def with_external_id(self, guard: ExternalId) -> Ref | None:
        """The title that has an external id, if one has."""
        found = await self._store.get(schema.title_with(guard.source, guard.external_id))
        return None if found is None else parsed(found.of_content)

    async def named(self, name: str, content_type: ContentType) -> list[Named]:
        """Films or series with a name, as names are compared; one title may be there under two names."""
        query = schema.titles_of_type_named(folded(name), content_type)
        return [named async for named in self._store.stream(query)]

    async def add(self, viewer: Viewer, new: NewMovie | NewShow) -> Title:
        """Add a title. What a curator adds waits for a librarian's look; a librarian's own does not."""
        checked = viewer.may(WorthWatch.CATALOG)
        if not checked and not (await self._people.me(viewer)).approved:
            refuse_withheld(viewer, WorthWatch.CATALOG)
            raise Forbidden("Only approved curators and librarians add titles. Ask one of them, or apply as a curator.")
        title = new_title(new, self._kit.ids.new(), stamp(self._kit.clock), viewer.id, checked=checked)
        if not checked:
            title = title.model_copy(update={"maybe_same": await self._maybe_same(title)})
        return await self.put(title)

    async def put(self, title: Title) -> Title:
        """Write a new title with its names and the guards of its external ids."""
        await self._store.transact(Transaction(Put(title).if_new(), *beside(None, title)))
        return title

    async def edit(self, viewer: Viewer, content_id: str, edit: MovieEdit | ShowEdit) -> Title:
        """Change the facts of a title; `checked` also says that a librarian has looked at it."""
        authorize(viewer, WorthWatch.CATALOG)
        content_type: ContentType = "MOVIE" if isinstance(edit, MovieEdit) else "SHOW"
        wanted = edit.changes
        checked = wanted.pop("checked", False)
        if not wanted and not checked:
            raise nothing_to_change()

        async def attempt() -> Title:
            before = await self.title(content_type, content_id)
            edit.check_version(title_version(before))
            now = stamp(self._kit.clock)
            after = before.model_copy(update=_as_stored(wanted))
            if checked:
                after = after.model_copy(update={"checked_at": now, "feed": None, "maybe_same": None})
            if after == before:
                return before
            after = after.model_copy(update={"updated_at": now, "updated_by": viewer.id})
            own = Update(before.own_key, *actions(before, after)).unless_changed(before, *edited(before))
            await self._store.transact(Transaction(own, *beside(before, after)))
            return after

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, content_type: ContentType, content_id: str) -> Title:
        """Delete a title that no list uses."""
        authorize(viewer, WorthWatch.CATALOG)

        async def attempt() -> Title:
            before = await self.title(content_type, content_id)
            kind: Any = type(before)
            unused = any_of(kind.listed_in.missing(), kind.listed_in.equals(0))
            gone = Delete(before.own_key).unless_changed(before, *edited(before)).when(unused)
            await self._store.transact(Transaction(gone.otherwise(_still_there), *beside(before, None)))
            return before

        return await self._store.attempt(attempt)

    async def _maybe_same(self, title: Title) -> str | None:
        """A title of the same type and name, of nearly the same year."""
        for name in (title.title, *(title.other_titles or ())):
            for other in await self.named(name, title.content_type):
                near = not other.year or title.year is None or abs(other.year - title.year) <= _YEARS_APART
                if near and other.content_id != title.content_id:
                    return content_name(other.content_type, other.content_id)
        return None


def new_title(new: NewMovie | NewShow, content_id: str, now: str, by: str | None, *, checked: bool) -> Title:
    """The item of a new title."""
    facts = _as_stored({name: getattr(new, name) for name in type(new).model_fields})
    facts |= {"created_at": now, "updated_at": now, "updated_by": by}
    facts |= {"checked_at": now} if checked else {"feed": "UNCHECKED"}
    if isinstance(new, NewMovie):
        return Movie(movie_id=content_id, **facts)
    return Show(show_id=content_id, **facts)


def beside(before: Title | None, after: Title | None) -> tuple[Write, ...]:
    """Everything beside the title itself that a change of it writes: names, and guards of external ids."""
    return (*_guards(before, after), *_names(before, after))


def actions(before: Title, after: Title) -> tuple[Action[Any], ...]:
    """What an edit updates: the fields that differ."""
    attributes = type(before).__attributes__
    return tuple(
        attributes[field].remove() if getattr(after, field) is None else attributes[field].set(getattr(after, field))
        for field in before.__layout__.names
        if getattr(before, field) != getattr(after, field)
    )


def title_version(title: Title) -> str:
    """The version of what a form edits."""
    return version_of(*(getattr(title, field) for field in _EDITED_OF[title.content_type]))


def one_use_more(title: Title) -> Update[Any]:
    """One list item more that uses a title."""
    kind: Any = type(title)
    return Update(title_key(*ref_of(title)), kind.listed_in.add(1)).otherwise(no_such_title())


def one_use_less(ref: Ref, title: Title | None) -> Update[Any] | Check[Any]:
    """One counted list item less that uses a title, as it was read. If it is gone, or another program has overwritten
    its count, that is checked and not assumed: meanwhile the item may have gone and come back, counted."""
    key = title_key(*ref)
    kind: Any = key.item_type
    if title is None:
        return Check(key, key.absent()).otherwise(_changed)
    if not title.listed_in:
        return Check(key, any_of(kind.listed_in.missing(), kind.listed_in.equals(0))).otherwise(_changed)
    return Update(key, kind.listed_in.add(-1)).otherwise(_changed)


def _changed(there: Any) -> Exception:
    return ChangedMeanwhileError("The title", there)


def parsed(of_content: str) -> Ref:
    """`MOVIE#tt1` as type and id."""
    kind, _, content_id = of_content.partition("#")
    return ("MOVIE" if kind == "MOVIE" else "SHOW"), content_id


def no_such_title() -> NotFound:
    return NotFound("There is no such film or series. It may have been deleted.")


def names_of(title: Title) -> dict[str, Named]:
    """The names that a title is found by: its own, and those others call it."""
    return {
        key: Named(
            folded=key,
            content_type=title.content_type,
            year=title.year or 0,
            content_id=title.content_id,
            title=name,
        )
        for name in reversed((title.title, *(title.other_titles or ())))
        for key in (folded(name),)
    }


def _names(before: Title | None, after: Title | None) -> Iterator[Write]:
    old = {} if before is None else names_of(before)
    new = {} if after is None else names_of(after)
    same = {key for key in old.keys() & new.keys() if old[key].own_key == new[key].own_key}
    for key, named in new.items():
        if old.get(key) != named:
            yield Put(named)
    for key, named in old.items():
        if key not in same:
            yield Delete(named.own_key)


def _guards(before: Title | None, after: Title | None) -> Iterator[Write]:
    title = after if after is not None else before
    guards: tuple[Guard[Any, ExternalId], ...] = MOVIE_IDS if isinstance(title, Movie) else SHOW_IDS
    for guard in (each.otherwise(ExternalIdTaken) for each in guards):
        if before is None or not before.as_stored(type(before).adopted):
            # What another program wrote has no guards until it is adopted.
            yield from () if after is None else guard.claim(after)
        elif after is None:
            yield from guard.release(before)
        else:
            yield from guard.move(before, after)


def _as_stored(facts: dict[str, Any]) -> dict[str, Any]:
    """Empty texts and lists that the document leaves out are left out."""
    optional = ("other_titles", "cast", "synopsis")
    return {name: None if name in optional and not value else value for name, value in facts.items()}


def edited(title: Title) -> Any:
    """What an edit must find as it was: its own fields, and what names and guards are made of."""
    return [type(title).__attributes__[field] for field in _EDITED_OF[title.content_type]]


def _still_there(there: Any) -> Exception:
    if there is None:
        return no_such_title()
    return InUse(there.listed_in) if there.listed_in else ChangedMeanwhileError("The title", there)
