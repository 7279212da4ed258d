"""`partita demo`: fill empty systems with demo data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from partita.commands.suite import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.suite import Suite


def demo(data: Data = None) -> None:
    """Fill empty systems with demo data."""

    async def run(suite: Suite) -> None:
        for system in suite.systems:
            if system.demo is not None:
                typer.echo(await system.demo())
        await suite.worker.drain()

    with_suite(data, run, new=True)
