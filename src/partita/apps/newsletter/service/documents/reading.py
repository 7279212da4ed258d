"""Markdown → the model: CommonMark with tables, `[3]` as a citation, and front matter for what is not text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.token import Token

from partita.apps.newsletter.service.documents.model import (
    Alignment,
    Block,
    Break,
    Cite,
    CodeBlock,
    Document,
    Figure,
    Heading,
    ListBlock,
    Paragraph,
    Piece,
    Pieces,
    Quote,
    Rule,
    Source,
    Span,
    Table,
    plain,
)
from partita.apps.newsletter.service.documents.normal import clean, normal_blocks, normal_pieces, safe_link

# HTML that was typed is text. Without references `[3]` is never a link; escaped signs stay apart from others, so that
# `\[3\]` is no citation.
_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 40}).enable("table")
_PARSER.disable(["reference", "html_block", "html_inline", "text_join"])
_CITATION = re.compile(r"\[([1-9]\d{0,2})\]")
_ALIGNED = re.compile(r"text-align:(left|center|right)")
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)??---[ \t]*(?:\n|$)", re.DOTALL)
_LINE = re.compile(r"([a-z_]+):[ \t]*(.*)")


def read_document(text: str) -> Document:
    """A whole document: its front matter, its title, its text."""
    text = clean(text)
    matter, text = _front_matter(text)
    language = _text(matter.get("language")) or "en"
    blocks, title = _titled(_blocks_of(text))
    return Document(
        title=_text(matter.get("title")) or title,
        blocks=normal_blocks(blocks, language),
        sources=tuple(_sources(matter.get("sources"))),
        language=language,
        facts=tuple(_facts(matter.get("facts"))),
        numbered=matter.get("numbered") is True,
        **{
            name: _text(matter.get(name))
            for name in ("code", "issue_label", "date", "region", "preheader", "made_with")
        },
    )


def read_blocks(text: str, language: str = "en") -> tuple[Block, ...]:
    """The blocks of a text, such as a section of a draft. `#` and `##` both begin a section."""
    return normal_blocks(_blocks_of(clean(text)), language)


def _blocks_of(text: str) -> list[Block]:
    return list(_Reader(_PARSER.parse(text)).until(None))


def _titled(blocks: list[Block]) -> tuple[list[Block], str]:
    """The blocks without a first heading of the highest level, and that heading: it is the title."""
    if blocks and isinstance(blocks[0], Heading) and blocks[0].level == 0:
        return blocks[1:], plain(normal_pieces(blocks[0].pieces, breaks=False))
    return blocks, ""


class _Reader:
    """Tokens, one after the other, as blocks."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = iter(tokens)

    def until(self, end: str | None) -> Iterator[Block]:
        """The blocks up to a closing token."""
        for token in self._tokens:
            if token.type == end:
                return
            yield from self._block(token)

    def _block(self, token: Token) -> Iterator[Block]:
        match token.type:
            case "heading_open":
                pieces, pictures = self._inline("heading_close")
                yield Heading(int(token.tag[1]) - 1, pieces)
                yield from pictures
            case "paragraph_open":
                pieces, pictures = self._inline("paragraph_close")
                yield Paragraph(pieces)
                yield from pictures
            case "bullet_list_open":
                yield ListBlock(tuple(self._items("bullet_list_close")))
            case "ordered_list_open":
                start = token.attrGet("start")
                yield ListBlock(tuple(self._items("ordered_list_close")), 1 if start is None else int(start))
            case "blockquote_open":
                yield Quote(tuple(self.until("blockquote_close")))
            case "table_open":
                yield from self._table()
            case "fence" | "code_block":
                yield CodeBlock(token.content, token.info)
            case "hr":
                yield Rule()
            case _:
                yield Paragraph((Span(token.content),))

    def _items(self, end: str) -> Iterator[tuple[Block, ...]]:
        for token in self._tokens:
            if token.type == end:
                return
            yield tuple(self.until("list_item_close"))

    def _inline(self, end: str) -> tuple[Pieces, list[Figure]]:
        pieces: list[Piece] = []
        pictures: list[Figure] = []
        for token in self._tokens:
            if token.type == end:
                break
            found, shown = _pieces(token.children or [])
            pieces.extend(found)
            pictures.extend(shown)
        return tuple(pieces), pictures

    def _table(self) -> Iterator[Block]:
        rows: list[list[Pieces]] = []
        alignments: list[Alignment] = []
        pictures: list[Figure] = []
        for token in self._tokens:
            match token.type:
                case "table_close":
                    break
                case "tr_open":
                    rows.append([])
                case "th_open" | "td_open":
                    if token.type == "th_open":
                        found = _ALIGNED.search(str(token.attrGet("style") or ""))
                        alignments.append(cast(Alignment, found[1]) if found else "")
                    pieces, shown = self._inline(token.type.replace("open", "close"))
                    rows[-1].append(pieces)
                    pictures.extend(shown)
                case _:
                    pass
        yield Table(tuple(rows[0]), tuple(tuple(row) for row in rows[1:]), tuple(alignments))
        yield from pictures


