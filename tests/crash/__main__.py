"""The long run: `python -m tests.crash --rounds 50 --seed 1`."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.crash.doors import DoorRun
from tests.crash.rounds import Run


def main() -> int:
    """Run the rounds; the folder stays if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description="Kill writers and look for lost writes.")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument(
        "--doors", action="store_true", help="kill the workers of a door, while clients write through it"
    )
    parser.add_argument("--answers", type=int, default=800, help="how many answers a round waits for, about")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="partita-crash-"))
    who = "workers of a door" if given.doors else "processes"
    print(f"crash: {given.rounds} rounds, {given.workers} {who}, seed {given.seed}, in {folder}", flush=True)
    kind = DoorRun if given.doors else Run
    run = kind(folder / "data", folder / "journals", seed=given.seed, workers=given.workers, answers=given.answers)
    began = time.monotonic()
    for number in range(1, given.rounds + 1):
        for violation in run.round():
            print(f"crash: round {number}: {violation}", flush=True)
        if number % 10 == 0 or number == given.rounds:
            print(f"crash: {number} rounds, {run.report.acknowledged:,} writes acknowledged", flush=True)
    for violation in run.check_from_the_beginning():
        print(f"crash: at the end: {violation}")
    report = run.report
    cut_off = "connections" if given.doors else "of them"
    print(
        f"crash: {report.rounds} rounds in {time.monotonic() - began:.0f} s, "
        f"{report.acknowledged:,} writes acknowledged, {report.refused:,} refused, "
        f"{report.kills} kills ({report.kills_in_work} {cut_off} in the middle of a write), "
        f"{report.left_unfilled} rounds left an index or a restore half filled, {len(report.violations)} violations"
    )
    if report.violations:
        print(f"crash: the folder is left for a look: {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
