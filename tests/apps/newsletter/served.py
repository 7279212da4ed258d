"""The newsletter generator behind its real application."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partita.apps.newsletter import system
from partita.apps.newsletter.inputs import NewNewsletter
from partita.apps.newsletter.schema import MAIN, StepName
from partita.apps.newsletter.service import NewsletterService
from partita.kit.kit import Kit
from tests.apps.house import kit_on
from tests.apps.newsletter.found import find_content
from tests.apps.served import PASSWORD, Served, Somebody, served

__all__ = ["PASSWORD", "ServedLetters", "Somebody", "serve", "served_in"]


@dataclass(frozen=True, slots=True)
class ServedLetters(Served[NewsletterService]):
    """The newsletter generator."""

    async def person(self, role: str = "author", name: str = "") -> Somebody:
        """Somebody with an account and a role: author, editor, admin or none."""
        return await Served.person(self, role, name)

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


def serve(kit: Kit) -> ServedLetters:
    """The application on a kit; what follows changes is up to the test."""
    return served(ServedLetters, kit, system.build(kit), NewsletterService(kit))


@contextmanager
def served_in(folder: Path) -> Iterator[ServedLetters]:
    with kit_on(folder, MAIN) as kit:
        yield serve(kit)
