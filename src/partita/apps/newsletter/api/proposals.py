"""Proposals over HTTP."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.newsletter.api.draft import PastedMarkdown
from partita.apps.newsletter.api.exports import FILE, download
from partita.apps.newsletter.api.history import VersionDetail, VersionView
from partita.apps.newsletter.api.sources import FILES_BODY, AddedFiles, SourceView
from partita.apps.newsletter.api.steps import StepView, step_view
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.inputs import (
    NewExport,
    NewProposal,
    NewProposalSection,
    NewRequirement,
    PastedText,
    ProposalEdit,
    ProposalSectionEdit,
    ProposalSectionText,
    RequirementEdit,
    StatusChange,
)
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import ExportFormat, StepName
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.editing.pasted import markdown_of
from partita.apps.newsletter.service.proposal_files import FILE_KINDS, FileKind, file_kind
from partita.apps.newsletter.service.proposal_passages import FoundPassage
from partita.apps.newsletter.service.proposals import OpenProposal, SectionState, Sort
from partita.apps.newsletter.service.sources import MOST_AT_ONCE
from partita.apps.newsletter.service.steps import Look
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.files import form_with_files
from partita.kit.problems import BadRequest, FieldError, Invalid
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View, listed

_SNAKE = ConfigDict(alias_generator=None)
_ONE = "/proposals/{code}"
_SECTION = _ONE + "/sections/{key}"
SharedToo = Annotated[
    bool | None,
    Query(description="Whether shared sources may support the need; without it, only if there are no own files."),
]


class ProposalSummaryView(View):
    """A proposal in a list."""

    model_config = _SNAKE

    proposal_code: str
    title: str
    description: str
    status: str
    funder: str
    deadline: str | None
    sections: int = Field(description="How many sections it has.")
    done: int = Field(description="How many of them are done.")
    open_requirements: int
    created_at: str
    updated_at: str
    revision: int


class RequirementView(View):
    """A demand of the call."""

    model_config = _SNAKE

    id: str
    text: str = Field(description="In the exact words of the call.")
    page: int | None
    group: str = Field(description="dates, eligibility, money, limits, criteria or content")
    section: str = Field(description="The key of the section that answers it; empty if none does.")
    done: bool


class BudgetView(View):
    """A table with numbers."""

    model_config = _SNAKE

    total: str = Field(description="What its last column comes to, as counted.")
    faults: list[str] = Field(description="What does not add up.")


class ProposalSectionView(View):
    """A section of a proposal."""

    model_config = _SNAKE

    key: str
    title: str
    guidance: str
    word_limit: int = Field(description="0 if there is none.")
    words: int
    over: int = Field(description="By how many words it is too long.")
    done: bool
    text: str
    open_requirements: int
    unresolved: list[int] = Field(description="Numbers in it that lead to no source.")
    faults: list[str] = Field(description="What does not add up in its tables.")
    budgets: list[BudgetView] = Field(description="Its tables that are about money.")


class ProposalView(View):
    """A proposal, whole."""

    model_config = _SNAKE

    proposal_code: str
    title: str
    description: str
    status: str
    user_id: str
    user_name: str
    uploaded_files: dict[str, Any]
    text_inputs: dict[str, Any]
    metadata: dict[str, Any]
    exports: dict[str, Any]
    citations: list[dict[str, Any]]
    made_with: dict[str, Any] = Field(description="Section that was drafted → writer, model, tokens, fallback.")
    created_at: str
    updated_at: str
    revision: int
    sections: list[ProposalSectionView]
    requirements: list[RequirementView]
    warnings: list[str] = Field(description="What should be mended before it is sent.")


class PassageView(View):
    """A passage that may help with a section."""

    model_config = _SNAKE

    chunk_id: str
    source_id: str
    title: str
    text: str
    heading: str
    page: int | None
    score: float
    of_call: bool


class PassageList(View):
    """Passages, best first."""

    items: list[PassageView]


class RequirementList(View):
    """The checklist of the call."""

    items: list[RequirementView]


def _section(each: SectionState) -> dict[str, Any]:
    return {
        "key": each.key,
        "title": each.title,
        "guidance": each.section.guidance,
        "word_limit": each.section.limit,
        "words": each.words,
        "over": each.over,
        "done": each.section.done,
        "text": each.text,
        "open_requirements": each.open,
        "unresolved": list(each.unresolved),
        "faults": [fault for budget in each.budgets for fault in budget.faults],
        "budgets": [{"total": budget.comes_to, "faults": list(budget.faults)} for budget in each.budgets],
    }


def proposal_json(there: OpenProposal) -> dict[str, Any]:
    """A proposal as it leaves."""
    proposal = there.proposal
    names = ("uploaded_files", "text_inputs", "metadata", "exports", "citations", "made_with")
    return ProposalView.of(
        proposal,
        **{name: as_plain(getattr(proposal, name)) for name in names},
        sections=[_section(each) for each in there.sections],
        requirements=RequirementView.each(there.requirements),
        warnings=list(there.warnings),
    )


def _passage(found: FoundPassage) -> dict[str, Any]:
    return {
        "chunk_id": found.chunk.chunk_id,
        "source_id": found.source.source_id,
        "title": found.source.title,
        "text": found.chunk.text,
        "heading": found.chunk.heading,
        "page": found.chunk.page,
        "score": round(found.score, 3),
        "of_call": found.of_call,
    }


def started(code: str, look: Look) -> Json:
    """The answer to a request that starts a step: 202, and where to look."""
    return Json(step_view(look), 202, {"Location": f"/api/newsletter/proposals/{code}/steps/{look.step}"})


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    proposals = service.proposals

    @api.get("/proposals", Letters.PROPOSE, response_model=ListOf[ProposalSummaryView], refuses=[400])
    async def list_proposals(
        viewer: CurrentViewer,
        sort: Annotated[Sort, Query(description="`due`: those with a deadline, the nearest first.")] = "touched",
        q: Annotated[str, Query(max_length=200, description="Only those that have all of these words.")] = "",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Your proposals, without their texts."""
        page = await proposals.page(viewer, sort, words=q, limit=limit, cursor=cursor)
        return Json(listed(ProposalSummaryView, page))

    @api.post(
        "/proposals",
        Letters.PROPOSE,
        status_code=201,
        response_model=ProposalView,
        refuses=[403, 413, 422, 429],
        most_bytes=2_500_000,
    )
    async def create_proposal(viewer: CurrentViewer, proposal: NewProposal) -> Json:
        """Start a proposal with the sections of a frame. Files come by `POST …/files`, which reads them."""
        made = await proposals.create(viewer, proposal)
        return Json(proposal_json(await proposals.read(viewer, made.proposal_code)), 201)

    @api.get(_ONE, Letters.PROPOSE, response_model=ProposalView, refuses=[404])
    async def get_proposal(viewer: CurrentViewer, code: str) -> Json:
        """A proposal, whole."""
        return Json(proposal_json(await proposals.read(viewer, code)))

    @api.patch(
        _ONE,
        Letters.PROPOSE,
        response_model=ProposalView,
        refuses=[400, 403, 404, 409, 413, 422],
        most_bytes=2_500_000,
    )
    async def edit_proposal(viewer: CurrentViewer, code: str, edit: ProposalEdit) -> Json:
        """Change its facts, texts and metadata.

        Sections and entries of `metadata` that are left out stay; an entry that is null goes.
        """
        return Json(proposal_json(await proposals.edit(viewer, code, edit)))

    @api.delete(_ONE, Letters.PROPOSE, status_code=204, refuses=[403, 404, 409])
    async def delete_proposal(viewer: CurrentViewer, code: str) -> Response:
        """Delete it with its files, sources of its own, versions and shares."""
        await service.proposal_removals.delete(viewer, code)
        return Response(status_code=204)

    @api.post(f"{_ONE}/status", Letters.PROPOSE, response_model=ProposalView, refuses=[403, 404, 409, 422])
    async def set_proposal_status(viewer: CurrentViewer, code: str, change: StatusChange) -> Json:
        """Take it further: draft, in_review, ready, submitted, accepted or declined; or archive it."""
        return Json(proposal_json(await proposals.set_status(viewer, code, change.status)))

    # -- sections

    @api.post(
        f"{_ONE}/sections",
        Letters.PROPOSE,
        status_code=201,
        response_model=ProposalView,
        refuses=[403, 404, 409, 413, 422],
    )
    async def add_proposal_section(viewer: CurrentViewer, code: str, section: NewProposalSection) -> Json:
        """Add a section at the end."""
        await proposals.add_section(viewer, code, section)
        return Json(proposal_json(await proposals.read(viewer, code)), 201)

    @api.put(
        _SECTION,
        Letters.PROPOSE,
        response_model=ProposalView,
        refuses=[403, 404, 409, 413, 422],
        most_bytes=2_500_000,
    )
    async def save_proposal_section(viewer: CurrentViewer, code: str, key: str, edit: ProposalSectionText) -> Json:
        """Replace the text of a section; 409 `changed_meanwhile` has both texts if somebody else was faster."""
        return Json(proposal_json(await proposals.save_section(viewer, code, key, edit)))

    @api.patch(_SECTION, Letters.PROPOSE, response_model=ProposalView, refuses=[400, 403, 404, 409, 413, 422])
    async def edit_proposal_section(viewer: CurrentViewer, code: str, key: str, edit: ProposalSectionEdit) -> Json:
        """Rename, limit, tick or move a section."""
        return Json(proposal_json(await proposals.edit_section(viewer, code, key, edit)))

    @api.delete(_SECTION, Letters.PROPOSE, response_model=ProposalView, refuses=[403, 404, 409])
    async def remove_proposal_section(viewer: CurrentViewer, code: str, key: str) -> Json:
        """Take a section out; its text stays in the history."""
        return Json(proposal_json(await proposals.remove_section(viewer, code, key)))

    @api.post(f"{_ONE}/paste", Letters.PROPOSE, response_model=PastedMarkdown, refuses=[404, 422])
    async def paste_into_proposal(viewer: CurrentViewer, code: str, pasted: PastedText) -> Json:
        """HTML from a clipboard as clean Markdown; nothing is saved."""
        await service.access.proposal(viewer, code)
        return Json({"markdown": await asyncio.to_thread(markdown_of, pasted.html)})

    @api.get(f"{_SECTION}/suggestions", Letters.PROPOSE, response_model=PassageList, refuses=[404])
    async def suggest_passages(viewer: CurrentViewer, code: str, key: str) -> Json:
        """Passages of the call, your files and sources that have to do with a section."""
        found = await service.proposal_passages.suggestions(viewer, code, key)
        return Json({"items": [_passage(each) for each in found]})

    @api.post(
        f"{_ONE}/generate",
        Letters.PROPOSE,
        status_code=202,
        response_model=StepView,
        refuses=[403, 404, 409, 422, 429],
    )
    async def draft_proposal(viewer: CurrentViewer, code: str, shared: SharedToo = None) -> Json:
        """Write the sections that have no text yet from your files, each sentence with its source."""
        return started(code, await service.proposal_drafting.start(viewer, code, shared=shared))

    @api.post(
        f"{_SECTION}/generate",
        Letters.PROPOSE,
        status_code=202,
        response_model=StepView,
        refuses=[403, 404, 409, 422, 429],
    )
    async def draft_proposal_section(viewer: CurrentViewer, code: str, key: str, shared: SharedToo = None) -> Json:
        """Write a section from your files, each sentence with its source, below what is there."""
        return started(code, await service.proposal_drafting.start(viewer, code, key, shared=shared))

    # -- files, the call and its requirements

    @api.post(
        f"{_ONE}/files",
        Letters.PROPOSE,
        status_code=201,
        response_model=AddedFiles,
        refuses=[400, 403, 404, 413, 422],
        most_bytes=FILES_BODY,
        openapi_extra=form_with_files("files", "kind", most=MOST_AT_ONCE),
    )
    async def add_proposal_files(
        request: Request,
        viewer: CurrentViewer,
        code: str,
        kind: Annotated[
            FileKind | None, Query(description="Used instead of the form's `kind`; without both, `reference`.")
        ] = None,
    ) -> Json:
        """Add files in the field `files` of a form; they are read onto the proposal's own shelf.

        `kind` (call, reference or annex) may also be a field of the form."""
        await proposals.read(viewer, code, write=True)
        sent = await service.sources.receive(request, ("kind",))
        wanted = kind or file_kind(sent.fields.get("kind") or "reference")
        if wanted is None:
            await service.sources.give_up(sent)
            raise Invalid(FieldError("kind", f"One of {', '.join(FILE_KINDS)}."))
        added, refused = await service.proposal_files.add_all(viewer, code, wanted, sent)
        if not added and not refused:
            raise BadRequest("Send a form with files in the field “files”.", code="file_missing")
        told = [{"name": name, "code": problem.code, "detail": problem.detail} for name, problem in refused]
        return Json({"items": SourceView.each(added), "refused": told}, 201)

    @api.delete(f"{_ONE}/files", Letters.PROPOSE, status_code=204, refuses=[403, 404, 409, 422])
    async def remove_proposal_file(
        viewer: CurrentViewer, code: str, s3_key: Annotated[str, Query(max_length=300)]
    ) -> Response:
        """Take a file away, with what was read of it."""
        await service.proposal_files.remove(viewer, code, s3_key)
        return Response(status_code=204)

    @api.get(f"{_ONE}/requirements", Letters.PROPOSE, response_model=RequirementList, refuses=[404])
    async def list_requirements(viewer: CurrentViewer, code: str) -> Json:
        """The checklist of the call."""
        return Json({"items": RequirementView.each((await proposals.read(viewer, code)).requirements)})

    @api.post(
        f"{_ONE}/requirements/read",
        Letters.PROPOSE,
        status_code=202,
        response_model=StepView,
        refuses=[403, 404, 409, 429],
    )
    async def read_call(viewer: CurrentViewer, code: str) -> Json:
        """Read the demands of the call; ticks stay."""
        look = await service.calls.start(viewer, code)
        return started(code, look)

    @api.post(
        f"{_ONE}/requirements",
        Letters.PROPOSE,
        status_code=201,
        response_model=RequirementList,
        refuses=[403, 404, 409, 413, 422],
    )
    async def add_requirement(viewer: CurrentViewer, code: str, requirement: NewRequirement) -> Json:
        """Add a requirement of your own."""
        there = await proposals.add_requirement(viewer, code, requirement)
        return Json({"items": RequirementView.each(there.requirements)}, 201)

    @api.patch(
        f"{_ONE}/requirements/{{requirement}}",
        Letters.PROPOSE,
        response_model=RequirementList,
        refuses=[400, 403, 404, 409, 422],
    )
    async def edit_requirement(viewer: CurrentViewer, code: str, requirement: str, edit: RequirementEdit) -> Json:
        """Tick a requirement, or tie it to a section."""
        there = await proposals.edit_requirement(viewer, code, requirement, edit)
        return Json({"items": RequirementView.each(there.requirements)})

    @api.delete(f"{_ONE}/requirements/{{requirement}}", Letters.PROPOSE, status_code=204, refuses=[403, 404, 409])
    async def remove_requirement(viewer: CurrentViewer, code: str, requirement: str) -> Response:
        """Take a sentence off the list that asks for nothing."""
        await proposals.remove_requirement(viewer, code, requirement)
        return Response(status_code=204)

    @api.get(f"{_ONE}/steps/{{step}}", Letters.PROPOSE, response_model=StepView, refuses=[404, 422])
    async def get_proposal_step(viewer: CurrentViewer, code: str, step: StepName) -> Json:
        """How far a step is."""
        await service.access.proposal(viewer, code)
        return Json(step_view(await service.steps.look(code, step)))

    @api.delete(f"{_ONE}/steps/{{step}}", Letters.PROPOSE, response_model=StepView, refuses=[403, 404, 409, 422])
    async def cancel_proposal_step(viewer: CurrentViewer, code: str, step: StepName) -> Json:
        """Cancel a step; what was there before stays."""
        await service.access.proposal(viewer, code, write=True)
        return Json(step_view(await service.steps.cancel(viewer, code, step)))

    # -- exports and history

    @api.post(
        f"{_ONE}/exports",
        Letters.PROPOSE,
        status_code=202,
        response_model=StepView,
        refuses=[403, 404, 409, 422],
    )
    async def export_proposal(viewer: CurrentViewer, code: str, wanted: NewExport) -> Json:
        """Make a file: docx, pdf, html or md."""
        look = await service.proposal_exports.start(viewer, code, wanted.format)
        where = f"/api/newsletter/proposals/{code}/exports/{wanted.format}"
        return Json(step_view(look), 202, {"Location": where})

    @api.get(f"{_ONE}/exports/{{wanted}}", Letters.PROPOSE, response_class=Response, responses=FILE, refuses=[404, 422])
    async def get_proposal_export(viewer: CurrentViewer, code: str, wanted: ExportFormat) -> Response:
        """The file that was made last."""
        return download(*await service.proposal_exports.file(viewer, code, wanted))

    @api.get(f"{_ONE}/history", Letters.PROPOSE, response_model=ListOf[VersionView], refuses=[400, 404])
    async def list_proposal_versions(
        viewer: CurrentViewer, code: str, limit: Limit = 20, cursor: Cursor = None
    ) -> Json:
        """The versions of its text, newest first."""
        return Json(listed(VersionView, await proposals.history(viewer, code, limit=limit, cursor=cursor)))

    @api.get(f"{_ONE}/history/{{revision}}", Letters.PROPOSE, response_model=VersionDetail, refuses=[404, 422])
    async def get_proposal_version(viewer: CurrentViewer, code: str, revision: int) -> Json:
        """A version with its texts."""
        version = await proposals.version(viewer, code, revision)
        return Json(VersionDetail.of(version, sections=dict(version.sections), citations=as_plain(version.citations)))

    @api.post(
        f"{_ONE}/history/{{revision}}/restore", Letters.PROPOSE, response_model=ProposalView, refuses=[403, 404, 409]
    )
    async def restore_proposal_version(viewer: CurrentViewer, code: str, revision: int) -> Json:
        """Make the text what it was in a version."""
        return Json(proposal_json(await proposals.restore(viewer, code, revision)))
