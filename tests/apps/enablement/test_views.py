"""Saved views: filters of the library under a name."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.enablement.formats import KINDS
from partita.apps.enablement.inputs import NewView
from partita.apps.enablement.search import FRESHNESS
from partita.apps.enablement.service.library import SORTS, Wanted
from partita.apps.enablement.service.views import query_of, wanted_by
from partita.kit.problems import Conflict, Invalid, NotFound
from tests.apps.enablement.conftest import ANNA, VERA, Portal
from tests.apps.enablement.served import ServedPortal

pytestmark = pytest.mark.anyio
_WORDS = st.text("aZ ü&=#+%?日;,/'", max_size=12).map(str.strip)
_PERHAPS = st.none() | _WORDS.filter(bool)


@given(
    st.builds(
        Wanted,
        text=_WORDS,
        suite=_PERHAPS,
        kind=st.none() | st.sampled_from(sorted(KINDS)),
        audience=_PERHAPS,
        stage=_PERHAPS,
        tags=st.lists(_WORDS.filter(bool), max_size=4, unique=True).map(tuple),
        fresh=st.none() | st.sampled_from(sorted(FRESHNESS)),
        sort=st.none() | st.sampled_from(sorted(SORTS)),
    )
)
def test_a_view_asks_for_what_it_was_saved_with(wanted: Wanted) -> None:
    if wanted.narrowed:
        assert wanted_by(query_of(wanted)) == wanted
    else:
        assert query_of(wanted) == ""


@given(st.text(max_size=300))
def test_whatever_is_sent_as_a_view_can_be_opened(query: str) -> None:
    made = query_of(wanted_by(query))
    assert query_of(wanted_by(made)) == made


async def test_views_are_ones_own_and_kept_by_name(portal: Portal) -> None:
    views = portal.service.views
    await views.save(VERA, NewView(name="Prices", query="suite=Atlas&tag=prices&evil=1&cursor=x"))
    await views.save(VERA, NewView(name="films", query="kind=video&concept=none"))
    await views.save(VERA, NewView(name="PRICES", query="suite=Boreas"))
    assert [(each.name, each.query) for each in await views.list(VERA)] == [
        ("films", "kind=video"),
        ("PRICES", "suite=Boreas"),
    ]
    assert await views.list(ANNA) == ()
    with pytest.raises(NotFound):
        await views.remove(ANNA, "films")
    await views.remove(VERA, "Films")
    assert [each.name for each in await views.list(VERA)] == ["PRICES"]
    with pytest.raises(Invalid):
        await views.save(VERA, NewView(name="Everything", query="sort=title"))


async def test_of_many_views_saved_at_once_none_is_lost_and_twenty_are_the_most(portal: Portal) -> None:
    views = portal.service.views
    await asyncio.gather(*(views.save(VERA, NewView(name=f"View {n}", query=f"q=word{n}")) for n in range(12)))
    assert len(await views.list(VERA)) == 12
    for number in range(12, 20):
        await views.save(VERA, NewView(name=f"View {number}", query="q=word"))
    with pytest.raises(Conflict, match="20 views"):
        await views.save(VERA, NewView(name="One more", query="q=word"))
    await views.save(VERA, NewView(name="View 3", query="q=another"))


async def test_a_view_is_saved_opened_removed_and_back_without_script(served: ServedPortal) -> None:
    carla, anna = await served.person("contributor", "Carla"), await served.person("approver", "Anna")
    await served.released(carla, anna, product_suite="Atlas")
    await served.catch_up()
    assert "Save this view" not in (await anna.get("/enablement")).text
    page = await anna.get("/enablement?suite=Atlas&sort=title")
    assert 'name="query" value="suite=Atlas&amp;sort=title"' in page.text
    saved = await anna.post("/enablement/views", {"name": "<Prices>", "query": "suite=Atlas&sort=title"})
    assert saved.location == "/enablement?suite=Atlas&sort=title"
    opened = await anna.get(saved.location)
    assert "Remove this view" in opened.text
    assert "&lt;Prices&gt;" in opened.text
    assert "Save this view" not in opened.text
    assert "&lt;Prices&gt;" in (await anna.get("/enablement")).text
    assert "&lt;Prices&gt;" not in (await carla.get("/enablement")).text
    removed = await anna.post("/enablement/views/remove", {"name": "<Prices>"})
    assert removed.status == 303
    assert await served.service.views.list(anna.viewer) == ()
    assert (await anna.post("/enablement/views/again?name=%3CPrices%3E&query=suite%3DAtlas", {})).status == 303
    assert len(await served.service.views.list(anna.viewer)) == 1
    assert (await anna.post("/enablement/views/again", {})).status == 404
    assert (await anna.post("/enablement/views", {"name": "", "query": "suite=Atlas"})).status == 422
