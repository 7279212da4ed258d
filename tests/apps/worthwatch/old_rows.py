"""Rows of WorthWatch's old table, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from partita.apps.worthwatch.migration.old_table import OLD
from partita.dynamo.python_values import item_from_python
from partita.engine import Engine
from partita.store import EmbeddedStore

Old = dict[str, Any]
JANUARY, FEBRUARY = "2026-01-15T10:30:00Z", "2026-02-01T08:00:00Z"


def user(name: str, **more: Any) -> Old:
    known = {"email": f"{name}@example.com", "username": f"user {name}", "createdAt": JANUARY, "updatedAt": FEBRUARY}
    return {"id": name, "entityType": "USER", **known, **more}


def watchlist(name: str, **more: Any) -> Old:
    known = {"curatorId": "u1", "title": f"List {name}", "createdAt": JANUARY, "updatedAt": FEBRUARY, "itemCount": 10}
    return {"id": name, "entityType": "WATCHLIST", **known, **more}


def movie(name: str, **more: Any) -> Old:
    return {"id": name, "entityType": "MOVIE", "title": f"Film {name}", "createdAt": JANUARY, **more}


def show(name: str, **more: Any) -> Old:
    return {"id": name, "entityType": "SHOW", "title": f"Show {name}", "createdAt": JANUARY, **more}


def list_item(name: str, watchlist_id: str, content_id: str, **more: Any) -> Old:
    known = {"watchlistId": watchlist_id, "contentType": "MOVIE", "contentId": content_id, "position": 1}
    return {"id": name, "entityType": "WATCHLIST_ITEM", **known, "addedAt": JANUARY, **more}


def saved(name: str, user_id: str, watchlist_id: str, **more: Any) -> Old:
    known = {"userId": user_id, "watchlistId": watchlist_id, "savedAt": JANUARY}
    return {"id": name, "entityType": "USER_SAVED_WATCHLIST", **known, **more}


def rating(name: str, user_id: str, content_id: str, stars: int, **more: Any) -> Old:
    known = {"userId": user_id, "contentType": "MOVIE", "contentId": content_id, "rating": stars, "ratedAt": JANUARY}
    return {"id": name, "entityType": "RATING", **known, **more}


def comment(name: str, user_id: str, watchlist_id: str, **more: Any) -> Old:
    known = {"userId": user_id, "watchlistId": watchlist_id, "commentText": f"words of {name}", "createdAt": JANUARY}
    return {"id": name, "entityType": "COMMENT", **known, **more}


def holding(engine: Engine, rows: Iterable[Old]) -> EmbeddedStore:
    """A store whose old table holds these rows."""
    store = EmbeddedStore(engine)
    store.create(OLD)
    for row in rows:
        engine.call("PutItem", {"TableName": OLD.name, "Item": item_from_python(row)})
    return store


_USERS = st.sampled_from(["u1", "u2", "u3"])
_LISTS = st.sampled_from(["w1", "w2"])
_TITLES = st.sampled_from(["m1", "m2"])
_MOMENTS = st.sampled_from([JANUARY, FEBRUARY, "2026-01-20T14:00:00.5+01:00"])


def _named(prefix: str) -> st.SearchStrategy[str]:
    return st.integers(0, 12).map(lambda number: f"{prefix}{number}")


SOME_ROWS: st.SearchStrategy[list[Old]] = st.lists(
    st.one_of(
        st.builds(
            user,
            _USERS,
            email=st.sampled_from(["ann@example.com", "Ann@Example.com", "bob@example.com"]),
            createdAt=_MOMENTS,
            curatorStatus=st.sampled_from(["approved", "suspended"]),
        ),
        st.builds(watchlist, _LISTS, isPublic=st.booleans(), curatorId=_USERS),
        st.builds(movie, _TITLES, tmdbId=st.sampled_from(["1", "2"]), createdAt=_MOMENTS),
        st.builds(show, st.just("s1"), tmdbId=st.just("1")),
        st.builds(list_item, _named("i"), _LISTS, _TITLES, addedAt=_MOMENTS, position=st.integers(-1, 3)),
        st.builds(saved, _named("s"), _USERS, _LISTS, savedAt=_MOMENTS),
        st.builds(rating, _named("r"), _USERS, _TITLES, st.integers(0, 10), ratedAt=_MOMENTS),
        st.builds(comment, _named("c"), _USERS, _LISTS, createdAt=_MOMENTS),
        st.just({"id": "x", "entityType": "GENRE"}),
    ),
    unique_by=lambda row: str(row["id"]),
    max_size=30,
)
