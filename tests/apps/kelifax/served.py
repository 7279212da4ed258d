"""Kelifax behind its real application, without the other systems; people are signed in as they would be."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from fastapi import FastAPI

from partita.apps.kelifax import system
from partita.apps.kelifax.service import KelifaxService
from partita.kit.changes import ChangeWorker
from partita.kit.kit import Kit
from partita.kit.suite import Suite, policy_of
from partita.web.app import create_app
from tests.apps.house import jobs_of, worker_of
from tests.web.visitor import Answer, Visitor

PASSWORD = "correct horse battery"


@dataclass(slots=True)
class Somebody(Visitor):
    """A visitor, or somebody with a token."""

    token: str = ""

    async def api(self, method: str, path: str, content: Any = None) -> Answer:
        """Use the API of Kelifax as a program."""
        return await self.call(method, f"/api/kelifax{path}", content, token=self.token)


@dataclass(frozen=True, slots=True)
class Kelifax:
    """The application, and what is behind it."""

    kit: Kit
    service: KelifaxService
    app: FastAPI
    worker: ChangeWorker
    suite: Suite
    numbers: count[int] = field(default_factory=lambda: count(1))

    def visitor(self) -> Somebody:
        """Somebody without an account, whom nobody has seen too often yet."""
        return Somebody(self.app, address=f"192.0.2.{next(self.numbers)}")

    async def person(self, *roles: str) -> Somebody:
        """Somebody with an account and these roles."""
        accounts = self.kit.accounts
        username = f"person-{next(self.numbers)}"
        account = await accounts.registration.create(username, f"{username}@example.org", username, PASSWORD)
        await accounts.administration.set_roles(accounts.operator(), account.user_id, roles)
        session = await accounts.sessions.sign_in(username, PASSWORD, user_agent="Test/1.0")
        viewer = await accounts.recognition.from_session(session.token)
        token = await accounts.tokens.create(viewer, "test", viewer.permissions, 1)
        return Somebody(self.app, token=token.text)


def serve(kit: Kit) -> Kelifax:
    """The application on a kit; what follows changes is up to the test."""
    built = system.build(kit)
    kit.accounts.use(policy_of((built,)), ())
    worker = worker_of(kit, built)

    async def close() -> None:
        await kit.accounts.finish()

    suite = Suite(kit, (built,), built.changes, worker, close, jobs_of(kit, built))
    return Kelifax(kit, KelifaxService(kit), create_app(suite), worker, suite)
