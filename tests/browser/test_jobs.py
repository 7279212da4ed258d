"""A job is watched while it runs, in a suite of the tests' own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser

from tests.browser.house import ADMIN, House, move_in
from tests.browser.ready import serving
from tests.browser.window import window


@pytest.fixture(scope="module")
def printing(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with serving(tmp_path_factory.mktemp("printing"), {"PARTITA_SYSTEMS": "tests.web.printing"}) as suite:
        house = House(suite.url, chromium, frozenset())
        move_in(house, suite.password, [ADMIN])
        yield house


def _started(house: House, pages: int, waits: Path | None = None) -> str:
    """The page of a new job, which may wait for files in a folder before it goes on."""
    with house.program(ADMIN) as program:
        asked = {"pages": pages, **({"waits": str(waits)} if waits else {})}
        answer = program.post(f"/press/print?{urlencode(asked)}", max_redirects=0)
        assert answer.status == 303, answer.text()
        return answer.headers["location"]


@pytest.mark.parametrize("narrow", [False, True])
def test_progress_moves_by_itself_until_the_result_is_there(printing: House, narrow: bool, tmp_path: Path) -> None:
    path = _started(printing, 20, tmp_path)
    with window(printing, ADMIN, narrow=narrow) as looking:
        looking.open(path)
        looking.page.evaluate("window.stayed = true")
        looking.sees("Printing <pages>")
        looking.check()
        (tmp_path / "begin").touch()
        looking.page.wait_for_function("() => document.querySelector('progress')?.value > 0")
        looking.page.locator("#job-actions button").focus()
        (tmp_path / "end").touch()
        looking.sees("All <pages> printed.", "Look at the result")
        assert looking.page.evaluate("window.stayed") is True
        looking.check()


def test_cancelling_is_seen_at_once_and_the_job_can_be_tried_again(printing: House) -> None:
    path = _started(printing, 5000)
    with window(printing, ADMIN) as looking:
        looking.open(path)
        looking.sees("Printing <pages>")
        looking.press("Cancel")
        looking.sees("Cancelled", "Try again")
        looking.check()
        looking.press("Try again")
        looking.sees("Started again.", "Printing <pages>")
        looking.press("Cancel")
        looking.sees("Try again")
        looking.open("/account/jobs")
        looking.sees("Print the <edition>")
        looking.check()
        looking.open("/admin/jobs?state=cancelled")
        looking.sees("Print the <edition>")
        looking.check()


def test_without_script_the_page_is_reloaded(printing: House, tmp_path: Path) -> None:
    """Browsers without script reload it themselves; this one has script turned off and does not know it."""
    path = _started(printing, 10, tmp_path)
    with window(printing, ADMIN, script=False) as looking:
        looking.open(path)
        assert '<meta http-equiv="refresh" content="5">' in looking.page.content()
        with looking.leaving():
            looking.follow("Reload the page")
        (tmp_path / "begin").touch()
        (tmp_path / "end").touch()
        looking.until(path, lambda: looking.page.get_by_text("All <pages> printed.").count() > 0)
        looking.sees_not("Reload the page")
