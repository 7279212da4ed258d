"""Who jobs of tests work for, whose viewers are made by hand; `apps/test_attacks.py` is about those with accounts."""

from __future__ import annotations

from partita.kit.jobs import Job, JobKind
from partita.kit.jobs.starters import Starters
from partita.kit.permissions import Viewer


class Anybody(Starters):
    """Whoever has no account may do everything."""

    async def viewer(self, user_id: str | None) -> Viewer:
        if user_id is not None and await self._accounts.people.find(user_id) is None:
            return Viewer(user_id, user_id, user_id, frozenset(self._accounts.permissions.policy.labels))
        return await super().viewer(user_id)

    async def check(self, kind: JobKind, job: Job) -> None:
        """Their permissions are made by hand too, and no role has them."""
