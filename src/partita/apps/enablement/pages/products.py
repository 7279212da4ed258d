"""Products: suites in order with colour, concepts and days; audiences and stages."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from partita.apps.enablement.formats import folded
from partita.apps.enablement.inputs import Labels, ProductsInput, SuiteInput
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import MOST_SUITES, Products, Suite
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.products import MOST_COUNTED
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.inputs import SNAKE_CASE, Input
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError, Invalid, NotFound
from partita.kit.routes import CurrentViewer, Routes

_PATH = "/enablement/products"
COLOURS = (
    *("Red", "Orange", "Amber", "Olive", "Green", "Teal", "Cyan"),
    *("Blue", "Indigo", "Violet", "Pink", "Grey"),
)
"""The names of the twelve colours, in order."""
Revision = Annotated[int, Field(ge=0)]
Name = Annotated[str, Query(max_length=200)]


class SuiteForm(SuiteInput):
    """A suite, and the revision of the list that it was opened in."""

    revision: Revision


class WordsForm(Input):
    """The words for audiences and stages."""

    model_config = SNAKE_CASE

    audiences: Labels = ()
    stages: Labels = ()
    revision: Revision


class SuiteMove(Input):
    """One place up or down."""

    model_config = SNAKE_CASE

    name: str
    to: Literal["up", "down"]
    revision: Revision


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    products = service.products

    async def list_page(request: Request, form: Parsed[WordsForm] | None = None) -> Response:
        current = await products.get()
        return render(
            request,
            "enablement/products.html",
            products=current,
            counts=await products.counts(current.suites),
            most=MOST_COUNTED,
            colours=COLOURS,
            form=form or filled(WordsForm, current, separated=("audiences", "stages")),
        )

    @pages.get("/products", Enablement.MANAGE)
    async def listing(request: Request) -> Response:
        """The list."""
        return await list_page(request)

    @pages.post("/products", Enablement.MANAGE, keeps=WordsForm)
    async def words(request: Request, viewer: CurrentViewer) -> Response:
        """Save audiences and stages."""

        async def save(form: WordsForm) -> Response:
            current = await products.get()
            new = _input(current, current.suites, form.revision)
            await products.save(viewer, new.model_copy(update={"audiences": form.audiences, "stages": form.stages}))
            return redirect(_PATH, flash="Audiences and stages saved.")

        async def again(form: Parsed[WordsForm]) -> Response:
            return await list_page(request, form)

        return await submitted(request, WordsForm, save, again, separated=("audiences", "stages"))

    @pages.post("/products/move", Enablement.MANAGE)
    async def move(request: Request, viewer: CurrentViewer) -> Response:
        """Change the order."""

        async def save(given: SuiteMove) -> Response:
            current = await products.get()
            place = _place(current, given.name)
            suites = list(current.suites)
            moved = suites.pop(place)
            suites.insert(max(place + (-1 if given.to == "up" else 1), 0), moved)
            await products.save(viewer, _input(current, suites, given.revision))
            return redirect(_PATH, flash="Moved.")

        async def again(form: Parsed[SuiteMove]) -> Response:
            assert form.problem is not None
            raise form.problem

        return await submitted(request, SuiteMove, save, again)

    async def suite_page(request: Request, suite: Suite | None, form: Parsed[SuiteForm] | None = None) -> Response:
        current = await products.get()
        if form is None:
            source = suite or Suite(name="", colour=len(current.suites) % 12 + 1)
            form = filled(SuiteForm, source, separated=("concepts",))
            form.values["revision"] = str(current.revision)
        return render(
            request,
            "enablement/suite.html",
            suite=suite,
            form=form,
            colours=[(str(number), name) for number, name in enumerate(COLOURS, 1)],
            address=f"{_PATH}/suite?{urlencode({'name': suite.name})}" if suite else f"{_PATH}/new",
        )

    @pages.get("/products/new", Enablement.MANAGE)
    async def new_form(request: Request) -> Response:
        """A new suite."""
        return await suite_page(request, None)

    @pages.post("/products/new", Enablement.MANAGE, keeps=SuiteForm)
    async def new(request: Request, viewer: CurrentViewer) -> Response:
        return await save_suite(request, viewer, None)

    @pages.get("/products/suite", Enablement.MANAGE)
    async def suite_form(request: Request, name: Name) -> Response:
        """A suite."""
        current = await products.get()
        return await suite_page(request, current.suites[_place(current, name)])

    @pages.post("/products/suite", Enablement.MANAGE, keeps=SuiteForm)
    async def suite(request: Request, viewer: CurrentViewer, name: Name) -> Response:
        return await save_suite(request, viewer, name)

    async def save_suite(request: Request, viewer: Viewer, name: str | None) -> Response:
        async def save(form: SuiteForm) -> Response:
            current = await products.get()
            suites = list(current.suites)
            changed = Suite(**form.model_dump(exclude={"revision"}))
            if name is None:
                suites.append(changed)
            else:
                suites[_place(current, name)] = changed
            _check(suites)
            await products.save(viewer, _input(current, suites, form.revision))
            return redirect(_PATH, flash=f"“{changed.name}” saved.")

        async def again(form: Parsed[SuiteForm]) -> Response:
            current = await products.get()
            # What content uses is about the list; here it concerns the form as a whole.
            errors = {"" if field == "suites" else field: message for field, message in form.errors.items()}
            form = replace(form, errors=errors)
            return await suite_page(request, None if name is None else current.suites[_place(current, name)], form)

        return await submitted(request, SuiteForm, save, again, separated=("concepts",))

    @pages.get("/products/delete", Enablement.MANAGE)
    async def delete_page(request: Request, name: Name) -> Response:
        """Ask before a suite goes."""
        suite = (current := await products.get()).suites[_place(current, name)]
        return confirm(
            request,
            f"Delete the product “{suite.name}”?",
            "Its concepts, colour and days are lost. If content uses it, it cannot go.",
            button="Delete product",
            keep=_PATH,
        )

    @pages.post("/products/delete", Enablement.MANAGE)
    async def delete(viewer: CurrentViewer, name: Name) -> Response:
        """Delete a suite that nothing uses."""
        current = await products.get()
        _place(current, name)
        suites = [each for each in current.suites if each.name != name]
        await products.save(viewer, _input(current, suites, current.revision))
        return redirect(_PATH, flash=f"“{name}” deleted.", kind="info")


def _place(products: Products, name: str) -> int:
    for place, suite in enumerate(products.suites):
        if suite.name == name:
            return place
    raise NotFound("There is no such product.")


def _check(suites: list[Suite]) -> None:
    names = [folded(each.name) for each in suites]
    if len(set(names)) != len(names):
        raise Invalid(FieldError("name", "There is a product with this name already."))
    if len(suites) > MOST_SUITES:
        raise Invalid(FieldError("name", f"There can be {MOST_SUITES} products at most."))


def _input(products: Products, suites: list[Suite] | tuple[Suite, ...], revision: int) -> ProductsInput:
    return ProductsInput.model_validate(
        {
            "suites": [each.model_dump() for each in suites],
            "audiences": products.audiences,
            "stages": products.stages,
            "revision": revision,
        }
    )
