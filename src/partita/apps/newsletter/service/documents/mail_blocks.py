"""Blocks for mail programs: every element says itself how it looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import nh3

from partita.apps.newsletter.service.documents.blocks import (
    NO_BREAK_SPACE,
    heading_number,
    isolated,
    with_citations,
)
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.html import source_line
from partita.apps.newsletter.service.documents.model import (
    Block,
    Break,
    Cite,
    CodeBlock,
    Figure,
    Heading,
    ListBlock,
    Paragraph,
    Piece,
    Pieces,
    Quote,
    Rule,
    Span,
    Table,
    direction_of,
)
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.apps.newsletter.service.documents.themes import MAIL_SANS, MAIL_SERIF, Colours, light

_COLUMN = 552
_TAGS = {
    *("h2", "h3", "h4", "p", "ul", "ol", "li", "pre", "code", "em", "strong", "hr", "br", "a", "span", "img"),
    *("table", "thead", "tbody", "tr", "th", "td", "bdi", "sup", "div"),
}
_ATTRIBUTES = {
    "*": {"style", "lang", "dir", "align", "id", "name"},
    "a": {"href", "name"},
    "ol": {"start"},
    "img": {"src", "alt", "width", "height", "border"},
    "table": {"role", "width", "cellpadding", "cellspacing", "border", "bgcolor"},
    "td": {"width", "bgcolor", "valign"},
    "th": {"bgcolor", "scope", "valign"},
}
_SCHEMES = {"http", "https", "mailto", "cid"}


@dataclass(frozen=True, slots=True)
class MailStyles:
    """The styles of an edition in a mail, as texts for `style`."""

    colours: Colours
    body: str
    heading: str
    pixels: int
    leading: float
    start: str
    end: str

    @staticmethod
    def of(edition: Edition) -> MailStyles:
        theme = edition.theme
        rtl = edition.document.direction == "rtl"
        return MailStyles(
            colours=light(theme, edition.brand.colour),
            body=MAIL_SERIF if theme.body == "serif" else MAIL_SANS,
            heading=MAIL_SERIF if theme.heading == "serif" else MAIL_SANS,
            pixels=min(theme.pixels, 18) - 1,
            leading=1.75 if edition.document.language in ("ar", "am") else 1.55,
            start="right" if rtl else "left",
            end="left" if rtl else "right",
        )

    @property
    def text(self) -> str:
        return self._font(self.body, self.pixels, self.leading, self.colours.ink)

    @property
    def small(self) -> str:
        return self.small_in(self.colours.quiet)

    @property
    def quiet_link(self) -> str:
        return f"color:{self.colours.quiet};text-decoration:underline;"

    @property
    def link(self) -> str:
        return f"color:{self.colours.accent};text-decoration:underline;"

    @property
    def button(self) -> str:
        font = self._font(MAIL_SANS, 16, 1.3, self.colours.on_block)
        return f"{font}font-weight:bold;text-decoration:none;"

    def small_in(self, colour: str) -> str:
        return self._font(MAIL_SANS, 13, 1.5, colour)

    def title(self, colour: str) -> str:
        return f"{self._font(self.heading, 30, 1.2, colour)}font-weight:bold;margin:0;"

    def heading_of(self, level: int) -> str:
        size, above, below = {1: (22, 28, 10), 2: (18, 20, 6), 3: (16, 16, 4)}[level]
        colour = self.colours.accent if level == 1 else self.colours.ink
        return f"{self._font(self.heading, size, 1.3, colour)}font-weight:bold;margin:{above}px 0 {below}px;"

    @staticmethod
    def _font(family: str, size: int, leading: float, colour: str) -> str:
        return f"font-family:{family};font-size:{size}px;line-height:{round(size * leading)}px;color:{colour};"


class MailBlocks:
    """Writes blocks for a mail."""

    def __init__(self, edition: Edition, styles: MailStyles, pictures: Mapping[str, str]) -> None:
        self._edition = edition
        self._styles = styles
        self._pictures = pictures
        self._language = edition.document.language
        self._known = {source.number for source in edition.document.sources}
        self._counts = [0, 0, 0]

    def html(self, blocks: Sequence[Block], *, short: bool = False) -> str:
        """The text, cleaned; in the short version each heading keeps its first paragraph."""
        return _cleaned("\n".join(self._block(block) for block in (_shortened(blocks) if short else blocks)))

    def sources(self) -> str:
        """The sources that are cited, in small type."""
        document = self._edition.document
        if not document.cited:
            return ""
        styles = self._styles
        rows = []
        for source in document.cited:
            comma = phrases(self._language).comma
            said = comma.join(self._isolated(each) for each in source_line(source, self._language))
            address = ""
            if source.url:
                address = f' <a href="{escape(source.url)}" style="{styles.link}">{escape(source.url)}</a>'
            rows.append(
                f'<tr><td width="34" valign="top" align="{styles.start}" style="{styles.small}padding:0 0 6px;">'
                f'<a name="source-{source.number}"></a>[{source.number}]</td>'
                f'<td align="{styles.start}" valign="top" style="{styles.small}padding:0 0 6px;word-break:break-word;">'
                f"<strong>{self._isolated(source.title)}</strong>{'. ' + said if said else ''}.{address}"
                "</td></tr>"
            )
        title = f'<h2 style="{styles.heading_of(3)}">{escape(phrases(self._language).sources)}</h2>'
        table = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">'
        return _cleaned(f"{title}{table}{''.join(rows)}</table>")

    def _block(self, block: Block) -> str:
        styles = self._styles
        match block:
            case Heading():
                number = f"{heading_number(self._counts, block.level)} " if self._edition.document.numbered else ""
                tag = f"h{block.level + 1}"
                text = self._inline(block.pieces, block.language)
                about = f'{self._about(block.language)} style="{styles.heading_of(block.level)}"'
                return f"<{tag}{about}>{number}{text}</{tag}>"
            case Paragraph():
                text = self._inline(block.pieces, block.language)
                return f'<p{self._about(block.language)} style="{styles.text}margin:0 0 14px;">{text}</p>'
            case ListBlock():
                return self._figures(block) if block.of_figures else self._list(block)
            case Quote():
                inner = "".join(self._block(each) for each in block.blocks)
                return (
                    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>'
                    f'<td{self._about(block.language)} bgcolor="{styles.colours.tint}" '
                    f'style="padding:14px 18px 2px;border-{self._start(block.language)}:4px solid '
                    f'{styles.colours.accent};background-color:{styles.colours.tint};">{inner}</td></tr></table>'
                    '<p style="margin:0 0 6px;font-size:6px;line-height:6px;">&nbsp;</p>'
                )
            case Table():
                return self._table(block)
            case Figure():
                return self._figure(block)
            case CodeBlock():
                return (
                    '<pre dir="ltr" style="font-family:Consolas,Menlo,monospace;font-size:13px;line-height:19px;'
                    f'margin:0 0 14px;white-space:pre-wrap;"><code>{escape(block.text)}</code></pre>'
                )
            case Rule():
                return f'<hr style="border:0;border-top:1px solid {styles.colours.line};margin:20px 0;">'

    def _list(self, block: ListBlock) -> str:
        styles = self._styles
        tag = "ul" if block.start is None else "ol"
        start = f' start="{block.start}"' if block.start not in (None, 1) else ""
        side = f"margin:0 0 14px;padding:0;padding-{self._start(block.language)}:24px;"
        items = []
        for item in block.items:
            match item:
                case (Paragraph() as only, *rest):
                    inner = self._inline(only.pieces, only.language) + "".join(self._block(each) for each in rest)
                case _:
                    inner = "".join(self._block(each) for each in item)
            items.append(f'<li style="{styles.text}margin:0 0 6px;">{inner}</li>')
        return f'<{tag}{start}{self._about(block.language)} style="{side}">{"".join(items)}</{tag}>'

    def _figures(self, block: ListBlock) -> str:
        """Figures one below the other, each with its number large: side by side would not fit on a phone."""
        styles = self._styles
        rows = []
        for item in block.items:
            assert isinstance(item[0], Paragraph)
            figure, *rest = item[0].pieces
            number = self._inline((figure,), item[0].language)
            said = self._inline(tuple(rest), item[0].language)
            large = f"font-family:{styles.heading};font-size:22px;line-height:28px;color:{styles.colours.accent};"
            rows.append(
                f'<tr><td align="{styles.start}" style="{styles.text}padding:6px 18px;">'
                f'<span style="{large}">{number}</span> {said}</td></tr>'
            )
        return (
            f'<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" '
            f'bgcolor="{styles.colours.tint}" style="background-color:{styles.colours.tint};'
            f'border-top:3px solid {styles.colours.accent};">{"".join(rows)}</table>'
            '<p style="margin:0 0 8px;font-size:8px;line-height:8px;">&nbsp;</p>'
        )

    def _table(self, block: Table) -> str:
        styles = self._styles
        font = f"{styles.small_in(styles.colours.ink)}padding:6px 6px;"

        def row(cells: tuple[Pieces, ...], tag: str) -> str:
            rule = f"border-bottom:{'2px' if tag == 'th' else '1px'} solid {styles.colours.line};"
            made = "".join(
                f'<{tag} align="{alignment or self._start(block.language)}" valign="top" style="{font}{rule}">'
                f"{self._inline(cell, block.language)}</{tag}>"
                for cell, alignment in zip(cells, block.alignments, strict=True)
            )
            return f"<tr>{made}</tr>"

        caption = ""
        if block.caption:
            words = self._inline(block.caption, block.language)
            caption = f'<p style="{styles.small_in(styles.colours.ink)}font-weight:bold;margin:0 0 6px;">{words}</p>'
        body = "".join(row(each, "td") for each in block.rows)
        return (
            f'{caption}<table{self._about(block.language)} width="100%" cellpadding="0" cellspacing="0" border="0" '
            f'style="border-collapse:collapse;margin:0 0 18px;"><thead>{row(block.head, "th")}</thead>'
            f"<tbody>{body}</tbody></table>"
        )

    def _figure(self, block: Figure) -> str:
        styles = self._styles
        caption = f'<p style="{styles.small}margin:6px 0 18px;">{escape(block.caption)}</p>' if block.caption else ""
        address = self._pictures.get(block.source)
        picture = self._edition.pictures.get(block.source)
        if not address or picture is None:
            missing = f"{phrases(self._language).picture_missing}: {block.alt or block.source}"
            return f'<p style="{styles.small}margin:0 0 6px;">{escape(missing)}</p>{caption}'
        width = min(picture.width, _COLUMN)
        height = max(1, round(picture.height * width / picture.width))
        return (
            f'<img src="{escape(address)}" alt="{escape(block.alt)}" width="{width}" height="{height}" border="0" '
            f'style="display:block;width:100%;max-width:{width}px;height:auto;border:0;margin:6px 0;">{caption}'
        )

    def _inline(self, pieces: Pieces, language: str) -> str:
        """A citation stays on the line of the word before it."""
        language = language or self._language
        made: list[str] = []
        for piece, cites in with_citations(pieces):
            made.append(self._piece(piece, language))
            made += (f"{NO_BREAK_SPACE}{self._piece(each, language)}" for each in cites)
        return "".join(made)

    def _piece(self, piece: Piece, language: str) -> str:
        match piece:
            case Break():
                return "<br>"
            case Cite():
                if piece.number not in self._known:
                    return f"[{piece.number}]"
                style = f"color:{self._styles.colours.accent};text-decoration:none;font-size:12px;"
                return f'<a href="#source-{piece.number}" style="{style}">[{piece.number}]</a>'
            case Span():
                text = "".join(isolated(piece.text)) if direction_of(language) == "rtl" else escape(piece.text)
                if piece.code:
                    text = f'<code style="font-family:Consolas,Menlo,monospace;">{escape(piece.text)}</code>'
                if piece.italic:
                    text = f"<em>{text}</em>"
                if piece.bold:
                    text = f"<strong>{text}</strong>"
                return f'<a href="{escape(piece.link)}" style="{self._styles.link}">{text}</a>' if piece.link else text

    def _isolated(self, text: str) -> str:
        return "".join(isolated(text)) if self._edition.document.direction == "rtl" else escape(text)

    def _start(self, language: str) -> str:
        return "right" if direction_of(language or self._language) == "rtl" else "left"

    def _about(self, language: str) -> str:
        if not language or language == self._language:
            return ""
        return f' lang="{escape(language)}" dir="{direction_of(language)}" align="{self._start(language)}"'


def _cleaned(markup: str) -> str:
    return nh3.clean(markup, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES, link_rel=None)


def _shortened(blocks: Sequence[Block]) -> list[Block]:
    """Headings, and the first block below each."""
    kept: list[Block] = []
    fresh = True
    for block in blocks:
        if isinstance(block, Heading):
            kept.append(block)
            fresh = True
        elif fresh:
            kept.append(block)
            fresh = False
    return kept
