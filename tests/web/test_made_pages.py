"""Pages that are made once for all who are not signed in: never longer than what they show stays the same."""

from __future__ import annotations

import random
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from partita.table import Delete, Put
from tests.web.conftest import Served, make
from tests.web.press import Article
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def fresh(tmp_path: Path) -> AsyncIterator[Served]:
    """A suite where nobody has looked at a page yet."""
    made = make(tmp_path)
    async with made.app.router.lifespan_context(made.app):
        yield made


def _shown(answer: Answer) -> tuple[int, str]:
    found = re.search(r"Time number (\d+): (.*?)[.<]", answer.shown)
    assert found is not None, answer.shown
    return int(found[1]), found[2].strip()


async def test_a_page_is_made_once_and_anew_when_what_it_shows_has_changed(fresh: Served) -> None:
    store = fresh.suite.kit.store
    assert _shown(await fresh.visitor().get("/press/list")) == (1, "")
    assert _shown(await fresh.visitor().get("/press/list")) == (1, "")
    await store.write(Put(Article(slug="one", title="One")))
    assert _shown(await fresh.visitor().get("/press/list")) == (3, "One")
    assert _shown(await fresh.visitor().get("/press/list")) == (3, "One")
    await store.write(Put(Article(slug="one", title="Another")))
    assert _shown(await fresh.visitor().get("/press/list")) == (5, "Another")
    await store.write(Delete(Article.key(Article.slug("one"))))
    assert _shown(await fresh.visitor().get("/press/list")) == (1, ""), "as it was at first"


async def test_a_page_shows_what_is_stored_after_any_writes(fresh: Served) -> None:
    store, choose = fresh.suite.kit.store, random.Random(7)
    stored: dict[str, str] = {}
    for _ in range(150):
        slug = f"a{choose.randrange(4)}"
        match choose.choice(("put", "delete", "look", "look")):
            case "put":
                stored[slug] = f"Title {choose.randrange(3)}"
                await store.write(Put(Article(slug=slug, title=stored[slug])))
            case "delete":
                stored.pop(slug, None)
                await store.write(Delete(Article.key(Article.slug(slug))))
            case _:
                _, titles = _shown(await fresh.visitor().get("/press/list"))
                assert titles == ", ".join(stored[each] for each in sorted(stored))


async def test_each_address_and_theme_has_its_own(fresh: Served) -> None:
    first = fresh.visitor()
    assert _shown(await first.get("/press/list"))[0] == 1
    assert _shown(await first.get("/press/list?page=2"))[0] == 2
    dark = fresh.visitor()
    dark.cookies["theme"] = "dark"
    page = await dark.get("/press/list")
    assert _shown(page)[0] == 3
    assert 'data-theme="dark"' in page.text
    assert 'data-theme="dark"' not in (await first.get("/press/list")).text


async def test_what_somebody_sees_is_nobody_elses(fresh: Served) -> None:
    ada = await fresh.person("Ada")
    assert _shown(await fresh.visitor().get("/press/list"))[0] == 1
    page = await ada.get("/press/list")
    assert _shown(page)[0] == 2
    assert "Ada" in page.text
    assert _shown(await ada.get("/press/list"))[0] == 3, "made for her each time"
    assert "Ada" not in (await fresh.visitor().get("/press/list")).text


async def test_a_message_is_shown_once_and_to_nobody_else(fresh: Served) -> None:
    ada = await fresh.person("Ada")
    await ada.post("/press/send")
    somebody = fresh.visitor()
    somebody.cookies["partita-flash"] = ada.cookies["partita-flash"]
    assert "Sent & <done>." in (await somebody.get("/press/list")).shown
    assert "Sent & <done>." not in (await fresh.visitor().get("/press/list")).shown


async def test_the_name_of_the_request_is_never_remembered(fresh: Served) -> None:
    pages = [await fresh.visitor().get("/press/list") for _ in range(2)]
    assert _shown(pages[0]) == _shown(pages[1])
    names = [page.headers["x-request-id"] for page in pages]
    assert names[0] != names[1]
    assert not any("to the tables" in page.text for page in pages)


async def test_what_tells_the_time_is_made_anew_after_a_minute(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _shown(await fresh.visitor().get("/press/list"))[0] == 1
    now = time.time()
    monkeypatch.setattr("partita.kit.pages.time.time", lambda: now + 60)
    assert _shown(await fresh.visitor().get("/press/list"))[0] == 2


async def test_addresses_that_nobody_links_to_are_not_kept(fresh: Served) -> None:
    for number in (1, 2):
        assert _shown(await fresh.visitor().get("/press/list?x=" + "y" * 2000))[0] == number
    for theme in ("made", "up"):
        visitor = fresh.visitor()
        visitor.cookies["theme"] = theme
        assert _shown(await visitor.get("/press/list"))[0] == 3
