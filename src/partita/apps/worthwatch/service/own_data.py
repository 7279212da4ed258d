"""Everything that somebody has here, for themselves: as they typed it, in one document."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import Application, Queued, Viewing
from partita.apps.worthwatch.service.people import People, no_such_person
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.table import Item, Query

_NOT_THEIRS = frozenset({"adopted", "counted", "countedRating", "feed", "feedAt", "digestWeek", "isPublicStr"})
"""What only the table needs."""


class OwnData:
    """Collects it."""

    def __init__(self, kit: Kit, people: People) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people

    async def export(self, viewer: Viewer) -> dict[str, Any]:
        """The viewer's data, in the words of the API."""
        user = await self._people.mine(viewer)
        if user is None:
            raise no_such_person()
        user_id = user.user_id
        lists = [
            {**_shown(each), "items": await self._all(schema.items_in_order(each.watchlist_id))}
            async for each in self._store.stream(schema.watchlists_of(user_id))
        ]
        return {
            "exportedAt": stamp(self._kit.clock),
            "profile": _shown(user),
            "watchlists": lists,
            "ratings": await self._all(schema.ratings_by(user_id)),
            "seen": await self._all(schema.seen_shelf(user_id)),
            "toWatch": await self._all(Queued.query(Queued.user_id(user_id))),
            "diary": await self._all(Viewing.query(Viewing.user_id(user_id))),
            "saved": await self._all(schema.saved_by(user_id)),
            "following": await self._all(schema.followed_shelf(user_id)),
            "comments": await self._all(schema.said_shelf(user_id)),
            "applications": await self._all(Application.query(Application.user_id(user_id))),
        }

    async def _all(self, query: Query[Any]) -> list[dict[str, Any]]:
        return [_shown(each) async for each in self._store.stream(query)]


def _shown(item: Item) -> dict[str, Any]:
    """An item by the names that it is stored under, without what is empty."""
    attributes = type(item).__attributes__
    values = {each.stored_name or field: _plain(getattr(item, field)) for field, each in attributes.items()}
    return {name: value for name, value in values.items() if value is not None and name not in _NOT_THEIRS}


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value
