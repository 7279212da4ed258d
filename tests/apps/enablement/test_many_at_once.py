"""Many people at once, in good weather and bad: nothing is lost unseen, and no version is given twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.formats import version_number
from partita.apps.enablement.inputs import Approval, ContentEdit, Reason, Retirement
from partita.apps.enablement.schema import Content, Proposal
from partita.apps.enablement.service.changing import Changed
from partita.kit.problems import Conflict
from partita.table import Update
from tests.apps.enablement.conftest import ADMIN, ANNA, ARNO, CARLA, Portal, portal_in
from tests.apps.house import BAD_WEATHER

pytestmark = pytest.mark.anyio


async def _versions(portal: Portal, content_id: str) -> list[str]:
    entries = [each async for each in portal.kit.store.stream(schema.history_of(content_id))]
    return [each.to_version for each in entries if each.to_version is not None]


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
class TestManyAtOnce:
    async def test_of_twenty_editors_who_saw_one_version_one_wins(self, tmp_path: Path, weather: Any) -> None:
        with portal_in(tmp_path, faults=weather) as portal:
            draft = await portal.draft()
            edits = [ContentEdit(title=f"Title {number}", version=draft.version) for number in range(20)]
            results = await asyncio.gather(
                *(portal.service.content.edit(CARLA, draft.content_id, edit) for edit in edits), return_exceptions=True
            )
            assert Counter(type(result) for result in results) == {Content: 1, Changed: 19}
            assert sorted(await _versions(portal, draft.content_id)) == ["0.1", "0.2"]

    async def test_twenty_editors_who_name_no_version_get_twenty_versions(self, tmp_path: Path, weather: Any) -> None:
        with portal_in(tmp_path, faults=weather) as portal:
            draft = await portal.draft()

            async def edit(number: int) -> None:
                changes = ContentEdit(title=f"Title {number}", text=f"Text {number}")
                for _ in range(50):
                    try:
                        await portal.service.content.edit(CARLA, draft.content_id, changes)
                    except Exception as error:
                        if type(error).__name__ != "ChangedMeanwhileError":
                            raise
                    else:
                        return
                raise AssertionError("never got through")

            background = [
                portal.kit.store.write(Update(draft.own_key, Content.page_count.set(number))) for number in range(20)
            ]
            await asyncio.gather(*(edit(number) for number in range(20)), *background)
            versions = await _versions(portal, draft.content_id)
            assert sorted(map(version_number, versions)) == [(0, minor) for minor in range(1, 22)]
            after = await portal.service.changing.content(draft.content_id)
            assert (after.version, after.page_count is not None) == ("0.21", True)

    async def test_twenty_editors_of_released_content_make_one_proposal(self, tmp_path: Path, weather: Any) -> None:
        with portal_in(tmp_path, faults=weather) as portal:
            released = await portal.released()
            edits = [ContentEdit(title=f"Title {number}", version=released.version) for number in range(20)]
            results = await asyncio.gather(
                *(portal.service.content.edit(CARLA, released.content_id, edit) for edit in edits),
                return_exceptions=True,
            )
            assert Counter(type(result) for result in results) == {Proposal: 1, Changed: 19}
            assert await portal.service.changing.content(released.content_id) == released

    async def test_of_decisions_at_once_one_is_made(self, tmp_path: Path, weather: Any) -> None:
        with portal_in(tmp_path, faults=weather) as portal:
            waiting = await portal.waiting()
            approval = Approval(version=waiting.version)
            results = await asyncio.gather(
                *(
                    portal.service.lifecycle.approve(who, waiting.content_id, approval)
                    for who in (ANNA, ARNO, ADMIN) * 4
                ),
                return_exceptions=True,
            )
            assert Counter(type(result) for result in results) == {Content: 1, Conflict: 11}
            assert (await portal.service.changing.content(waiting.content_id)).version == "1.0"

    async def test_retiring_and_expiring_at_once_leaves_one_of_them(self, tmp_path: Path, weather: Any) -> None:
        with portal_in(tmp_path, faults=weather) as portal:
            released = await portal.released()
            retirement = Retirement(reason="No longer sold.")
            results = await asyncio.gather(
                *(portal.service.lifecycle.retire(ANNA, released.content_id, retirement) for _ in range(5)),
                *(portal.service.lifecycle.expire(ANNA, released.content_id, Reason()) for _ in range(5)),
                return_exceptions=True,
            )
            assert Counter(type(result) for result in results) == {Content: 1, Conflict: 9}

    async def test_two_that_replace_each_other_at_once_make_no_circle(self, tmp_path: Path, weather: Any) -> None:
        with portal_in(tmp_path, faults=weather) as portal:
            one, two = await portal.released("One"), await portal.released("Two")
            await asyncio.gather(
                *(
                    portal.service.lifecycle.retire(
                        ANNA, old.content_id, Retirement(reason="Old.", superseded_by=new.content_id)
                    )
                    for old, new in ((one, two), (two, one))
                ),
                return_exceptions=True,
            )
            after = [await portal.service.changing.content(each.content_id) for each in (one, two)]
            assert Counter(each.superseded_by is not None for each in after) == {True: 1, False: 1}
