"""A library's old table, its new one, and a migration with every difficulty: parents, claims, counts, batches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from partita.dynamo.python_values import item_from_python
from partita.dynamo.values import Item as WireItem
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Attribute, Item, Put, Table, Update, attribute, key_part
from partita.table.migrations import (
    Already,
    Claim,
    Comparison,
    Decision,
    Expectation,
    Migration,
    Move,
    Plan,
    Problem,
    Row,
    Skip,
    TargetItems,
    Writes,
    differing,
)

CARDS = Table("cards", pk="id", stream=None)
LIBRARY = Table("library", pk="PK", sk="SK")


class Reader(Item, table=LIBRARY, pk="READER#{reader}", sk="PROFILE"):
    """Somebody who borrows."""

    reader: Attribute[str] = key_part()
    name: Attribute[str] = attribute(min_length=1)
    loans: Attribute[int] = attribute(default=0)


class Loan(Item, table=LIBRARY, pk="READER#{reader}", sk="LOAN#{book}"):
    """A book that somebody has."""

    reader: Attribute[str] = key_part()
    book: Attribute[str] = key_part()
    card: Attribute[str]
    since: Attribute[str]


class Visit(Item, table=LIBRARY, pk="VISIT#{visit}", sk="VISIT"):
    """A line of the visitors' book; nobody else writes them, so that no condition is needed."""

    visit: Attribute[str] = key_part()
    text: Attribute[str] = attribute(default="")


def plan(row: Row) -> Plan:
    kind, name = row.get("kind", {}).get("S"), row["id"]["S"]
    if kind == "blank":
        return Skip("a blank card")
    if kind == "visit":
        visit = Visit(visit=name, text=_text(row, "text"))
        return Move(reads=(), decide=lambda _found: Writes(Put(visit)))
    if kind == "reader":
        return _reader(Reader(reader=name, name=_text(row, "name")))
    if kind == "loan":
        return _loan(Loan(reader=_text(row, "reader"), book=_text(row, "book"), card=name, since=_text(row, "since")))
    return Problem(f"a card of the kind {kind!r}")


def _reader(item: Reader) -> Move:
    def decide(found: TargetItems) -> Decision:
        return Already() if found.item(item.own_key) else Writes(Put(item).if_new())

    return Move(reads=(item.own_key,), decide=decide)


def _loan(item: Loan) -> Move:
    """Of two readers with one book, the one who has it for longer has it."""
    reader = Reader.key(Reader.reader(item.reader))

    def decide(found: TargetItems) -> Decision:
        if found.item(item.own_key):
            return Already()
        if found.item(reader) is None:
            return Problem(f"there is no reader {item.reader}")
        return Writes(Put(item).if_new(), Update(reader, Reader.loans.add(1)))

    claims = (Claim(f"the book {item.book}"),)
    return Move(reads=(item.own_key, reader), decide=decide, turn=2, claims=claims, rank=item.since)


def expect(row: Row) -> Expectation:
    kind, name = row["kind"]["S"], row["id"]["S"]
    if kind == "reader":
        reader = Reader(reader=name, name=_text(row, "name"))
        return Expectation(
            reads=(reader.own_key,),
            lists=(Loan.query(Loan.reader(name)),),
            compare=lambda found: _same_reader(reader, found),
        )
    item: Item
    if kind == "visit":
        item = Visit(visit=name, text=_text(row, "text"))
    else:
        item = Loan(reader=_text(row, "reader"), book=_text(row, "book"), card=name, since=_text(row, "since"))
    return Expectation(reads=(item.own_key,), compare=lambda found: _same(item, found))


def _same_reader(reader: Reader, found: TargetItems) -> Comparison:
    return _same(reader.model_copy(update={"loans": len(found.lists[0])}), found)


def _same(item: Item, found: TargetItems) -> Comparison:
    there = found.item(item.own_key)
    return Comparison(("not there",)) if there is None else Comparison(tuple(differing(item, there)))


def _text(row: Row, name: str) -> str:
    return str(row.get(name, {}).get("S", ""))


LIBRARY_CARDS = Migration(
    name="library-cards",
    purpose="The library's cards, on paper until now",
    source=CARDS,
    targets=(LIBRARY,),
    plan=plan,
    expect=expect,
    turns=("readers", "loans"),
)


def reader(name: str) -> dict[str, Any]:
    return {"id": name, "kind": "reader", "name": name.title()}


def loan(card: str, name: str, book: str, since: str = "2026-01-01") -> dict[str, Any]:
    return {"id": card, "kind": "loan", "reader": name, "book": book, "since": since}


CARDS_AT_HAND: list[dict[str, Any]] = [
    *(reader(name) for name in ("ada", "ben", "cat", "dan")),
    *(loan(f"card-{name}-{number}", name, f"{name}'s {number}") for name in ("ada", "ben") for number in range(8)),
    loan("card-early", "ada", "Emma", "2026-01-01"),
    loan("card-late", "ben", "Emma", "2026-02-02"),
    loan("card-lost", "nobody", "Persuasion"),
    *({"id": f"visit-{number}", "kind": "visit", "text": f"line {number}"} for number in range(30)),
    {"id": "blank", "kind": "blank"},
    {"id": "strange", "kind": "photograph"},
    {"id": "nameless", "kind": "reader", "name": ""},
]


def filled(engine: Engine, rows: Iterable[dict[str, Any]] = CARDS_AT_HAND, table: Table = CARDS) -> EmbeddedStore:
    """A store whose source holds these rows."""
    store = EmbeddedStore(engine)
    store.create(table)
    for row in rows:
        engine.call("PutItem", {"TableName": table.name, "Item": item_from_python(row)})
    return store


def everything(engine: Engine, table: Table) -> list[WireItem]:
    """All rows of a table, in the order of their keys."""
    rows: list[WireItem] = []
    start = None
    while True:
        request = {"TableName": table.name, **({} if start is None else {"ExclusiveStartKey": start})}
        page = engine.call("Scan", request)
        rows += page["Items"]
        start = page.get("LastEvaluatedKey")
        if start is None:
            return sorted(rows, key=lambda row: str([row[key.name] for key in table.keys]))
