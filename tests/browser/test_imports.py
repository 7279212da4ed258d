"""A long import is watched, left, and come back to; in a suite of its own, since it adds many sites."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Mode
from tests.browser.house import MANAGER, NO_FETCH, House, move_in
from tests.browser.places import Place
from tests.browser.ready import serving
from tests.browser.screenshots import keep
from tests.browser.window import window

SITES = 1500


@pytest.fixture(scope="module")
def library(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with serving(tmp_path_factory.mktemp("library"), {**NO_FETCH, "PARTITA_SYSTEMS": "fus"}) as suite:
        house = House(suite.url, chromium, frozenset())
        move_in(house, suite.password, [MANAGER])
        yield house


def test_a_long_import_is_watched_left_and_come_back_to(library: House, mode: Mode) -> None:
    name = f"bookmarks-{mode.number}.html"
    links = "".join(
        f'<DT><A HREF="https://{number}-{mode.number}.example.org/">Site {number} of many</A>'
        for number in range(SITES)
    )
    file = f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>{links}<DT><A HREF='javascript:alert(1)'>A trap</A></DL>"
    with mode.window(library, MANAGER) as manager:
        manager.open("/fus/import")
        manager.field("File").set_input_files(files=[{"name": name, "mimeType": "text/html", "buffer": file.encode()}])
        manager.press("Import")
        manager.at(re.compile("/jobs/"))
        manager.sees(f"Import {name}", "You can leave this page and come back.", "Adding sites", "of 1,501")
        manager.check()
        job = manager.path
        if not mode.script:
            assert '<meta http-equiv="refresh"' in manager.page.content()
        manager.open("/fus")  # leaving
        done = f"{SITES:,} sites added, 0 already there, 1 refused."
        own = manager.page.locator("li", has_text=f"Import {name}").get_by_text(done)
        manager.until("/account/jobs", lambda: own.count() > 0)
        manager.follow(f"Import {name}")
        manager.at(job)
        manager.sees(done)
        manager.check()
        manager.follow("Look at the result")
        manager.sees("javascript:alert(1)", "http:// or https://")
        manager.check()
        keep(manager, Place(manager.path, "/fus/import/{job_id}", MANAGER), narrow=mode.narrow)
        manager.follow("Added 1,500")
        manager.sees("https://0-", "1,300 more rows are in the CSV file.")
        manager.check()
        with manager.page.expect_download() as download:
            manager.follow("Download as CSV")
        assert len(download.value.path().read_text().splitlines()) == SITES + 2
        manager.open("/notifications")
        manager.sees(f"“{name}” is imported", "1,500 added, 0 already there, 1 refused.")


def test_the_end_of_an_import_shows_by_itself(library: House) -> None:
    with window(library, MANAGER) as manager:
        file = "url\n" + "\n".join(f"https://{number}.example.net/" for number in range(SITES))
        manager.open("/fus/import")
        manager.field("File").set_input_files(
            files=[{"name": "sites.csv", "mimeType": "text/csv", "buffer": file.encode()}]
        )
        manager.press("Import")
        manager.at(re.compile("/jobs/"))
        manager.page.evaluate("window.stayed = true")
        manager.sees(f"{SITES:,} sites added", "Look at the result")
        assert manager.page.evaluate("window.stayed") is True
