"""The web edition: one file without script, whose pictures are in it; and the same markup for pages and for PDF."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from html import escape

from partita.apps.newsletter.service.documents import bands
from partita.apps.newsletter.service.documents.blocks import PICTURE, BlocksHtml, heading_number, isolated
from partita.apps.newsletter.service.documents.edition import Edition, Export
from partita.apps.newsletter.service.documents.model import Block, Heading, Picture, Source, direction_of, plain
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.apps.newsletter.service.documents.styles import page_document, stylesheet

HTML = "text/html; charset=utf-8"
_NO_BREAK = "\u00a0"
_PICTURE = re.compile(rf'src="{PICTURE}(\d+)"')


@dataclass(frozen=True, slots=True)
class Parts:
    """An edition in pieces of HTML."""

    masthead: str
    contents: str
    text: str
    sources: str
    foot: str


def web_edition(edition: Edition) -> Export:
    """One file that can be opened anywhere, saved, printed and passed on."""
    document = edition.document
    words = phrases(document.language)
    body = article(edition, side=True)
    styles = f"{page_document()}\n{stylesheet(edition.theme, edition.brand.colour)}"
    head = f'<meta name="description" content="{escape(document.preheader)}">' if document.preheader else ""
    page = (
        f'<!DOCTYPE html>\n<html lang="{escape(document.language)}" dir="{document.direction}">\n<head>\n'
        f'<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<meta name="generator" content="Partita">\n{head}'
        f"<title>{escape(document.title)}</title>\n<style>{styles}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#text">{escape(words.skip)}</a>\n{with_data(body, edition)}\n</body>\n</html>\n'
    )
    return Export(page.encode(), HTML, warnings=edition.warnings)


def article(edition: Edition, *, side: bool = False, prefix: str = "") -> str:
    """The edition as one element; pictures have placeholders as addresses (`with_data`, `with_addresses`)."""
    document = edition.document
    made = parts(edition, prefix=prefix)
    around = f'<div class="side">{made.contents}</div>' if side and made.contents else ""
    inner = made.contents if not side else ""
    kind = "edition with-side" if around else "edition"
    return (
        f'<article class="{kind} {edition.theme.name}" lang="{escape(document.language)}" '
        f'dir="{document.direction}">\n{made.masthead}\n<div class="sheet">{_side(around)}<div class="column">\n{inner}'
        f'<div class="text" id="{prefix}text">\n{made.text}\n</div>\n'
        f"{made.sources}\n{made.foot}\n</div></div>\n</article>"
    )


def _side(contents: str) -> str:
    return contents.replace('<div class="side">', '<div class="side column">') if contents else ""


def text_html(blocks: tuple[Block, ...], edition: Edition, *, prefix: str = "") -> str:
    """Some blocks of an edition alone, such as a section for a preview."""
    return _writer(edition, prefix).html(blocks)


def parts(edition: Edition, *, prefix: str = "") -> Parts:
    """The edition taken apart."""
    document = edition.document
    writer = _writer(edition, prefix)
    text = writer.html(document.blocks)
    return Parts(
        masthead=_masthead(edition),
        contents=contents(edition, prefix=prefix),
        text=text,
        sources=_sources(edition, writer.cited, prefix),
        foot=_foot(edition),
    )


def contents(edition: Edition, *, prefix: str = "", deep: bool = True, title: str = "") -> str:
    """The headings as a list of links; nothing if there is only one."""
    document = edition.document
    counts = [0, 0, 0]
    sections: list[tuple[str, list[str]]] = []
    total = 0
    for place, heading in enumerate(document.headings, 1):
        number = f"{heading_number(counts, heading.level)} " if document.numbered else ""
        if heading.level > 2:
            continue
        total += 1
        link = f'<a href="#{prefix}h-{place}"{_about(heading, document.language)}>{number}{_words(heading)}</a>'
        if heading.level == 1 or not sections:
            sections.append((link, []))
        elif deep:
            sections[-1][1].append(link)
    if total < 2:
        return ""
    label = title or phrases(document.language).in_this_issue
    entries = "".join(
        f"<li>{link}{'<ol>' + ''.join(f'<li>{each}</li>' for each in below) + '</ol>' if below else ''}</li>"
        for link, below in sections
    )
    return f'<nav class="contents" aria-label="{escape(label)}"><h2>{escape(label)}</h2><ol>{entries}</ol></nav>\n'


def with_data(markup: str, edition: Edition) -> str:
    """With every picture in the markup itself."""
    return _with(markup, [data_address(picture) for picture in edition.pictures.values()])


def with_addresses(markup: str, edition: Edition, base: str) -> str:
    """With pictures by address: the base and their number."""
    return _with(markup, [f"{base}{place}" for place in range(len(edition.pictures))])


def data_address(picture: Picture) -> str:
    """A picture as an address that holds it."""
    return f"data:{picture.kind};base64,{base64.b64encode(picture.data).decode()}"


def source_line(source: Source, language: str) -> list[str]:
    """Publisher, date, and pages or sections of a source, as far as they are known."""
    words = phrases(language)
    page = f"{words.page}{_NO_BREAK}{source.page}" if source.page else ""
    day = words.day(source.date) if source.date else ""
    return [each for each in (source.publisher, day, page, source.sections) if each]


def _with(markup: str, addresses: list[str]) -> str:
    return _PICTURE.sub(lambda found: f'src="{escape(addresses[int(found[1])])}"', markup)


def _writer(edition: Edition, prefix: str) -> BlocksHtml:
    document = edition.document
    return BlocksHtml(
        document.language,
        known=frozenset(source.number for source in document.sources),
        pictures={name: (picture.width, picture.height) for name, picture in edition.pictures.items()},
        prefix=prefix,
        numbered=document.numbered,
    )


def _words(heading: Heading) -> str:
    text = "".join(plain((piece,)) for piece in heading.pieces if not plain((piece,)).startswith("["))
    return escape(" ".join(text.split()))


def _about(heading: Heading, language: str) -> str:
    if heading.language == language:
        return ""
    return f' lang="{escape(heading.language)}" dir="{direction_of(heading.language)}"'


def _isolated(text: str, edition: Edition) -> str:
    if edition.document.direction == "rtl":
        return "".join(isolated(text))
    return escape(text, quote=False)


def nameplate(edition: Edition) -> str:
    """Logo and line of the brand."""
    brand = edition.brand
    logo = ""
    if brand.logo is not None:
        logo = (
            f'<img class="logo" src="{data_address(brand.logo)}" alt="{escape(brand.name)}" '
            f'width="{brand.logo.width}" height="{brand.logo.height}">'
        )
    line = brand.line or (brand.name if brand.logo is None else "")
    said = f"<span>{_isolated(line, edition)}</span>" if line else ""
    return f'<div class="nameplate">{logo}{said}</div>' if logo or said else ""


def issue_line(edition: Edition) -> list[str]:
    """Issue, date in the edition's language, region."""
    document = edition.document
    day = phrases(document.language).day(document.date) if document.date else ""
    return [each for each in (document.issue_label, day, document.region) if each]


