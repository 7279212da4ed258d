"""A system behind its real application, without the others; people are signed in as they would be."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any, Generic, TypeVar

from fastapi import FastAPI

from partita.kit.accounts import Account
from partita.kit.changes import ChangeWorker
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.suite import Suite, policy_of
from partita.kit.system import System
from partita.table import Update
from partita.web.app import create_app
from partita.web.recognise import session_cookie
from tests.apps.house import jobs_of, worker_of
from tests.web.visitor import Answer, Visitor

PASSWORD = "correct horse battery"

S = TypeVar("S")
"""A system's service."""
T = TypeVar("T", bound="Served[Any]")


@dataclass(slots=True)
class Somebody(Visitor):
    """A visitor, or somebody who is signed in, in a browser and as a program."""

    token: str = ""
    viewer: Viewer = field(default_factory=Viewer)
    system: str = ""

    async def api(self, method: str, path: str, content: Any = None) -> Answer:
        """Use the API of the system as a program."""
        return await self.call(method, f"/api/{self.system}{path}", content, token=self.token)


@dataclass(frozen=True, slots=True)
class Served(Generic[S]):
    """The application, and what is behind it."""

    kit: Kit
    service: S
    app: FastAPI
    worker: ChangeWorker
    jobs: JobWorker
    system: System
    numbers: count[int] = field(default_factory=lambda: count(1))

    def visitor(self) -> Somebody:
        """Somebody without an account."""
        return Somebody(self.app, address=f"192.0.2.{next(self.numbers)}", system=self.system.name)

    async def person(self, role: str = "", name: str = "") -> Somebody:
        """Somebody with an account, and with a role of the system or none."""
        accounts = self.kit.accounts
        username = name.lower() or f"person-{next(self.numbers)}"
        account = await accounts.registration.create(username, f"{username}@example.org", name or username, PASSWORD)
        roles = [f"{self.system.name}:{role}"] if role else []
        await accounts.administration.set_roles(accounts.operator(), account.user_id, roles)
        somebody = Somebody(self.app, system=self.system.name)
        answer = await somebody.post("/sign-in", {"identity": username, "password": PASSWORD})
        assert answer.status == 303, answer.text
        session = somebody.cookies[session_cookie(self.kit.settings)]
        somebody.viewer = await accounts.recognition.from_session(session)
        token = await accounts.tokens.create(somebody.viewer, "test", somebody.viewer.permissions, 1)
        somebody.token = token.text
        return somebody

    async def portray(self, somebody: Somebody) -> str:
        """Give somebody a picture of their own; how its address begins where it is shown."""
        file = f"house/avatars/{somebody.viewer.id}.webp"
        await self.kit.store.write(Update(Account.key(Account.user_id(somebody.viewer.id)), Account.avatar.set(file)))
        return f'src="/files/{file}?'

    async def catch_up(self) -> None:
        """Let everything follow that follows a write: search, previews, jobs, and what follows those."""
        for _ in range(3):
            await self.worker.drain()
            await self.jobs.drain()
        await self.worker.drain()


def served(kind: type[T], kit: Kit, system: System, service: Any) -> T:
    """The application on a kit; what follows changes is up to the test."""
    kit.accounts.use(policy_of((system,)), ())
    worker, jobs = worker_of(kit, system), jobs_of(kit, system)

    async def close() -> None:
        await kit.accounts.finish()

    app = create_app(Suite(kit, (system,), system.changes, worker, close, jobs))
    return kind(kit, service, app, worker, jobs, system)
