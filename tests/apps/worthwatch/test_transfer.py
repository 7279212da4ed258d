"""Imports and exports: hostile files, matches that are asked and not guessed, once and for all, and back again."""

from __future__ import annotations

import io
import zipfile

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.worthwatch import schema, system
from partita.apps.worthwatch.inputs import ImportChoices, NewItem, NewShow, RatingInput, SeenInput, TitleInput
from partita.apps.worthwatch.schema import Mine, Movie
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.transfer import Review
from partita.apps.worthwatch.service.transfer.applying import Applying
from partita.apps.worthwatch.service.transfer.exporting import Export
from partita.apps.worthwatch.service.transfer.reading import MOST_ROWS, plain_rows, read_rows
from partita.apps.worthwatch.service.transfer.rows import Row
from partita.kit.jobs import JobFailed, JobWorker
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Invalid, NotFound, Problem, TooLarge, TooMany
from tests.apps.house import jobs_of
from tests.apps.worthwatch.conftest import LIBRARIAN, film, member, new_list

pytestmark = pytest.mark.anyio

LIST = """Letterboxd list export v7
Date,Name,Tags,URL,Description
2026-02-14,Winter shelf,,https://lists.example/winter,What I want to see again.

Position,Name,Year,URL,Description
1,Cold War,2018,https://lists.example/1,On a train
2,The Lives of Others,2007,https://lists.example/2,
3,Nowhere to be found,1950,https://lists.example/3,
"""


@pytest.fixture
def jobs(kit: Kit) -> JobWorker:
    return jobs_of(kit, system.build(kit))


async def begin(service: WorthWatchService, viewer: Viewer, text: str, name: str = "winter-shelf.csv") -> Review:
    return await service.imports.begin(viewer, text.encode(), name)


async def applied(service: WorthWatchService, jobs: JobWorker, viewer: Viewer, review: Review) -> Review:
    await service.imports.apply(viewer, review.item.import_id)
    await jobs.drain()
    return await service.imports.review(viewer, review.item.import_id)


# -- reading


def test_a_line_with_too_many_cells_is_passed_over() -> None:
    lines = LIST.splitlines(keepends=True)
    read = plain_rows("".join([*lines[:6], "x," * 50_000 + "\n", *lines[6:]]).encode(), "list.csv")
    assert read == plain_rows(LIST.encode(), "list.csv")
    assert len(read[1]) == 3


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("watched.csv", "Date,Name,Year,Letterboxd URI", "letterboxd-watched"),
        ("watchlist-ada.csv", "Date,Name,Year,Letterboxd URI", "letterboxd-watchlist"),
        ("x.csv", "Date,Name,Year,Letterboxd URI,Rating", "letterboxd-ratings"),
        ("x.csv", "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date", "letterboxd-diary"),
        ("x.csv", "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Review,Tags,Watched Date", "letterboxd-reviews"),
        ("x.csv", "\ufeffNAME,year,LETTERBOXD  uri", "letterboxd-watched"),
        ("x.csv", "Position;Name;Year;URL;Description", "letterboxd-list"),
        ("x.csv", "Position,Const,Created,Modified,Description,Title,URL,Title Type,Year", "imdb-list"),
        ("x.csv", "Const,Your Rating,Date Rated,Title,URL,Title Type,Year", "imdb-ratings"),
        ("x.csv", "Title,Year,imdbID,tmdbID,WatchedDate,Rating10,Rewatch,Review", "letterboxd-import"),
    ],
)
async def test_a_file_is_known_by_its_columns_in_any_case_and_order(name: str, head: str, kind: str) -> None:
    mark = ";" if ";" in head else ","
    cells = {"const": "tt0111161", "imdbid": "tt0111161", "year": "1994"}
    row = mark.join(cells.get(cell.lower(), "Movie") for cell in head.split(mark))
    found, rows = await read_rows(f"{head}\n{row}\n\n".encode(), name)
    assert (found, len(rows)) == (kind, 1)


async def test_what_a_row_says() -> None:
    diary = (
        "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n"
        "2024-01-02,Alien,1979,https://x.example,4.5,Yes,,2024-01-01\nRagged\n"
    )
    _, (alien,) = await read_rows(diary.encode(), "diary.csv")
    assert (alien.name, alien.year, alien.rating, alien.viewings) == ("Alien", 1979, 9, (("2024-01-01", True),))
    assert alien.seen


