"""The desk, configuring, the next issue, copies and deleting."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from markupsafe import Markup
from starlette.responses import Response

from partita.apps.newsletter.formats import LENGTHS, length_of, read_time, target_words
from partita.apps.newsletter.inputs import NewNewsletter, NewsletterEdit
from partita.apps.newsletter.pages.steps import base, onward
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.documents import bands
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.html import article, text_html
from partita.apps.newsletter.service.documents.model import Document, Source
from partita.apps.newsletter.service.documents.reading import read_blocks
from partita.apps.newsletter.service.documents.styles import switched_styles
from partita.apps.newsletter.service.documents.themes import THEMES, theme_of
from partita.apps.newsletter.service.newsletters import Status
from partita.apps.newsletter.service.outline import outdated as outline_outdated
from partita.apps.newsletter.service.removal import Losses
from partita.apps.newsletter.service.sample import sample_edition, sample_story
from partita.apps.newsletter.service.topics import outdated as topics_outdated
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, filled, parse, submitted
from partita.kit.history.fields import Field as EditedField
from partita.kit.history.fields import Fields
from partita.kit.inputs import SNAKE_CASE, given
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.search.marks import marked
from partita.kit.stale import edited

_PAGE = 12
_LEADS = re.compile(r'<a [^>]*href="#sample-[^>]*>(.*?)</a>', re.DOTALL)
AUDIENCES = (
    ("researchers", "Researchers"),
    ("policy_makers", "Policy makers"),
    ("development_partners", "Development partners"),
    ("ag_tech_industry", "Ag-tech industry"),
    ("field_staff", "Field staff"),
    ("farmers", "Farmers"),
    ("myself", "Myself"),
)
FREQUENCIES = (
    ("daily", "Daily"),
    ("weekly", "Weekly"),
    ("monthly", "Monthly"),
    ("quarterly", "Quarterly"),
    ("custom", "Irregularly"),
)
FORMATS = (("email", "Mail"), ("pdf", "PDF"), ("web", "Web page"), ("html", "HTML file for mail"))
LANGUAGES = (("en", "English"), ("am", "Amharic"), ("ar", "Arabic"))
STATUSES = (("draft", "In progress"), ("completed", "Draft ready"), ("exported", "Exported"))
_LENGTH_NAMES = {"short": "Short", "mixed": "Mixed", "long": "Long"}
FIELDS = Fields(
    EditedField("title", "Title", "title"),
    EditedField("description", "Description", "description"),
    EditedField("target_audience", "Audience", "target_audience", choices=dict(AUDIENCES)),
    EditedField("tone_professional", "Tone: friendly to formal", "tone_professional"),
    EditedField("tone_technical", "Tone: plain to technical", "tone_technical"),
    EditedField("format_type", "Format", "format_type", choices=dict(FORMATS)),
    EditedField("length_preference", "Length", "length_preference", choices=_LENGTH_NAMES),
    EditedField("frequency", "Frequency", "frequency", choices=dict(FREQUENCIES)),
    EditedField("geographic_focus", "Region", "geographic_focus"),
    EditedField("language", "Language", "language", choices=dict(LANGUAGES)),
    EditedField("theme", "Theme", "theme"),
    EditedField("issue_label", "Issue", "issue_label"),
    EditedField("preheader", "Preview line", "preheader"),
    EditedField("generator", "Writer", "generator"),
)


class ConfigureForm(NewNewsletter):
    """The whole configuration, made from a revision."""

    model_config = SNAKE_CASE

    revision: int | None = None


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    newsletters = service.newsletters

    # -- the desk

    @pages.get("", Access.SIGNED_IN)
    async def desk(
        request: Request,
        viewer: CurrentViewer,
        tab: Literal["mine", "shared"] = "mine",
        status: Status | None = None,
        q: Annotated[str, Query(max_length=200)] = "",
        cursor: Cursor = None,
    ) -> Response:
        """What somebody works on, last edited first; what it is, for people without the role."""
        if not viewer.may(Letters.WRITE):
            return render(request, "newsletter/welcome.html")
        if tab == "shared":
            page = await newsletters.shared(viewer, words=q, limit=_PAGE, cursor=cursor)
        else:
            page = await newsletters.mine(viewer, status=status, words=q, limit=_PAGE, cursor=cursor)
        first = cursor is None and not q.strip() and status is None and tab == "mine"
        return render(
            request,
            "newsletter/desk.html",
            page=page,
            tab=tab,
            chosen_status=status,
            q=q.strip(),
            resume=page.items[0] if first and page.items else None,
            needs=await newsletters.attention(viewer),
            reviews=await service.shares.reviews_asked_of(viewer),
            statuses=STATUSES,
            band=_bands((await service.brand.current()).colour),
            onward=onward,
            next_step=_next_step,
        )

    @pages.get("/find", Letters.WRITE)
    async def find(request: Request, viewer: CurrentViewer, q: Annotated[str, Query(max_length=200)] = "") -> Response:
        """Everything with these words that the viewer may read."""
        words = q.strip()
        found = await service.finding.everything(viewer, words) if words else None
        shown: dict[str, Any] = {"onward": onward, "statuses": dict(STATUSES), "mark": lambda text: marked(text, words)}
        return render(request, "newsletter/find.html", q=words, found=found, **shown)

    @pages.get("/example", Letters.WRITE)
    async def example(request: Request) -> Response:
        """A sample edition to leaf through."""
        return render(request, "newsletter/example.html", edition=Markup(_example()))

    @pages.get("/look/{theme}.css", Letters.WRITE)
    async def look(theme: str) -> Response:
        """How an edition looks in a theme, for pages that show a part of one."""
        brand = await service.brand.current()
        return Response(switched_styles(theme_of(theme), brand.colour), media_type="text/css")

    # -- configuring

    @pages.get("/new", Letters.WRITE)
    async def new_form(request: Request) -> Response:
        """A new newsletter."""
        brand = await service.brand.current()
        defaults = filled(ConfigureForm, NewNewsletter.model_construct(title="", theme=brand.theme))
        return await form_page(request, None, defaults)

    @pages.post("/new", Letters.WRITE, keeps=ConfigureForm)
    async def new(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: ConfigureForm) -> Response:
            made = await newsletters.create(viewer, _new_of(form))
            return await after_saving(request, viewer, made.newsletter_code, "Newsletter created.")

        async def again(form: Parsed[ConfigureForm]) -> Response:
            return await form_page(request, None, form)

        return await submitted(request, ConfigureForm, save, again)

    @pages.get("/editions/{code}", Letters.WRITE)
    async def edition(viewer: CurrentViewer, code: str) -> Response:
        """Go on where somebody was."""
        return redirect(onward(await newsletters.get(viewer, code)))

    @pages.get("/editions/{code}/configure", Letters.WRITE)
    async def configure(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """For whom and how."""
        newsletter = await newsletters.get(viewer, code)
        may_write = await service.access.may_write(viewer, newsletter)
        return await form_page(request, newsletter, filled(ConfigureForm, _shown(newsletter)), may_write=may_write)

    @pages.post("/editions/{code}/configure", Letters.WRITE, keeps=ConfigureForm)
    async def save_configuration(request: Request, viewer: CurrentViewer, code: str) -> Response:
        async def save(form: ConfigureForm) -> Response:
            before = await newsletters.get(viewer, code)
            changes = _changes(_shown(before), form)
            if changes:
                await newsletters.edit(viewer, code, NewsletterEdit(**changes, **given(revision=form.revision)))
            return await after_saving(request, viewer, code, "Saved." if changes else "")

        async def again(form: Parsed[ConfigureForm]) -> Response:
            return await form_page(request, await newsletters.get(viewer, code), form)

        async def stored() -> Parsed[ConfigureForm]:
            return filled(ConfigureForm, _shown(await newsletters.get(viewer, code)))

        back = f"{base(code)}/configure"
        return await edited(request, ConfigureForm, save, again, stored, fields=FIELDS, back=back)

    async def after_saving(request: Request, viewer: Viewer, code: str, told: str) -> Response:
        go = (await request.form()).get("go")
        if go == "all":
            await service.making.all(viewer, code)
            return redirect(f"{base(code)}/making")
        if go == "save":
            return redirect(f"{base(code)}/configure", flash=told or "Nothing has changed.")
        return redirect(f"{base(code)}/plan", flash=told)

    async def form_page(
        request: Request, newsletter: Newsletter | None, form: Parsed[ConfigureForm], *, may_write: bool = True
    ) -> Response:
        older = () if newsletter is None else tuple(await _older(service, newsletter))
        return render(
            request,
            "newsletter/configure.html",
            newsletter=newsletter,
            form=form,
            may_write=may_write,
            older=older,
            sample=_sample(form.values),
            audiences=AUDIENCES,
            lengths=_lengths(),
            frequencies=FREQUENCIES,
            formats=FORMATS,
            languages=LANGUAGES,
            themes=[(theme.name, theme.title, theme.purpose) for theme in THEMES.values()],
            theme=str(form.values.get("theme") or "journal"),
            **await writers(newsletter),
        )

    async def writers(newsletter: Newsletter | None) -> dict[str, Any]:
        """The writers that can be chosen: those that are set up. With one alone there is no choice."""
        states = service.generators.states()
        chosen = (await service.generators.chosen()).name
        own = next((each for each in states if newsletter is not None and each.name == newsletter.generator), None)
        ready = [(each.name, each.title) for each in states if each.ready]
        return {
            "writers": ready if len(ready) > 1 or own is not None else [],
            "writer_in_use": next(each.title for each in states if each.name == chosen),
            "writer_gone": "" if own is None or own.ready else own.title,
        }

    @pages.get("/sample", Letters.WRITE)
    async def sample(request: Request) -> Response:
        """A story in the tone, length and theme of a form that is being filled in."""
        values = parse(ConfigureForm, request.query_params).values
        return render(
            request,
            "newsletter/sample.html",
            sample=_sample(values),
            theme=theme_of(str(values.get("theme") or "journal")).name,
        )

    # -- next issue, copies, deleting

    @pages.post("/editions/{code}/next-issue", Letters.WRITE)
    async def next_issue(viewer: CurrentViewer, code: str) -> Response:
        made = await newsletters.next_issue(viewer, code)
        words = f"No. {made.issue_number} created with the settings, topics, sections and standing items of the last."
        return redirect(f"{base(made.newsletter_code)}/configure", flash=words)

    @pages.post("/editions/{code}/duplicate", Letters.WRITE)
    async def duplicate(viewer: CurrentViewer, code: str) -> Response:
        made = await newsletters.duplicate(viewer, code)
        return redirect(
            f"{base(made.newsletter_code)}/configure",
            flash="Copied with settings, topics and outline. The draft is not copied.",
        )

    @pages.post("/editions/{code}/draft-all", Letters.WRITE)
    async def draft_all(viewer: CurrentViewer, code: str) -> Response:
        await service.making.all(viewer, code)
        return redirect(f"{base(code)}/making")

    @pages.get("/editions/{code}/delete", Letters.WRITE)
    async def ask(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """What would be lost."""
        newsletter, losses = await service.removals.losses(viewer, code)
        return render(request, "newsletter/delete.html", newsletter=newsletter, losses=tuple(_lost(losses)))

    @pages.post("/editions/{code}/delete", Letters.WRITE)
    async def delete(viewer: CurrentViewer, code: str) -> Response:
        removal = await service.removals.delete(viewer, code)
        return redirect("/newsletter", flash=f"“{removal.title}” was deleted.", kind="info")


# What the form shows
def _shown(newsletter: Newsletter) -> Newsletter:
    """The newsletter as the form has it: lengths by the names of today."""
    return newsletter.with_(Newsletter.length_preference(length_of(newsletter.length_preference)))  # type: ignore[arg-type]


def _new_of(form: ConfigureForm) -> NewNewsletter:
    return NewNewsletter.model_validate(form.model_dump(exclude={"revision"}))


def _changes(before: Newsletter, form: ConfigureForm) -> dict[str, Any]:
    unasked = set() if "generator" in form.model_fields_set else {"generator"}  # without a choice there is no field
    values = form.model_dump(exclude={"revision", *unasked})
    return {name: value for name, value in values.items() if getattr(before, name) != value}


def _lengths() -> list[tuple[str, str, str]]:
    return [
        (key, _LENGTH_NAMES[key], f"{least:,}–{most:,} words, {read_time(target_words(key))}")
        for key, (least, most) in LENGTHS.items()
    ]


def _sample(values: dict[str, Any]) -> Markup:
    def tone(name: str) -> int:
        text = str(values.get(name, 50))
        return min(max(int(text), 0), 100) // 10 * 10 if text.isdecimal() else 50

    length = str(values.get("length_preference") or "mixed")
    known = length if length in (*LENGTHS, "quick_read", "standard", "deep_dive") else "mixed"
    chosen = values.get("target_audience") or ()
    audience = tuple(sorted(str(each) for each in (chosen if isinstance(chosen, list | tuple) else (chosen,))))
    markdown = sample_story(tone("tone_professional"), tone("tone_technical"), known, audience)
    theme = theme_of(str(values.get("theme") or "journal")).name
    edition = Edition(Document(title="Sample", sources=_sources()), theme)
    # A sample has no list of sources that its numbers could lead to.
    return Markup(_LEADS.sub(r"\1", text_html(read_blocks(markdown, "en"), edition, prefix="sample-")))


def _sources() -> tuple[Source, ...]:
    return tuple(
        Source(each.n, each.title, each.publisher, each.date or "", str(each.page or ""), each.url or "")
        for each in sample_edition().citations
    )


def _example() -> str:
    draft = sample_edition()
    document = Document(
        title="Lowland Field Notes",
        issue_label="No. 12",
        date="2026-03-02",
        region="Eastern lowlands",
        code="NL-20260302-DEMO",
        blocks=read_blocks(draft.markdown, "en"),
        sources=_sources(),
    )
    return article(Edition(document, "bulletin"), prefix="example-")


def _bands(colour: str) -> Callable[[Newsletter], Markup]:
    """Draws the band of an edition in the brand's colour."""
    return lambda newsletter: Markup(bands.svg(newsletter.newsletter_code, colour))


