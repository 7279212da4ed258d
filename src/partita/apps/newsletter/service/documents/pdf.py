"""PDF: WeasyPrint in a process of its own, with limits, without network and without files."""

from __future__ import annotations

from html import escape

from partita.apps.newsletter.service.documents import bands
from partita.apps.newsletter.service.documents.blocks import PICTURE
from partita.apps.newsletter.service.documents.cover import COVER_FROM, is_long
from partita.apps.newsletter.service.documents.edition import Edition, Export
from partita.apps.newsletter.service.documents.html import contents, data_address, issue_line, nameplate, parts
from partita.apps.newsletter.service.documents.model import plain, texts
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.apps.newsletter.service.documents.styles import page_styles, side_margin, stylesheet
from partita.apps.newsletter.service.documents.themes import light
from partita.kit.jobs.child import in_child
from partita.kit.printing.pages import set_pages

PDF = "application/pdf"
SECONDS = 90.0
MEGABYTES = 700
_MOST_ON_COVER = 26
"""More entries than that are listed on a page of their own, and the cover has the sections."""


async def pdf_edition(edition: Edition) -> Export:
    """The edition as a PDF, made in a child process."""
    data, pages, warnings = await in_child(set_pages, *_ask(edition), seconds=SECONDS, megabytes=MEGABYTES)
    return Export(data, PDF, pages, (*edition.warnings, *warnings))


def make_pdf(edition: Edition) -> tuple[bytes, int, list[str]]:
    """The file, how many pages it has, and what is missing; in this process, for tests."""
    return set_pages(*_ask(edition))


def pictures_of(edition: Edition) -> dict[str, tuple[bytes, str]]:
    """All that can be fetched: the edition's own pictures, from memory."""
    found = {f"{PICTURE}{place}": (each.data, each.kind) for place, each in enumerate(edition.pictures.values())}
    logo = edition.brand.logo
    return found if logo is None else found | {data_address(logo): (logo.data, logo.kind)}


def _ask(edition: Edition) -> tuple[str, str | None, str, dict[str, tuple[bytes, str]], list[str], int, bool]:
    """What the process that sets the pages is told. What has facts for a cover has one; others from four pages on."""
    document = edition.document
    styles = stylesheet(edition.theme, edition.brand.colour)
    styles += page_styles(edition.theme, rtl=document.direction == "rtl") + _cover_styles(edition)
    return (
        page_markup(edition, cover=True),
        None if document.facts else page_markup(edition, cover=False),
        styles,
        pictures_of(edition),
        _all_texts(edition),
        COVER_FROM,
        is_long(document),
    )


def page_markup(edition: Edition, *, cover: bool) -> str:
    """The HTML that the pages are made of."""
    document = edition.document
    made = parts(edition)
    entries = made.contents.count("<a ")
    on_page = ""
    if cover:
        long = entries > _MOST_ON_COVER or bool(document.facts)
        first = _cover(edition, "" if document.facts else contents(edition, deep=not long))
        if long and entries:
            on_page = contents(edition, title=phrases(document.language).contents)
        head = first
    else:
        head = f"{made.masthead}"
        on_page = made.contents
    running = f'<div class="running" aria-hidden="true">{escape(document.title)}</div>'
    column = f'<div class="column">{running}{on_page}<div class="text">{made.text}</div>{made.sources}{made.foot}</div>'
    if cover and not (made.text or made.sources or made.foot):
        column = ""  # a proposal that nobody has begun has a cover, and no empty page behind it
    title = escape(document.title)
    author = f'<meta name="author" content="{escape(edition.brand.name)}">' if edition.brand.name else ""
    return (
        f'<html lang="{escape(document.language)}" dir="{document.direction}"><head><meta charset="utf-8">'
        f'<title>{title}</title>{author}<meta name="generator" content="Partita"></head><body>'
        f'<article class="edition {edition.theme.name} {"covered" if cover else ""}" '
        f'lang="{escape(document.language)}" dir="{document.direction}">{head}{column}</article></body></html>'
    )


