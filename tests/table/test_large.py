"""A value that is too large for its item lies in a file, and nobody who reads or writes the item notices."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.dynamo.values import Item as WireItem
from partita.engine import Engine, FaultPlan
from partita.store import EmbeddedStore, FolderFiles
from partita.table import (
    Attribute,
    ChangedMeanwhileError,
    Delete,
    Item,
    ItemTooLargeError,
    LostValueError,
    ModelError,
    NoFileStoreError,
    Put,
    Query,
    SchemaError,
    Table,
    Transaction,
    Update,
    attribute,
    collection,
    dropped_files,
    key_part,
    projected,
)
from tests.table.club import CLUB, Invitation, Plan, Story

LONG = "naïve 😀 " * 10_000
SMALL = Story(player_id="ada", number=1, text="short")
STORY = Story(player_id="ada", number=1, text=LONG, picture=bytes(5000), facts={"a": ["b" * 3000, {"n": 1}]})
KEY = STORY.own_key


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "files"


@pytest.fixture
def store(folder: Path) -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine, files=FolderFiles(folder))
        store.create(CLUB)
        yield store


def stories() -> Query[Story]:
    return Story.query(Story.player_id("ada"))


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def _row(store: EmbeddedStore) -> WireItem:
    row: WireItem = store.engine.call("GetItem", {"TableName": "club", "Key": KEY.wire})["Item"]
    return row


def _found(store: EmbeddedStore) -> Story:
    found = store.get(Story.get(Story.player_id("ada"), Story.number(1)).consistently())
    assert found is not None
    return found


def test_large_values_lie_in_files_and_the_item_holds_markers(store: EmbeddedStore, folder: Path) -> None:
    store.write(Put(STORY))
    row = _row(store)
    for name in ("text", "picture", "theFacts"):
        assert set(row[name]["M"]) == {"name", "size", "sha256"}
    assert {name.rpartition(".")[2] for name in _names(folder)} == {"txt", "bin", "json"}
    text = next(folder.rglob("*.txt"))
    assert text.read_text() == LONG
    assert _found(store) == STORY


def test_small_values_stay_where_they_are(store: EmbeddedStore, folder: Path) -> None:
    store.write(Put(SMALL))
    assert _row(store) == SMALL.to_row()
    assert _names(folder) == set()
    assert _found(store) == SMALL


def test_every_way_of_reading_brings_the_whole_value(store: EmbeddedStore) -> None:
    items = [Story(player_id="ada", number=n, text=f"{n}" * (40_000 if n % 2 else 10)) for n in range(1, 8)]
    store.batch_write(map(Put, items))
    assert list(store.page(stories(), limit=3)) == items[:3]
    assert list(store.page(stories(), limit=3, page_size=2).items) == items[:3]
    assert list(store.stream(stories(), chunk=2)) == items
    assert store.batch_get(
        [items[6].own_key, Story.key(Story.player_id("eve"), Story.number(1)), items[0].own_key]
    ) == [
        items[6],
        None,
        items[0],
    ]
    assert [type(item) for item in store.stream(collection(stories()))] == [Story] * 7
    (shown, *_) = store.page(projected(stories(), Story.revision))
    assert (shown.text, shown.revision) == ("", 1)

    async def program() -> None:
        face = store.asynchronous
        assert (await face.page(stories(), limit=20)).items == tuple(items)
        assert [item async for item in face.stream(stories())] == items
        assert await face.batch_get([items[2].own_key]) == [items[2]]
        await face.write(Put(STORY))
        assert await face.get(Story.get(Story.player_id("ada"), Story.number(1))) == STORY
        assert (await face.update(Update(KEY, Story.text.set(LONG + "!")))).text == LONG + "!"

    asyncio.run(program())


@settings(max_examples=30, deadline=None)
@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=50).flatmap(
        lambda text: st.sampled_from([text, text * 4000])
    ),
    picture=st.none() | st.binary(max_size=3000),
    facts=st.dictionaries(
        st.text("ab", min_size=1),
        st.recursive(
            st.text(max_size=5) | st.integers(-(10**30), 10**30) | st.booleans() | st.none(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text("xy", min_size=1), inner),
            max_leaves=10,
        ),
    ),
)
def test_an_item_reads_back_as_itself_however_large(text: str, picture: bytes | None, facts: dict[str, Any]) -> None:
    with Engine.temporary(background=False) as engine:
        files = Memory()
        store = EmbeddedStore(engine, files=files)
        store.create(CLUB)
        story = Story(player_id="ada", number=1, text=text, picture=picture, facts=facts)
        store.write(Put(story))
        assert _found(store) == story
        assert dropped_files(CLUB, _row(store), None) == set(files.kept)


@dataclass
class Memory:
    """A file store for tests with many examples; it counts, and can be told to do something before a file is loaded."""

    kept: dict[str, bytes] = field(default_factory=dict)
    loads: list[str] = field(default_factory=list)
    before_load: Callable[[], None] | None = None

    def save(self, name: str, content: bytes) -> None:
        self.kept[name] = content

    def load(self, name: str) -> bytes | None:
        if self.before_load is not None:
            act, self.before_load = self.before_load, None
            act()
        self.loads.append(name)
        return self.kept.get(name)

    def delete(self, name: str) -> None:
        self.kept.pop(name, None)

    async def save_async(self, name: str, content: bytes) -> None:
        self.save(name, content)

    async def load_async(self, name: str) -> bytes | None:
        return self.load(name)

    async def delete_async(self, name: str) -> None:
        self.delete(name)


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def quick(memory: Memory) -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine, files=memory)
        store.create(CLUB)
        yield store


def test_an_update_puts_large_values_away_too(quick: EmbeddedStore, memory: Memory) -> None:
    quick.write(Put(SMALL))
    after = quick.update(Update(KEY, Story.text.set(LONG), Story.notes.set({"n": 1})))
    assert (after.text, after.notes) == (LONG, {"n": 1})
    assert len(memory.kept) == 1
    quick.write(Update(KEY, Story.text.set("short again")))
    assert _found(quick).text == "short again"
    quick.transact(Transaction(Update(KEY, Story.facts.set({"x": "y" * 5000})), Put(Plan(plan_id="p"))))
    assert _found(quick).facts == {"x": "y" * 5000}


def test_a_page_loads_the_files_of_what_it_shows_and_no_others(quick: EmbeddedStore, memory: Memory) -> None:
    quick.batch_write(Put(Story(player_id="ada", number=n, text=LONG)) for n in range(9))
    assert len(quick.page(stories(), limit=4)) == 4
    assert len(memory.loads) == 4


def test_nothing_is_left_of_a_write_that_was_refused(quick: EmbeddedStore, memory: Memory) -> None:
    quick.write(Put(SMALL))
    with pytest.raises(ConditionalCheckFailedError):
        quick.write(Put(STORY).if_new())
    late = Put(STORY.model_copy(update={"revision": 7})).next_version()
    with pytest.raises(ChangedMeanwhileError) as told:
        quick.transact(Transaction(Put(Plan(plan_id="p")), late))
    assert told.value.there == SMALL
    with pytest.raises(ItemTooLargeError):
        quick.write(Put(STORY.model_copy(update={"notes": {"x": "y" * 500_000}})))
    assert memory.kept == {}


def test_what_is_there_is_shown_whole_to_whoever_was_late(quick: EmbeddedStore) -> None:
    quick.write(Put(STORY))
    with pytest.raises(ChangedMeanwhileError) as told:
        quick.write(Put(SMALL.model_copy(update={"revision": 7})).next_version())
    assert told.value.there == STORY


def test_a_write_that_is_sent_again_saves_its_files_once(memory: Memory) -> None:
    with Engine.temporary(faults=FaultPlan(seed=1, throttle=0.6)) as engine:
        store = EmbeddedStore(engine, files=memory)
        store.create(CLUB)
        store.write(Put(STORY))
        assert len(memory.kept) == 3


def test_each_write_has_files_of_its_own_so_that_deleting_is_safe(quick: EmbeddedStore, memory: Memory) -> None:
    images: list[WireItem | None] = [None]
    for text in (LONG, "short", LONG, LONG):
        quick.write(Put(Story(player_id="ada", number=1, text=text)))
        images.append(_row(quick))
    # Whoever follows the changes is late: it hears of the first only now.
    for old, new in pairwise(images):
        for name in dropped_files(CLUB, old, new):
            memory.delete(name)
    assert _found(quick).text == LONG
    assert len(memory.kept) == 1
    quick.write(Delete(KEY))
    assert dropped_files(CLUB, images[-1], None) == set(memory.kept)


def test_what_only_looks_like_a_marker_is_a_value(quick: EmbeddedStore, memory: Memory) -> None:
    quick.write(Put(STORY))
    (secret,) = (name for name in memory.kept if name.endswith(".txt"))
    forged = {"name": secret, "size": len(LONG.encode()), "sha256": _row(quick)["text"]["M"]["sha256"]["S"]}
    other = Story(player_id="eve", number=1, facts=forged, notes=forged)
    quick.write(Put(other))
    assert quick.get(Story.get(Story.player_id("eve"), Story.number(1))) == other
    image = quick.engine.call("GetItem", {"TableName": "club", "Key": other.own_key.wire})["Item"]
    assert secret not in dropped_files(CLUB, image, None)


def test_a_file_that_goes_while_its_item_is_read_belongs_to_an_older_version(
    quick: EmbeddedStore, memory: Memory
) -> None:
    quick.write(Put(STORY))

    def overtake() -> None:
        memory.kept.clear()
        quick.write(Put(Story(player_id="ada", number=1, text=LONG + "new")))

    memory.before_load = overtake
    assert _found(quick).text == LONG + "new"
    memory.before_load = overtake
    assert [story.text for story in quick.page(stories())] == [LONG + "new"]

    def delete() -> None:
        memory.kept.clear()
        quick.write(Delete(KEY))

    memory.before_load = delete
    assert quick.get(Story.get(Story.player_id("ada"), Story.number(1))) is None
    quick.write(Put(STORY))
    memory.before_load = delete
    assert len(quick.page(stories())) == 0
    quick.write(Put(STORY))
    memory.before_load = delete
    assert quick.batch_get([KEY]) == [None]


@pytest.mark.parametrize("damage", [b"", LONG.encode()[:-1], LONG.encode()[:-1] + b"?"])
def test_a_damaged_file_is_never_taken_for_the_value(quick: EmbeddedStore, memory: Memory, damage: bytes) -> None:
    quick.write(Put(Story(player_id="ada", number=1, text=LONG)))
    (name,) = memory.kept
    memory.kept[name] = damage
    with pytest.raises(LostValueError, match=r"Story: the file .* of text is damaged"):
        _found(quick)


def test_a_lost_file_is_said_to_be_lost(quick: EmbeddedStore, memory: Memory) -> None:
    quick.write(Put(Story(player_id="ada", number=1, text=LONG)))
    memory.kept.clear()
    with pytest.raises(LostValueError, match=r"the file store has lost text \([0-9a-f]{32}\.txt\)"):
        _found(quick)


def test_images_of_a_change_stream_can_be_read_whole(quick: EmbeddedStore, memory: Memory) -> None:
    quick.write(Put(STORY))
    image = _row(quick)
    assert quick.read(Story, image) == STORY
    assert quick.read(Plan, image) is None
    assert asyncio.run(quick.asynchronous.read(Story, image)) == STORY
    with pytest.raises(ModelError, match=r"lies in the file store: use store\.read"):
        Story.from_own_row(image)
    quick.write(Put(SMALL))
    for name in dropped_files(CLUB, image, _row(quick)):
        memory.delete(name)
    with pytest.raises(LostValueError):
        quick.read(Story, image)


def test_a_store_without_files_says_so() -> None:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(CLUB)
        store.write(Put(SMALL))
        assert _found(store) == SMALL
        with pytest.raises(NoFileStoreError, match=r"A value of .* bytes is too large .* files="):
            store.write(Put(STORY))
        EmbeddedStore(engine, files=Memory()).write(Put(STORY))
        with pytest.raises(NoFileStoreError, match="A value lies in the file"):
            _found(store)


def test_conditions_and_updates_that_would_need_to_see_a_large_value_are_refused() -> None:
    refused: list[Callable[[], object]] = [
        lambda: Story.text.equals("x"),
        lambda: Story.text > "x",
        lambda: Story.text.begins_with("x"),
        lambda: Story.text.contains("x"),
        lambda: Story.text.size(),
        lambda: Story.text.set_if_missing("x"),
        lambda: Put(STORY).unless_changed(STORY, Story.text),
    ]
    for use in refused:
        with pytest.raises(ModelError, match=r"Story\.text is large and may lie in the file store"):
            use()
    assert Story.text.exists() != Story.text.missing()


def test_no_key_can_be_made_of_a_large_value() -> None:
    table = Table("broken", pk="PK")
    table.index("byText", pk="text")
    with pytest.raises(SchemaError, match="text is large, so no key or derived attribute can use it"):

        class Indexed(Item, table=table, pk="{name}"):
            name: Attribute[str] = key_part()
            text: Attribute[str] = attribute(large=True)

    with pytest.raises(SchemaError, match="body is large, so no key or derived attribute can use it"):

        class Derived(Item, table=table, pk="{name}", keys={"start": "{body}"}):
            name: Attribute[str] = key_part()
            body: Attribute[str] = attribute(large=True)


def test_types_without_large_fields_need_no_files(quick: EmbeddedStore, memory: Memory) -> None:
    quick.write(Put(Invitation(player_id="ada", number=1, text=LONG)))
    assert memory.kept == {}
    assert dropped_files(CLUB, Invitation(player_id="ada", number=1).to_row(), None) == frozenset()
