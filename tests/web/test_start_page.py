"""The start page of the suite: what waits for somebody, what is theirs, what is new, and what is not there yet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from partita.apps.kelifax.system import build as build_kelifax
from partita.bootstrap import build
from partita.kit.permissions import ADMIN, Access
from partita.kit.settings import Settings
from partita.kit.system import Link, System
from partita.table import Put, Table
from partita.web.app import create_app
from tests.web.conftest import Served
from tests.web.press import Article
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio

PLANNED = System(
    name="planned",
    title="Planned",
    purpose="Has a design, and nothing else yet.",
    hue=20,
    icon="table",
    tables=(Table("planned", pk="PK", purpose="Nothing yet."),),
    navigation=(Link("Design", "/planned/design", Access.PUBLIC, "table"),),
)


async def test_visitors_see_what_is_new_and_how_to_take_part(visitor: Visitor) -> None:
    page = await visitor.get("/")
    assert "Stop <press>" in page.shown
    assert 'href="/sign-up"' in page.text
    assert "Write an article" in page.shown
    assert "My articles" not in page.shown
    assert "to <print>" not in page.shown


async def test_everybody_sees_what_waits_for_them_and_what_is_theirs(served: Served) -> None:
    ada, editor = await served.person("Ada"), await served.person("Editor", "press:editor")
    page = await editor.get("/")
    assert "Hello, Editor" in page.shown
    assert "Nothing waits for you." in page.shown
    await served.suite.kit.store.write(Put(Article(slug="waiting", title="Waiting")))
    page = await editor.get("/")
    assert re.search(
        r'class="stat" href="/press/desk">.*<strong>1</strong> <span class="label">Articles to &lt;print', page.text
    )
    page = await ada.get("/")
    assert "Nothing waits for you." in page.shown
    assert "to <print>" not in page.shown
    assert re.search(r'href="/press/mine">.*My articles <span class="count">1</span>', page.text)


async def test_counting_ends_somewhere_and_says_so(served: Served) -> None:
    page = await (await served.person("Prolific")).get("/")
    assert 'My articles <span class="count">20+</span>' in page.text


async def test_everything_new_has_a_face(visitor: Visitor) -> None:
    page = (await visitor.get("/")).text
    (news,) = re.findall(r'<ul class="headlines">(.*?)</ul>', page, re.DOTALL)
    assert news.count("<li>") == len(re.findall(r'class="face', news)) == 1


async def test_a_system_that_is_not_built_yet_says_so_and_leads_to_its_design(tmp_path: Path) -> None:
    suite = build(Settings(data=tmp_path), builders=(build_kelifax, lambda _kit: PLANNED))
    app = create_app(suite)
    async with app.router.lifespan_context(app):
        visitor = Served(suite, app).visitor()
        page = (await visitor.get("/")).text
        built, _, planned = page.partition("Still being built")
        for system in suite.systems:
            shown = built if system.pages else planned
            assert f'href="/{system.name}"' in shown, system.name
            assert system.purpose in shown
        assert built.count("Nothing here yet.") == len([each for each in suite.systems if each.pages])
        assert (await visitor.get("/planned")).location == "/planned/design"


async def test_a_suite_without_systems_and_without_sign_up_says_what_it_is(tmp_path: Path) -> None:
    suite = build(Settings(data=tmp_path, sign_up=False), builders=())
    app = create_app(suite)
    async with app.router.lifespan_context(app):
        page = await Served(suite, app).visitor().get("/")
        assert "Nothing is served here" in page.shown
        assert 'href="/sign-up"' not in page.text


async def test_the_page_reads_little_however_many_look_at_it(served: Served) -> None:
    editor = await served.person("Editor", "press:editor", ADMIN)
    page = (await editor.get("/")).text
    (requests,) = re.findall(r"(\d+) requests to the tables", page)
    assert int(requests) <= 4
