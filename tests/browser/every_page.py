"""What holds for every page, whoever made it.

Several files have these tests, each for some rooms, which it names as `ROOMS`: so several workers look at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby

import pytest

from tests.browser.house import EVERYTHING, NARROW, WIDE, House
from tests.browser.places import Place, missed
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
    "/newsletter",
    "/worthwatch",
}
"""Pages that together show every colour on every ground."""


class EveryPage:
    """Tests of every page of some rooms."""

    pytestmark = pytest.mark.timeout(900)  # on whatever machine

    def test_every_page_is_found_by_following_links(
        self, house: House, found: list[Place], rooms: Collection[str]
    ) -> None:
        assert (routes := missed(house, found, rooms)) == [], routes
        assert len(found) > 40

    def test_axe_finds_nothing_and_pages_are_small_and_fit(
        self, house: House, sorts: list[Place], subtests: pytest.Subtests
    ) -> None:
        for shown, place in _each(house, sorts):
            with subtests.test(place.route):
                assert shown.open(place.path).status == 200
                keep(shown, place)
                _shorten(shown, place)
                assert shown.complaints() == []
                assert shown.weight() < (MOST_OF_THE_REFERENCE if place.route == REFERENCE else MOST_BYTES)
                shown.page.set_viewport_size(NARROW)
                keep(shown, place, narrow=True)
                assert (wide := shown.overhang()) == [], wide
                shown.page.set_viewport_size(WIDE)

    def test_letters_stand_out_in_the_dark(self, house: House, found: list[Place], subtests: pytest.Subtests) -> None:
        looked_at = found if EVERYTHING else [place for place in found if place.route in COLOURFUL]
        assert looked_at
        for shown, place in _each(house, looked_at, dark=True):
            with subtests.test(place.route):
                shown.open(place.path)
                keep(shown, place, dark=True)
                _shorten(shown, place)
                assert shown.complaints("color-contrast") == []


def _shorten(shown: Window, place: Place) -> None:
    """Of the operations in the reference, which come from one template, some of each system: axe takes half a minute
    for all of them, and does so in `make browser`."""
    if place.route == REFERENCE and not EVERYTHING:
        shown.page.evaluate(_SHORTEN)


_SHORTEN = """() => document.querySelectorAll(".section")
    .forEach(each => [...each.querySelectorAll(".operation")].slice(8).forEach(more => more.remove()))"""


def _each(house: House, found: list[Place], *, dark: bool = False) -> Iterator[tuple[Window, Place]]:
    """One window for all pages that the same person looks at."""
    by_person = sorted(found, key=lambda place: place.username or "")
    for username, theirs in groupby(by_person, key=lambda place: place.username):
        with window(house, username, dark=dark) as shown:
            for place in theirs:
                yield shown, place
                assert shown.troubles == []
