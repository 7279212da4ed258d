"""The engine against three others, in short; `make differential` is the long run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from partita.dynamo.errors import DynamoError
from partita.engine import Engine
from tests.differential.__main__ import LENGTH, any_sequence, run
from tests.differential.compare import compare
from tests.differential.dice import Dice
from tests.differential.differences import RULES, document, explain
from tests.differential.engines import MINISTACK, OURS, missing, peers
from tests.differential.outcomes import description, send
from tests.differential.report import report
from tests.differential.requests import Step
from tests.differential.tables import Table, table
from tests.differential.updates import change

REQUESTS = 240


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing())
def test_every_difference_to_other_engines_is_explained() -> None:
    tally, unexplained = run(REQUESTS, seed=1, stop_at=3)
    assert not tally.unexplained, f"{report(tally)}\n\n{unexplained}"
    assert tally.requests >= REQUESTS
    assert all(tally.compared[engine] > REQUESTS / 2 for engine in ("moto", "ministack", "dynoxide"))


def test_statements_and_changes_of_tables_are_among_the_requests() -> None:
    seen = {step.operation for number in range(20) for step in any_sequence(f"1-{number}", LENGTH).steps}
    assert seen >= {"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction", "UpdateTable", "CreateTable"}


def test_every_explanation_has_a_name_of_its_own() -> None:
    names = [str(rule) for rule in RULES]
    assert len(names) == len(set(names))


def test_the_differences_are_documented() -> None:
    page = Path(__file__).parents[1] / "docs" / "differences.md"
    assert page.read_text() == document(), "run: python -m tests.differential --document > docs/differences.md"


def test_changes_of_tables_that_should_be_refused_are_and_the_others_lead_where_they_should() -> None:
    refused = 0
    with Engine.temporary() as engine:
        for seed in range(30):
            dice = Dice(f"change-{seed}")
            on = table(dice, f"table-{seed}")
            engine.call("CreateTable", on.create)
            for _ in range(5):
                request, changed = change(dice, on)
                if changed is on:
                    refused += 1
                    with pytest.raises(DynamoError):
                        engine.call("UpdateTable", request)
                else:
                    engine.call("UpdateTable", request)
                on = changed
                _same(engine, on)
    assert 30 < refused < 100


def test_a_refused_change_is_compared_by_the_table_that_it_left() -> None:
    dice = Dice("refused")
    on = next(each for each in (table(dice, "first") for _ in range(20)) if "GlobalSecondaryIndexes" in each.create)
    step = Step("UpdateTable", {"TableName": on.name, "TableClass": "COLD"})
    with peers((OURS,)) as (ours,):
        ours.client.create_table(**on.create)
        refused = send(ours, step, (on,))
    assert refused.code == "ValidationException"
    assert refused.members["Global"] == description(on.create)["Global"]
    other = replace(refused, members={**refused.members, "Global": []})
    (found,) = compare(MINISTACK, step, refused, other, (on,))
    assert found.member == "Global"
    assert str(explain(found)) == "ministack: changes refused half way"
    (found,) = compare(MINISTACK, step, other, refused, (on,))
    assert explain(found) is None, "if it is our table that changed, nothing explains it"


def _same(engine: Engine, on: Table) -> None:
    while True:
        found = engine.call("DescribeTable", {"TableName": on.name})["Table"]
        gsis = found.get("GlobalSecondaryIndexes", [])
        if all(gsi["IndexStatus"] == "ACTIVE" for gsi in gsis):
            break
    assert {gsi["IndexName"] for gsi in gsis} == {index.name for index in on.indexes if not index.local}
    defined = sorted(on.create["AttributeDefinitions"], key=str)
    assert sorted(found["AttributeDefinitions"], key=str) == defined
    assert found.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED") == on.create["BillingMode"]
    assert found["DeletionProtectionEnabled"] == on.create.get("DeletionProtectionEnabled", False)
