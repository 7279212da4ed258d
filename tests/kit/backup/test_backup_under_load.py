"""A backup that runs while others write is one moment of all tables and files. PARTITA_BACKUP_ROUNDS asks for more."""

from __future__ import annotations

import os
import shutil
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random

import pytest

from partita.dynamo.errors import TransactionCanceledError
from partita.engine import Engine
from partita.kit.backup import back_up, restore
from partita.store.files import FolderFiles
from tests.kit.backup.folders import make_table, put, rows

ROUNDS = int(os.environ.get("PARTITA_BACKUP_ROUNDS", "6"))
ACCOUNTS, BALANCE, WRITERS = 6, 1000, 2


class Load:
    """Writers that go on until they are stopped, each with a law that holds at every moment."""

    def __init__(self, engine: Engine, data: Path) -> None:
        self._engine = engine
        self._files = FolderFiles(data / "large-values")
        self._stop = threading.Event()
        self.acknowledged = dict.fromkeys(range(WRITERS), -1)
        self.done = dict.fromkeys(("transfer", "append", "replace"), 0)
        self.errors: list[BaseException] = []

    def prepare(self) -> None:
        for table in ("left", "right", "log-a", "log-b", "documents"):
            make_table(self._engine, table)
        for number in range(ACCOUNTS):
            put(self._engine, ("left", "right")[number % 2], f"account-{number}", balance=BALANCE)

    @contextmanager
    def running(self) -> Iterator[None]:
        works: list[Callable[[], None]] = [self._transfer, self._replace]
        works += [lambda number=number: self._append(number) for number in range(WRITERS)]  # type: ignore[misc]
        threads = [threading.Thread(target=self._repeat, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(20)

    def _repeat(self, work: Callable[[], None]) -> None:
        try:
            while not self._stop.is_set():
                work()
        except BaseException as error:
            self.errors.append(error)
            raise

    def _transfer(self) -> None:
        """Money goes from an account in one table to one in the other; the sum stays."""
        random = Random(self.done["transfer"])
        source, target = random.randrange(0, ACCOUNTS, 2), random.randrange(1, ACCOUNTS, 2)
        if random.random() < 0.5:
            source, target = target, source
        actions = [
            {
                "Update": {
                    "TableName": ("left", "right")[number % 2],
                    "Key": {"id": {"S": f"account-{number}"}},
                    "UpdateExpression": "ADD balance :by",
                    "ExpressionAttributeValues": {":by": {"N": str(by)}},
                }
            }
            for number, by in ((source, -7), (target, 7))
        ]
        try:
            self._engine.call("TransactWriteItems", {"TransactItems": actions})
        except TransactionCanceledError:
            return
        self.done["transfer"] += 1

    def _append(self, writer: int) -> None:
        """Each writer writes its numbers in order: to one table, then to the other."""
        number = self.acknowledged[writer] + 1
        for table in ("log-a", "log-b"):
            put(self._engine, table, f"{writer}-{number}", writer=writer, number=number)
        self.acknowledged[writer] = number
        self.done["append"] += 1

    def _replace(self) -> None:
        """A file is saved before the item that names it is written, and deleted when the item names another."""
        name = f"{uuid.uuid4().hex}.txt"
        self._files.save(name, name.encode() * 20)
        item = {"id": {"S": "document"}, "file": {"S": name}}
        old = self._engine.call("PutItem", {"TableName": "documents", "Item": item, "ReturnValues": "ALL_OLD"}).get(
            "Attributes"
        )
        if old is not None:
            self._files.delete(old["file"]["S"])
        self.done["replace"] += 1


def _check(folder: Path, acknowledged: dict[int, int]) -> None:
    with Engine(folder, durability="off", background=False) as engine:
        balances = [row["balance"] for table in ("left", "right") for row in rows(engine, table).values()]
        assert sum(balances) == ACCOUNTS * BALANCE
        logs = {table: list(rows(engine, table).values()) for table in ("log-a", "log-b")}
        for writer, last in acknowledged.items():
            first, second = (
                sorted(row["number"] for row in logs[table] if row["writer"] == writer) for table in ("log-a", "log-b")
            )
            assert first == list(range(len(first)))
            assert second == list(range(len(second)))
            assert len(first) - len(second) in (0, 1)
            assert len(second) > last
        named = engine.call("GetItem", {"TableName": "documents", "Key": {"id": {"S": "document"}}}).get("Item")
    if named is not None:
        name = named["file"]["S"]
        assert FolderFiles(folder / "large-values").load(name) == name.encode() * 20


@pytest.mark.parametrize("durability", ["off", "normal"])
def test_a_backup_under_load_is_one_moment_with_everything_that_was_acknowledged(
    tmp_path: Path, durability: str
) -> None:
    with Engine(tmp_path / "data", durability=durability) as engine:  # type: ignore[arg-type]
        load = Load(engine, tmp_path / "data")
        load.prepare()
        with load.running():
            for number in count():
                if number >= ROUNDS and (all(load.done.values()) or load.errors):
                    break
                acknowledged = dict(load.acknowledged)
                manifest = back_up(tmp_path / "data", tmp_path / "copy")
                restore(tmp_path / "copy", tmp_path / "new")
                _check(tmp_path / "new", acknowledged)
                assert {table.name: table.items for table in manifest.tables}["left"] == ACCOUNTS // 2
                for folder in ("copy", "new"):
                    shutil.rmtree(tmp_path / folder)
    assert load.errors == []
    assert all(load.done.values()), load.done
