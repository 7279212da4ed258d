"""DOCX: real styles, contents that are filled in, page numbers, bookmarks, links, descriptions of pictures."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

import docx
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_BREAK
from docx.shared import Emu, Mm
from docx.text.paragraph import Paragraph as WordParagraph
from PIL import Image, UnidentifiedImageError

from partita.apps.newsletter.service.documents import bands
from partita.apps.newsletter.service.documents.blocks import heading_number
from partita.apps.newsletter.service.documents.columns import many_columns, widths
from partita.apps.newsletter.service.documents.cover import has_cover
from partita.apps.newsletter.service.documents.edition import Edition, Export
from partita.apps.newsletter.service.documents.html import issue_line, source_line
from partita.apps.newsletter.service.documents.model import (
    Block,
    Break,
    Cite,
    CodeBlock,
    Figure,
    Heading,
    ListBlock,
    Paragraph,
    Picture,
    Pieces,
    Quote,
    Rule,
    Span,
    Table,
    direction_of,
    plain,
)
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.apps.newsletter.service.documents.styles import side_margin
from partita.apps.newsletter.service.documents.themes import Face, light
from partita.apps.newsletter.service.documents.word_marks import (
    LOCALES,
    Bookmarks,
    add_field,
    begin_field,
    element,
    end_field,
    insert_in_order,
    link_to,
    link_within,
    move_into,
    runs_by_script,
    set_direction,
    set_language,
    shade,
)
from partita.apps.newsletter.service.documents.word_styles import complex_face, set_styles

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_DEEPEST_LIST = 3
_KEPT_TOGETHER = 10
"""A table of so many rows stays on one page."""
_ABOVE_TITLE, _ABOVE_FACTS = 55, 12
"""Millimetres on a cover."""
_SHOWN_BY_WORD = ("PNG", "JPEG", "GIF")
_LEFT_TO_RIGHT = "\u200e"


def word_edition(edition: Edition) -> Export:
    """The edition as a file of Word."""
    data = _Writer(edition).file()
    return Export(data, DOCX, warnings=edition.warnings)


class _Writer:
    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        self._document = edition.document
        self._language = edition.document.language
        self._words = phrases(self._language)
        self._width = Mm(210 - 2 * side_margin(edition.theme))
        self._known = {source.number for source in edition.document.sources}
        self._bookmarks = Bookmarks()
        self._headings = 0
        self._counts = [0, 0, 0]
        self._cited: set[int] = set()
        self._covered = has_cover(edition.document)
        self._breaks = False
        """Whether the next paragraph begins a page."""
        self._word: Any = docx.Document()
        set_styles(self._word, edition)

    def file(self) -> bytes:
        self._properties()
        self._masthead()
        # Facts fill a cover; else what is inside does.
        self._breaks = self._covered and bool(self._document.facts)
        self._contents()
        self._breaks |= self._covered and not self._document.facts
        for block in self._document.blocks:
            self._block(block, self._word)
        self._sources()
        self._foot()
        self._running()
        made = io.BytesIO()
        self._word.save(made)
        return made.getvalue()

    # ---- around the text

    def _properties(self) -> None:
        core = self._word.core_properties
        core.title = self._document.title
        core.subject = self._document.preheader
        core.author = self._edition.brand.name
        core.language = LOCALES.get(self._language, self._language)
        core.comments, core.keywords = "", self._document.code
        try:
            day = datetime.fromisoformat(self._document.date[:10]).replace(tzinfo=UTC)
        except ValueError:
            day = datetime(2000, 1, 1, tzinfo=UTC)
        core.created = core.modified = day

    def _masthead(self) -> None:
        document, brand = self._document, self._edition.brand
        if self._edition.theme.name != "field":
            band = bands.png(document.code or document.title, brand.colour)
            self._picture(self._word.add_paragraph(), band, self._width, "")
        if brand.logo is not None and _is_known(brand.logo):
            width = min(Mm(45), Mm(16 * brand.logo.width / brand.logo.height))
            self._picture(self._paragraph(self._word, "Normal", self._language), brand.logo.data, width, brand.name)
        line = brand.line or brand.name
        if line:
            self._text(self._paragraph(self._word, "Subtitle", self._language), line, self._language, "sans")
        title = self._paragraph(self._word, "Title", self._language)
        if self._covered:
            title.paragraph_format.space_before = Mm(_ABOVE_TITLE)
        self._text(title, document.title, self._language, self._edition.theme.heading)
        said = " · ".join(issue_line(self._edition))
        if said:
            self._text(self._paragraph(self._word, "Subtitle", self._language), said, self._language, "sans")
        for place, (name, value) in enumerate(document.facts):
            fact = self._paragraph(self._word, "Normal", self._language)
            if not place:
                fact.paragraph_format.space_before = Mm(_ABOVE_FACTS)
            self._text(fact, f"{name}: ", self._language, self._edition.theme.body, bold=True)
            self._text(fact, value, self._language, self._edition.theme.body)

    def _contents(self) -> None:
        """A field that Word can renew, with its entries already there; each leads to its heading."""
        shown = [(place, each) for place, each in enumerate(self._document.headings, 1) if each.level < 3]
        if len(shown) < 2:
            return
        label = self._words.contents if self._document.numbered else self._words.in_this_issue
        head = self._paragraph(self._word, "Contents Heading", self._language)
        self._text(head, label, self._language, "sans", bold=True)
        counts = [0, 0, 0]
        numbers = {
            place: f"{heading_number(counts, each.level)} " if self._document.numbered else ""
            for place, each in enumerate(self._document.headings, 1)
        }
        for position, (place, heading) in enumerate(shown):
            entry = self._paragraph(self._word, f"TOC {heading.level}", heading.language)
            if position == 0:
                begin_field(entry, 'TOC \\o "1-2" \\h \\z \\u')
            link = link_within(entry, f"_Toc{place:06}")
            text = numbers[place] + " ".join(plain(_without_citations(heading.pieces)).split())
            self._text(entry, text, heading.language, "sans", into=link)
            if position == len(shown) - 1:
                end_field(entry)
                entry.paragraph_format.space_after = Mm(7)

    def _sources(self) -> None:
        if not self._document.cited:
            return
        head = self._paragraph(self._word, "Heading 1", self._language)
        self._text(head, self._words.sources, self._language, self._edition.theme.heading, bold=True)
        for source in self._document.cited:
            entry = self._paragraph(self._word, "Source", self._language)
            if source.number in self._cited:
                back = link_within(entry, f"cite_{source.number}")
                self._text(entry, f"[{source.number}]", self._language, "sans", into=back)
            else:
                self._text(entry, f"[{source.number}]", self._language, "sans")
            self._text(entry, "\t", self._language, "sans")
            self._text(entry, source.title, self._language, "sans", bold=True)
            said = self._words.comma.join(source_line(source, self._language))
            self._text(entry, f"{'. ' + said if said else ''}.", self._language, "sans")
            if source.url:
                self._text(entry, " ", self._language, "sans")
                self._text(entry, source.url, "en", "sans", into=link_to(entry, source.url), style="Hyperlink")
            self._bookmarks.around(entry, f"source_{source.number}")

    def _foot(self) -> None:
        brand = self._edition.brand
        parts = ((brand.sign_off, "Normal"), (brand.imprint, "Imprint"), (self._document.made_with, "Imprint"))
        lines = [(line, style) for text, style in parts if text for line in text.split("\n")]
        for place, (line, style) in enumerate(lines, 1):
            paragraph = self._paragraph(self._word, style, self._language)
            paragraph.paragraph_format.keep_with_next = place < len(lines)
            self._text(paragraph, line, self._language, "sans")

    def _running(self) -> None:
        """The title above every page but the first, and "3 / 12" below, but not on a cover."""
        section = self._word.sections[0]
        section.different_first_page_header_footer = True
        header = section.header.paragraphs[0]
        header.style = self._word.styles["Header"]
        set_direction(header, self._language)
        self._text(header, self._document.title, self._language, "sans")
        first = () if self._covered else (section.first_page_footer.paragraphs[0],)
        for footer in (section.footer.paragraphs[0], *first):
            footer.style = self._word.styles["Footer"]
            footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
            add_field(footer, "PAGE", "1")
            footer.add_run(" / ")
            add_field(footer, "NUMPAGES", "1")
        if direction_of(self._language) == "rtl":
            section._sectPr.append(element("bidi"))

    # ---- blocks

    def _block(self, block: Block, place: Any, *, depth: int = 0, style: str = "Normal") -> None:
        match block:
            case Heading():
                self._heading(block, place)
            case Paragraph():
                paragraph = self._paragraph(place, style, block.language)
                paragraph.paragraph_format.keep_with_next = block.leads_on or None
                self._inline(paragraph, block.pieces, block.language)
            case ListBlock():
                self._list(block, place, depth)
            case Quote():
                for inner in block.blocks:
                    self._block(inner, place, depth=depth, style="Quote")
            case Table():
                self._table(block)
            case Figure():
                self._figure(block, place)
            case CodeBlock():
                paragraph = self._paragraph(place, "Code", "en")
                for number, line in enumerate(block.text.split("\n")):
                    run = paragraph.add_run(line)
                    if number < block.text.count("\n"):
                        run.add_break(WD_BREAK.LINE)
            case Rule():
                rule = self._paragraph(place, "Normal", self._language)
                borders = element("pBdr")
                colour = light(self._edition.theme, self._edition.brand.colour).line.lstrip("#")
                borders.append(element("bottom", val="single", sz="6", space="1", color=colour))
                insert_in_order(rule._p.get_or_add_pPr(), borders, of_run=False)

    def _heading(self, block: Heading, place: Any) -> None:
        self._headings += 1
        paragraph = self._paragraph(place, f"Heading {block.level}", block.language)
        if self._document.numbered:
            number = f"{heading_number(self._counts, block.level)} "
            self._text(paragraph, number, block.language, self._edition.theme.heading, bold=True)
        self._inline(paragraph, block.pieces, block.language, face=self._edition.theme.heading, bold=True)
        self._bookmarks.around(paragraph, f"_Toc{self._headings:06}")

    def _list(self, block: ListBlock, place: Any, depth: int) -> None:
        level = min(depth + 1, _DEEPEST_LIST)
        kind = "List Bullet" if block.start is None else "List Number"
        style = kind if level == 1 else f"{kind} {level}"
        numbering = None if block.start is None else self._numbering(style, block.start)
        for item in block.items:
            first = True
            for inner in item:
                if first and isinstance(inner, Paragraph):
                    paragraph = self._paragraph(place, style, inner.language)
                    if numbering is not None:
                        set_numbering(paragraph, numbering)
                    self._inline(paragraph, inner.pieces, inner.language)
                else:
                    self._block(inner, place, depth=depth + 1, style="List Continue")
                first = False

    def _numbering(self, style: str, start: int) -> int:
        """A numbering of its own, so that the list begins with its number and not where the last one ended."""
        part = self._word.part.numbering_part.element
        base = self._word.styles[style].element.pPr.numPr.numId.val
        kind = next(num.abstractNumId.val for num in part.num_lst if num.numId == base)
        made = part.add_num(kind)
        override = made.add_lvlOverride(ilvl=0)
        override.add_startOverride(start)
        return int(made.numId)

    def _table(self, block: Table) -> None:
        if block.caption:
            caption = self._paragraph(self._word, "Caption", block.language)
            caption.paragraph_format.keep_with_next = True
            self._inline(caption, block.caption, block.language, face="sans")
        if self._breaks:  # a table cannot begin a page by itself
            self._paragraph(self._word, "Normal", self._language)
        table = self._word.add_table(rows=0, cols=len(block.head))
        table.style = "Table Grid"
        table.alignment = WD_TABLE_ALIGNMENT.CENTER
        table.autofit = False
        many = many_columns(block)
        width = Mm(180) if many else self._width
        shares = [Emu(round(width * share)) for share in widths(block)]
        for column, share in zip(table.columns, shares, strict=True):
            column.width = share
        if direction_of(block.language or self._language) == "rtl":
            table._tbl.tblPr.insert(1, element("bidiVisual"))
        self._borders(table)
        tint = light(self._edition.theme, self._edition.brand.colour).tint
        short = len(block.rows) <= _KEPT_TOGETHER
        for number, row in enumerate((block.head, *block.rows)):
            made = table.add_row()
            made._tr.get_or_add_trPr().append(element("cantSplit"))
            if number == 0:
                made._tr.get_or_add_trPr().append(element("tblHeader"))
            for cell, pieces, alignment, share in zip(made.cells, row, block.alignments, shares, strict=True):
                cell.width = share
                paragraph = cell.paragraphs[0]
                paragraph.style = self._word.styles["Small Table Text" if many else "Table Text"]
                set_direction(paragraph, block.language)
                paragraph.paragraph_format.keep_with_next = short and number < len(block.rows)
                if alignment:
                    paragraph.alignment = _ALIGNED[alignment]
                self._inline(paragraph, pieces, block.language, face="sans", bold=number == 0)
                if number == 0:
                    shade(cell, tint)
        self._paragraph(self._word, "Table Text", self._language)

    def _borders(self, table: Any) -> None:
        colour = light(self._edition.theme, self._edition.brand.colour).line.lstrip("#")
        borders = element("tblBorders")
        for side in ("top", "left", "bottom", "right", "insideH", "insideV"):
            shown = side in ("top", "bottom", "insideH") or self._edition.theme.name == "field"
            borders.append(element(side, val="single" if shown else "nil", sz="4", space="0", color=colour))
        table._tbl.tblPr.append(borders)

    def _figure(self, block: Figure, place: Any) -> None:
        picture = self._edition.pictures.get(block.source)
        if picture is None or not _is_known(picture):
            missing = f"{self._words.picture_missing}: {block.alt or block.source}"
            self._text(self._paragraph(place, "Caption", block.language), missing, block.language, "sans")
        else:
            width = min(self._width, Mm(picture.width * 25.4 / 150))
            paragraph = self._paragraph(place, "Normal", self._language)
            paragraph.paragraph_format.keep_with_next = bool(block.caption)
            self._picture(paragraph, _for_word(picture), width, block.alt)
        if block.caption:
            caption = self._paragraph(place, "Caption", block.language)
            self._text(caption, block.caption, block.language, "sans")

    # ---- text

    def _paragraph(self, place: Any, style: str, language: str) -> WordParagraph:
        name = style if style in self._word.styles else "Normal"
        made: WordParagraph = place.add_paragraph(style=name)
        set_direction(made, language or self._language)
        if self._breaks:
            made.paragraph_format.page_break_before = True
            self._breaks = False
        return made

    def _inline(
        self, paragraph: WordParagraph, pieces: Pieces, language: str, *, face: Face | None = None, bold: bool = False
    ) -> None:
        face = face or self._edition.theme.body
        language = language or self._language
        link, address = None, ""
        for piece, following in zip_longest(pieces, pieces[1:]):
            match piece:
                case Break():
                    paragraph.add_run().add_break(WD_BREAK.LINE)
                case Cite():
                    self._citation(paragraph, piece.number, language, face)
                case Span():
                    if piece.link and piece.link != address:
                        link = link_to(paragraph, piece.link)
                    address = piece.link
                    # A citation stays on the line of the word before it.
                    close = isinstance(following, Cite) and piece.text.endswith(" ")
                    self._text(
                        paragraph,
                        f"{piece.text[:-1]}\N{NO-BREAK SPACE}" if close else piece.text,
                        language,
                        face,
                        bold=bold or piece.bold,
                        italic=piece.italic,
                        into=link if piece.link else None,
                        style="Hyperlink" if piece.link else "",
                        code=piece.code,
                    )
                    continue
            address = ""

    def _citation(self, paragraph: WordParagraph, number: int, language: str, face: Face) -> None:
        if number not in self._known:
            self._text(paragraph, f"[{number}]", language, face)
            return
        if number not in self._cited:
            self._cited.add(number)
            self._bookmarks.at_end(paragraph, f"cite_{number}")
        link = link_within(paragraph, f"source_{number}")
        mark = f"[{number}]"
        if direction_of(language) == "rtl":  # else a line may end between the bracket and the number
            mark = f"{_LEFT_TO_RIGHT}{mark}{_LEFT_TO_RIGHT}"
        self._text(paragraph, mark, language, face, into=link, style="Citation Mark")

    def _text(
        self,
        paragraph: WordParagraph,
        text: str,
        language: str,
        face: Face,
        *,
        bold: bool = False,
        italic: bool = False,
        into: Any = None,
        style: str = "",
        code: bool = False,
    ) -> None:
        for piece, spoken in runs_by_script(text, language):
            run = paragraph.add_run(piece, self._word.styles[style] if style else None)
            if bold:
                run.bold = True
            if italic:
                run.italic = True
            if code:
                run.font.name = "Noto Sans Mono"
            set_language(run, spoken, complex_face(face, spoken))
            if into is not None:
                move_into(into, run)

    def _picture(self, paragraph: WordParagraph, data: bytes, width: Any, alt: str) -> None:
        shape = paragraph.add_run().add_picture(io.BytesIO(data), width=width)
        about = shape._inline.docPr
        about.set("descr", alt)
        for side in ("distT", "distB", "distL", "distR"):
            shape._inline.set(side, "0")
        if not alt:
            about.set("title", "")


def set_numbering(paragraph: WordParagraph, numbering: int) -> None:
    """Let a paragraph count in a numbering of its own."""
    made = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    made.get_or_add_numId().val = numbering
    made.get_or_add_ilvl().val = 0


def _without_citations(pieces: Pieces) -> Pieces:
    return tuple(piece for piece in pieces if not isinstance(piece, Cite))


def _is_known(picture: Picture) -> bool:
    try:
        with Image.open(io.BytesIO(picture.data)) as opened:
            return opened.format is not None
    except (UnidentifiedImageError, OSError, ValueError):
        return False


def _for_word(picture: Picture) -> bytes:
    """As Word can show it: WebP becomes PNG."""
    with Image.open(io.BytesIO(picture.data)) as opened:
        if opened.format in _SHOWN_BY_WORD:
            return picture.data
        made = io.BytesIO()
        opened.convert("RGBA" if "A" in opened.getbands() else "RGB").save(made, "PNG", optimize=True)
        return made.getvalue()


_ALIGNED = {
    "left": WD_ALIGN_PARAGRAPH.LEFT,
    "center": WD_ALIGN_PARAGRAPH.CENTER,
    "right": WD_ALIGN_PARAGRAPH.RIGHT,
}
