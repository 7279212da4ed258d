"""The portal behind its real application, without the other systems; people are signed in as they would be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from partita.apps.enablement import system
from partita.apps.enablement.inputs import Approval, Attachment, NewContent, NewUpload, Submission
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service import EnablementService
from partita.kit.changes import ChangeWorker
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.suite import Suite, policy_of
from partita.web.app import create_app
from tests.apps.enablement.conftest import TABLES
from tests.apps.house import jobs_of, kit_on, worker_of
from tests.web.visitor import Answer, Visitor

PASSWORD = "correct horse battery"


@dataclass(slots=True)
class Somebody(Visitor):
    """A visitor, or somebody who is signed in, in a browser and as a program."""

    token: str = ""
    viewer: Viewer = field(default_factory=Viewer)

    async def api(self, method: str, path: str, content: Any = None) -> Answer:
        """Use the API of the portal as a program."""
        return await self.call(method, f"/api/enablement{path}", content, token=self.token)


@dataclass(frozen=True, slots=True)
class ServedPortal:
    """The application, and what is behind it."""

    kit: Kit
    service: EnablementService
    app: FastAPI
    worker: ChangeWorker
    jobs: JobWorker
    numbers: count[int] = field(default_factory=lambda: count(1))

    def visitor(self) -> Somebody:
        """Somebody without an account."""
        return Somebody(self.app, address=f"192.0.2.{next(self.numbers)}")

    async def person(self, role: str = "", name: str = "") -> Somebody:
        """Somebody with an account and a role: contributor, approver or admin; every account is a viewer."""
        accounts = self.kit.accounts
        username = name.lower() or f"person-{next(self.numbers)}"
        account = await accounts.registration.sign_up(username, f"{username}@example.org", name or username, PASSWORD)
        roles = [f"enablement:{role}"] if role else []
        await accounts.administration.set_roles(accounts.operator(), account.user_id, roles)
        session = await accounts.sessions.sign_in(username, PASSWORD, user_agent="Test/1.0")
        viewer = await accounts.recognition.from_session(session.token)
        token = await accounts.tokens.create(viewer, "test", viewer.permissions, 1)
        somebody = Somebody(self.app, token=token.text, viewer=viewer)
        answer = await somebody.post("/sign-in", {"identity": username, "password": PASSWORD})
        assert answer.status == 303, answer.text
        return somebody

    async def draft(self, owner: Somebody, title: str = "How to price Atlas", **fields: Any) -> Content:
        values = {"summary": "List prices.", "text": "# Prices\n\nAtlas costs 100.\n", **fields}
        return await self.service.content.create(owner.viewer, NewContent(title=title, **values))

    async def released(
        self, owner: Somebody, approver: Somebody, title: str = "How to price Atlas", **fields: Any
    ) -> Content:
        """Content that somebody wrote and somebody else approved."""
        draft = await self.draft(owner, title, **fields)
        return await self.release(owner, approver, draft.content_id)

    async def release(self, owner: Somebody, approver: Somebody, content_id: str, note: str | None = None) -> Content:
        waiting = await self.service.lifecycle.submit(owner.viewer, content_id, Submission(note=note))
        return await self.service.lifecycle.approve(approver.viewer, content_id, Approval(version=waiting.version))

    async def attach(self, owner: Somebody, content_id: str, data: bytes, name: str) -> None:
        """Send a file and attach it."""
        begun = await self.service.attachments.begin(owner.viewer, content_id, NewUpload(file_name=name))
        await self.kit.files.save(begun.row.s3_key, data, "application/octet-stream")
        attachment = Attachment(upload_id=begun.row.upload_id)
        await self.service.attachments.attach(owner.viewer, content_id, attachment)

    async def catch_up(self) -> None:
        """Let everything follow that follows a write: search, previews, and what follows those."""
        for _ in range(2):
            await self.worker.drain()
            await self.jobs.drain()
        await self.worker.drain()


def serve(kit: Kit) -> ServedPortal:
    """The application on a kit; what follows changes is up to the test."""
    built = system.build(kit)
    kit.accounts.use(policy_of((built,)), ())
    worker = worker_of(kit, built)
    jobs = jobs_of(kit, built)

    async def close() -> None:
        await kit.accounts.finish()

    suite = Suite(kit, (built,), built.changes, worker, close, jobs)
    return ServedPortal(kit, EnablementService(kit), create_app(suite), worker, jobs)


@contextmanager
def served_in(folder: Path) -> Iterator[ServedPortal]:
    with kit_on(folder, *TABLES) as kit:
        yield serve(kit)
