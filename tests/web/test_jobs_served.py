"""Jobs under `partita serve`, with real processes."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from urllib.request import Request, urlopen

import orjson
import pytest

from partita.bootstrap import build
from partita.kit.settings import Settings
from tests.web import press
from tests.web.serving import Suite, serving

pytestmark = pytest.mark.slow

SYSTEMS = {"PARTITA_SYSTEMS": "tests.web.printing"}


def _prepared(folder: Path, pages: int) -> tuple[str, str, str]:
    """Somebody's session and API token, and a job of theirs that waits."""

    async def prepare() -> tuple[str, str, str]:
        suite = build(Settings(data=folder / "data"), builders=[press.build])
        accounts = suite.kit.accounts
        try:
            person = await accounts.registration.create("ada", "ada@example.org", "Ada", "correct horse battery")
            await accounts.administration.set_roles(accounts.operator(), person.user_id, ["press:editor"])
            session = await accounts.sessions.sign_in("ada", "correct horse battery")
            viewer = await accounts.recognition.from_session(session.token)
            token = await accounts.tokens.create(viewer, "test", viewer.permissions, 1)
            assert viewer.user_id == person.user_id
            job = await suite.kit.jobs.start("press.print", {"pages": pages}, viewer)
            return session.token, token.text, job.job_id
        finally:
            await suite.close()

    return asyncio.run(prepare())


def _job(suite: Suite, token: str, job_id: str) -> dict[str, object]:
    status, text = suite.get(f"/api/jobs/{job_id}", authorization=f"Bearer {token}")
    assert status == 200, text
    told: dict[str, object] = orjson.loads(text)
    return told


def _until(suite: Suite, token: str, job_id: str, state: str) -> dict[str, object]:
    deadline = time.monotonic() + 30
    while (told := _job(suite, token, job_id))["state"] != state:
        assert time.monotonic() < deadline, told
        time.sleep(0.05)
    return told


def test_a_page_that_is_open_does_not_hold_the_end_up_and_the_job_goes_on_after_it(tmp_path: Path) -> None:
    session, token, job_id = _prepared(tmp_path, 5000)
    with serving(tmp_path, environment=SYSTEMS) as suite:
        asked = Request(f"{suite.url}/jobs/{job_id}/events", headers={"Cookie": f"partita={session}"})
        with urlopen(asked, timeout=30) as stream:
            while b"Printing" not in (line := stream.readline()):
                assert line, "the stream has ended"
            begun = time.monotonic()
            os.kill(suite.pid, signal.SIGTERM)
            assert suite.process.wait(30) == 0
            assert time.monotonic() - begun < 5
            stream.read()
    with serving(tmp_path, "--workers", "2", environment=SYSTEMS) as suite:
        assert _until(suite, token, job_id, "running")["attempts"] == 2
        asked = Request(f"{suite.url}/api/jobs/{job_id}", method="DELETE", headers={"Authorization": f"Bearer {token}"})
        with urlopen(asked, timeout=30) as answer:
            assert answer.status == 200
        _until(suite, token, job_id, "cancelled")
