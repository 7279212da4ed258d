"""What a file says: its facts and its passages, of the blocks that were read from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, cast

from partita.apps.newsletter.service.reading.chunks import chunks_of
from partita.apps.newsletter.service.reading.dates import published_of
from partita.apps.newsletter.service.reading.languages import declared, language_of
from partita.apps.newsletter.service.reading.plain_text import front_matter, is_markdown, markdown_blocks, text_blocks
from partita.apps.newsletter.service.reading.sentences import sentences, word_count
from partita.kit.fetcher.charsets import text_of
from partita.kit.fetcher.page import read_page
from partita.kit.files.content import HTML, XML, kind_of
from partita.kit.previews.blocks import Block, BlockKind, Written
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.running_lines import without_running_lines
from partita.kit.search.folding import fold

MOST_CHARACTERS = 10_000_000
MOST_TEXT_BYTES = 30_000_000
_LONGEST_HEADING = 300
_LONGEST_TITLE = 300
_LONGEST_SUMMARY = 400
_BINARY = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# What programs write for a title when nobody has given one.
_NO_TITLE = re.compile(
    r"(?:untitled|document\s*\d*|microsoft word\b.*|.*\.(?:docx?|pdf|indd|qxd|tmp|html?))$", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s+[-–—·•»]\s+|\s*\|\s*")
"""What parts the title of a page from the name of its site."""
Told = dict[str, str]
"""What a file tells of itself: title, published, language, publisher."""


def read_text(data: bytes, source_id: str, today: str, charset: str = "") -> dict[str, Any]:
    """HTML, Markdown and plain text."""
    kind, told, blocks = _text_content(data, charset)
    return read_blocks(kind, told, [(b.kind, b.text, b.level, b.page) for b in blocks], None, source_id, today)


def read_blocks(
    kind: str, told: Told, written: Sequence[Written], pages: int | None, source_id: str, today: str
) -> dict[str, Any]:
    """The facts of a document and its chunks, as plain values; `PreviewRefused` says what is wrong with it."""
    blocks = without_running_lines(_block(*block) for block in written if block[1].strip())
    if sum(len(block.text) for block in blocks) > MOST_CHARACTERS:
        raise too_long()
    words = sum(word_count(block.text) for block in blocks)
    if kind == "pdf" and words < 3 * (pages or 1):
        raise PreviewRefused(
            "The pages are pictures of text. Export the document with its text, or run text recognition on it first."
        )
    if not words:
        raise PreviewRefused("There is no text in it.")
    start = "\n".join(block.text for block in blocks[:400])
    title, site = _title(told.get("title", ""), blocks), ""
    if kind == "html":
        title, site = _parted(title, blocks)
    return {
        "kind": kind,
        "title": title,
        "published": published_of(told.get("published", ""), start, date.fromisoformat(today)),
        "language": declared(told.get("language", "")) or language_of(start),
        "publisher": (told.get("publisher", "") or site)[:200],
        "pages": pages,
        "words": words,
        "summary": _summary(blocks),
        "chunks": [
            (c.chunk_id, c.position, c.text, c.heading, c.page, c.kind, c.start, c.words, c.above, c.turns)
            for c in chunks_of(source_id, blocks)
        ],
    }


def too_long() -> PreviewRefused:
    """A document that is longer than any that is read."""
    return PreviewRefused(
        f"It has more than {MOST_CHARACTERS // 1_000_000} million characters. Split it and add the parts."
    )


def unknown_kind() -> PreviewRefused:
    """A file that is none of ours."""
    return PreviewRefused("This is none of the kinds that can be read: PDF, Word (.docx), HTML, Markdown, plain text.")


def _text_content(data: bytes, charset: str) -> tuple[str, Told, list[Block]]:
    text = text_of(data, charset or None)
    kind = kind_of(data)
    if kind == HTML or (kind == XML and "<html" in text[:2_000].lower()):
        page = read_page(text, MOST_CHARACTERS + 1, 200_000)
        told = {"title": page.title, "published": page.published, "language": page.language}
        return "html", told, list(page.blocks)
    if kind == XML or _BINARY.search(text[:65_536]):
        raise unknown_kind()
    facts, body = front_matter(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    told = {
        "title": facts.get("title", ""),
        "published": facts.get("published") or facts.get("date", ""),
        "language": facts.get("language") or facts.get("lang", ""),
        "publisher": facts.get("publisher", ""),
    }
    if facts or is_markdown(body):
        return "markdown", told, markdown_blocks(body)
    return "text", told, text_blocks(body)


def _block(kind: str, text: str, level: int, page: int | None) -> Block:
    """A block again; what is too long for a heading is a paragraph, whatever its type size."""
    if kind == "heading" and len(text) > _LONGEST_HEADING:
        return Block("paragraph", text, 1, page)
    return Block(cast(BlockKind, kind), text, level, page)


def _title(told: str, blocks: Sequence[Block]) -> str:
    """What the document calls itself, else its first heading, else nothing."""
    if told.strip() and not _NO_TITLE.match(told.strip()):
        return told.strip()[:_LONGEST_TITLE]
    return next((block.text for block in blocks if block.kind == "heading"), "")[:_LONGEST_TITLE]


def _parted(title: str, blocks: Sequence[Block]) -> tuple[str, str]:
    """The title of a page without the name of its site, if one of its headings is what is left; and that name."""
    headings = {fold(block.text) for block in blocks if block.kind == "heading"}
    if fold(title) in headings:
        return title, ""
    for mark in _BETWEEN.finditer(title):
        before, behind = title[: mark.start()].strip(), title[mark.end() :].strip()
        for own, site in ((before, behind), (behind, before)):
            if own and site and fold(own) in headings:
                return own, site
    return title, ""


def _summary(blocks: Sequence[Block]) -> str:
    """The first sentences of the first real paragraph."""
    prose = next((block.text for block in blocks if block.kind == "paragraph" and word_count(block.text) >= 12), "")
    told = ""
    for sentence in sentences(prose[:4_000])[:3]:
        if told and len(told) + len(sentence.text) > _LONGEST_SUMMARY:
            break
        told = f"{told} {sentence.text}".strip()
    return told[:_LONGEST_SUMMARY]