def _next_step(newsletter: Newsletter) -> str:
    if newsletter.status == "exported":
        return "Open"
    return ("Plan content", "Create outline", "Write draft", "Continue writing")[newsletter.current_step - 1]


async def _older(service: NewsletterService, newsletter: Newsletter) -> list[tuple[str, str, tuple[str, ...]]]:
    """Steps that were made with other settings: name, address, what has changed."""
    topics = await service.topics.of(newsletter)
    outline = await service.outline.of(newsletter)
    found = []
    address = base(newsletter.newsletter_code)
    if changed := topics_outdated(newsletter, topics):
        found.append(("The content that was found", f"{address}/plan", changed))
    if changed := outline_outdated(newsletter, topics, outline):
        found.append(("The outline", f"{address}/outline", changed))
    return found


def _lost(losses: Losses) -> Iterator[str]:
    """What is lost, in people's words."""
    for number, one in (
        (losses.versions, "version of the text"),
        (losses.notes, "note"),
        (losses.files, "exported file or picture"),
        (losses.private_sources, "private source"),
    ):
        if number:
            many = one.replace("version", "versions").replace("note", "notes").replace("file", "files")
            many = many.replace("picture", "pictures").replace("source", "sources")
            yield f"{number:,}{'+' if number >= 100 else ''} {one if number == 1 else many}"
    if losses.shares:
        yield f"access for {losses.shares:,} {'person' if losses.shares == 1 else 'people'}"
    if losses.link:
        yield "the read-online link, which then leads nowhere"
