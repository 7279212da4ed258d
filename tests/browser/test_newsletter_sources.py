"""Sources and proposals in a browser: dropped files, passages on and off, a call that becomes a checklist."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from tests.apps.newsletter.reading.samples import call_for_proposals, report
from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, House, house_with
from tests.browser.window import Window, window


@pytest.fixture(scope="module")
def desk(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_with(chromium, tmp_path_factory.mktemp("sources"), demo=False) as found:
        yield found


def _file(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def _read(shown: Window, path: str, *texts: str) -> None:
    shown.until(path, lambda: all(text in shown.page.locator("#main").inner_text() for text in texts))


def test_files_are_added_read_and_switched_off_passage_by_passage(desk: House, mode: Mode) -> None:
    with mode.window(desk, ADMIN) as ada:
        ada.open("/newsletter/sources")
        ada.check()
        name = f"Rains of year {mode.number}"
        text = f"# {name}\n\n" + "The long rains came late, and maize was planted again in May. " * 30
        ada.page.set_input_files(
            "input[type=file]", [_file("rains.md", text.encode()), _file("r.pdf", report(mode.number + 1))]
        )
        if mode.script:
            expect(ada.page.locator("[data-drop-list] li")).to_have_count(2)
        ada.press("Add sources")
        ada.told("2 sources are being read.")
        _read(ada, "/newsletter/sources", name, "Annual report 2026", "Ready")
        ada.check()
        ada.follow(name)
        ada.sees("There is no date in it")
        ada.check()
        first = ada.page.locator(".source-passage").first
        first.get_by_role("button", name=re.compile("Switch off")).click()
        ada.told("not used any more")
        expect(ada.page.locator(".source-passage").first).to_contain_text("Switched off")
        ada.fill(Published="2026-03-01", Publisher="The Institute")
        ada.press("Save")
        ada.told("Saved.")
        ada.sees_not("There is no date in it")
        ada.confirm("Delete", "Delete" if mode.script else "Delete the source")
        ada.told("was deleted")


def test_files_can_be_dropped(desk: House) -> None:
    with window(desk, ADMIN) as ada:
        ada.open("/newsletter/sources")
        ada.page.evaluate(
            """() => {
                const given = new DataTransfer();
                given.items.add(new File(["Maize fell in the south."], "dropped.txt"));
                const drop = new DragEvent("drop", { dataTransfer: given, bubbles: true, cancelable: true });
                document.querySelector("[data-drop-area]").dispatchEvent(drop);
            }"""
        )
        expect(ada.page.locator("[data-drop-list]")).to_contain_text("dropped.txt")
        ada.press("Add sources")
        ada.told("“dropped” is being read.")


def test_a_call_becomes_a_checklist_and_the_proposal_a_file(desk: House, mode: Mode) -> None:
    with mode.window(desk, ADMIN) as ada:
        ada.open("/newsletter/proposals/new")
        ada.check()
        ada.fill(Title=f"Fodder banks {mode.number}", Funder="The Fund")
        ada.page.get_by_label(re.compile("^Full proposal")).check()
        ada.press("Start the proposal")
        ada.told("Started.")
        ada.check()
        path = ada.path.partition("?")[0]
        ada.page.set_input_files("#files-field", [_file("call.pdf", call_for_proposals())])
        ada.press(re.compile("^Add$"))
        ada.told("is being read")
        ada.until(path, lambda: "Being read" not in ada.page.content() and "Waiting" not in ada.page.content())
        ada.press("Read the call")
        _read(ada, f"{path}/checklist", "The deadline for proposals is 30 June 2031 at noon.", "page 2 of the call")
        ada.check()
        ada.page.get_by_role("button", name=re.compile("Mark as done: Proposals must include")).click()
        ada.sees("4 open requirements of 5")
        ada.open(f"{path}?section=risks")
        ada.page.locator("textarea[name=text]").fill("It may *not* rain.")
        ada.press("Save")
        ada.told("Saved.")
        ada.sees("It may not rain.")
        ada.check()
        ada.follow("Finish")
        ada.sees("4 requirements of the call not ticked.")
        ada.press(re.compile("^Make Word"))
        _read(ada, f"{path}/finish", "Download")
        ada.check()
        ada.open("/newsletter/proposals")
        ada.sees(f"Fodder banks {mode.number}", "0 of 12 sections done")
        ada.check()
