"""Completing a field of tags while one is typed; `macros/tags.html` has the field."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.kit.pages import render
from partita.kit.problems import FieldError, Invalid
from partita.kit.search import FacetValue

MOST_TYPED = 900
Field = Annotated[str, Query(max_length=80, description="The parameter that holds what was typed.")]


async def completed(
    request: Request,
    field: str,
    complete: Callable[[str], Awaitable[Sequence[FacetValue]]],
    spelled: Callable[[str], str | None],
) -> Response:
    """Options for the field of this name: what was typed, with its last tag completed by those that begin so and are
    not there yet; `spelled` is a tag as it is stored."""
    typed = request.query_params.get(field, "")
    if len(typed) > MOST_TYPED:
        raise Invalid(FieldError(field, f"At most {MOST_TYPED} characters."))
    before, _, last = typed.rpartition(",")
    there = {spelled(each) for each in before.split(",")}
    kept = typed[: len(typed) - len(last.lstrip())]  # a browser offers only what begins exactly as it was typed
    found = [each for each in await complete(last.strip()) if each.value not in there]
    return render(request, "tag_options.html", values=[replace(each, value=kept + each.value) for each in found])
