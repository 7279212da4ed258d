"""A writer of small Word files: headings and paragraphs, in the parts that Word needs."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from partita.apps.enablement.demo.documents.sections import Section

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_STYLES = (("Title", "Title", 44), ("Heading1", "heading 1", 30))
_MADE = (2026, 1, 5, 9, 0, 0)
"""The time in the archive: the same file each time."""


def docx(title: str, sections: Sequence[Section]) -> bytes:
    """A document with a title and its sections."""
    parts = {
        "[Content_Types].xml": (
            f'<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{_TYPE}.document.main+xml"/>'
            f'<Override PartName="/word/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>'
        ),
        "_rels/.rels": _relation("officeDocument", "word/document.xml"),
        "word/_rels/document.xml.rels": _relation("styles", "styles.xml"),
        "word/styles.xml": f'<w:styles xmlns:w="{_WORD}">{"".join(_style(*each) for each in _STYLES)}</w:styles>',
        "word/document.xml": (
            f'<w:document xmlns:w="{_WORD}"><w:body>{"".join(_paragraphs(title, sections))}</w:body></w:document>'
        ),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _MADE), _HEAD + content)
    return file.getvalue()


def _paragraphs(title: str, sections: Sequence[Section]) -> Iterator[str]:
    yield _paragraph(title, "Title")
    for section in sections:
        yield _paragraph(section.heading, "Heading1")
        yield from map(_paragraph, section.paragraphs)


def _paragraph(text: str, style: str = "") -> str:
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{styled}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def _style(style_id: str, name: str, half_points: int) -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/>'
        f'<w:rPr><w:b/><w:sz w:val="{half_points}"/></w:rPr></w:style>'
    )


def _relation(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/{kind}" Target="{target}"/></Relationships>'
    )
