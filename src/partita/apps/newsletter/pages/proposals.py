"""Proposals: what is due, the editor, the checklist of the call, facts, files, exports and history."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Query, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from partita.apps.newsletter.api.exports import download
from partita.apps.newsletter.api.sources import FILES_BODY
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.inputs import (
    Annex,
    NewProposal,
    NewProposalSection,
    NewRequirement,
    ProposalEdit,
    ProposalFacts,
    ProposalSectionEdit,
    ProposalSectionText,
    RequirementEdit,
    SectionPreview,
)
from partita.apps.newsletter.pages.draft import chosen, saved_words
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import ExportFormat, Proposal, StepName
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.citations import CitedPassage
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.exports import FORMATS
from partita.apps.newsletter.service.documents.html import text_html
from partita.apps.newsletter.service.documents.model import Document
from partita.apps.newsletter.service.documents.reading import read_blocks
from partita.apps.newsletter.service.draft import TextChanged
from partita.apps.newsletter.service.drafting.made_words import section_words
from partita.apps.newsletter.service.editing.comparing import differences
from partita.apps.newsletter.service.editions import source_of
from partita.apps.newsletter.service.proposal_exports import PROPOSAL_FORMATS
from partita.apps.newsletter.service.proposal_files import FILE_KINDS, file_kind
from partita.apps.newsletter.service.proposals import OpenProposal, ProposalSummary
from partita.apps.newsletter.service.proposing.frames import FRAMES, ProposalSection
from partita.apps.newsletter.service.proposing.requirements import GROUPS
from partita.apps.newsletter.service.proposing.states import STATUSES, next_states
from partita.apps.newsletter.service.reading.reading import MOST_BYTES
from partita.apps.newsletter.service.steps import Look
from partita.kit.answers import Cursor
from partita.kit.forms import MOST_FIELDS, Parsed, filled, parse, submitted
from partita.kit.history import Field, Fields
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited
from partita.table import Page

_ONE = "/proposals/{code}"
_PAGE = 20
_FORM_BYTES = 2_500_000
Key = Annotated[str, Query(max_length=200)]
Number = Annotated[int | None, Query(ge=1, le=999)]
FACT_FIELDS = Fields(
    Field("title", "Title", "title"),
    Field("description", "Description", "description"),
    Field("applicant", "Applicant organisation", "applicant"),
    Field("funder", "Funder", "funder"),
    Field("call_url", "Web address of the call", "call_url"),
    Field("deadline", "Deadline", "deadline"),
    Field("amount", "Amount", "amount"),
    Field("currency", "Currency", "currency"),
    Field("language", "Language", "language"),
    Field("theme", "Theme", "theme"),
    Field("annex", "Annex", "annex"),
)
ANNEXES = [("no", "None"), ("yes", "The checklist of the call")]
LANGUAGES = [("en", "English"), ("am", "Amharic"), ("ar", "Arabic")]
THEMES = [("journal", "Journal"), ("bulletin", "Bulletin"), ("field", "Field"), ("letter", "Letter")]


def base(code: str, **query: object) -> str:
    """The address of a proposal."""
    wanted = {name: value for name, value in query.items() if value}
    return f"/newsletter/proposals/{code}" + (f"?{urlencode(wanted)}" if wanted else "")


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    proposals = service.proposals

    # -- the list

    @pages.get("/proposals", Letters.PROPOSE)
    async def list_proposals(
        request: Request,
        viewer: CurrentViewer,
        only: Literal["due", "undated", "shared"] | None = None,
        cursor: Cursor = None,
    ) -> Response:
        """By deadline; those without one and shared ones below, each with a list of its own if there are more."""
        wanted = only or ("due" if cursor is not None else None)
        nothing: Page[ProposalSummary] = Page((), None)
        page = without = shared = nothing
        if wanted in (None, "due"):
            page = await proposals.page(viewer, "due", limit=_PAGE, cursor=cursor)
        if wanted in (None, "undated"):
            without = await proposals.without_deadline(viewer, limit=_PAGE, cursor=cursor)
        if wanted in (None, "shared"):
            shared = await proposals.shared(viewer, limit=_PAGE, cursor=cursor)
        today = proposals.today()
        return render(
            request,
            "newsletter/proposals.html",
            page=page,
            without=without,
            shared=shared,
            today=today.isoformat(),
            days={each.proposal_code: _days(each.deadline, today) for each in (*page, *shared)},
            statuses=STATUSES,
            frames=[frame for frame in FRAMES.values() if frame.sections],
            only=wanted,
        )

    def new_page(request: Request, form: Parsed[Any]) -> Response:
        return render(
            request,
            "newsletter/proposal_new.html",
            form=form,
            frames=list(FRAMES.values()),
            languages=LANGUAGES,
            most_bytes=MOST_BYTES,
        )

    @pages.get("/proposals/new", Letters.PROPOSE)
    async def ask_new(request: Request, frame: Key = "concept_note") -> Response:
        """Choose a frame and say what it is for."""
        return new_page(request, Parsed(None, {"frame": frame if frame in FRAMES else "concept_note"}))

    @pages.post("/proposals/new", Letters.PROPOSE, most_bytes=FILES_BODY)
    async def create(request: Request, viewer: CurrentViewer) -> Response:
        """Start it, with the sections of a frame or of a document's headings."""
        sent = await service.sources.receive(request)
        form = parse(NewProposal, sent.fields)
        if form.value is None:
            await service.sources.give_up(sent)
            return new_page(request, form)
        try:
            sections: tuple[ProposalSection, ...] | None = None
            if form.value.frame == "document":
                if not sent.files:
                    raise Conflict("Choose the document whose headings become the sections.", code="file_missing")
                sections = await service.proposal_files.template(sent.files[0])
            made = await proposals.create(viewer, form.value, sections)
        except Problem as problem:
            await service.sources.give_up(sent)
            return new_page(request, form.refused(problem))
        return redirect(
            base(made.proposal_code), flash="Proposal created. Add the call next: its requirements become a checklist."
        )

    # -- the editor

    async def editor(
        request: Request,
        viewer: Viewer,
        there: OpenProposal,
        key: str,
        *,
        form: Parsed[Any] | None = None,
        section_form: Parsed[Any] | None = None,
        lines: list[dict[str, Any]] | None = None,
        refused: Problem | None = None,
        cite: int | None = None,
    ) -> Response:
        code = there.proposal.proposal_code
        writing = await service.steps.look(code, "proposal")
        just_written = service.proposal_drafting.just_written(writing.run)
        if just_written:  # perhaps after this was read: nothing would bring its text into the page any more
            there = await proposals.read(viewer, code)
        keys = [each.key for each in there.sections]
        open_section = there.one(key) if key in keys else (there.sections[0] if there.sections else None)
        place = keys.index(open_section.key) if open_section else 0
        passages = await service.proposal_passages.suggestions(viewer, code, open_section.key) if open_section else []
        may_write = await service.access.may_write(viewer, there.proposal)
        return render(
            request,
            "newsletter/proposal.html",
            refused=refused,
            there=there,
            proposal=there.proposal,
            opened=open_section,
            look=editor_html(there, open_section.key, open_section.text) if open_section else "",
            passage=await cited_or_none(service, viewer, code, cite),
            next_key=keys[place + 1] if place + 1 < len(keys) else "",
            passages=passages,
            form=form or Parsed(None, {"text": open_section.text if open_section else ""}),
            section_form=section_form or Parsed(None),
            sources=await service.proposal_files.sources(viewer, code),
            call=await service.calls.look(code),
            writing=writing,
            made=section_words(there.proposal.made_with.get(open_section.key, {})) if open_section else "",
            finished=_finished(there, writing),
            shared_too=viewer.may(Letters.READ_SOURCES) and not await service.proposal_drafting.has_own(there),
            just_written=just_written,
            offer=_offer(there),
            groups=GROUPS,
            file_kinds=FILE_KINDS,
            statuses=STATUSES,
            next_states=next_states(there.proposal.status) if may_write else (),
            days=_days(there.deadline, proposals.today()),
            today=proposals.today().isoformat(),
            lines=lines or [],
            most_bytes=MOST_BYTES,
            may_write=may_write and there.editable,
            open_notes=sum(each.open for each in await service.notes.on(viewer, code)),
            address=base,
        )

    @pages.get(_ONE, Letters.PROPOSE)
    async def show(
        request: Request, viewer: CurrentViewer, code: str, section: Key = "", cite: Number = None
    ) -> Response:
        """The editor: one section open, its demands and passages beside it."""
        return await editor(request, viewer, await proposals.read(viewer, code), section, cite=cite)

    @pages.post(f"{_ONE}/sections/{{key}}", Letters.PROPOSE, keeps=ProposalSectionText, most_bytes=_FORM_BYTES)
    async def save_section(request: Request, viewer: CurrentViewer, code: str, key: str) -> Response:
        """Save a section; if somebody else was faster, both texts are shown to choose from."""

        async def save(edit: ProposalSectionText) -> Response:
            try:
                saved = await proposals.save_section(viewer, code, key, edit)
            except TextChanged as changed:
                return await conflict(request, viewer, code, key, changed)
            keys = [each.key for each in saved.sections]
            onward = (await request.form()).get("go") == "next" and keys[-1] != key
            told, tone = saved_words(saved.one(key).unresolved, "proposal")
            opened = keys[keys.index(key) + 1] if onward else key
            return redirect(base(code, section=opened), flash=told, kind=tone)

        async def again(form: Parsed[ProposalSectionText]) -> Response:
            return await editor(request, viewer, await proposals.read(viewer, code), key, form=form)

        return await submitted(request, ProposalSectionText, save, again)

    @pages.get(f"{_ONE}/sections/{{key}}", Letters.PROPOSE)
    async def open_section(viewer: CurrentViewer, code: str, key: str) -> Response:
        """Where a form was sent to and refused: the section again."""
        await service.access.proposal(viewer, code)
        return redirect(base(code, section=key))

    @pages.post(f"{_ONE}/preview", Letters.PROPOSE, most_bytes=_FORM_BYTES)
    async def preview(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """A section that is being typed, as it will look; for the script below the field."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            form = parse(SectionPreview, sent)
        if form.value is None:
            raise NotFound("This form is damaged.")
        return HTMLResponse(editor_html(await proposals.read(viewer, code), form.value.key, form.value.text))

    async def conflict(request: Request, viewer: Viewer, code: str, key: str, changed: TextChanged) -> Response:
        there = await proposals.read(viewer, code)
        return render(
            request,
            "newsletter/conflict.html",
            refused=changed,
            opened=there.one(key),
            changed=changed,
            passages=changed.passages,
            action=f"{base(code)}/sections/{key}/choice",
            back=base(code, section=key),
        )

    @pages.post(f"{_ONE}/sections/{{key}}/choice", Letters.PROPOSE, most_bytes=_FORM_BYTES)
    async def choose(request: Request, viewer: CurrentViewer, code: str, key: str) -> Response:
        """Save what somebody chose of two texts."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            fields = {name: value for name, value in sent.multi_items() if isinstance(value, str)}
        if fields.get("go") == "theirs":
            return redirect(base(code, section=key), flash="The other version was kept.")
        values = {**fields, "text": chosen(fields), "base": fields.get("theirs", "")}
        edit = parse(ProposalSectionText, values).value
        if edit is None:
            raise NotFound("This form is damaged. Open the section again.")
        try:
            await proposals.save_section(viewer, code, key, edit)
        except TextChanged as changed:
            return await conflict(request, viewer, code, key, changed)
        return redirect(base(code, section=key), flash="Saved.")

    @pages.post(f"{_ONE}/sections/{{key}}/deed", Letters.PROPOSE)
    async def section_deed(request: Request, viewer: CurrentViewer, code: str, key: str) -> Response:
        """Tick a section, move it, or change its title, guidance and limit."""
        async with request.form(max_fields=20) as sent:
            fields = {name: value for name, value in sent.multi_items() if isinstance(value, str)}
        deed = fields.pop("deed", "")
        told = "Saved."
        if deed in ("done", "open"):
            edit = ProposalSectionEdit(done=deed == "done")
            told = "Marked as done." if deed == "done" else "Section reopened."
        elif deed in ("up", "down"):
            edit, told = ProposalSectionEdit(move="up" if deed == "up" else "down"), "Moved."
        else:
            form = parse(NewProposalSection, fields)
            if form.value is None:
                there = await proposals.read(viewer, code)
                return await editor(request, viewer, there, key, section_form=form, refused=form.problem)
            edit = ProposalSectionEdit(**form.value.model_dump())
        await proposals.edit_section(viewer, code, key, edit)
        return redirect(base(code, section=key), flash=told)

    @pages.post(f"{_ONE}/sections/{{key}}/draft", Letters.PROPOSE)
    async def draft_section(request: Request, viewer: CurrentViewer, code: str, key: str) -> Response:
        """Write a first text from files, and from shared sources if that is ticked."""
        try:
            await service.proposal_drafting.start(viewer, code, key, shared=await _shared_too(request))
        except Conflict as problem:
            return redirect(base(code, section=key), flash=problem.detail, kind="warn")
        return redirect(base(code, section=key), flash="It is being written from your sources.", kind="info")

    @pages.post(f"{_ONE}/draft", Letters.PROPOSE)
    async def draft_all(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Write a first text of every section that has none."""
        try:
            await service.proposal_drafting.start(viewer, code, shared=await _shared_too(request))
        except Conflict as problem:
            return redirect(base(code), flash=problem.detail, kind="warn")
        return redirect(base(code), flash="The empty sections are being written from your sources.", kind="info")

    @pages.post(f"{_ONE}/steps/{{step}}/cancel", Letters.PROPOSE)
    async def cancel(viewer: CurrentViewer, code: str, step: StepName) -> Response:
        """Stop writing, reading the call, or making a file: nothing changes."""
        page = {"proposal": "", "requirements": "/checklist"}.get(step, "/finish")
        try:
            look = await service.steps.cancel(viewer, code, step)
        except Conflict as problem:
            return redirect(base(code) + page, flash=problem.detail, kind="info")
        told = "It stops in a moment. Nothing was changed." if look.is_open else "Cancelled. Nothing was changed."
        return redirect(base(code) + page, flash=told, kind="info")

    @pages.post(f"{_ONE}/sections", Letters.PROPOSE)
    async def add_section(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """A section at the end."""

        async def save(new: NewProposalSection) -> Response:
            return redirect(base(code, section=await proposals.add_section(viewer, code, new)), flash="Section added.")

        async def again(form: Parsed[NewProposalSection]) -> Response:
            return redirect(base(code), flash=" ".join(form.errors.values()) or "Give the section a title.", kind="bad")

        return await submitted(request, NewProposalSection, save, again)

    @pages.get(f"{_ONE}/sections/{{key}}/delete", Letters.PROPOSE)
    async def ask_remove_section(request: Request, viewer: CurrentViewer, code: str, key: str) -> Response:
        """Ask before a section goes."""
        section = (await proposals.read(viewer, code, write=True)).one(key)
        words = "1 word" if section.words == 1 else f"{section.words:,} words"
        lost = f"Its {words} stay in the history." if section.words else "It has no text."
        return confirm(
            request, f"Remove “{section.title}”?", lost, button="Remove the section", keep=base(code, section=key)
        )

    @pages.post(f"{_ONE}/sections/{{key}}/delete", Letters.PROPOSE)
    async def remove_section(viewer: CurrentViewer, code: str, key: str) -> Response:
        """Take it out."""
        await proposals.remove_section(viewer, code, key)
        return redirect(base(code), flash="Section removed. Its text is in the history.")

    # -- facts, status, files

    async def facts_page(request: Request, there: OpenProposal, form: Parsed[Any] | None = None) -> Response:
        return render(
            request,
            "newsletter/proposal_facts.html",
            proposal=there.proposal,
            form=form or _facts(there),
            languages=LANGUAGES,
            themes=THEMES,
            annexes=ANNEXES,
            offer=_offer(there),
        )

    @pages.get(f"{_ONE}/facts", Letters.PROPOSE)
    async def facts(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Title, funder, deadline, amount."""
        return await facts_page(request, await proposals.read(viewer, code, write=True))

    @pages.post(f"{_ONE}/facts", Letters.PROPOSE, keeps=ProposalFacts)
    async def save_facts(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Change them; if somebody else was faster, both versions are shown."""

        async def save(form: ProposalFacts) -> Response:
            await proposals.edit(viewer, code, form.edit)
            return redirect(base(code), flash="Saved.")

        async def again(form: Parsed[ProposalFacts]) -> Response:
            return await facts_page(request, await proposals.read(viewer, code, write=True), form)

        async def stored() -> Parsed[ProposalFacts]:
            return _facts(await proposals.read(viewer, code))

        return await edited(request, ProposalFacts, save, again, stored, fields=FACT_FIELDS, back=base(code))

    @pages.post(f"{_ONE}/offer", Letters.PROPOSE)
    async def take_offer(viewer: CurrentViewer, code: str) -> Response:
        """Take over what the call seems to tell."""
        await service.calls.take_offer(viewer, code)
        return redirect(base(code), flash="Details from the call added.")

    @pages.post(f"{_ONE}/status", Letters.PROPOSE)
    async def set_status(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Take it further."""
        async with request.form(max_fields=5) as sent:
            status = str(sent.get("status") or "")
        await proposals.set_status(viewer, code, status)
        return redirect(base(code), flash=f"Status changed to “{STATUSES.get(status, status)}”.")

    @pages.post(f"{_ONE}/files", Letters.PROPOSE, most_bytes=FILES_BODY)
    async def add_files(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Add files; each is added or refused by itself."""
        there = await proposals.read(viewer, code, write=True)
        sent = await service.sources.receive(request)
        kind = file_kind(sent.fields.get("kind") or "")
        section = sent.fields.get("section") or ""
        added, refused = await service.proposal_files.add_all(viewer, code, kind, sent)
        if not added and not refused:
            return redirect(base(code, section=section), flash="Choose a file.", kind="warn")
        if not refused:
            told = (
                f"“{added[0].title}” is being processed."
                if len(added) == 1
                else f"{len(added)} files are being processed."
            )
            call = next((each for each in added if kind is None and "call" in each.tags), None)
            if call is not None:
                told += f" “{call.title}” looks like the call, and is filed as that."
            return redirect(f"{base(code, section=section)}#files", flash=told)
        lines = [{"name": name, "why": problem.detail} for name, problem in refused]
        there = await proposals.read(viewer, code)
        return await editor(request, viewer, there, section, lines=lines, refused=refused[0][1])

    @pages.post(f"{_ONE}/files/remove", Letters.PROPOSE)
    async def remove_file(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Take a file away."""
        async with request.form(max_fields=5) as sent:
            name = str(sent.get("s3_key") or "")
        await service.proposal_files.remove(viewer, code, name)
        return redirect(f"{base(code)}#files", flash="File removed.")

    # -- the checklist

    @pages.get(f"{_ONE}/checklist", Letters.PROPOSE)
    async def checklist(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """What the call asks for, in its words, with pages."""
        there = await proposals.read(viewer, code)
        may_write = await service.access.may_write(viewer, there.proposal)
        return render(
            request,
            "newsletter/proposal_checklist.html",
            there=there,
            proposal=there.proposal,
            call=await service.calls.look(code),
            groups=GROUPS,
            form=Parsed(None),
            offer=_offer(there),
            has_call=bool(there.files.get("call")),
            may_write=may_write and there.editable,
        )

    @pages.post(f"{_ONE}/call", Letters.PROPOSE)
    async def read_call(viewer: CurrentViewer, code: str) -> Response:
        """Read the demands of the call."""
        try:
            await service.calls.start(viewer, code)
        except Conflict as problem:
            return redirect(f"{base(code)}/checklist", flash=problem.detail, kind="warn")
        return redirect(f"{base(code)}/checklist", flash="Extracting requirements from the call.", kind="info")

    @pages.post(f"{_ONE}/requirements", Letters.PROPOSE)
    async def add_requirement(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """A requirement of one's own."""

        async def save(new: NewRequirement) -> Response:
            await proposals.add_requirement(viewer, code, new)
            return redirect(f"{base(code)}/checklist", flash="Requirement added.")

        async def again(form: Parsed[NewRequirement]) -> Response:
            why = form.errors.get("text") or " ".join(form.errors.values())
            return redirect(f"{base(code)}/checklist", flash=f"Nothing was added. {why}", kind="bad")

        return await submitted(request, NewRequirement, save, again)

    @pages.post(f"{_ONE}/requirements/{{requirement}}", Letters.PROPOSE)
    async def edit_requirement(request: Request, viewer: CurrentViewer, code: str, requirement: str) -> Response:
        """Tick a requirement, tie it to a section, or take it off the list."""
        async with request.form(max_fields=10) as sent:
            fields = {name: value for name, value in sent.multi_items() if isinstance(value, str)}
        back = base(code, section=fields["back"]) if fields.get("back") else f"{base(code)}/checklist#{requirement}"
        if fields.get("deed") == "remove":
            await proposals.remove_requirement(viewer, code, requirement)
            return redirect(f"{base(code)}/checklist", flash="Requirement removed.")
        if fields.get("deed") in ("done", "open"):
            edit = RequirementEdit(done=fields["deed"] == "done")
        else:
            edit = RequirementEdit(section=fields.get("section", ""))
        await proposals.edit_requirement(viewer, code, requirement, edit)
        return redirect(back)

    # -- exports

    @pages.get(f"{_ONE}/finish", Letters.PROPOSE)
    async def finish(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """What to mend, and the files: Word first."""
        there = await proposals.read(viewer, code)
        looks = await service.steps.looks(code)
        cards = [
            (FORMATS[name], looks[f"export-{name}"], as_plain(there.proposal.exports).get(name))  # type: ignore[index]
            for name in PROPOSAL_FORMATS
        ]
        return render(
            request,
            "newsletter/proposal_finish.html",
            there=there,
            proposal=there.proposal,
            cards=cards,
            running=any(look.is_open for _, look, _ in cards),
            may_write=await service.access.may_write(viewer, there.proposal),
        )

    @pages.post(f"{_ONE}/finish/annex", Letters.PROPOSE)
    async def choose_annex(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Whether the files have the checklist of the call as an annex."""
        async with request.form(max_fields=5) as sent:
            annex: Annex = "yes" if sent.get("annex") == "yes" else "no"
        await proposals.edit(viewer, code, ProposalEdit(annex=annex))
        told = "The next file has the checklist as an annex." if annex == "yes" else "The next file has no annex."
        return redirect(f"{base(code)}/finish", flash=told)

    @pages.post(f"{_ONE}/finish/{{wanted}}/make", Letters.PROPOSE)
    async def make(viewer: CurrentViewer, code: str, wanted: ExportFormat) -> Response:
        """Make a file."""
        await service.proposal_exports.start(viewer, code, wanted)
        return redirect(f"{base(code)}/finish")

    @pages.get(f"{_ONE}/finish/{{wanted}}/download", Letters.PROPOSE)
    async def get_file(viewer: CurrentViewer, code: str, wanted: ExportFormat) -> Response:
        """The file."""
        return download(*await service.proposal_exports.file(viewer, code, wanted))

    # -- history

    @pages.get(f"{_ONE}/history", Letters.PROPOSE)
    async def history(request: Request, viewer: CurrentViewer, code: str, cursor: Cursor = None) -> Response:
        """The versions of its text."""
        there = await proposals.read(viewer, code)
        return render(
            request,
            "newsletter/proposal_history.html",
            proposal=there.proposal,
            page=await proposals.history(viewer, code, cursor=cursor),
            first=cursor is None,
            may_write=there.editable and await service.access.may_write(viewer, there.proposal),
        )

    @pages.get(f"{_ONE}/history/{{revision}}", Letters.PROPOSE)
    async def version(request: Request, viewer: CurrentViewer, code: str, revision: int) -> Response:
        """A version, beside what is there now."""
        there = await proposals.read(viewer, code)
        old = await proposals.version(viewer, code, revision)
        titles = {each.key: each.title for each in there.sections}
        texts = {each.key: each.text for each in there.sections if each.text}
        before = {key: str(text) for key, text in old.sections.items() if text}
        compared = [each for each in differences(before, texts) if each.kind != "same"]
        return render(
            request,
            "newsletter/proposal_version.html",
            proposal=there.proposal,
            version=old,
            compared=compared,
            titles=titles,
            may_write=there.editable and await service.access.may_write(viewer, there.proposal),
        )

    @pages.post(f"{_ONE}/history/{{revision}}/restore", Letters.PROPOSE)
    async def restore(viewer: CurrentViewer, code: str, revision: int) -> Response:
        """Make the text what it was."""
        await proposals.restore(viewer, code, revision)
        return redirect(base(code), flash="Version restored. The previous text is in the history.")

    # -- deleting

    @pages.get(f"{_ONE}/delete", Letters.PROPOSE)
    async def ask_delete(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Ask before it goes."""
        there = await proposals.deletable(viewer, code)
        files = sum(map(len, there.files.values()))
        told = "1 file" if files == 1 else f"{files} files"
        return confirm(
            request,
            f"Delete “{there.proposal.title}”?",
            f"Its {there.words:,} words, versions, {told} and exports are deleted.",
            button="Delete proposal",
            keep=base(code),
        )

    @pages.post(f"{_ONE}/delete", Letters.PROPOSE)
    async def delete(viewer: CurrentViewer, code: str) -> Response:
        """Delete it."""
        await service.proposal_removals.delete(viewer, code)
        return redirect("/newsletter/proposals", flash="The proposal was deleted.")


async def _shared_too(request: Request) -> bool:
    """Whether “Also use shared sources” is ticked."""
    async with request.form(max_fields=5) as sent:
        return sent.get("shared") == "yes"


def _days(deadline: str | None, today: date) -> int | None:
    """How many days there are until a deadline; fewer than none if it is over."""
    return None if deadline is None else (date.fromisoformat(deadline) - today).days


def _offer(there: OpenProposal) -> dict[str, Any]:
    """What the call seems to tell and the facts do not have."""
    offer = there.metadata.get("offer")
    offered = dict(offer) if isinstance(offer, Mapping) else {}
    return {name: value for name, value in offered.items() if value and not there.metadata.get(name)}


def _facts(there: OpenProposal) -> Parsed[ProposalFacts]:
    return filled(ProposalFacts, _Flat(there.proposal, there.metadata))


def _finished(there: OpenProposal, writing: Look) -> list[tuple[str, str]]:
    """The titles and texts of the sections that a run has written so far."""
    texts = writing.run.partial.get("texts", {}) if writing.run is not None and writing.is_open else {}
    return [(each.title, str(texts[each.key])) for each in there.sections if texts.get(each.key)]


class _Flat:
    """A proposal with its metadata as attributes, for a form."""

    def __init__(self, proposal: Proposal, metadata: Mapping[str, Any]) -> None:
        own = {"title": proposal.title, "description": proposal.description, "revision": proposal.revision}
        known = {name: value for name, value in metadata.items() if name in ProposalFacts.model_fields}
        self.__dict__.update({**known, **own})


async def cited_or_none(
    service: NewsletterService, viewer: Viewer, code: str, number: int | None
) -> CitedPassage | None:
    """What a number leads to; nothing if it leads nowhere."""
    try:
        return await service.proposal_citations.one(viewer, code, number) if number else None
    except NotFound:
        return None


def editor_html(there: OpenProposal, key: str, text: str) -> Markup:
    """The text of a section in the editor: its citations open beside it."""
    code = there.proposal.proposal_code
    return section_html(there, text, lambda number: f"{base(code, section=key, cite=number)}#passage")


def section_html(there: OpenProposal, text: str, cite: Callable[[int], str], prefix: str = "p-") -> Markup:
    """The text of a section as it will look; `cite` is the address that a number leads to, `prefix` tells its ids from
    those of others."""
    language = str(there.metadata.get("language") or "en")
    sources = tuple(source_of(each) for each in as_plain(there.proposal.citations))
    edition = Edition(Document(title=there.proposal.title, sources=sources, language=language))

    def leads(found: re.Match[str]) -> str:
        return f'href="{Markup.escape(cite(int(found[1])))}" data-cite="{found[1]}"'

    markup = text_html(read_blocks(text, language), edition, prefix=prefix)
    return Markup(re.sub(rf'href="#{re.escape(prefix)}source-(\d+)"', leads, markup))
