"""Exports of the newsletter: how long every format takes, and how much memory.

`python -m bench.documents` prints the figures; `python -m bench newsletter` has those of PDF and DOCX.
"""

from __future__ import annotations

import asyncio
import io
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

import pypdfium2
from tests.apps.newsletter.editions import BRAND, long_document, picture

from partita.apps.newsletter.service.documents.edition import Edition, Export, Format
from partita.apps.newsletter.service.documents.exports import FORMATS, export
from partita.apps.newsletter.service.documents.markdown import write_document
from partita.apps.newsletter.service.documents.reading import read_document

STORIES = 14
"""About twelve pages."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export took."""

    seconds: float
    processor: float
    size: int
    pages: int
    """Of a PDF."""


def edition_of(stories: int = STORIES) -> Edition:
    """An edition with so many stories and a picture."""
    return Edition(long_document(stories), "bulletin", BRAND, {"images/fields.png": picture(1200, 640)})


async def measure(edition: Edition, wanted: Format) -> Exported:
    """Export an edition once."""
    began, used = time.perf_counter(), _processor()
    made = await export(edition, wanted)
    seconds, busy = time.perf_counter() - began, _processor() - used
    return Exported(seconds, busy, len(made.data), _pages(made))


def megabytes_of_setting(stories: int = STORIES) -> float:
    """The most memory that the process which sets a PDF has. A program of its own asks: of all its children the system
    tells the largest one alone, and here it may be one that has read a report of 400 pages."""
    asked = [sys.executable, "-m", "bench.documents", "--memory", str(stories)]
    return float(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)


async def _memory(stories: int) -> None:
    await measure(edition_of(stories), "pdf")
    print(f"{megabytes_of_children():.1f}")


def megabytes_of_children() -> float:
    """The most memory that a child process has had so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000


async def main() -> None:
    edition = edition_of()
    for wanted, facts in FORMATS.items():
        for attempt in ("first", "second"):
            made = await measure(edition, wanted)
            pages = f", {made.pages} pages" if made.pages else ""
            took = f"{made.seconds:.2f} s ({made.processor:.2f} s of processor)"
            print(f"{facts.title}, {attempt}: {took}{pages}, {made.size / 1000:.0f} KB")
    print(f"memory of the process that sets the PDF: {megabytes_of_children():.0f} MB at most")
    text = write_document(edition.document)
    began = time.perf_counter()
    read_document(text)
    print(f"reading {len(text):,} characters of Markdown: {1000 * (time.perf_counter() - began):.0f} ms")


def _processor() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _pages(made: Export) -> int:
    if not made.data.startswith(b"%PDF"):
        return 0
    return len(pypdfium2.PdfDocument(io.BytesIO(made.data)))


if __name__ == "__main__":
    asyncio.run(_memory(int(sys.argv[2])) if sys.argv[1:2] == ["--memory"] else main())
