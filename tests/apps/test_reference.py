"""The pages made from the schemas are up to date, no pattern is a scan, and no page costs more as its table grows."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from partita.bootstrap import examples, patterns, tables
from partita.store.costs import cells, costs
from partita.store.measure import measure
from partita.table.cost import cost
from partita.table.document import documents

DOCS = Path(__file__).parent.parent.parent / "docs"
PATTERNS = {pattern.label: pattern for pattern in patterns()}
EXAMPLES = examples()
RENEW = "renew it with `make reference`"


@cache
def _rows() -> dict[str, list[str]]:
    """The committed rows, by the function they are about."""
    lines = (DOCS / "access-patterns.md").read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and " | `" in line]
    return {row[1].strip("`"): row for row in rows}


@pytest.mark.parametrize("label", PATTERNS)
def test_a_pattern_costs_what_the_page_says_however_much_is_stored(label: str) -> None:
    # Here items of all other types stand beside the list, in its partition where they can; on the page there are none.
    request = PATTERNS[label].request(EXAMPLES)
    # Of several types there must be as many as a page holds of each, else a fuller table shows another mixture.
    times = getattr(request, "shards", 1) * max(1, len(getattr(request, "item_types", ())) // 2)
    measured = measure(PATTERNS[label], EXAMPLES, stored=(1, 25, 60 * times, 150 * times), neighbours=10)
    operations = {call.operation for step in measured.steps for call in step.calls}
    assert "Scan" not in operations
    *_, enough, many = measured.steps
    assert enough.units == many.units, "a page costs more because more is stored"
    said = cost(measured.request, EXAMPLES, items=25)
    assert (said.units, said.calls, said.kind) == (enough.units, len(enough.calls), enough.kind), "`partita explain`"
    row = _rows().get(label)
    assert row is not None, f"docs/access-patterns.md lacks it: {RENEW}"
    *told, item, one, few, _, most = cells(measured)
    assert row[:3] == told, f"docs/access-patterns.md is old: {RENEW}"
    if row[3] == item:  # a field more makes items larger; the page may wait for others with that
        assert row[4:] == [one, few, most], f"docs/access-patterns.md is old: {RENEW}"


def test_the_page_has_its_head_and_no_pattern_that_is_gone() -> None:
    assert (DOCS / "access-patterns.md").read_text().startswith(costs({})), f"docs/access-patterns.md is old: {RENEW}"
    assert _rows().keys() <= PATTERNS.keys(), f"docs/access-patterns.md is old: {RENEW}"


def test_the_page_of_tables_is_what_the_schemas_make() -> None:
    renew = "renew it with `partita tables > docs/tables.md`"
    assert (DOCS / "tables.md").read_text() == documents(tables(), EXAMPLES), f"docs/tables.md is old: {renew}"


def test_the_page_is_the_same_whichever_schema_is_imported_first() -> None:
    """Several modules keep their items in the house's table."""
    program = (
        "import {first}, {second}\n"
        "from partita.kit.schema import HOUSE\n"
        "print([kind.__name__ for kind in HOUSE.item_types], [pattern.label for pattern in HOUSE.patterns])"
    )
    names = ("partita.kit.changes.schema", "partita.kit.notifications.schema")
    said = [
        subprocess.run(
            [sys.executable, "-c", program.format(first=first, second=second)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for first, second in (names, names[::-1])
    ]
    assert said[0] == said[1]