def _cover(edition: Edition, listed: str) -> str:
    document = edition.document
    band = bands.svg(document.code or document.title, edition.brand.colour)
    issue = "".join(f"<span>{escape(each)}</span>" for each in issue_line(edition))
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in document.facts)
    below = f'<dl class="cover-facts">{facts}</dl>' if facts else listed
    return (
        f'<section class="cover"><div class="ground">{band}<div class="plate">{nameplate(edition)}'
        f'<h1>{escape(document.title)}</h1><p class="issue">{issue}</p></div></div>'
        f'<div class="below">{below}</div></section>'
    )


def _cover_styles(edition: Edition) -> str:
    colours = light(edition.theme, edition.brand.colour)
    styles = _COVER + _COVERS[edition.theme.name]
    styles = styles.replace("$SIDE", f"{side_margin(edition.theme):g}mm")
    return styles.replace("$BLOCK", colours.block).replace("$ON", colours.on_block)


def _all_texts(edition: Edition) -> list[str]:
    document = edition.document
    found = [plain(pieces) for pieces in texts(document.blocks)]
    found += [document.title, document.issue_label, document.region, document.made_with]
    found += [f"{source.title} {source.publisher}" for source in document.cited]
    return [*found, edition.brand.name, edition.brand.line, edition.brand.imprint, edition.brand.sign_off]


_COVER = """
.edition .cover { page: cover; break-after: page; width: 210mm; height: 297mm; position: relative; }
.edition .cover .band { width: 210mm; height: 35mm; }
.edition .cover .plate { padding: 17mm $SIDE 15mm; }
.edition .cover h1 { font-size: 34pt; line-height: 1.08; }
.edition .cover h1:lang(ar), .edition .cover h1:lang(am) { line-height: 1.3; }
.edition .cover .issue { font-size: 11pt; margin-top: 5mm; }
.edition .cover .nameplate { font-size: 10pt; margin-bottom: 12mm; }
.edition .cover .nameplate .logo { max-height: 16mm; max-width: 60mm; }
.edition .cover .below { padding: 11mm $SIDE 0; }
.edition .cover .contents { display: block; background: none; border: 0; padding: 0; font-size: 10.5pt; margin: 0; }
.edition .cover .contents h2 { font-size: 10.5pt; margin-bottom: 4mm; }
.edition .cover .contents > ol > li { margin-bottom: 2.6mm; }
.edition .cover .contents ol ol { font-size: 0.93em; margin-top: 0.8mm; }
.edition .cover .cover-facts { font-size: 11pt; gap: 3mm 8mm; }
.edition.covered .contents { display: block; }
"""
_COVERS = {
    "journal": """
.edition .cover .ground { text-align: center; }
.edition .cover .band { height: 12mm; }
.edition .cover .plate { margin: 26mm $SIDE 0; padding: 13mm 0 12mm; border-top: 4px double var(--ink);
  border-bottom: 1px solid var(--ink); }
.edition .cover .nameplate { justify-content: center; }
""",
    "bulletin": """
.edition .cover .ground { background: $BLOCK; color: $ON; }
.edition .cover .ground h1, .edition .cover .ground .issue, .edition .cover .ground .nameplate,
.edition .cover .ground .issue > span + span::before { color: $ON; }
.edition .cover .band { height: 52.5mm; }
""",
    "field": """
.edition .cover .band { display: none; }
.edition .cover .plate { margin: 20mm $SIDE 0; padding: 0 0 9mm; border-bottom: 7px solid #000; }
.edition .cover .issue { font-weight: 700; color: #000; }
.edition .cover .contents { border: 0; font-size: 12pt; }
.edition .cover .contents h2 { font-size: 13pt; }
""",
    "letter": """
.edition .cover .band { width: 40mm; height: 4mm; margin: 26mm $SIDE 0; }
.edition .cover .plate { padding-top: 9mm; }
.edition .cover h1 { font-size: 24pt; line-height: 1.2; }
.edition .cover .below { padding-top: 0; }
""",
}
