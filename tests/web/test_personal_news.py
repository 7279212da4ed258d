"""The start page of systems in which not everybody sees the same: each person gets the news that is theirs to see."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.apps.enablement.served import served_in as portal_in
from tests.apps.newsletter.served import served_in as letters_in

pytestmark = pytest.mark.anyio


async def test_the_portal_shows_the_newest_approved_content_to_its_readers(tmp_path: Path) -> None:
    with portal_in(tmp_path) as portal:
        carla, anna, vera = [await portal.person(role) for role in ("contributor", "approver", "viewer")]
        assert "Nothing for you here yet." in (await vera.get("/")).shown
        released = await portal.released(carla, anna, "How to <price> Atlas")
        await portal.draft(carla, "Half a draft")
        await portal.catch_up()
        for reader in (vera, carla):
            page = await reader.get("/")
            assert f'href="/enablement/content/{released.content_id}"' in page.text
            assert "How to <price> Atlas" in page.shown
            assert "Half a draft" not in page.shown
            (cover,) = re.findall(r'<img class="face filled" src="([^"]+)"', page.text)
            assert f'src="{cover}"' in (await reader.get("/enablement")).text, "the same picture as in the library"
        page = await portal.visitor().get("/")
        assert "Atlas" not in page.shown
        assert '<a href="/sign-in?next=/enablement">Sign in</a> to see what is here.' in page.text


async def test_newsletters_are_news_for_those_who_may_see_them(tmp_path: Path) -> None:
    with letters_in(tmp_path) as letters:
        ada, ben = await letters.person(name="Ada"), await letters.person(name="Ben")
        code = await letters.newsletter(ada, "Ada's weekly")
        page = await ada.get("/")
        assert f'href="/newsletter/editions/{code}"' in page.text
        assert "Nothing for you here" not in page.shown
        page = await ben.get("/")
        assert "Ada's weekly" not in page.shown
        assert "Nothing for you here yet." in page.shown
        assert "Ada's weekly" not in (await letters.visitor().get("/")).shown


async def test_visitors_cost_the_start_page_no_read(tmp_path: Path) -> None:
    with letters_in(tmp_path) as letters:
        reads: list[str] = []
        letters.kit.store.observe(lambda seen: reads.append(seen.operation))
        assert "Sign in</a> to see what is here" in (await letters.visitor().get("/")).text
        assert not reads
