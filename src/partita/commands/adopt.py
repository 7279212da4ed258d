"""`partita adopt`: adopt items that another program wrote to the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from partita.commands.suite import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.adoption import Report
    from partita.kit.suite import Suite

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count what there is to adopt; write nothing.")]
SystemName = Annotated[str, typer.Argument(metavar="SYSTEM", help="kelifax, fus, …")]


def adopt(system: SystemName, data: Data = None, dry_run: DryRun = False) -> None:
    """Adopt items that another program wrote to a system's tables: add them to lists, guards and counters.

    It can run beside a server, and again after an interruption: an adopted item is marked and not adopted twice.
    """

    async def run(suite: Suite) -> None:
        from partita.kit.adoption import adopt_all

        adopting = {each.name: each for each in suite.systems if each.adoptions}
        if system not in adopting:
            raise LookupError(f"{system!r} has nothing to adopt; choose {', '.join(adopting)}")
        chosen = adopting[system]
        _print(
            await adopt_all(suite.kit.store, chosen.adoptions, dry_run=dry_run), "to adopt" if dry_run else "adopted"
        )

    with_suite(data, run)


def _print(report: Report, done: str) -> None:
    counted = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in report.adopted.items())
    typer.echo(f"{done}  {counted}")
    for reason in report.refused:
        typer.echo(f"refused  {reason}")
    for reason in report.unreadable:
        typer.echo(f"left     {reason}")
    if report.refused:
        raise LookupError("correct or delete the refused items, then run this again")
    if report.unreadable:
        raise LookupError("correct the unreadable items, then run this again")
