"""Who signed in last with a browser, in a sealed cookie: it allows nothing, and tells for whom to keep a form."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from partita.kit.keys import signing_keys
from partita.kit.settings import Settings
from partita.table.sealing import BrokenSealError, seal, unseal

_PURPOSE = b"last person\0"
_DAYS_LONGER = 7
"""The cookie outlives the session, else nobody would be known when it has ended."""


@dataclass(frozen=True, slots=True)
class LastPerson:
    """Remembers and recalls them."""

    keys: tuple[bytes, ...]
    settings: Settings

    @classmethod
    def of(cls, settings: Settings) -> LastPerson:
        return cls(signing_keys(settings, "last person"), settings)

    @property
    def cookie(self) -> str:
        """The cookie's name."""
        return "__Host-partita-person" if self.settings.secure else "partita-person"

    def remember(self, response: Response, user_id: str) -> None:
        """Set the cookie."""
        response.set_cookie(
            self.cookie,
            seal(self.keys, _PURPOSE, user_id.encode()),
            max_age=(self.settings.session_days + _DAYS_LONGER) * 86400,
            path="/",
            httponly=True,
            samesite="lax",
            secure=self.settings.secure,
        )

    def user_id(self, request: Request) -> str | None:
        """Who it was; None if that is not known, or the cookie is not ours."""
        try:
            return unseal(self.keys, _PURPOSE, request.cookies.get(self.cookie, "")).decode() or None
        except BrokenSealError:
            return None
