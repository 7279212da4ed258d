"""WorthWatch behind its real application, without the other systems; people are signed in as they would be."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from fastapi import FastAPI

from partita.apps.worthwatch import system
from partita.apps.worthwatch.schema import Curating, User
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.accounts import Account
from partita.kit.changes import ChangeWorker
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.suite import Suite, policy_of
from partita.table import Update
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
    viewer: Viewer | None = None

    @property
    def id(self) -> str:
        assert self.account is not None
        return self.account.user_id

    @property
    def who(self) -> Viewer:
        """Who services take them for."""
        assert self.viewer is not None
        return self.viewer

    async def api(self, method: str, path: str, content: Any = None) -> Answer:
        """Use the API of WorthWatch as a program."""
        return await self.call(method, f"/api/worthwatch{path}", content, token=self.token)


@dataclass(frozen=True, slots=True)
class WorthWatch:
    """The application, and what is behind it."""

    kit: Kit
    service: WorthWatchService
    app: FastAPI
    worker: ChangeWorker
    jobs: JobWorker
    """Nobody runs jobs but the test: `await worthwatch.jobs.drain()`."""

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
        viewer = somebody.viewer = await accounts.recognition.from_session(session.token)
        somebody.token = (await accounts.tokens.create(viewer, "test", viewer.permissions, 1)).text
        return somebody

    async def curator(self, name: str) -> Somebody:
        """Somebody who may publish."""
        somebody = await self.person(name)
        await self.service.people.me(somebody.who)
        await self.set_status(somebody, "approved")
        return somebody

    async def set_status(self, somebody: Somebody, status: Curating) -> None:
        """Approve or suspend somebody, as far as their profile goes."""
        key = User.key(User.user_id(somebody.id))
        actions = (
            User.curator_status.set(status),
            User.is_curator.set(status == "approved"),
            User.username.set(somebody.who.name),
        )
        await self.kit.store.write(Update(key, *actions))


def serve(kit: Kit) -> WorthWatch:
    """The application on a kit; what follows changes is up to the test."""
    built = system.build(kit)
    kit.accounts.use(policy_of((built,)), ())
    worker = worker_of(kit, built)

    async def close() -> None:
        await kit.accounts.finish()

    jobs = jobs_of(kit, built)
    suite = Suite(kit, (built,), built.changes, worker, close, jobs)
    return WorthWatch(kit, WorthWatchService(kit), create_app(suite), worker, jobs)
