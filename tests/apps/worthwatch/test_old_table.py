"""Old rows read as items of the new table."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from partita.apps.worthwatch.examples import DOCUMENTED
from partita.apps.worthwatch.migration.old_table import OldRowError, new_item
from partita.apps.worthwatch.schema import Comment, Movie, Show, User, Watchlist, WatchlistItem
from partita.dynamo.python_values import item_from_python, item_to_python
from partita.table import Item, KeyPartError
from tests.apps.worthwatch.old_rows import (
    JANUARY,
    Old,
    comment,
    list_item,
    movie,
    rating,
    saved,
    show,
    user,
    watchlist,
)

ONE_SPELLING = "2026-01-15T10:30:00.000000Z"


def made(row: Old) -> Item:
    return new_item(item_from_python(row))


def stored(row: Old) -> dict[str, Any]:
    return item_to_python(made(row).to_row())


@pytest.mark.parametrize(("item_type", "own_id"), [(User, "userId"), (Watchlist, "watchlistId"), (Movie, "movieId")])
def test_the_documents_examples_keyed_by_id_become_the_documents_examples(item_type: type[Item], own_id: str) -> None:
    example = DOCUMENTED[item_type]
    old = {name: value for name, value in example.items() if name not in ("PK", "SK", own_id)} | {"id": example[own_id]}
    new = stored(old)
    for name in example.keys() - {"createdAt", "updatedAt", "itemCount"}:
        assert new[name] == example[name]
    assert new["createdAt"] == example["createdAt"].replace("Z", ".000000Z")
    assert "id" not in new


def test_the_documents_item_becomes_itself_and_remembers_its_id() -> None:
    example = DOCUMENTED[WatchlistItem]
    known = {name: value for name, value in example.items() if name not in ("PK", "SK")}
    new = stored({**known, "id": "i1", "watchlistId": "abc12345-6789-0def-ghij-klmnopqrstuv"})
    for name in example.keys() - {"addedAt"}:
        assert new[name] == example[name]
    assert new["id"] == "i1"
    assert "watchlistId" not in new


@pytest.mark.parametrize(
    ("row", "key"),
    [
        (user("u1"), ("USER#u1", "PROFILE")),
        (watchlist("w1"), ("WATCHLIST#w1", "METADATA")),
        (movie("m1"), ("MOVIE#m1", "METADATA")),
        (show("s1"), ("SHOW#s1", "METADATA")),
        (list_item("i1", "w1", "m1"), ("WATCHLIST#w1", "ITEM#MOVIE#m1")),
        (saved("x1", "u1", "w1"), ("USER#u1", "SAVED#WATCHLIST#w1")),
        (rating("r1", "u1", "m1", 5), ("USER#u1", "RATING#MOVIE#m1")),
        (comment("c1", "u1", "w1"), ("WATCHLIST#w1", f"COMMENT#{ONE_SPELLING}#u1")),
    ],
    ids=lambda each: str(each["entityType"]) if isinstance(each, dict) else "",
)
def test_every_type_gets_its_documented_key(row: Old, key: tuple[str, str]) -> None:
    new = stored(row)
    assert (new["PK"], new["SK"]) == key
    assert new["entityType"] == row["entityType"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (JANUARY, ONE_SPELLING),
        ("2026-01-15T12:30:00+02:00", ONE_SPELLING),
        ("2026-01-15T10:30:00", ONE_SPELLING),
        ("2026-01-15T10:30:00.25Z", "2026-01-15T10:30:00.250000Z"),
        ("2026-01-15T10:30:00.123456789Z", "2026-01-15T10:30:00.123456Z"),
    ],
)
def test_moments_come_to_one_spelling_so_that_text_order_is_time_order(old: str, new: str) -> None:
    assert stored(user("u1", createdAt=old))["createdAt"] == new


def test_a_moment_that_is_missing_is_when_the_row_was_made() -> None:
    item = made({name: value for name, value in user("u1").items() if name != "updatedAt"})
    assert isinstance(item, User)
    assert item.updated_at == item.created_at == ONE_SPELLING
    row = {name: value for name, value in saved("x", "u1", "w1").items() if name != "savedAt"}
    assert stored({**row, "createdAt": JANUARY})["savedAt"] == ONE_SPELLING


@pytest.mark.parametrize(("public", "text"), [(True, "true"), (False, "false"), (None, "true")])
def test_is_public_str_follows_is_public_whatever_was_stored(public: bool | None, text: str) -> None:
    new = stored(watchlist("w1", isPublic=public, isPublicStr="perhaps"))
    assert (new["isPublicStr"], new["isPublic"]) == (text, text == "true")


def test_counts_are_not_believed() -> None:
    item = made(watchlist("w1", itemCount=99))
    film = made(movie("m1", ratingCount=7, ratingSum=70, rating=Decimal("8.5")))
    assert isinstance(item, Watchlist)
    assert isinstance(film, Movie)
    assert (item.item_count, film.rating_count, film.rating_sum, film.rating) == (0, None, None, Decimal("8.5"))


def test_attributes_the_new_type_does_not_know_are_kept() -> None:
    new = stored(user("u1", locale="de", nested={"x": [1, None]}, seen={"a", "b"}))
    assert (new["locale"], new["nested"], new["seen"]) == ("de", {"x": [1, None]}, {"a", "b"})


def test_an_attribute_that_is_an_index_key_of_others_steps_aside() -> None:
    new = stored(saved("x1", "u1", "w1", createdAt=JANUARY, email="a@b.c", PK="old"))
    assert (new["oldCreatedAt"], new["oldEmail"], new["oldPK"]) == (JANUARY, "a@b.c", "old")
    assert new.keys().isdisjoint({"createdAt", "email"})
    assert new["PK"] == "USER#u1"


def test_numbers_that_are_ids_become_text_and_sets_become_sorted_lists() -> None:
    film = made(movie("m1", tmdbId=27205, genres={"Thriller", "Action", "Sci-Fi"}))
    assert isinstance(film, Movie)
    assert (film.tmdb_id, film.genres) == ("27205", ("Action", "Sci-Fi", "Thriller"))


def test_null_is_like_absent() -> None:
    series = made(show("s1", endYear=None, genres=None))
    assert isinstance(series, Show)
    assert (series.end_year, series.genres) == (None, ())


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"id": "x"}, "The entityType None is none of USER, WATCHLIST"),
        ({"id": "x", "entityType": "GENRE"}, "The entityType 'GENRE' is none of"),
        (user("u1", userId="u2"), "id is 'u1' and userId is 'u2': which one is it?"),
        (user("u1", createdAt="yesterday"), "createdAt is 'yesterday', which is no ISO 8601 timestamp"),
        ({"id": "u1", "entityType": "USER", "email": "a@b.c", "username": "abc"}, "createdAt is missing"),
        (user("u1", username="ab", bio="x" * 501), "username: String should have at least 3 characters; bio: String"),
        (user("u1", email=None), "email: Field required"),
        (rating("r", "u1", "m1", 11), "rating: Input should be less than or equal to 10"),
        (rating("r", "u1", "m1", 5, contentType="BOOK"), "contentType: Input should be 'MOVIE' or 'SHOW'"),
        (list_item("i", "w1", "m1", watchlistId=None), "watchlistId is missing"),
        (movie("m1", releaseYear=1066), "releaseYear: Input should be greater than or equal to 1870"),
    ],
)
def test_a_row_that_does_not_fit_says_why(row: Old, why: str) -> None:
    with pytest.raises(OldRowError) as raised:
        made(row)
    assert str(raised.value).startswith(why)


def test_a_key_has_no_empty_part() -> None:
    with pytest.raises(KeyPartError, match="user_id is empty"):
        made(comment("c1", "", "w1"))


def test_the_unknown_attributes_of_a_comment_stay_with_it() -> None:
    item = made(comment("c1", "u1", "w1", mood="merry"))
    assert isinstance(item, Comment)
    assert item.to_row()["mood"] == {"S": "merry"}
