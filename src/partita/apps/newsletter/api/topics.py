"""Topics over HTTP: which there are, which are chosen, what was found, and what becomes of a passage."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from partita.apps.newsletter.api.steps import StepView, accepted, step_view
from partita.apps.newsletter.formats import as_plain, topic_label
from partita.apps.newsletter.inputs import PassageEdit, TopicsEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter, Topics
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.topics import choices, outdated, passages
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_SNAKE = ConfigDict(alias_generator=None)
_TOPICS = "/newsletters/{code}/topics"


class TopicView(View):
    """One of the twelve topics."""

    model_config = _SNAKE

    label: str
    group: str
    chosen: bool
    recommended: bool
    passages: int
    thin: bool = Field(description="Whether fewer than two passages were found.")


class TopicsView(View):
    """The topics of a newsletter, in the document's words, and all there are."""

    model_config = _SNAKE

    selected_types: list[str]
    retrieval_status: str
    retrieval_started_at: str | None
    retrieval_completed_at: str | None
    retrieval_error: str | None
    retrieved_content: list[dict[str, Any]]
    total_chunks_retrieved: int
    updated_at: str
    source_ids: list[str]
    search_words: dict[str, str]
    any_age: list[str] = Field(description="Topics for which content of any age is taken.")
    pinned: list[str]
    excluded: list[str]
    thin: list[str]
    topics: list[TopicView]
    outdated: list[str] = Field(description="What has changed since content was found.")


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.get(_TOPICS, Letters.WRITE, response_model=TopicsView, refuses=[404])
    async def get_topics(viewer: CurrentViewer, code: str) -> Json:
        """The topics, and what was found for them."""
        return Json(_view(*await service.topics.get(viewer, code)))

    @api.put(_TOPICS, Letters.WRITE, response_model=TopicsView, refuses=[400, 403, 404, 422])
    async def choose_topics(viewer: CurrentViewer, code: str, edit: TopicsEdit) -> Json:
        """Choose one to eight topics, the sources to search, and words to search by."""
        await service.topics.edit(viewer, code, edit)
        return Json(_view(*await service.topics.get(viewer, code)))

    @api.post(
        f"{_TOPICS}/retrieve",
        Letters.WRITE,
        status_code=202,
        response_model=StepView,
        refuses=[403, 404, 409, 429],
    )
    async def retrieve(viewer: CurrentViewer, code: str) -> Json:
        """Find content for the topics."""
        return accepted(code, step_view(await service.steps.start(viewer, code, "retrieval")))

    @api.put(f"{_TOPICS}/passages/{{chunk_id}}", Letters.WRITE, response_model=TopicsView, refuses=[403, 404, 422])
    async def mark_passage(viewer: CurrentViewer, code: str, chunk_id: str, edit: PassageEdit) -> Json:
        """Let a passage come first (`pinned`), never (`dropped`), or as it ranks (`none`)."""
        await service.topics.mark(viewer, code, chunk_id, edit.mark)
        return Json(_view(*await service.topics.get(viewer, code)))


def _view(newsletter: Newsletter, topics: Topics) -> dict[str, Any]:
    return TopicsView.of(
        topics,
        selected_types=[topic_label(each) for each in topics.selected_types],
        retrieved_content=list(passages(topics)),
        search_words=as_plain(topics.search_words),
        any_age=list(topics.any_age),
        topics=TopicView.each(choices(newsletter, topics)),
        outdated=list(outdated(newsletter, topics)),
    )
