"""The life of an engine: opening, sharing, closing."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest

from partita.dynamo.errors import DynamoError, InternalServerError, ResourceNotFoundError
from partita.dynamo.requests import Query, TransactGetItems
from partita.engine import Engine, FaultPlan, Place, operations
from tests.engine.tables import create, get, index, put, python_items, query, update


def test_what_was_written_is_there_after_reopening(tmp_path: Path) -> None:
    for number in range(3):
        with Engine(tmp_path, background=False) as engine:
            if number == 0:
                create(engine, gsis=[index("byG", "g")])
            put(engine, pk=str(number), g="x")
            assert query(engine, "g = :g", g="x", IndexName="byG", Select="COUNT")["Count"] == number + 1


def test_a_folder_is_made_where_there_is_none(tmp_path: Path) -> None:
    with Engine(tmp_path / "deep" / "down", background=False, durability="off") as engine:
        create(engine)
    assert (tmp_path / "deep" / "down").is_dir()


def test_a_closed_engine_leaves_one_file_and_its_lock(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        create(engine)
        put(engine, pk="a")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".partita.sqlite3.lock", "partita.sqlite3"]


def test_a_temporary_engine_takes_its_folder_with_it() -> None:
    engine = Engine.temporary()
    folder = engine.database.folder
    create(engine)
    assert folder.is_dir()
    engine.close()
    assert not folder.exists()


def test_closing_twice_is_closing_once() -> None:
    engine = Engine.temporary()
    create(engine)
    engine.answer("ListTables", b"{}", lambda _: None)
    engine.close()
    engine.close()


def test_closing_leaves_no_thread_behind() -> None:
    before = set(threading.enumerate())
    with Engine.temporary() as engine:
        create(engine)
        done = threading.Event()
        engine.answer("ListTables", b"{}", lambda _: done.set())
        assert done.wait(10)
        done.clear()
        engine.answer("PutItem", orjson.dumps({"TableName": "music", "Item": {"pk": {"S": "a"}}}), lambda _: done.set())
        assert done.wait(10)
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("PutItem", {"TableName": "music", "Item": {"pk": {"S": "a"}}}),
        ("GetItem", {"TableName": "music", "Key": {"pk": {"S": "a"}}}),
        ("ListTables", {}),
        ("DeleteTable", {"TableName": "music"}),
    ],
)
@pytest.mark.parametrize("faults", [None, FaultPlan()])
def test_a_closed_engine_says_so(operation: str, request_: dict[str, Any], faults: FaultPlan | None) -> None:
    engine = Engine.temporary(background=False, faults=faults)
    create(engine)
    engine.answer("ListTables", b"{}", lambda _: None)
    engine.close()
    with pytest.raises(InternalServerError, match="The engine is closed"):
        engine.call(operation, request_)
    heard: list[bytes | DynamoError] = []
    told = threading.Event()

    def done(result: bytes | DynamoError) -> None:
        heard.append(result)
        told.set()

    engine.answer(operation, orjson.dumps(request_), done)
    assert told.wait(10)
    assert isinstance(heard[0], InternalServerError)
    assert "closed" in heard[0].message


def test_engines_on_one_folder_see_each_others_tables_and_items(tmp_path: Path) -> None:
    with (
        Engine(tmp_path, background=False, durability="off") as one,
        Engine(tmp_path, background=False, durability="off") as two,
    ):
        create(one)
        assert two.call("ListTables", {}) == {"TableNames": ["music"]}
        put(two, pk="a", x=1)
        assert get(one, pk="a") == {"pk": "a", "x": 1}
        one.call("DeleteTable", {"TableName": "music"})
        with pytest.raises(ResourceNotFoundError):
            get(two, pk="a")
        create(two, "music", "pk sk")
        put(one, pk="a", sk="b")
        assert get(two, pk="a", sk="b") == {"pk": "a", "sk": "b"}


def test_an_index_made_by_one_engine_is_kept_and_read_by_the_other(tmp_path: Path) -> None:
    with (
        Engine(tmp_path, background=False, durability="off") as one,
        Engine(tmp_path, background=False, durability="off") as two,
    ):
        create(one)
        put(two, pk="a", g="x")
        one.call(
            "UpdateTable",
            {
                "TableName": "music",
                "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
                "GlobalSecondaryIndexUpdates": [{"Create": index("byG", "g")}],
            },
        )
        put(two, pk="b", g="x")
        one.maintenance.run()
        found = python_items(query(two, "g = :g", g="x", IndexName="byG"))
        assert {item["pk"] for item in found} == {"a", "b"}


def test_writers_of_several_engines_count_exactly(tmp_path: Path) -> None:
    engines = [Engine(tmp_path, background=False, durability="off") for _ in range(3)]
    create(engines[0])

    def count(number: int) -> None:
        update(engines[number % 3], {"pk": "counter"}, "ADD n :one", one=1)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(count, range(90)))
    assert get(engines[1], pk="counter") == {"pk": "counter", "n": 90}
    for engine in engines:
        engine.close()


def test_an_engine_says_where_it_is() -> None:
    place = Place(region="eu-north-1", account="123456789012", endpoint="db.example:1")
    with Engine.temporary(background=False, place=place) as engine:
        assert create(engine)["TableArn"] == "arn:aws:dynamodb:eu-north-1:123456789012:table/music"
        assert engine.call("DescribeEndpoints", {})["Endpoints"][0]["Address"] == "db.example:1"


class _Crowd:
    """Threads that put, answer and scan until the engine says that it is closed."""

    def __init__(self, engine: Engine, count: int) -> None:
        self.engine = engine
        self.ready = threading.Barrier(count + 1)
        self.steps = threading.Semaphore(0)
        self.ends: list[BaseException] = []
        self.threads = [threading.Thread(target=self._work, args=(number,), daemon=True) for number in range(count)]
        for thread in self.threads:
            thread.start()

    def _work(self, number: int) -> None:
        self.ready.wait()
        try:
            while True:
                self._step(number)
                self.steps.release()
        except Exception as error:
            self.ends.append(error)

    def _step(self, number: int) -> None:
        if number % 3 == 0:
            put(self.engine, pk=str(number))
        elif number % 3 == 1:
            self.engine.call("Scan", {"TableName": "music"})
        else:
            heard: list[bytes | DynamoError] = []
            told = threading.Event()

            def done(result: bytes | DynamoError) -> None:
                heard.append(result)
                told.set()

            self.engine.answer("PutItem", orjson.dumps({"TableName": "music", "Item": {"pk": {"S": "a"}}}), done)
            if not told.wait(10):
                raise TimeoutError("nobody answered")
            if isinstance(heard[0], DynamoError):
                raise heard[0]


def test_closing_in_the_middle_of_everything_ends_everything() -> None:
    for steps in range(40):
        engine = Engine.temporary(background=False)
        create(engine)
        crowd = _Crowd(engine, 9)
        crowd.ready.wait()
        for _ in range(steps):
            assert crowd.steps.acquire(timeout=10)
        engine.close()
        for thread in crowd.threads:
            thread.join(10)
        assert not any(thread.is_alive() for thread in crowd.threads)
        assert {(type(error), str(error)[:20]) for error in crowd.ends} == {
            (InternalServerError, "The engine is closed")
        }


@pytest.mark.parametrize("reading", [Query, TransactGetItems])
def test_a_read_finds_its_items_however_often_others_replace_the_table_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading: type
) -> None:
    replaced = 0
    with (
        Engine(tmp_path, background=False, durability="off") as one,
        Engine(tmp_path, background=False, durability="off") as two,
    ):
        create(one)
        put(one, pk="a")
        read = operations.ITEM_READS[reading]

        def read_slowly(*arguments: Any) -> Any:
            nonlocal replaced
            replaced += 1
            two.call("DeleteTable", {"TableName": "music"})
            create(two)
            put(two, pk="a")
            return read(*arguments)

        monkeypatch.setitem(operations.ITEM_READS, reading, read_slowly)
        if reading is Query:
            assert python_items(query(one, "pk = :pk", pk="a")) == [{"pk": "a"}]
        else:
            wanted = {"Get": {"TableName": "music", "Key": {"pk": {"S": "a"}}}}
            answer = one.call("TransactGetItems", {"TransactItems": [wanted]})
            assert answer == {"Responses": [{"Item": {"pk": {"S": "a"}}}]}
    assert replaced > 2
