"""Sources and proposals in a browser: dropped files, passages on and off, a call that becomes a checklist."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from tests.apps.newsletter.reading.samples import call_for_proposals, report
from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, House, house_with
from tests.browser.window import Window, window


@pytest.fixture(scope="module")
def desk(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_with(chromium, tmp_path_factory.mktemp("sources"), demo=False, people=[ADMIN]) as found:
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
        ada.told("2 sources are being processed.")
        ready = ada.page.locator("table tbody tr").filter(has_text="Ready")
        added = (ready.filter(has_text=name), ready.filter(has_text="Annual report 2026"))
        ada.until("/newsletter/sources", lambda: all(row.count() > 0 for row in added))
        ada.check()
        ada.follow(name)
        ada.sees("This source has no date")
        ada.check()
        first = ada.page.locator(".source-passage").first
        ada.click(first.get_by_role("button", name=re.compile("Turn off")))
        ada.told("no longer used")
        expect(ada.page.locator(".source-passage").first).to_contain_text("Turned off")
        ada.fill(Published="2026-03-01", Publisher="The Institute")
        ada.press("Save")
        ada.told("Saved.")
        ada.sees_not("This source has no date")
        ada.confirm("Delete", "Delete" if mode.script else "Delete source")
        ada.told("was deleted")


def test_on_a_phone_the_facts_of_a_source_are_a_line_below_its_title(desk: House) -> None:
    with window(desk, ADMIN, narrow=True) as ada, desk.program(ADMIN) as program:
        sent = {"title": "Wells of the north", "text": "Three wells were dug.", "tags": ["wells", "dry season"]}
        made = program.post("/api/newsletter/sources", data=sent)
        assert made.ok, made.text()
        row = ada.page.locator("table tbody tr").filter(has_text="Wells of the north")
        ada.until("/newsletter/sources", lambda: row.filter(has_text="Ready").count() == 1)
        title, facts = row.get_by_role("link", name="Wells of the north"), row.locator("td:visible")
        at, first = title.bounding_box(), facts.first.bounding_box()
        assert at is not None
        assert first is not None
        assert (first["x"], first["y"] >= at["y"] + at["height"]) == (at["x"], True)
        assert len({box["y"] for each in facts.all() if (box := each.bounding_box())}) == 1
        expect(row.get_by_role("link", name="wells", exact=True)).to_be_hidden()
        ada.check()
        ada.click(title)
        ada.follow("dry season")
        expect(row).to_be_visible()


def test_what_is_wrong_with_a_form_is_in_sight_wherever_the_form_is(desk: House, mode: Mode) -> None:
    with mode.window(desk, ADMIN) as ada:
        ada.open("/newsletter/sources")
        ada.page.get_by_label("Web addresses").fill("nonsense")
        ada.press("Add sources")
        summary = ada.page.locator("form [role=alert]")
        expect(summary).to_be_in_viewport()
        expect(summary).to_be_focused()
        text = f"Maize fell in the south in year {mode.number}."
        for _ in range(2):
            ada.open("/newsletter/sources")
            ada.page.get_by_label("Web addresses").fill("")  # what was refused is there again
            ada.page.get_by_label("Or paste text").fill(text)
            with ada.page.expect_response(lambda answer: answer.request.method == "POST"):
                ada.press("Add sources")
        expect(ada.page.get_by_role("alert")).to_be_in_viewport()
        ada.sees("1 of 1 source could not be added")
        expect(ada.page.get_by_label("Or paste text")).to_have_attribute("aria-invalid", "true")
        ada.check()


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
        ada.told("“dropped” is being processed.")


def test_the_text_of_a_proposal_is_saved_as_it_is_typed_and_never_replaces_another_unseen(desk: House) -> None:
    with window(desk, ADMIN) as ada, desk.program(ADMIN) as colleague:
        made = colleague.post("/api/newsletter/proposals", data={"title": "Fodder banks by two"}).json()
        api = f"/api/newsletter/proposals/{made['proposal_code']}"
        first = made["sections"][0]["key"]
        ada.open(f"/newsletter/proposals/{made['proposal_code']}")
        field, state = ada.page.locator("textarea[name=text]"), ada.page.locator("[data-saved]")
        field.fill("Two in three *households* lost animals.")
        expect(state).to_have_text(re.compile(r"^Saved \d\d:\d\d"))
        expect(ada.page.locator("[data-preview] em")).to_have_text("households")
        expect(ada.page.locator(".editor-head [data-section-words]")).to_have_text("6")
        field.fill("Two in three *households* lost animals [99].")
        expect(state).to_have_text(re.compile(r"^Saved \d\d:\d\d.*\. \[99\] leads to no source$"))
        field.fill("Two in three *households* lost animals.")
        expect(state).to_have_text(re.compile(r"^Saved \d\d:\d\d( [AP]M)?$"))
        there = colleague.get(api).json()
        assert there["sections"][0]["text"] == "Two in three *households* lost animals."
        theirs = {"text": "Three in four lost animals.", "revision": there["revision"]}
        assert colleague.put(f"{api}/sections/{first}", data=theirs).ok
        field.fill("All of them lost animals.")
        expect(state).to_contain_text("somebody else has changed this section")
        ada.press("Compare and choose")
        ada.sees("Three in four lost animals.", "All of them lost animals.")
        ada.check()
        ada.troubles.clear()  # the refused save is in the console
        ada.page.reload()
        ada.at(re.compile(f"section={first}|sections"))


def test_a_draft_from_sources_comes_into_the_editor_below_what_is_typed_meanwhile(desk: House) -> None:
    with window(desk, ADMIN) as ada, desk.program(ADMIN) as program:
        made = program.post("/api/newsletter/proposals", data={"title": "Sand dams"}).json()
        code = made["proposal_code"]
        text = "# Costs\n\nOne sand dam costs 28,000 dollars.\n\n# Need\n\nSixty villages have no water from sand dams."
        assert program.post("/api/newsletter/sources", data={"title": "Dams", "text": text, "shelf": code}).ok
        ada.open(f"/newsletter/proposals/{code}?section=budget")
        field, state = ada.page.locator("textarea[name=text]"), ada.page.locator("[data-saved]")
        _until(lambda: program.get(f"/api/newsletter/sources?shelf={code}").json()["items"][0]["status"] == "ready")
        ada.press("Draft from sources")
        expect(field).to_have_value(re.compile(r"One sand dam costs 28,000 dollars\. \[1\]"))
        expect(ada.page.locator("#drafting")).to_contain_text("1 section written from your sources.")
        expect(ada.page.get_by_role("button", name="Draft from sources")).to_be_enabled()
        expect(ada.page.get_by_role("button", name="Draft the empty sections")).to_have_count(1)
        expect(ada.page.locator("#main > .flash")).to_have_count(0)
        ada.open(f"/newsletter/proposals/{code}?section=background_and_problem")
        assert program.post(f"/api/newsletter/proposals/{code}/sections/background_and_problem/generate").ok
        _until(lambda: program.get(f"/api/newsletter/proposals/{code}/steps/proposal").json()["state"] == "done")
        field.fill("Typed meanwhile.")
        # As htmx tells it when the progress of a draft is replaced by its end.
        ada.page.evaluate(
            """() => document.dispatchEvent(
                new CustomEvent("htmx:afterSwap", { detail: { requestConfig: { elt: { id: "drafting" } } } }))"""
        )
        expect(field).to_have_value(re.compile(r"^Typed meanwhile\.\n\nSixty villages have no water"))
        expect(state).to_have_text(re.compile(r"^Saved \d\d:\d\d"))
        there = program.get(f"/api/newsletter/proposals/{code}").json()["text_inputs"]["background_and_problem"]
        assert there.startswith("Typed meanwhile.\n\nSixty villages have no water")
        ada.check()


def test_a_passage_goes_where_the_cursor_is_and_its_number_opens_it(desk: House, mode: Mode) -> None:
    with mode.window(desk, ADMIN) as ada, desk.program(ADMIN) as program:
        code = program.post("/api/newsletter/proposals", data={"title": "Wells for the hills"}).json()["proposal_code"]
        said = "Nine wells of the hills serve 400 households."
        text = f"{said} Each well costs 6,000 dollars, and the villages pay a tenth of it."
        assert program.post("/api/newsletter/sources", data={"title": "Wells", "text": text, "shelf": code}).ok
        _until(lambda: program.get(f"/api/newsletter/sources?shelf={code}").json()["items"][0]["status"] == "ready")
        path = f"/newsletter/proposals/{code}?section=background_and_problem"
        ada.open(path)
        ada.page.locator(".passage-card > summary").first.click()
        ada.page.get_by_label(said).check()
        ada.page.get_by_role("button", name="Insert from Wells").click()
        field = ada.page.locator("textarea[name=text]")
        expect(field).to_have_value(f"{said} [1]")
        if mode.script:
            expect(ada.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d\d:\d\d"))
        ada.page.locator(".proposal-look a[data-cite]").click()
        expect(ada.page.locator("#passage mark")).to_have_text(said)
        ada.check()


def _until(is_so: Callable[[], bool]) -> None:
    """Ask until something is so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_call_becomes_a_checklist_and_the_proposal_a_file(desk: House, mode: Mode) -> None:
    with mode.window(desk, ADMIN) as ada:
        ada.open("/newsletter/proposals/new")
        ada.check()
        ada.fill(Title=f"Fodder banks {mode.number}", Funder="The Fund")
        ada.page.get_by_label(re.compile("^Full proposal")).check()
        ada.press("Create proposal")
        ada.told("Proposal created.")
        ada.check()
        path = ada.path.partition("?")[0]
        ada.page.set_input_files("#files-field", [_file("call.pdf", call_for_proposals())])
        ada.press(re.compile("^Add files$"))
        ada.told("is being processed")
        ada.until(path, lambda: "Processing" not in ada.page.content() and "Waiting" not in ada.page.content())
        with ada.leaving():
            ada.press("Extract requirements")
        _read(ada, f"{path}/checklist", "The deadline for proposals is 30 June 2031 at noon.", "page 2 of the call")
        ada.check()
        ada.click(ada.page.get_by_role("button", name=re.compile("Mark as done: Proposals must include")))
        ada.sees("4 open requirements of 5")
        ada.open(f"{path}?section=risks")
        ada.page.locator("textarea[name=text]").fill("It may *not* rain.")
        ada.press("Save")
        if mode.script:
            expect(ada.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d\d:\d\d"))
        else:
            ada.told("Saved.")
        ada.sees("It may not rain.")
        ada.check()
        ada.follow("Finish")
        ada.sees("4 requirements of the call not ticked.")
        with ada.leaving():
            ada.press(re.compile("^Create Word"))
        _read(ada, f"{path}/finish", "Download")
        ada.check()
        ada.open("/newsletter/proposals")
        ada.sees(f"Fodder banks {mode.number}", "0 of 12 sections done")
        ada.check()


def test_the_check_of_a_budget_is_that_of_the_saved_text(desk: House) -> None:
    with window(desk, ADMIN) as ada, desk.program(ADMIN) as program:
        code = program.post("/api/newsletter/proposals", data={"title": "Sand dams"}).json()["proposal_code"]
        ada.open(f"/newsletter/proposals/{code}?section=budget")
        field, check = ada.page.locator("textarea[name=text]"), ada.page.locator("[data-budgets]")
        expect(check).to_be_empty()
        table = "| Cost | USD |\n| --- | --- |\n| Dams | 90,000 |\n| Staff | 60,000 |\n| Total | {} |"
        field.fill(table.format("140,000"))
        expect(check.locator(".notice")).to_have_text("“USD” comes to 150,000, and the table says 140,000.")
        field.fill(table.format("150,000"))
        expect(check).to_have_text("The table adds up: 150,000.")
        ada.check()
        field.fill("No table any more.")
        expect(check).to_be_empty()
