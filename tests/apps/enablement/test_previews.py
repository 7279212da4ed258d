"""Previews: covers, pages and texts are made in the background, and whatever a file holds, only its preview fails."""

from __future__ import annotations

import io
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from partita.apps.enablement.formats import COLOURS
from partita.apps.enablement.inputs import Retirement
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service import previews
from partita.apps.enablement.service.covers import drawn_cover, wrapped
from partita.apps.enablement.service.previews import rows_of
from partita.kit.files.content import PPTX, XLSX, kind_of
from tests.apps.enablement.served import ServedPortal, Somebody
from tests.apps.enablement.test_attachments import an_archive
from tests.kit.previews.samples import docx, office, paragraph, pdf, zip_bomb

pytestmark = pytest.mark.anyio


async def _made(served: ServedPortal, data: bytes, name: str) -> tuple[Content, Somebody]:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    await served.attach(carla, draft.content_id, data, name)
    await served.catch_up()
    return await served.service.changing.content(draft.content_id), carla


async def test_a_pdf_gets_a_cover_pages_and_its_text(served: ServedPortal) -> None:
    content, carla = await _made(served, pdf("Quartz lamp", "Second page"), "lamp.pdf")
    assert (content.preview_state, content.page_count, content.version) == ("ready", 2, "0.2")
    cover = await carla.get(f"/enablement/content/{content.content_id}/cover")
    assert cover.headers["content-type"] == "image/webp"
    assert Image.open(io.BytesIO(cover.body)).width == 480
    assert len(cover.body) <= 45_000
    page = await carla.get(f"/enablement/content/{content.content_id}/pages/2")
    assert Image.open(io.BytesIO(page.body)).width == 1200
    assert (await carla.get(f"/enablement/content/{content.content_id}/pages/3")).status == 404
    found = await carla.api("GET", "/content?q=quartz")
    assert [each["content_id"] for each in found.json["items"]] == [content.content_id]


@pytest.mark.parametrize("before", range(3))
async def test_a_long_text_in_any_script_is_text_from_its_beginning(served: ServedPortal, before: int) -> None:
    text = "a" * before + "ሰላም ለዓለም " * 60_000
    content, carla = await _made(served, text.encode(), "letter.txt")
    assert (content.content_type, content.preview_state) == ("text/plain", "ready")
    found = await carla.api("GET", f"/content?q={quote('ሰላም')}")
    assert [each["content_id"] for each in found.json["items"]] == [content.content_id]


