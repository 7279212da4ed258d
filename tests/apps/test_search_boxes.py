"""Two search boxes beside each other make people guess which one is meant: no page of any system has two."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI

from partita.bootstrap import build
from partita.kit.settings import Settings
from partita.web.app import create_app
from tests.apps.test_drawings import administrator
from tests.demo_folder import MOST_SECONDS, copy_demo
from tests.web.visitor import Visitor
from tests.web.walk import walk

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(MOST_SECONDS + 300)]

MOST_PER_ROUTE = 2
BOX = re.compile(r'<input[^>]* type="search"[^>]*>')
LINK = re.compile(r'(?:href|action)="(/[^"#]*)')
OWN = ("/fus/me/ratings", "/fus/me/comments", "/fus/select", "/fus/copies", "/kelifax", "/newsletter/search")
"""Pages with a search box of their own."""


async def test_a_page_has_one_search_box_at_most_and_the_slash_leads_to_it(tmp_path: Path) -> None:
    copy_demo(tmp_path / "data")
    suite = build(Settings(data=tmp_path / "data", fetch=False))
    try:
        app = create_app(suite)
        owner = await administrator(suite, app)
        (site,) = re.findall(r'href="(/fus/sites/(?!new)[^/"]+)"', (await owner.get("/fus")).text)[:1]
        assert (await owner.post(f"{site}/rating", {"stars": "4"})).status == 303
        assert (await owner.post(f"{site}/comments", {"body": "Good maps."})).status == 303
        pages = {path: text async for path, text in _pages(app, owner)}
    finally:
        await suite.close()
    boxes = {path: BOX.findall(text) for path, text in pages.items()}
    assert len(pages) > 150, "the walk has lost its way"
    assert {path: found for path, found in boxes.items() if len(found) > 1} == {}
    assert {path: len(boxes[path]) for path in OWN} == dict.fromkeys(OWN, 1)
    in_systems = {path: found for path, found in boxes.items() if path.split("/")[1] != "admin"}
    assert [path for path, found in in_systems.items() if found and "data-search" not in found[0]] == []


async def _pages(app: FastAPI, owner: Visitor) -> AsyncIterator[tuple[str, str]]:
    """Some pages of every route that links lead to."""
    routes = [each for each in walk(app) if not each.mutates and not each.path.startswith("/api/")]
    shapes = {each.path: re.compile(re.sub(r"\\{\w+(:\w+)?\\}", "[^/]+", re.escape(each.path))) for each in routes}
    waiting = deque(each.path for each in routes if "{" not in each.path)
    waiting.extend(("/fus?q=maps", "/fus/me/ratings?q=maps", "/kelifax/resources?q=maps"))
    seen, opened = set(waiting), Counter[str]()
    while waiting:
        path = waiting.popleft()
        shape = next((name for name, each in shapes.items() if each.fullmatch(urlsplit(path).path)), "")
        opened[shape] += 1
        if not shape or opened[shape] > MOST_PER_ROUTE:
            continue
        answer = await owner.get(path)
        if answer.status != 200 or not answer.headers["content-type"].startswith("text/html"):
            continue
        yield path, answer.text
        found = dict.fromkeys(map(unescape, LINK.findall(answer.text)))
        waiting.extend(each for each in found if each not in seen)
        seen.update(found)
