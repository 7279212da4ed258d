"""A moderator changes what is said about a resource."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.kelifax.formats import split_features, split_learning, split_tags
from partita.apps.kelifax.pages.shown import OPTIONS
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Decision, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.submission import Details, Edit, Learning, ResourceFields
from partita.apps.kelifax.wizard import with_one_more
from partita.kit.forms import Parsed, filled, parse
from partita.kit.pages import redirect, render
from partita.kit.problems import NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes

_SEPARATED = {"tags"}


class EditForm(ResourceFields, Details):
    """A resource as its form shows it: whole, so that what is empty was emptied."""

    revision: int | None = None

    def edit(self) -> Edit:
        """What it asks for."""
        said = self.model_dump(by_alias=True, exclude={"logo_image"})
        return Edit.model_validate(said)


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    def page(
        request: Request,
        resource: Resource,
        form: Parsed[EditForm],
        *,
        status: int = 200,
        refused: Problem | None = None,
        since: tuple[Decision, ...] = (),
    ) -> Response:
        return render(
            request,
            "kelifax/edit.html",
            status=status,
            refused=refused,
            resource=resource,
            options=OPTIONS,
            form=form,
            since=since,
            changed=refused is not None and refused.code == "changed_meanwhile",
        )

    async def changed(request: Request, slug: str, form: Parsed[EditForm], problem: Problem) -> Response:
        """What was typed, and that it was somebody else's turn; whoever sends it again knows of it."""
        resource = await service.inspect(slug)
        values = {**form.values, "revision": resource.revision}
        since = await service.history_of(slug, 1)
        return page(request, resource, Parsed(None, values), refused=problem, since=since)

    @pages.get("/moderation/{slug}/edit", Kelifax.EDIT)
    async def edit_form(request: Request, slug: str) -> Response:
        resource = await service.inspect(slug)
        return page(request, resource, filled(_editable(resource), separated=_SEPARATED))

    @pages.post("/moderation/{slug}/edit", Kelifax.EDIT)
    async def edit(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        async with request.form(max_fields=200) as sent:
            form = parse(EditForm, sent, separated=_SEPARATED, lines={"keyFeatures", "useCases"})
            more = str(sent.get("more", ""))
        resource = await service.inspect(slug)
        if more:
            return page(request, resource, with_one_more(form, more))
        if form.value is None:
            return page(request, resource, form, status=422)
        try:
            await service.edit(viewer, slug, form.value.edit())
        except NotFound:
            raise
        except Problem as problem:
            if problem.code == "changed_meanwhile":
                return await changed(request, slug, form, problem)
            return page(request, resource, form.refused(problem), refused=problem)
        return redirect(f"/kelifax/moderation/{slug}", flash="The changes are saved.")


def _editable(resource: Resource) -> EditForm:
    return EditForm.model_construct(
        resource_name=resource.resource_name,
        resource_url=resource.resource_url,
        usage_purpose=resource.usage_purpose,
        category=resource.category,
        tags=list(split_tags(resource.tags)),
        key_features=list(split_features(resource.key_features)),
        use_cases=list(split_features(resource.use_cases)),
        learning_resources=[
            Learning.model_construct(title=each.title, url=each.url, type=each.type)
            for each in split_learning(resource.learning_resources)
        ],
        revision=resource.revision,
    )
