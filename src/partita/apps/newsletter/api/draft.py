"""The draft over HTTP: reading it, saving it by section or whole, and going back to what was generated."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.inputs import DraftEdit, DraftReset, NewCitation, PastedText, RewriteWish, SectionEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.draft import DraftText
from partita.apps.newsletter.service.editing.pasted import markdown_of
from partita.apps.newsletter.service.editing.sections import document
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, View

_SNAKE = ConfigDict(alias_generator=None)
_DRAFT = "/newsletters/{code}/draft"


class SectionView(View):
    """A section as it is now."""

    model_config = _SNAKE

    key: str
    title: str
    text: str
    words: int
    edited: bool = Field(description="Whether it is not as it was generated.")
    unresolved: list[int] = Field(description="Numbers in it that lead to no source.")


class DraftView(View):
    """The draft, as generated and as edited."""

    model_config = _SNAKE

    newsletter_code: str
    draft_status: str
    draft_started_at: str | None
    draft_completed_at: str | None
    draft_error: str | None
    generated_content: str
    sections: dict[str, str] = Field(description="Section key → generated Markdown.")
    user_edits: str | None
    has_user_edits: bool
    word_count: int
    estimated_read_time: str
    generated_at: str | None
    updated_at: str
    exports: dict[str, Any]
    revision: int
    outline_revision: int
    citations: list[dict[str, Any]]
    made_with: dict[str, Any]
    quality: dict[str, Any]
    images: list[dict[str, Any]]
    text: str = Field(description="The whole text as it is now: with the edits, if there are any.")
    current_sections: list[SectionView] = Field(description="The sections as they are now, in order.")
    left_out: list[SectionView] = Field(description="Generated sections that were removed by hand.")


class SavedSection(View):
    """What saving a section made of it."""

    model_config = _SNAKE

    revision: int
    updated_at: str
    word_count: int
    estimated_read_time: str
    has_user_edits: bool
    quality: dict[str, Any]
    section: SectionView


class PastedMarkdown(View):
    """What was pasted, as Markdown."""

    model_config = _SNAKE

    markdown: str


class NewNumber(View):
    """The number with which a text cites a passage."""

    model_config = _SNAKE

    n: int


class PassagePart(View):
    """A part of a passage."""

    model_config = _SNAKE

    text: str
    used: bool = Field(description="Whether the text has used it.")


class CitationView(View):
    """What a number of the draft leads to."""

    model_config = _SNAKE

    n: int
    title: str
    url: str
    date: str
    page: int | None
    publisher: str
    source_id: str
    chunk_id: str
    quote: str
    heading: str
    text: str
    parts: list[PassagePart]
    here: bool = Field(description="Whether the source still has the passage; otherwise `text` is what was used of it.")


class SuggestionView(View):
    """A sentence of the sources that the text does not have."""

    model_config = _SNAKE

    text: str
    n: Annotated[int, From("citation.n")] = Field(description="The number that it would have.")
    new: bool = Field(description="Whether its passage is not cited yet.")
    chunk_id: Annotated[str, From("citation.chunk_id")]
    title: Annotated[str, From("citation.title")]
    date: Annotated[str | None, From("citation.date")]
    page: Annotated[int | None, From("citation.page")]
    quote: Annotated[str, From("citation.quote")]


class SuggestionList(View):
    """Other sentences for a section, the best first."""

    model_config = _SNAKE

    items: list[SuggestionView]


class QualityView(View):
    """The report card."""

    model_config = _SNAKE

    revision: int
    quality: dict[str, Any] = Field(description="Line → `ok`, `value`, `text`, `places`.")


class Rewritten(View):
    """A piece in other words."""

    model_config = _SNAKE

    text: str


def draft_json(text: DraftText) -> dict[str, Any]:
    """A draft as it leaves."""
    draft = text.draft
    return DraftView.of(
        draft,
        sections=text.generated,
        exports=as_plain(draft.exports),
        citations=as_plain(draft.citations),
        made_with=as_plain(draft.made_with),
        quality=as_plain(draft.quality),
        images=as_plain(draft.images),
        text=document(text.newsletter.title, text.texts.values()),
        current_sections=SectionView.each(text.sections),
        left_out=SectionView.each(text.left_out),
    )


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.get(_DRAFT, Letters.WRITE, response_model=DraftView, refuses=[404, 409])
    async def get_draft(viewer: CurrentViewer, code: str) -> Json:
        """The draft; 409 `step_not_ready` if none is written yet."""
        return Json(draft_json(await service.draft.read(viewer, code)))

    @api.put(_DRAFT, Letters.WRITE, response_model=DraftView, refuses=[403, 404, 409, 413, 422])
    async def save_draft(viewer: CurrentViewer, code: str, edit: DraftEdit) -> Json:
        """Save the whole text. If somebody else was faster, 409 `changed_meanwhile` has `mine` and `theirs`."""
        return Json(draft_json(await service.draft.save_whole(viewer, code, edit)))

    @api.post(f"{_DRAFT}/reset", Letters.WRITE, response_model=DraftView, refuses=[403, 404, 409, 422])
    async def reset_draft(viewer: CurrentViewer, code: str, reset: DraftReset) -> Json:
        """Back to the generated text, whole or one section; what was there stays in the history."""
        return Json(draft_json(await service.draft.reset(viewer, code, reset)))

    @api.post(f"{_DRAFT}/tidy-numbers", Letters.WRITE, response_model=DraftView, refuses=[403, 404, 409])
    async def tidy_draft_numbers(viewer: CurrentViewer, code: str) -> Json:
        """Count the citations from 1 in the order of reading."""
        return Json(draft_json(await service.draft.tidy_numbers(viewer, code)))

    @api.put(
        f"{_DRAFT}/sections/{{key}}", Letters.WRITE, response_model=SavedSection, refuses=[403, 404, 409, 413, 422]
    )
    async def save_section(viewer: CurrentViewer, code: str, key: str, edit: SectionEdit) -> Json:
        """Save a section; an empty text leaves it out.

        If somebody else was faster, 409 `changed_meanwhile` has both texts, `mine` and `theirs`."""
        saved = await service.draft.save_section(viewer, code, key, edit)
        section = SectionView.of(saved.one(key))
        return Json(SavedSection.of(saved.draft, quality=as_plain(saved.draft.quality), section=section))

    @api.get(f"{_DRAFT}/citations/{{n}}", Letters.WRITE, response_model=CitationView, refuses=[404, 422])
    async def get_citation(viewer: CurrentViewer, code: str, n: int) -> Json:
        """The passage that `[n]` leads to, with the sentences marked that the text has used."""
        found = await service.citations.one(viewer, code, n)
        return Json(CitationView.of(found, parts=PassagePart.each(found.stretches)))

    @api.post(
        f"{_DRAFT}/citations", Letters.WRITE, status_code=201, response_model=NewNumber, refuses=[403, 404, 409, 422]
    )
    async def add_citation(viewer: CurrentViewer, code: str, new: NewCitation) -> Json:
        """The number for a sentence of a passage that was found for this newsletter."""
        return Json({"n": await service.citations.add(viewer, code, new)}, 201)

    @api.post(f"{_DRAFT}/paste", Letters.WRITE, response_model=PastedMarkdown, refuses=[404, 422])
    async def paste_into_draft(viewer: CurrentViewer, code: str, pasted: PastedText) -> Json:
        """HTML from a clipboard as clean Markdown; nothing is saved."""
        await service.access.newsletter(viewer, code)
        return Json({"markdown": await asyncio.to_thread(markdown_of, pasted.html)})

    @api.get(f"{_DRAFT}/sections/{{key}}/suggestions", Letters.WRITE, response_model=SuggestionList, refuses=[404])
    async def suggest_sentences(viewer: CurrentViewer, code: str, key: str) -> Json:
        """Other sentences for a section, from what was found for it. `POST …/draft/citations` gives one its number."""
        return Json({"items": SuggestionView.each(await service.quality.sentences(viewer, code, key))})

    @api.get(f"{_DRAFT}/quality", Letters.WRITE, response_model=QualityView, refuses=[404, 409])
    async def get_quality(viewer: CurrentViewer, code: str) -> Json:
        """The report card: what to mend before sending."""
        draft = (await service.draft.read(viewer, code)).draft
        return Json({"revision": draft.revision, "quality": as_plain(draft.quality)})

    @api.post(f"{_DRAFT}/rewrite", Letters.WRITE, response_model=Rewritten, refuses=[403, 404, 409, 422, 429, 503])
    async def rewrite_selection(viewer: CurrentViewer, code: str, wanted: RewriteWish) -> Json:
        """A piece of the text in other words, by the model; 409 `no_model` without one. Nothing is saved."""
        return Json({"text": await service.rewriting.rewrite(viewer, code, wanted)})
