"""A data file that cannot be written is told to the log: not once per request, and also when it is over."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import StorageCorruptError, StorageFullError
from partita.engine import Engine
from partita.engine.troubles import Troubles


class Hours:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "partita.engine.troubles"]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Engine]:
    """An engine that may fill 300 kB."""
    with Engine(tmp_path, max_bytes=300_000, background=False, durability="off") as engine:
        engine.call(
            "CreateTable",
            {
                "TableName": "things",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        yield engine


def put(engine: Engine, name: str) -> None:
    engine.call("PutItem", {"TableName": "things", "Item": {"id": {"S": name}, "text": {"S": "x" * 20_000}}})


def is_refused(engine: Engine, name: str) -> bool:
    try:
        put(engine, name)
    except StorageFullError:
        return True
    return False


def test_a_full_disk_is_told_once_and_again_when_there_is_space(
    small: Engine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "partita.sqlite3"
    refused = [number for number in range(40) if is_refused(small, str(number))]
    assert len(refused) > 5
    assert told(caplog) == [
        f"{file}: The disk or the quota is full; nothing was written. Free some space and try again."
    ]
    hours = Hours()
    hours.now = small.database.troubles._failed_at + 10
    small.database.troubles._clock = hours
    small.call("DeleteItem", {"TableName": "things", "Key": {"id": {"S": "0"}}})
    put(small, "0")
    assert told(caplog)[1:] == [f"{file}: writes work again; {len(refused)} requests failed meanwhile"]


def test_a_closed_engine_is_no_trouble(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine(tmp_path, background=False)
    engine.close()
    with pytest.raises(Exception, match="closed"):
        engine.call("ListTables", {})
    assert told(caplog) == []


@given(st.lists(st.tuples(st.sampled_from(["full", "damaged", "works"]), st.floats(0, 90)), max_size=60))
def test_the_log_grows_with_time_and_not_with_requests(events: list[tuple[str, float]]) -> None:
    hours = Hours()
    troubles = Troubles(Path("file"), hours)
    with Lines() as lines:
        for what, seconds in events:
            hours.now += seconds
            if what == "works":
                if troubles.any:
                    troubles.over()
            else:
                troubles.tell(StorageFullError("full") if what == "full" else StorageCorruptError("damaged"))
    failures = [what for what, _ in events if what != "works"]
    assert bool(lines) == bool(failures), "the first failure is told, and nothing without one"
    # Each of two kinds at most once a minute, and after each end; there are five quiet seconds before an end.
    assert len(lines) <= 2 + hours.now / 60 * 2 + hours.now / 5 * 3


class Lines(logging.Handler):
    def __enter__(self) -> list[str]:
        self.lines: list[str] = []
        logging.getLogger("partita.engine.troubles").addHandler(self)
        return self.lines

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def __exit__(self, *_: object) -> None:
        logging.getLogger("partita.engine.troubles").removeHandler(self)
