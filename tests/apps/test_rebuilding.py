"""What the job that builds search anew says of the suite's own systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from partita.bootstrap import build
from partita.kit.jobs import JobWorker
from partita.kit.search.rebuilding import REBUILD
from partita.kit.settings import Settings

pytestmark = pytest.mark.anyio


async def test_the_job_that_builds_search_anew_speaks_of_things_and_not_of_catalogs(tmp_path: Path) -> None:
    suite = build(Settings(data=tmp_path / "data", fetch=False))
    try:
        jobs = suite.kit.jobs
        started = await jobs.start(REBUILD, {}, None)
        await JobWorker(jobs).drain()
        ended = await jobs.look(started.job_id)
    finally:
        await suite.close()
    assert ended is not None
    assert ended.state == "done"
    catalogs = [each for system in suite.systems for each in system.searches]
    assert len(catalogs) >= 8
    for catalog in catalogs:
        assert catalog.name not in ended.result_message
        assert catalog.title in ended.result_message
    assert len({catalog.title for catalog in catalogs}) == len(catalogs)
    assert catalogs[-1].title == ended.step