async def test_twenty_pages_are_there_within_a_minute_on_a_busy_machine(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    begun = time.monotonic()
    await served.attach(carla, draft.content_id, pdf(*(f"Page {n} " * 40 for n in range(25))), "long.pdf")
    await served.catch_up()
    taken = time.monotonic() - begun
    content = await served.service.changing.content(draft.content_id)
    assert (content.preview_state, content.page_count) == ("ready", 25)
    assert (await carla.get(f"/enablement/content/{draft.content_id}/pages/20")).status == 200
    assert (await carla.get(f"/enablement/content/{draft.content_id}/pages/21")).status == 404
    assert taken < 60


def _sheet() -> bytes:
    return office(
        "xl/worksheets/sheet1.xml", "<worksheet/>", "xl/sharedStrings.xml", "<sst><si><t>Zirconium</t></si></sst>"
    )


def _slides() -> bytes:
    drawn = '<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>Zirco</a:t></a:r><a:r><a:t>nium</a:t></a:r></a:p></p:sld>'
    return office("ppt/slides/slide1.xml", drawn, "ppt/slides/slide2.xml", drawn.replace("Zirco", "Two Zirco"))


@pytest.mark.parametrize(
    ("data", "name", "shown"),
    [
        (docx(paragraph("Zirconium oxide")), "a.docx", "Text of the file"),
        (_sheet(), "a.xlsx", "Text of the file"),
        (_slides(), "a.pptx", "Text of the file"),
        (b"Plain Zirconium", "a.txt", "Text of the file"),
        (b"Metal,Price\nZirconium,3\n", "a.csv", "First rows of the table"),
        (an_archive("Zirconium.txt"), "a.zip", "1 file inside"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("a.") else "",
)
async def test_what_is_inside_a_file_is_shown_and_found(
    served: ServedPortal, data: bytes, name: str, shown: str
) -> None:
    content, carla = await _made(served, data, name)
    assert content.preview_state == "ready"
    page = (await carla.get(f"/enablement/content/{content.content_id}")).shown
    assert shown in page
    assert "irconium" in page
    assert (await carla.api("GET", "/content?q=zirconium")).json["items"]


def test_slides_and_sheets_are_known_by_their_parts() -> None:
    assert (kind_of(_slides()), kind_of(_sheet())) == (PPTX, XLSX)


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7 broken",
        zip_bomb(10)[:2000],
        b"\x89PNG\r\n\x1a\nno picture",
        office("word/document.xml", "<!DOCTYPE a><a/>"),
    ],
    ids=["pdf", "zip", "png", "doctype"],
)
async def test_a_file_that_cannot_be_read_has_no_preview_and_blocks_nothing(served: ServedPortal, data: bytes) -> None:
    content, carla = await _made(served, data, "file")
    assert content.preview_state == "failed"
    shown = (await carla.get(f"/enablement/content/{content.content_id}")).shown
    assert content.preview_problem
    assert f"There is no preview. {content.preview_problem} It can be downloaded all the same." in shown
    cover = await carla.get(f"/enablement/content/{content.content_id}/cover")
    assert (cover.status, cover.headers["content-type"]) == (200, "image/svg+xml")
    assert (await carla.get(f"/enablement/content/{content.content_id}/download")).status == 302


async def test_a_file_that_takes_too_long_is_given_up_and_the_page_says_after_how_long(
    served: ServedPortal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert previews.SECONDS == 30
    monkeypatch.setattr(previews, "SECONDS", 0.01)
    content, carla = await _made(served, pdf("Slow"), "slow.pdf")
    assert content.preview_state == "failed"
    shown = (await carla.get(f"/enablement/content/{content.content_id}")).shown
    assert "Reading this file takes longer than 0.01 seconds. It can be downloaded all the same." in shown
    monkeypatch.undo()
    await served.attach(carla, content.content_id, pdf("Quick"), "quick.pdf")
    await served.catch_up()
    after = await served.service.changing.content(content.content_id)
    assert (after.preview_state, after.preview_problem) == ("ready", None)


async def test_while_it_is_made_the_page_asks_again(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    await served.attach(carla, draft.content_id, pdf("One"), "one.pdf")
    page = await carla.get(f"/enablement/content/{draft.content_id}")
    assert "Preview in a moment" in page.text
    assert "/preview" in page.text
    assert (await carla.api("GET", f"/content/{draft.content_id}")).json["preview_state"] == "making"
    await served.catch_up()
    assert "1 of 1" in (await carla.get(f"/enablement/content/{draft.content_id}/preview")).text


async def test_a_new_file_of_released_content_gets_its_preview_before_and_after_approval(served: ServedPortal) -> None:
    carla, anna = await served.person("contributor"), await served.person("approver")
    draft = await served.draft(carla)
    await served.attach(carla, draft.content_id, pdf("Old"), "old.pdf")
    await served.release(carla, anna, draft.content_id)
    await served.catch_up()
    await served.attach(carla, draft.content_id, pdf("New", "Newer", "Newest"), "new.pdf")
    await served.catch_up()
    assert (await served.service.changing.content(draft.content_id)).page_count == 1
    proposal = await served.service.changing.proposal(draft.content_id)
    assert proposal is not None
    assert (proposal.preview_state, proposal.page_count) == ("ready", 3)
    await served.release(carla, anna, draft.content_id, "A new file with more pages.")
    await served.catch_up()
    after = await served.service.changing.content(draft.content_id)
    assert (after.preview_state, after.page_count) == ("ready", 3)
    old = await anna.get(f"/enablement/content/{draft.content_id}/versions/1/cover")
    assert old.headers["content-type"] == "image/webp"


async def test_a_replaced_file_of_a_draft_is_deleted_with_its_preview(served: ServedPortal, tmp_path: Path) -> None:
    content, carla = await _made(served, pdf("Old"), "old.pdf")
    assert content.cover_key is not None
    assert content.s3_key is not None
    await served.attach(carla, content.content_id, pdf("New"), "new.pdf")
    await served.catch_up()
    assert not await served.kit.files.exists(content.cover_key)
    assert not await served.kit.files.exists(content.s3_key)


async def test_pictures_are_for_those_who_may_read(served: ServedPortal) -> None:
    content, _ = await _made(served, pdf("Secret"), "secret.pdf")
    anna, vera, carl = await served.person("approver"), await served.person(), await served.person("contributor")
    for path in ("cover", "pages/1", "preview", "download", "media"):
        for somebody in (vera, carl):
            assert (await somebody.get(f"/enablement/content/{content.content_id}/{path}")).status == 404
        assert (await served.visitor().get(f"/enablement/content/{content.content_id}/{path}")).status == 303
    assert (await anna.get(f"/enablement/content/{content.content_id}/pages/1")).status == 200


async def test_a_closed_item_shows_a_drawn_cover_and_no_pages(served: ServedPortal) -> None:
    carla, anna, vera = await served.person("contributor"), await served.person("approver"), await served.person()
    draft = await served.draft(carla)
    await served.attach(carla, draft.content_id, pdf("Old"), "old.pdf")
    await served.release(carla, anna, draft.content_id)
    await served.catch_up()
    await served.service.lifecycle.retire(anna.viewer, draft.content_id, Retirement(reason="Not sold any more."))
    cover = await vera.get(f"/enablement/content/{draft.content_id}/cover")
    assert (cover.status, cover.headers["content-type"]) == (200, "image/svg+xml")
    assert (await vera.get(f"/enablement/content/{draft.content_id}/pages/1")).status == 404
    assert (await vera.get(f"/enablement/content/{draft.content_id}/download")).status == 403


@given(st.text(max_size=300), st.text(max_size=100) | st.none(), st.integers(1, len(COLOURS)))
def test_every_title_has_a_cover_that_is_xml(title: str, concept: str | None, colour: int) -> None:
    from xml.etree import ElementTree

    drawn = drawn_cover(title, concept, "pdf", colour)
    assert len(drawn) < 45_000
    assert ElementTree.fromstring(drawn).tag.endswith("svg")


@given(st.text(max_size=400))
def test_a_title_has_four_lines_at_most(title: str) -> None:
    assert len(list(wrapped(title, 17.0, 4))) <= 4


@given(st.text(max_size=2000))
def test_any_text_has_at_most_fifty_rows(text: str) -> None:
    rows = list(rows_of(text))
    assert len(rows) <= 50
    assert all(len(row) <= 30 for row in rows)
