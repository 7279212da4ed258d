"""Blocks as HTML: everything escaped, then cleaned once more, so that no text can become anything but text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

import nh3

from partita.apps.newsletter.service.documents.columns import many_columns
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
from partita.apps.newsletter.service.documents.scripts import LATIN_OR_FIGURES

PICTURE = "picture:"
"""The address of a picture until the format says where it is."""
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
"""Before a citation, in its link: before a space outside it WeasyPrint would break lines too early."""
_TAGS = {
    *("h2", "h3", "h4", "p", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "hr", "br", "a", "bdi"),
    *("div", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "img", "span"),
}
_ATTRIBUTES = {
    "*": {"class", "dir", "id", "lang"},
    "a": {"href", "aria-label"},
    "ol": {"start"},
    "img": {"src", "alt", "width", "height"},
    "th": {"scope"},
    "div": {"tabindex", "role", "aria-label"},
}
_SCHEMES = {"http", "https", "mailto", "picture"}


class BlocksHtml:
    """Writes blocks; counts headings and citations, so that contents and sources can lead to them."""

    def __init__(
        self,
        language: str,
        *,
        known: frozenset[int] = frozenset(),
        pictures: Mapping[str, tuple[int, int]] | None = None,
        prefix: str = "",
        numbered: bool = False,
    ) -> None:
        self._language = language
        self._known = known
        self._pictures = pictures or {}
        self._prefix = prefix
        self._numbered = numbered
        self._counts = [0, 0, 0]
        self._headings = 0
        self.cited: dict[int, int] = {}
        """How often each source has been cited so far."""

    def html(self, blocks: Sequence[Block]) -> str:
        """The blocks, cleaned."""
        return nh3.clean(
            "\n".join(self._block(block) for block in blocks),
            tags=_TAGS,
            attributes=_ATTRIBUTES,
            url_schemes=_SCHEMES,
            link_rel=None,
        )

    def _block(self, block: Block) -> str:
        match block:
            case Heading():
                return self._heading(block)
            case Paragraph():
                kind = ' class="leads-on"' if block.leads_on else ""
                return f"<p{kind}{self._about(block.language)}>{self.inline(block.pieces, block.language)}</p>"
            case ListBlock():
                return self._list(block)
            case Quote():
                inner = "".join(self._block(each) for each in block.blocks)
                return f"<blockquote{self._about(block.language)}>{inner}</blockquote>"
            case Table():
                return self._table(block)
            case Figure():
                return self._figure(block)
            case CodeBlock():
                return f'<pre dir="ltr"><code>{escape(block.text)}</code></pre>'
            case Rule():
                return "<hr>"

    def _heading(self, block: Heading) -> str:
        self._headings += 1
        number = ""
        if self._numbered:
            number = f"{heading_number(self._counts, block.level)} "
        tag = f"h{block.level + 1}"
        place = f' id="{self._prefix}h-{self._headings}"'
        text = self.inline(block.pieces, block.language)
        return f"<{tag}{place}{self._about(block.language)}>{number}{text}</{tag}>"

    def _list(self, block: ListBlock) -> str:
        tag = "ul" if block.start is None else "ol"
        about = self._about(block.language)
        if block.of_figures:
            about += ' class="key-figures"'
        if block.start not in (None, 1):
            about += f' start="{block.start}"'
        items = "".join(f"<li>{self._item(item)}</li>" for item in block.items)
        return f"<{tag}{about}>{items}</{tag}>"

    def _item(self, item: tuple[Block, ...]) -> str:
        """A single paragraph needs no space around it."""
        match item:
            case (Paragraph() as only, *rest) if all(isinstance(each, ListBlock) for each in rest):
                text = self.inline(only.pieces, only.language)
                about = self._about(only.language)
                first = f"<p{about}>{text}</p>" if about else text
                return first + "".join(self._block(each) for each in rest)
        return "".join(self._block(each) for each in item)

    def _table(self, block: Table) -> str:
        def row(cells: tuple[Pieces, ...], tag: str) -> str:
            made = []
            for cell, alignment in zip(cells, block.alignments, strict=True):
                about = f' class="{alignment}"' if alignment else ""
                scope = ' scope="col"' if tag == "th" else ""
                made.append(f"<{tag}{scope}{about}>{self.inline(cell, block.language)}</{tag}>")
            return f"<tr>{''.join(made)}</tr>"

        caption = f"<caption>{self.inline(block.caption, block.language)}</caption>" if block.caption else ""
        head = f"<thead>{row(block.head, 'th')}</thead>"
        body = "".join(row(each, "td") for each in block.rows)
        table = f"<table{self._about(block.language)}>{caption}{head}<tbody>{body}</tbody></table>"
        about = "wide-table many-columns" if many_columns(block) else "wide-table"
        return f'<div class="{about}" tabindex="0">{table}</div>'

    def _figure(self, block: Figure) -> str:
        about = self._about(block.language)
        caption = f"<figcaption>{escape(block.caption)}</figcaption>" if block.caption else ""
        if block.source not in self._pictures:
            missing = f"{phrases(self._language).picture_missing}: {block.alt or block.source}"
            return f'<figure{about}><div class="missing">{escape(missing)}</div>{caption}</figure>'
        width, height = self._pictures[block.source]
        place = list(self._pictures).index(block.source)
        size = f' width="{width}" height="{height}"'
        picture = f'<img src="{PICTURE}{place}" alt="{escape(block.alt)}"{size}>'
        return f"<figure{about}>{picture}{caption}</figure>"

    def inline(self, pieces: Pieces, language: str) -> str:
        """Pieces in a block of a language. A citation stays on the line of the word before it."""
        language = language or self._language
        made: list[str] = []
        for piece, cites in with_citations(pieces):
            made.append(self._piece(piece, language))
            made += (self._citation(each.number, before=NO_BREAK_SPACE) for each in cites)
        return "".join(made)

    def _piece(self, piece: Piece, language: str) -> str:
        match piece:
            case Break():
                return "<br>"
            case Cite():
                return self._citation(piece.number)
            case Span():
                return self._span(piece, language)

    def _span(self, span: Span, language: str) -> str:
        if span.code:
            made = f"<code>{escape(span.text)}</code>"
        elif direction_of(language) == "rtl":
            made = "".join(isolated(span.text))
        else:
            made = escape(span.text, quote=False)
        if span.italic:
            made = f"<em>{made}</em>"
        if span.bold:
            made = f"<strong>{made}</strong>"
        return f'<a href="{escape(span.link)}">{made}</a>' if span.link else made

    def _citation(self, number: int, before: str = "") -> str:
        if number not in self._known:
            return f"{before}[{number}]"
        count = self.cited.get(number, 0) + 1
        self.cited[number] = count
        place, target = f"{self._prefix}cite-{number}-{count}", f"{self._prefix}source-{number}"
        label = phrases(self._language).cited.format(number=number)
        return f'<a class="cite" id="{place}" href="#{target}" aria-label="{label}">{before}[{number}]</a>'

    def _about(self, language: str) -> str:
        """Language and direction, if they are others than the edition's."""
        if not language or language == self._language:
            return ""
        return f' lang="{escape(language)}" dir="{direction_of(language)}"'


