"""Trouble is found before the tables have it, with a code, a reason and a next step; what is accepted says why."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

from partita.bootstrap import examples, tables
from partita.dynamo.requests import Scan
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import (
    Attribute,
    Item,
    Put,
    Query,
    Table,
    access_pattern,
    attribute,
    camel_case,
    collection,
    derived,
    key_part,
    number,
)
from partita.table.check import check
from partita.table.findings import CODES, Finding
from partita.table.types import Day, Timestamp


def _found(*checked: Table) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in check(checked):
        found.setdefault(finding.code, []).append(finding)
    return found


def _only(code: str, *checked: Table) -> Finding:
    (finding,) = _found(*checked)[code]
    return finding


@cache
def _of_the_systems() -> list[Finding]:
    return list(check(tables()))


# -- indexes and partitions


def test_an_index_that_nothing_writes_is_an_error() -> None:
    table = Table("empty", pk="PK")
    table.index("byNothing", pk="nothing")
    finding = _only("unwritten-key", table)
    assert finding.level == "error"
    assert str(finding) == (
        "error unwritten-key: empty.byNothing: no item type writes its key: it stays empty\n    nothing: there is none"
    )


def test_a_misspelt_index_key_is_told_how_it_was_meant() -> None:
    table = Table("sheds", pk="PK")
    table.index("byOwner", pk="ownedBy", sk="createdOn")
    table.index("byTown", pk="town", sk="owned_by")

    class Shed(Item, table=table, pk="SHED#{shed_id}"):
        shed_id: Attribute[str] = key_part()
        owned_by: Attribute[str]
        created_on: Attribute[str]

    class Town(Item, table=table, pk="TOWN#{town}"):
        town: Attribute[str]

    by_owner, by_town = _found(table)["unwritten-key"]
    assert by_owner.step == "ownedBy: did you mean owned_by?; createdOn: did you mean created_on?"
    assert by_town.why == "no item type writes all of town, owned_by: it stays empty"


def test_a_key_with_few_values_is_a_hot_partition_whatever_its_type() -> None:
    table = Table("shop", pk="id")
    table.index("byState", pk="state")
    table.index("byStars", pk=number("stars"))
    table.index("byFlag", pk=("flagKey", "state"))
    table.index("byShelf", pk="shelf")
    table.index("byKind", pk="kindKey")
    table.index("spread", pk="state", shards=4)
    table.index("byName", pk="name")

    class Thing(Item, table=table, keys={"shelf": "all", "kindKey": "KIND#{state}#{flag}", "flagKey": "{flag}"}):
        id: Attribute[str]
        state: Attribute[Literal["new", "old"] | None] = attribute(default=None)
        stars: Attribute[int] = attribute(ge=1, le=5)
        flag: Attribute[bool] = attribute(default=False)
        name: Attribute[str]

    found = {finding.subject: finding for finding in _found(table)["hot-partition"]}
    assert list(found) == ["byState", "byStars", "byFlag", "byShelf", "byKind"]
    assert found["byStars"].why.startswith("all Thing items share 5 partitions (1, 2, 3, 4…): a partition takes 1,000")
    assert "1 partition (all)" in found["byShelf"].why
    assert "4 partitions (KIND#new#true, KIND#new#false, KIND#old#true, KIND#old#false)" in found["byKind"].why
    assert found["byState"].step.startswith(
        "Before it is created, declare shards=8 or set PARTITA_SHARDS_SHOP_BYSTATE=8: each is"
    )


def test_a_derived_key_with_few_values_is_a_hot_partition() -> None:
    table = Table("fair", pk="id")
    table.index("byState", pk="openAs")
    table.index("bySign", pk="sign")
    table.index("byMail", pk="mailKey")

    class Stall(Item, table=table):
        id: Attribute[str]
        open: Attribute[bool] = attribute(default=False)
        side: Attribute[Literal["north", "south"] | None] = attribute(default=None)
        mail: Attribute[str]
        open_as: Attribute[Literal["open"] | None] = derived(lambda open: "open" if open else None, name="openAs")
        sign: Attribute[str] = derived(lambda open, side: f"{side or 'nowhere'}" if open else "closed")
        mail_key: Attribute[str] = derived(lambda mail: mail.lower(), name="mailKey")

    found = {finding.subject: finding for finding in _found(table)["hot-partition"]}
    assert list(found) == ["byState", "bySign"]
    assert "all Stall items share 1 partition (open)" in found["byState"].why
    assert "4 partitions (north, south, nowhere, closed)" in found["bySign"].why


def test_the_tables_own_partitions_can_be_hot_or_grow_without_bound() -> None:
    table = Table("log", pk="PK", sk="SK")

    class Entry(Item, table=table, pk="{day}", sk="{at}"):
        day: Attribute[Day] = key_part()
        at: Attribute[Timestamp] = key_part()

    class Setting(Item, table=table, pk="SETTINGS", sk="{name}"):
        name: Attribute[str] = key_part()

    class Counter(Item, table=table, pk="COUNTER", sk="{what}"):
        what: Attribute[Literal["entries", "notes"]] = key_part()

    class Note(Item, table=table, pk="NOTE#{name}", sk="{at}"):
        name: Attribute[str] = key_part()
        at: Attribute[Timestamp] = key_part()

    assert _only("hot-partition", table).why.startswith("all items of one day share 1 partition (today)")
    unbounded = _only("unbounded-collection", table)
    assert unbounded.subject == "Setting"
    assert unbounded.why.startswith("all items share 1 partition (SETTINGS), which grows with every item: a partition")


def test_what_is_said_of_a_hot_partition_works_although_the_table_has_rows() -> None:
    """Whoever reads it has often written something already: an index cannot be changed then, and rows under keys of
    another shape are not found."""

    def lending(index: str, **settings: Any) -> tuple[Table, type[Any], Query[Any]]:
        table = Table("lending", pk="id")
        by_kind = table.index(index, pk="kind", sk="id", **settings)

        class Tool(Item, table=table):
            id: Attribute[str]
            kind: Attribute[Literal["cutting", "drilling"]]

        return table, Tool, Tool.query(by_kind, Tool.kind("cutting"))

    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        table, tool, _ = lending("byKind")
        store.create(table)
        store.write(Put(tool(id="saw", kind="cutting")))
        _, _, later = _only("hot-partition", table).step.partition("declare shards=8 under another name, ")
        assert later == 'with replaces=("byKind",) and backfill=True.'
        table, _, cutting = lending("byKindSpread", shards=8, replaces=("byKind",), backfill=True)
        store.create(table)
        assert [each.id for each in store.page(cutting)] == ["saw"]
        assert "hot-partition" not in _found(table)


def test_a_local_index_bounds_what_a_partition_holds() -> None:
    table = Table("local", pk="PK", sk="SK")
    table.local_index("byAge", sk=number("age"))
    assert "10 GB" in _only("unbounded-collection", table).why


def test_an_index_that_no_pattern_reads_is_paid_for_in_vain() -> None:
    table = Table("idle", pk="id")
    table.index("byName", pk="name")

    class Thing(Item, table=table):
        id: Attribute[str]
        name: Attribute[str]

    assert _only("unused-index", table).subject == "byName"


def test_more_indexes_than_dynamodb_makes_are_an_error() -> None:
    table = Table("many", pk="id")
    for count in range(21):
        table.index(f"by{count}", pk=f"a{count}")
    assert _only("too-many-indexes", table).why == "21 global indexes; DynamoDB makes 20 for a table"


# -- items


def test_items_that_could_pass_400_kb_are_named_with_what_makes_them_large() -> None:
    table = Table("texts", pk="id")

    class Endless(Item, table=table, pk="E#{id}"):
        id: Attribute[str] = key_part()
        lines: Attribute[tuple[str, ...]] = attribute(default=())
        notes: Attribute[dict[str, Any]] = attribute(default_factory=dict)
        few: Attribute[tuple[Literal["a", "b"], ...]] = attribute(default=())
        bounded: Attribute[tuple[str, ...]] = attribute(default=(), max_length=3)

    class Long(Item, table=table, pk="L#{id}"):
        id: Attribute[str] = key_part()
        text: Attribute[str | None] = attribute(default=None, max_length=200_000)

    class Filed(Item, table=table, pk="F#{id}"):
        id: Attribute[str] = key_part()
        text: Attribute[str] = attribute(default="", max_length=200_000, large=True)

    endless, long = _found(table)["large-item"]
    assert endless.why.startswith("lines, notes have no bound; DynamoDB takes items of 400 KB")
    assert long.why.startswith("its texts together may take 781 KB")


def test_a_table_whose_items_never_expire_says_so() -> None:
    finding = _only("never-expires", Table("kept", pk="id", ttl="until"))
    assert "nothing ever expires" in finding.why
    assert finding.step == "Give a type that attribute, or take ttl='until' away."


@pytest.mark.parametrize("ttl", ["expires_at", "expiresat", "expireAt"])
def test_an_expiry_that_is_spelt_otherwise_than_it_is_stored_says_how(ttl: str) -> None:
    table = Table("kept", pk="id", ttl=ttl, names=camel_case)

    class Kept(Item, table=table):
        id: Attribute[str]
        expires_at: Attribute[int]

    finding = _only("never-expires", table)
    assert finding.why == f"no item type stores an attribute {ttl}: nothing ever expires"
    assert finding.step.startswith("Did you mean ttl='expiresAt'?")
    again = Table("kept", pk="id", ttl="expiresAt", names=camel_case)

    class KeptAgain(Item, table=again):
        id: Attribute[str]
        expires_at: Attribute[int]

    assert "never-expires" not in _found(again)


# -- access patterns


LOANS = Table("loans", pk="PK", sk="SK", ttl="until")
BY_STATE = LOANS.index("byState", pk="stateKey", sk="at", projection="KEYS_ONLY")


class Loan(Item, table=LOANS, pk="MEMBER#{member}", sk="{at}", keys={"stateKey": "{member}#{state}"}):
    member: Attribute[str] = key_part()
    at: Attribute[Timestamp]
    state: Attribute[str] = attribute(max_length=10)
    text: Attribute[str] = attribute(default="", max_length=90_000)
    until: Attribute[int | None] = attribute(default=None)


class Fine(Item, table=LOANS, pk="MEMBER#{member}", sk="FINE#{number}"):
    member: Attribute[str] = key_part()
    number: Attribute[int] = key_part()


class Badge(Item, table=LOANS, pk="BADGE#{member}", sk="{number}"):
    member: Attribute[str] = key_part()
    number: Attribute[int] = key_part()


@access_pattern("Late", LOANS, member="ada")
def late(member: str) -> Query[Loan]:
    return Loan.query(Loan.member(member)).where(Loan.state.equals("late"))


@access_pattern("Fines", LOANS, member="ada")
def fines(member: str) -> Query[Fine]:
    return Fine.query(Fine.member(member))


@access_pattern("Everything of a member", LOANS, member="ada")
def everything(member: str) -> Query[Any]:
    return collection(Loan.query(Loan.member(member)), Fine.query(Fine.member(member)))


@access_pattern("By state", LOANS, member="ada", state="late")
def by_state(member: str, state: str) -> Query[Loan]:
    return Loan.query(BY_STATE, Loan.member(member), Loan.state(state))


@access_pattern("All", LOANS)
def all_loans() -> Any:
    return Scan(table="loans")


@access_pattern("Wrong", LOANS)
def wrong() -> Query[Loan]:
    return Loan.query(Loan.text("x"))


def test_patterns_that_scan_or_fail_are_errors() -> None:
    assert _only("scan", LOANS).subject == "all_loans"
    failing = _only("pattern-fails", LOANS)
    assert (failing.subject, failing.level) == ("wrong", "error")


def test_a_filter_a_second_read_and_a_heavy_page_are_said() -> None:
    assert _only("discarding-filter", LOANS).subject == "late"
    second = _only("second-read", LOANS)
    assert (second.subject, "by_state" in second.why) == ("byState", True)
    assert [finding.subject for finding in _found(LOANS)["heavy-page"]] == ["late", "everything"]


def test_rows_of_other_types_that_a_list_reads_past_are_named() -> None:
    finding = _only("foreign-rows", LOANS)
    assert finding.subject == "late", "fines have a prefix of their own, and badges another partition"
    assert finding.why == "reads past rows of Fine in the same partition"


@pytest.mark.parametrize(
    ("query", "others"),
    [
        (lambda visit: visit.query(visit.place("x")).at_least(visit.at("2020-01-01T00:00:00Z")), []),
        (lambda visit: visit.query(visit.place("x")).before(visit.at("2020-01-01T00:00:00Z")), []),
        (lambda visit: visit.query(visit.place("x")).starting_with("VISIT#2"), []),
        (lambda visit: visit.query(visit.place("x")).starting_with("V"), []),
        (lambda visit: collection(visit.query(visit.place("x"))), ["Place", "Vote", "Visitor"]),
    ],
    ids=["at least", "before", "a start of a part", "a shorter start", "all of the partition"],
)
def test_rows_with_other_starts_are_not_in_a_range(query: Any, others: list[str]) -> None:
    table = Table("places", pk="PK", sk="SK")

    class Place(Item, table=table, pk="PLACE#{place}", sk="PLACE"):
        place: Attribute[str] = key_part()

    class Visit(Item, table=table, pk="PLACE#{place}", sk="VISIT#{at}#{visit}"):
        place: Attribute[str] = key_part()
        at: Attribute[Timestamp] = key_part()
        visit: Attribute[str] = key_part()

    class Vote(Item, table=table, pk="PLACE#{place}", sk="VOTE#{voter}"):
        place: Attribute[str] = key_part()
        voter: Attribute[str] = key_part()

    class Visitor(Item, table=table, pk="PLACE#{place}", sk="VISITOR#{name}"):
        place: Attribute[str] = key_part()
        name: Attribute[str] = key_part()

    access_pattern("Visits", table)(lambda: query(Visit))
    found = _found(table)
    assert "pattern-fails" not in found
    told = [finding.why for finding in found.get("foreign-rows", [])]
    assert told == [f"reads past rows of {', '.join(others)} in the same partition" for _ in others[:1]]


# -- acceptance


def test_what_a_schema_accepts_is_said_with_its_reason() -> None:
    table = Table("shop", pk="id")
    index = table.index("byState", pk="state")

    class Order(Item, table=table):
        id: Attribute[str]
        state: Attribute[Literal["new", "old"]]

    @access_pattern("By state", table, state="new")
    def by_state(state: Literal["new", "old"]) -> Query[Order]:
        return Order.query(index, Order.state(state))

    assert _only("hot-partition", table).accepted is None
    table.accept("hot-partition", index, because="ten orders a day")
    finding = _only("hot-partition", table)
    assert finding.accepted == "ten orders a day"
    assert str(finding).startswith("accepted hot-partition: shop.byState: all Order items share 2 partitions")
    assert str(finding).endswith("\n    Because ten orders a day")


def test_an_acceptance_of_nothing_is_an_error() -> None:
    table = Table("calm", pk="id")

    class Calm(Item, table=table):
        id: Attribute[str]

    table.accept("large-item", Calm, because="it was, once")
    table.accept("bad-weather", Calm, because="it rains")
    gone, unknown = _found(table)["nothing-to-accept"]
    assert gone.why == "the schema accepts it, and it is not found"
    assert unknown.why == "the schema accepts it, and it is not a code of `partita check`"


def test_a_setting_for_a_table_that_is_not_there_is_said() -> None:
    (finding,) = check([Table("calm", pk="id")], environment={"PARTITA_TABLE_CLAM": "x"})
    assert (finding.code, finding.step) == ("unknown-setting", "did you mean PARTITA_TABLE_CALM?")


# -- the five systems


def test_every_finding_about_the_five_systems_is_accepted_with_a_reason() -> None:
    assert [str(finding) for finding in check(tables(), examples()) if finding.accepted is None] == []


@pytest.mark.parametrize(
    "where",
    [
        "kelifax-resources.ResourceStatusIndex",
        "fus-main.byEntity",
        "fus-main.byStars",
        "worthwatch.GSI3",
        "worthwatch.GSI4",
        "events: Event",
    ],
)
def test_the_documents_hot_partitions_are_said(where: str) -> None:
    assert where in [finding.where for finding in _of_the_systems() if finding.code == "hot-partition"]


def test_every_finding_has_a_known_code() -> None:
    found = {finding.code for finding in (*_of_the_systems(), *check([LOANS]))}
    assert found <= CODES.keys()


def test_every_code_has_a_section_and_every_section_is_a_code() -> None:
    text = (Path(__file__).parent.parent.parent / "docs" / "check.md").read_text()
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == list(CODES)
    listed = re.findall(r"^\| \[([\w-]+)\]\(#([\w-]+)\) \| (\w+) \|", text, re.MULTILINE)
    assert [(code, level) for code, anchor, level in listed if code == anchor] == list(CODES.items())
