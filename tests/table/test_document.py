"""A table's page shows its keys, its indexes, its items, what stands together, and its access patterns."""

from __future__ import annotations

import re

import pytest

from partita.bootstrap import examples, tables
from partita.table import Table
from partita.table.document import document
from partita.table.drawings import draw
from partita.table.examples import Examples
from tests.table.forum import FORUM

EXAMPLES = examples()
TABLES = {table.name: table for table in tables()}


@pytest.mark.parametrize("table", [*TABLES.values(), FORUM], ids=lambda table: table.name)
def test_the_page_names_everything_that_is_declared(table: Table) -> None:
    page = document(table, EXAMPLES)
    assert page.startswith(f"# {table.name}\n")
    for index in table.indexes:
        assert re.search(rf"^\| {index.name} +\|", page, re.MULTILINE)
    for kind in table.item_types:
        assert f"**{kind.__name__}**: " in page
    for pattern in table.patterns:
        assert f"| `{pattern.label}` " in page


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_the_columns_of_its_tables_stand_under_each_other(table: Table) -> None:
    for block in re.findall(r"(?:^\|.*\n)+", document(table, EXAMPLES), re.MULTILINE):
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in block.splitlines()]
        assert len({len(row) for row in rows}) == 1
        assert len({tuple(map(len, row[:-1])) for row in rows}) == 1


def test_the_head_says_key_setting_expiry_and_stream() -> None:
    assert (
        "Key: `date_bucket` (S) + `ts#event_id` (S). `PARTITA_TABLE_EVENTS` names it. Items expire by `expires_at`. "
        "Stream: new and old images."
    ) in document(TABLES["events"], EXAMPLES)


def test_a_partition_is_drawn_with_rows_of_different_types_in_their_order() -> None:
    drawings = draw(TABLES["fus-main"], EXAMPLES)
    (user,) = [drawing for drawing in drawings if drawing.title == "PK = USER#user-000000"]
    assert user.heads == ("PK", "SK", "item", "attributes")
    keys = [row[1] for row in user.rows]
    assert keys == sorted(keys)
    assert {row[2] for row in user.rows} == {
        "Rating",
        "Comment",
        "Membership",
        "Collection",
        "Profile",
        "Suggestion",
    }
    assert [row[0] for row in user.rows] == ["USER#user-000000", *[""] * (len(user.rows) - 1)]
    assert 2 <= len(drawings) <= 3


def test_an_index_is_drawn_where_types_meet_in_it() -> None:
    drawings = draw(TABLES["igad-testing-main-table"], EXAMPLES)
    (gsi1,) = [drawing for drawing in drawings if drawing.title == "GSI1: GSI1PK = USER#user-000000"]
    assert gsi1.heads == ("GSI1PK", "GSI1SK", "PK", "SK", "item", "attributes")
    assert [row[4] for row in gsi1.rows] == [*["Newsletter"] * 2, *["Proposal"] * 2, *["Share"] * 2]


def test_long_values_are_cut_and_lists_counted() -> None:
    rows = [row for drawing in draw(FORUM, Examples()) for row in drawing.rows]
    assert any("tags=[" in row[-1] for row in rows)
    assert all(len(cell) < 60 for row in rows for cell in row[:-1])
