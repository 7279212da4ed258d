"""Importing a file as a person does, and waiting until the job has ended."""

from __future__ import annotations

from partita.apps.fus.service import FusService
from partita.apps.fus.service.notifications import KINDS
from partita.apps.fus.service.transfer import Format, Report
from partita.kit.jobs import Job, JobWorker
from partita.kit.jobs.schema import job
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer


class ImportFailed(Exception):
    """The job has failed, with this reason."""


def ready(service: FusService) -> Kit:
    """A kit that knows the jobs of fus."""
    kit = service.transfer._kit
    if kit.jobs.kind("fus.import") is None:
        kit.jobs.use([service.transfer.kind, service.fetching.kind])
        kit.notifications.use(KINDS)
    return kit


async def begun(
    service: FusService,
    viewer: Viewer,
    data: bytes,
    format: Format | None = None,
    *,
    folders_as_tags: bool = False,
    called: str = "bookmarks.html",
) -> Job:
    """The job that imports a file; nothing runs it yet."""
    ready(service)
    kept = await service.transfer.keep(data, called)
    return await service.transfer.begin_import(viewer, kept, format, folders_as_tags=folders_as_tags)


async def now(kit: Kit, started: Job) -> Job:
    """A job as it is."""
    found = await kit.store.get(job(started.job_id).consistently())
    assert found is not None
    return found


async def imported(service: FusService, viewer: Viewer, data: bytes, format: Format | None = None) -> Report:
    """The report of a file that was imported."""
    started = await begun(service, viewer, data, format)
    kit = ready(service)
    await JobWorker(kit.jobs).drain()
    ended = await now(kit, started)
    if ended.state == "failed":
        raise ImportFailed(ended.error)
    assert ended.state == "done", ended
    return await service.transfer.report(ended)
