"""Steady routes: visitors get the same response until something is written, and nobody gets another person's."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Hashable
from pathlib import Path

import pytest

from partita.kit.permissions import Access, Viewer
from partita.kit.routes import Routes
from partita.store import EmbeddedStore
from partita.table import Delete, Put
from partita.table.recent import Recent
from tests.web.conftest import PASSWORD, Served, make
from tests.web.press import Article, Press
from tests.web.test_made_pages import _shown

pytestmark = pytest.mark.anyio


@pytest.fixture
async def fresh(tmp_path: Path) -> AsyncIterator[Served]:
    """A suite where nobody has looked at a page yet. Its background work is not started: that writes too."""
    made = make(tmp_path)
    yield made
    await made.suite.close()


async def test_a_response_is_made_once_and_anew_after_any_write(fresh: Served) -> None:
    store = fresh.suite.kit.store
    for path in ("/press/steady", "/press/steady?only=x"):
        first = _shown(await fresh.visitor().get(path))
        assert _shown(await fresh.visitor().get(path)) == first
    json = (await fresh.visitor().get("/api/press/steady")).json
    assert (await fresh.visitor().get("/api/press/steady")).json == json
    await store.write(Put(Article(slug="one", title="One")))
    assert _shown(await fresh.visitor().get("/press/steady"))[1] == "One"
    assert (await fresh.visitor().get("/api/press/steady")).json["titles"] == ["One"]


async def test_after_any_writes_a_visitor_sees_what_is_stored(fresh: Served, tmp_path: Path) -> None:
    """Writes of this process and of another, and looks by several addresses."""
    choose = random.Random(11)
    stored: dict[str, str] = {}
    with EmbeddedStore(tmp_path) as elsewhere:
        for _ in range(200):
            slug = f"a{choose.randrange(4)}"
            store = choose.choice((fresh.suite.kit.tables, elsewhere))
            match choose.choice(("put", "delete", "look", "look", "look")):
                case "put":
                    stored[slug] = f"Title {choose.randrange(3)}"
                    store.write(Put(Article(slug=slug, title=stored[slug])))
                case "delete":
                    stored.pop(slug, None)
                    store.write(Delete(Article.key(Article.slug(slug))))
                case _:
                    only = choose.choice(("", "1", "2"))
                    titles = [stored[each] for each in sorted(stored) if only in stored[each]]
                    page = await fresh.visitor().get(f"/press/steady?only={only}")
                    assert _shown(page)[1] == ", ".join(titles)
                    json = (await fresh.visitor().get("/api/press/steady")).json
                    assert json["titles"] == [stored[each] for each in sorted(stored)]


async def test_somebody_sees_their_own_write_at_once_and_so_does_everybody(fresh: Served) -> None:
    await fresh.visitor().get("/press/steady")
    ada = await fresh.person("Ada", "press:editor")
    token = (
        await fresh.suite.kit.accounts.tokens.create(
            await _viewer(fresh, ada.account.username), "t", [Press.PUBLISH], 1
        )
    ).text
    for title in ("First news", "Second news"):
        answer = await fresh.visitor().call("POST", "/api/press/articles", {"title": title, "pages": 1}, token=token)
        assert answer.status == 201, answer.text
        for somebody in (ada, fresh.visitor()):
            assert title in _shown(await somebody.get("/press/steady"))[1]


async def _viewer(served: Served, username: str) -> Viewer:
    accounts = served.suite.kit.accounts
    session = await accounts.sessions.sign_in(username, PASSWORD)
    return await accounts.recognition.from_session(session.token)


async def test_who_is_signed_in_gets_nothing_that_is_kept_and_leaves_nothing_behind(fresh: Served) -> None:
    ada = await fresh.person("Ada")
    kept = _shown(await fresh.visitor().get("/press/steady"))
    own = await ada.get("/press/steady")
    assert "Ada" in own.text
    assert _shown(own)[0] != kept[0], "made for her"
    after = await fresh.visitor().get("/press/steady")
    assert "Ada" not in after.text
    assert "Ada" in (await ada.get("/press/steady")).text
    for_her = (await ada.get("/api/press/steady")).json
    assert for_her["for"] == ada.account.username
    assert (await fresh.visitor().get("/api/press/steady")).json["for"] == ""


async def test_a_message_and_a_theme_are_nobody_elses(fresh: Served) -> None:
    ada = await fresh.person("Ada")
    await ada.post("/press/send")
    somebody = fresh.visitor()
    somebody.cookies["partita-flash"] = ada.cookies["partita-flash"]
    dark = fresh.visitor()
    dark.cookies["theme"] = "dark"
    assert "Sent & <done>." in (await somebody.get("/press/steady")).shown
    assert 'data-theme="dark"' in (await dark.get("/press/steady")).text
    plain = await fresh.visitor().get("/press/steady")
    assert "Sent & <done>." not in plain.shown
    assert 'data-theme="dark"' not in plain.text


async def test_a_wrong_token_is_refused_although_the_response_is_kept(fresh: Served) -> None:
    assert (await fresh.visitor().get("/api/press/steady")).status == 200
    assert (await fresh.visitor().call("GET", "/api/press/steady", token="wrong")).status == 401


async def test_a_refusal_is_not_kept(fresh: Served) -> None:
    for _ in range(2):
        assert (await fresh.visitor().get("/api/press/steady?limit=0")).status == 422
    assert (await fresh.visitor().get("/api/press/steady?limit=1")).status == 200


async def test_addresses_with_parameters_that_do_not_exist_leave_nothing_behind(
    fresh: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Hashable] = []
    add = Recent[Hashable, object].add

    def noted(memory: Recent[Hashable, object], key: Hashable, value: object, size: int) -> None:
        kept.append(key)
        add(memory, key, value, size)

    monkeypatch.setattr(Recent, "add", noted)
    assert (await fresh.visitor().get("/api/press/steady?limit=3")).status == 200
    before = len(kept)
    assert before >= 1
    for number in range(50):
        assert (await fresh.visitor().get(f"/api/press/steady?limit=3&x{number}={number}")).status == 422
    assert len(kept) == before


async def test_each_answer_has_the_name_of_its_own_request(fresh: Served) -> None:
    pages = [await fresh.visitor().get("/press/steady") for _ in range(2)]
    assert _shown(pages[0]) == _shown(pages[1])
    names = [page.headers["x-request-id"] for page in pages]
    assert names[0] != names[1]
    assert not any("to the tables" in page.text for page in pages)


async def test_what_tells_the_time_is_made_anew_after_a_minute(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _shown(await fresh.visitor().get("/press/steady"))
    now = time.time()
    monkeypatch.setattr("partita.kit.steady.time.time", lambda: now + 60)
    assert _shown(await fresh.visitor().get("/press/steady"))[0] > first[0]


async def test_head_has_the_headers_of_get_and_no_body(fresh: Served) -> None:
    got = await fresh.visitor().get("/press/steady")
    head = await fresh.visitor().ask("HEAD", "/press/steady")
    assert head.body == b""
    assert head.headers["content-type"] == got.headers["content-type"]


@pytest.mark.parametrize(
    ("method", "permission"), [("POST", Access.PUBLIC), ("GET", Access.SIGNED_IN), ("GET", Press.PUBLISH)]
)
def test_only_what_everybody_may_get_can_be_steady(method: str, permission: str) -> None:
    with pytest.raises(ValueError, match="cannot be steady"):
        Routes("/x", tag="x").route(method, "/y", permission, steady=True)
