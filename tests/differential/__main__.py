"""Play many sequences and print what was counted: `python -m tests.differential --requests 20000 --seed 1`."""

from __future__ import annotations

import argparse
import sys
import time

from tests.differential.compare import Difference
from tests.differential.dice import Dice
from tests.differential.differences import document
from tests.differential.engines import peers
from tests.differential.play import Play, Tally
from tests.differential.report import report
from tests.differential.requests import Sequence, sequence
from tests.differential.smallest import smallest
from tests.differential.statements import statement_sequence

LENGTH = 20
"""Requests in a sequence: long enough to meet, short enough to read."""

STATEMENTS = 20
"""In a hundred sequences."""


def any_sequence(seed: str, length: int) -> Sequence:
    """Requests of any kind; statements are among themselves."""
    return (statement_sequence if Dice(f"kind of {seed}").chance(STATEMENTS) else sequence)(seed, length)


def run(
    requests: int, seed: int, *, show: bool = False, stop_at: int | None = None, statements: bool = False
) -> tuple[Tally, str]:
    """Play sequences until so many requests were sent: what was counted, and what is unexplained in few requests."""
    tally = Tally()
    found: list[tuple[Difference, str]] = []
    shown = time.monotonic()
    make = statement_sequence if statements else any_sequence
    with peers() as engines:
        play = Play(engines, tally)
        number = 0
        while tally.requests < requests and (stop_at is None or len(found) < stop_at):
            name = f"{seed}-{number}"
            found.extend((difference, name) for difference in play.sequence(make(name, LENGTH)))
            number += 1
            if show and time.monotonic() - shown > 5:
                shown = time.monotonic()
                print(f"{tally.requests:>7} of {requests} requests, {len(found)} unexplained", file=sys.stderr)
        # One difference may have many faces: the first of each sequence is enough.
        first = {name: difference for difference, name in reversed(found)}
        texts = [
            f"sequence {name}: {smallest(engines, make(name, LENGTH), difference)}"
            for name, difference in list(first.items())[:20]
        ]
    return tally, "\n\n".join(texts)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--statements", action="store_true", help="send PartiQL alone")
    parser.add_argument("--document", action="store_true", help="print docs/differences.md and stop")
    options = parser.parse_args()
    if options.document:
        print(document(), end="")
        return 0
    tally, unexplained = run(options.requests, options.seed, show=sys.stderr.isatty(), statements=options.statements)
    print(report(tally))
    if unexplained:
        print("\nUnexplained:\n\n" + unexplained)
    return 1 if tally.unexplained else 0


if __name__ == "__main__":
    raise SystemExit(main())
