"""Every access pattern of the five systems runs, and none is a scan."""

import importlib
from collections.abc import Iterator

import pytest

from partita.dynamo import requests
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Pattern, Table

SYSTEMS = ("kelifax", "fus", "worthwatch", "newsletter", "enablement")
TABLES = [
    table
    for system in SYSTEMS
    for table in vars(importlib.import_module(f"partita.apps.{system}.schema")).values()
    if isinstance(table, Table)
]
PATTERNS = [pattern for table in TABLES for pattern in table.patterns]


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(*TABLES)
        yield store


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.label)
def test_a_pattern_is_a_request_that_runs_and_is_no_scan(pattern: Pattern, store: EmbeddedStore) -> None:
    request = pattern.request().request()
    assert isinstance(request, requests.GetItem | requests.Query)
    store.engine.execute(request)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_index_is_written_by_an_item_type_and_used_by_a_pattern(table: Table) -> None:
    used = {getattr(pattern.request(), "index", None) for pattern in table.patterns}
    for index in table.indexes:
        assert index in used, f"no access pattern reads {index!r}"
        writers = [kind for kind in table.item_types if all(kind.__layout__.makes(key.name) for key in index.key_names)]
        assert writers, f"nothing writes the keys of {index!r}"


def test_every_pattern_has_a_name_of_its_own() -> None:
    labels = [pattern.label for pattern in PATTERNS]
    assert len(set(labels)) == len(labels)
