"""Who changed a site: every change once, whatever is retried, and read by those who may edit."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from partita.apps.fus import schema
from partita.apps.fus.inputs import SiteEdit
from partita.apps.fus.schema import FUS, Site, SiteLog
from partita.apps.fus.service import FusService
from partita.apps.fus.service.history import SITE_FIELDS, timeline_entry
from partita.apps.fus.system import build
from partita.kit.history import applied
from partita.kit.kit import Kit
from partita.kit.problems import Conflict
from partita.table import Update
from tests.apps.fus import original
from tests.apps.fus.conftest import MANAGES, put
from tests.apps.fus.served import serve
from tests.apps.house import BAD_WEATHER, kit_on, replay, worker_of

pytestmark = pytest.mark.anyio


async def _entries(kit: Kit, site_id: str) -> list[SiteLog]:
    return [entry async for entry in kit.store.stream(schema.history_of(site_id))]


async def test_an_edit_is_recorded_with_what_it_changed(service: FusService, kit: Kit) -> None:
    site = await put(service, "Sea maps", description="Maps of the sea.", tags=["sea", "maps"])
    edit = SiteEdit(title="Sky maps", tags=("maps", "sky"))
    after = await service.sites.edit(MANAGES, site.site_id, edit)
    (entry,) = await _entries(kit, site.site_id)
    assert (entry.by, entry.action) == ("manager", "edit")
    before = SITE_FIELDS.version(site)
    assert applied(entry.edits, before) == SITE_FIELDS.version(after)
    assert [change.label for change in timeline_entry(entry).changes] == ["Title", "Tags"]


async def test_what_changes_nothing_is_not_recorded(service: FusService, kit: Kit) -> None:
    site = await put(service, "Same")
    await service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Same"))
    assert await _entries(kit, site.site_id) == []


async def test_a_deleted_site_keeps_its_history(service: FusService, kit: Kit) -> None:
    site = await put(service, "Bygone")
    await service.sites.delete(MANAGES, site.site_id)
    assert [entry.action for entry in (await service.history.of_site(site.site_id)).items] == ["delete"]


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_there_are_as_many_entries_as_revisions_however_many_edit_at_once(tmp_path: Path, weather: Any) -> None:
    with kit_on(tmp_path, FUS, faults=weather) as kit:
        service = FusService(kit)
        site = await put(service, "Start")
        edits = [SiteEdit(title=f"Title {number}") for number in range(12)]
        results = await asyncio.gather(
            *(service.sites.edit(MANAGES, site.site_id, edit) for edit in edits), return_exceptions=True
        )
        unexpected = [each for each in results if not isinstance(each, Site | Conflict)]
        assert not unexpected or weather is not None, unexpected
        after = await service.sites.site(site.site_id)
        entries = await _entries(kit, site.site_id)
        assert len(entries) == after.revision - site.revision


async def test_what_another_program_changes_is_recorded_once_however_often_the_handler_runs(kit: Kit) -> None:
    system = build(kit)
    service = FusService(kit)
    kept = await put(service, "Kept")
    await service.sites.edit(MANAGES, kept.site_id, SiteEdit(title="Ours"))
    await kit.store.write(Update(kept.own_key, Site.description.set("Written past us.")))
    await worker_of(kit, system).drain()
    await replay(kit, system, "fus.history")
    entries = await _entries(kit, kept.site_id)
    assert sorted((entry.by, len(entry.edits)) for entry in entries) == [("another program", 1), ("manager", 1)]


async def test_a_site_that_is_written_over_by_another_program_is_recorded(kit: Kit) -> None:
    system = build(kit)
    first = original.site("old", title="Before")
    await original.write(kit, *first)
    await original.write(kit, *original.site("old", title="After"))
    await worker_of(kit, system).drain()
    await replay(kit, system, "fus.history")
    (entry,) = await _entries(kit, "old")
    assert [(change.label, len(change.pieces)) for change in timeline_entry(entry).changes] == [("Title", 2)]


async def test_entries_are_in_no_index_of_the_document(service: FusService, kit: Kit) -> None:
    site = await put(service, "Plain", tags=["a"])
    await service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Plainer"))
    (entry,) = await _entries(kit, site.site_id)
    keys = {name for index in FUS.indexes for name in (*_names(index.pk), *_names(index.sk))}
    assert "entityType" in keys
    assert keys.isdisjoint(entry.to_row())


async def test_those_who_may_edit_see_the_history_and_nobody_else(kit: Kit) -> None:
    fus = serve(kit)
    manager, member = await fus.person("Manager", "fus:manager"), await fus.person("Member")
    site = await put(fus.service, "Sea maps")
    path = f"/fus/sites/{site.site_id}/history"
    assert "Nobody has edited this site" in (await manager.get(path)).shown
    await fus.service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Sky <maps>"))
    page = (await manager.get(path)).text
    assert "removed: </span>Sea <span" in page
    assert "added: </span>Sky &lt;" in page
    assert f'href="{path}"' in (await manager.get(f"/fus/sites/{site.site_id}")).text
    assert f'href="{path}"' not in (await member.get(f"/fus/sites/{site.site_id}")).text
    assert (await member.get(path)).status == 403
    (told,) = (await manager.api("GET", f"/sites/{site.site_id}/history")).json["items"]
    assert (told["by"], told["edits"][0]["field"]) == ("manager", "title")
    assert (await manager.get("/fus/sites/never-there/history")).status == 404


async def test_the_labels_are_those_of_the_form(kit: Kit) -> None:
    fus = serve(kit)
    manager = await fus.person("Manager", "fus:manager")
    site = await put(fus.service)
    form = (await manager.get(f"/fus/sites/{site.site_id}/edit")).text
    for name, label in SITE_FIELDS.labels.items():
        assert f'<label for="f-{name}">{label}' in form


def _names(key: Any) -> tuple[str, ...]:
    if key is None:
        return ()
    parts = key if isinstance(key, tuple | list) else (key,)
    return tuple(str(getattr(part, "name", part)) for part in parts)
