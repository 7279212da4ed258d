"""From nothing to a downloaded PDF with the offline writer: wide with script, and narrow without it."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import Browser, FilePayload, expect

from partita.apps.newsletter.demo.documents import file_of
from partita.apps.newsletter.demo.library import sources
from tests.browser.conftest import Mode
from tests.browser.house import EVERYTHING, House
from tests.browser.newsletter import STRANGER, desk_with
from tests.browser.window import Window

WANTED = {
    1: ("maize-trials", "locust-alert", "seed-policy", "food-outlook", "solar-irrigation", "climate-villages"),
    2: ("border-trade", "livestock-insurance", "small-grants", "dryland-conference", "weather-radar", "camel-milk"),
    3: ("armyworm-push-pull", "beekeeping-guide", "coffee-rules", "fisheries-lake", "hermetic-bags", "youth-hubs"),
    4: (
        "fertiliser-subsidy",
        "irrigation-fund",
        "karamoja-water",
        "peste-des-petits",
        "rift-valley-fever",
        "school-gardens",
    ),
}
"""Of each way of telling the story its own, since the same source twice is refused."""
_SECONDS = 110.0


@pytest.fixture(scope="module")
def desk(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with desk_with(chromium, tmp_path_factory.mktemp("story")) as found:
        yield found


def _files(wanted: tuple[str, ...]) -> list[FilePayload]:
    today = datetime.now(UTC).date()
    files: list[FilePayload] = []
    for source in sources():
        if source.slug in wanted:
            data, name, kind = file_of(source, today)
            files.append({"name": name, "mimeType": kind, "buffer": data})
    assert len(files) == len(wanted)
    return files


def _wait(shown: Window, text: str) -> None:
    """Wait until the page says so, as people do: with script it comes by itself, without it the page is reloaded."""
    until = time.monotonic() + _SECONDS
    while not shown.page.get_by_text(text).first.is_visible():
        assert time.monotonic() < until, f"{shown.path} did not say “{text}”"
        shown.page.wait_for_timeout(500)
        if not shown.script:
            shown.page.reload()


def _pdf_text(data: bytes) -> tuple[str, int]:
    document = pypdfium2.PdfDocument(io.BytesIO(data))
    return "\n".join(page.get_textpage().get_text_range() for page in document), len(document)


def test_from_nothing_to_a_downloaded_pdf(desk: House, mode: Mode, tmp_path: Path) -> None:
    begun = time.monotonic()
    wanted = WANTED[mode.number]
    title = f"Story {mode.number}"
    with mode.window(desk, STRANGER) as stan:
        # Sources first
        stan.open("/newsletter")
        stan.check()
        stan.open("/newsletter/sources")
        stan.page.locator("input[type=file]").set_input_files(_files(wanted))
        stan.press(re.compile("^Add sources$"))
        stan.told(f"{len(wanted)} sources are being processed.")
        rows = stan.page.locator("table tbody tr")
        ready = rows.filter(has_text="Ready")
        stan.until("/newsletter/sources", lambda: ready.count() == rows.count() >= len(wanted), _SECONDS)
        stan.check()

        # Title, audience, all steps at once
        stan.open("/newsletter/new")
        stan.fill(Title=title)
        stan.page.get_by_label("Researchers").check(force=True)
        stan.page.get_by_label("Short", exact=False).first.check(force=True)
        stan.press("Draft everything")
        pressed = time.monotonic()
        expect(stan.page).to_have_url(re.compile("/making"))
        _wait(stan, "The draft is ready")
        if EVERYTHING:  # alone on its machine
            assert time.monotonic() - pressed < 60, "a draft takes at most a minute"
        stan.check()
        stan.follow("Read the draft")

        # The draft, with a source for its sentences
        expect(stan.page.locator("#main")).to_contain_text("Written by the offline writer")
        stan.check()
        stan.click(stan.page.locator("a.cite").first)
        expect(stan.page.locator(".passage mark").first).to_be_visible()

        # Finish
        stan.open(stan.path.partition("/write")[0] + "/finish")
        stan.check()
        card = stan.page.locator("#format-pdf")
        with stan.leaving():
            stan.click(card.get_by_role("button", name=re.compile("^Create")))
        download = card.get_by_role("link", name=re.compile("^Download"))
        if stan.script:
            expect(download).to_be_visible(timeout=_SECONDS * 1000)
        else:
            stan.until(stan.path, lambda: download.is_visible(), _SECONDS)
        with stan.page.expect_download() as arriving:
            download.click()
        file = tmp_path / "edition.pdf"
        arriving.value.save_as(file)
        stan.check()
    seconds = time.monotonic() - begun
    with desk.program(STRANGER) as program:
        made = program.get("/api/newsletter/newsletters?limit=50").json()["items"]
        code = next(each["newsletterCode"] for each in made if each["title"] == title)
        draft = program.get(f"/api/newsletter/newsletters/{code}/draft").json()
        newsletter = program.get(f"/api/newsletter/newsletters/{code}").json()
    assert newsletter["length_preference"] == "short"
    assert draft["word_count"] < 700
    assert draft["quality"]["faithful"]["value"] == 1
    text, pages = _pdf_text(file.read_bytes())
    assert title in text
    assert "[1]" in text
    assert pages >= 2
    if EVERYTHING:
        assert seconds < 120, f"the story took {seconds:.0f} seconds"
