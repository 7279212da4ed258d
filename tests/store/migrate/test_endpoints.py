"""The same migration over HTTP: on our door, on moto's server and on dynoxide."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from partita.dynamo.python_values import item_from_python
from partita.dynamo.requests import PutItem
from partita.store.dynamo import DynamoStore, fixed
from partita.store.migrate import Pace, Tally, migrate, rehearse, status, verify
from tests.serving import DYNOXIDE, Served, dynoxide_server, moto_server, partita_door
from tests.store.migrate.library import CARDS, CARDS_AT_HAND, LIBRARY_CARDS, Loan, Reader
from tests.store.migrate.test_run import MADE


def server(name: str, folder: Path) -> AbstractContextManager[Served]:
    if name == "door":
        return partita_door(folder)
    return moto_server() if name == "moto" else dynoxide_server(folder)


@pytest.mark.parametrize("name", ["door", "moto", "dynoxide"])
def test_a_migration_is_rehearsed_run_verified_and_run_again(name: str, tmp_path: Path) -> None:
    if name == "dynoxide" and not DYNOXIDE.exists():
        pytest.skip("dynoxide is not installed: npm ci")
    expected = Tally(moved=51, skipped=1, problems=4, written=MADE)
    with server(name, tmp_path) as served:
        store = DynamoStore(endpoint_url=served.url, region="us-east-1", credentials=fixed("any", "any"))
        try:
            store.create(CARDS)
            for row in CARDS_AT_HAND:
                store.transport.send(PutItem(table=CARDS.name, item=item_from_python(row)))
            assert rehearse(store, LIBRARY_CARDS).tally == expected
            assert status(store, LIBRARY_CARDS.name) is None
            assert migrate(store, LIBRARY_CARDS, page=10, pace=Pace(100_000)).tally == expected
            assert len(verify(store, LIBRARY_CARDS).differences) == 4
            assert migrate(store, LIBRARY_CARDS).tally.already == 21
            ada = store.get(Reader.get(Reader.reader("ada")))
            assert ada is not None
            assert ada.loans == 9 == store.count(Loan.query(Loan.reader("ada")))
        finally:
            store.close()
