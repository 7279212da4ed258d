"""The sweep as a job of the house, once a week."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from partita.kit.clock import Clock
from partita.kit.files.files import Files
from partita.kit.files.sweep import OwnedFiles, TooMuchUnnamed, sweep
from partita.kit.jobs import Arguments, JobFailed, JobKind, Result, Running, Schedule
from partita.store.store import AsyncStore

SWEEP = "house.files-sweep"
WEEKLY = Schedule("house.files-sweep-weekly", SWEEP, every=timedelta(days=7))
_MOST_SHARE = 0.5
"""With nobody looking, no more than this is deleted at once."""


def sweep_kind(files: Files, store: AsyncStore, clock: Clock, owners: Sequence[OwnedFiles]) -> JobKind:
    """The kind of job. What it has deleted it does not find again, so that begun twice it does the same as once."""

    async def run(running: Running, _arguments: Arguments) -> Result:
        await running.progress("Looking for files that nothing names")
        try:
            found = await sweep(files, store, owners, now=clock.now(), delete=True, most_share=_MOST_SHARE)
        except TooMuchUnnamed as refused:
            raise JobFailed(
                f"{refused}, which is more than half, so nothing was deleted. If the tables are those that belong to"
                " these files, delete them with: partita files sweep --delete"
            ) from refused
        return Result(
            f"{len(found.unnamed):,} of {found.looked_at:,} files were named by nothing and are deleted.",
            values={"deleted": len(found.unnamed), "bytes": found.size, "incoming": found.incoming},
        )

    return JobKind(SWEEP, "Delete files that nothing names", run)
