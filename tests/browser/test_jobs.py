"""A job is watched while it runs, in a suite of the tests' own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.house import ADMIN, House, _move_in
from tests.browser.window import window
from tests.web.serving import serving


@pytest.fixture(scope="module")
def printing(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with serving(tmp_path_factory.mktemp("printing"), environment={"PARTITA_SYSTEMS": "tests.web.printing"}) as suite:
        house = House(suite.url, chromium, frozenset())
        _move_in(house, suite.password)
        yield house


def _started(house: House, pages: int) -> str:
    with house.program(ADMIN) as program:
        answer = program.post(f"/press/print?pages={pages}", max_redirects=0)
        assert answer.status == 303, answer.text()
        return answer.headers["location"]


@pytest.mark.parametrize("narrow", [False, True])
def test_progress_moves_by_itself_until_the_result_is_there(printing: House, narrow: bool) -> None:
    path = _started(printing, 200)
    with window(printing, ADMIN, narrow=narrow) as looking:
        looking.open(path)
        looking.page.evaluate("window.stayed = true")
        looking.sees("Printing <pages>")
        looking.check()
        first = looking.page.locator("progress").get_attribute("value")
        looking.page.wait_for_function(
            "first => document.querySelector('progress')?.value > first", arg=float(first or 0)
        )
        looking.page.locator("#job-actions button").focus()
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


def test_without_script_the_page_is_reloaded(printing: House) -> None:
    """Browsers without script reload it themselves; this one has script turned off and does not know it."""
    path = _started(printing, 100)
    with window(printing, ADMIN, script=False) as looking:
        looking.open(path)
        assert '<meta http-equiv="refresh" content="5">' in looking.page.content()
        looking.follow("Reload the page")
        looking.until(path, lambda: looking.page.get_by_text("All <pages> printed.").count() > 0)
        looking.sees_not("Reload the page")
