"""fus behind its real application, without the other systems; people are signed in as they would be."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from fastapi import FastAPI

from partita.apps.fus import system
from partita.apps.fus.service import FusService
from partita.kit.accounts import Account
from partita.kit.changes import ChangeWorker
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.kit.suite import Suite, policy_of
from partita.web.app import create_app
from tests.apps.house import jobs_of, worker_of
from tests.web.visitor import Answer, Visitor

PASSWORD = "correct horse battery"
_NUMBERS = count(1)


@dataclass(slots=True)
class Somebody(Visitor):
    """A visitor with an account: a browser that is signed in, and a program with a token."""

    account: Account | None = None
    token: str = ""

    @property
    def user_id(self) -> str:
        assert self.account is not None
        return self.account.user_id

    async def api(self, method: str, path: str, content: Any = None) -> Answer:
        """Use the API of fus as a program."""
        return await self.call(method, f"/api/fus{path}", content, token=self.token)

    async def upload(self, path: str, data: bytes, **fields: str) -> Answer:
        """Send a file: by the form of a page, or to the API."""
        head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
        parts = "".join(
            f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()
        )
        body = parts.encode() + head + data + b"\r\n--x--\r\n"
        headers = {"content-type": "multipart/form-data; boundary=x", "sec-fetch-site": "same-origin"}
        if path.startswith("/api/"):
            headers["authorization"] = f"Bearer {self.token}"
        return await self.ask("POST", path, body, headers)


@dataclass(frozen=True, slots=True)
class Fus:
    """The application, and what is behind it."""

    kit: Kit
    service: FusService
    app: FastAPI
    worker: ChangeWorker
    jobs: JobWorker
    """Nobody runs jobs but the test: `async with at_work(fus.jobs)`, or `await fus.jobs.drain()`."""

    def visitor(self) -> Somebody:
        """Somebody without an account."""
        return Somebody(self.app)

    async def person(self, name: str, *roles: str) -> Somebody:
        """Somebody with an account and these roles."""
        accounts = self.kit.accounts
        username = f"person-{next(_NUMBERS)}"
        account = await accounts.registration.create(username, f"{username}@example.org", name, PASSWORD)
        if roles:
            await accounts.administration.set_roles(accounts.operator(), account.user_id, roles)
        somebody = Somebody(self.app, account=account)
        session = await accounts.sessions.sign_in(username, PASSWORD, user_agent="Test/1.0")
        somebody.cookies["partita"] = session.token
        viewer = await accounts.recognition.from_session(session.token)
        somebody.token = (await accounts.tokens.create(viewer, "test", viewer.permissions, 1)).text
        return somebody


def serve(kit: Kit) -> Fus:
    """The application on a kit; what follows changes is up to the test."""
    built = system.build(kit)
    assert built.grants is not None
    kit.accounts.use(policy_of((built,)), (built.grants,))
    worker = worker_of(kit, built)

    async def close() -> None:
        await kit.accounts.finish()

    jobs = jobs_of(kit, built)
    suite = Suite(kit, (built,), built.changes, worker, close, jobs)
    return Fus(kit, FusService(kit), create_app(suite), worker, jobs)
