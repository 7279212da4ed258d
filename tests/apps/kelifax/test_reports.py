"""Reports, until somebody closes them or the resource is deleted, on a real engine."""

from __future__ import annotations

import pytest

from partita.apps.kelifax import system
from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import Report
from partita.apps.kelifax.service import KelifaxService
from partita.kit.kit import Kit
from partita.kit.problems import NotFound
from partita.table import Put
from tests.apps.house import worker_of
from tests.apps.kelifax.conftest import MOD, approved

pytestmark = pytest.mark.anyio


async def test_reports_wait_until_somebody_closes_them(service: KelifaxService) -> None:
    await approved(service)
    await service.reports.add("amazing-dev-tool", "dead link", "somebody")
    (report,) = (await service.reports.all_open()).items
    await service.reports.close(MOD, report.slug, report.entry_id)
    assert (await service.reports.all_open()).items == ()
    with pytest.raises(NotFound):
        await service.reports.close(MOD, report.slug, report.entry_id)
    with pytest.raises(NotFound):
        await service.reports.add("nothing", "x", "somebody")


async def test_a_resource_has_its_own_history_and_reports(service: KelifaxService) -> None:
    await approved(service)
    await approved(service, "Other")
    await service.moderation.edit(MOD, "other", ResourceEdit(tags=["new"]))
    await service.reports.add("other", "dead link", "somebody")
    await service.reports.add("other", "spam", "somebody")
    assert [entry.action for entry in await service.moderation.history("other")] == ["edit", "approve"]
    assert [entry.action for entry in await service.moderation.history("other", 1)] == ["edit"]
    assert [entry.action for entry in await service.moderation.history("amazing-dev-tool")] == ["approve"]
    assert [report.reason for report in await service.reports.open_of("other")] == ["spam", "dead link"]
    await service.reports.close(MOD, "other", (await service.reports.open_of("other"))[0].entry_id)
    assert [report.reason for report in await service.reports.open_of("other")] == ["dead link"]
    assert await service.reports.open_of("amazing-dev-tool") == ()


async def test_deleting_a_resource_closes_its_reports_at_once(service: KelifaxService) -> None:
    await approved(service)
    await approved(service, "Other")
    for slug in ("amazing-dev-tool", "other"):
        await service.reports.add(slug, "dead link", "somebody")
    await service.moderation.delete(MOD, "amazing-dev-tool")
    assert [report.slug for report in (await service.reports.all_open()).items] == ["other"]
    with pytest.raises(NotFound):
        await service.reports.add("amazing-dev-tool", "dead link", "somebody")


async def test_very_many_reports_are_closed_by_the_change_and_those_of_a_successor_stay(
    kit: Kit, service: KelifaxService
) -> None:
    built = system.build(kit)
    worker = worker_of(kit, built)
    await approved(service)
    old = "2026-01-01T00:00:00.000000Z"
    await kit.store.batch_write(
        Put(Report(slug="amazing-dev-tool", entry_id=str(number), logged_at=old, reason="spam"))
        for number in range(120)
    )
    await service.moderation.delete(MOD, "amazing-dev-tool")
    assert len(await service.reports.open_of("amazing-dev-tool", 200)) == 80
    await approved(service)
    await service.reports.add("amazing-dev-tool", "of the new one", "somebody")
    await worker.drain()
    assert [report.reason for report in (await service.reports.all_open()).items] == ["of the new one"]
