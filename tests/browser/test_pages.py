"""What holds for every page of the suite, whoever made it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.house import ADMIN, EVERYTHING, NARROW, WIDE, House, house_with
from tests.browser.places import Place, empty_places, missed, places
from tests.browser.screenshots import keep
from tests.browser.window import Window, window

MOST_BYTES = 100_000
"""What a page may weigh on its way to a browser that has nothing of ours yet, without pictures."""
REFERENCE, MOST_OF_THE_REFERENCE = "/api/docs", 145_000
"""The reference has every operation of five systems."""

COLOURFUL = {
    "/",
    "/sign-in",
    "/account/tokens",
    "/admin/users",
    "/admin/users/{user_id}",
    "/api/docs",
    "/kelifax",
    "/kelifax/analytics",
    "/kelifax/moderation",
    "/kelifax/moderation/{slug}",
    "/kelifax/submit",
    "/fus",
    "/fus/sites/{site_id}",
    "/fus/groups/{name}/edit",
}
"""Pages that together show every colour on every ground."""

pytestmark = pytest.mark.timeout(900)  # every page, on whatever machine


@pytest.fixture(scope="package")
def found(house: House) -> list[Place]:
    return places(house)


@pytest.fixture(scope="package")
def sorts(found: list[Place]) -> list[Place]:
    """One of each: the same elements in the same order come from one template, such as the question before a delete."""
    return found if EVERYTHING else list({place.skeleton: place for place in reversed(found)}.values())[::-1]


def test_every_page_is_found_by_following_links(house: House, found: list[Place]) -> None:
    assert missed(house, found) == []
    assert len(found) > 40


def test_axe_finds_nothing_and_pages_are_small_and_fit(
    house: House, sorts: list[Place], subtests: pytest.Subtests
) -> None:
    for shown, place in _each(house, sorts):
        with subtests.test(place.route):
            assert shown.open(place.path).status == 200
            keep(shown, place)
            assert shown.complaints() == []
            assert shown.weight() < (MOST_OF_THE_REFERENCE if place.route == REFERENCE else MOST_BYTES)
            shown.page.set_viewport_size(NARROW)
            keep(shown, place, narrow=True)
            assert shown.overhang() == []
            shown.page.set_viewport_size(WIDE)


def test_letters_stand_out_in_the_dark(house: House, found: list[Place], subtests: pytest.Subtests) -> None:
    looked_at = found if EVERYTHING else [place for place in found if place.route in COLOURFUL]
    for shown, place in _each(house, looked_at, dark=True):
        with subtests.test(place.route):
            shown.open(place.path)
            keep(shown, place, dark=True)
            assert shown.complaints("color-contrast") == []


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


def _each(house: House, found: list[Place], *, dark: bool = False) -> Iterator[tuple[Window, Place]]:
    """One window for all pages that the same person looks at."""
    by_person = sorted(found, key=lambda place: place.username or "")
    for username, theirs in groupby(by_person, key=lambda place: place.username):
        with window(house, username, dark=dark) as shown:
            for place in theirs:
                yield shown, place
                assert shown.troubles == []
