"""Rows without somebody: what they say of others is whole, and nothing is left of whoever leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from partita.dynamo.errors import TransactionCanceledError
from partita.dynamo.values import Item as Row
from partita.engine import Engine
from partita.kit.accounts.schema import PendingAddress
from partita.kit.changes.schema import Parked
from partita.kit.personal_data.holdings import LEFT, Holding, Person
from partita.kit.personal_data.house import house
from partita.kit.personal_data.matching import may_concern, mentions, unnamed
from partita.kit.personal_data.remains import still_kept
from partita.kit.personal_data.rows import WholeRows, replace_row, row_now
from partita.kit.schema import HOUSE, KeptMail
from partita.kit.settings import Settings
from partita.store import EmbeddedStore
from partita.store.files import FolderFiles
from partita.table import Action, Attribute, Item, Put, Table, Update, attribute, key_part

READERS = Table("personal-readers", pk="PK")
NAMES = st.text("abcxyzäß \"'&<>\\/é", min_size=3, max_size=20).map(str.strip).filter(lambda name: len(name) > 2)


class Reader(Item, table=READERS, pk="READER#{person}"):
    person: Attribute[str] = key_part()
    pages: Attribute[int] = attribute(default=0)
    remark: Attribute[str | None] = attribute(default=None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine, files=FolderFiles(tmp_path / "large"))
        store.create(READERS, HOUSE)
        yield store


def holding_of(item_type: type[Item]) -> Holding:
    return next(each for each in house().holdings if each.item_type is item_type)


def person(name: str) -> Person:
    return Person("01ZZZZZZZZ", "zebulon-quark", name, "zebulon@quark.example", "left-1")


def record_of(who: Person, text: str = "") -> str:
    image = {"id": who.user_id, "username": who.username, "name": who.name, "email": who.email, "text": text}
    return json.dumps({"dynamodb": {"NewImage": {name: {"S": value} for name, value in image.items()}}})


@pytest.mark.parametrize("action", [Reader.pages.add(5), Reader.remark.set("read twice")])
def test_a_row_that_gets_another_key_loses_nothing_that_was_written_meanwhile(
    store: EmbeddedStore, action: Action[Reader]
) -> None:
    async def story() -> None:
        rows = store.asynchronous

        async def now() -> Row:
            row = await row_now(rows, READERS, {"PK": {"S": "READER#ada"}})
            assert row is not None
            return row

        store.write(Put(Reader(person="ada", pages=1)))
        before = await now()
        store.write(Update(Reader.key(Reader.person("ada")), action))
        with pytest.raises(TransactionCanceledError):
            await replace_row(rows, READERS, before, before, {**before, "PK": {"S": "READER#left"}}, Reader)
        read_again = await now()
        await replace_row(rows, READERS, read_again, read_again, {**read_again, "PK": {"S": "READER#left"}}, Reader)
        kept = store.get(Reader.get(Reader.person("left")))
        assert kept is not None
        assert (kept.pages, kept.remark) in {(6, None), (1, "read twice")}

    asyncio.run(story())


@given(NAMES)
def test_no_name_is_left_in_a_mail_to_somebody_else_however_it_is_written(name: str) -> None:
    who, holding = person(name), holding_of(KeptMail)
    mail: Row = {
        "PK": {"S": "MAIL#1"},
        "to": {"S": "bob@example.org"},
        "text": {"S": f"({name})"},
        "html": {"S": f"<p>{escape(name)}</p>"},
    }
    assert may_concern(mail, who)
    assert mentions(mail, who, holding)
    after = unnamed(mail, who, holding, own=False)
    assert (after["text"], after["html"]) == ({"S": f"({LEFT})"}, {"S": f"<p>{LEFT}</p>"})


@given(NAMES, st.lists(NAMES, max_size=3), st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_no_name_of_the_past_is_left_whichever_of_them_begin_alike(
    name: str, before: list[str], said: list[int]
) -> None:
    names = [name, f"{name} {name}", *before]
    who = replace(person(names[0]), formerly=(*names[1:], "once@quark.example"))
    text = ", ".join(f"({names[number % len(names)]})" for number in said) + "; <once@quark.example>"
    mail: Row = {"PK": {"S": "MAIL#1"}, "to": {"S": "bob@example.org"}, "text": {"S": text}}
    assert may_concern(mail, who)
    after = unnamed(mail, who, holding_of(KeptMail), own=False)
    assert after["text"] == {"S": ", ".join(f"({LEFT})" for _ in said) + f"; <{LEFT}>"}
    assert not mentions(after, who, holding_of(KeptMail))


@pytest.mark.parametrize("name", ["Left", "who", LEFT, "Somebody"])
def test_erasing_ends_also_for_whoever_is_called_like_what_takes_their_place(name: str) -> None:
    who, holding = person(name), holding_of(KeptMail)
    mail: Row = {"PK": {"S": "MAIL#1"}, "to": {"S": "bob@example.org"}, "text": {"S": f"{name} wrote, {who.user_id}"}}
    for _ in range(3):
        mail = unnamed(mail, who, holding, own=False)
    assert not mentions(mail, who, holding)


def test_an_address_that_is_somebody_elses_now_is_left_to_them_except_beside_the_id() -> None:
    who = replace(person("Zebulon"), formerly_and_not_now=("family@quark.example",))
    theirs: Row = {"PK": {"S": "MAIL#1"}, "to": {"S": "family@quark.example"}, "text": {"S": "To family@quark.example"}}
    assert not mentions(theirs, who, holding_of(KeptMail))
    old: Row = {"PK": {"S": f"USER#{who.user_id}"}, "SK": {"S": "ADDRESS"}, "email": {"S": "Family@quark.example"}}
    assert unnamed(old, who, holding_of(PendingAddress), own=True)["email"] == {"S": LEFT}


@pytest.mark.parametrize("text", ["short", "long " * 20_000])
def test_a_change_that_waits_for_an_operator_has_neither_id_nor_name_any_more(
    store: EmbeddedStore, text: str, tmp_path: Path
) -> None:
    """Also if it is so long that it lies in a file."""
    who = person('Zebulon "Zeb" Quark')
    parked = Parked(
        handler="notes.see",
        parked_at="2026-01-01T00:00:00Z",
        sequence="1",
        table_name="notes",
        record=record_of(who, text),
        error=f"ValueError: {who.name}",
        tries=1,
    )
    key = (Parked.handler(parked.handler), Parked.parked_at(parked.parked_at), Parked.sequence(parked.sequence))

    async def story() -> None:
        rows = store.asynchronous
        row = await row_now(rows, HOUSE, parked.own_key.wire)
        assert row is not None
        whole = await WholeRows(rows).about(HOUSE, row, who)
        assert whole is not None
        await replace_row(rows, HOUSE, row, whole, unnamed(whole, who, holding_of(Parked), own=False), Parked)

    store.write(Put(parked))
    asyncio.run(story())
    kept = store.get(Parked.get(*key))
    assert kept is not None
    told: dict[str, Any] = json.loads(kept.record)["dynamodb"]["NewImage"]
    values = {name: value["S"] for name, value in told.items()}
    assert values == {"id": who.stand_in, "username": LEFT, "name": LEFT, "email": LEFT, "text": text}
    assert kept.error == f"ValueError: {LEFT}"
    files = [file.read_bytes() for file in (tmp_path / "large").rglob("*.txt")]
    assert not [content for content in files if who.user_id.encode() in content]
    assert bool(files) == (text != "short")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"recovery_days": 0}, "cannot be brought back, except from a backup"),
        ({}, "For one more day, "),
        ({"recovery_days": 35}, "For 35 more days, "),
        ({"backend": "dynamodb", "recovery_days": 1}, "for up to 35 days"),
    ],
)
def test_whoever_erases_reads_for_how_long_it_can_be_brought_back(settings: dict[str, Any], said: str) -> None:
    told = still_kept(Settings(**settings))
    assert said in told
    assert told.endswith("Backups that were made before keep it until they are deleted.")
