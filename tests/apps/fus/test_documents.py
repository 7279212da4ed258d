"""A site may be a document: its title and text are kept as those of a page, and the first page of a PDF is its face."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from partita.apps.fus import system
from partita.apps.fus.inputs import NewSite
from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.kit.fetcher import Fetcher
from partita.kit.kit import Kit
from tests.apps.fus.conftest import manager
from tests.apps.house import kit_on, worker_of
from tests.kit.fetcher.sites import answer, serving
from tests.kit.previews.samples import docx, paragraph, pdf

pytestmark = pytest.mark.anyio


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with kit_on(tmp_path, FUS) as kit:

        async def here(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        fetcher = Fetcher(contact="test", ports=None, allows=lambda _: True, resolve=here, seconds=5)
        yield replace(kit, fetcher=fetcher, settings=kit.settings.model_copy(update={"fetch": True}))
        fetcher.close()


async def test_a_pdf_has_its_title_its_text_and_its_first_page_as_face(service: FusService, kit: Kit) -> None:
    paper = answer(pdf("Soundings of the estuary", title="Sea charts"), headers={"Content-Type": "application/pdf"})
    async with serving({"/paper": paper}) as site:
        preview = await service.sites.preview(manager(), f"{site.url}/paper")
        added = await service.sites.add(manager(), NewSite(url=f"{site.url}/paper"))
    assert (preview.title, preview.note) == ("Sea charts", None)
    assert (added.title, added.fetch_note, added.fetch_due, added.icon_tries) == ("Sea charts", None, None, None)
    with Image.open(BytesIO((await kit.files.load(str(added.icon_file))).data)) as face:
        assert face.format == "WEBP"
        assert face.height > face.width
        assert max(face.size) == 192
    await worker_of(kit, system.build(kit)).drain()
    (match,) = await service.catalog.browse(text="estuary")
    assert match.item.site_id == added.site_id


async def test_a_docx_has_its_title_and_its_text_and_nobody_looks_for_its_face_again(
    service: FusService, kit: Kit
) -> None:
    report = docx(paragraph("Tides and currents", "Heading1") + paragraph("Measured at the lighthouse."))
    async with serving({"/report": answer(report, headers={"Content-Type": "application/octet-stream"})}) as site:
        added = await service.sites.add(manager(), NewSite(url=f"{site.url}/report"))
    assert (added.title, added.icon_file, added.fetch_due) == ("Tides and currents", None, None)
    await worker_of(kit, system.build(kit)).drain()
    (match,) = await service.catalog.browse(text="lighthouse")
    assert match.item.site_id == added.site_id


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (pdf("x")[:40], "damaged"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 100, "none of HTML, PDF, DOCX"),
        (b"PK\x03\x04" + b"x" * 100, "none of HTML, PDF, DOCX"),
    ],
)
async def test_a_file_that_cannot_be_read_is_saved_with_a_sentence_that_says_why(
    service: FusService, sent: bytes, said: str
) -> None:
    async with serving({"/file": answer(sent, headers={"Content-Type": "application/pdf"})}) as site:
        added = await service.sites.add(manager(), NewSite(url=f"{site.url}/file"))
    assert added.fetch_note is not None
    assert said in added.fetch_note, added.fetch_note
    assert (added.icon_file, added.scraped_content) == (None, "")


async def test_a_document_that_is_too_large_says_how_much_is_read(service: FusService) -> None:
    async with serving({"/large": answer(b"", length=11_000_000, headers={"Content-Type": "application/pdf"})}) as site:
        added = await service.sites.add(manager(), NewSite(url=f"{site.url}/large"))
    assert added.fetch_note == "The page is larger than 10 MB."