async def test_episodes_and_games_are_set_aside() -> None:
    text = "Const,Your Rating,Date Rated,Title,Title Type,Year\n" + "".join(
        f"tt000000{number},7,2024-01-01,Name,{kind},2001\n"
        for number, kind in enumerate(("Movie", "TV Series", "TV Mini Series", "TV Episode", "Video Game"))
    )
    _, rows = await read_rows(text.encode(), "ratings.csv")
    assert [row.type for row in rows] == ["MOVIE", "SHOW", "SHOW", None, None]
    assert [bool(row.aside) for row in rows] == [False, False, False, True, True]


@pytest.mark.parametrize(
    "data",
    [b"", b"  \n", b"a,b,c\n1,2,3", b"Position\n1", b"PK\x03\x04 no zip", b"\x00\xff\x00", b"<html>", b'"' * 500],
)
async def test_what_is_no_such_file_is_refused_with_what_is_missing(data: bytes) -> None:
    with pytest.raises(Invalid) as refused:
        await read_rows(data, "x.csv")
    assert refused.value.errors[0].field == "file"


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=400), st.text(alphabet='Name,Position\n"\r;1tt\0', max_size=200).map(str.encode)))
def test_no_bytes_are_an_error_that_nobody_foresaw(data: bytes) -> None:
    for start in (b"", b"Name,Year,Letterboxd URI\n", b"Position,Name\n", b"Letterboxd list export v7\n"):
        read = plain_rows(start + data, "x.csv")
        if not isinstance(read, str):
            assert all(Row.of(row).plain == row for row in read[1])


