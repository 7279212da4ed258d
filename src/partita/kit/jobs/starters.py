"""Who a job works for: whoever started it, with the permissions that they have now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from partita.kit.jobs.kinds import JobFailed, JobKind
from partita.kit.jobs.schema import Job
from partita.kit.permissions import Viewer

if TYPE_CHECKING:
    from partita.kit.accounts import Accounts


class Starters:
    """Makes viewers of the people who started jobs."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def viewer(self, user_id: str | None) -> Viewer:
        """Somebody as they would be signed in; the job fails if their account is gone or suspended."""
        account = None if user_id is None else await self._accounts.people.find(user_id)
        if account is None or account.suspended:
            raise JobFailed("Whoever started this has no account any more.")
        granted = await self._accounts.permissions.of(account)
        return Viewer(account.user_id, account.username, account.name, granted, via="command")

    async def check(self, kind: JobKind, job: Job) -> None:
        """Let a job fail whose starter may no longer do what it does."""
        needed = kind.needed(job)
        if needed is None or job.user_id is None:
            return
        viewer = await self.viewer(job.user_id)
        if not (viewer.may(needed) or job.by_claim):
            raise JobFailed("Whoever started this is not allowed to do it any more.")
