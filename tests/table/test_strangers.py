"""Other people's schemas of common shapes: nothing false is said about them, and every tool works on them."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import hcl2
import pytest

from partita.store.measure import measure
from partita.table import Pattern, Query, Table
from partita.table.check import check
from partita.table.cloudformation import cloudformation
from partita.table.cost import cost
from partita.table.document import document
from partita.table.example_keys import finds
from partita.table.examples import Examples
from partita.table.explain import explain
from partita.table.terraform import terraform
from partita.table.workbench import workbench
from tests.table.linted import mistakes
from tests.table.strangers.chat import CHAT
from tests.table.strangers.saas import SAAS
from tests.table.strangers.shop import SHOP

TABLES = [SHOP, SAAS, CHAT]
PATTERNS = [pattern for table in TABLES for pattern in table.patterns]
by_table = pytest.mark.parametrize("table", TABLES, ids=repr)
by_pattern = pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.label)

TRUE = {("foreign-rows", "room_and_members")}
"""A collection reads its partition from end to end, with the messages."""


@by_table
def test_only_what_is_true_is_found(table: Table) -> None:
    found = {(finding.code, finding.subject): str(finding) for finding in check([table]) if finding.accepted is None}
    assert found.keys() == {each for each in TRUE if table is CHAT}, found


@by_pattern
def test_a_list_has_as_many_examples_as_one_wants_and_finds_them_all(pattern: Pattern) -> None:
    request = pattern.request()
    found = list(islice(Examples().of(request), 200))
    if isinstance(request, Query):
        lookup = request.index is not None and not request.index.sk
        assert len(found) == (1 if lookup else 200)
        assert all(map(finds(request), found))


@by_pattern
def test_what_a_pattern_is_said_to_cost_is_what_the_engine_charges(pattern: Pattern) -> None:
    measured = measure(pattern, Examples(), stored=(60,), neighbours=30)
    (step,) = measured.steps
    said = cost(measured.request, Examples(), items=25)
    assert (said.units, said.calls, said.kind) == (step.units, len(step.calls), step.kind)


@by_pattern
def test_every_pattern_is_explained(pattern: Pattern) -> None:
    assert f"  {pattern.name}\n" in explain(pattern)


@by_table
def test_every_export_works(table: Table) -> None:
    assert mistakes(cloudformation([table])) == []
    assert hcl2.loads(terraform([table]))["resource"]
    model: dict[str, Any] = json.loads(workbench([table]))
    types = {each["AttributeName"]: each["AttributeType"] for each in model["DataModel"][0]["NonKeyAttributes"]}
    if table is SHOP:
        assert (types["openFor"], types["price"], types["placedAt"]) == ("S", "N", "S")
        (order,) = [each for each in model["DataModel"][0]["TableFacets"] if each["FacetName"] == "Order"]
        assert "openFor" in order["NonKeyAttributes"]


def test_the_page_of_a_table_says_what_derived_attributes_are_made_of() -> None:
    assert "| openFor (made of customer_id, state) |" in document(SHOP)
