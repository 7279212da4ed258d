"""Pictures of every page, to be looked at: light and dark, wide and narrow, with demo data and with none.

`make screenshots` takes them, and `make browser` keeps one of each page it looks at. They are in the folder that
PARTITA_SCREENSHOTS names, else in `build/screenshots`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, Error, sync_playwright

from tests.browser.house import ADMIN, EVERYTHING, House, chromium_path, house_with
from tests.browser.places import Place, empty_places, places
from tests.browser.window import Window, window

FOLDER = Path(os.environ.get("PARTITA_SCREENSHOTS", "build/screenshots"))
_TRIES = 3
_BUSY = "Unable to capture screenshot"
"""What Chromium says of a long page at times, where much runs beside it; asked again, it has the picture."""


def main() -> int:
    """Take all pictures."""
    path = chromium_path()
    if path is None:
        print("screenshots: no Chromium here: make system installs one", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        taken = _furnished(browser) + _empty(browser)
        browser.close()
    print(f"screenshots: {taken} in {FOLDER}")
    return 0


def _furnished(browser: Browser) -> int:
    with _somewhere() as folder, house_with(browser, Path(folder)) as house:
        found = places(house)
        visited = [Place(each, each, None) for each in ("/", "/kelifax", "/fus") if _there(house, each)]
        lost = [Place("/nowhere", "/nowhere", None), Place("/kelifax/resources?q=zzzz", "/kelifax/no-results", None)]
        return take(house, [*found, *visited, *lost], FOLDER)


def _empty(browser: Browser) -> int:
    with _somewhere() as folder, house_with(browser, Path(folder), demo=False) as house:
        return take(house, [Place(path, path, ADMIN) for path in empty_places(house)], FOLDER / "empty")


def keep(shown: Window, place: Place, *, narrow: bool = False, dark: bool = False) -> None:
    """A picture of a page that a test looks at, if there is time for pictures."""
    if EVERYTHING:
        _take(shown, place, FOLDER, narrow=narrow, dark=dark)


def _take(shown: Window, place: Place, folder: Path, *, narrow: bool, dark: bool) -> None:
    """A picture of the page that is open."""
    file = folder / ("dark" if dark else "light") / ("390" if narrow else "1280") / f"{place.name}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    for left in reversed(range(_TRIES)):
        try:
            shown.page.screenshot(path=file, full_page=True)
            return
        except Error as error:
            if not left or _BUSY not in error.message:
                raise


def take(house: House, found: Iterable[Place], folder: Path) -> int:
    """A picture of each page in each theme and width; their number."""
    taken = 0
    for username, narrow, dark in product((None, ADMIN), (False, True), (False, True)):
        with window(house, username, narrow=narrow, dark=dark) as shown:
            for place in (each for each in found if each.username == username):
                shown.open(place.path)
                _take(shown, place, folder, narrow=narrow, dark=dark)
                taken += 1
    return taken


def _there(house: House, path: str) -> bool:
    return any(page.path == path for page in house.pages)


def _somewhere() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="partita-screenshots-")


if __name__ == "__main__":
    sys.exit(main())
