"""The store that the settings name: tables are made, cursors outlive the process that made them."""

from __future__ import annotations

import re
import time
from email.utils import formatdate
from pathlib import Path
from typing import Literal

import boto3
import pytest
from pydantic import SecretStr

from partita.kit import stores
from partita.kit.settings import Settings
from partita.kit.stores import open_store
from partita.store import EmbeddedStore, Store
from partita.store.dynamo import DynamoStore, fixed
from partita.table import Attribute, InvalidCursorError, Item, Put, Table, attribute
from tests.serving import CREDENTIALS, moto_server, partita_door
from tests.store.listener import Asked, Reply, listening, said
from tests.table.forum import FORUM, Post, posts_of


def _write_posts(store: Store) -> str:
    store.batch_write(Put(Post(member_id="ann", post_id=f"{number}")) for number in range(4))
    page = store.page(posts_of("ann"), limit=2)
    assert page.next_cursor is not None
    return page.next_cursor


def test_a_cursor_lives_on_when_the_store_is_opened_again(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    with open_store(settings, FORUM) as store:
        cursor = _write_posts(store)
    with open_store(settings, FORUM) as store:
        assert [post.post_id for post in store.page(posts_of("ann"), after=cursor)] == ["2", "3"]


@pytest.mark.parametrize(("durability", "synchronous"), [("full", 2), ("normal", 1), ("off", 0)])
def test_tables_survive_what_the_settings_say(
    tmp_path: Path, durability: Literal["full", "normal", "off"], synchronous: int
) -> None:
    with open_store(Settings(data=tmp_path, durability=durability)) as store:
        assert isinstance(store, EmbeddedStore)
        assert next(store.engine.database.writer.execute("PRAGMA synchronous")) == (synchronous,)


def test_deleted_values_that_lay_in_files_go_in_time_though_nothing_else_is_deleted(tmp_path: Path) -> None:
    with open_store(Settings(data=tmp_path, durability="off", recovery_days=2)) as store:
        assert isinstance(store, EmbeddedStore)
        assert store.files is not None
        store.files.save("0a.txt", b"zebulon")
        store.files.delete("0a.txt")
        kept = tmp_path / "large-values" / ".deleted" / "0a.txt"
        found = []
        for days in (1, 3):
            for rare in store.engine.maintenance.rarely:
                rare(time.time() + days * 86_400)
            found.append(kept.exists())
        assert found == [True, False]


def test_a_changed_secret_keeps_old_cursors_as_long_as_the_old_one_is_listed(tmp_path: Path) -> None:
    old, new = "o" * 20, "n" * 20
    with open_store(Settings(data=tmp_path, secret=SecretStr(old)), FORUM) as store:
        cursor = _write_posts(store)
    with open_store(Settings(data=tmp_path, secret=SecretStr(f"{new},{old}")), FORUM) as store:
        assert len(store.page(posts_of("ann"), after=cursor)) == 2
    with open_store(Settings(data=tmp_path, secret=SecretStr(new)), FORUM) as store, pytest.raises(InvalidCursorError):
        store.page(posts_of("ann"), after=cursor)


def test_the_same_settings_lead_to_dynamodb_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    with partita_door(tmp_path / "door") as door:
        settings = Settings(data=tmp_path, backend="dynamodb", endpoint_url=door.url, region="us-east-1")
        with open_store(settings, FORUM) as store:
            cursor = _write_posts(store)
        with open_store(settings, FORUM) as store:
            assert len(store.page(posts_of("ann"), after=cursor)) == 2


@pytest.mark.parametrize(
    ("ahead", "words"), [(61, "6[012] seconds ahead of"), (-30, "(29|30|31) seconds behind"), (2, "")]
)
def test_a_clock_that_differs_from_that_of_the_tables_is_told_at_the_start(
    caplog: pytest.LogCaptureFixture, ahead: int, words: str
) -> None:
    def dated(_asked: Asked) -> Reply:
        return said({"Table": {}}, headers={"Date": formatdate(time.time() - ahead, usegmt=True)})

    with listening(dated) as listener:
        store = DynamoStore(endpoint_url=listener.url, region="us-east-1", credentials=fixed("any", "any"))
        store.dynamo.call("ListTables", {})
        stores._tell_of_the_clock(store)
        store.close()
    assert re.search(words, caplog.text)
    assert bool(words) == ("clock of the tables" in caplog.text)


SHELF = Table("stores-shelf", pk="id")


class Book(Item, table=SHELF):
    """A book whose text may be longer than an item."""

    id: Attribute[str]
    text: Attribute[str] = attribute(large=1_000)


def test_large_values_lie_with_the_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    book = Book(id="1", text="word " * 100_000)
    with moto_server() as s3, partita_door(tmp_path / "door") as door:
        bucket = boto3.client("s3", endpoint_url=s3.url, **CREDENTIALS)
        bucket.create_bucket(Bucket="partita")
        here = Settings(data=tmp_path)
        there = Settings(
            data=tmp_path,
            backend="dynamodb",
            endpoint_url=door.url,
            region="us-east-1",
            files="s3",
            s3_bucket="partita",
            s3_endpoint_url=s3.url,
        )
        for settings in (here, there):
            with open_store(settings, SHELF) as store:
                store.write(Put(book))
            with open_store(settings, SHELF) as store:
                assert store.get(Book.get(Book.id("1"))) == book
        assert len([file for file in (tmp_path / "large-values").rglob("*") if file.is_file()]) == 1
        (kept,) = bucket.list_objects_v2(Bucket="partita")["Contents"]
        assert kept["Key"].startswith("large-values/")
        bucket.close()
