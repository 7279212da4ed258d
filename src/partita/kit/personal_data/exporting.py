"""Everything that is held about somebody, for themselves: one JSON document, made as it is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from hashlib import blake2s
from typing import Any

import orjson

from partita.dynamo.python_values import to_python
from partita.dynamo.values import Item as Row
from partita.kit.files.names import FileNameError
from partita.kit.kit import Kit
from partita.kit.personal_data.documents import json_document
from partita.kit.personal_data.holdings import Holding, Person
from partita.kit.personal_data.matching import mentioned_in
from partita.kit.personal_data.rooms import Room, tables_of
from partita.kit.personal_data.rows import WholeRows, holding_of, key_of, some_rows
from partita.table import ForeignItemError, Item, LostValueError, Table


def export(
    kit: Kit, rooms: Sequence[Room], person: Person, now: str, link_to: Callable[[str], str] | None = None
) -> AsyncIterator[bytes]:
    """The pieces of the document: what is theirs as it is, without secrets; of what is others', what tells of them."""
    files: list[str] = []

    async def links() -> AsyncIterator[dict[str, str]]:
        for name in dict.fromkeys(files):
            try:
                link = kit.files.url(name) if link_to is None else link_to(name)
            except FileNameError:  # another program's, which our file store cannot have
                continue
            yield {"name": name, "link": link}

    return json_document(
        (
            ("exportedAt", now),
            ("person", {"id": person.user_id, "username": person.username, "name": person.name, "email": person.email}),
            ("items", _items(kit, rooms, person, files)),
            ("files", links()),
        )
    )


def item_id(table: Table, key: Row) -> str:
    """A short name of an item that says nothing of other people."""
    text = orjson.dumps([table.default_name, key], option=orjson.OPT_SORT_KEYS)
    return blake2s(text, digest_size=12).hexdigest()


async def _items(kit: Kit, rooms: Sequence[Room], person: Person, files: list[str]) -> AsyncIterator[dict[str, Any]]:
    rows = WholeRows(kit.store)
    for room, table in tables_of(rooms):
        after = None
        while True:
            page = await some_rows(kit.store, table, after)
            for row in page.rows:
                whole = await rows.about(table, row, person)
                if whole is None:
                    continue
                async for entry in _entries(kit, room, table, whole, person, files):
                    yield entry
            after = page.after
            if after is None:
                break


async def _entries(
    kit: Kit, room: Room, table: Table, row: Row, person: Person, files: list[str]
) -> AsyncIterator[dict[str, Any]]:
    """What a row tells of the person, and if it is theirs, its parts."""
    holding = holding_of(row, room.of(table))
    item = None if holding is None else await _read(kit, holding, row)
    if holding is None or item is None or not holding.belongs_to(item, person):
        mentioned = mentioned_in(row, person, holding)
        if mentioned:
            kept_back = _kept_back(holding, own=False)
            yield _entry(room, table, row, holding, [name for name in mentioned if name not in kept_back])
        return
    files += holding.files(item)
    kept_back = _kept_back(holding, own=True)
    yield _entry(room, table, row, holding, [name for name in row if name not in kept_back], item)
    for query in holding.parts(item):
        async for part in kit.store.stream(query):
            if part.own_key != item.own_key:
                files += holding.files_of_part(part)
                told = part.unchecked_row()
                yield _entry(room, table, told, holding, told, part)


def _entry(
    room: Room, table: Table, row: Row, holding: Holding | None, told: Iterable[str], own: Item | None = None
) -> dict[str, Any]:
    kind = type(own) if own is not None else None if holding is None else holding.item_type
    return {
        "system": room.name,
        "what": table.purpose if holding is None else holding.what,
        "kind": "" if kind is None else kind.__name__,
        "id": item_id(table, key_of(table, row)),
        "yours": own is not None,
        "attributes": {name: to_python(row[name]) for name in told},
    }


async def _read(kit: Kit, holding: Holding, row: Row) -> Item | None:
    try:
        return await kit.store.read(holding.item_type, row)
    except (ForeignItemError, LostValueError):  # another program's; it is told as it is
        return None


def _kept_back(holding: Holding | None, *, own: bool) -> frozenset[str]:
    if holding is None:
        return frozenset()
    attributes = holding.item_type.__attributes__
    fields = holding.secrets if own else (*holding.secrets, *holding.texts)
    return frozenset(attributes[field].stored_name or field for field in fields)
