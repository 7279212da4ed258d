"""Document paths: what a projection keeps of an item."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from partita.dynamo.expressions import bind
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.paths import project, resolve
from partita.dynamo.expressions.tree import Path, Projection
from partita.dynamo.python_values import item_from_python, item_to_python
from tests.dynamo.strategies import items, projections

ITEM = {"a": 1, "m": {"x": 1, "y": {"z": 2}}, "l": ["zero", "one", {"k": 3, "j": 4}]}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a", {"a": 1}),
        ("absent", {}),
        ("a, absent", {"a": 1}),
        ("m.x", {"m": {"x": 1}}),
        ("m.y.z, m.x", {"m": {"y": {"z": 2}, "x": 1}}),
        ("m.absent", {}),
        ("a.x", {}),
        ("a[0]", {}),
        ("l[1]", {"l": ["one"]}),
        ("l[2].k, l[0]", {"l": ["zero", {"k": 3}]}),
        ("l[2].j, l[2].k", {"l": [{"k": 3, "j": 4}]}),
        ("l[9]", {}),
        ("m", {"m": ITEM["m"]}),
    ],
)
def test_a_projection_keeps_what_its_paths_name(text: str, kept: dict[str, Any]) -> None:
    paths = bind.projection(text, Placeholders()).paths
    assert item_to_python(project(paths, item_from_python(ITEM))) == kept


@given(projections, items)
def test_a_projection_keeps_nothing_that_is_not_in_the_item(projection: Projection, item: dict[str, Any]) -> None:
    kept = project(projection.paths, item)
    assert kept.keys() <= item.keys()
    for path in projection.paths:
        if all(isinstance(part, str) for part in path.parts):
            # Without list positions nothing moves.
            assert resolve(path, kept) == resolve(path, item)


def test_a_path_reads_nothing_where_nothing_is() -> None:
    item = item_from_python(ITEM)
    assert resolve(Path(("m", "y", "z")), item) == {"N": "2"}
    assert resolve(Path(("m", "y", "z", "more")), item) is None
    assert resolve(Path(("absent", 0)), item) is None
