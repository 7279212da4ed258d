"""The file stores as the place for large values of items."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.engine import Engine
from partita.kit.files import LargeValues, LocalFiles, S3Files
from partita.kit.personal_data import Person
from partita.kit.personal_data.matching import unnamed
from partita.kit.personal_data.rows import WholeRows, replace_row
from partita.store import EmbeddedStore
from partita.store.files import LargeFiles
from partita.table import Attribute, Item, Put, Table, attribute, dropped_files
from tests.kit.conftest import HandClock
from tests.serving import CREDENTIALS, moto_server

pytestmark = pytest.mark.anyio

SHELF = Table("large-shelf", pk="id")
NAME = "0123456789abcdef0123456789abcdef.txt"


class Book(Item, table=SHELF):
    """A book whose text may be longer than an item."""

    id: Attribute[str]
    text: Attribute[str] = attribute(large=1_000)


@pytest.fixture(scope="module", params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LargeFiles]:
    if request.param == "folder":
        yield LargeValues(LocalFiles(tmp_path_factory.mktemp("large"), [b"k" * 32], HandClock()))
        return
    with moto_server() as served, pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ACCESS_KEY_ID", "any")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "any")
        boto3.client("s3", endpoint_url=served.url, **CREDENTIALS).create_bucket(Bucket="large")
        yield LargeValues(S3Files("large", region="us-east-1", endpoint_url=served.url))


def test_a_value_is_saved_loaded_and_deleted(place: LargeFiles) -> None:
    assert place.load(NAME) is None
    place.save(NAME, b"long")
    place.save(NAME, b"long")
    assert place.load(NAME) == b"long"
    place.delete(NAME)
    place.delete(NAME)
    assert place.load(NAME) is None


async def test_the_async_face_does_the_same(place: LargeFiles) -> None:
    await place.save_async(NAME, b"long")
    assert await place.load_async(NAME) == b"long"
    await place.delete_async(NAME)
    assert await place.load_async(NAME) is None


async def test_a_store_keeps_its_large_values_there(place: LargeFiles, tmp_path: Path) -> None:
    book = Book(id="1", text="word " * 200_000)
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine, files=place)
        store.create(SHELF)
        store.write(Put(book))
        assert store.get(Book.get(Book.id("1"))) == book
        assert await store.asynchronous.get(Book.get(Book.id("1"))) == book


async def test_somebody_is_taken_out_of_a_value_that_lies_there(place: LargeFiles, tmp_path: Path) -> None:
    """Erasing somebody reads what the table does not hold, writes it anew, and lets go of the old file."""
    person = Person("ada-1", "ada", "Ada Byron", "ada@example.org", "left-1")
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine, files=place)
        store.create(SHELF)
        for number, text in enumerate(("by ada-1 " * 200, "by nobody " * 200)):
            store.write(Put(Book(id=str(number), text=text)))
        rows = WholeRows(store.asynchronous)
        stored = next(row for row in engine.call("Scan", {"TableName": SHELF.name})["Items"] if row["id"]["S"] == "0")
        whole = await rows.about(SHELF, stored, person)
        assert whole is not None
        await replace_row(store.asynchronous, SHELF, stored, whole, unnamed(whole, person, None, own=False))
        found = engine.call("Scan", {"TableName": SHELF.name})["Items"]
        assert [await rows.about(SHELF, row, person) for row in found] == [None, None]
        assert store.get(Book.get(Book.id("0"))) == Book(id="0", text="by left-1 " * 200)
        (old,) = dropped_files(SHELF, stored, next(row for row in found if row["id"] == stored["id"]))
        assert place.load(old) is None
        with pytest.raises(ConditionalCheckFailedError):  # somebody was faster: nothing is written, no file is left
            await replace_row(store.asynchronous, SHELF, stored, whole, unnamed(whole, person, None, own=False))
