"""Who a job works for: whoever started it, with the permissions that they have now."""

from __future__ import annotations

from partita.kit.jobs import JobFailed
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer


class Workers:
    """Makes viewers of the people who started jobs."""

    def __init__(self, kit: Kit) -> None:
        self._accounts = kit.accounts

    async def viewer(self, user_id: str | None) -> Viewer:
        """Somebody as they would be signed in; the job fails if their account is gone or suspended."""
        account = None if user_id is None else await self._accounts.people.find(user_id)
        if account is None or account.suspended:
            raise JobFailed("Whoever started this has no account any more.")
        granted = await self._accounts.permissions.of(account)
        return Viewer(account.user_id, account.username, account.name, granted, via="command")
