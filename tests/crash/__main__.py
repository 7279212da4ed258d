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
from tests.crash.rounds import Report, Run


def main() -> int:
    """Run the rounds; a folder stays if anything was wrong in it."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description="Kill writers and look for lost writes.")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument(
        "--doors", action="store_true", help="kill the workers of a door, while clients write through it"
    )
    parser.add_argument("--answers", type=int, default=800, help="how many answers a round waits for, about")
    parser.add_argument("--stay", type=int, default=50, help="for how many rounds to stay in one folder")
    given = parser.parse_args()
    who = "workers of a door" if given.doors else "processes"
    print(f"crash: {given.rounds} rounds, {given.workers} {who}, seed {given.seed}", flush=True)
    began = time.monotonic()
    total = Report()
    while total.rounds < given.rounds:
        total.add(_stay(given, total.rounds, min(given.stay, given.rounds - total.rounds)))
        print(f"crash: {total.rounds} rounds, {total.acknowledged:,} writes acknowledged", flush=True)
    cut_off = "connections" if given.doors else "of them"
    print(
        f"crash: {total.rounds} rounds in {time.monotonic() - began:.0f} s, "
        f"{total.acknowledged:,} writes acknowledged, {total.refused:,} refused, "
        f"{total.kills} kills ({total.kills_in_work} {cut_off} in the middle of a write), "
        f"{total.left_unfilled} rounds left an index or a restore half filled, {len(total.violations)} violations"
    )
    return 1 if total.violations else 0


def _stay(given: argparse.Namespace, before: int, rounds: int) -> Report:
    """Some rounds in a new folder: to read everything after every round takes longer the more there is."""
    folder = Path(tempfile.mkdtemp(prefix="partita-crash-"))
    run = (DoorRun if given.doors else Run)(
        folder / "data",
        folder / "journals",
        seed=given.seed + before,
        workers=given.workers,
        answers=given.answers,
        loaded="tests.crash.worker",
    )
    for number in range(1, rounds + 1):
        for violation in run.round():
            print(f"crash: round {before + number}: {violation}", flush=True)
    for violation in run.check_from_the_beginning():
        print(f"crash: after round {before + rounds}: {violation}", flush=True)
    if run.report.violations:
        print(f"crash: the folder is left for a look: {folder}", flush=True)
    else:
        shutil.rmtree(folder)
    return run.report


if __name__ == "__main__":
    sys.exit(main())
