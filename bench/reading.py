"""Reading sources in: pages of a PDF and words of a text a second, from the bytes to passages.

`python -m bench.reading` prints the figures; `--short` only sees whether it runs.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from datetime import date

from tests.apps.newsletter.reading.samples import report

from partita.apps.newsletter.service.reading.reading import read_in

PAGES, ROUNDS = 400, 5
PARAGRAPH = "The long rains came late in the north, and maize was planted again in May when the second rains began. "


async def measure(pages: int, rounds: int) -> None:
    """Print how fast a report and a text of about as many words are read."""
    text = "\n\n".join(f"# Part {number}\n\n{PARAGRAPH * 10}" for number in range(pages)).encode()
    for name, data in (("PDF", report(pages)), ("Markdown", text)):
        seconds = []
        for _ in range(rounds):
            began = time.perf_counter()
            found = await read_in(data, "s1", date(2026, 11, 16))
            seconds.append(time.perf_counter() - began)
        took = statistics.median(seconds)
        pace = f"{pages / took:,.0f} pages, " if found.pages else ""
        print(
            f"{name}: {pace}{found.words / took:,.0f} words a second; {len(found.passages):,} passages in {took:.2f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.reading")
    parser.add_argument("--short", action="store_true")
    short = parser.parse_args().short
    asyncio.run(measure(5 if short else PAGES, 1 if short else ROUNDS))


if __name__ == "__main__":
    main()
