"""The files of large values go when their items change or go, and no others."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from partita.engine import Engine
from partita.kit.backup import restore_data
from partita.kit.changes import ChangeWorker, Handler
from partita.kit.changes.large_values import forget_large_values
from partita.kit.clock import SystemClock
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore, FolderFiles
from partita.store.files import LARGE_VALUES
from partita.table import Attribute, Delete, Item, LostValueError, Put, Table, Update, attribute
from tests.kit.backup.folders import age

DRAFTS = Table("large-values-drafts", pk="id")
LONG = "long " * 10_000


class Draft(Item, table=DRAFTS):
    id: Attribute[str]
    title: Attribute[str] = attribute(default="")
    text: Attribute[str] = attribute(default="", large=True)


def test_files_follow_their_items(tmp_path: Path) -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine, files=FolderFiles(tmp_path))
        store.create(HOUSE, DRAFTS)
        handler: Handler = forget_large_values("drafts.large_values", DRAFTS, store.asynchronous)

        def drain() -> int:
            """How many files are left once the changes have been followed."""
            worker = ChangeWorker(store.asynchronous, engine.call_async, (handler,), SystemClock())
            asyncio.run(worker.drain())
            return sum(path.is_file() for path in tmp_path.rglob("*"))

        key = Draft.key(Draft.id("1"))
        store.write(Put(Draft(id="1", text=LONG)))
        store.write(Put(Draft(id="2", text=LONG)))
        assert drain() == 2
        store.write(Update(key, Draft.title.set("same text")))
        assert drain() == 2
        for text in (LONG + "b", "short", LONG, LONG):
            store.write(Update(key, Draft.text.set(text)))
        assert drain() == 2
        assert store.get(Draft.get(Draft.id("1"))) == Draft(id="1", title="same text", text=LONG)
        store.write(Delete(key))
        assert drain() == 1
        assert store.get(Draft.get(Draft.id("2"))) == Draft(id="2", text=LONG)


def test_a_folder_that_goes_back_to_a_moment_has_the_large_values_of_then(tmp_path: Path) -> None:
    data, then = tmp_path / "data", tmp_path / "then"
    key = Draft.key(Draft.id("1"))
    with Engine(data, durability="off", background=False) as engine:
        store = EmbeddedStore(engine, files=FolderFiles(data / LARGE_VALUES, kept_days=1), recovery_days=1)
        store.create(HOUSE, DRAFTS)
        store.write(Put(Draft(id="1", text=LONG)))
        age(data, 100)
        handler = forget_large_values("drafts.large_values", DRAFTS, store.asynchronous)
        store.write(Update(key, Draft.text.set("short")))
        asyncio.run(ChangeWorker(store.asynchronous, engine.call_async, (handler,), SystemClock()).drain())
        assert sum(path.is_file() for path in (data / LARGE_VALUES).rglob("??/*")) == 0
        restore_data(data, then, datetime.now(UTC) - timedelta(seconds=50))
        FolderFiles(data / LARGE_VALUES)  # keeps nothing, and so forgets what was kept
        assert not any(path.is_file() for path in (data / LARGE_VALUES).rglob("*"))
    with Engine(then, durability="off", background=False) as engine:
        store = EmbeddedStore(engine, files=FolderFiles(then / LARGE_VALUES))
        assert store.get(Draft.get(Draft.id("1"))) == Draft(id="1", text=LONG)


def test_a_text_whose_deletion_a_power_cut_undid_is_put_back_by_going_back_to_a_moment(tmp_path: Path) -> None:
    """With the durability `normal` the item may come back, and its file is put aside."""
    data, then = tmp_path / "data", tmp_path / "then"
    with Engine(data, durability="off", background=False) as engine:
        files = FolderFiles(data / LARGE_VALUES, kept_days=1)
        store = EmbeddedStore(engine, files=files, recovery_days=1)
        store.create(HOUSE, DRAFTS)
        store.write(Put(Draft(id="1", text=LONG)))
        (name,) = (path.name for path in (data / LARGE_VALUES).rglob("??/*"))
        files.delete(name)  # of the item, the disk has not heard that it was deleted
        with pytest.raises(LostValueError, match="Restore it from a copy"):
            store.get(Draft.get(Draft.id("1")))
    age(data, 100)
    restore_data(data, then, datetime.now(UTC) - timedelta(seconds=5))
    with Engine(then, durability="off", background=False) as engine:
        store = EmbeddedStore(engine, files=FolderFiles(then / LARGE_VALUES))
        assert store.get(Draft.get(Draft.id("1"))) == Draft(id="1", text=LONG)
