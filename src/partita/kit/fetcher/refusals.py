"""Why a page is not fetched."""

from __future__ import annotations

from partita.kit.problems import Problem


class FetchRefused(Problem):
    """A page that was not fetched; the reason is a sentence for whoever asked."""

    status = 422
    code = "fetch_refused"
    title = "The page was not fetched"

    @property
    def reason(self) -> str:
        return self.detail
