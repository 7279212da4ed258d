"""What the suite holds about somebody is given to them whole, and erased so that only what is declared is left."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from partita.apps.enablement.schema import Reader, Stats, Vote
from partita.apps.fus.schema import Comment, Group, Membership, Rating, Site
from partita.apps.kelifax.schema import Resource, Upvote
from partita.apps.worthwatch.schema import Comment as ListComment
from partita.apps.worthwatch.schema import ListTotals, Log, Movie, SavedWatchlist
from partita.apps.worthwatch.schema import Rating as TitleRating
from partita.dynamo.errors import ExpiredIteratorError
from partita.dynamo.values import Item as Row
from partita.kit.accounts import ACCOUNTS, Account
from partita.kit.changes import ChangeWorker
from partita.kit.jobs import Job, JobWorker
from partita.kit.mail import UNKEPT_ADDRESS
from partita.kit.personal_data.exporting import item_id
from partita.kit.personal_data.holdings import LEFT, Holding
from partita.kit.personal_data.matching import strings
from partita.kit.personal_data.rooms import tables_of
from partita.kit.personal_data.rows import holding_of, key_of
from partita.kit.problems import Conflict, Forbidden, Problem
from partita.kit.schema import HOUSE, KeptMail, QueuedMail
from partita.store.observe import Observation
from partita.store.rows import every_row
from partita.table import Item, Table
from tests.apps.lives import CURATOR_NAMES, LEAVING, LONG, PASSWORD, Town, town, two_lives, write_mail

Found = tuple[Table, Row, Holding | None, str]
"""A table, a row of it, what it is, and the attribute that names somebody."""


def words_of(*people: Account) -> tuple[str, ...]:
    """Of somebody, as they are, and as they were before."""
    told = (each for person in people for each in (person.user_id, person.username, person.name, person.email or ""))
    return tuple(dict.fromkeys(each.casefold() for each in told if each))


async def found_of(town: Town, *people: Account) -> list[Found]:
    """Every attribute of every row of every table that has an id, a name or an address of somebody."""
    found = []
    for room, table in tables_of(town.data.rooms):
        async for row in every_row(town.kit.store, table):
            for name, value in row.items():
                if any(word in text.casefold() for text in strings(value) for word in words_of(*people)):
                    found.append((table, row, holding_of(row, room.of(table)), name))
    return found


async def exported(town: Town, person: Account) -> dict[str, Any]:
    pieces = [piece async for piece in await town.data.export(town.viewer(person))]
    document: dict[str, Any] = json.loads(b"".join(pieces))
    return document


async def counts_of(town: Town) -> tuple[dict[str, int], dict[str, int]]:
    """Counters, and the same counted anew."""
    store = town.kit.store

    async def all_of(item_type: type[Any]) -> AsyncIterator[Any]:
        async for item in store.scan_whole_table(item_type):
            yield item

    kept: Counter[str] = Counter()
    anew: Counter[str] = Counter()
    async for site in all_of(Site):
        kept[f"stars {site.site_id}"] = site.rating_sum or 0
        kept[f"ratings {site.site_id}"] = site.rating_count or 0
        kept[f"comments {site.site_id}"] = site.comment_count or 0
    async for rating in all_of(Rating):
        anew[f"stars {rating.site_id}"] += rating.stars
        anew[f"ratings {rating.site_id}"] += 1
    async for comment in all_of(Comment):
        anew[f"comments {comment.site_id}"] += 1
    async for group in all_of(Group):
        kept[f"members {group.name}"] = group.number_of_members
    async for membership in all_of(Membership):
        anew[f"members {membership.group_name}"] += 1
    async for resource in all_of(Resource):
        kept[f"upvotes {resource.resource_slug}"] = resource.upvotes
    async for vote in all_of(Upvote):
        anew[f"upvotes {vote.slug}"] += 1
    async for movie in all_of(Movie):
        kept[f"rated {movie.movie_id}"] = movie.rating_count or 0
    async for opinion in all_of(TitleRating):
        anew[f"rated {opinion.content_id}"] += 1
    async for totals in all_of(ListTotals):
        kept[f"saves {totals.watchlist_id}"] = totals.save_count or 0
        kept[f"said {totals.watchlist_id}"] = totals.comment_count or 0
    async for saved in all_of(SavedWatchlist):
        anew[f"saves {saved.watchlist_id}"] += 1
    async for said in all_of(ListComment):
        anew[f"said {said.watchlist_id}"] += said.removed_by is None
    async for stats in all_of(Stats):
        kept[f"people {stats.of_content}"] = stats.people
        kept[f"votes {stats.of_content}"] = stats.helped + stats.not_helped
    async for reader in all_of(Reader):
        anew[f"people {reader.of_content}"] += 1
    async for helped in all_of(Vote):
        anew[f"votes {helped.of_content}"] += 1
    return {name: count for name, count in kept.items() if count}, {name: n for name, n in anew.items() if n}


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[Town]:
    with town(tmp_path) as whole:
        yield whole


def test_everything_about_somebody_is_exported_and_then_erased(
    whole: Town, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(_export_and_erase(whole, tmp_path, caplog))


async def _export_and_erase(town: Town, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    once, other = await two_lives(town)
    person = await renamed(town, once)
    both = (once, person)
    before = await found_of(town, *both)
    systems = {holding.item_type.__module__.split(".")[2] for _, _, holding, _ in before if holding is not None}
    assert systems >= {"kelifax", "fus", "worthwatch", "newsletter", "enablement", "accounts", "schema"}

    # Declared: without the fields that the system names, the item has nothing of the person.
    unknown = {
        f"{table.name} {'?' if holding is None else holding.item_type.__name__}.{name}"
        for table, row, holding, name in before
        if holding is None or name not in await declared(town, holding, row, *both)
    }
    assert unknown == set(), "declare these in the personal_data.py of their systems"

    # Exported: whatever the search found, and no secrets.
    document = await exported(town, person)
    ids = {entry["id"] for entry in document["items"]}
    assert [(holding, row) for table, row, holding, _ in before if item_id(table, key_of(table, row)) not in ids] == []
    text = json.dumps(document)
    assert "argon2" not in text
    (brought,) = (each["attributes"]["rows"] for each in document["items"] if each["kind"] == "Import")
    assert len(brought) == 100, "what is too large for its item is in"
    (face,) = (each["name"] for each in document["files"] if "worthwatch/avatars" in each["name"])
    (portrait,) = (each["name"] for each in document["files"] if "house/avatars" in each["name"])
    letters = [each["name"] for each in document["files"] if each["name"].startswith("newsletters/")]
    (own,) = {name.split("/")[1] for name in letters}
    assert letters == [f"newsletters/{own}/export.pdf", f"newsletters/{own}/images/bees.png"], "of one's own only"
    parts = [each for each in document["items"] if each["kind"] in ("WatchlistItem", "Draft")]
    assert {(each["what"], each["yours"]) for each in parts} == {("Lists", True), ("Newsletters", True)}
    assert text.count("Watch it on a train.") == 1, "what others wrote is theirs"
    assert "What I wrote myself. What I wrote myself." in text
    assert not [
        each
        for each in document["items"]
        if not each["yours"] and each["kind"] in ("KeptMail", "Note") and "text" in each["attributes"]
    ]

    # Called otherwise in one system: others read it there, and in their inbox.
    assert all([await told_to_others(town, name) for name in CURATOR_NAMES])

    # Outside the tables: a file, and two values that are too large for their items.
    outside = [each for each in await everything_in_files(town, folder) if any(w in each for w in words_of(*both))]
    for words in (f"the face of {once.name.casefold()}", "saw this", LONG.casefold()):
        assert sum(words in each for each in outside) == 1, words

    # Closed at once.
    with caplog.at_level(logging.DEBUG):
        await town.data.erase(town.viewer(person))
        with pytest.raises(Problem):
            await town.kit.accounts.sessions.sign_in(LEAVING, PASSWORD, user_agent="", address="192.0.2.8")
        with pytest.raises(Conflict, match="being erased"):
            await town.kit.accounts.administration.restore(town.viewer(other), person.user_id)
        await town.settle()

    left = await found_of(town, *both)
    told = {(holding.item_type.__name__, holding.because) for _, _, holding, _ in left if holding is not None}
    assert {name for name, _ in told} == {"Comment"}, told
    assert all(because for _, because in told)
    names = words_of(*both)[1:]
    assert len(names) == 5  # one username, two names, two addresses
    assert not [row for _, row, _, _ in left if any(word in str(row).casefold() for word in names)]
    assert not any([await told_to_others(town, name) for name in CURATOR_NAMES])
    assert not [each for each in words_of(*both) if each in caplog.text.casefold()]
    assert [
        each for each in await everything_in_files(town, folder) if any(word in each for word in words_of(*both))
    ] == []
    assert not await town.kit.files.exists(face)
    assert not await town.kit.files.exists(portrait)
    (log,) = [each async for each in town.kit.store.scan_whole_table(Log) if each.after.get("description")]
    assert log.who is not None
    assert log.who.startswith("left-")
    assert log.after == {"curatorId": log.who, "description": LONG}
    assert await town.kit.accounts.people.find(person.user_id) is None
    assert await last_mails(town) == ["Your account was erased, as you asked, with everything that was yours."]
    kept, anew = await counts_of(town)
    assert kept == anew
    assert any(LEFT in text for table, row in await rows(town) for value in row.values() for text in strings(value))
    # Whoever stays is whole.
    assert {item_id(table, key_of(table, row)) for table, row, _, _ in await found_of(town, other)} <= {
        entry["id"] for entry in (await exported(town, other))["items"]
    }


async def renamed(town: Town, person: Account) -> Account:
    """The same person with another name and address, who goes on."""
    accounts, viewer = town.kit.accounts, town.viewer(person)
    await accounts.profile.change_name(viewer, "Quirinus Xanthippe")
    await accounts.addresses.change(viewer, "quirinus@xanthippe.example", PASSWORD)
    await accounts.finish()
    (link,) = [
        each async for each in town.kit.store.scan_whole_table(KeptMail) if each.to == "quirinus@xanthippe.example"
    ]
    after = await accounts.addresses.confirm(viewer, link.text.partition("token=")[2].split()[0])
    await accounts.finish()
    await write_mail(town, after)
    return after


async def last_mails(town: Town) -> list[str]:
    """What erased people were told, in its first sentence; to addresses that nobody keeps."""
    mails = [each async for each in town.kit.store.scan_whole_table(KeptMail) if each.mail_id.startswith("erased-")]
    assert {each.to for each in mails} <= {UNKEPT_ADDRESS}
    return [each.text.splitlines()[2].partition(".")[0] + "." for each in mails]


async def told_to_others(town: Town, name: str) -> list[Row]:
    """Rows with a name."""
    return [
        row for _, row in await rows(town) if any(name in text for value in row.values() for text in strings(value))
    ]


async def rows(town: Town) -> list[tuple[Table, Row]]:
    return [(table, row) for _, table in tables_of(town.data.rooms) async for row in every_row(town.kit.store, table)]


async def everything_in_files(town: Town, folder: Path) -> list[str]:
    """Names and contents of all files, and the search index, folded."""
    index = apsw.Connection(str(folder / "search.db"), flags=apsw.SQLITE_OPEN_READONLY)
    names = [name for (name,) in index.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    plain = [name for name in names if name.partition("_")[0] in ("documents", "texts", "parts", "terms", "values")]
    dumped = [f"{name}: {row}" for name in plain for row in index.execute(f"SELECT * FROM {name}")]
    index.close()
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("search.db")]
    contents = [file.read_bytes().decode(errors="replace") for file in files]
    return [text.casefold() for text in (*dumped, *map(str, files), *contents)]


async def declared(town: Town, holding: Holding, row: Row, *people: Account) -> set[str]:
    """The attributes of a row that differ if the declared fields say something else: those fields, and what is made of
    them."""
    item = await town.kit.store.read(holding.item_type, row)
    assert item is not None
    fields = {*holding.ids, *holding.names, *holding.texts, *holding.blank}
    changes = {field: getattr(item, field) for field in fields}
    for person in people:
        changes = {field: _replaced(value, person) for field, value in changes.items()}
    other = item.model_copy(update=changes).to_row()
    return {name for name in row if other.get(name) != row[name]}


def _replaced(value: Any, person: Account) -> Any:
    if isinstance(value, str):
        for word in (person.user_id, person.email or "", person.username, person.name):
            value = value.replace(word, "somebodyelse").replace(word.casefold(), "somebodyelse")
        return value
    if isinstance(value, dict):
        return {_replaced(name, person): _replaced(each, person) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_replaced(each, person) for each in value)
    if isinstance(value, Item):
        return value
    if hasattr(value, "model_dump"):
        return type(value).model_validate(_replaced(value.model_dump(), person))
    return value


ERASING: ContextVar[bool] = ContextVar("erasing", default=False)


class Behind(ChangeWorker):
    """Change handlers that see nothing."""

    def __init__(self) -> None:
        pass

    async def drain(self) -> int:
        return 0


class Killed(BaseException):
    """The process is gone."""


def test_killed_again_and_again_it_ends_the_same(whole: Town) -> None:
    """Killed after so many writes each time, wherever that is; the next process takes it up where the lease ran out."""

    async def story() -> None:
        once, _ = await two_lives(whole)
        person = await renamed(whole, once)
        job = await whole.data.erase(whole.viewer(person))
        writes = kills = 0

        def count(seen: Observation) -> None:
            nonlocal writes, kills
            if seen.operation in ("UpdateItem", "DeleteItem", "PutItem", "TransactWriteItems", "BatchWriteItem"):
                writes += 1
                if writes % 23 == 0:
                    kills += 1
                    raise Killed

        whole.kit.store.observe(count)
        for _ in range(60):
            whole.clock.at += timedelta(hours=1)
            with suppress(Killed):  # while it was taking the job
                await JobWorker(whole.kit.jobs, ()).drain()
            if not (await whole.kit.jobs.find(whole.kit.accounts.operator(), job.job_id)).is_open:
                break
        whole.kit.store.observers.remove(count)
        assert kills > 3
        await whole.settle()
        whole.clock.at += timedelta(hours=2)
        await whole.kit.notifications.send_waiting_mail()
        assert len(await last_mails(whole)) == 1
        left = await found_of(whole, once, person)
        assert {holding.item_type.__name__ for _, _, holding, _ in left if holding is not None} == {"Comment"}
        kept, anew = await counts_of(whole)
        assert kept == anew

    asyncio.run(story())


def test_handlers_that_are_behind_bring_nobody_back_also_if_the_job_is_killed_while_it_waits(tmp_path: Path) -> None:
    """No handler has seen anything of two lives when one of them is erased: they begin while the job waits for them."""

    async def story(town: Town) -> None:
        once, _ = await two_lives(replace(town, changes=Behind()))
        person = await renamed(town, once)
        job = await town.data.erase(town.viewer(person))
        writes = kills = 0

        def count(seen: Observation) -> None:
            nonlocal writes, kills
            if ERASING.get() and seen.operation in ("UpdateItem", "DeleteItem", "PutItem", "TransactWriteItems"):
                writes += 1
                if writes % 19 == 0:
                    kills += 1
                    raise Killed

        async def erase() -> None:
            ERASING.set(True)
            while (await now()).is_open:
                town.clock.at += timedelta(hours=1)
                with suppress(Killed):
                    await JobWorker(town.kit.jobs, ()).drain()

        async def now() -> Job:
            return await town.kit.jobs.find(town.kit.accounts.operator(), job.job_id)

        town.kit.store.observe(count)
        erasing = asyncio.create_task(erase())
        while not erasing.done() and not (await now()).step.startswith("Waiting"):
            await asyncio.sleep(0.01)
        assert not erasing.done(), "it does not end while handlers are behind"
        while not erasing.done():
            with suppress(ExpiredIteratorError):  # it was got an hour ago
                await town.changes.drain()
            await asyncio.sleep(0.01)
        erasing.result()
        town.kit.store.observers.remove(count)
        assert kills > 3
        assert (await now()).state == "done"
        await town.settle()
        town.clock.at += timedelta(hours=2)
        await town.kit.notifications.send_waiting_mail()
        left = await found_of(town, once, person)
        assert {holding.item_type.__name__ for _, _, holding, _ in left if holding is not None} <= {"Comment"}
        words = words_of(once, person)
        assert [each for each in await everything_in_files(town, tmp_path) if any(word in each for word in words)] == []
        kept, anew = await counts_of(town)
        assert kept == anew

    with town(tmp_path, waits=True) as whole:
        asyncio.run(story(whole))


def test_the_last_administrator_and_other_people_are_refused(whole: Town) -> None:
    async def story() -> None:
        create = whole.kit.accounts.registration.create
        boss = await create("the-boss", "boss@example.org", "Boss", PASSWORD, roles=("admin",))
        member = await create("a-member", "member@example.org", "Member", PASSWORD)
        with pytest.raises(Conflict, match="last administrator"):
            await whole.data.erase(whole.viewer(boss))
        powerless = whole.viewer(member).__class__(member.user_id, "a-member", "Member", via="session", confirmed=True)
        with pytest.raises(Forbidden):
            await whole.data.erase(powerless, boss.user_id)
        with pytest.raises(Forbidden):
            await whole.data.export(powerless, boss.user_id)
        job = await whole.data.erase(whole.viewer(boss), member.user_id)
        assert (await whole.data.erase(whole.viewer(boss), member.user_id)).job_id == job.job_id

    asyncio.run(story())


def test_copies_of_the_tables_that_killed_processes_left_go_with_whoever_is_erased(whole: Town) -> None:
    async def story() -> None:
        create = whole.kit.accounts.registration.create
        boss = await create("the-boss", "boss@example.org", "Boss", PASSWORD, roles=("admin",))
        member = await create("a-member", "member@example.org", "Member", PASSWORD)
        data = whole.kit.settings.data
        left = [data / name / "left" / "tables.db" for name in (".backup", ".recounts")]
        for copy in left:
            copy.parent.mkdir(parents=True)
            copy.write_text(member.name)
        await whole.data.erase(whole.viewer(boss), member.user_id)
        await whole.settle()
        assert await found_of(whole, member) == []
        assert not any(copy.exists() for copy in left)

    asyncio.run(story())


def test_whoever_is_erased_is_told_as_the_last_thing_once_also_if_that_is_where_the_process_dies(whole: Town) -> None:
    """The mail is written down with the end of the account, and kept no longer than until it is sent."""

    async def story() -> None:
        create = whole.kit.accounts.registration.create
        boss = await create("the-boss", "boss@example.org", "Boss", PASSWORD, roles=("admin",))
        member = await create("a-member", "member@example.org", "Member", PASSWORD)
        nobody = await create("no-address", None, "Silent", PASSWORD)
        for person in (member, nobody):
            await whole.data.erase(whole.viewer(boss), person.user_id)
        kills = 0

        def die(seen: Observation) -> None:
            nonlocal kills
            if seen.operation == "TransactWriteItems" and HOUSE.name in seen.tables and ACCOUNTS.name in seen.tables:
                kills += 1
                raise Killed

        whole.kit.store.observe(die)
        with suppress(Killed):
            await JobWorker(whole.kit.jobs, ()).drain()
        whole.kit.store.observers.remove(die)
        assert kills == 1
        assert await whole.kit.accounts.people.find(member.user_id) is None
        waiting = [each async for each in whole.kit.store.scan_whole_table(QueuedMail) if each.to == member.email]
        assert [(each.state, each.tries) for each in waiting] == [("waiting", 0)]
        for _ in range(2):
            whole.clock.at += timedelta(hours=1)
            await whole.settle()
            await whole.kit.notifications.send_waiting_mail()
        assert await last_mails(whole) == ["An administrator has erased your account, with everything that was yours."]
        assert await whole.kit.accounts.people.find(nobody.user_id) is None
        assert await found_of(whole, member) == []

    asyncio.run(story())
