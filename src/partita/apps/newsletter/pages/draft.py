"""Write: the text of a newsletter, a section at a time, beside its sources, its report card and its notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Query, Request
from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, RedirectResponse, Response

from partita.apps.newsletter.formats import as_plain, target_words
from partita.apps.newsletter.inputs import DraftReset, NewCitation, PictureWords, SectionEdit, SectionPreview
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.bookkeeping import changed_since, draft_settings
from partita.apps.newsletter.service.citations import CitedPassage
from partita.apps.newsletter.service.documents.html import article, with_addresses
from partita.apps.newsletter.service.documents.mail import mail_markup
from partita.apps.newsletter.service.documents.mail_look import MailLook, mail_look
from partita.apps.newsletter.service.draft import DraftText, TextChanged
from partita.apps.newsletter.service.drafting.made_words import draft_words
from partita.apps.newsletter.service.editing.citations import cited
from partita.apps.newsletter.service.editing.paragraphs import Side, compared, merged
from partita.apps.newsletter.service.files import pages_of
from partita.apps.newsletter.service.images import MOST_BYTES
from partita.apps.newsletter.service.mending import REPORT_LINES, card_place, text_mends
from partita.apps.newsletter.service.rendering import Renderer
from partita.apps.newsletter.service.steps import Look
from partita.kit.forms import MOST_FIELDS, Parsed, parse, submitted
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes

_WRITE = "/editions/{code}/write"
_FORM_BYTES = 6_000_000
"""A section with the text it was made from, in a script whose letters take nine bytes each in a form."""
View = Literal["write", "beside", "preview"]
Shown = Literal["web", "mail", "pages"]
"""What a preview shows: the web edition, the mail, or the pages of the last PDF."""
Panel = Literal["sources", "report", "notes"]
Number = Annotated[int | None, Query(ge=1, le=999)]
Key = Annotated[str, Query(max_length=200)]


def _address(code: str, **query: object) -> str:
    wanted = {name: value for name, value in query.items() if value}
    return f"/newsletter/editions/{code}/write" + (f"?{urlencode(wanted)}" if wanted else "")


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    async def page(
        request: Request,
        viewer: Viewer,
        text: DraftText,
        key: str,
        *,
        view: View = "write",
        panel: Panel = "sources",
        cite: int | None = None,
        more: bool = False,
        shown: Shown = "web",
        place: str = "",
        form: Parsed[Any] | None = None,
    ) -> Response:
        code = text.newsletter.newsletter_code
        opened = text.one(key)
        renderer = Renderer(text.newsletter, text.draft, lambda where, n: _address(code, section=where, cite=n))
        keys = [each.key for each in text.sections]
        after = keys[keys.index(key) + 1] if key in keys and key != keys[-1] else ""
        return render(
            request,
            "newsletter/write.html",
            newsletter=text.newsletter,
            text=text,
            opened=opened,
            looks={each.key: renderer.section(place, each.key, each.text) for place, each in enumerate(text.sections)},
            next_key=after,
            view=view,
            panel=panel,
            cited=_cited(text, opened.text),
            unused=await service.unused.of(code, text.draft, text.texts.values()),
            passage=await _passage(viewer, code, cite),
            target=target_words(text.newsletter.length_preference),
            made=draft_words(text.draft.made_with, len({each.get("source_id") for each in text.draft.citations})),
            quality=as_plain(text.draft.quality),
            form=form or Parsed(None, {"text": opened.text}),
            picture=Parsed(None),
            address=_address,
            may_write=await service.access.may_write(viewer, text.newsletter),
            can_rewrite=await service.generators.can_rewrite(text.newsletter),
            notes=[each for each in await service.notes.on(viewer, code) if each.open],
            look=await current_look(code),
            outdated=await outdated(text, viewer),
            whole=await whole(text, shown) if view == "preview" else "",
            shown=shown,
            pdf=pdf_pages(text),
            sentences=await service.quality.sentences(viewer, code, key) if more else None,
            lines=REPORT_LINES,
            place_of=lambda each: card_place(text, each),
            mends=text_mends(text, await service.editions.of(text, pictures=False)),
            place=place,
        )

    async def current_look(code: str) -> Look:
        looks = await service.steps.looks(code)
        return _to_tell(looks["draft"], looks["section"])

    async def _passage(viewer: Viewer, code: str, number: int | None) -> CitedPassage | None:
        try:
            return await service.citations.one(viewer, code, number) if number else None
        except NotFound:
            return None

    @pages.get(_WRITE, Letters.WRITE)
    async def write(
        request: Request,
        viewer: CurrentViewer,
        code: str,
        section: Key = "",
        view: View = "write",
        panel: Panel = "sources",
        cite: Number = None,
        more: bool = False,
        look: Shown = "web",
        place: Annotated[str, Query(max_length=300)] = "",
    ) -> Response:
        """The text: one section open, the others as they will look."""
        try:
            text = await service.draft.read(viewer, code)
        except Conflict:
            return await unwritten(request, viewer, code)
        known = {each.key for each in (*text.sections, *text.left_out)}
        key = section if section in known else next(iter(text.texts or text.generated))
        return await page(
            request, viewer, text, key, view=view, panel=panel, cite=cite, more=more, shown=look, place=place
        )

    async def unwritten(request: Request, viewer: Viewer, code: str) -> Response:
        newsletter, outline = await service.outline.get(viewer, code)
        looks = await service.steps.looks(code)
        return render(
            request,
            "newsletter/unwritten.html",
            newsletter=newsletter,
            look=looks["draft"],
            ready=bool(outline.sections),
            may_write=await service.access.may_write(viewer, newsletter),
        )

    async def outdated(text: DraftText, viewer: Viewer) -> list[str]:
        """What the draft was made of and that has changed since."""
        newsletter, outline = await service.outline.get(viewer, text.newsletter.newsletter_code)
        topics = await service.topics.of(newsletter)
        changed = list(changed_since(text.draft.settings, draft_settings(newsletter, topics)))
        if text.draft.outline_revision and text.draft.outline_revision != outline.revision:
            changed.append("outline")
        return changed

    async def whole(text: DraftText, shown: Shown) -> Markup:
        if shown == "pages":
            return Markup("")
        if shown == "mail":
            return Markup((await mail(text)).markup)
        edition = await service.editions.of(text, pictures=False)
        return Markup(with_addresses(article(edition, prefix="p-"), edition, pictures_of(text)))

    async def mail(text: DraftText) -> MailLook:
        """The mail itself. Its pictures are those of the read-online edition, and left out without one."""
        edition = await service.editions.of(text, pictures=False)
        places = {name: address.rpartition("/")[2] for name, address in edition.picture_addresses.items()}
        return mail_look(mail_markup(edition, {name: pictures_of(text) + place for name, place in places.items()}))

    def pictures_of(text: DraftText) -> str:
        return f"/newsletter/editions/{text.newsletter.newsletter_code}/pictures/"

    def pdf_pages(text: DraftText) -> dict[str, Any]:
        """The last PDF, with how many pictures of pages there are."""
        made = as_plain(text.draft.exports).get("pdf")
        return {**made, "pictures": len(pages_of(made))} if isinstance(made, dict) else {}

    @pages.post(f"{_WRITE}/sections/{{key}}", Letters.WRITE, keeps=SectionEdit, most_bytes=_FORM_BYTES)
    async def save_section(request: Request, viewer: CurrentViewer, code: str, key: str) -> Response:
        """Save a section; if somebody else was faster, both texts are shown to choose from."""

        async def save(edit: SectionEdit) -> Response:
            try:
                saved = await service.draft.save_section(viewer, code, key, edit)
            except TextChanged as changed:
                return await conflict(request, viewer, code, key, changed)
            keys = [each.key for each in saved.sections]
            onward = (await request.form()).get("go") == "next" and key in keys and keys[-1] != key
            told, kind = _saved(saved, key)
            where = _address(code, section=keys[keys.index(key) + 1] if onward else key)
            return redirect(where, flash=told, kind=kind)

        async def again(form: Parsed[SectionEdit]) -> Response:
            return await page(request, viewer, await service.draft.read(viewer, code), key, form=form)

        return await submitted(request, SectionEdit, save, again)

    @pages.get(f"{_WRITE}/sections/{{key}}", Letters.WRITE)
    async def open_section(viewer: CurrentViewer, code: str, key: str) -> Response:
        """Where a form was sent to and refused: the section again."""
        await service.access.newsletter(viewer, code)
        return redirect(_address(code, section=key))

    async def conflict(request: Request, viewer: Viewer, code: str, key: str, changed: TextChanged) -> Response:
        text = await service.draft.read(viewer, code)
        return render(
            request,
            "newsletter/conflict.html",
            refused=changed,
            newsletter=text.newsletter,
            opened=text.one(key),
            changed=changed,
            passages=changed.passages,
            back=_address(code, section=key),
        )

    @pages.post(f"{_WRITE}/sections/{{key}}/choice", Letters.WRITE, most_bytes=_FORM_BYTES)
    async def choose(request: Request, viewer: CurrentViewer, code: str, key: str) -> Response:
        """Save what somebody chose of two texts: mine, theirs, or paragraph by paragraph."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            fields = {name: value for name, value in sent.multi_items() if isinstance(value, str)}
        if fields.get("go") == "theirs":
            return redirect(_address(code, section=key), flash="The other version was kept.")
        edit = parse(SectionEdit, {**fields, "text": chosen(fields), "base": fields.get("theirs", "")}).value
        if edit is None:
            raise NotFound("This form is damaged. Open the section again.")
        try:
            saved = await service.draft.save_section(viewer, code, key, edit)
        except TextChanged as changed:
            return await conflict(request, viewer, code, key, changed)
        told, kind = _saved(saved, key)
        return redirect(_address(code, section=key), flash=told, kind=kind)

    @pages.post(f"{_WRITE}/preview", Letters.WRITE, most_bytes=_FORM_BYTES)
    async def preview(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """A section that is being typed, as it will look; for the script beside the field."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            form = parse(SectionPreview, sent)
        if form.value is None:
            raise NotFound("This form is damaged.")
        text = await service.draft.read(viewer, code)
        renderer = Renderer(text.newsletter, text.draft, lambda where, n: _address(code, section=where, cite=n))
        return HTMLResponse(renderer.section(99, form.value.key, form.value.text))

    @pages.get(f"{_WRITE}/citations/{{number}}", Letters.WRITE)
    async def citation(request: Request, viewer: CurrentViewer, code: str, number: int) -> Response:
        """What a number leads to; a part of the page for the script."""
        passage = await service.citations.one(viewer, code, number)
        return render(request, "newsletter/passage.html", passage=passage)

    @pages.get(f"{_WRITE}/sentences", Letters.WRITE)
    async def sentences(request: Request, viewer: CurrentViewer, code: str, section: Key) -> Response:
        """What a section cites, and other sentences for it; parts of the page for the script."""
        text = await service.draft.read(viewer, code)
        opened = text.one(section)
        return render(
            request,
            "newsletter/beside_section.html",
            newsletter=text.newsletter,
            code=code,
            opened=opened,
            cited=_cited(text, opened.text),
            sentences=await service.quality.sentences(viewer, code, section),
            address=_address,
        )

    @pages.post(f"{_WRITE}/sentences", Letters.WRITE)
    async def put_in(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Put a sentence at the end of its section; with script it goes where the cursor is."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            form = parse(NewCitation, sent)
        if form.value is None:
            raise NotFound("This form is damaged. Open the section again.")
        await service.citations.add(viewer, code, form.value)
        return redirect(
            _address(code, section=form.value.section, more=1), flash="Sentence added at the end of the section."
        )

    @pages.post(f"{_WRITE}/sections/{{key}}/generate", Letters.WRITE)
    async def generate(viewer: CurrentViewer, code: str, key: str) -> Response:
        """Let the writer write one section anew."""
        await service.steps.start(viewer, code, "section", inputs={"key": key})
        return redirect(_address(code, section=key), flash="The section is being rewritten.")

    @pages.get(f"{_WRITE}/reset", Letters.WRITE)
    async def ask_reset(request: Request, viewer: CurrentViewer, code: str, section: Key = "") -> Response:
        """Ask before the person's text goes."""
        text = await service.draft.read(viewer, code)
        what = f"“{text.one(section).title}”" if section else "the whole text"
        return confirm(
            request,
            f"Go back to the generated text of {what}?",
            "Your text is replaced. It stays in the history, where you can restore it.",
            button="Go back",
            keep=_address(code, section=section),
        )

    @pages.post(f"{_WRITE}/reset", Letters.WRITE)
    async def reset(viewer: CurrentViewer, code: str, section: Key = "") -> Response:
        """Back to what was generated."""
        await service.draft.reset(viewer, code, DraftReset(section=section or None))
        return redirect(
            _address(code, section=section), flash="Back to the generated text. Your version is in the history."
        )

    @pages.post(f"{_WRITE}/tidy", Letters.WRITE)
    async def tidy(viewer: CurrentViewer, code: str, section: Key = "") -> Response:
        """Count the citations anew."""
        await service.draft.tidy_numbers(viewer, code)
        return redirect(_address(code, section=section), flash="Citations renumbered in reading order.")

    @pages.post(f"{_WRITE}/pictures", Letters.WRITE, most_bytes=MOST_BYTES + 100_000)
    async def add_picture(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Put a picture at the end of a section; with script it goes where the cursor is."""
        async with request.form(max_fields=MOST_FIELDS, max_files=1) as sent:
            form = parse(PictureWords, sent)
            file = sent.get("file")
            data = await file.read() if isinstance(file, UploadFile) else b""
        back = _address(code, section=form.values.get("section", ""))
        why = "Choose a picture." if not data else " ".join(form.errors.values())
        if data and form.value is not None:
            try:
                await service.images.add(viewer, code, data, form.value)
                return redirect(back, flash="Picture added.")
            except Problem as problem:
                why = problem.detail
        return redirect(back, flash=f"No picture was added. {why}", kind="bad")

    @pages.get(f"{_WRITE}/edition.css", Letters.WRITE)
    async def styles(viewer: CurrentViewer, code: str) -> Response:
        """The look of the edition, for the sections that are not being edited."""
        newsletter = await service.access.newsletter(viewer, code)
        return Response(await service.brand.styles(newsletter.theme, switched=True), media_type="text/css")

    @pages.get(f"{_WRITE}/mail.css", Letters.WRITE)
    async def mail_styles(viewer: CurrentViewer, code: str) -> Response:
        """The styles of the mail as it is saved, for its preview."""
        return Response((await mail(await service.draft.read(viewer, code))).styles, media_type="text/css")

    @pages.get("/editions/{code}/pictures/{place}", Letters.WRITE)
    async def picture(viewer: CurrentViewer, code: str, place: str) -> Response:
        """A picture of the text."""
        return RedirectResponse(await service.images.address(viewer, code, place), 307)


def chosen(fields: Mapping[str, str]) -> str:
    """The text of a conflict's form: mine whole, or each passage as it was chosen."""
    mine, theirs = fields.get("mine", ""), fields.get("theirs", "")
    if fields.get("go") == "mine":
        return mine
    passages = compared(mine, theirs, fields.get("base") or None)
    sides: dict[int, Side] = {}
    for place in range(len(passages)):
        match fields.get(f"keep.{place}"):
            case "mine" | "theirs" | "each" as side:
                sides[place] = side
    return merged(passages, sides)


def _saved(saved: DraftText, key: str) -> tuple[str, Literal["good", "warn"]]:
    return saved_words(next((each.unresolved for each in saved.sections if each.key == key), ()), "draft")


def saved_words(lost: Sequence[int], noun: str) -> tuple[str, Literal["good", "warn"]]:
    """What is said when a section is saved: also which of its numbers lead nowhere."""
    if not lost:
        return "Saved.", "good"
    numbers = ", ".join(f"[{number}]" for number in lost)
    return f"Saved. {numbers} {'leads' if len(lost) == 1 else 'lead'} to no source of this {noun}.", "warn"


def _cited(text: DraftText, section: str) -> list[dict[str, Any]]:
    """The citations of a section in its order; those that lead nowhere have no title."""
    known = {int(each["n"]): as_plain(each) for each in text.draft.citations}
    return [{"n": number, **known.get(number, {})} for number in dict.fromkeys(cited(section))]


def _to_tell(draft: Look, section: Look) -> Look:
    """Which of both steps the page tells: the one that runs, else a section that failed since the draft was made."""
    if section.is_open and not draft.is_open:
        return section
    failed_since = section.state == "failed" and (section.since or "") > (draft.since or "")
    return section if failed_since and not draft.is_open else draft
