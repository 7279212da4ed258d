"""The editor: writing a draft, changing what is released, and sending it to the approvers."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from partita.apps.enablement.inputs import Attachment, EditForm, EditorForm, Submission
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import FILE_FIELDS, Content, ContentFields, Proposal
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.bookkeeping import Write
from partita.apps.enablement.service.checks import check_complete
from partita.apps.enablement.service.content import ContentExists
from partita.apps.enablement.service.products import unknown_product
from partita.apps.enablement.service.shown import colour_in
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.history import Field, Fields
from partita.kit.markdown import html_of
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import BadRequest, FieldError, Invalid
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

_SEPARATED = ("tags",)
_POLICIES = {"soft_expire": "Keep it readable", "hard_expire": "Close it to readers"}
FIELDS = Fields(
    Field("title", "Title", "title"),
    Field("text", "Text", "text"),
    Field("summary", "Summary", "summary"),
    Field("product_suite", "Product", "product_suite"),
    Field("product_concept", "Concept", "product_concept"),
    Field("tags", "Tags", "tags"),
    Field("audience_role", "Audience", "audience_role"),
    Field("lifecycle_stage", "Stage", "lifecycle_stage"),
    Field("effective_date", "Show from", "effective_date"),
    Field("review_due_date", "Check again on", "review_due_date"),
    Field("review_every_days", "Check again every", "review_every_days"),
    Field("expiry_date", "Last valid day", "expiry_date"),
    Field("expiry_policy", "Afterwards", "expiry_policy", choices=_POLICIES),
)


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    async def page(
        request: Request, form: Parsed[EditorForm], content_id: str, content: Content | None = None, **more: Any
    ) -> Response:
        products = await service.showing.products()
        return render(
            request,
            "enablement/edit.html",
            form=form,
            content_id=content_id,
            content=content,
            colour=colour_in(products, more["fields"].product_suite) if "fields" in more else None,
            products=products,
            request_for_changes=await service.history.request_for_changes(content, more.get("proposal")),
            concepts=sorted({concept for suite in products.suites for concept in suite.concepts}),
            policies=list(_POLICIES.items()),
            **{"fields": None, "proposal": None, **more},
        )

    @pages.get("/new", Enablement.WRITE)
    async def new_form(request: Request) -> Response:
        title = request.query_params.get("title", "")[:300]
        return await page(request, Parsed(None, {"title": title}), service.content.new_id())

    @pages.post("/new", Enablement.WRITE, keeps=EditorForm)
    async def create(request: Request, viewer: CurrentViewer) -> Response:
        """Save a draft, and submit it if that is wanted. Its id is in the form, so that sending it twice makes one."""
        content_id = str((await request.form()).get("content_id", ""))[:40]

        async def save(form: EditorForm) -> Response:
            await check_product(form.product_suite, None)
            file, writes = await claimed(viewer, content_id, form)
            if form.go == "submit":
                complete(form, 0, bool(file))
            try:
                content = await service.content.create_as(viewer, form.new, content_id, file=file, writes=writes)
            except ContentExists:
                content = (await service.content.for_editor(viewer, content_id))[0]
                return redirect(f"/enablement/content/{content.content_id}/edit")
            return await after(viewer, content, form)

        async def again(form: Parsed[EditorForm]) -> Response:
            return await page(request, form, content_id or service.content.new_id())

        return await submitted(request, EditorForm, save, again, separated=_SEPARATED)

    @pages.get("/content/{content_id}/edit", Enablement.WRITE)
    async def edit_form(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        content, proposal, fields = await service.content.for_editor(viewer, content_id)
        form = await opened(content, proposal, fields)
        return await page(request, form, content_id, content, fields=fields, proposal=proposal)

    @pages.post("/content/{content_id}/edit", Enablement.WRITE, keeps=EditorForm)
    async def edit(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        content, proposal, fields = await service.content.for_editor(viewer, content_id)

        async def save(form: EditorForm) -> Response:
            await check_product(form.product_suite, fields.product_suite)
            file, writes = await claimed(viewer, content_id, form)
            if form.go == "submit":
                complete(form, content.major, bool(file.get("s3_key") if "s3_key" in file else fields.s3_key))
            try:
                saved = await service.content.edit(viewer, content_id, form.edit, file=file, writes=writes)
            except BadRequest as refused:
                if refused.code != "nothing_to_change":
                    raise
                saved = content if proposal is None else proposal
            return await after(viewer, saved, form)

        async def again(form: Parsed[EditorForm]) -> Response:
            return await page(request, form, content_id, content, fields=fields, proposal=proposal)

        async def stored() -> Parsed[EditorForm]:
            return await opened(*await service.content.for_editor(viewer, content_id))

        back = f"/enablement/content/{content_id}"
        return await edited(request, EditorForm, save, again, stored, fields=FIELDS, back=back, separated=_SEPARATED)

    @pages.post("/preview", Enablement.WRITE)
    async def preview(request: Request) -> Response:
        """The text as readers will see it; a part of the editor."""
        text = str((await request.form()).get("text", ""))[:200_000]
        return HTMLResponse(html_of(text) or '<p class="muted">Nothing is written yet.</p>')

    async def opened(content: Content, proposal: Proposal | None, fields: ContentFields) -> Parsed[EditorForm]:
        """The form with what is stored."""
        version = content.version if proposal is None else proposal.version
        source = EditForm.of(fields, await service.content.text(fields) or None, version)
        note = (content if proposal is None else proposal).change_note or ""
        form = filled(EditorForm, source, separated=_SEPARATED)
        return Parsed(None, {**form.values, **({"note": note} if note and content.major else {})})

    async def check_product(suite: str | None, before: str | None) -> None:
        """Refuse a product that is not in the list; content of another program keeps the one that it has."""
        if suite != before and (unknown := unknown_product(await service.showing.products(), suite)):
            raise Invalid(FieldError("product_suite", unknown))

    async def claimed(viewer: Viewer, content_id: str, form: EditorForm) -> tuple[Mapping[str, Any], tuple[Write, ...]]:
        """The fields of the file that comes with a form, and the writes that claim it."""
        if form.upload_id is not None:
            attachment = Attachment(upload_id=form.upload_id, file_name=form.file_name)
            return await service.attachments.claim(viewer, content_id, attachment)
        return (dict.fromkeys(FILE_FIELDS) if form.remove_file else {}), ()

    async def after(viewer: Viewer, saved: Content | Proposal, form: EditorForm) -> Response:
        content_id = saved.of_content if isinstance(saved, Proposal) else saved.content_id
        path = f"/enablement/content/{content_id}"
        if form.go != "submit":
            return redirect(f"{path}/edit", flash="Saved. Only you and the approvers see it.")
        submission = Submission(note=form.note, version=saved.version)
        await service.lifecycle.submit(viewer, content_id, submission)
        return redirect(path, flash="Submitted. You will hear when somebody has decided.")


def complete(form: EditorForm, major: int, has_file: bool) -> None:
    """Refuse to submit what is not complete, before anything is saved: what was typed is still in the form."""
    source = SimpleNamespace(title=form.title, summary=form.summary, s3_uri=form.text, s3_key=has_file or None)
    check_complete(source, form.note, major)
