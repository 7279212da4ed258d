"""`partita adopt`: adopt items that another program wrote to the tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from partita.commands.suite import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.adoption import Report
    from partita.kit.recounting import Recounted
    from partita.kit.suite import Suite

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count what there is to adopt; write nothing.")]
Recount = Annotated[
    bool, typer.Option("--recount", help="Then count the rows, and correct counters that say something else.")
]
SystemName = Annotated[str, typer.Argument(metavar="SYSTEM", help="kelifax, fus, …")]


def adopt(system: SystemName, data: Data = None, recount: Recount = False, dry_run: DryRun = False) -> None:
    """Adopt items that another program wrote to a system's tables: add them to lists, guards and counters.

    It can run beside a server, and again after an interruption: an adopted item is marked and not adopted twice, and
    what is added to a counter is what was wrong with it, whatever is written meanwhile.
    """

    async def run(suite: Suite) -> None:
        from partita.kit.adoption import adopt_all
        from partita.kit.recounting import recount as count_anew
        from partita.kit.recounting import tables_of

        adopting = {each.name: each for each in suite.systems if each.adoptions}
        if system not in adopting:
            raise LookupError(f"{system!r} has nothing to adopt; choose {', '.join(adopting)}")
        chosen = adopting[system]
        if recount and not chosen.recounts:
            with_counters = ", ".join(each.name for each in suite.systems if each.recounts)
            raise LookupError(f"{system} has no counters to correct; choose {with_counters}, or leave out --recount")
        _print(
            await adopt_all(suite.kit.store, chosen.adoptions, dry_run=dry_run), "to adopt" if dry_run else "adopted"
        )
        if recount:
            tables = tables_of(suite.kit.tables)
            _print_counters(await count_anew(suite.kit.store, tables, chosen.recounts, dry_run=dry_run), dry_run)

    with_suite(data, run)


def _print(report: Report, done: str) -> None:
    counted = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in report.adopted.items())
    typer.echo(f"{done}  {counted}")
    _print_each("refused", report.refused)
    _print_each("left", report.unreadable)
    if report.refused:
        raise LookupError("correct or delete the refused items, then run this again")
    if report.unreadable:
        raise LookupError("correct the unreadable items, then run this again")


def _print_counters(result: Recounted, dry_run: bool) -> None:
    several = "counter" if len(result.wrong) == 1 else "counters"
    typer.echo(f"{'to correct' if dry_run else 'corrected'}  {len(result.wrong):,} {several}")
    _print_each("wrong", result.wrong)
    _print_each("left", result.unreadable)
    if result.unreadable:
        raise LookupError("partita doctor says what to do with the unreadable items; then run this again")
    if not (dry_run or result.settled):
        raise LookupError("counters changed faster than they could be counted: run this again")


def _print_each(what: str, several: Iterable[object]) -> None:
    for each in several:
        typer.echo(f"{what:8} {each}")