def with_citations(pieces: Pieces) -> Iterator[tuple[Piece, list[Cite]]]:
    """Pieces, each with the citations that follow it; without the spaces between."""
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        place += 1
        cites: list[Cite] = []
        if isinstance(piece, Span) and piece.text.endswith(" ") and piece == Span(piece.text):
            while place < len(pieces) and isinstance(following := pieces[place], Cite):
                cites.append(following)
                place += 1
                if place + 1 < len(pieces) and pieces[place] == Span(" ") and isinstance(pieces[place + 1], Cite):
                    place += 1
            piece = Span(piece.text.rstrip(" ")) if cites else piece
        yield piece, cites


def isolated(text: str) -> Iterator[str]:
    """Text of a language from right to left, with Latin names and figures kept in their own order."""
    place = 0
    for found in LATIN_OR_FIGURES.finditer(text):
        yield escape(text[place : found.start()], quote=False)
        yield f'<bdi dir="ltr">{escape(found[0], quote=False)}</bdi>'
        place = found.end()
    yield escape(text[place:], quote=False)


def heading_number(counts: list[int], level: int) -> str:
    """The next number of a heading, `2.1`; counts on."""
    counts[level - 1] += 1
    for below in range(level, len(counts)):
        counts[below] = 0
    return ".".join(str(each) for each in counts[:level])
