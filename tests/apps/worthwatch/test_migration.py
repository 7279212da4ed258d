"""WorthWatch's old table, moved into the documented one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import folded
from partita.apps.worthwatch.migration import WORTHWATCH_BY_ID
from partita.apps.worthwatch.migration.old_table import OLD, new_item
from partita.apps.worthwatch.schema import (
    WORTHWATCH,
    Comment,
    EmailGuard,
    Mine,
    Movie,
    Rating,
    Show,
    User,
    WatchlistItem,
)
from partita.apps.worthwatch.service import WorthWatchService
from partita.dynamo.python_values import item_from_python
from partita.engine import Engine, FaultPlan
from partita.kit.adoption import adopt_all
from partita.store import EmbeddedStore
from partita.store.migrate import Report, migrate, rehearse, status, verify
from partita.table import Delete, Item, Put, Transaction, Update
from tests.apps.house import kit_on
from tests.apps.worthwatch.old_rows import (
    FEBRUARY,
    JANUARY,
    SOME_ROWS,
    Old,
    comment,
    holding,
    list_item,
    movie,
    rating,
    saved,
    show,
    user,
    watchlist,
)
from tests.store.migrate.library import everything
from tests.store.migrate.mortal import Killed, mortal_store

ROWS: list[Old] = [
    user("u1", isCurator=True, curatorStatus="approved"),
    user("u2", isCurator=True, curatorStatus="suspended"),
    user("u3"),
    watchlist("w1"),
    watchlist("w2", curatorId="u2"),
    watchlist("w3", curatorId="u9", isPublic=False),
    movie("m1", tmdbId="27205", imdbId="tt1375666", rating=7),
    movie("m2"),
    show("s1", tmdbId="27205"),
    *(list_item(f"i{number}", "w1", f"m{number}", position=number) for number in range(1, 5)),
    list_item("i9", "w1", "s1", contentType="SHOW"),
    saved("x1", "u1", "w1"),
    saved("x2", "u1", "long gone"),
    rating("r1", "u1", "m1", 8),
    rating("r2", "u2", "m1", 9),
    rating("r3", "u3", "m1", 9),
    rating("r4", "u3", "s1", 3, contentType="SHOW"),
    comment("c1", "u3", "w1"),
    comment("c2", "u3", "w1", createdAt=FEBRUARY),
]


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.temporary(background=False) as engine:
        yield engine


def moved(engine: Engine, *rows: Old, **how: Any) -> tuple[EmbeddedStore, Report]:
    store = holding(engine, rows)
    return store, migrate(store, WORTHWATCH_BY_ID, **how)


def problems(report: Report) -> dict[str, str]:
    return {finding.row: finding.reason for finding in report.problems}


def differences(store: EmbeddedStore) -> set[tuple[str, str]]:
    return {(each.row, each.what) for each in verify(store, WORTHWATCH_BY_ID).differences}


def test_every_entity_of_the_document_is_moved_with_guards_and_counts(engine: Engine) -> None:
    store, report = moved(engine, *ROWS)
    assert (report.tally.moved, report.tally.problems, report.tally.skipped) == (len(ROWS), 0, 0)
    assert report.tally.written == {
        "User": 3,
        "EmailGuard": 3,
        "Watchlist": 3,
        "Movie": 2,
        "Show": 1,
        "ExternalId": 3,
        "Named": 3,
        "Mine": 4,
        "WatchlistItem": 5,
        "SavedWatchlist": 2,
        "Rating": 4,
        "Comment": 2,
    }
    assert differences(store) == set()
    film, series = store.get(schema.movie("m1")), store.get(schema.show("s1"))
    assert film is not None
    assert series is not None
    assert (film.rating_count, film.rating_sum, film.rating) == (3, 26, Decimal("8.67"))
    assert (series.rating_count, series.rating_sum, series.rating) == (1, 3, 3)


async def _adopt(folder: Path, engine: Engine, store: EmbeddedStore) -> dict[str, int]:
    """What `partita adopt worthwatch` does after a migration."""
    with kit_on(folder, faults=None) as kit:
        service = WorthWatchService(replace(kit, tables=store))
        return dict((await adopt_all(store.asynchronous, service.adoptions)).adopted)


def test_after_it_adoption_makes_lists_live_and_finds_nothing_else_to_do(engine: Engine, tmp_path: Path) -> None:
    store, _ = moved(engine, *ROWS)
    first = asyncio.run(_adopt(tmp_path, engine, store))
    assert {noun for noun, count in first.items() if count} == {"list"}
    again = asyncio.run(_adopt(tmp_path, engine, store))
    assert not any(again.values())
    assert differences(store) == set()
    assert [each.watchlist_id for each in store.page(schema.live_lists())] == ["w1"]
    curator = store.get(schema.user("u1"))
    assert curator is not None
    assert curator.live_list_count == 1
    totals = store.get(schema.totals("w1"))
    assert totals is not None
    assert (totals.save_count, totals.comment_count) == (1, 2)
    assert store.get(schema.popularity("w1")) is not None
    film = store.get(schema.movie("m1"))
    assert film is not None
    assert film.listed_in == 1
    assert [each.content_id for each in store.page(schema.titles_named(folded(film.title)))][:1] != []
    mine = store.get(schema.mine("u1", "MOVIE", "m1"))
    assert mine is not None
    assert (mine.seen, mine.rating) == (True, 8)


def test_every_access_pattern_finds_what_was_moved(engine: Engine) -> None:
    store, _ = moved(engine, *ROWS)
    (found,) = store.page(schema.user_with_email("u1@example.com"))
    assert found.user_id == "u1"
    assert [each.watchlist_id for each in store.page(schema.watchlists_of("u1"))] == ["w1"]
    assert {each.watchlist_id for each in store.page(schema.public_watchlists())} == {"w1", "w2"}
    assert [each.position for each in store.page(schema.items_in_order("w1"))] == [1, 1, 2, 3, 4]
    assert [each.watchlist_id for each in store.page(schema.lists_with("MOVIE", "m1"))] == ["w1"]
    assert [each.rating for each in store.page(schema.marks_of("MOVIE", "m1"))] == [8, 9, 9]
    assert [each.rating for each in store.page(schema.taste_of("u1"))] == [8]
    assert [each.user_id for each in store.page(schema.savers_of("w1"))] == ["u1"]
    assert len(store.page(schema.comments_on("w1"))) == 2
    guard = store.get(schema.title_with("tmdb", "tv/27205"))
    assert guard is not None
    assert guard.of_content == "SHOW#s1"


def test_a_suspended_curators_lists_stay_hidden(engine: Engine) -> None:
    store, _ = moved(engine, *ROWS)
    hidden = {name: found.hidden for name in ("w1", "w2", "w3") if (found := store.get(schema.watchlist(name)))}
    assert hidden == {"w1": None, "w2": True, "w3": None}


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_users_with_one_email_the_older_is_moved_and_the_other_told(engine: Engine, turned: bool) -> None:
    names = ("u1", "u2") if turned else ("u2", "u1")
    older, younger = user(names[0], email="Ann@x.org"), user(names[1], email="aNN@X.ORG", createdAt=FEBRUARY)
    store, report = moved(engine, younger, older)
    assert problems(report) == {f'id="{names[1]}"': f'the email ann@x.org belongs to the row id="{names[0]}"'}
    guard = store.get(schema.email_guard("ann@x.org"))
    assert guard is not None
    assert guard.of_user == names[0]
    assert store.get(schema.user(names[1])) is None


def test_an_email_that_somebody_has_in_the_new_table_is_theirs(engine: Engine) -> None:
    store = holding(engine, [user("u1", email="ann@x.org")])
    store.create(WORTHWATCH)
    new = User(user_id="new", email="ANN@x.org", username="newcomer", created_at=FEBRUARY, updated_at=FEBRUARY)
    store.transact(Transaction(Put(new).if_new(), *schema.USER_EMAIL.claim(new)))
    report = migrate(store, WORTHWATCH_BY_ID)
    assert problems(report) == {'id="u1"': "the email ann@x.org is taken by new in the new table"}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (list_item("i1", "nowhere", "m1"), "its watchlist nowhere is not there"),
        (comment("c1", "u1", "nowhere"), "its watchlist nowhere is not there"),
        (saved("x1", "nobody", "w1"), "its user nobody is not there"),
        (rating("r1", "nobody", "m1", 5), "its user nobody is not there"),
        (rating("r1", "u1", "unseen", 5), "its title MOVIE unseen is not there"),
        (movie("m9", imdbId="tt1375666", createdAt=FEBRUARY), 'the imdb id tt1375666 belongs to the row id="m1"'),
        ({"id": "g", "entityType": "GENRE"}, "The entityType 'GENRE' is none of USER, WATCHLIST, MOVIE"),
    ],
    ids=lambda each: str(each)[:30],
)
def test_what_cannot_be_moved_is_a_problem_with_its_reason(engine: Engine, row: Old, why: str) -> None:
    others = [user("u1"), watchlist("w1"), movie("m1", imdbId="tt1375666")]
    _, report = moved(engine, *others, row)
    ((name, reason),) = problems(report).items()
    assert name == f'id="{row["id"]}"'
    assert reason.startswith(why)
    assert report.tally.moved == len(others)


def test_a_title_twice_on_a_list_counts_once_and_the_later_row_is_told(engine: Engine) -> None:
    early, late = list_item("b", "w1", "m1", curatorNote="first"), list_item("a", "w1", "m1", addedAt=FEBRUARY)
    store, report = moved(engine, watchlist("w1"), late, early)
    assert problems(report) == {'id="a"': 'MOVIE m1 on the watchlist w1 belongs to the row id="b"'}
    kept, parent = store.get(schema.item_of("w1", "MOVIE", "m1")), store.get(schema.watchlist("w1"))
    assert kept is not None
    assert parent is not None
    assert (kept.curator_note, parent.item_count) == ("first", 1)


def test_saving_twice_is_saving_once(engine: Engine) -> None:
    _, report = moved(engine, user("u1"), saved("x1", "u1", "w1"), saved("x2", "u1", "w1", savedAt=FEBRUARY))
    assert (report.tally.written["SavedWatchlist"], report.tally.skipped, report.tally.problems) == (1, 1, 0)


def test_what_the_new_system_made_under_the_same_key_is_not_mistaken_for_the_row(engine: Engine) -> None:
    store = holding(engine, [watchlist("w1"), list_item("i1", "w1", "m1", curatorNote="old words")])
    store.create(WORTHWATCH)
    own = WatchlistItem(watchlist_id="w1", content_type="MOVIE", content_id="m1", position=7, added_at=FEBRUARY)
    store.write(Put(own))
    report = migrate(store, WORTHWATCH_BY_ID)
    assert problems(report) == {'id="i1"': "the new table has another one under its key, made there"}
    assert store.get(schema.item_of("w1", "MOVIE", "m1")) == own


def test_a_list_takes_a_thousand_items(engine: Engine) -> None:
    store, _ = moved(engine, watchlist("w1"))
    key = schema.Watchlist.key(schema.Watchlist.watchlist_id("w1"))
    store.write(Update(key, schema.Watchlist.item_count.set(998)))
    rows = [list_item(f"i{number}", "w1", f"m{number}") for number in range(5)]
    _, report = moved(engine, *rows)
    assert report.tally.written["WatchlistItem"] == 2
    assert set(problems(report).values()) == {"its watchlist w1 has 1,000 items already"}
    parent = store.get(schema.watchlist("w1"))
    assert parent is not None
    assert parent.item_count == 1000


def test_running_it_again_is_harmless_and_never_overwrites_what_is_newer(engine: Engine) -> None:
    store, _ = moved(engine, *ROWS)
    store.write(
        Update(User.key(User.user_id("u1")), User.bio.set("new"), User.updated_at.set("2027-01-01T00:00:00.000000Z"))
    )
    before = everything(engine, WORTHWATCH)
    report = migrate(store, WORTHWATCH_BY_ID)
    assert (report.tally.moved, report.tally.already) == (0, len(ROWS))
    assert everything(engine, WORTHWATCH) == before
    verified = verify(store, WORTHWATCH_BY_ID)
    assert (verified.newer, verified.differences) == (1, ())


def test_a_dry_run_tells_the_same_and_writes_nothing(engine: Engine) -> None:
    rows = [*ROWS, user("late", email="U1@Example.com", createdAt=FEBRUARY), list_item("orphan", "nowhere", "m1")]
    store = holding(engine, rows)
    told = rehearse(store, WORTHWATCH_BY_ID)
    assert engine.call("ListTables", {})["TableNames"] == [OLD.name]
    done = migrate(store, WORTHWATCH_BY_ID)
    assert (told.tally, problems(told)) == (done.tally, problems(done))
    assert len(done.problems) == 2


def laws(engine: Engine) -> None:
    """What must hold of any table that was migrated, whatever the rows were."""
    store = EmbeddedStore(engine)
    rows = everything(engine, WORTHWATCH)

    def each(item_type: type[Item]) -> Iterable[Any]:
        return (item for row in rows if (item := item_type.from_own_row(row)) is not None)

    for found in each(User):
        guard = store.get(schema.email_guard(found.email.lower()))
        assert guard is not None
        assert guard.of_user == found.user_id
    assert sum(1 for _ in each(EmailGuard)) == sum(1 for _ in each(User))
    for parent in each(schema.Watchlist):
        assert parent.item_count == store.count(schema.items_of(parent.watchlist_id))
    for kind, of_kind in ((Movie, "MOVIE"), (Show, "SHOW")):
        for title in each(kind):
            given = [r.rating for r in each(Rating) if (r.content_type, r.content_id) == (of_kind, _id(title))]
            assert (title.rating_count or 0, title.rating_sum or 0) == (len(given), sum(given))
    for item in (*each(WatchlistItem), *each(Comment)):
        assert store.get(schema.watchlist(item.watchlist_id)) is not None


def _id(title: Movie | Show) -> str:
    return title.movie_id if isinstance(title, Movie) else title.show_id


@settings(max_examples=12, deadline=None)
@given(SOME_ROWS, st.integers(0, 90), st.booleans(), st.integers(1, 4))
def test_killed_anywhere_and_resumed_the_table_is_that_of_an_uninterrupted_run(
    rows: list[Old], requests: int, answered: bool, segments: int
) -> None:
    with Engine.temporary(background=False) as whole, Engine.temporary(background=False) as engine:
        expected = migrate(holding(whole, rows), WORTHWATCH_BY_ID)
        laws(whole)
        store = holding(engine, rows)
        try:
            dying = mortal_store(engine, requests, answered=answered)
            migrate(dying, WORTHWATCH_BY_ID, segments=segments, workers=1, page=4)
        except Killed:
            pass
        report = migrate(store, WORTHWATCH_BY_ID, segments=segments, workers=1, page=4)
        assert everything(engine, WORTHWATCH) == everything(whole, WORTHWATCH)
        assert problems(report) == problems(expected)
        counted = report.tally.moved + report.tally.already + report.tally.skipped + report.tally.problems
        assert counted == len(rows)
        assert {row for row, _ in differences(store)} == set(problems(report))


def test_under_throttling_conflicts_and_partial_batches_the_table_is_the_same(engine: Engine) -> None:
    rows = [*ROWS, *({"id": f"odd{number}", "entityType": "?"} for number in range(40))]
    moved(engine, *rows)
    plan = FaultPlan(seed=3, throttle=0.2, conflict=0.2, partial_batch=0.8)
    with Engine.temporary(background=False) as clear:
        holding(clear, rows)
        with Engine(clear.database.folder, durability="off", background=False, faults=plan) as stormy:
            report = migrate(EmbeddedStore(stormy), WORTHWATCH_BY_ID, segments=3)
        assert everything(clear, WORTHWATCH) == everything(engine, WORTHWATCH)
        assert len(report.problems) == 40
        assert differences(EmbeddedStore(clear)) == {
            (finding.row, f"not moved: {finding.reason}") for finding in report.problems
        }


@pytest.mark.parametrize(
    ("planted", "difference"),
    [
        (
            Delete(
                Comment.key(
                    Comment.watchlist_id("w1"), Comment.created_at("2026-01-15T10:30:00.000000Z"), Comment.user_id("u3")
                )
            ),
            ("c1", "not there"),
        ),
        (
            Delete(EmailGuard.key(EmailGuard.address("u1@example.com"))),
            ("u1", "the guard EMAIL#u1@example.com is not there"),
        ),
        (
            Update(EmailGuard.key(EmailGuard.address("u1@example.com")), EmailGuard.of_user.set("u2")),
            ("u1", "the guard EMAIL#u1@example.com: ofUser is 'u2' and should be 'u1'"),
        ),
        (
            Update(schema.Watchlist.key(schema.Watchlist.watchlist_id("w1")), schema.Watchlist.item_count.add(1)),
            ("w1", "itemCount is 6 and should be 5"),
        ),
        (
            Update(schema.Watchlist.key(schema.Watchlist.watchlist_id("w2")), schema.Watchlist.hidden.set(None)),
            ("w2", "hidden is not there and should be True"),
        ),
        (
            Update(Movie.key(Movie.movie_id("m1")), Movie.rating_sum.set(25)),
            ("m1", "ratingSum is 25 and should be 26"),
        ),
        (
            Update(Movie.key(Movie.movie_id("m1")), Movie.rating.set(Decimal("9.5"))),
            ("m1", "rating is 9.5 and should be 8.67"),
        ),
        (
            Update(Movie.key(Movie.movie_id("m2")), Movie.title.set("Film noir")),
            ("m2", "title is 'Film noir' and should be 'Film m2'"),
        ),
    ],
    ids=lambda each: each[1] if isinstance(each, tuple) else "",
)
def test_verification_finds_what_was_planted(
    engine: Engine, planted: Update | Delete, difference: tuple[str, str]
) -> None:
    store, _ = moved(engine, *ROWS)
    store.write(planted)
    row, what = difference
    assert differences(store) >= {(f'id="{row}"', what)}
    assert len(differences(store)) == (2 if row == "i9" else 1)  # a list without one of its items counts wrong, too


def test_a_rating_that_goes_is_missed_and_its_title_is_off(engine: Engine) -> None:
    store, _ = moved(engine, *ROWS)
    store.write(Delete(Rating.key(Rating.user_id("u3"), Rating.content_type("MOVIE"), Rating.content_id("m1"))))
    assert differences(store) == {('id="r3"', "not there")}
    store.write(Delete(schema.mine("u3", "MOVIE", "m1").key))
    assert differences(store) == {
        ('id="r3"', "not there"),
        ('id="m1"', "ratingCount is 3 and should be 2"),
        ('id="m1"', "ratingSum is 26 and should be 17"),
        ('id="m1"', "rated9 is 2 and should be 1"),
        ('id="m1"', "rating is 8.67 and should be 8.50"),
    }


def test_a_rating_changed_since_is_newer(engine: Engine) -> None:
    store, _ = moved(engine, *ROWS)
    film = store.get(schema.movie("m1"))
    assert film is not None
    key = Rating.key(Rating.user_id("u1"), Rating.content_type("MOVIE"), Rating.content_id("m1"))
    changed = Update(key, Rating.rating.set(10), Rating.rated_at.set("2027-01-01T00:00:00.000000Z"))
    known = changed.knowing(Rating.review(None))
    marked = Update(schema.mine("u1", "MOVIE", "m1").key, Mine.rating.set(10))
    store.transact(Transaction(known, marked, *schema.MOVIE_RATING.update(film, 8, 10)))
    verified = verify(store, WORTHWATCH_BY_ID)
    assert (verified.newer, verified.differences) == (1, ())


def test_what_was_changed_in_the_new_table_is_newer_but_its_counts_must_hold(engine: Engine) -> None:
    store, _ = moved(engine, *ROWS)
    later = "2027-01-01T00:00:00.000000Z"
    listed, film = schema.Watchlist.key(schema.Watchlist.watchlist_id("w1")), Movie.key(Movie.movie_id("m1"))
    store.write(Update(listed, schema.Watchlist.title.set("Renamed"), schema.Watchlist.updated_at.set(later)))
    store.write(Update(film, Movie.title.set("Renamed"), Movie.updated_at.set(later)))
    verified = verify(store, WORTHWATCH_BY_ID)
    assert (verified.newer, verified.differences) == (2, ())
    store.write(Update(listed, schema.Watchlist.item_count.add(-1)))
    store.write(Update(film, Movie.rating_count.add(1)))
    assert differences(store) == {
        ('id="w1"', "itemCount is 4 and should be 5"),
        ('id="m1"', "ratingCount is 4 and should be 3"),
    }


@pytest.mark.parametrize("name", ["u1", "w1", "m1", "s1", "i1", "x1", "r1", "c1"])
def test_any_row_that_is_gone_from_the_new_table_is_missed(engine: Engine, name: str) -> None:
    store, _ = moved(engine, *ROWS)
    (row,) = (row for row in ROWS if row["id"] == name)
    store.write(Delete(new_item(item_from_python(row)).own_key))
    assert (f'id="{name}"', "not there") in differences(store)


def test_the_notes_tell_how_it_went(engine: Engine) -> None:
    store, report = moved(engine, *ROWS, list_item("orphan", "nowhere", "m1"))
    known = status(store, WORTHWATCH_BY_ID.name)
    assert known is not None
    assert known.tally == report.tally
    assert [finding.row for finding in known.findings] == ['id="orphan"']
    assert known.run.finished_at is not None
    assert JANUARY < known.run.begun_at < known.run.finished_at
