"""One browser and one suite for all of these tests.

They are there as long as these tests run, and no longer: Playwright keeps a loop in this thread, and others need
theirs. Each story is told in one of two ways, in turn: wide, or narrow and without script; with
`PARTITA_BROWSER=everything` (`make browser`) in every way there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.house import EVERYTHING, House, chromium_path, house_with
from tests.browser.places import Place, places
from tests.browser.window import AXE, Window, window
from tests.demo_folder import demo_folder

_MOST_SECONDS = 400
_LONGEST = (
    *("test_pages_sites_content", "test_pages_films_newsletters", "test_pages_house_kelifax"),
    *("test_account", "test_enablement", "test_worthwatch_lists", "test_newsletter_sources"),
    *("test_kelifax", "test_newsletter_write", "test_imports", "test_enablement_use", "test_enablement_decisions"),
)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium here: make system installs one")
    if not AXE.is_file():
        pytest.skip("no axe here: make setup installs it where there is npm")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def house(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """With demo data."""
    with house_with(chromium, tmp_path_factory.mktemp("browsed")) as found:
        yield found


@pytest.fixture(scope="module")
def rooms(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Those that a file of tests looks at."""
    named: tuple[str, ...] = request.module.ROOMS
    return named


@pytest.fixture(scope="module")
def found(house: House, rooms: tuple[str, ...]) -> list[Place]:
    return places(house, rooms)


@pytest.fixture(scope="module")
def sorts(found: list[Place]) -> list[Place]:
    """One of each: the same elements in the same order come from one template, such as the question before a delete."""
    return found if EVERYTHING else list({place.skeleton: place for place in reversed(found)}.values())[::-1]


@dataclass(frozen=True, slots=True)
class Mode:
    """How somebody looks at pages."""

    number: int
    script: bool = True
    narrow: bool = False

    def window(self, house: House, username: str | None = None) -> AbstractContextManager[Window]:
        return window(house, username, script=self.script, narrow=self.narrow)


MODES = {
    "wide": Mode(1),
    "narrow and without script": Mode(2, script=False, narrow=True),
}
if EVERYTHING:
    MODES |= {"narrow": Mode(3, narrow=True), "wide and without script": Mode(4, script=False)}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one way of telling each story: the first of one, the second of the next. Files that take longest come first:
    who runs one of them last is waited for. Stories of one file stay together (`--dist loadfile`): they share what they
    start. Whatever they wait for has its own limit; the one of a test is for what hangs."""
    for item in items:
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(_MOST_SECONDS))
    if not EVERYTHING:
        _leave_out(config, items)
    items.sort(key=lambda item: _LONGEST.index(item.path.stem) if item.path.stem in _LONGEST else len(_LONGEST))


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    ways: dict[str, list[pytest.Item]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and "mode" in item.fixturenames:
            ways.setdefault(f"{item.path}::{item.originalname}", []).append(item)
    left_out = {each for number, told in enumerate(ways.values()) for each in told[1 - number % 2 :: 2]}
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Make demo data before the time of the first test runs."""
    if chromium_path() is not None and any("house" in getattr(item, "fixturenames", ()) for item in session.items):
        with demo_folder():
            pass


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Mode:
    return MODES[request.param]
