"""Test a search: what a question or a topic finds, with the score of each passage part by part, and what fell out."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.newsletter.formats import TOPICS, topic_label
from partita.apps.newsletter.pages.topics import marked
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Language
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.retrieval import parts_of, strength
from partita.apps.newsletter.service.writing.retrieval import FLOOR, QUESTION_FLOOR
from partita.kit.pages import render
from partita.kit.routes import CurrentViewer, Routes

REASONS = {
    "weak": "too far from what was asked",
    "old": "too old for how often this edition appears",
    "dropped": "dropped by you",
    "duplicate": "almost the same as a newer passage",
    "other topic": "fits another topic better",
    "source": "three passages of its source are there already",
    "variety": "others say more that is new",
    "language": "in another language",
}
"""Why a passage fell out → as people read it."""
PARTS = {
    "words": "Words",
    "meaning": "Meaning",
    "age": "Age",
    "region": "Region",
    "audience": "Readers",
    "earlier": "Used before",
}
_MOST = 20


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @pages.get("/search", Letters.READ_SOURCES)
    async def search(
        request: Request,
        viewer: CurrentViewer,
        q: Annotated[str, Query(max_length=500)] = "",
        type: Annotated[str, Query(max_length=80)] = "",
        edition: Annotated[str, Query(max_length=40)] = "",
        language: Language = "en",
    ) -> Response:
        """What a search finds, and why."""
        label = topic_label(type) if topic_label(type) in TOPICS.values() else ""
        tried = None
        if q.strip() or label:
            tried = await service.retrieval.try_search(viewer, q, label, edition, language)
        return render(
            request,
            "newsletter/search.html",
            q=q,
            label=label,
            edition=edition,
            language=language,
            languages={"en": "English", "am": "Amharic", "ar": "Arabic"},
            topics=list(TOPICS.values()),
            tried=tried,
            hits=tried.hits[:_MOST] if tried else (),
            floor=FLOOR if label else QUESTION_FLOOR,
            parts_of=parts_of,
            parts=PARTS,
            reasons=REASONS,
            marked=marked,
            strength=strength,
        )
