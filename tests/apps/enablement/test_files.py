"""Texts are files: each state has its own, and those that no row names any more are deleted."""

from __future__ import annotations

import pytest

from partita.apps.enablement.inputs import Approval, ContentEdit
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service.texts import TEXTS
from partita.apps.enablement.system import build
from partita.kit.problems import Conflict
from tests.apps.enablement.conftest import ANNA, CARLA, Portal
from tests.apps.house import replay, worker_of

pytestmark = pytest.mark.anyio


async def _stored(portal: Portal) -> set[str]:
    return {file.name async for file in portal.kit.files.listed(TEXTS)}


async def _named(portal: Portal) -> set[str]:
    return {name async for name in portal.service.files.named()}


async def test_only_texts_that_a_row_names_are_left_however_late_and_often_handlers_run(portal: Portal) -> None:
    released = await portal.released()
    for number in range(3):
        await portal.proposed(released.content_id, text=f"Text {number}")
        await portal.proposed_again(released.content_id, text=f"Text {number}, better")
        proposal = await portal.service.proposals.proposal(CARLA, released.content_id)
        await portal.service.lifecycle.approve(ANNA, released.content_id, Approval(version=proposal.version))
    await portal.proposed(released.content_id, text="Given up")
    await portal.service.proposals.discard(CARLA, released.content_id)
    draft = await portal.draft(text="First")
    await portal.service.content.edit(CARLA, draft.content_id, ContentEdit(text="Second"))
    system = build(portal.kit)
    await worker_of(portal.kit, system).drain()
    assert await _stored(portal) == await _named(portal)
    assert len(await _named(portal)) == 4 + 1
    await replay(portal.kit, system, "enablement.files")
    assert await _stored(portal) == await _named(portal)


async def test_an_edit_that_is_refused_leaves_no_text_behind(portal: Portal) -> None:
    draft = await portal.draft()
    with pytest.raises(Conflict):
        await portal.service.content.edit(CARLA, draft.content_id, ContentEdit(text="Other", version="9.9"))
    assert await _stored(portal) == await _named(portal)


async def test_a_text_that_is_the_same_gets_no_new_file(portal: Portal) -> None:
    draft = await portal.draft(text="Same")
    edited = await portal.service.content.edit(CARLA, draft.content_id, ContentEdit(title="New", text="Same"))
    assert isinstance(edited, Content)
    assert edited.s3_uri == draft.s3_uri


async def test_the_text_of_another_program_is_empty_and_not_deleted(portal: Portal) -> None:
    draft = await portal.draft()
    foreign = draft.model_copy(update={"s3_uri": "s3://their-bucket/texts/1.md"})
    assert await portal.service.content.text(foreign) == ""
    assert portal.service.files.named_by(foreign) == frozenset()
