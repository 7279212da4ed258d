"""One door for all client programs, started the way a user starts it."""

from collections.abc import Iterator

import pytest

from tests.serving import Served, partita_door


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with partita_door(tmp_path_factory.mktemp("door")) as served:
        yield served
