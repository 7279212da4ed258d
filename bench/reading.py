"""Reading sources in: pages of a PDF and words of a text a second, from the bytes to passages.

`python -m bench.reading` prints the figures, `--short` only sees whether it runs; so does `python -m bench newsletter`.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from dataclasses import dataclass
from datetime import date

from tests.apps.newsletter.reading.samples import report

from partita.apps.newsletter.service.reading.reading import read_in

PAGES, ROUNDS = 400, 5
PARAGRAPH = "The long rains came late in the north, and maize was planted again in May when the second rains began. "


@dataclass(frozen=True, slots=True)
class Read:
    """How a document was read in."""

    name: str
    pages: int
    words: int
    passages: int
    seconds: float


async def measure(pages: int = PAGES, rounds: int = ROUNDS) -> list[Read]:
    """Read a report and a text of about as many words."""
    text = "\n\n".join(f"# Part {number}\n\n{PARAGRAPH * 10}" for number in range(pages)).encode()
    measured = []
    for name, data in (("PDF", report(pages)), ("Markdown", text)):
        seconds = []
        for _ in range(rounds):
            began = time.perf_counter()
            found = await read_in(data, "s1", date(2026, 11, 16))
            seconds.append(time.perf_counter() - began)
        took = statistics.median(seconds)
        measured.append(Read(name, found.pages or 0, found.words, len(found.passages), took))
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.reading")
    parser.add_argument("--short", action="store_true")
    short = parser.parse_args().short
    for each in asyncio.run(measure(5, 1) if short else measure()):
        pace = f"{each.pages / each.seconds:,.0f} pages, " if each.pages else ""
        words = f"{each.words / each.seconds:,.0f} words a second"
        print(f"{each.name}: {pace}{words}; {each.passages:,} passages in {each.seconds:.2f} s")


if __name__ == "__main__":
    main()
