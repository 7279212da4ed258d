"""Every format by its name: what it is called, what it is for, and how it is made."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from partita.apps.newsletter.service.documents.edition import Edition, Export, Format

MARKDOWN = "text/markdown; charset=utf-8"


@dataclass(frozen=True, slots=True)
class FormatFacts:
    """A format for people."""

    name: Format
    title: str
    purpose: str
    file: str
    """The name of its file: `export.pdf`."""
    ending: str
    in_child: bool = False


FORMATS: dict[Format, FormatFacts] = {
    each.name: each
    for each in (
        FormatFacts("pdf", "PDF", "To print, share or archive.", "export.pdf", "pdf", in_child=True),
        FormatFacts("email", "Mail", "HTML to paste into a mailing tool.", "export-email.html", "html"),
        FormatFacts("eml", "Mail draft", "Opens in your mail program, ready to send.", "export.eml", "eml"),
        FormatFacts("html", "Web page", "One file that opens in any browser.", "export.html", "html"),
        FormatFacts("docx", "Word", "To edit further or to send to a designer.", "export.docx", "docx"),
        FormatFacts("md", "Markdown", "Plain text for other programs.", "export.md", "md"),
    )
}
FORMAT_TYPES: dict[str, Format] = {"email": "email", "html": "email", "pdf": "pdf", "web": "html"}
"""What the document's `format_type` means as an export."""


async def export(edition: Edition, wanted: Format, *, short: bool = False) -> Export:
    """The edition in a format. PDF is made in a process of its own, the others in a thread."""
    if wanted == "pdf":
        from partita.apps.newsletter.service.documents.pdf import pdf_edition

        return await pdf_edition(edition)
    return await asyncio.to_thread(_made, edition, wanted, short)


def _made(edition: Edition, wanted: Format, short: bool) -> Export:
    match wanted:
        case "docx":
            from partita.apps.newsletter.service.documents.word import word_edition

            return word_edition(edition)
        case "html":
            from partita.apps.newsletter.service.documents.html import web_edition

            return web_edition(edition)
        case "email":
            from partita.apps.newsletter.service.documents.mail import mail_edition

            return mail_edition(edition, short=short)
        case "eml":
            from partita.apps.newsletter.service.documents.eml import mail_draft

            return mail_draft(edition, short=short)
        case "md":
            from partita.apps.newsletter.service.documents.markdown import write_document

            return Export(write_document(edition.document).encode(), MARKDOWN, warnings=edition.warnings)
        case "pdf":
            raise ValueError("a PDF is made in a process of its own")
