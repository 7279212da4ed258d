"""What python-docx leaves to us: fields, bookmarks, links, languages and directions, as WordprocessingML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from partita.apps.newsletter.service.documents.model import direction_of
from partita.apps.newsletter.service.documents.scripts import LATIN_OR_FIGURES, script_of, script_of_language

LOCALES = {"en": "en-GB", "ar": "ar-SA", "am": "am-ET"}
_AFTER_PROPERTIES = 1


def element(tag: str, /, **attributes: str) -> Any:
    """An element such as `w:rtl` with attributes of the same namespace."""
    made = OxmlElement(f"w:{tag}")
    for key, value in attributes.items():
        made.set(qn(f"w:{key}"), value)
    return made


def set_direction(paragraph: Paragraph, language: str) -> None:
    """Paragraphs of languages from right to left say so; their alignment follows from it."""
    if direction_of(language) == "rtl":
        _insert(paragraph._p.get_or_add_pPr(), element("bidi"), _PARAGRAPH_ORDER)


def set_language(run: Run, language: str, complex_face: str) -> None:
    """The language, the faces and, for scripts from right to left, the direction of a run."""
    properties = run._r.get_or_add_rPr()
    locale = LOCALES.get(language, language)
    right_to_left = direction_of(language) == "rtl"
    if language in ("ar", "am"):
        fonts = properties.get_or_add_rFonts()
        slots = ("cs",) if right_to_left else ("ascii", "hAnsi", "cs", "eastAsia")
        for slot in slots:
            fonts.set(qn(f"w:{slot}"), complex_face)
    if run.bold:
        _insert(properties, element("bCs"), _RUN_ORDER)
    if run.italic:
        _insert(properties, element("iCs"), _RUN_ORDER)
    if right_to_left:
        _insert(properties, element("rtl"), _RUN_ORDER)
        _insert(properties, element("lang", bidi=locale), _RUN_ORDER)
    else:
        _insert(properties, element("lang", val=locale), _RUN_ORDER)


def runs_by_script(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Text in pieces of one language each: Latin names within Arabic or Amharic text stand apart from it."""
    if direction_of(language) != "rtl":
        yield from _foreign(text, language)
        return
    place = 0
    for found in LATIN_OR_FIGURES.finditer(text):
        if not any(script_of(character) == "LATIN" for character in found[0]):
            continue  # figures alone keep their order in text from right to left
        if text[place : found.start()]:
            yield text[place : found.start()], language
        yield found[0], "en"
        place = found.end()
    if text[place:]:
        yield text[place:], language


def _foreign(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Words of another script within a text from left to right."""
    latin = "en" if script_of_language(language) != "LATIN" else language
    languages = {"ARABIC": "ar", "ETHIOPIC": "am" if language != "ti" else "ti", "LATIN": latin}
    piece, current = "", language
    for character in text:
        kind = languages.get(script_of(character), current)
        if kind != current and piece:
            yield piece, current
            piece = ""
        current = kind
        piece += character
    if piece:
        yield piece, current


class Bookmarks:
    """Numbers bookmarks, which must differ."""

    def __init__(self) -> None:
        self._count = 0

    def around(self, paragraph: Paragraph, name: str) -> None:
        """Mark what a paragraph holds."""
        self._count += 1
        start = element("bookmarkStart", id=str(self._count), name=name)
        place = _AFTER_PROPERTIES if paragraph._p.pPr is not None else 0
        paragraph._p.insert(place, start)
        paragraph._p.append(element("bookmarkEnd", id=str(self._count)))

    def at_end(self, paragraph: Paragraph, name: str) -> None:
        """Mark the end of what a paragraph holds so far."""
        self._count += 1
        paragraph._p.append(element("bookmarkStart", id=str(self._count), name=name))
        paragraph._p.append(element("bookmarkEnd", id=str(self._count)))


def link_to(paragraph: Paragraph, address: str) -> Any:
    """The beginning of a link to an address of the web; runs go into it."""
    relation = paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), relation)
    link.set(qn("w:history"), "1")
    paragraph._p.append(link)
    return link


def link_within(paragraph: Paragraph, bookmark: str) -> Any:
    """The beginning of a link to a bookmark."""
    link = element("hyperlink", anchor=bookmark, history="1")
    paragraph._p.append(link)
    return link


def move_into(link: Any, run: Run) -> None:
    """Put a run, which was made at the end of its paragraph, into a link."""
    link.append(run._r)


def add_field(paragraph: Paragraph, instruction: str, result: str = "1") -> None:
    """A field such as `PAGE` with the value it has until it is computed."""
    begin_field(paragraph, instruction)
    paragraph.add_run(result)
    end_field(paragraph)


def begin_field(paragraph: Paragraph, instruction: str) -> None:
    """The beginning of a field whose result follows, perhaps over several paragraphs."""
    for kind in ("begin", None, "separate"):
        run = paragraph.add_run()
        if kind is None:
            text = element("instrText")
            text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            text.text = f" {instruction} "
            run._r.append(text)
        else:
            run._r.append(element("fldChar", fldCharType=kind))


def end_field(paragraph: Paragraph) -> None:
    """The end of a field."""
    paragraph.add_run()._r.append(element("fldChar", fldCharType="end"))


def shade(cell: Any, colour: str) -> None:
    """The ground of a cell."""
    cell._tc.get_or_add_tcPr().append(element("shd", val="clear", color="auto", fill=colour.lstrip("#")))


_PARAGRAPH_ORDER = [
    "pStyle",
    "keepNext",
    "keepLines",
    "pageBreakBefore",
    "framePr",
    "widowControl",
    "numPr",
    "suppressLineNumbers",
    "pBdr",
    "shd",
    "tabs",
    "suppressAutoHyphens",
    "kinsoku",
    "wordWrap",
    "overflowPunct",
    "topLinePunct",
    "autoSpaceDE",
    "autoSpaceDN",
    "bidi",
    "adjustRightInd",
    "snapToGrid",
    "spacing",
    "ind",
    "contextualSpacing",
    "mirrorIndents",
    "suppressOverlap",
    "jc",
    "textDirection",
    "textAlignment",
    "textboxTightWrap",
    "outlineLvl",
    "divId",
    "cnfStyle",
    "rPr",
    "sectPr",
    "pPrChange",
]
_RUN_ORDER = [
    "rStyle",
    "rFonts",
    "b",
    "bCs",
    "i",
    "iCs",
    "caps",
    "smallCaps",
    "strike",
    "dstrike",
    "outline",
    "shadow",
    "emboss",
    "imprint",
    "noProof",
    "snapToGrid",
    "vanish",
    "webHidden",
    "color",
    "spacing",
    "w",
    "kern",
    "position",
    "sz",
    "szCs",
    "highlight",
    "u",
    "effect",
    "bdr",
    "shd",
    "fitText",
    "vertAlign",
    "rtl",
    "cs",
    "em",
    "lang",
    "eastAsianLayout",
    "specVanish",
    "oMath",
]


def insert_in_order(properties: Any, made: Any, *, of_run: bool) -> None:
    """Put an element where the schema wants it, in the place of one of the same name."""
    _insert(properties, made, _RUN_ORDER if of_run else _PARAGRAPH_ORDER)


def _insert(properties: Any, made: Any, order: list[str]) -> None:
    names = [qn(f"w:{name}") for name in order]
    place = names.index(made.tag)
    for child in list(properties):
        if child.tag == made.tag:
            properties.remove(child)
    for position, child in enumerate(properties):
        if child.tag in names and names.index(child.tag) > place:
            properties.insert(position, made)
            return
    properties.append(made)
