"""The shelves of the library: what was used most this month, and what is new in what somebody follows."""

from __future__ import annotations

import re

import pytest

from partita.apps.enablement.inputs import NewSubscription, Retirement
from partita.store.observe import Observation
from tests.apps.enablement.served import ServedPortal, Somebody

pytestmark = pytest.mark.anyio


@pytest.fixture
def portal(served: ServedPortal) -> ServedPortal:
    return served


async def _shelf(who: Somebody, id: str, query: str = "") -> list[str]:
    """The titles on a shelf."""
    page = await who.get(f"/enablement{query}")
    assert page.status == 200
    found = re.search(rf'<h2 class="small-title" id="{id}">.*?</section>', page.text, re.DOTALL)
    return re.findall(r'<strong class="lines-2">([^<]*)</strong>', found[0]) if found else []


async def test_what_was_used_most_this_month_is_in_front(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    readers = [await portal.person("", f"Reader-{number}") for number in range(3)]
    contents = [await portal.released(carla, anna, f"Guide {number}") for number in range(6)]
    for place, content in enumerate(contents[:4]):
        for reader in readers[: 4 - place]:
            await portal.service.events.viewed(reader.viewer, content)
            if place < 2:
                await portal.service.events.downloaded(reader.viewer, contents[1])
    assert await _shelf(readers[0], "most-used") == []
    await portal.catch_up()  # the look has asked for it
    assert await _shelf(readers[0], "most-used") == ["Guide 1", "Guide 0", "Guide 2", "Guide 3"]
    await portal.service.lifecycle.retire(
        anna.viewer, contents[0].content_id, Retirement(reason="It is no longer sold.")
    )
    await portal.catch_up()
    assert await _shelf(readers[0], "most-used") == ["Guide 1", "Guide 2", "Guide 3"]
    assert await _shelf(readers[0], "most-used", "?kind=text") == []
    assert await _shelf(readers[0], "most-used", "?q=guide") == []


async def test_what_is_new_in_what_somebody_follows_is_in_front(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    carl, vera = await portal.person("contributor", "Carl"), await portal.person("", "Vera")
    service = portal.service
    followed = await portal.released(carl, anna, "One item")
    for number in range(2):
        await portal.released(carla, anna, f"Prices {number}", product_suite="Atlas", product_concept="Prices")
        await portal.released(carla, anna, f"Slides {number}", product_suite="Atlas", product_concept="Slides")
    await portal.released(carla, anna, "Tagged", product_suite="Boreas", tags=("EMEA",))
    await portal.draft(carla, "Draft", product_suite="Atlas", product_concept="Prices")
    await portal.catch_up()
    assert await _shelf(vera, "followed") == []
    await service.subscriptions.create(vera.viewer, NewSubscription(product_suite="Atlas", product_concept="Prices"))
    assert await _shelf(vera, "followed") == ["Prices 1", "Prices 0"]
    await service.subscriptions.create(vera.viewer, NewSubscription(tags=("emea",)))
    await service.follows.follow(vera.viewer, "content", followed.content_id)
    assert await _shelf(vera, "followed") == ["Tagged", "Prices 1", "Prices 0", "One item"]
    await service.follows.follow(vera.viewer, "person", carla.viewer.id)
    assert await _shelf(vera, "followed") == ["Tagged", "Slides 1", "Prices 1", "Slides 0"]
    # Nobody's own work is news to them, and nobody sees there what they may not find.
    await service.subscriptions.create(carla.viewer, NewSubscription(product_suite="Atlas"))
    assert await _shelf(carla, "followed") == []


async def test_full_shelves_fit_into_the_units_of_the_library(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    vera = await portal.person("", "Vera")
    for number in range(36):
        old = {"product_suite": "Atlas", "tags": ("eu", "list")} if number < 6 else {"product_suite": "Boreas"}
        content = await portal.released(carla, anna, f"Thing {number}", **old, text="word " * 500)
        if number < 4:
            await portal.service.events.viewed(vera.viewer, content)
    await portal.service.subscriptions.create(vera.viewer, NewSubscription(product_suite="Atlas"))
    for _ in range(2):
        await vera.get("/enablement")
        await portal.catch_up()
    requests: list[Observation] = []
    portal.kit.store.observe(requests.append)
    assert len(await _shelf(vera, "followed")) == len(await _shelf(vera, "most-used")) == 4
    # Looked at twice; who is signed in and the number beside the bell are read for every page (3.5 units).
    assert sum(each.units for each in requests) / 2 - 3.5 <= 20, "\n".join(map(str, requests))


async def test_tags_that_somebody_follows_are_counted_in_any_case(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    for tag in ("EMEA", "Emea", "emea-north"):
        await portal.released(carla, anna, tag, tags=(tag,))
    await portal.catch_up()
    assert await portal.service.library.covered(anna.viewer, tags=("emea",)) == 2
    assert await portal.service.library.covered(anna.viewer, tags=("apac",)) == 0
