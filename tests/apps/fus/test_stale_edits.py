"""Edits of what somebody else changed meanwhile show both versions, in every edit form, without script."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from partita.apps.fus.inputs import (
    CollectionEdit,
    CollectionInput,
    CommentEdit,
    CommentInput,
    GroupEdit,
    NewGroup,
    ProfileEdit,
    SiteEdit,
)
from partita.kit.kit import Kit
from tests.apps.fus.conftest import MANAGES, put
from tests.apps.fus.served import Somebody, serve
from tests.apps.house import person
from tests.web.filled import filled

pytestmark = pytest.mark.anyio


def _with(fields: list[tuple[str, str]], changes: Mapping[str, str]) -> list[tuple[str, str]]:
    return [*((name, value) for name, value in fields if name not in changes), *changes.items()]


async def _opened(somebody: Somebody, path: str) -> list[tuple[str, str]]:
    return filled((await somebody.get(path)).text, path)


async def test_a_site_shows_both_versions_and_saves_what_is_chosen(kit: Kit) -> None:
    fus = serve(kit)
    manager = await fus.person("Manager", "fus:manager")
    site = await put(fus.service, "Sea maps", description="Old words", tags=["sea"])
    path = f"/fus/sites/{site.site_id}/edit"
    form = await _opened(manager, path)
    await fus.service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Sky maps", description="Their words"))
    late = await manager.post(path, _with(form, {"description": "My <words>", "tags": "sea, mine"}))
    assert late.status == 409
    assert "Edited by manager" in late.shown
    assert "added: </span>My &lt;" in late.text
    assert late.text.index("You and somebody else changed this") < late.text.index("Only you changed this")
    assert "You left this as it was; somebody else changed it" in late.shown
    asked = filled(late.text, path)
    assert dict(asked) | {"keep:title": "stored", "keep:description": "typed", "keep:tags": "typed"} == dict(asked)
    saved = await manager.post(path, _with(asked, {"keep:description": "stored"}))
    assert saved.status == 303
    after = await fus.service.sites.site(site.site_id)
    assert (after.title, after.description, after.tags) == ("Sky maps", "Their words", ("sea", "mine"))


async def test_what_was_chosen_can_be_edited_further_and_may_be_late_again(kit: Kit) -> None:
    fus = serve(kit)
    manager = await fus.person("Manager", "fus:manager")
    site = await put(fus.service, "Sea maps")
    path = f"/fus/sites/{site.site_id}/edit"
    form = await _opened(manager, path)
    await fus.service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Theirs"))
    late = await manager.post(path, _with(form, {"title": "Mine"}))
    further = await manager.post(path, [*filled(late.text, path), ("go", "edit")])
    again = filled(further.text, path)
    assert (further.status, dict(again)["title"]) == (200, "Mine")
    await fus.service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Theirs again"))
    assert (await manager.post(path, again)).status == 409
    assert (await fus.service.sites.site(site.site_id)).title == "Theirs again"


async def test_a_comment_and_a_group_show_both_versions(kit: Kit) -> None:
    fus = serve(kit)
    admin = await fus.person("Admin", "fus:admin")
    site = await put(fus.service)
    viewer = person(admin.user_id, "fus:comment:write")
    comment = (await fus.service.comments.write(viewer, site.site_id, CommentInput(body="At first."))).comment
    path = f"/fus/sites/{site.site_id}/comments/{comment.name}/edit"
    form = await _opened(admin, path)
    await fus.service.comments.edit(viewer, site.site_id, comment.name, CommentEdit(body="In the other tab."))
    late = await admin.post(path, _with(form, {"body": "In this tab."}))
    assert (late.status, "In the other tab." in late.shown) == (409, True)
    assert (await admin.post(path, filled(late.text, path))).status == 303
    assert (await fus.service.comments.comment(site.site_id, comment.name)).comment.body == "In this tab."

    manages = person("root", "fus:group:manage", "fus:site:edit", "fus:site:delete")
    await fus.service.groups.create(manages, NewGroup(name="late", permissions=("fus:site:edit",)))
    path = "/fus/groups/late/edit"
    form = await _opened(admin, path)
    await fus.service.groups.edit(manages, "late", GroupEdit(permissions=("fus:site:edit", "fus:site:delete")))
    late = await admin.post(path, _with(form, {"description": "Mine"}))
    assert (late.status, "Delete sites" in late.shown) == (409, True)
    assert (await admin.post(path, filled(late.text, path))).status == 303
    group = await fus.service.groups.group("late")
    assert (group.description, set(group.permissions)) == ("Mine", {"fus:site:edit", "fus:site:delete"})


async def test_a_collection_and_a_profile_show_both_versions(kit: Kit) -> None:
    fus = serve(kit)
    member = await fus.person("Member")
    viewer = person(member.user_id, "fus:collection:write", "fus:rating:write")
    made = await fus.service.collections.create(viewer, CollectionInput(name="Trips", description="At first."))
    site = await put(fus.service)
    path = f"/fus/me/collections/{made.collection_id}/edit"
    form = await _opened(member, path)
    await fus.service.collections.add(viewer, made.collection_id, site.site_id)
    assert (await member.post(path, form)).status == 303, "a site that came is no edit"
    other = CollectionEdit(name="Voyages", description="In the other tab.")
    await fus.service.collections.edit(viewer, made.collection_id, other)
    late = await member.post(path, _with(form, {"description": "In this tab."}))
    assert (late.status, "In the other tab." in late.shown, "Voyages" in late.shown) == (409, True, True)
    assert (await member.post(path, filled(late.text, path))).status == 303
    after = await fus.service.collections.collection(viewer, made.collection_id)
    assert (after.name, after.description, after.site_count) == ("Voyages", "In this tab.", 1)

    path = "/fus/me/profile"
    for about in ("In the other tab.", "And once more."):  # at first nothing is stored
        form = await _opened(member, path)
        await fus.service.profiles.save(viewer, ProfileEdit(is_public=True, about=about))
        late = await member.post(path, _with(form, {"about": f"Not “{about}”"}))
        assert (late.status, about in late.shown) == (409, True)
        assert (await member.post(path, filled(late.text, path))).status == 303
        profile = await fus.service.profiles.mine(viewer)
        assert (profile.is_public, profile.about, profile.collection_count) == (True, f"Not “{about}”", 1)


async def test_programs_are_told_the_current_revision(kit: Kit) -> None:
    fus = serve(kit)
    manager = await fus.person("Manager", "fus:manager")
    site = await put(fus.service)
    after = await fus.service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Theirs"))
    late = await manager.api("PATCH", f"/sites/{site.site_id}", {"title": "Mine", "revision": site.revision})
    assert late.headers["content-type"] == "application/problem+json"
    assert (late.status, late.json["code"], late.json["revision"]) == (409, "changed_meanwhile", after.revision)
    again = {"title": "Mine", "revision": late.json["revision"]}
    assert (await manager.api("PATCH", f"/sites/{site.site_id}", again)).status == 200
