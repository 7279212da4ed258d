"""What the parts of the demo share: its people, its services, and the worker that does their steps at once."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime

from partita.apps.newsletter.permissions import ROLES
from partita.apps.newsletter.service import NewsletterService
from partita.kit.jobs import Jobs, JobWorker
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.search.following import build_anew

_AT_ONCE = 4


@dataclass
class Stage:
    """The demo while it is filled."""

    kit: Kit
    service: NewsletterService
    now: datetime = field(init=False)
    viewers: dict[str, Viewer] = field(default_factory=dict)
    """Username → who they are, with the permissions of their role."""
    sources: dict[str, str] = field(default_factory=dict)
    """Name of a demo source → its id."""
    password: str = field(default_factory=lambda: secrets.token_urlsafe(12), repr=False)
    """Everybody's."""

    def __post_init__(self) -> None:
        self.now = self.kit.clock.now()

    def join(self, username: str, user_id: str, name: str, role: str) -> None:
        """Somebody is there from now on."""
        self.viewers[username] = Viewer(user_id, username, name, ROLES[role], via="command")

    async def work(self) -> None:
        """Do the steps that wait: those of newsletters alone, so that no other system's jobs hold up the start."""
        known = self.service.steps.kinds
        self.kit.jobs.use(kind for kind in known if self.kit.jobs.kind(kind.name) is None)
        own = Jobs(self.kit.jobs.store, self.kit.jobs.clock, self.kit.ids)
        own.use(known)
        await JobWorker(own, (), at_once=_AT_ONCE).drain()

    async def index(self) -> None:
        """Let passages be found now; later the change stream sees to it."""
        await build_anew(self.kit.search, self.kit.store, self.service.passages.catalog)
