"""The model → Markdown that any CommonMark program reads, and that is the same model when it is read in again."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby

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
    Span,
    Table,
)
from partita.apps.newsletter.service.documents.normal import CAPTION

_ALWAYS = re.compile(r"([\\`*_\[\]<|])")
_ENTITY = re.compile(r"&(?=[#A-Za-z])")
_LINE_START = re.compile(r"^(#{1,6}(?=[ #]|$)|[+\->=:~]|\d{1,9}(?=[.)]))")
_DASHES: dict[Alignment, str] = {"": "---", "left": ":---", "center": ":---:", "right": "---:"}


def write_document(document: Document) -> str:
    """A whole document with its front matter."""
    title = f"# {_inline((Span(document.title),), heading=True)}" if document.title else ""
    body = write_blocks(document.blocks)
    return "\n\n".join(part for part in (_front_matter(document), title, body) if part).rstrip("\n") + "\n"


def write_blocks(blocks: Sequence[Block]) -> str:
    """Blocks as Markdown, with an empty line between them."""
    return "\n\n".join(_blocks(blocks))


def _front_matter(document: Document) -> str:
    values = {
        "title": document.title,
        "language": document.language,
        "code": document.code,
        "issue_label": document.issue_label,
        "date": document.date,
        "region": document.region,
        "preheader": document.preheader,
        "made_with": document.made_with,
    }
    lines = [f"{key}: {_json(value)}" for key, value in values.items() if value]
    if document.numbered:
        lines.append("numbered: true")
    for key, entries in (
        ("facts", [list(fact) for fact in document.facts]),
        ("sources", [{name: value for name, value in asdict(each).items() if value} for each in document.sources]),
    ):
        if entries:
            lines.append(f"{key}:")
            lines += [f"  - {_json(entry)}" for entry in entries]
    return "\n".join(("---", *lines, "---"))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _blocks(blocks: Sequence[Block]) -> Iterator[str]:
    other = False
    last: Block | None = None
    for block in blocks:
        # Two lists that follow each other are told apart by their markers.
        if isinstance(block, ListBlock):
            same = isinstance(last, ListBlock) and (last.start is None) == (block.start is None)
            other = same and not other
        last = block
        yield _block(block, other)


def _block(block: Block, other: bool) -> str:
    match block:
        case Heading():
            return f"{'#' * (block.level + 1)} {_inline(block.pieces, heading=True)}"
        case Paragraph():
            return _inline(block.pieces)
        case ListBlock():
            return _list(block, other)
        case Quote():
            return "\n".join(f"> {line}".rstrip(" ") for line in write_blocks(block.blocks).split("\n"))
        case Table():
            return _table(block)
        case Figure():
            title = ' "' + _escaped(block.caption).replace('"', '\\"') + '"' if block.caption else ""
            return f"![{_escaped(block.alt)}](<{block.source}>{title})"
        case CodeBlock():
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", block.text)), default=0))
            return f"{fence}{block.name}\n{block.text}\n{fence}"
        case Rule():
            return "___"


def _list(block: ListBlock, other: bool) -> str:
    simple = all(_is_simple(item) for item in block.items)
    lines: list[str] = []
    for place, item in enumerate(block.items):
        if block.start is None:
            marker = "*" if other else "-"
        else:
            marker = f"{min(block.start + place, 999_999_999)}{')' if other else '.'}"
        indent = " " * (len(marker) + 1)
        written = _simple_item(item) if simple else write_blocks(item)
        first, *rest = written.split("\n")
        lines.append(f"{marker} {first}")
        lines += [f"{indent}{line}".rstrip(" ") if line else "" for line in rest]
        if not simple and place + 1 < len(block.items):
            lines.append("")
    return "\n".join(lines)


def _is_simple(item: tuple[Block, ...]) -> bool:
    """One paragraph, perhaps with a list below it."""
    match item:
        case (Paragraph(),):
            return True
        case (Paragraph(), ListBlock(items=items, start=start)):
            return start in (None, 1) and all(_is_simple(each) for each in items)
    return False


def _simple_item(item: tuple[Block, ...]) -> str:
    return "\n".join(_blocks(item))


def _table(block: Table) -> str:
    rows = [block.head, *block.rows]
    written = [f"| {' | '.join(_inline(cell, heading=True, cell=True) for cell in row)} |" for row in rows]
    written.insert(1, f"| {' | '.join(_DASHES[each] for each in block.alignments)} |")
    if block.caption:
        written += ["", _inline((Span(CAPTION), *block.caption))]
    return "\n".join(written)


def _inline(pieces: Pieces, *, heading: bool = False, cell: bool = False) -> str:
    """Pieces on one line, but for breaks."""
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        if isinstance(piece, Break):
            lines.append([])
        else:
            lines[-1].append(piece)
    written = []
    for line in lines:
        text = _line(line, cell=cell)
        if not heading:
            text = _LINE_START.sub(_start_escaped, text)
        if heading:
            text = re.sub(r"#(?=#*$)", r"\\#", text)
        written.append(text)
    return "\\\n".join(written)


def _start_escaped(found: re.Match[str]) -> str:
    return f"{found[0]}\\" if found[0][0].isdigit() else f"\\{found[0]}"


def _line(pieces: Sequence[Piece], *, cell: bool) -> str:
    """What stands on a line: each link whole, each run of one look between its stars."""
    out = _Out()
    for link, group in groupby(pieces, key=lambda piece: piece.link if isinstance(piece, Span) else ""):
        if not link:
            for piece in group:
                out.add(piece, cell)
            continue
        inner = _Out()
        for piece in group:
            inner.add(piece, cell)
        out.raw(f"[{inner.text}](<{link.replace('|', '%7C')}>)")
    return out.text


class _Out:
    """Text that is written from left to right and knows what stars and brackets beside it would mean."""

    def __init__(self) -> None:
        self.text = ""
        self._closed = ""
        """The sign that closed a look, if it stands at the end."""

    def raw(self, text: str) -> None:
        """A link or a citation, as it is."""
        if text.startswith("[") and self.text.endswith("!") and not self.text.endswith("\\!"):
            self.text = f"{self.text[:-1]}\\!"
        self.text += text
        self._closed = ""

    def add(self, piece: Piece, cell: bool) -> None:
        match piece:
            case Cite():
                self.raw(f"[{piece.number}]")
            case Span(code=True):
                self._code(piece.text, cell)
            case Span(bold=False, italic=False):
                self._plain(_escaped(piece.text))
            case Span():
                self._styled(piece)
            case Break():
                pass

    def _plain(self, text: str) -> None:
        if self.text.endswith("]") and text.startswith("("):
            text = f"\\{text}"
        # A letter right after the closing sign would undo it where the sign stands after a full stop.
        undone = self._closed == "_" or (self._closed == "*" and _is_punctuation(self.text.rstrip("*_")[-1:]))
        if undone and text and not _is_edge(text[0]):
            text = _entity(text[0]) + text[1:]
        self.text += text
        self._closed = ""

    def _styled(self, piece: Span) -> None:
        sign = "_" if self._closed == "*" else "*"
        inner = _escaped(piece.text)
        if self.text and not self._closed and _is_punctuation(inner[0]) and not _is_edge(self.text[-1]):
            self.text = self.text[:-1] + _entity(self.text[-1])
        signs = sign * (2 * piece.bold + piece.italic)
        self.text += f"{signs}{inner}{signs}"
        self._closed = sign

    def _code(self, text: str, cell: bool) -> None:
        longest = max((len(run) for run in re.findall("`+", text)), default=0)
        fence = "`" * (longest + 1) if longest else "`"
        space = " " if text.startswith("`") or text.endswith("`") else ""
        if cell:
            text = text.replace("|", "\\|")
        self.text += f"{fence}{space}{text}{space}{fence}"
        self._closed = ""


def _escaped(text: str) -> str:
    """Text in which no sign means anything."""
    return _ENTITY.sub(r"\\&", _ALWAYS.sub(r"\\\1", text))


def _entity(character: str) -> str:
    return f"&#{ord(character)};"


def _is_edge(character: str) -> bool:
    return character.isspace() or _is_punctuation(character)


def _is_punctuation(character: str) -> bool:
    return character != "" and unicodedata.category(character)[0] in "PS"
