"""Saved views: filters of the library under a name, each person's own."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlencode

from partita.apps.enablement import schema
from partita.apps.enablement.formats import KINDS, folded
from partita.apps.enablement.inputs import NewView
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import MOST_VIEWS, SavedView, SavedViews
from partita.apps.enablement.search import FRESHNESS
from partita.apps.enablement.service.library import SORTS, Wanted
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.table import ChangedMeanwhileError, Put

_LONGEST = 200
_MOST_TAGS = 10
Views = tuple[SavedView, ...]


class ViewList:
    """Keeps views."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def list(self, viewer: Viewer) -> Views:
        """The viewer's, by name."""
        authorize(viewer, Enablement.READ)
        found = await self._store.get(schema.saved_views(viewer.id))
        return () if found is None else found.views

    async def save(self, viewer: Viewer, new: NewView) -> SavedView:
        """Keep filters under a name; another view of the same name is replaced."""
        authorize(viewer, Enablement.READ)
        query = query_of(wanted_by(new.query))
        if not query:
            raise Invalid(FieldError("query", "Choose a filter or type words first: this would be the whole library."))
        made = SavedView(name=new.name, query=query)

        def added(views: Views) -> Views:
            others = tuple(each for each in views if folded(each.name) != folded(new.name))
            if len(others) >= MOST_VIEWS:
                raise Conflict(f"You have {MOST_VIEWS} views. Remove one first.", code="too_many_views")
            return (*others, made)

        await self._change(viewer, added)
        return made

    async def remove(self, viewer: Viewer, name: str) -> SavedView:
        """Forget a view."""
        authorize(viewer, Enablement.READ)
        gone: list[SavedView] = []

        def without(views: Views) -> Views:
            gone[:] = [each for each in views if folded(each.name) == folded(name)]
            if not gone:
                raise NotFound(f"You have no view {name[:80]!r}.")
            return tuple(each for each in views if each not in gone)

        await self._change(viewer, without)
        return gone[0]

    async def _change(self, viewer: Viewer, change: Callable[[Views], Views]) -> None:
        async def attempt() -> None:
            before = await self._store.get(schema.saved_views(viewer.id).consistently())
            changed = change(before.views if before is not None else ())
            views = tuple(sorted(changed, key=lambda each: folded(each.name)))
            if before is None:
                new = Put(SavedViews(person=viewer.id, views=views)).if_new()
                await self._store.write(new.otherwise(ChangedMeanwhileError("Your views")))
            else:
                await self._store.write(Put(before.with_(SavedViews.views(views))).next_version())

        await self._store.attempt(attempt, tries=50)


def wanted_by(query: str) -> Wanted:
    """What the query of an address of the library asks for; what makes no sense is left out."""
    given = parse_qs(query, max_num_fields=100)

    def one(name: str) -> str | None:
        return given.get(name, [""])[0].strip()[:_LONGEST] or None

    suite, kind, fresh, sort = one("suite"), one("kind"), one("fresh"), one("sort")
    return Wanted(
        text=one("q") or "",
        suite=suite,
        concept=one("concept") if suite else None,
        kind=kind if kind in KINDS else None,
        audience=one("audience"),
        stage=one("stage"),
        tags=tuple(dict.fromkeys(each[:40] for each in given.get("tag", ()) if each.strip()))[:_MOST_TAGS],
        fresh=fresh if fresh in FRESHNESS else None,
        sort=next((each for each in SORTS if each == sort), None),
    )


def query_of(wanted: Wanted) -> str:
    """The query of the address that asks for it; empty if nothing is asked for."""
    if not wanted.narrowed:
        return ""
    values = {"q": wanted.text, **wanted.chosen, "sort": wanted.sort}
    return urlencode({name: value for name, value in values.items() if value}, doseq=True)
