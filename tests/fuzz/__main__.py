"""`python -m tests.fuzz --requests 100000`: the long mode."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.fuzz.door import fuzz, summary
from tests.serving import partita_door


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, partita_door(Path(folder), "--durability", "off") as served:
        outcome = fuzz(served, options.requests, options.seed)
    print(summary(outcome, options.requests))
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
