"""Why a page is not fetched."""

from __future__ import annotations

from partita.kit.problems import Problem


class FetchRefused(Problem):
    """A page was not fetched; the reason is a sentence for the person who asked for it."""

    status = 422
    code = "fetch_refused"
    title = "The page was not fetched"

    @property
    def reason(self) -> str:
        return self.detail
