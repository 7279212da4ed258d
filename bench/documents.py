"""Exports of the newsletter: how long a PDF of twelve pages and a DOCX take, and how much memory.

`python -m bench.documents` prints the figures.
"""

from __future__ import annotations

import asyncio
import io
import resource
import time

import pypdfium2
from tests.apps.newsletter.editions import BRAND, long_document, picture

from partita.apps.newsletter.service.documents.edition import Edition, Export
from partita.apps.newsletter.service.documents.exports import FORMATS, export
from partita.apps.newsletter.service.documents.markdown import write_document
from partita.apps.newsletter.service.documents.reading import read_document

STORIES = 14
"""About twelve pages."""


async def main() -> None:
    edition = Edition(long_document(STORIES), "bulletin", BRAND, {"images/fields.png": picture(1200, 640)})
    for wanted, facts in FORMATS.items():
        for attempt in ("first", "second"):
            began, used = time.perf_counter(), _processor()
            made = await export(edition, wanted)
            seconds, busy = time.perf_counter() - began, _processor() - used
            print(f"{facts.title}, {attempt}: {seconds:.2f} s ({busy:.2f} s of processor){_pages(made)}")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    print(f"memory of the process that sets the PDF: {most:.0f} MB at most")
    text = write_document(edition.document)
    began = time.perf_counter()
    read_document(text)
    print(f"reading {len(text):,} characters of Markdown: {1000 * (time.perf_counter() - began):.0f} ms")


def _processor() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _pages(made: Export) -> str:
    size = f", {len(made.data) / 1000:.0f} KB"
    if not made.data.startswith(b"%PDF"):
        return size
    return f", {len(pypdfium2.PdfDocument(io.BytesIO(made.data)))} pages{size}"


if __name__ == "__main__":
    asyncio.run(main())
