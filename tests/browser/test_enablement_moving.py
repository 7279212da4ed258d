"""The portal's content on the move: many files come in at once, owners change, things are deleted, films play."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Response, expect

from tests.browser.conftest import Mode
from tests.browser.enablement import ADMIN, APPROVER, CONTRIBUTOR, VIEWER, call, portal_with
from tests.browser.house import House
from tests.browser.window import Window, window
from tests.kit.previews.samples import pdf

_ROWS = """title,summary,suite,tags,file_name
Import {0} one,The first of two.,Atlas,new;lab,one-{0}.pdf
Import {0} two,The second of two.,Atlas,,two-{0}.pdf
,Nothing has this title.,Atlas,,
"""
_FILM = """async () => {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 320, height: 180 });
  const pen = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: "video/webm" });
  const pieces = [];
  recorder.ondataavailable = (event) => pieces.push(event.data);
  const stopped = new Promise((done) => { recorder.onstop = done; });
  recorder.start();
  for (let step = 0; step < 40; step += 1) {
    pen.fillStyle = `hsl(${step * 9} 80% 50%)`;
    pen.fillRect(0, 0, 320, 180);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 25)));
  }
  recorder.stop();
  await stopped;
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
  return btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(""));
}"""
_PLAYS = """async (film) => {
  film.muted = true;
  await film.play();
  while (film.currentTime < 0.3) await new Promise((done) => setTimeout(done, 20));
  return [film.videoWidth, film.error && film.error.message];
}"""


@pytest.fixture(scope="module")
def portal(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with portal_with(chromium, tmp_path_factory.mktemp("moving")) as found:
        yield found


def _file(name: str, data: bytes, kind: str) -> Any:
    return {"name": name, "mimeType": kind, "buffer": data}


def _made(portal: House, title: str, *, released: bool = False, **fields: Any) -> str:
    """Something of Cora's."""
    new = {"title": title, "summary": f"About {title}.", "text": "Some *text*.", "product_suite": "Atlas", **fields}
    content_id: str = call(portal, CONTRIBUTOR, "POST", "/content", new)["content_id"]
    if released:
        version = call(portal, CONTRIBUTOR, "POST", f"/content/{content_id}/submit", {})["version"]
        call(portal, APPROVER, "POST", f"/content/{content_id}/approve", {"version": version})
    return content_id


def test_many_files_are_brought_in_with_a_table_of_what_they_are(portal: House, mode: Mode) -> None:
    with mode.window(portal, CONTRIBUTOR) as cora:
        cora.open("/enablement/import")
        cora.check()
        cora.page.get_by_label("CSV file").set_input_files(
            _file("many.csv", _ROWS.format(mode.number).encode(), "text/csv")
        )
        cora.press("Check the rows")
        cora.sees("Rows to correct", "No row has its file yet.", "not sent yet")
        cora.check()
        files = [
            _file(name, pdf(name), "application/pdf") for name in (f"one-{mode.number}.pdf", f"two-{mode.number}.pdf")
        ]
        if mode.script:  # all at once, ticked off as they arrive
            lost = _file("lost.pdf", pdf("lost"), "application/pdf")
            cora.page.get_by_label("Files of the rows").set_input_files([files[0], lost])
            cora.press("Send")
            cora.sees("No row names the file “lost.pdf”.", "1 of 2", "Make 1 draft")  # numbers follow the list
            cora.troubles.clear()  # the refused file is in the console
            cora.page.get_by_label("Files of the rows").set_input_files(files)
            cora.press("Send")
        else:
            for each in files:
                cora.page.get_by_label("File of a row").set_input_files(each)
                cora.press("Send")
                cora.sees("has arrived")
        cora.sees("All files have arrived.")
        cora.check()
        with cora.leaving():
            cora.press("Make 2 drafts")
        _until_done(cora)
        cora.check()
        with cora.page.expect_download() as download:
            cora.follow("Rows to correct")
        assert "Nothing has this title." in download.value.path().read_text()
        cora.follow(f"Import {mode.number} one")
        cora.sees(f"one-{mode.number}.pdf")


def _until_done(cora: Window) -> None:
    address = cora.path
    cora.until(address, lambda: cora.page.get_by_text("Drafts made").count() > 0)
    cora.sees("Submit all for approval")


