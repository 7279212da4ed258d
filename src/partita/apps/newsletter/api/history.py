"""The history of a draft over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import ConfigDict, Field

from partita.apps.newsletter.api.draft import DraftView, draft_json
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.draft_texts import version_texts
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View, listed

_SNAKE = ConfigDict(alias_generator=None)
_HISTORY = "/newsletters/{code}/history"


class VersionView(View):
    """A version without its text."""

    model_config = _SNAKE

    revision: int
    action: str = Field(description="`generated`, `saved`, `reset` or `restored`.")
    by: str = Field(description="The person's id; empty for the writer.")
    by_name: str
    words: int
    at: str


class VersionDetail(VersionView):
    """A version, whole."""

    text: str
    sections: dict[str, str]
    citations: list[dict[str, Any]]


class DifferenceView(View):
    """What became of a section."""

    model_config = _SNAKE

    key: str
    heading: str
    kind: str = Field(description="`same`, `changed`, `added` or `removed`.")
    pieces: list[str] = Field(description="In order: `=` and what stays, `-` and what was removed, `+` what was added.")


class VersionWithChanges(VersionDetail):
    """A version, and what changed since another one."""

    compared_with: int | None
    changes: list[DifferenceView]


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.get(_HISTORY, Letters.WRITE, response_model=ListOf[VersionView], refuses=[400, 404])
    async def list_versions(viewer: CurrentViewer, code: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The versions of the draft, newest first."""
        return Json(listed(VersionView, await service.history.page(viewer, code, limit=limit, cursor=cursor)))

    @api.get(f"{_HISTORY}/{{revision}}", Letters.WRITE, response_model=VersionWithChanges, refuses=[404, 422])
    async def get_version(
        viewer: CurrentViewer,
        code: str,
        revision: int,
        compare: Annotated[int | None, Query(ge=1, description="Another revision; without it the one before.")] = None,
    ) -> Json:
        """A version with its text, and what changed since the one before it, by words."""
        version = await service.history.version(viewer, code, revision)
        comparison = await service.history.compare(viewer, code, compare, revision)
        changes = comparison.changed if comparison is not None else ()
        return Json(
            VersionWithChanges.of(
                version,
                sections=version_texts(version),
                citations=as_plain(version.citations),
                compared_with=comparison.before.revision if comparison is not None else None,
                changes=DifferenceView.each(
                    changes, pieces=lambda change: [piece.mark + piece.text for piece in change.pieces]
                ),
            )
        )

    @api.post(f"{_HISTORY}/{{revision}}/restore", Letters.WRITE, response_model=DraftView, refuses=[403, 404, 409])
    async def restore_version(viewer: CurrentViewer, code: str, revision: int) -> Json:
        """Make the text what it was in a version; what it is now stays in the history."""
        return Json(draft_json(await service.history.restore(viewer, code, revision)))
