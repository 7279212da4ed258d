"""Brand: logo, colour, masthead, imprint and sign-off, with a sample that shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import Request
from markupsafe import Markup
from starlette.datastructures import ImmutableMultiDict
from starlette.responses import Response

from partita.apps.newsletter.inputs import BrandEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Brand
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.brand import LOGO_BYTES, readable
from partita.apps.newsletter.service.documents.colours import is_colour
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.html import article
from partita.apps.newsletter.service.documents.reading import read_document
from partita.apps.newsletter.service.documents.styles import switched_styles
from partita.apps.newsletter.service.documents.themes import THEMES, theme_of
from partita.kit.files.headers import safe_headers
from partita.kit.forms import Parsed, parse, save_or_again
from partita.kit.inputs import StaleEdit
from partita.kit.pages import redirect, render
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes

_PATH = "/newsletter/brand"
_TEXTS = ("masthead_line", "imprint", "sign_off", "logo_alt")
"""What may be emptied."""
_LONGEST = 2_000
_SAMPLE = """---
title: "Weekly Research Digest"
code: "NL-20260126-A1B2"
issue_label: "No. 12"
date: "2026-11-16"
region: "East Africa"
sources:
  - {"number": 1, "title": "Seasonal outlook", "publisher": "Climate Centre", "date": "2026-10-02", "page": "4"}
---

## Climate and season

### Early rains reach the highlands

Rain began in the second week of September, about two weeks earlier than usual. [1] Farmers on the coast are advised to
plant [short-season varieties](https://example.org) now.

- **118 mm** fell at Gondar [1]
- **14 days** before the mean
- **1 in 3** had planted
"""


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    async def page(request: Request, form: Parsed[BrandEdit] | None = None) -> Response:
        brand = await service.brand.current()
        wanted = form or Parsed(None, _values(brand))
        return render(
            request,
            "newsletter/brand.html",
            brand=brand,
            form=wanted,
            themes=[(each.name, f"{each.title}: {each.purpose}") for each in THEMES.values()],
            most=LOGO_BYTES,
            **await shown(wanted.values),
        )

    async def shown(values: Mapping[str, Any]) -> dict[str, Any]:
        """The sample, in the brand that is being typed."""
        brand = await service.brand.for_editions()
        typed = str(values.get("colour") or "")
        colour = typed.lower() if is_colour(typed) else brand.colour
        theme = theme_of(str(values.get("theme") or ""))
        imprint, sign_off, line = (
            str(values.get(name) or "")[:_LONGEST] for name in ("imprint", "sign_off", "masthead_line")
        )
        name = line or brand.name if brand.logo else line
        made = replace(brand, colour=colour, line=line, name=name, imprint=imprint, sign_off=sign_off)
        markup = article(Edition(read_document(_SAMPLE), theme.name, made), prefix="sample-")
        sample = Markup(markup.replace("<h1>", "<h2>").replace("</h1>", "</h2>"))
        return {"theme": theme, "colour": colour, "readable": readable(colour), "sample": sample}

    @pages.get("/brand", Letters.MANAGE_BRAND)
    async def show(request: Request) -> Response:
        """How all editions look."""
        return await page(request)

    @pages.post("/brand", Letters.MANAGE_BRAND, most_bytes=LOGO_BYTES + 100_000)
    async def save(request: Request, viewer: CurrentViewer) -> Response:
        """Save it as a new version."""
        async with request.form() as sent:
            file = sent.get("logo")
            logo = None if file is None or isinstance(file, str) or not file.size else await file.read()
            fields = [(name, value) for name, value in sent.multi_items() if isinstance(value, str)]
        form = parse(BrandEdit, ImmutableMultiDict(fields))
        cleared = {name: "" for name, value in fields if name in _TEXTS and not value.strip()}

        async def store(edit: BrandEdit) -> Response:
            brand = await service.brand.save(edit.model_copy(update=cleared), viewer, logo)
            made = readable(brand.colour, brand.theme)
            mended = f" Text is set in {made.text}, which can be read better." if made.text != brand.colour else ""
            return redirect(_PATH, flash=f"Saved. New exports look like this.{mended}")

        async def again(refused: Parsed[BrandEdit]) -> Response:
            return await page(request, refused)

        try:
            return await save_or_again(request, form, store, again)
        except StaleEdit as stale:
            return await again(form.refused(stale))

    @pages.get("/brand/logo", Letters.MANAGE_BRAND)
    async def logo() -> Response:
        """The logo."""
        found = await service.brand.logo()
        if found is None:
            raise NotFound("There is no logo.")
        return picture(found.data, found.kind)

    @pages.get("/brand/sample", Letters.MANAGE_BRAND)
    async def sample(request: Request) -> Response:
        """The sample alone, while somebody types."""
        return render(request, "newsletter/brand_sample.html", **await shown(request.query_params))

    @pages.get("/brand/sample.css", Letters.MANAGE_BRAND)
    async def sample_styles(request: Request) -> Response:
        """The stylesheet of the sample, in the brand's colour or in another."""
        colour = request.query_params.get("colour", "").lower()
        theme = theme_of(request.query_params.get("theme", ""))
        wanted = colour if is_colour(colour) else (await service.brand.current()).colour
        return Response(switched_styles(theme, wanted), media_type="text/css")


def picture(data: bytes, kind: str) -> Response:
    """A picture of ours, which changes its address with its version."""
    headers = safe_headers(kind) | {"Cache-Control": "private, max-age=3600"}
    return Response(data, headers=headers)


def _values(brand: Brand) -> dict[str, Any]:
    names = ("colour", "masthead_line", "imprint", "sign_off", "theme", "logo_alt", "version")
    return {name: getattr(brand, name) for name in names}
