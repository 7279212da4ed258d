"""The history of a resource: what moderators edit, and what other programs write, each once."""

from __future__ import annotations

import pytest

from partita.apps.kelifax import schema
from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import Decision, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.history import RESOURCE_FIELDS, timeline_entry
from partita.apps.kelifax.system import build
from partita.kit.history import applied
from partita.kit.kit import Kit
from partita.table import Update
from tests.apps.house import replay, worker_of
from tests.apps.kelifax.conftest import MOD, approved
from tests.apps.kelifax.served import serve

pytestmark = pytest.mark.anyio


async def _decisions(kit: Kit, slug: str) -> list[Decision]:
    return [entry async for entry in kit.store.stream(schema.decisions_on(slug))]


async def test_an_edit_is_recorded_with_what_it_changed(service: KelifaxService, kit: Kit) -> None:
    before = await approved(service)
    slug = before.resource_slug
    edit = ResourceEdit(usage_purpose="Helps people to read programs.", category="ai", tags=["analysis", "reading"])
    after = await service.moderation.edit(MOD, slug, edit)
    entry = (await _decisions(kit, slug))[0]
    assert applied(entry.edits, RESOURCE_FIELDS.version(before)) == RESOURCE_FIELDS.version(after)
    changes = {change.label: change for change in timeline_entry(entry).changes}
    assert list(changes) == ["Category", "Purpose", "Tags"]
    assert (changes["Category"].before, changes["Category"].after) == (before.category_name, after.category_name)
    assert [piece for piece in changes["Purpose"].pieces if piece.mark != "="] == [("-", "write"), ("+", "read")]
    assert set(changes["Tags"].pieces) == {("-", "compilers"), ("+", "reading")}


async def test_edits_of_earlier_times_still_tell_what_they_changed(service: KelifaxService) -> None:
    old = Decision(
        slug="a", logged_at="2026-01-26T10:30:00Z", entry_id="1", by="moa", action="edit", changed=("resourceName", "x")
    )
    assert timeline_entry(old).note == "Changed name, x"


async def test_what_another_program_changes_is_recorded_once_however_often_the_handler_runs(
    service: KelifaxService, kit: Kit
) -> None:
    system = build(kit)
    slug = (await approved(service)).resource_slug
    await service.moderation.edit(MOD, slug, ResourceEdit(resource_name="Ours"))
    resource = await service.moderation.inspect(slug)
    await kit.store.write(Update(resource.own_key, Resource.usage_purpose.set("Written past everything of ours.")))
    await worker_of(kit, system).drain()
    await replay(kit, system, "kelifax.history")
    told = sorted((entry.by, entry.action) for entry in await _decisions(kit, slug))
    assert told == [("another program", "edit"), ("mod", "approve"), ("mod", "edit")]


async def test_the_history_has_pages(service: KelifaxService) -> None:
    slug = (await approved(service)).resource_slug
    for number in range(4):
        await service.moderation.edit(MOD, slug, ResourceEdit(resource_name=f"Name {number}"))
    first = await service.moderation.history(slug, 3)
    rest = await service.moderation.history(slug, 3, cursor=first.next_cursor)
    assert [entry.action for entry in (*first, *rest)] == ["edit"] * 4 + ["approve"]


async def test_moderators_see_the_history_and_the_api_tells_it(kit: Kit) -> None:
    kelifax = serve(kit)
    moderator = await kelifax.person("kelifax:moderator")
    slug = (await approved(kelifax.service)).resource_slug
    await kelifax.service.moderation.edit(MOD, slug, ResourceEdit(resource_name="Amazing <Tool>"))
    told = (await moderator.api("GET", f"/moderation/{slug}")).json["history"][0]
    assert told["edits"][0]["field"] == "resourceName"
    assert (await kelifax.visitor().get(f"/kelifax/moderation/{slug}/history")).status == 303


async def test_the_labels_are_those_of_the_form() -> None:
    from pathlib import Path

    import partita.apps.kelifax as package

    form = (Path(package.__file__).parent / "templates/kelifax/fields.html").read_text()
    for name, label in RESOURCE_FIELDS.labels.items():
        assert f'at ~ "{name}", "{label}"' in form