def _masthead(edition: Edition) -> str:
    document = edition.document
    said = "".join(f"<span>{_isolated(each, edition)}</span>" for each in issue_line(edition))
    issue = f'<p class="issue">{said}</p>' if said else ""
    band = bands.svg(document.code or document.title, edition.brand.colour)
    title = f"<h1>{_isolated(document.title, edition)}</h1>"
    facts = _facts(edition)
    if edition.theme.name == "bulletin":
        inner = f'{band}<div class="column">{nameplate(edition)}{title}{issue}{facts}</div>'
    elif edition.theme.name == "letter":
        inner = f'<div class="column">{band}{nameplate(edition)}{title}{issue}{facts}</div>'
    else:
        inner = f'<div class="column">{nameplate(edition)}<div class="rules">{title}{issue}</div>{band}{facts}</div>'
    return f'<header class="masthead">{inner}</header>'


def _facts(edition: Edition) -> str:
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{_isolated(value, edition)}</dd>" for name, value in edition.document.facts
    )
    return f'<dl class="cover-facts">{rows}</dl>' if rows else ""


def _sources(edition: Edition, cited: dict[int, int], prefix: str) -> str:
    document = edition.document
    if not document.cited:
        return ""
    words = phrases(document.language)
    entries = "".join(_source(source, cited.get(source.number, 0), edition, prefix) for source in document.cited)
    return (
        f'<section class="sources" aria-labelledby="{prefix}sources"><h2 id="{prefix}sources">'
        f"{escape(words.sources)}</h2><ol>{entries}</ol></section>"
    )


def _source(source: Source, count: int, edition: Edition, prefix: str) -> str:
    language = edition.document.language
    words = phrases(language)
    said = words.comma.join(_isolated(each, edition) for each in source_line(source, language))
    address = ""
    if source.url:
        address = f' <a class="address" href="{escape(source.url)}" dir="ltr">{escape(source.url)}</a>'
    number = f"[{source.number}]"
    if count:
        label = escape(f"{words.back} {number}")
        number = f'<a class="to-text" href="#{prefix}cite-{source.number}-1" aria-label="{label}">{number}</a>'
    title = f"<strong>{_isolated(source.title, edition)}</strong>"
    return (
        f'<li id="{prefix}source-{source.number}"><span class="number">{number}</span>'
        f'<span class="entry">{title}{". " + said if said else ""}.{address}</span></li>'
    )


def _foot(edition: Edition) -> str:
    brand, document = edition.brand, edition.document
    lines = [
        f'<p class="{kind}">{_isolated(text, edition)}</p>'
        for kind, text in (("sign-off", brand.sign_off), ("imprint", brand.imprint), ("made", document.made_with))
        if text
    ]
    return f'<footer class="colophon">{"".join(lines)}</footer>' if lines else ""
