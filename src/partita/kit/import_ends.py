"""Whoever started an import is told how it ended: done, failed after all its tries, or cancelled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from partita.kit.jobs import Job
from partita.kit.kit import Kit
from partita.kit.notifications import Kind, Words

_CANCELLED = "The import was cancelled. What it had added before stays."


def import_words(data: Mapping[str, Any], _count: int) -> Words:
    """The words of a kind that tells of imports."""
    if "error" in data:
        return Words(f"“{data['called']}” was not imported", data["error"])
    counts = f"{data['added']:,} added, {data['there']:,} already there, {data['refused']:,} refused."
    return Words(f"“{data['called']}” is imported", counts)


async def tell_import_ended(kit: Kit, kind: Kind, job: Job) -> None:
    """Tell whoever started an import how it ended; of a file that was only tried, if that failed. To be called when a
    job has ended, any number of times."""
    arguments = orjson.loads(job.arguments)
    if job.user_id is None or job.finished_at is None or (job.state == "done" and arguments.get("dryRun")):
        return
    data: dict[str, Any] = {"called": arguments["called"]}
    if job.state == "done":
        values = job.result_values or {}
        data |= {outcome: values.get(outcome, 0) for outcome in ("added", "there", "refused")}
    else:
        data["error"] = _CANCELLED if job.state == "cancelled" else job.error
    link = job.result_path if job.state == "done" else None
    await kit.notifications.tell(
        job.user_id,
        kind,
        cause=f"{job.job_id} {job.finished_at}",  # tried again, it ends again
        at=job.finished_at,
        data=data,
        link=link or f"/jobs/{job.job_id}",
    )