def packed(**files: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_csv", ".csv"), text)
    return data.getvalue()


async def test_a_zip_as_it_comes_is_one_row_for_each_film() -> None:
    data = packed(
        watched_csv="Date,Name,Year,Letterboxd URI\n2024-01-01,Alien,1979,u\n2024-01-01,Heat,1995,u\n",
        ratings_csv="Date,Name,Year,Letterboxd URI,Rating\n2024-01-01,Alien,1979,u,5\n",
        diary_csv=(
            "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n"
            "2024-01-02,Alien,1979,u,,,,2023-12-31\n2024-02-02,Alien,1979,u,,Yes,,2024-02-01\n"
        ),
        lists__night_csv="whatever",
    )
    kind, rows = await read_rows(data, "letterboxd.zip")
    assert kind == "letterboxd-zip"
    alien, heat = rows
    assert (alien.rating, alien.viewings) == (10, (("2023-12-31", False), ("2024-02-01", True)))
    assert (heat.name, heat.seen, heat.viewings) == ("Heat", True, ())


async def test_bombs_and_long_files_are_refused() -> None:
    bomb = packed(watched_csv="Date,Name,Year,Letterboxd URI\n" + "a" * 25_000_000)
    assert len(bomb) < 2_000_000
    with pytest.raises(Problem):
        await read_rows(bomb, "bomb.zip")
    many = "Name,Year,Letterboxd URI\n" + "Alien,1979,u\n" * (MOST_ROWS + 1)
    with pytest.raises(TooLarge):
        await read_rows(many.encode(), "watched.csv")
    with pytest.raises(TooLarge):
        await read_rows(b"x" * 2_000_001, "watched.csv")


# -- review


async def test_nothing_is_guessed_in_silence(service: WorthWatchService, kit: Kit) -> None:
    viewer = await member(kit)
    by_id = await film(service, "Another name altogether", imdb_id="tt1234567")
    sure = await film(service, "Cold War", release_year=2018)
    near = await film(service, "The Lives of Others", release_year=2006)
    twins = [await film(service, "Breathless", release_year=1960) for _ in range(2)]
    await film(service, "Heat", release_year=1995, imdb_id="tt0113277")
    text = (
        "Const,Your Rating,Date Rated,Title,Title Type,Year\n"
        "tt1234567,9,2024-01-01,Whatever,Movie,1950\n"
        ",8,2024-01-01,COLD WAR,Movie,2018\n"
        ",7,2024-01-01,Lives of Others,Movie,2007\n"
        ",6,2024-01-01,Breathless,Movie,1960\n"
        ",5,2024-01-01,Cold War,TV Series,2018\n"
        ",5,2024-01-01,Nowhere,Movie,2018\n"
        ",5,2024-01-01,Cold War,TV Episode,2018\n"
        "tt9999999,5,2024-01-01,Heat,Movie,1995\n"
    )
    review = await begin(service, viewer, text, "ratings.csv")
    stands = [row.stand for row in review.rows]
    assert stands == ["found", "found", "check", "check", "missing", "missing", "aside", "check"]
    chosen = [row.chosen[1] if row.chosen else None for row in review.rows[:2]]
    assert chosen == [by_id.movie_id, sure.movie_id]
    assert [each.ref[1] for each in review.rows[2].candidates] == [near.movie_id]
    assert {each.ref[1] for each in review.rows[3].candidates} == {each.movie_id for each in twins}
    assert review.to_add == 2


async def test_rows_are_decided_and_left_out_and_only_that_is_added_once(
    service: WorthWatchService, kit: Kit, jobs: JobWorker
) -> None:
    viewer = await member(kit)
    await film(service, "Cold War", release_year=2018)
    lives = await film(service, "The Lives of Others", release_year=2006)
    review = await begin(service, viewer, LIST)
    assert (review.target, review.new_title) == ("new", "Winter shelf")
    assert [row.stand for row in review.rows] == ["found", "check", "missing"]
    right = TitleInput(content_type="MOVIE", content_id=lives.movie_id)
    choices = ImportChoices(choices={2: right}, leave_out=(3,), title="Winter")
    review = await service.imports.choose(viewer, review.item.import_id, choices)
    assert [row.stand for row in review.rows] == ["found", "found", "left-out"]
    assert (await service.lists.mine(viewer)).items == (), "nothing is written before it is applied"
    done = await applied(service, jobs, viewer, review)
    assert [row.outcome for row in done.rows] == ["Added", "Added", "Left out"]
    (watchlist,) = (await service.lists.mine(viewer)).items
    assert (watchlist.title, watchlist.item_count, watchlist.is_public) == ("Winter", 2, False)
    items = await service.items.all_in_order(watchlist.watchlist_id)
    assert [item.label.title for item in items if item.label] == ["Cold War", "The Lives of Others"]
    assert items[0].curator_note == "On a train"
    assert (await service.titles.title("MOVIE", lives.movie_id)).listed_in == 1
    first = await service.imports.apply(viewer, review.item.import_id)
    assert first.state == "done", "asked again it is the same job"
    with pytest.raises(Conflict):
        await service.imports.choose(viewer, review.item.import_id, ImportChoices(leave_out=(1,)))
    again = await begin(service, viewer, LIST)
    again = await service.imports.choose(viewer, again.item.import_id, ImportChoices(target=watchlist.watchlist_id))
    assert [row.stand for row in again.rows] == ["there", "check", "missing"]
    with pytest.raises(Conflict):
        await service.imports.apply(viewer, again.item.import_id)


async def test_what_makes_no_sense_is_refused(service: WorthWatchService, kit: Kit) -> None:
    viewer, other = await member(kit), await member(kit)
    review = await begin(service, viewer, LIST)
    import_id = review.item.import_id
    nothing = TitleInput(content_type="MOVIE", content_id="none")
    for choices in (ImportChoices(choices={1: nothing}), ImportChoices(leave_out=(77,))):
        with pytest.raises(Invalid):
            await service.imports.choose(viewer, import_id, choices)
    theirs = await new_list(service, other)
    with pytest.raises(NotFound):
        await service.imports.choose(viewer, import_id, ImportChoices(target=theirs.watchlist_id))
    with pytest.raises(NotFound):
        await service.imports.review(other, import_id)
    with pytest.raises(Conflict):
        await service.imports.apply(viewer, import_id)
    for _ in range(9):
        await begin(service, viewer, LIST)
    with pytest.raises(TooMany):
        await begin(service, viewer, LIST)


# -- history


DIARY = (
    "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Review,Tags,Watched Date\n"
    "2024-01-02,Alien,1979,u,4.5,,Still frightens.,,2024-01-01\n"
    "2024-03-02,Alien,1979,u,4.5,Yes,,,2024-03-01\n"
    "2024-01-02,Heat,1995,u,3,,,,\n"
)


async def test_history_is_seen_dated_and_rated_once_and_own_ratings_stay(
    service: WorthWatchService, kit: Kit, jobs: JobWorker
) -> None:
    viewer = await member(kit)
    alien = await film(service, "Alien", release_year=1979)
    heat = await film(service, "Heat", release_year=1995)
    await service.ratings.rate(viewer, "MOVIE", heat.movie_id, RatingInput(rating=10))
    first = await applied(service, jobs, viewer, await begin(service, viewer, DIARY, "reviews.csv"))
    assert [row.outcome for row in first.rows] == ["Added", "Added", "Already there, with your own rating"]

    async def state() -> tuple[object, ...]:
        mine = await kit.store.get(schema.mine(viewer.id, "MOVIE", alien.movie_id).consistently())
        assert mine is not None
        diary = [each.day async for each in kit.store.stream(schema.diary_of(viewer.id))]
        rated = await service.titles.title("MOVIE", alien.movie_id)
        kept = await service.ratings.mine(viewer, "MOVIE", heat.movie_id)
        own = await service.ratings.mine(viewer, "MOVIE", alien.movie_id)
        marks = mine.times, mine.last_seen_on, mine.rating, mine.seen
        return marks, diary, rated.rating_count, rated.rating_sum, kept.rating, own.review, own.rated_at

    once = await state()
    assert once[:5] == ((2, "2024-03-01", 9, True), ["2024-03-01", "2024-01-01"], 1, 9, 10)
    assert once[5] == "Still frightens."
    again = await begin(service, viewer, DIARY, "reviews.csv")
    assert {row.stand for row in again.rows} == {"there"}
    with pytest.raises(Conflict):
        await service.imports.apply(viewer, again.item.import_id)
    assert await state() == once


async def test_a_watchlist_goes_to_to_watch_and_what_is_seen_does_not(
    service: WorthWatchService, kit: Kit, jobs: JobWorker
) -> None:
    viewer = await member(kit)
    alien = await film(service, "Alien", release_year=1979)
    heat = await film(service, "Heat", release_year=1995)
    await service.marks.mark_seen(viewer, "MOVIE", heat.movie_id, SeenInput())
    text = "Date,Name,Year,Letterboxd URI\n2024-01-01,Alien,1979,u\n2024-01-01,Heat,1995,u\n"
    review = await applied(service, jobs, viewer, await begin(service, viewer, text, "watchlist.csv"))
    assert [row.outcome for row in review.rows] == ["Added", "Already there"]
    queued = [each async for each in kit.store.stream(schema.queue_shelf(viewer.id))]
    assert [each.content_id for each in queued] == [alien.movie_id]
    mine = await kit.store.get(schema.mine(viewer.id, "MOVIE", heat.movie_id))
    assert isinstance(mine, Mine)
    assert not mine.queued


# -- many rows, and kills


async def _catalog(service: WorthWatchService, count: int) -> list[Movie]:
    return [await film(service, f"Number {number}", release_year=1990) for number in range(count)]


@pytest.mark.parametrize("target", ["new", "history"])
async def test_an_import_that_is_killed_goes_on_and_writes_nothing_twice(
    service: WorthWatchService, kit: Kit, jobs: JobWorker, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    films = await _catalog(service, 70)
    viewer = await member(kit)
    text = "Position,Name,Year\n" + "".join(f"{place},{each.title},1990\n" for place, each in enumerate(films, 1))
    review = await begin(service, viewer, text)
    review = await service.imports.choose(viewer, review.item.import_id, ImportChoices(target=target))
    killed = 0
    name = "_some" if target == "new" else "_history"
    inner = getattr(Applying, name)

    async def sometimes(self: Applying, *args: object, **more: object) -> str:
        nonlocal killed
        outcome: str = await inner(self, *args, **more)
        if killed < 2:
            killed += 1
            raise JobFailed("the process ended after its write")
        return outcome

    monkeypatch.setattr(Applying, name, sometimes)
    await applied(service, jobs, viewer, review)
    for _ in range(2):
        job = await service.imports.apply(viewer, review.item.import_id)
        assert job.state == "failed"
        await kit.jobs.retry(viewer, job.job_id)
        await jobs.drain()
    done = await service.imports.review(viewer, review.item.import_id)
    assert killed == 2
    assert done.item.state == "done"
    assert {row.outcome for row in done.rows} <= {"Added", "Already there"}
    if target == "new":
        assert {row.outcome for row in done.rows} == {"Added"}
        (watchlist,) = (await service.lists.mine(viewer)).items
        items = await service.items.all_in_order(watchlist.watchlist_id)
        assert [item.content_id for item in items] == [each.movie_id for each in films]
        assert watchlist.item_count == 70
        assert {(await service.titles.title("MOVIE", each.movie_id)).listed_in for each in films} == {1}
    else:
        seen = [each async for each in kit.store.stream(schema.seen_shelf(viewer.id))]
        assert len(seen) == 70


async def test_two_thousand_rows_to_a_history(service: WorthWatchService, kit: Kit, jobs: JobWorker) -> None:
    films = await _catalog(service, 300)
    viewer = await member(kit)
    rows = "".join(f"2024-01-01,{each.title},1990,u,4\n" for each in films)
    rows += "".join(f"2024-01-01,Unknown {number},1990,u,4\n" for number in range(1700))
    review = await begin(service, viewer, f"Date,Name,Year,Letterboxd URI,Rating\n{rows}", "ratings.csv")
    assert review.counts["found"] == 300
    assert review.counts["missing"] == 1700
    done = await applied(service, jobs, viewer, review)
    assert done.outcomes == {"Added": 300, "Not found": 1700}
    assert done.csv.count("\r\n") == 2001


# -- export


async def whole(export: Export) -> str:
    return b"".join([piece async for piece in export.pieces]).decode()


async def test_a_list_goes_out_safely_and_comes_back(service: WorthWatchService, kit: Kit, jobs: JobWorker) -> None:
    viewer = await member(kit)
    watchlist = await new_list(service, viewer, title="=Nächte / 夜")
    show = await service.titles.add(LIBRARIAN, NewShow(title="Twin Peaks", start_year=1990, imdb_id="tt0098936"))
    for title in (await film(service, "=cmd()", release_year=2001), show):
        new = NewItem(content_type=title.content_type, content_id=title.content_id, curator_note="@note, with comma")
        await service.items.add(viewer, watchlist.watchlist_id, new)
    csv = service.exporting.of_list(watchlist, "letterboxd")
    assert csv.filename == "nchte.csv"
    text = await whole(csv)
    assert text.startswith("Title,Year,imdbID,tmdbID,WatchedDate,Rating10,Rewatch,Review\r\n'=cmd(),2001,")
    imdb = await whole(service.exporting.of_list(watchlist, "imdb"))
    assert "tt0098936" in imdb
    assert [each["title"] for each in orjson.loads(await whole(service.exporting.of_list(watchlist, "json")))] == [
        "=cmd()",
        "Twin Peaks",
    ]
    review = await begin(service, viewer, imdb, "list.csv")
    assert [row.stand for row in review.rows] == ["found", "found"]
    done = await applied(service, jobs, viewer, review)
    assert done.item.target is not None
    copy = await service.items.all_in_order(done.item.target)
    assert [(item.content_id, item.curator_note) for item in copy] == [
        (item.content_id, item.curator_note) for item in await service.items.all_in_order(watchlist.watchlist_id)
    ]


async def test_history_goes_out_and_comes_back_to_somebody_else(
    service: WorthWatchService, kit: Kit, jobs: JobWorker
) -> None:
    ada, bob = await member(kit), await member(kit)
    alien = await film(service, "Alien", release_year=1979)
    await film(service, "Heat", release_year=1995)
    await applied(service, jobs, ada, await begin(service, ada, DIARY, "reviews.csv"))
    text = await whole(service.exporting.history(ada, "letterboxd"))
    await applied(service, jobs, bob, await begin(service, bob, text, "history.csv"))
    for who in (ada, bob):
        mine = await kit.store.get(schema.mine(who.id, "MOVIE", alien.movie_id).consistently())
        assert mine is not None
        assert (mine.times, mine.last_seen_on, mine.rating) == (2, "2024-03-01", 9)
    history = orjson.loads(await whole(service.exporting.history(ada, "json")))
    assert {each["title"] for each in history} == {"Alien", "Heat"}
    assert (await whole(service.exporting.history(ada, "imdb"))).count("\r\n") == 1, "nothing here has an IMDb id"
