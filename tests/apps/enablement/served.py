"""The portal behind its real application."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partita.apps.enablement import system
from partita.apps.enablement.inputs import Approval, Attachment, NewContent, NewUpload, Submission
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service import EnablementService
from partita.kit.kit import Kit
from tests.apps.enablement.conftest import TABLES
from tests.apps.house import kit_on
from tests.apps.served import PASSWORD, Served, Somebody, served

__all__ = ["PASSWORD", "ServedPortal", "Somebody", "serve", "served_in"]


@dataclass(frozen=True, slots=True)
class ServedPortal(Served[EnablementService]):
    """The portal; every account is a viewer, others are contributors, approvers or admins."""

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


def serve(kit: Kit) -> ServedPortal:
    """The application on a kit; what follows changes is up to the test."""
    return served(ServedPortal, kit, system.build(kit), EnablementService(kit))


@contextmanager
def served_in(folder: Path) -> Iterator[ServedPortal]:
    with kit_on(folder, *TABLES) as kit:
        yield serve(kit)
