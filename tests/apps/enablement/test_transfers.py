"""Handing over everything that somebody owns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import Transfer
from partita.apps.enablement.system import build
from partita.kit.problems import Forbidden, Invalid, NotFound
from tests.apps.enablement.conftest import ADMIN, ANNA, CARLA
from tests.apps.enablement.telling import Telling, telling_in
from tests.apps.house import jobs_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def telling(tmp_path: Path) -> Iterator[Telling]:
    with telling_in(tmp_path) as portal:
        yield portal


async def owned(portal: Telling, user_id: str) -> int:
    return len([each async for each in portal.kit.store.stream(schema.content_of_owner(user_id))])


async def test_everything_changes_hands_in_every_state_and_the_administrator_is_told(telling: Telling) -> None:
    await telling.draft("A draft")
    released = await telling.released("Released")
    await telling.waiting("Waiting")
    worker = jobs_of(telling.kit, build(telling.kit))
    assert await telling.service.transfers.count(ADMIN, CARLA.id) == 3
    job = await telling.service.transfers.start(ADMIN, CARLA.id, Transfer(to="carl", comment="She has left."))
    again = await telling.service.transfers.start(ADMIN, CARLA.id, Transfer(to="carl"))
    assert again.job_id == job.job_id, "two presses, one run"
    await worker.drain()
    ended = await telling.kit.jobs.find(ADMIN, job.job_id)
    assert (ended.state, ended.result_message) == ("done", "3 items handed over.")
    assert (await owned(telling, "carla"), await owned(telling, "carl")) == (0, 3)
    after = await telling.service.changing.content(released.content_id)
    assert after.last_updated == released.last_updated, "no news"
    latest = await telling.service.history.entries(ADMIN, released.content_id, limit=1)
    assert (latest.items[0].action, latest.items[0].comment) == ("handed_over", "She has left.")
    await telling.catch_up()
    assert "Content of Carla handed over" in [each.title for each in await telling.told(ADMIN)]


async def test_a_killed_job_goes_on_with_what_is_left(telling: Telling) -> None:
    for number in range(5):
        await telling.draft(f"Draft {number}")
    worker = jobs_of(telling.kit, build(telling.kit))
    one = await telling.kit.store.page(schema.content_of_owner("carla"), limit=2)
    for content in one:
        await telling.service.lifecycle.hand_over(ADMIN, content.content_id, Transfer(to="carl"))
    await telling.service.transfers.start(ADMIN, "carla", Transfer(to="carl"))
    await worker.drain()
    assert (await owned(telling, "carla"), await owned(telling, "carl")) == (0, 5)


async def test_only_administrators_and_only_to_somebody_who_may_write(telling: Telling) -> None:
    jobs_of(telling.kit, build(telling.kit))
    await telling.draft()
    with pytest.raises(Forbidden):
        await telling.service.transfers.start(ANNA, "carla", Transfer(to="carl"))
    for heir in ("vera", "nobody", "carla"):
        with pytest.raises(Invalid):
            await telling.service.transfers.start(ADMIN, "carla", Transfer(to=heir))
    with pytest.raises(NotFound):
        await telling.service.transfers.start(ADMIN, "anna", Transfer(to="carl"))
