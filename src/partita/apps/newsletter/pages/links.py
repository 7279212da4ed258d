"""The reader's page: the web edition at its secret address, without the shell and without script."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse, RedirectResponse, Response

from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.documents.html import article, with_addresses
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.apps.newsletter.service.documents.styles import page_document
from partita.apps.newsletter.service.documents.themes import THEMES
from partita.kit.permissions import Access
from partita.kit.problems import NotFound
from partita.kit.routes import Routes

_READ = "/read/{secret}"
_HEADERS = {
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
}


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @pages.get(_READ, Access.PUBLIC, faceless=True)
    async def read(secret: str) -> Response:
        """The edition as it is now."""
        newsletter = await service.links.opened(secret)
        text = await service.draft.of(newsletter)
        edition = await service.editions.of(text, pictures=False)
        document = edition.document
        version = (await service.brand.current()).version
        body = with_addresses(article(edition, side=True), edition, f"/newsletter/read/{secret}/pictures/")
        markup = (
            f'<!DOCTYPE html>\n<html lang="{escape(document.language)}" dir="{document.direction}">\n<head>\n'
            '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n<meta name="robots" content="noindex">\n'
            f"<title>{escape(document.title)}</title>\n"
            f'<link rel="stylesheet" href="/newsletter/styles/{edition.theme.name}.css?v={version}">\n</head>\n<body>\n'
            f'<a class="skip" href="#text">{escape(phrases(document.language).skip)}</a>\n'
            f"<main>{body}</main>\n</body>\n</html>\n"
        )
        return HTMLResponse(markup, headers=_HEADERS)

    @pages.get(f"{_READ}/pictures/{{place}}", Access.PUBLIC, faceless=True)
    async def picture(secret: str, place: int) -> Response:
        """A picture of the edition."""
        newsletter = await service.links.opened(secret)
        return RedirectResponse(await service.images.of_edition(newsletter, place), 302, _HEADERS)

    @pages.get("/styles/{theme}.css", Access.PUBLIC, faceless=True)
    async def styles(theme: str) -> Response:
        """The stylesheet of a theme in the brand's colour, as exports have it."""
        if theme not in THEMES:
            raise NotFound("There is no such theme.")
        made = f"{page_document()}\n{await service.brand.styles(theme)}"
        return Response(made, media_type="text/css", headers={"Cache-Control": "public, max-age=300"})
