"""Three machines with the portal and the newsletter generator, whose files are on S3, and somebody who uses them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.request import Request

import orjson
from pydantic import SecretStr

from partita.bootstrap import build
from partita.kit.clock import RandomIds, SystemClock
from partita.kit.files.sweeping import SWEEP
from partita.kit.jobs import Arguments, JobKind, Jobs, Running
from partita.kit.jobs.schema import Job, all_jobs, job
from partita.kit.settings import Settings
from tests.machines.bucket import Bucket
from tests.machines.machine import A_YEAR, SECRET
from tests.machines.place import Answer, Machine, Place, until
from tests.sent_forms import form_with_file

SYSTEMS = ("enablement", "newsletter")
_ROLES = ("enablement:contributor", "newsletter:editor")
_PASSWORD = "correct horse battery"
API = "/api/enablement/content"


class Portal:
    """The machines, and Ada, who writes content at all of them."""

    def __init__(self, place: Place, bucket: Bucket) -> None:
        self.place = place
        self.bucket = bucket
        self.previewed = ""
        """Content with two pages whose preview is made."""
        self.headers, self.cookie = asyncio.run(_ada(place.folder / "ada", place.door))
        self.machines = [self._begin(f"machine-{number}") for number in range(3)]

    def be_well(self) -> list[Machine]:
        """All three, whatever a test has done to them before."""
        self.place.proxy.be_well()
        self.bucket.proxy.be_well()
        for number, each in enumerate(self.machines):
            if each.killed:
                self.machines[number] = self._begin(each.name)
        for each in self.machines:
            if not each.url:
                each.await_ready()
        until(lambda: all(each.get("/readyz").status == 200 for each in self.machines))
        return self.machines

    def _begin(self, name: str) -> Machine:
        return self.place.begin(
            name,
            systems=SYSTEMS,
            files=self.bucket.proxy.url,
            time_of_day=self.place.folder / "time-of-day",
        )

    def draft(self, machine: Machine, title: str = "How to price Atlas") -> str:
        """A draft with a text, which is a file too; its id."""
        made = self.post(
            machine, API, {"title": title, "summary": "List prices.", "text": f"# {title}\n\nIt costs 100.\n"}
        )
        content_id: str = made["content_id"]
        return content_id

    def send(self, machine: Machine, content_id: str, name: str, data: bytes) -> str:
        """Send a file to where a machine says: to S3. Its upload's id."""
        begun = self.post(machine, f"{API}/{content_id}/uploads", {"file_name": name})
        sent = machine.send(Request(begun["url"], *form_with_file(data, name, "file", begun["fields"])))
        assert sent.status in (200, 201, 204), sent.body
        upload_id: str = begun["upload_id"]
        return upload_id

    def attach(self, machine: Machine, content_id: str, upload_id: str) -> None:
        self.post(machine, f"{API}/{content_id}/attach", {"upload_id": upload_id})

    def content(self, machine: Machine, content_id: str) -> dict[str, Any]:
        answer = self.get(machine, f"{API}/{content_id}")
        assert answer.status == 200, answer.body
        found: dict[str, Any] = orjson.loads(answer.body)
        return found

    def get(self, machine: Machine, path: str, **headers: str) -> Answer:
        """With Ada's token, by which programs ask; links of pages are followed."""
        return machine.get(path, **self.headers, **headers)

    def page(self, machine: Machine, path: str) -> Answer:
        """As Ada's browser asks."""
        return machine.get(path, Cookie=self.cookie)

    def post(self, machine: Machine, path: str, values: Mapping[str, Any]) -> dict[str, Any]:
        answer = machine.post(path, orjson.dumps(values), **self.headers, **{"Content-Type": "application/json"})
        assert answer.status in (200, 201), answer.body
        told: dict[str, Any] = orjson.loads(answer.body)
        return told

    def sweep_at_once(self, number: int) -> list[Job]:
        """Let so many machines sweep, each of which does one job at a time; how that ended."""

        async def start() -> list[str]:
            jobs = Jobs(self.place.store.asynchronous, SystemClock(), RandomIds())
            jobs.use([JobKind(SWEEP, "Delete files that nothing names", _elsewhere)])
            return [(await jobs.start(SWEEP, {}, None)).job_id for _ in range(number)]

        def ended() -> bool:
            found = [self.place.store.get(job(each)) for each in started]
            done[:] = [each for each in found if each is not None and each.state in ("done", "failed")]
            return len(done) == number

        started = asyncio.run(start())
        done: list[Job] = []
        until(ended)
        return done

    def job_about(self, content_id: str, kind: str) -> Job:
        """The newest job of a kind about this content."""
        found = (each for each in self.place.store.stream(all_jobs()) if each.kind == kind)
        return next(each for each in found if orjson.loads(each.arguments)["content_id"] == content_id)


async def _elsewhere(_running: Running, _arguments: Arguments) -> None:
    raise AssertionError("machines do it")


async def _ada(folder: Path, endpoint: str) -> tuple[dict[str, str], str]:
    """Her account; the header of her token, and the cookie of her session."""
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "any")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "any")
    suite = build(
        Settings(
            data=folder,
            backend="dynamodb",
            endpoint_url=endpoint,
            region="us-east-1",
            secret=SecretStr(SECRET),
            systems=SYSTEMS,
            fetch=False,
            session_days=A_YEAR,
            session_idle_hours=A_YEAR * 24,
        )
    )
    accounts = suite.kit.accounts
    try:
        person = await accounts.registration.create("ada", "ada@example.org", "Ada", _PASSWORD)
        await accounts.administration.set_roles(accounts.operator(), person.user_id, list(_ROLES))
        session = await accounts.sessions.sign_in("ada", _PASSWORD)
        viewer = await accounts.recognition.from_session(session.token)
        token = await accounts.tokens.create(viewer, "machines", viewer.permissions, A_YEAR)
    finally:
        await suite.close()
    return {"Authorization": f"Bearer {token.text}"}, f"partita={session.token}"
