"""A store on a temporary engine."""

from collections.abc import Iterator

import pytest

from partita.engine import Engine
from partita.store import EmbeddedStore
from tests.table.forum import FORUM


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        yield store
