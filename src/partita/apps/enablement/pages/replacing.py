"""What replaces something that is retired: named by its title, as people know it, or by the address of its page."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.library import Wanted
from partita.kit.pages import render
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError, Invalid
from partita.kit.routes import CurrentViewer, Routes

_PAGE = "/enablement/content/"
_END = re.compile("[/?#]")
"""Of an id in an address."""
_LONGEST_ID = 200
_SUGGESTED = 8
_LOOKED_AT = 20
"""Among so many matches is the one that is called exactly so: a title weighs most in the search."""


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @pages.get("/replacements/complete", Enablement.APPROVE)
    async def complete(
        request: Request, viewer: CurrentViewer, superseded_by: Annotated[str, Query(max_length=300)] = ""
    ) -> Response:
        """Options for the field, while a title is typed."""
        found = await _matches(service, viewer, superseded_by, _SUGGESTED) if superseded_by.strip() else ()
        return render(request, "enablement/content_options.html", found=await service.showing.each(found))


async def replacement(service: EnablementService, viewer: Viewer, content_id: str, named: str | None) -> str | None:
    """The id of what somebody named: a title, the address of a page, or an id. What is not there the life cycle
    refuses."""
    if not named:
        return None
    if _PAGE in named:
        return _END.split(named.partition(_PAGE)[2], maxsplit=1)[0][:_LONGEST_ID] or None
    called = _folded(named)
    exactly = [
        each.content_id
        for each in await _matches(service, viewer, named, _LOOKED_AT)
        if _folded(each.title) == called and each.content_id != content_id
    ]
    if len(exactly) > 1:
        message = f"{len(exactly)} items are called so. Paste the address of the page that you mean."
        raise Invalid(FieldError("superseded_by", message))
    if not exactly and (" " in named or len(named) > _LONGEST_ID):
        message = "Nothing is called so. Type a part of its title and choose, or paste the address of its page."
        raise Invalid(FieldError("superseded_by", message))
    return exactly[0] if exactly else named


async def _matches(service: EnablementService, viewer: Viewer, words: str, limit: int) -> tuple[Content, ...]:
    return tuple(await service.library.browse(viewer, Wanted(text=words.strip()), limit=limit))


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())
