"""The newsletter generator behind its real application, without the other systems; people are signed in as they would
be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from partita.apps.newsletter import system
from partita.apps.newsletter.inputs import NewNewsletter
from partita.apps.newsletter.schema import MAIN, StepName
from partita.apps.newsletter.service import NewsletterService
from partita.kit.changes import ChangeWorker
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.suite import Suite, policy_of
from partita.kit.system import System
from partita.web.app import create_app
from tests.apps.house import jobs_of, kit_on, worker_of
from tests.apps.newsletter.found import find_content
from tests.web.visitor import Answer, Visitor

PASSWORD = "correct horse battery"


@dataclass(slots=True)
class Somebody(Visitor):
    """A visitor, or somebody who is signed in, in a browser and as a program."""

    token: str = ""
    viewer: Viewer = field(default_factory=Viewer)

    async def api(self, method: str, path: str, content: Any = None) -> Answer:
        """Use the API as a program."""
        return await self.call(method, f"/api/newsletter{path}", content, token=self.token)


@dataclass(frozen=True, slots=True)
class ServedLetters:
    """The application, and what is behind it."""

    kit: Kit
    service: NewsletterService
    app: FastAPI
    worker: ChangeWorker
    jobs: JobWorker
    system: System
    numbers: count[int] = field(default_factory=lambda: count(1))

    def visitor(self) -> Somebody:
        """Somebody without an account."""
        return Somebody(self.app, address=f"192.0.2.{next(self.numbers)}")

    async def person(self, role: str = "author", name: str = "") -> Somebody:
        """Somebody with an account and a role: author, editor, admin or none."""
        accounts = self.kit.accounts
        username = name.lower() or f"person-{next(self.numbers)}"
        account = await accounts.registration.sign_up(username, f"{username}@example.org", name or username, PASSWORD)
        roles = [f"newsletter:{role}"] if role else []
        await accounts.administration.set_roles(accounts.operator(), account.user_id, roles)
        session = await accounts.sessions.sign_in(username, PASSWORD, user_agent="Test/1.0")
        viewer = await accounts.recognition.from_session(session.token)
        token = await accounts.tokens.create(viewer, "test", viewer.permissions, 1)
        somebody = Somebody(self.app, token=token.text, viewer=viewer)
        answer = await somebody.post("/sign-in", {"identity": username, "password": PASSWORD})
        assert answer.status == 303, answer.text
        return somebody

    async def newsletter(self, owner: Somebody, title: str = "Weekly Research Digest", **fields: Any) -> str:
        """A newsletter for which content was found; its code."""
        values = {"length_preference": "short", **fields}
        made = await self.service.newsletters.create(owner.viewer, NewNewsletter(title=title, **values))
        await find_content(self.kit, self.service, owner.viewer, made.newsletter_code)
        return made.newsletter_code

    async def drafted(self, owner: Somebody, title: str = "Weekly Research Digest", **fields: Any) -> str:
        """A newsletter with a draft; its code."""
        code = await self.newsletter(owner, title, **fields)
        await self.run(owner, code, "outline", "draft")
        return code

    async def run(self, owner: Somebody, code: str, *steps: StepName, **inputs: Any) -> None:
        """Start steps, one after the other, and wait until they are done."""
        await self.service.steps.start(owner.viewer, code, steps[0], inputs=inputs, then=steps[1:])
        for _ in steps:
            await self.jobs.drain()

    async def follow(self) -> None:
        """Let everything happen that follows a change."""
        await self.worker.drain()
        await self.jobs.drain()
        await self.kit.notifications.finish()

    async def catch_up(self) -> None:
        """Let everything follow that follows a write."""
        for _ in range(3):
            await self.worker.drain()
            await self.jobs.drain()
        await self.worker.drain()


def serve(kit: Kit) -> ServedLetters:
    """The application on a kit; what follows changes is up to the test."""
    built = system.build(kit)
    kit.accounts.use(policy_of((built,)), ())
    worker = worker_of(kit, built)
    jobs = jobs_of(kit, built)

    async def close() -> None:
        await kit.accounts.finish()

    suite = Suite(kit, (built,), built.changes, worker, close, jobs)
    return ServedLetters(kit, NewsletterService(kit), create_app(suite), worker, jobs, built)


@contextmanager
def served_in(folder: Path) -> Iterator[ServedLetters]:
    with kit_on(folder, MAIN) as kit:
        yield serve(kit)
