"""Searching passages over HTTP: a question or a topic, with scores part by part."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import ConfigDict, Field

from partita.apps.newsletter.formats import ONE_OF_THE_TOPICS, TOPICS, topic_label
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Language
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.retrieval import parts_of
from partita.apps.newsletter.service.writing.retrieval import Match
from partita.kit.answers import Json
from partita.kit.problems import FieldError, Invalid
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_SNAKE = ConfigDict(alias_generator=None)


class FoundPassage(View):
    """A passage, and how well it fits."""

    model_config = _SNAKE

    id: str
    source_id: str
    title: str
    heading: str
    page: int | None
    position: int
    date: str | None
    text: str
    score: float = Field(description="0 to 1: words or meaning, the better of both, times the other `parts`.")
    parts: dict[str, float] = Field(
        description="`words`, `meaning` (0 if not asked), `age`, `region`, `audience`, `earlier`."
    )
    matched: list[str] = Field(description="Stems of the words that it holds.")
    reason: str | None = Field(
        default=None,
        description="Why it fell out: weak, old, dropped, duplicate, other topic, source, variety, language.",
    )


class SearchAnswer(View):
    """What was found, best first, and what fell out."""

    model_config = _SNAKE

    items: list[FoundPassage]
    left_out: list[FoundPassage]
    total: int = Field(description="How many passages can be found.")


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.get("/sources/search", Letters.READ_SOURCES, response_model=SearchAnswer, refuses=[404, 422])
    async def search_passages(
        viewer: CurrentViewer,
        q: Annotated[
            str, Query(max_length=500, description="A question.", examples=["How much did sorghum yields rise?"])
        ] = "",
        type: Annotated[str, Query(max_length=80, description="A topic, by its label or id.")] = "",
        newsletter: Annotated[str, Query(max_length=40, description="Whose settings count.")] = "",
        language: Language = "en",
    ) -> Json:
        """The passages that answer a question, or that fit a topic."""
        label = topic_label(type) if type else ""
        if label and label not in TOPICS.values():
            raise Invalid(FieldError("type", ONE_OF_THE_TOPICS))
        if not label and not q.strip():
            raise Invalid(FieldError("q", "Enter a question, or choose a topic."))
        tried = await service.retrieval.try_search(viewer, q, label, newsletter, language)
        return Json(
            {
                "items": [_view(each) for each in tried.hits],
                "left_out": [_view(each.match, each.reason) for each in tried.misses],
                "total": tried.total,
            }
        )


def _view(match: Match, reason: str | None = None) -> dict[str, object]:
    passage = match.passage
    return {
        "id": passage.id,
        "source_id": passage.source_id,
        "title": passage.title,
        "heading": passage.heading,
        "page": passage.page,
        "position": passage.position,
        "date": passage.published,
        "text": passage.text,
        "score": round(match.score, 4),
        "parts": parts_of(match),
        "matched": list(match.matched),
        "reason": reason,
    }
