"""The long run: `python -m tests.powercut --rounds 200 --seed 1`."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.powercut.rounds import Report, Run

_STAY = 10
"""Rounds on one disk; then another, since to read everything takes longer the more there is."""


def main() -> int:
    """Run the rounds; a disk stays if anything was wrong on it."""
    parser = argparse.ArgumentParser(prog="python -m tests.powercut", description="Cut the power, look for losses.")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--steps", type=int, default=2000, help="writes and syncs of SQLite in a round, at most")
    parser.add_argument("--durability", choices=("full", "normal", "off"), default="full")
    given = parser.parse_args()
    print(f"powercut: {given.rounds} rounds, durability {given.durability}, seed {given.seed}", flush=True)
    began = time.monotonic()
    total = Report()
    for before in range(0, given.rounds, _STAY):
        total.add(_stay(given, before, min(_STAY, given.rounds - before)))
    print(
        f"powercut: {total.rounds} rounds in {time.monotonic() - began:.0f} s, {total.cuts} cuts"
        f" ({total.cuts_while_opening} while the folder was opened), {total.acknowledged:,} writes acknowledged,"
        f" {total.unsynced:,} sectors and names not synced, {total.missing} sessions missing,"
        f" {len(total.violations)} violations"
    )
    return 1 if total.violations else 0


def _stay(given: argparse.Namespace, before: int, rounds: int) -> Report:
    folder = Path(tempfile.mkdtemp(prefix="partita-powercut-"))
    run = Run(folder / "run", seed=given.seed + before, durability=given.durability, steps=given.steps)
    for number in range(1, rounds + 1):
        for violation in run.round():
            print(f"powercut: round {before + number}: {violation}", flush=True)
        if run.report.violations:
            break  # what comes later may follow from it
    if run.report.violations:
        print(f"powercut: the folder is left for a look: {folder}", flush=True)
    else:
        shutil.rmtree(folder)
    return run.report


if __name__ == "__main__":
    sys.exit(main())
