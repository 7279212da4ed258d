"""Sources: what we can draw from, one of them as it was read, and adding more."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Query, Request
from starlette.responses import RedirectResponse, Response

from partita.apps.newsletter.api.sources import FILES_BODY
from partita.apps.newsletter.formats import is_newsletter
from partita.apps.newsletter.inputs import ChunkSwitch, NewSource, SourceCorrection, SourceEdit, SourceFacts, SourceForm
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import SHARED_SHELF, Source
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.reading.languages import LANGUAGES
from partita.apps.newsletter.service.reading.reading import MOST_BYTES
from partita.apps.newsletter.service.sources import MOST_AT_ONCE, SourceExists, Wanted, parts_of
from partita.kit.answers import Cursor
from partita.kit.files.content import WEBP
from partita.kit.forms import Parsed, filled, parse
from partita.kit.history import Field, Fields
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

KINDS = {"text": "Text", "markdown": "Markdown", "html": "HTML", "pdf": "PDF", "docx": "Word", "url": "Web page"}
STATUSES = {"waiting": "Waiting", "reading": "Processing", "ready": "Ready", "failed": "Failed"}
FILTER_NAMES = {"kind": "Kind", "status": "Status", "tag": "Tag", "language": "Language"}
SOURCE_FIELDS = Fields(
    Field("title", "Title", "title"),
    Field("published", "Published", "published"),
    Field("publisher", "Publisher", "publisher"),
    Field("language", "Language", "language", choices=LANGUAGES),
    Field("tags", "Tags", "tags"),
)
_PAGE = 30
_PASSAGES = 60
_SMALL, _LARGE = 200, 1100
"""Widths of the pictures of pages, in pixels."""
_SEPARATED = frozenset({"tags"})
Value = Annotated[str, Query(max_length=60)]


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    sources = service.sources

    async def listing(
        request: Request,
        viewer: Viewer,
        *,
        shelf: str = SHARED_SHELF,
        wanted: Wanted | None = None,
        cursor: str | None = None,
        form: Parsed[Any] | None = None,
        lines: list[dict[str, Any]] | None = None,
        refused: Problem | None = None,
        template: str = "newsletter/sources.html",
    ) -> Response:
        problem = refused or (None if form is None else form.problem)
        if problem is not None and shelf == SHARED_SHELF and not viewer.may(Letters.READ_SOURCES):
            raise problem  # the list that the form stands above is not for them
        wanted = wanted or Wanted()
        page = await sources.page(viewer, wanted, shelf=shelf, limit=_PAGE, cursor=cursor)
        subject = None if shelf == SHARED_SHELF else await service.access.subject(viewer, shelf)
        return render(
            request,
            template,
            refused=refused,
            page=page,
            shelf=shelf,
            subject=subject,
            wanted=wanted,
            kinds=KINDS,
            statuses=STATUSES,
            languages=LANGUAGES,
            filter_names=FILTER_NAMES,
            form=form or Parsed(None),
            lines=lines or [],
            first=cursor is None,
            most_bytes=MOST_BYTES,
            most_files=MOST_AT_ONCE,
            busy=any(each.status in ("waiting", "reading") for each in page),
            asked=urlencode({**wanted.chosen, "shelf": shelf, **({"cursor": cursor} if cursor else {})}),
            may_add=shelf != SHARED_SHELF or viewer.may(Letters.ADD_SOURCES),
        )

    def narrowed(kind: str, status: str, tag: str, language: str) -> Wanted:
        return Wanted(
            kind if kind in KINDS else None,  # type: ignore[arg-type]
            status if status in STATUSES else None,  # type: ignore[arg-type]
            tag or None,
            language if language in LANGUAGES else None,
        )

    @pages.get("/sources", Letters.READ_SOURCES)
    async def list_sources(
        request: Request,
        viewer: CurrentViewer,
        kind: Value = "",
        status: Value = "",
        tag: Value = "",
        language: Value = "",
        shelf: Value = SHARED_SHELF,
        cursor: Cursor = None,
    ) -> Response:
        """What we can draw from, newest first."""
        wanted = narrowed(kind, status, tag, language)
        return await listing(request, viewer, shelf=shelf, wanted=wanted, cursor=cursor)

    @pages.get("/sources/table", Letters.READ_SOURCES)
    async def table(
        request: Request,
        viewer: CurrentViewer,
        kind: Value = "",
        status: Value = "",
        tag: Value = "",
        language: Value = "",
        shelf: Value = SHARED_SHELF,
        cursor: Cursor = None,
    ) -> Response:
        """The table alone, for the script that follows what is being read."""
        wanted = narrowed(kind, status, tag, language)
        return await listing(
            request, viewer, shelf=shelf, wanted=wanted, cursor=cursor, template="newsletter/sources_table.html"
        )

    @pages.post("/sources", Letters.ADD_SOURCES, most_bytes=FILES_BODY)
    async def add_sources(
        request: Request, viewer: CurrentViewer, shelf: Value = SHARED_SHELF, back_to: Literal["", "plan"] = ""
    ) -> Response:
        """Files, addresses and a text; each is added or refused by itself. A plan gets back to itself (`back_to`)."""
        sent = await sources.receive(request)
        form = parse(SourceForm, sent.fields, separated=_SEPARATED)
        if form.value is None:
            await sources.give_up(sent)
            return await listing(request, viewer, shelf=shelf, form=form)
        wanted = form.value
        added, refused = await sources.add_files(viewer, sent, SourceFacts(tags=wanted.tags, shelf=shelf))
        new = [NewSource(url=url, tags=wanted.tags, shelf=shelf) for url in wanted.urls]
        if wanted.text:
            new.append(NewSource(text=wanted.text, title=wanted.title, tags=wanted.tags, shelf=shelf))
        kept_urls, kept_text, errors = [], "", {"files": refused[0][1].detail} if refused else {}
        for each in new:
            try:
                added.append(await sources.add(viewer, each))
            except Problem as problem:
                refused.append((each.url or wanted.title or "The text", problem))
                kept_urls += [each.url] if each.url else []
                kept_text = kept_text or each.text
                errors.setdefault("urls" if each.url else "text", problem.detail)
        back = "/newsletter/sources" + (f"?shelf={shelf}" if shelf != SHARED_SHELF else "")
        if not added and not refused:
            nothing = Invalid(FieldError("", "Choose a file, enter an address or paste a text."))
            return await listing(request, viewer, shelf=shelf, form=form.refused(nothing))
        if not refused:
            told = (
                f"“{added[0].title}” is being processed."
                if len(added) == 1
                else f"{len(added)} sources are being processed."
            )
            if back_to == "plan" and is_newsletter(shelf):
                plan = f"/newsletter/editions/{shelf}/plan#own-sources"
                return redirect(plan, flash=f"{told} Find content again when it is ready.")
            return redirect(back, flash=told)
        lines = [_line(name, problem) for name, problem in refused]
        lines += [{"name": each.title, "source_id": each.source_id, "why": ""} for each in added]
        values = {"urls": "\n".join(kept_urls), "text": kept_text, "title": wanted.title if kept_text else ""}
        again: Parsed[Any] = Parsed(None, {**values, "tags": ", ".join(wanted.tags)}, errors)
        return await listing(request, viewer, shelf=shelf, form=again, lines=lines, refused=refused[0][1])

    # -- one of them

    async def shown(
        request: Request,
        viewer: Viewer,
        source_id: str,
        *,
        at: int = 0,
        form: Parsed[Any] | None = None,
    ) -> Response:
        first = at - at % _PASSAGES
        source, page = await sources.chunks(viewer, source_id, limit=_PASSAGES, first=first)
        mine, others = await sources.citing(viewer, source) if source.cited_in else ([], 0)
        look = await sources.look(source)
        subject = None if source.shelf == SHARED_SHELF else await service.access.subject(viewer, source.shelf)
        return render(
            request,
            "newsletter/source.html",
            source=source,
            subject=subject,
            parts=parts_of(page.items),
            before=first - _PASSAGES if first else None,
            after=first + _PASSAGES if page.next_cursor else None,
            look=look,
            busy=source.status in ("waiting", "reading") and look.state not in ("failed", "cancelled"),
            form=form or _stored(source),
            citing=mine,
            cited_by_others=others,
            kinds=KINDS,
            languages=list(LANGUAGES.items()),
            may_write=sources.may_write(viewer, source),
            lost=lost_with(source),
        )

    @pages.get("/sources/{source_id}", Letters.READ_SOURCES)
    async def show(
        request: Request, viewer: CurrentViewer, source_id: str, at: Annotated[int, Query(ge=0, lt=1_000_000)] = 0
    ) -> Response:
        """A source as it was read, its facts to correct, its passages to switch off: those around one of them."""
        return await shown(request, viewer, source_id, at=at)

    @pages.post("/sources/{source_id}", Letters.READ_SOURCES, keeps=SourceCorrection)
    async def edit(request: Request, viewer: CurrentViewer, source_id: str) -> Response:
        """Correct its facts; if somebody else was faster, both versions are shown."""

        async def save(change: SourceCorrection) -> Response:
            await sources.edit(viewer, source_id, change.edit)
            return redirect(f"/newsletter/sources/{source_id}", flash="Saved.")

        async def again(form: Parsed[SourceCorrection]) -> Response:
            return await shown(request, viewer, source_id, form=form)

        async def stored() -> Parsed[SourceCorrection]:
            return _stored(await sources.get(viewer, source_id))

        back = f"/newsletter/sources/{source_id}"
        return await edited(
            request, SourceCorrection, save, again, stored, fields=SOURCE_FIELDS, back=back, separated=_SEPARATED
        )

    @pages.post("/sources/{source_id}/passages", Letters.READ_SOURCES)
    async def switch(request: Request, viewer: CurrentViewer, source_id: str) -> Response:
        """Let a passage be found, or not."""
        async with request.form(max_fields=10) as sent:
            wanted = parse(ChunkSwitch, sent).value
        if wanted is None:
            return redirect(f"/newsletter/sources/{source_id}", flash="This form is damaged. Try again.", kind="bad")
        await sources.switch(viewer, source_id, wanted.position, enabled=wanted.enabled)
        told = "Passage turned on." if wanted.enabled else "Passage turned off: it is no longer used."
        return redirect(f"/newsletter/sources/{source_id}?at={wanted.position}#passage-{wanted.position}", flash=told)

    @pages.post("/sources/{source_id}/switch", Letters.READ_SOURCES)
    async def switch_all(request: Request, viewer: CurrentViewer, source_id: str) -> Response:
        """Let all of a source be found, or nothing of it."""
        async with request.form(max_fields=10) as sent:
            enabled = sent.get("enabled") == "true"
        await sources.edit(viewer, source_id, SourceEdit(enabled=enabled))
        told = "Source turned on." if enabled else "Source turned off: it is no longer used."
        return redirect(f"/newsletter/sources/{source_id}", flash=told)

    @pages.post("/sources/{source_id}/refresh", Letters.READ_SOURCES)
    async def refresh(viewer: CurrentViewer, source_id: str) -> Response:
        """Read it again."""
        await sources.refresh(viewer, source_id)
        return redirect(f"/newsletter/sources/{source_id}", flash="The source is being processed again.", kind="info")

    @pages.post("/sources/{source_id}/cancel", Letters.READ_SOURCES)
    async def cancel(viewer: CurrentViewer, source_id: str) -> Response:
        """Stop reading it."""
        back = f"/newsletter/sources/{source_id}"
        try:
            look = await sources.cancel(viewer, source_id)
        except Conflict as ended:
            return redirect(back, flash=ended.detail, kind="info")
        return redirect(back, flash="Cancelled." if not look.is_open else "It stops in a moment.", kind="info")

    @pages.get("/sources/{source_id}/file", Letters.READ_SOURCES)
    async def file(viewer: CurrentViewer, source_id: str) -> Response:
        """The file that it was read from."""
        link = await sources.file(viewer, source_id)
        return RedirectResponse(link, 302, {"Cache-Control": "private, no-store"})

    @pages.get("/sources/{source_id}/pages/{number}", Letters.READ_SOURCES)
    async def page_picture(viewer: CurrentViewer, source_id: str, number: int, large: bool = False) -> Response:
        """A page of a PDF as a picture, small or to be read; its address has the source's revision."""
        data = await sources.page_picture(viewer, source_id, number, _LARGE if large else _SMALL)
        return Response(data, headers={"Content-Type": WEBP, "Cache-Control": "private, max-age=86400"})

    @pages.get("/sources/{source_id}/delete", Letters.READ_SOURCES)
    async def ask_delete(request: Request, viewer: CurrentViewer, source_id: str) -> Response:
        """Ask before it goes."""
        source = await sources.get(viewer, source_id, write=True)
        return confirm(
            request,
            f"Delete “{source.title}”?",
            lost_with(source),
            button="Delete source",
            keep=f"/newsletter/sources/{source_id}",
        )

    @pages.post("/sources/{source_id}/delete", Letters.READ_SOURCES)
    async def delete(viewer: CurrentViewer, source_id: str) -> Response:
        """Delete it."""
        source = await sources.get(viewer, source_id, write=True)
        await service.source_removals.delete(viewer, source_id)
        back = "/newsletter/sources" + (f"?shelf={source.shelf}" if source.shelf != SHARED_SHELF else "")
        return redirect(back, flash=f"“{source.title}” was deleted.")


def lost_with(source: Source) -> str:
    """What is lost with a source, in a sentence or two."""
    passages = "1 passage" if source.chunk_count == 1 else f"{source.chunk_count:,} passages"
    words = (
        f"Its {passages} will no longer be found."
        if source.chunk_count != 1
        else "Its passage will no longer be found."
    )
    if source.cited_in:
        drafts = "1 draft cites" if source.cited_in == 1 else f"{source.cited_in} drafts cite"
        words += f" {drafts} it and keep{'s' if source.cited_in == 1 else ''} the cited text."
    return words


def _line(name: str, problem: Problem) -> dict[str, Any]:
    source_id = problem.source_id if isinstance(problem, SourceExists) else None
    return {"name": name, "source_id": source_id, "why": problem.detail}


def _stored(source: Source) -> Parsed[SourceCorrection]:
    return filled(SourceCorrection, source, separated=_SEPARATED)
