"""Kelifax's pages: the directory for everybody, and the desk of the moderators."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.datastructures import FormData
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name, split_features, split_learning, split_tags
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Category, Resource, Status
from partita.apps.kelifax.service import CATEGORIES, KelifaxService
from partita.apps.kelifax.submission import Edit
from partita.apps.kelifax.visits import Visits
from partita.apps.kelifax.wizard import Wizard, with_one_more, wizard
from partita.kit.answers import Cursor, address_of
from partita.kit.forms import Parsed, filled, parse
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import Problem
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20
_OPTIONS = [(category, category_name(category)) for category in CATEGORIES]


class ReportForm(BaseModel):
    """What somebody finds wrong."""

    reason: str = ""


def routes(service: KelifaxService, visits: Visits) -> Routes:
    """The pages."""
    pages = Routes("/kelifax", tag="kelifax", pages=True)

    def shown(resource: Resource) -> dict[str, Any]:
        return {
            "resource": resource,
            "tags": split_tags(resource.tags),
            "features": split_features(resource.key_features),
            "use_cases": split_features(resource.use_cases),
            "learning": split_learning(resource.learning_resources),
            "logo": service.logo_url(resource),
        }

    # -- for everybody

    @pages.get("", Access.PUBLIC)
    async def home(request: Request) -> Response:
        """Featured, categories, newest."""
        featured, categories = await service.featured(), await service.categories()
        newest = tuple(each.resource for each in (await service.browse(limit=6)).found)
        return render(
            request,
            "kelifax/home.html",
            same=(featured, tuple(categories.items()), newest),
            featured=featured,
            categories=categories,
            newest=newest,
            logo_url=service.logo_url,
            split_tags=split_tags,
        )

    @pages.get("/resources", Access.PUBLIC)
    async def browse(
        request: Request,
        category: Annotated[str, Query(max_length=30)] = "",
        tag: Annotated[str, Query(max_length=30)] = "",
        q: Annotated[str, Query(max_length=200)] = "",
        sort: Annotated[str, Query(max_length=20)] = "newest",
        cursor: Cursor = None,
    ) -> Response:
        """The directory, narrowed down; what makes no sense is left out rather than refused."""
        chosen: Category | None = category if category in CATEGORIES else None
        order: Literal["newest", "popular"] = "popular" if sort == "popular" and not tag and not q.strip() else "newest"
        listing = await service.browse(category=chosen, tag=tag or None, text=q, sort=order, limit=_PAGE, cursor=cursor)
        resources = tuple(each.resource for each in listing.found)
        counts = await service.categories()
        total = listing.total
        if total is None and not tag:
            total = sum(counts.values()) if chosen is None else counts[chosen]
        return render(
            request,
            "kelifax/browse.html",
            same=None if q else (resources, listing.next_cursor, tuple(counts.values()), total),
            listing=listing,
            total=total,
            counts=counts,
            browsing={"category": chosen or "", "tag": tag, "q": q, "sort": order},
            logo_url=service.logo_url,
            split_tags=split_tags,
        )

    @pages.get("/resources/{slug}", Access.PUBLIC)
    async def detail(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        """One resource; a visitor's look at it is counted in a moment."""
        resource = await service.detail(slug)
        related = await service.related(resource)
        page = render(
            request,
            "kelifax/detail.html",
            same=(resource, related),
            **shown(resource),
            related=related,
            form=Parsed(None, {}, {}),
            logo_url=service.logo_url,
            split_tags=split_tags,
        )
        if not viewer.may(Kelifax.READ_MODERATION) and request.method == "GET":
            visits.seen(slug)
        return page

    @pages.post("/resources/{slug}/reports", Access.PUBLIC)
    async def report(request: Request, slug: str) -> Response:
        async with request.form() as sent:
            form = parse(ReportForm, sent)
        reason = form.value.reason if form.value is not None else ""
        try:
            await service.report(slug, reason, address_of(request))
        except Problem as problem:
            if not problem.errors:
                raise
            resource = await service.detail(slug)
            return render(
                request,
                "kelifax/detail.html",
                status=problem.status,
                **shown(resource),
                related=await service.related(resource),
                form=form.refused(problem),
                logo_url=service.logo_url,
                split_tags=split_tags,
            )
        return redirect(f"/kelifax/resources/{slug}", flash="Thank you. A moderator will look at it.")

    # -- submitting

    @pages.get("/submit", Access.PUBLIC)
    async def submit_form(request: Request) -> Response:
        return _wizard(request, Wizard(1, Parsed(None, {}, {})))

    @pages.post("/submit", Access.PUBLIC, most_bytes=1_500_000)
    async def submit(request: Request) -> Response:
        """One of three steps; what was typed in the others travels along."""
        async with request.form(max_fields=200, max_files=1) as sent:
            logo = await _logo(service, sent, request)
            step = wizard(sent, logo)
        if step.ready is None:
            return _wizard(request, step)
        try:
            resource = await service.submit(step.ready, address_of(request))
        except Problem as problem:
            if not problem.errors:
                raise
            return _wizard(request, step.refused(problem), problem.status)
        return redirect(
            f"/kelifax/submissions/{resource.submission_id}",
            flash="Thank you. Keep the address of this page: it shows how far the review is.",
        )

    @pages.get("/submissions/{submission_id}", Access.PUBLIC)
    async def submission_status(request: Request, submission_id: str) -> Response:
        """The submitter's private link."""
        resource = await service.submission_status(submission_id)
        return render(
            request,
            "kelifax/submission.html",
            headers={"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"},
            resource=resource,
        )

    # -- moderation

    @pages.get("/moderation", Kelifax.READ_MODERATION)
    async def queue(
        request: Request, status: Annotated[str, Query(max_length=20)] = "pending", cursor: Cursor = None
    ) -> Response:
        chosen: Status = status if status in get_args(Status) else "pending"  # type: ignore[assignment]
        page = await service.queue(chosen, limit=_PAGE, cursor=cursor)
        reports = await service.open_reports(limit=_PAGE)
        told = await service.analytics()
        return render(
            request,
            "kelifax/queue.html",
            page=page,
            chosen=chosen,
            counts=told.statuses,
            reports=reports,
            logo_url=service.logo_url,
        )

    @pages.get("/moderation/log", Kelifax.READ_LOG)
    async def log(request: Request, cursor: Cursor = None) -> Response:
        return render(request, "kelifax/log.html", page=await service.log(limit=50, cursor=cursor))

    @pages.post("/moderation/reports/{slug}/{entry_id}/close", Kelifax.APPROVE)
    async def close_report(viewer: CurrentViewer, slug: str, entry_id: str) -> Response:
        await service.close_report(viewer, slug, entry_id)
        return redirect("/kelifax/moderation", flash="The report is closed.")

    @pages.get("/moderation/{slug}", Kelifax.READ_MODERATION)
    async def inspect(request: Request, slug: str) -> Response:
        return await _inspected(request, slug, Parsed(None, {}, {}))

    async def _inspected(request: Request, slug: str, form: Parsed[Any], status: int = 200) -> Response:
        resource = await service.inspect(slug)
        return render(request, "kelifax/inspect.html", status=status, **shown(resource), form=form)

    @pages.post("/moderation/{slug}/approve", Kelifax.APPROVE)
    async def approve(viewer: CurrentViewer, slug: str) -> Response:
        resource = await service.approve(viewer, slug)
        return redirect(f"/kelifax/moderation/{slug}", flash=f"{resource.resource_name} is public now.")

    @pages.post("/moderation/{slug}/reject", Kelifax.APPROVE)
    async def reject(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        async with request.form() as sent:
            form = parse(ReportForm, sent)
        try:
            reason = form.value.reason if form.value is not None else ""
            resource = await service.reject(viewer, slug, reason)
        except Problem as problem:
            if not problem.errors:
                raise
            return await _inspected(request, slug, form.refused(problem), problem.status)
        return redirect(f"/kelifax/moderation/{slug}", flash=f"{resource.resource_name} is rejected.", kind="info")

    @pages.post("/moderation/{slug}/feature", Kelifax.APPROVE)
    async def feature(viewer: CurrentViewer, slug: str) -> Response:
        await service.feature(viewer, slug, featured=True)
        return redirect(f"/kelifax/moderation/{slug}", flash="It stands in front now.")

    @pages.post("/moderation/{slug}/unfeature", Kelifax.APPROVE)
    async def unfeature(viewer: CurrentViewer, slug: str) -> Response:
        await service.feature(viewer, slug, featured=False)
        return redirect(f"/kelifax/moderation/{slug}", flash="It stands among the others again.", kind="info")

    @pages.get("/moderation/{slug}/edit", Kelifax.EDIT)
    async def edit_form(request: Request, slug: str) -> Response:
        resource = await service.inspect(slug)
        return render(
            request,
            "kelifax/edit.html",
            resource=resource,
            options=_OPTIONS,
            form=filled(_editable(resource), separated={"tags"}),
        )

    @pages.post("/moderation/{slug}/edit", Kelifax.EDIT)
    async def edit(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        async with request.form(max_fields=200) as sent:
            form = parse(Edit, sent, separated={"tags"}, lines={"keyFeatures", "useCases"})
            more = str(sent.get("more", ""))
        resource = await service.inspect(slug)
        if more:
            return render(
                request, "kelifax/edit.html", resource=resource, options=_OPTIONS, form=with_one_more(form, more)
            )
        if form.value is not None:
            try:
                await service.edit(viewer, slug, form.value)
                return redirect(f"/kelifax/moderation/{slug}", flash="The changes are saved.")
            except Problem as problem:
                if not problem.errors:
                    raise
                form = form.refused(problem)
        return render(request, "kelifax/edit.html", status=422, resource=resource, options=_OPTIONS, form=form)

    @pages.get("/moderation/{slug}/delete", Kelifax.DELETE)
    async def delete_form(request: Request, slug: str) -> Response:
        return render(request, "kelifax/delete.html", resource=await service.inspect(slug))

    @pages.post("/moderation/{slug}/delete", Kelifax.DELETE)
    async def delete(viewer: CurrentViewer, slug: str) -> Response:
        await service.delete(viewer, slug)
        return redirect("/kelifax/moderation", flash="The resource is deleted.", kind="info")

    @pages.get("/analytics", Kelifax.READ_ANALYTICS)
    async def analytics(request: Request) -> Response:
        told = await service.analytics()
        views = [(resource.resource_name, resource.view_count) for resource in told.popular]
        return render(request, "kelifax/analytics.html", told=told, views=views)

    return pages


async def _logo(service: KelifaxService, sent: FormData, request: Request) -> str | Problem | None:
    """The name of the logo that came with the form, or why it cannot be taken."""
    upload = sent.get("logo")
    if upload is None or isinstance(upload, str) or not upload.size:
        return None
    try:
        return await service.upload_logo(await upload.read(), address_of(request))
    except Problem as problem:
        return problem


def _wizard(request: Request, step: Wizard, status: int = 200) -> Response:
    shown = 422 if step.form.errors and status == 200 else status
    return render(request, "kelifax/submit.html", status=shown, step=step, form=step.form, options=_OPTIONS)


def _editable(resource: Resource) -> Edit:
    return Edit.model_construct(
        resource_name=resource.resource_name,
        resource_url=resource.resource_url,
        usage_purpose=resource.usage_purpose,
        category=resource.category,
        tags=list(split_tags(resource.tags)),
        key_features=list(split_features(resource.key_features)),
        use_cases=list(split_features(resource.use_cases)),
        learning_resources=[each.model_dump() for each in split_learning(resource.learning_resources)],
    )
