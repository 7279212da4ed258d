"""One engine for all tests here, with tables that they only read or that each test fills under keys of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from partita.engine import Engine
from tests.engine.tables import Clock, create, index


@pytest.fixture(scope="package")
def engine() -> Iterator[Engine]:
    """`music` has an index and a stream, `pairs` a local and a global index, `wide` an index of four attributes."""
    with Engine.temporary(clock=Clock(), background=False) as engine:
        create(
            engine,
            "music",
            gsis=[index("byTag", "tag")],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        )
        create(
            engine,
            "pairs",
            "pk sk",
            lsis=[index("byBirth", "pk", "born")],
            gsis=[index("byTag", "tag", "sk", "KEYS_ONLY")],
        )
        create(engine, "wide", gsis=[index("byPlace", "land town", "street house")])
        yield engine
