"""Tags and alternatives: what is counted is what the list shows, and an alternative is of the same kind."""

from __future__ import annotations

import re

import pytest

from partita.apps.kelifax.pages.resources import cloud
from partita.kit.kit import Kit
from partita.kit.search import FacetValue
from tests.apps.kelifax.conftest import approved
from tests.apps.kelifax.served import Kelifax, serve

pytestmark = pytest.mark.anyio


@pytest.fixture
async def kelifax(kit: Kit) -> Kelifax:
    kelifax = serve(kit)
    for name, category, tags in (
        ("Power loom", "design", ["looms", "steam"]),
        ("Hand loom", "design", ["looms", "hand & foot"]),
        ("Steam loom", "design", ["looms", "steam"]),
        ("Spinning jenny", "design", ["yarn"]),
        ("Loom course", "learning", ["looms", "steam"]),
    ):
        await approved(kelifax.service, name, resource__category=category, resource__tags=tags)
    await kelifax.worker.drain()
    return kelifax


async def test_the_count_of_every_tag_is_the_length_of_the_list_behind_it(kelifax: Kelifax) -> None:
    visitor = kelifax.visitor()
    counts = {each["tag"]: each["count"] for each in (await visitor.api("GET", "/tags")).json["items"]}
    assert counts == {"looms": 4, "steam": 3, "hand & foot": 1, "yarn": 1}
    for tag, count in counts.items():
        page = await kelifax.service.resources.browse(tags=[tag])
        assert len(page) == count
    shown = (await visitor.get("/kelifax/tags")).text
    assert 'href="/kelifax/resources?tag=hand%20%26%20foot"' in shown


async def test_tags_are_completed_after_those_that_were_typed(kelifax: Kelifax) -> None:
    visitor = kelifax.visitor()
    submitter = {"firstName": "Ada", "lastName": "Byron", "companyEmail": "ada@example.org", "company": "Looms"}
    sent = {"at": "1", "go": "next", **{f"submitter.{name}": text for name, text in submitter.items()}}
    form = (await visitor.post("/kelifax/submit", sent)).text
    assert 'hx-get="/kelifax/tags/complete?field=resource.tags"' in form
    for asked, wanted in {
        "resource.tags=L": ["looms"],
        "resource.tags=steam,+h": ["steam, hand & foot"],
        "resource.tags=Looms,l": [],
        "tags=l": ["looms", "steam", "hand & foot", "yarn"],
    }.items():
        options = (await visitor.get(f"/kelifax/tags/complete?field=resource.tags&{asked}")).shown
        assert re.findall(r'<option value="([^"]*)">', options) == wanted, asked
    assert (await visitor.get(f"/kelifax/tags/complete?tags={'x' * 901}")).status == 422
    assert (await visitor.get(f"/kelifax/tags/complete?field={'x' * 81}")).status == 422


async def test_alternatives_share_category_and_a_tag_and_those_with_most_in_common_come_first(kelifax: Kelifax) -> None:
    visitor = kelifax.visitor()
    found = (await visitor.api("GET", "/resources/power-loom/alternatives")).json["items"]
    assert [each["resourceSlug"] for each in found] == ["steam-loom", "hand-loom"]
    page = await visitor.get("/kelifax/resources/power-loom/alternatives")
    assert page.text.index("/kelifax/resources/steam-loom") < page.text.index("/kelifax/resources/hand-loom")
    assert "/kelifax/resources/spinning-jenny" not in page.text
    assert "No alternatives yet" in (await visitor.get("/kelifax/resources/loom-course/alternatives")).shown
    assert (await visitor.get("/kelifax/resources/nothing/alternatives")).status == 404


@pytest.mark.parametrize("counts", [[], [1], [1, 1], [5, 1], [1000, 30, 2, 1]])
def test_a_tag_is_at_least_as_large_as_one_that_fewer_have(counts: list[int]) -> None:
    tags = cloud([FacetValue(str(number), count) for number, count in enumerate(counts)])
    sizes = [size for _, _, size in sorted(tags, key=lambda tag: tag[1])]
    assert sizes == sorted(sizes)
    assert set(sizes) <= {1, 2, 3, 4, 5}
