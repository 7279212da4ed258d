"""Collections and products."""

from __future__ import annotations

import asyncio

import pytest

from partita.apps.enablement.inputs import (
    CollectionEdit,
    CollectionEntry,
    NewCollection,
    ProductsInput,
    Retirement,
    SuiteInput,
)
from partita.apps.enablement.schema import Collection
from partita.kit.inputs import StaleEdit
from partita.kit.problems import Forbidden, Invalid, NotFound
from tests.apps.enablement.conftest import ADMIN, ANNA, CARLA, VERA, Portal

pytestmark = pytest.mark.anyio


def entries(*content_ids: str) -> tuple[CollectionEntry, ...]:
    return tuple(CollectionEntry(content_id=each, note=f"Why {number}") for number, each in enumerate(content_ids))


class TestCollections:
    async def _made(self, portal: Portal, *content_ids: str, title: str = "Your first week") -> Collection:
        new = NewCollection(title=title, entries=entries(*content_ids))
        return await portal.service.collections.create(ANNA, new)

    async def test_things_are_in_order_and_it_knows_how_far_somebody_is(self, portal: Portal) -> None:
        ids = [(await portal.released(f"Part {number}")).content_id for number in range(3)]
        made = await self._made(portal, *reversed(ids))
        shelf = await portal.service.collections.get(VERA, made.collection_id)
        assert [place.content.content_id for place in shelf.places] == ids[::-1]
        assert [place.entry.note for place in shelf.places] == ["Why 0", "Why 1", "Why 2"]
        assert (shelf.read, shelf.to_read) == (0, 3)
        await portal.service.reading.confirm(VERA, ids[2])
        (shelf,) = await portal.service.collections.all(VERA)
        assert (shelf.read, shelf.to_read) == (1, 3)
        assert shelf.following is not None
        assert shelf.following.content.content_id == ids[1]

    async def test_viewers_see_of_it_only_what_they_may_find(self, portal: Portal) -> None:
        draft, old, new = await portal.draft(), await portal.released("Old"), await portal.released("New")
        made = await self._made(portal, draft.content_id, old.content_id)
        retirement = Retirement(reason="Old.", superseded_by=new.content_id)
        await portal.service.lifecycle.retire(ANNA, old.content_id, retirement)
        (place,) = (await portal.service.collections.get(VERA, made.collection_id)).places
        assert place.retired
        assert place.replacement is not None
        assert place.replacement.content_id == new.content_id
        assert len((await portal.service.collections.get(ANNA, made.collection_id)).places) == 2

    async def test_approvers_arrange_them_and_others_do_not(self, portal: Portal) -> None:
        content = await portal.released()
        made = await self._made(portal, content.content_id)
        for viewer in (VERA, CARLA):
            with pytest.raises(Forbidden):
                await portal.service.collections.create(viewer, NewCollection(title="Mine"))
            with pytest.raises(Forbidden):
                await portal.service.collections.edit(viewer, made.collection_id, CollectionEdit(title="Mine"))
            with pytest.raises(Forbidden):
                await portal.service.collections.delete(viewer, made.collection_id)
        await portal.service.collections.delete(ANNA, made.collection_id)
        with pytest.raises(NotFound):
            await portal.service.collections.get(VERA, made.collection_id)

    async def test_wrong_entries_are_named(self, portal: Portal) -> None:
        content = await portal.released()
        with pytest.raises(Invalid) as refused:
            await self._made(portal, content.content_id, "nothing", content.content_id)
        assert [each.field for each in refused.value.errors] == ["entries.1.content_id", "entries.2.content_id"]

    async def test_they_are_listed_by_title(self, portal: Portal) -> None:
        for title in ("beta", "Alpha", "Gamma"):
            await self._made(portal, title=title)
        assert [each.collection.title for each in await portal.service.collections.all(VERA)] == [
            *("Alpha", "beta", "Gamma")
        ]

    async def test_of_many_who_edit_what_they_saw_one_wins(self, portal: Portal) -> None:
        made = await self._made(portal)
        edits = [CollectionEdit(title=f"Title {number}", revision=made.revision) for number in range(10)]
        results = await asyncio.gather(
            *(portal.service.collections.edit(ANNA, made.collection_id, edit) for edit in edits), return_exceptions=True
        )
        assert sum(isinstance(each, Collection) for each in results) == 1
        assert sum(isinstance(each, StaleEdit) for each in results) == 9


def products(*suites: SuiteInput, revision: int) -> ProductsInput:
    return ProductsInput(suites=suites, audiences=("Seller",), stages=("Launch",), revision=revision)


ATLAS = SuiteInput(name="Atlas", concepts=("Pricing", "Setup"), colour=3, review_days=90)


class TestProducts:
    async def test_the_list_is_saved_whole_and_counts_its_revisions(self, portal: Portal) -> None:
        assert (await portal.service.products.get()).revision == 0
        saved = await portal.service.products.save(ADMIN, products(ATLAS, revision=0))
        assert saved.revision == 1
        assert (await portal.service.products.get()).suites == saved.suites
        with pytest.raises(StaleEdit):
            await portal.service.products.save(ADMIN, products(revision=0))
        saved = await portal.service.products.save(ADMIN, products(ATLAS, SuiteInput(name="Orion"), revision=1))
        assert ([each.name for each in saved.suites], saved.revision) == (["Atlas", "Orion"], 2)

    async def test_of_many_who_save_at_once_one_wins(self, portal: Portal) -> None:
        saves = [portal.service.products.save(ADMIN, products(ATLAS, revision=0)) for _ in range(8)]
        results = await asyncio.gather(*saves, return_exceptions=True)
        assert sum(isinstance(each, StaleEdit) for each in results) == 7

    async def test_what_content_uses_cannot_go(self, portal: Portal) -> None:
        await portal.service.products.save(ADMIN, products(ATLAS, SuiteInput(name="Orion"), revision=0))
        await portal.draft(product_suite="Atlas", product_concept="Pricing")
        assert await portal.service.products.counts((await portal.service.products.get()).suites) == {
            "Atlas": 1,
            "Orion": 0,
        }
        with pytest.raises(Invalid, match="“Atlas” has content"):
            await portal.service.products.save(ADMIN, products(revision=1))
        less = SuiteInput(name="Atlas", concepts=("Setup",))
        with pytest.raises(Invalid, match="“Pricing” of “Atlas” has content"):
            await portal.service.products.save(ADMIN, products(less, revision=1))
        unused = SuiteInput(name="Atlas", concepts=("Pricing",))
        assert (await portal.service.products.save(ADMIN, products(unused, revision=1))).revision == 2

    async def test_only_administrators_change_it(self, portal: Portal) -> None:
        for viewer in (VERA, CARLA, ANNA):
            with pytest.raises(Forbidden):
                await portal.service.products.save(viewer, products(ATLAS, revision=0))
