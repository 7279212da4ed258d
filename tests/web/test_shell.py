"""What every page shows: systems, navigation, theme, messages, and the developer panel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markupsafe import Markup

from partita.bootstrap import SYSTEMS, build
from partita.kit.permissions import ADMIN
from partita.kit.settings import Settings
from partita.store import Observation
from partita.web import shell
from partita.web.app import create_app
from partita.web.calls import Calls
from partita.web.panel import panel
from tests.web.conftest import Served, make
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio


async def test_the_start_page_shows_the_systems_and_what_is_new(visitor: Visitor) -> None:
    page = await visitor.get("/")
    assert "News for tests." in page.text
    assert "Stop <press>" in page.shown
    assert "late edition" in page.text


async def test_navigation_shows_what_one_may_follow_and_where_one_is(served: Served) -> None:
    ada, editor = await served.person("Ada"), await served.person("Editor", "press:editor")
    assert "/press/desk" not in (await ada.get("/press")).text
    page = (await editor.get("/press/desk")).text
    assert re.findall(r'href="([^"]+)" aria-current="page"', page) == ["/press/desk", "/press/desk"]


async def test_search_goes_to_the_system_and_keeps_the_words(visitor: Visitor) -> None:
    page = await visitor.get("/press?q=%22%3Cb%3E")
    assert 'action="/press" role="search"' in page.text
    assert 'name="q" value="&#34;&lt;b&gt;"' in page.text
    assert 'role="search"' not in (await visitor.get("/")).text


async def test_sign_in_leads_back_to_the_page(visitor: Visitor) -> None:
    assert 'href="/sign-in?next=/press%3Fq%3Dx"' in (await visitor.get("/press?q=x")).text


async def test_a_theme_is_kept_without_script(visitor: Visitor) -> None:
    assert "data-theme" not in re.findall(r"<html[^>]*>", (await visitor.get("/")).text)[0]
    answer = await visitor.post("/theme", {"theme": "dark", "next": "/press?q=1"})
    assert answer.location == "/press?q=1"
    assert '<html lang="en" data-theme="dark">' in (await visitor.get("/")).text
    assert (await visitor.post("/theme", {"theme": "dark", "next": "https://evil.example"})).location == "/"


async def test_a_theme_that_is_none_changes_nothing(visitor: Visitor) -> None:
    await visitor.post("/theme", {"theme": '"><script>'})
    assert "theme" not in visitor.cookies
    visitor.cookies["theme"] = "purple"
    assert "data-theme" not in re.findall(r"<html[^>]*>", (await visitor.get("/")).text)[0]


async def test_a_message_is_shown_to_whom_it_was_sent_and_cannot_be_made_up(served: Served) -> None:
    ada = await served.person("Ada")
    await ada.post("/press/send")
    real = ada.cookies["partita-flash"]
    assert "Sent & <done>." in (await ada.get("/press")).shown
    for forged in (real[:-2] + ("AA" if not real.endswith("AA") else "BB"), "x", "", "%%%"):
        ada.cookies["partita-flash"] = forged
        assert 'role="status"' not in (await ada.get("/press")).text


async def test_the_panel_shows_the_requests_that_made_the_page(served: Served) -> None:
    ada = await served.person("Ada", ADMIN)
    page = (await ada.get("/press")).text
    rows = re.findall(r"<tr><td>(\w+)</td><td>([\w-]+)</td>", page)
    assert rows == [
        ("BatchGetItem", "partita-accounts"),
        ("GetItem", "partita-house"),  # the number in the bell
        ("Query", "press-articles"),
    ]
    assert "3 requests to the tables" in page


@pytest.mark.parametrize(("used", "shown"), [(0.5, "0.5 units"), (1.0, "1 unit"), (2.0, "2 units"), (1.5, "1.5 units")])
def test_the_panel_counts_units_as_people_do(used: float, shown: str) -> None:
    call = Observation("GetItem", ("partita-house",), None, 1, used, 0.001, None)
    calls = Calls()
    calls.add(call)
    assert f"<span>{shown}</span>" in panel(calls, "name", Markup())


async def test_requests_of_different_pages_are_kept_apart(served: Served) -> None:
    ada = await served.person("Ada", ADMIN)
    for _ in range(3):
        assert "3 requests to the tables" in (await ada.get("/press")).text


@pytest.mark.parametrize(
    "path", ["/press", "/sign-in", "/sign-up", "/account/forgotten", "/no-such-page", "/press/none"]
)
async def test_how_many_requests_made_a_page_tells_nobody_whether_something_exists(served: Served, path: str) -> None:
    for somebody in (served.visitor(), await served.person("Mina")):
        assert 'class="developer"' not in (await somebody.get(path)).text
    admin = await served.person("Ada", ADMIN)
    assert ('class="developer"' in (await admin.get(path)).text) == (path == "/press")


async def test_a_token_that_is_not_good_is_refused_where_none_is_needed_too(visitor: Visitor) -> None:
    assert (await visitor.call("GET", "/api/press/articles")).status == 200
    for token in ("nonsense", "pat_01arz3ndektsv4rrffq69g5fav.01arz3ndektsv4rrffq69g5fav." + "x" * 43):
        answer = await visitor.call("GET", "/api/press/articles", token=token)
        assert (answer.status, answer.json["code"]) == (401, "invalid_token")


async def test_the_panel_can_be_turned_off(tmp_path: Path) -> None:
    quiet = make(tmp_path, dev_panel=False)
    async with quiet.app.router.lifespan_context(quiet.app):
        page = await quiet.visitor().get("/press")
        assert "to the tables" not in page.text
        assert 'class="developer"' not in page.text


async def test_every_system_has_an_accent_and_a_picture(tmp_path: Path) -> None:
    sprite = (Path(shell.__file__).parent / "static/icons.svg").read_text()
    suite = build(Settings(data=tmp_path))
    app = create_app(suite)
    async with app.router.lifespan_context(app):
        css = (await Served(suite, app).visitor().get("/static/app.css")).text
    assert [system.name for system in suite.systems] == list(SYSTEMS)
    for system in suite.systems:
        assert f".hue-{system.name} {{ --hue: {system.hue}; }}" in css
        assert f'<symbol id="{system.icon}"' in sprite


async def test_pages_are_small(served: Served) -> None:
    ada = await served.person("Ada")
    for path in ("/", "/press", "/account", "/account/tokens"):
        assert len((await ada.get(path)).body) < 30_000
