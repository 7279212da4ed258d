"""`partita adopt --dry-run` counts what `partita adopt` does, whatever another program has written of its rows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.fus.schema import FUS
from partita.apps.fus.service.adoption import adoptions as adoptions_of_fus
from partita.apps.kelifax.schema import RESOURCES, STATUSES
from partita.apps.kelifax.service.adoption import adoptions as adoptions_of_kelifax
from partita.apps.worthwatch.schema import WORTHWATCH
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.adoption import Adoption, adopt_all
from partita.kit.kit import Kit
from partita.table import Table
from tests.apps.fus import original as fus
from tests.apps.house import kit_on
from tests.apps.kelifax import original as kelifax
from tests.apps.worthwatch import test_adoption as worthwatch
from tests.apps.worthwatch.conftest import POLICY

Row = dict[str, Any]
OF_KELIFAX = tuple(kelifax.resource(status, status) for status in STATUSES)
OF_FUS = (
    *fus.site("1", "", "maps", "paths"),
    *fus.site("2"),
    fus.rating("u1", "1", 4),
    fus.rating("u2", "2", 2),
    fus.comment("u1", "1", "c1"),
    fus.group("keepers", "fus:site:edit"),
    fus.membership("u1", "keepers"),
)
SYSTEMS = {
    "kelifax": (RESOURCES, OF_KELIFAX, kelifax.write, lambda kit: adoptions_of_kelifax(kit.store)),
    "fus": (FUS, OF_FUS, fus.write, lambda kit: adoptions_of_fus(kit.store)),
    "worthwatch": (WORTHWATCH, worthwatch.ROWS, worthwatch.write, lambda kit: WorthWatchService(kit).adoptions),
}


@pytest.mark.parametrize("system", SYSTEMS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_dry_run_counts_what_is_adopted_and_nothing_afterwards(system: str, data: st.DataObject) -> None:
    table, rows, write, adoptions = SYSTEMS[system]
    places = data.draw(st.sets(st.sampled_from(range(len(rows)))))
    asyncio.run(_compare(table, [rows[place] for place in sorted(places)], write, adoptions))


async def _compare(
    table: Table,
    rows: list[Row],
    write: Callable[..., Awaitable[None]],
    adoptions: Callable[[Kit], tuple[Adoption[Any], ...]],
) -> None:
    with TemporaryDirectory() as folder, kit_on(Path(folder), table) as kit:
        kit.accounts.use(POLICY, ())
        await write(kit, *rows)
        dry = await adopt_all(kit.store, adoptions(kit), dry_run=True)
        done = await adopt_all(kit.store, adoptions(kit))
        assert dry.adopted == done.adopted
        for dry_run in (True, False):
            again = await adopt_all(kit.store, adoptions(kit), dry_run=dry_run)
            assert not any(again.adopted.values())