def _pieces(tokens: Sequence[Token]) -> tuple[list[Piece], list[Figure]]:
    """The pieces of a text, and the pictures that stand in it."""
    pieces: list[Piece] = []
    pictures: list[Figure] = []
    bold = italic = 0
    links: list[str] = []
    for token in _joined(tokens):
        link = links[-1] if links else ""
        match token.type:
            case "text":
                pieces.extend(
                    Span(piece, bold > 0, italic > 0, link=link) if isinstance(piece, str) else piece
                    for piece in _with_citations(token.content, link)
                )
            case "text_special":
                pieces.append(Span(token.content, bold > 0, italic > 0, link=link))
            case "softbreak":
                pieces.append(Span(" ", bold > 0, italic > 0, link=link))
            case "hardbreak":
                pieces.append(Break())
            case "code_inline":
                pieces.append(Span(token.content, code=True, link=link))
            case "strong_open":
                bold += 1
            case "strong_close":
                bold -= 1
            case "em_open":
                italic += 1
            case "em_close":
                italic -= 1
            case "link_open":
                links.append(safe_link(str(token.attrGet("href") or "")))
            case "link_close":
                links.pop()
            case "image":
                alt = "".join(each.content for each in token.children or [] if each.type != "image")
                pictures.append(Figure(str(token.attrGet("src") or ""), alt, str(token.attrGet("title") or "")))
            case _:
                pieces.append(Span(token.content, bold > 0, italic > 0, link=link))
    return pieces, pictures


def _joined(tokens: Sequence[Token]) -> Iterator[Token]:
    """With text that the parser took apart (at brackets and stars) as one."""
    waiting: Token | None = None
    for token in tokens:
        if token.type == "text" and waiting is not None:
            waiting = waiting.copy(content=waiting.content + token.content)
            continue
        if waiting is not None:
            yield waiting
        waiting = token if token.type == "text" else None
        if waiting is None:
            yield token
    if waiting is not None:
        yield waiting


def _with_citations(text: str, link: str) -> Iterator[str | Cite]:
    if link:
        yield text
        return
    place = 0
    for found in _CITATION.finditer(text):
        yield text[place : found.start()]
        yield Cite(int(found[1]))
        place = found.end()
    yield text[place:]


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    """What stands between two lines of dashes at the beginning: `key: value`, where a value may be JSON, or lines with
    `- ` and JSON below its key."""
    found = _FRONT.match(text)
    if found is None:
        return {}, text
    matter: dict[str, Any] = {}
    key = ""
    for line in (found[1] or "").split("\n"):
        if line.startswith("  - ") and key:
            if not isinstance(matter.get(key), list):
                matter[key] = []
            matter[key].append(_value(line[4:]))
        elif entry := _LINE.fullmatch(line):
            key = entry[1]
            matter[key] = _value(entry[2])
    return matter, text[found.end() :]


def _value(written: str) -> Any:
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written.strip()


def _text(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(clean(value).split())
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _sources(value: Any) -> Iterator[Source]:
    names = [each.name for each in fields(Source) if each.name != "number"]
    for entry in value if isinstance(value, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("number"), int):
            given = {name: _text(entry.get(name)) for name in names}
            given["url"] = safe_link(given["url"])
            yield Source(entry["number"], **given)


def _facts(value: Any) -> Iterator[tuple[str, str]]:
    for entry in value if isinstance(value, list) else []:
        if isinstance(entry, list) and len(entry) == 2:
            yield _text(entry[0]), _text(entry[1])
