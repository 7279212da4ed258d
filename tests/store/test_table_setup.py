"""A table is made with what its schema declares, gets what it lacks, and says where it differs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import pytest

from partita.dynamo.requests import ItemRequest, UpdateItem
from partita.engine import Engine
from partita.store import EmbeddedStore, Store
from partita.store.dynamo import DynamoStore, fixed
from partita.store.table_setup import check, make
from partita.table import (
    Attribute,
    Index,
    Item,
    Put,
    SchemaError,
    Table,
    TableDiffersError,
    attribute,
    binary,
    derived,
    key_part,
    number,
)
from tests.serving import DYNOXIDE, Served, dynoxide_server, moto_server, partita_door


@pytest.fixture(scope="module", params=["embedded", "without a thread", "door", "moto", "dynoxide"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with ExitStack() as stack:
        if request.param in ("embedded", "without a thread"):
            yield EmbeddedStore(stack.enter_context(Engine.temporary(background=request.param == "embedded")))
            return
        if request.param == "dynoxide" and not DYNOXIDE.exists():
            pytest.skip("dynoxide is not installed: npm ci")
        url = stack.enter_context(_server(request.param, tmp_path_factory.mktemp("door"))).url
        over_http = DynamoStore(endpoint_url=url, region="us-east-1", credentials=fixed("any", "any"))
        stack.callback(over_http.close)
        yield over_http


def _server(name: str, folder: Path) -> AbstractContextManager[Served]:
    if name == "door":
        return partita_door(folder)
    return moto_server() if name == "moto" else dynoxide_server(folder)


@pytest.fixture
def name() -> str:
    """A table name of its own for every test."""
    return f"sheds-{uuid4().hex}"


def _schema(name: str, *, index: bool = False, **settings: Any) -> tuple[Table, Any, Index | None]:
    table = Table(name, pk="PK", **settings)
    by_owner = table.index("byOwner", pk="owner", sk="PK") if index else None

    class Shed(Item, table=table, pk="SHED#{shed_id}"):
        shed_id: Attribute[str] = key_part()
        owner: Attribute[str]
        gone_at: Attribute[int | None] = attribute(default=None)

    return table, Shed, by_owner


def test_an_index_that_a_table_lacks_is_added_and_finds_what_was_written_before(store: Store, name: str) -> None:
    old, shed, _ = _schema(name)
    store.create(old)
    store.batch_write(Put(shed(shed_id=str(number), owner="ada")) for number in range(30))
    new, shed, by_owner = _schema(name, index=True)
    store.create(new)
    assert store.count(shed.query(by_owner, shed.owner("ada"))) == 30


def test_many_may_make_the_same_table_at_once(store: Store, name: str, request: pytest.FixtureRequest) -> None:
    if request.node.callspec.params["store"] == "moto":
        pytest.skip("moto answers 500 where an index that is there is added again")
    store.create(_schema(name)[0])
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: store.create(_schema(name, index=True)[0]), range(4)))
    table, shed, by_owner = _schema(name, index=True)
    store.create(table)
    store.write(Put(shed(shed_id="1", owner="ada")))
    assert store.count(shed.query(by_owner, shed.owner("ada"))) == 1


@pytest.mark.parametrize("other", [Table("xxx", pk="id"), Table("xxx", pk="PK", sk="SK")], ids=["name", "sort key"])
def test_another_key_is_refused_with_both(store: Store, name: str, other: Table) -> None:
    store.create(_schema(name)[0])
    other.name = name
    shown = " . ".join(key.name for key in other.keys)
    with pytest.raises(TableDiffersError, match=f"{name} has the key PK, and the schema says {shown}. A key cannot"):
        store.create(other)


def test_an_index_of_another_key_is_refused_with_both(store: Store, name: str) -> None:
    store.create(_schema(name, index=True)[0])
    table = Table(name, pk="PK")
    table.index("byOwner", pk="owner")
    with pytest.raises(TableDiffersError, match=r"byOwner has the key owner . PK, and the schema says owner\."):
        store.create(table)


def test_a_local_index_cannot_come_later(store: Store, name: str) -> None:
    store.create(Table(name, pk="PK", sk="SK"))
    table = Table(name, pk="PK", sk="SK")
    table.local_index("byOwner", sk="owner")
    with pytest.raises(TableDiffersError, match="was made without the local index byOwner, and cannot get it later"):
        store.create(table)


def test_expiry_may_be_declared_later_but_not_by_another_attribute(store: Store, name: str) -> None:
    store.create(_schema(name)[0])
    for _ in range(2):
        store.create(_schema(name, ttl="gone_at")[0])
    with pytest.raises(TableDiffersError, match=f"Items of {name} expire by gone_at, and the schema says left_at"):
        store.create(_schema(name, ttl="left_at")[0])


def test_a_table_made_by_somebody_else_may_have_more(store: Store, name: str) -> None:
    store.create(_schema(name, index=True)[0])
    store.create(_schema(name)[0])


# -- an index that is there, and is another one

Projection = Literal["ALL", "KEYS_ONLY"] | tuple[str, ...]


def _indexed(name: str, projection: Projection, *, local: bool = False) -> Table:
    table = Table(name, pk="PK", sk="SK")
    if local:
        table.local_index("byOwner", sk="owner", projection=projection)
    else:
        table.index("byOwner", pk="owner", sk="SK", projection=projection)
    return table


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize(
    ("stored", "declared", "said"),
    [
        ("KEYS_ONLY", "ALL", "holds its keys alone, and the schema says all attributes"),
        (("colour",), "ALL", "holds its keys and colour, and the schema says all attributes"),
        ("KEYS_ONLY", ("colour",), "holds its keys alone, and the schema says its keys and colour"),
        (("colour",), ("size", "colour"), "holds its keys and colour, and the schema says its keys and colour, size"),
    ],
)
def test_an_index_that_holds_less_than_the_schema_says_is_refused_with_both(
    store: Store, name: str, stored: Projection, declared: Projection, said: str, local: bool
) -> None:
    store.create(_indexed(name, stored, local=local))
    with pytest.raises(TableDiffersError, match=f"byOwner {said}. A(n| local) index cannot be changed: give the "):
        store.create(_indexed(name, declared, local=local))


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize(
    ("stored", "declared"),
    [
        ("ALL", "KEYS_ONLY"),
        ("ALL", ("colour",)),
        (("colour",), "KEYS_ONLY"),
        (("colour", "size"), ("colour",)),
        (("colour", "size"), ("size", "colour")),
        ("KEYS_ONLY", ("owner", "PK")),
    ],
)
def test_an_index_that_holds_more_than_the_schema_says_will_do(
    store: Store, name: str, stored: Projection, declared: Projection, local: bool
) -> None:
    store.create(_indexed(name, stored, local=local))
    store.create(_indexed(name, declared, local=local))


@pytest.mark.parametrize(
    ("stored", "declared", "said"),
    [
        ("weight", number("weight"), r"owner \(S\) . weight \(S\), and the schema says owner \(S\) . weight \(N\)"),
        (number("weight"), binary("weight"), r"weight \(N\), and the schema says owner \(S\) . weight \(B\)"),
    ],
)
def test_an_index_whose_key_is_of_another_type_is_refused_with_both(
    store: Store, name: str, stored: Any, declared: Any, said: str
) -> None:
    old, new = Table(name, pk="PK"), Table(name, pk="PK")
    old.index("byWeight", pk="owner", sk=stored)
    new.index("byWeight", pk="owner", sk=declared)
    store.create(old)
    with pytest.raises(TableDiffersError, match=f"{said}. An index cannot be changed: give the new one another name"):
        store.create(new)


def test_a_local_index_whose_key_is_of_another_type_is_refused(store: Store, name: str) -> None:
    old, new = Table(name, pk="PK", sk="SK"), Table(name, pk="PK", sk="SK")
    old.local_index("byWeight", sk="weight")
    new.local_index("byWeight", sk=number("weight"))
    store.create(old)
    with pytest.raises(
        TableDiffersError, match=r"weight \(N\). A local index cannot be changed: give the table another"
    ):
        store.create(new)


def test_a_key_of_another_type_is_shown_with_both_types(store: Store, name: str) -> None:
    store.create(Table(name, pk="PK"))
    with pytest.raises(TableDiffersError, match=r"has the key PK \(S\), and the schema says PK \(N\)"):
        store.create(Table(name, pk=number("PK")))


# -- streams


def _stream_of(store: Store, name: str) -> dict[str, Any]:
    assert isinstance(store, EmbeddedStore | DynamoStore)
    caller = store.engine if isinstance(store, EmbeddedStore) else store.dynamo
    described = caller.call("DescribeTable", {"TableName": name})["Table"]
    stream: dict[str, Any] = described.get("StreamSpecification") or {}
    return stream


def test_a_stream_that_a_table_lacks_is_switched_on(store: Store, name: str) -> None:
    store.create(Table(name, pk="PK", stream=None))
    assert not _stream_of(store, name).get("StreamEnabled")
    for _ in range(2):
        store.create(Table(name, pk="PK", stream="NEW_IMAGE"))
    assert _stream_of(store, name) == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}


def test_a_stream_that_shows_less_than_the_schema_says_is_refused(store: Store, name: str) -> None:
    store.create(Table(name, pk="PK", stream="NEW_IMAGE"))
    with pytest.raises(
        TableDiffersError, match=f"The stream of {name} shows new image, and the schema says new and old"
    ):
        store.create(Table(name, pk="PK"))


def test_a_stream_that_shows_more_or_that_nobody_declared_will_do(store: Store, name: str) -> None:
    store.create(Table(name, pk="PK"))
    for view in ("KEYS_ONLY", "OLD_IMAGE", None):
        store.create(Table(name, pk="PK", stream=view))


def _replaced(name: str, *, new: bool) -> tuple[Table, Any, Index]:
    """A schema whose index got another projection, under another name, and one whose new index needs a derived key."""
    table = Table(name, pk="PK")
    if new:
        by_owner = table.index(
            "shedsByOwner", pk="owner", sk="PK", projection=("colour", "size"), replaces=("byOwner",)
        )
        table.index("large", pk="large", backfill=True)
    else:
        by_owner = table.index("byOwner", pk="owner", sk="PK", projection=("colour",))

    class Shed(Item, table=table, pk="SHED#{shed_id}"):
        shed_id: Attribute[str] = key_part()
        owner: Attribute[str]
        colour: Attribute[str] = attribute(default="red")
        size: Attribute[int] = attribute(default=1)
        if new:
            large: Attribute[Literal["LARGE"] | None] = derived(lambda size: "LARGE" if size > 10 else None)

    return table, Shed, by_owner


def _index_names(store: Store, name: str) -> set[str]:
    described = store.transport.call("DescribeTable", {"TableName": name})["Table"]
    return {each["IndexName"] for each in described.get("GlobalSecondaryIndexes") or ()}


def test_an_index_that_another_one_replaces_is_deleted_once_that_one_finds_everything(
    store: Store, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    old, shed, _ = _replaced(name, new=False)
    store.create(old)
    store.batch_write(Put(shed(shed_id=str(number), owner="ada", size=number)) for number in range(30))
    new, shed, by_owner = _replaced(name, new=True)
    for _ in range(2):  # a second start changes nothing
        store.create(new)
        assert _index_names(store, name) == {"shedsByOwner", "large"}
    assert store.count(shed.query(by_owner, shed.owner("ada"))) == 30
    said = [record.getMessage() for record in caplog.records if record.name == "partita.tables"]
    assert said == [
        f"{name}: the key of the new index large was written into 19 rows",
        f"{name}: adding the index shedsByOwner",
        f"{name}: adding the index large",
        f"{name}: deleting the index byOwner, which shedsByOwner replaces",
    ]


def test_rows_of_before_get_the_derived_key_of_an_index_that_is_backfilled(store: Store, name: str) -> None:
    old, shed, _ = _replaced(name, new=False)
    store.create(old)
    store.batch_write(Put(shed(shed_id=str(number), owner="ada", size=number)) for number in range(20))
    new, shed, _ = _replaced(name, new=True)
    store.create(new)
    found = store.page(shed.query(new.indexes[1], shed.large("LARGE")), limit=50)
    assert {each.shed_id for each in found} == {str(number) for number in range(11, 20)}


def test_a_backfill_that_was_interrupted_is_done_at_the_next_start(
    store: Store, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, shed, _ = _replaced(name, new=False)
    store.create(old)
    store.batch_write(Put(shed(shed_id=str(number), owner="ada", size=20)) for number in range(8))
    new, shed, _ = _replaced(name, new=True)
    send, sent = store.transport.send, 0

    def stopping(request: ItemRequest) -> dict[str, Any]:
        nonlocal sent
        sent += isinstance(request, UpdateItem)
        if sent == 4:
            raise KeyboardInterrupt
        return send(request)

    with monkeypatch.context() as patched:
        patched.setattr(store.transport, "send", stopping)
        with pytest.raises(KeyboardInterrupt):
            store.create(new)
    assert _index_names(store, name) == {"byOwner"}, "the index is not there before its keys are"
    store.create(new)
    assert store.count(shed.query(new.indexes[1], shed.large("LARGE"))) == 8


def test_many_may_replace_the_same_index_at_once(store: Store, name: str, request: pytest.FixtureRequest) -> None:
    if request.node.callspec.params["store"] == "moto":
        pytest.skip("moto answers 500 where an index that is there is added again")
    old, shed, _ = _replaced(name, new=False)
    store.create(old)
    store.batch_write(Put(shed(shed_id=str(number), owner="ada", size=20)) for number in range(30))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: store.create(_replaced(name, new=True)[0]), range(4)))
    assert _index_names(store, name) == {"shedsByOwner", "large"}


def test_a_name_that_is_replaced_cannot_be_declared_or_replaced_again() -> None:
    table = Table("sheds", pk="PK")
    table.index("second", pk="owner", replaces=("first",))
    with pytest.raises(SchemaError, match="the index first is replaced, so it cannot be declared or replaced again"):
        table.index("first", pk="owner")
    with pytest.raises(SchemaError, match="the index second is replaced"):
        Table("sheds", pk="PK").index("second", pk="owner", replaces=("second",))


# ---- made by others


@pytest.mark.parametrize("lacking", ["table", "index", "stream", "expiry", "nothing"])
def test_who_may_not_make_tables_is_told_what_is_missing_and_changes_nothing(name: str, lacking: str) -> None:
    declared = Table(name, pk="PK", ttl="gone_at", stream="NEW_AND_OLD_IMAGES")
    declared.index("byOwner", pk="owner", sk="PK")
    there = Table(
        name,
        pk="PK",
        ttl=None if lacking == "expiry" else "gone_at",
        stream=None if lacking == "stream" else "NEW_AND_OLD_IMAGES",
    )
    if lacking != "index":
        there.index("byOwner", pk="owner", sk="PK")
    with Engine.temporary(background=False) as engine:
        if lacking != "table":
            EmbeddedStore(engine).create(there)
        called: list[str] = []

        def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            called.append(operation)
            return engine.call(operation, request)

        if lacking == "nothing":
            check(declared, call)
        else:
            with pytest.raises(TableDiffersError, match=f"no table|lacks .*{lacking}") as told:
                check(declared, call)
            assert "partita export cloudformation" in str(told.value)
        assert all(each.startswith("Describe") for each in called)


def test_two_who_switch_expiry_on_at_once_both_go_on(name: str) -> None:
    table = Table(name, pk="PK", ttl="gone_at")
    with Engine.temporary(background=False) as engine:
        told: list[str] = []

        def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateTimeToLive":  # somebody was quicker
                engine.call(operation, request)
            told.append(operation)
            return engine.call(operation, request)

        make(table, call, lambda: None)
        assert told.count("DescribeTimeToLive") == 2