def test_one_item_is_handed_to_a_colleague_who_is_suggested(portal: House, mode: Mode) -> None:
    content_id = _made(portal, f"To hand over {mode.number}")
    with mode.window(portal, CONTRIBUTOR) as cora:
        cora.open(f"/enablement/content/{content_id}/hand-over")
        cora.check()
        box = cora.field("Username of the new owner")
        if mode.script:
            box.press_sequentially("aro")
            expect(cora.page.locator("#colleagues option")).to_have_attribute("value", APPROVER)
        box.fill("nobody-at-all")
        cora.press("Hand over")
        expect(box).to_have_value("nobody-at-all")
        cora.wrong("Username of the new owner", "")
        box.fill(APPROVER)
        cora.press("Hand over")
        cora.told("is handed over")
    with mode.window(portal, APPROVER) as aron:
        aron.open("/enablement/mine")
        aron.sees(f"To hand over {mode.number}")


def test_an_administrator_hands_over_everything_of_somebody(portal: House) -> None:
    content_id = _made(portal, "Of somebody who leaves")
    call(portal, CONTRIBUTOR, "POST", f"/content/{content_id}/transfer", {"to": ADMIN})
    for narrow in (False, True):
        heir = APPROVER if narrow else CONTRIBUTOR
        owner = ADMIN if not narrow else CONTRIBUTOR
        with window(portal, ADMIN, narrow=narrow) as xena:
            xena.open(f"/enablement/mine?owner={owner}")
            xena.follow("Hand over everything")
            xena.at(re.compile("/transfer$"))
            xena.check()
            xena.page.get_by_label("New owner").select_option(heir)
            xena.click(xena.page.locator("#main").get_by_role("button").filter(has_text="Hand over"))
            expect(xena.page.locator("#main")).to_contain_text("handed over.")
            xena.check()
    with window(portal, APPROVER) as aron:
        aron.open("/enablement/mine")
        aron.sees("Of somebody who leaves")
    call(portal, ADMIN, "POST", f"/content/{content_id}/transfer", {"to": CONTRIBUTOR})


def test_something_is_deleted_for_good_after_saying_what_is_lost(portal: House, mode: Mode) -> None:
    title = f"Superfluous {mode.number}"
    content_id = _made(portal, title, released=True)
    with mode.window(portal, ADMIN) as xena:
        xena.open(f"/enablement/content/{content_id}/delete")
        xena.sees("What is lost with it", "1 released version", "Readers use this.")
        xena.check()
        xena.follow("Cancel")
        xena.sees(title)
        xena.open(f"/enablement/content/{content_id}/delete")
        xena.press("Delete for good")
        xena.told("deleted")
        assert xena.open(f"/enablement/content/{content_id}").status == 404
    with mode.window(portal, VIEWER) as vera:
        assert vera.open(f"/enablement/content/{content_id}").status == 404


def test_a_film_plays_on_its_page_and_comes_in_parts(portal: House) -> None:
    with window(portal, CONTRIBUTOR) as cora:
        cora.open("/enablement/new")
        film = base64.b64decode(cora.page.evaluate(_FILM))
        cora.fill(Title="Atlas in motion", Summary="How it turns.", Text="Watch it turn.")
        cora.page.locator("#choose-file").set_input_files(_file("atlas.webm", film, "video/webm"))
        expect(cora.page.locator(".upload-state")).to_contain_text("sent. It is attached when you save")
        cora.press("Submit for approval")
        cora.told("Submitted.")
        address = cora.path
    content_id = address.rpartition("/")[2]
    version = call(portal, APPROVER, "GET", f"/content/{content_id}")["version"]
    call(portal, APPROVER, "POST", f"/content/{content_id}/approve", {"version": version})
    answers: list[Response] = []
    for narrow in (False, True):
        with window(portal, VIEWER, narrow=narrow) as vera:
            vera.page.on("response", lambda answer: answers.append(answer))
            vera.open(address)
            shown = vera.page.locator("video")
            expect(shown).to_be_visible()
            assert shown.evaluate(_PLAYS) == [320, None]
            parts = [each for each in answers if "/files/" in each.url]
            assert {each.status for each in parts} == {206}
            assert {each.headers["content-type"] for each in parts} == {"video/webm"}
            vera.check()
