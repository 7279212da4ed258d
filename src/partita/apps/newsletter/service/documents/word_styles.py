"""The styles of a DOCX: Title, Heading 1–3, Quote, Caption, lists, tables and sources, in the theme's faces."""

from __future__ import annotations

from typing import Any

from docx.document import Document as Word
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_LINE_SPACING
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from partita.apps.newsletter.service.documents.colours import rgb
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.styles import side_margin
from partita.apps.newsletter.service.documents.themes import Face, light
from partita.apps.newsletter.service.documents.word_marks import LOCALES, element, insert_in_order

_FACES: dict[Face, str] = {"serif": "Noto Serif", "sans": "Noto Sans"}
_ARABIC: dict[Face, str] = {"serif": "Noto Naskh Arabic", "sans": "Noto Sans Arabic"}
_ETHIOPIC: dict[Face, str] = {"serif": "Noto Serif Ethiopic", "sans": "Noto Sans Ethiopic"}


def complex_face(face: Face, language: str) -> str:
    """The face of Arabic or Ethiopic beside one of Latin."""
    return (_ETHIOPIC if language == "am" else _ARABIC)[face]


def set_styles(word: Word, edition: Edition) -> None:
    """Everything that looks like something looks so by a style."""
    theme = edition.theme
    colours = light(theme, edition.brand.colour)
    points, sizes = theme.points, theme.sizes
    language = edition.document.language
    styles: Any = word.styles

    def style(name: str, kind: Any = WD_STYLE_TYPE.PARAGRAPH, base: str | None = "Normal") -> Any:
        made = styles[name] if name in styles else styles.add_style(name, kind)
        if base and name != base:
            made.base_style = styles[base]
        return made

    def look(made: Any, face: Face, size: float, colour: str, *, bold: bool = False, italic: bool = False) -> None:
        made.font.name = _FACES[face]
        made.font.size = Pt(round(size * 2) / 2)
        made.font.bold, made.font.italic = bold, italic
        made.font.color.rgb = RGBColor(*rgb(colour))
        properties = made.element.get_or_add_rPr()
        fonts = properties.get_or_add_rFonts()
        for attribute in list(fonts.attrib):
            del fonts.attrib[attribute]
        for slot in ("ascii", "hAnsi", "eastAsia"):
            fonts.set(qn(f"w:{slot}"), _FACES[face])
        fonts.set(qn("w:cs"), complex_face(face, language))
        half_points = str(round(size * 2))
        for name, value in (("szCs", half_points), ("bCs", str(int(bold))), ("iCs", str(int(italic)))):
            insert_in_order(properties, element(name, val=value), of_run=True)
        locale = LOCALES.get(language, "en-GB")
        insert_in_order(properties, element("lang", val=locale, eastAsia=locale, bidi=locale), of_run=True)

    def space(made: Any, before: float, after: float, leading: float = 1.15, *, keep: bool = False) -> None:
        spacing = made.paragraph_format
        spacing.space_before, spacing.space_after = Pt(before), Pt(after)
        spacing.line_spacing_rule = WD_LINE_SPACING.MULTIPLE
        spacing.line_spacing = leading
        spacing.keep_with_next = keep
        spacing.widow_control = True

    body, heading = theme.body, theme.heading
    normal = style("Normal", base=None)
    look(normal, body, points, colours.ink)
    space(normal, 0, points * 0.7, 1.25)

    title = style("Title")
    look(title, heading, points * sizes.title, colours.ink, bold=True)
    space(title, 6, 4, 1.0, keep=True)
    _without_border(title)
    issue = style("Subtitle")
    look(issue, "sans", points * sizes.small, colours.quiet)
    space(issue, 0, points * 1.6)
    _without_spacing(issue)

    for level, (factor, before, after, colour) in enumerate(
        (
            (sizes.section, 20.0, 6.0, colours.accent),
            (sizes.story, 14.0, 3.0, colours.ink),
            (1.0, 10.0, 2.0, colours.ink),
        ),
        1,
    ):
        made = style(f"Heading {level}")
        look(made, heading, points * factor, colour, bold=True)
        space(made, before, after, 1.05, keep=True)

    quote = style("Quote")
    look(quote, body, points * 1.04, colours.ink, italic=language not in ("ar", "am"))
    space(quote, 6, 8)
    quote.paragraph_format.left_indent = quote.paragraph_format.right_indent = Mm(8)

    border = element("pBdr")
    side = "right" if edition.document.direction == "rtl" else "left"
    border.append(element(side, val="single", sz="18", space="10", color=colours.accent.lstrip("#")))
    insert_in_order(quote.element.get_or_add_pPr(), border, of_run=False)

    caption = style("Caption")
    look(caption, "sans", points * sizes.small, colours.quiet)
    space(caption, 4, 10)
    for name in ("List Bullet", "List Number", "List Bullet 2", "List Number 2", "List Bullet 3", "List Number 3"):
        made = style(name)
        look(made, body, points, colours.ink)
        space(made, 0, points * 0.35, 1.2)
    for name, indent in (("TOC 1", 0.0), ("TOC 2", 5.0)):
        made = style(name)
        look(made, "sans", points * 0.92, colours.ink if not indent else colours.quiet, bold=not indent)
        space(made, 0, 3, 1.1)
        made.paragraph_format.left_indent = Mm(indent)
    contents = style("Contents Heading")
    look(contents, "sans", points * sizes.small, colours.accent, bold=True)
    space(contents, 6, 4, keep=True)
    source = style("Source")
    look(source, "sans", points * sizes.small, colours.ink)
    space(source, 0, 4, 1.15)
    source.paragraph_format.left_indent = Mm(9)
    source.paragraph_format.first_line_indent = Mm(-9)
    cell = style("Table Text")
    look(cell, "sans", points * 0.86, colours.ink)
    space(cell, 2, 2, 1.1)
    small = style("Small Table Text")
    look(small, "sans", points * 0.68, colours.ink)
    space(small, 1, 1, 1.05)
    code = style("Code")
    look(code, "sans", points * 0.86, colours.ink)
    code.font.name = "Noto Sans Mono"
    space(code, 0, 8, 1.1)
    imprint = style("Imprint")
    look(imprint, "sans", points * sizes.small, colours.quiet)
    space(imprint, 2, 4)
    for name in ("Header", "Footer"):
        look(style(name), "sans", 8, colours.quiet)

    link = style("Hyperlink", WD_STYLE_TYPE.CHARACTER, None)
    link.font.color.rgb = RGBColor(*rgb(colours.accent))
    link.font.underline = True
    cite = style("Citation Mark", WD_STYLE_TYPE.CHARACTER, None)
    cite.font.color.rgb = RGBColor(*rgb(colours.accent))
    cite.font.superscript = True

    section = word.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(side_margin(theme))
    section.top_margin = section.bottom_margin = Mm(23)


def _without_border(style: Any) -> None:
    properties = style.element.get_or_add_pPr()
    for border in properties.findall(qn("w:pBdr")):
        properties.remove(border)
    _without_spacing(style)


def _without_spacing(style: Any) -> None:
    properties = style.element.get_or_add_rPr()
    for name in ("w:spacing", "w:kern"):
        for each in properties.findall(qn(name)):
            properties.remove(each)
