"""That pages are looked at: all of them, and so that what is wrong is noticed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import test_pages_films_newsletters, test_pages_house_kelifax, test_pages_sites_content
from tests.browser.every_page import MOST_BYTES
from tests.browser.house import ADMIN, EVERYTHING, House, house_with
from tests.browser.places import empty_places, room_of
from tests.browser.window import window


def test_somebody_looks_at_the_pages_of_every_room_once(house: House) -> None:
    files = (test_pages_house_kelifax, test_pages_sites_content, test_pages_films_newsletters)
    looked_at = Counter(room for file in files for room in file.ROOMS)
    assert looked_at == Counter({room_of(house, page.path) for page in house.pages})


def test_what_is_wrong_with_a_page_is_noticed(house: House) -> None:
    with window(house, narrow=True) as shown:
        shown.open("/sign-in")
        shown.page.evaluate("""() => document.querySelector("#main").insertAdjacentHTML("beforeend", `
            <img src="/favicon.ico"><div class="muted">faint</div><table><tr><td>${"wide".repeat(200)}</td></tr></table>
            <a href="#nowhere">lost</a>`)""")
        assert [line.split(": ")[1] for line in shown.complaints()] == ["image-alt"]
        assert "<table>" in shown.overhang()[0]
        assert shown.lost() == ["#nowhere"]
        assert 30_000 < shown.weight() < MOST_BYTES


@pytest.mark.skipif(not EVERYTHING, reason="make browser looks at a suite without data too")
def test_pages_without_anything_in_them_say_what_to_do_next(
    chromium: Browser, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    with house_with(chromium, tmp_path, demo=False) as house, window(house, ADMIN) as shown:
        for path in empty_places(house):
            with subtests.test(path):
                shown.open(path)
                shown.check()
                assert shown.page.locator("#main .empty, #main .systems").count() > 0
