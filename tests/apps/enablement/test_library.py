"""The library finds by words, texts, files and filters, and only what the asker may find."""

from __future__ import annotations

import pytest

from partita.apps.enablement.inputs import Retirement
from partita.apps.enablement.permissions import ROLES
from partita.apps.enablement.service.library import Wanted
from partita.kit.permissions import Viewer
from partita.store.observe import Observation
from partita.table.types import timestamp
from tests.apps.enablement.served import ServedPortal, Somebody

pytestmark = pytest.mark.anyio


async def _titles(served: ServedPortal, viewer: Viewer, **wanted: object) -> list[str]:
    listing = await served.service.library.explore(viewer, Wanted(**wanted))  # type: ignore[arg-type]
    return [each.title for each in listing.page]


async def _people(served: ServedPortal) -> tuple[Somebody, Somebody, Somebody]:
    return await served.person("contributor"), await served.person("approver"), await served.person()


async def test_words_of_the_text_count_as_those_of_the_title(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    await served.released(carla, anna, "Margins", text="Sell the **spectrometer** first.")
    await served.released(carla, anna, "Spectrometer", text="Nothing.")
    await served.catch_up()
    assert await _titles(served, vera.viewer, text="spectrometer") == ["Spectrometer", "Margins"]
    answer = (await vera.get("/enablement?q=spectrometer&view=rows")).text
    assert "Sell the **<mark>spectrometer</mark>** first." in answer


async def test_a_new_text_takes_the_place_of_the_old_one(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    released = await served.released(carla, anna, text="Old word: amethyst.")
    await served.catch_up()
    from partita.apps.enablement.inputs import ContentEdit

    await served.service.content.edit(carla.viewer, released.content_id, ContentEdit(text="New word: beryl."))
    await served.catch_up()
    assert await _titles(served, vera.viewer, text="beryl") == []
    await served.release(carla, anna, released.content_id, "Another word is used now.")
    await served.catch_up()
    assert await _titles(served, vera.viewer, text="amethyst") == []
    assert await _titles(served, vera.viewer, text="beryl") == [released.title]


async def test_every_filter_has_numbers_and_narrows(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    atlas = {"product_suite": "Atlas", "product_concept": "Pricing", "audience_role": "Sellers"}
    await served.released(carla, anna, "One", **atlas, tags=("EU", "list"), lifecycle_stage="Launch")
    await served.released(carla, anna, "Two", **atlas, tags=("EU",))
    await served.released(carla, anna, "Three", product_suite="Borealis")
    await served.catch_up()
    listing = await served.service.library.explore(vera.viewer, Wanted(suite="Atlas"))
    assert {value.value: value.count for value in listing.facets["suite"]} == {"Atlas": 2, "Borealis": 1}
    assert {value.value: value.count for value in listing.facets["tag"]} == {"EU": 2, "list": 1}
    assert {value.value: value.count for value in listing.facets["fresh"]} == {"current": 2}
    assert {value.value: value.count for value in listing.facets["kind"]} == {"text": 2}
    assert await _titles(served, vera.viewer, tags=("EU", "list")) == ["One"]
    assert await _titles(served, vera.viewer, stage="Launch") == ["One"]
    assert sorted(await _titles(served, vera.viewer, audience="Sellers")) == ["One", "Two"]


async def test_if_nothing_is_found_it_says_which_filter_to_drop(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    await served.released(carla, anna, "One", product_suite="Atlas")
    await served.catch_up()
    page = await vera.get("/enablement?suite=Atlas&kind=video")
    assert "Nothing found" in page.shown
    assert "Without kind: 1" in page.shown
    assert "Without product" not in page.shown


async def test_lists_and_numbers_hold_only_what_the_asker_may_find(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    carl, admin = await served.person("contributor"), await served.person("admin")
    await served.draft(carla, "Carla's secret draft", product_suite="Atlas")
    old = await served.released(carla, anna, "Retired thing", product_suite="Atlas")
    await served.service.lifecycle.retire(anna.viewer, old.content_id, Retirement(reason="Not sold any more."))
    await served.released(carla, anna, "Released thing", product_suite="Atlas")
    await served.catch_up()
    for somebody, number in ((vera, 1), (carl, 1), (carla, 3), (anna, 3), (admin, 3)):
        listing = await served.service.library.explore(somebody.viewer, Wanted())
        assert (listing.page.total, len(listing.page.items)) == (number, number)
        assert [value.count for value in listing.facets["suite"]] == [number]
        page = await served.service.library.browse(somebody.viewer, Wanted(text="thing"))
        assert len(page.items) == (1 if somebody in (vera, carl) else 2)
    assert "secret draft" not in (await vera.get("/enablement?q=secret")).text


async def test_what_the_index_does_not_know_yet_is_checked_when_it_is_read(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    released = await served.released(carla, anna, "Soon retired")
    await served.catch_up()
    await served.service.lifecycle.retire(anna.viewer, released.content_id, Retirement(reason="Not sold any more."))
    assert await _titles(served, vera.viewer, text="retired") == []
    assert "Soon retired" not in (await vera.get("/enablement")).text


async def test_what_readers_see_first_is_read_in_one_query_and_what_that_lacks_by_itself(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    for title in ("One", "Two"):
        await served.released(carla, anna, title, product_suite="Atlas")
    await served.draft(carla, "A draft", product_suite="Atlas")
    await served.catch_up()
    requests: list[Observation] = []
    served.kit.store.observe(requests.append)
    for somebody, titles, alone in ((vera, ["Two", "One"], 0), (carla, ["A draft", "Two", "One"], 1)):
        for wanted in ({}, {"suite": "Atlas"}):
            requests.clear()
            assert await _titles(served, somebody.viewer, **wanted) == titles
            content = [each for each in requests if "content_registry" in each.tables]
            assert sum(each.operation == "Query" for each in content) == 1
            assert sum(each.items for each in content if each.operation == "BatchGetItem") == alone


@pytest.mark.parametrize("role", list(ROLES))
async def test_the_lists_of_the_table_hold_exactly_what_may_be_found(served: ServedPortal, role: str) -> None:
    carla, anna, _ = await _people(served)
    await served.draft(carla, "A draft", product_suite="Atlas")
    old = await served.released(carla, anna, "Old", product_suite="Atlas")
    await served.service.lifecycle.retire(anna.viewer, old.content_id, Retirement(reason="Not sold any more."))
    await served.released(carla, anna, "New", product_suite="Atlas", product_concept="Pricing", audience_role="Seller")
    somebody = await served.person(role if role != "viewer" else "")
    staff = role in ("approver", "admin")
    for query, titles in (
        ("status=Draft", ["A draft"] if staff else []),
        ("status=Deprecated", ["Old"] if staff else []),
        ("status=Approved", ["New"]),
        ("status=Approved&product_suite=Atlas", ["New"]),
        ("status=Approved&product_suite=Atlas&product_concept=Pricing", ["New"]),
        ("status=Approved&audience_role=Seller", ["New"]),
        (f"owner={carla.viewer.id}", ["New", "Old", "A draft"] if staff else ["New"]),
    ):
        answer = await somebody.api("GET", f"/content?{query}")
        assert [each["title"] for each in answer.json["items"]] == titles, query


async def test_what_has_expired_comes_last(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    first = await served.released(carla, anna, "Zinc first")
    second = await served.released(carla, anna, "Zinc second")
    await served.service.lifecycle.expire(anna.viewer, second.content_id)
    await served.catch_up()
    assert await _titles(served, vera.viewer) == [first.title, second.title]
    assert await _titles(served, vera.viewer, text="zinc") == [first.title, second.title]
    assert await _titles(served, vera.viewer, fresh="expired") == [second.title]
    assert "This has expired" in (await vera.get(f"/enablement/content/{second.content_id}")).shown


async def test_what_comes_due_for_review_is_found_so_once_the_clock_has_seen_it(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    today = timestamp(served.kit.clock.now())[:10]
    due = await served.released(carla, anna, "Due today", review_due_date=today)
    later = await served.released(carla, anna, "Due later", review_due_date="2999-01-01")
    await served.catch_up()
    assert await _titles(served, vera.viewer, fresh="due") == [due.title]
    assert await _titles(served, vera.viewer, fresh="current") == [later.title]


async def test_pages_cost_few_read_units(served: ServedPortal) -> None:
    carla, anna, vera = await _people(served)
    for number in range(30):
        atlas = {"product_suite": "Atlas", "product_concept": "Pricing", "tags": ("eu", "list")}
        last = await served.released(carla, anna, f"Thing {number}", **atlas, text="word " * 500)
    await served.catch_up()
    await vera.get("/enablement")  # the first look of the day asks for what was used most
    await served.catch_up()
    requests: list[Observation] = []
    served.kit.store.observe(requests.append)
    for path, most in (("/enablement", 20), (f"/enablement/content/{last.content_id}", 8)):
        requests.clear()
        assert (await vera.get(path)).status == 200
        reads = [each for each in requests if not each.operation.startswith("TransactWrite")]
        # Whoever is signed in is looked up for every page (2 units), and so is the number beside the bell (1.5 units).
        assert sum(each.units for each in reads) - 3.5 <= most, "\n".join(map(str, requests))
        # The one write is the view and its guard: two items, each in a transaction, and an index.
        assert sum(each.units for each in requests if each not in reads) <= 6
