"""The demo's files, made when they are needed, from the text of an entry: PDFs, Word files, sheets and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable

from partita.apps.enablement.demo.documents.pdf import pages_pdf, slides_pdf
from partita.apps.enablement.demo.documents.pictures import picture
from partita.apps.enablement.demo.documents.sections import Section
from partita.apps.enablement.demo.documents.word import docx
from partita.kit.files.content import DOCX, PDF, PNG, TEXT

_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


def file_of(kind: str, title: str, body: str) -> tuple[bytes, str]:
    """A file and its content type."""
    make, content_type = _MAKERS[kind]
    return make(title, body), content_type


def sections(body: str) -> tuple[Section, ...]:
    """The pages of a document: each begins with a heading."""
    parts = _HEADING.split(body)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return tuple(Section(heading, tuple(filter(None, text.strip().split("\n")))) for heading, text in pairs)


_MAKERS: dict[str, tuple[Callable[[str, str], bytes], str]] = {
    "pdf": (lambda title, body: pages_pdf(title, sections(body)), PDF),
    "slides": (lambda title, body: slides_pdf(title, sections(body)), PDF),
    "word": (lambda title, body: docx(title, sections(body)), DOCX),
    "csv": (lambda _title, body: body.encode(), TEXT),
    "picture": (picture, PNG),
}
