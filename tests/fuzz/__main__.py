"""`python -m tests.fuzz --requests 100000`: the long mode, against the door or (`--web`) the pages and APIs."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.fuzz.door import Outcome, fuzz, summary
from tests.fuzz.people import furnish
from tests.fuzz.web import WebFuzzer
from tests.serving import partita_door
from tests.web.serving import serving

MEGABYTES = 300


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--web", action="store_true", help="send them to partita serve, with demo data")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        run = _web if options.web else _door
        outcome = run(Path(name), options.requests, options.seed)
    print(summary(outcome, options.requests))
    return 1 if outcome.failures or outcome.megabytes_most > MEGABYTES else 0


def _door(folder: Path, requests: int, seed: int) -> Outcome:
    with partita_door(folder, "--durability", "off") as served:
        return fuzz(served, requests, seed)


def _web(folder: Path, requests: int, seed: int) -> Outcome:
    people = asyncio.run(furnish(folder / "data", demo=True, of_each=6))
    with serving(folder, environment={"PARTITA_FETCH": "false", "PARTITA_LOG_LEVEL": "warning"}) as suite:
        outcome = WebFuzzer(suite.url, suite.pid, people, seed).run(requests, lambda line: print(line, flush=True))
        outcome.failures += [line for line in suite.log.read_text().splitlines() if '"level":"error"' in line]
    return outcome


if __name__ == "__main__":
    sys.exit(main())
