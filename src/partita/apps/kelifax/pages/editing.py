"""A moderator changes what is said about a resource."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.kelifax.formats import split_features, split_learning, split_tags
from partita.apps.kelifax.pages.shown import OPTIONS
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.submission import Edit
from partita.apps.kelifax.wizard import with_one_more
from partita.kit.forms import filled, parse
from partita.kit.pages import redirect, render
from partita.kit.problems import Problem
from partita.kit.routes import CurrentViewer, Routes


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/moderation/{slug}/edit", Kelifax.EDIT)
    async def edit_form(request: Request, slug: str) -> Response:
        resource = await service.inspect(slug)
        return render(
            request,
            "kelifax/edit.html",
            resource=resource,
            options=OPTIONS,
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
                request, "kelifax/edit.html", resource=resource, options=OPTIONS, form=with_one_more(form, more)
            )
        if form.value is not None:
            try:
                await service.edit(viewer, slug, form.value)
                return redirect(f"/kelifax/moderation/{slug}", flash="The changes are saved.")
            except Problem as problem:
                if not problem.errors:
                    raise
                form = form.refused(problem)
        return render(request, "kelifax/edit.html", status=422, resource=resource, options=OPTIONS, form=form)


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
