"""Whether reads cost more in a large table than in a small one."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.contestants import PAGE, InProcess, item
from bench.measure import Measured, timed
from partita.engine import Engine, rows
from partita.engine.writer import Transaction

_CHUNK = 5000


def grow(sizes: tuple[int, ...], rounds: int, say: Callable[[str], None], *, share: float = 1.0) -> Measured:
    """Random gets and queries of 25 in tables of several sizes, interleaved."""
    gets, queries = int(2000 * share), int(400 * share)
    folder = Path(tempfile.mkdtemp(prefix="partita-growth-"))
    measured = Measured()
    engines: dict[int, InProcess] = {}
    try:
        for size in sizes:
            say(f"filling a table with {size:,} items")
            contestant = engines[size] = InProcess(Engine(folder / str(size), durability="off"))
            _fill(contestant.engine, size)
        dice = random.Random(1)
        for at in range(rounds):
            say(f"round {at + 1} of {rounds}")
            for size, contestant in engines.items():
                numbers = [dice.randrange(size) for _ in range(gets)]
                groups = [dice.randrange(size // PAGE) for _ in range(queries)]
                measured.add(f"{size:,} items", "get", timed(lambda n, c=contestant, k=numbers: c.get(k[n]), gets))
                measured.add(
                    f"{size:,} items", "query of 25", timed(lambda n, c=contestant, k=groups: c.query(k[n]), queries)
                )
    finally:
        for contestant in engines.values():
            contestant.engine.close()
        shutil.rmtree(folder, ignore_errors=True)
    return measured


def _fill(engine: Engine, size: int) -> None:
    """Many items per commit, in the writer's own way: a million single puts would measure patience."""

    def chunk(start: int) -> Callable[[Transaction], Any]:
        def write(transaction: Transaction) -> None:
            table = transaction.catalog.table("bench")
            for number in range(start, min(start + _CHUNK, size)):
                stored = item(number)
                rows.perform(transaction, rows.plan(table, rows.key_of_item(table, stored), None, None, stored))

        return write

    for start in range(0, size, _CHUNK):
        engine.writer.run(chunk(start))
