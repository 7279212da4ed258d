"""Plain text and Markdown, as blocks."""

from __future__ import annotations

import re

from partita.kit.previews.blocks import Block, table_text
from partita.kit.previews.line_kinds import is_title

_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), " ")
_HEADING = re.compile(r"(#{1,6})[ \t]")
_UNDERLINE = re.compile(r"[ \t]*(=+|-+)[ \t]*$")
_ENTRY = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,9}[.)])[ \t]+(.*)$")
_RULE = frozenset(" \t|:-")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_CAPTION = re.compile(r"Table:\s+(?=\S)")
_BREAK = re.compile(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\((?:[^()\s]|\([^()\s]*\)){0,2000}(?:[ \t]+\"[^\"\n]{0,300}\")?\)")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000})>")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,1000}?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*_])([*_])(?=\S)([^*_\n]{1,1000}?)(?<=\S)\1(?![\w*_])")
_CODE = re.compile(r"`([^`\n]{1,1000})`")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~])")
_FACT = re.compile(r"([A-Za-z][\w .-]{0,40})[ \t]*:[ \t]*(.*)$")
_SIGNS = re.compile(r"^(?:#{1,6}[ \t]+\S|[ \t]*[-*+][ \t]+\S|[ \t]*\|.+\|[ \t]*$|>[ \t]|```)|\*\*\S|\]\(", re.MULTILINE)
_WRAPPED = 45
"""Lines of at least so many characters that follow each other are one paragraph that was broken to fit."""
_PROSE_WORDS = 8
"""What has so many words more than the line above it is what that line is the title of."""


def is_markdown(text: str) -> bool:
    """Whether a text has the signs of Markdown: it begins with a heading, or has two others, which is no accident."""
    return text.lstrip().startswith(("# ", "## ", "---\n")) or len(_SIGNS.findall(text[:20_000])) >= 2


def text_blocks(text: str) -> list[Block]:
    """Paragraphs are what empty lines part; lines that were broken to fit are one again. A short line above prose is
    its heading."""
    found: list[Block] = []
    paragraphs = [[line.strip() for line in part.split("\n") if line.strip()] for part in _BLANK.split(_tidy(text))]
    paragraphs = [lines for lines in paragraphs if lines]
    alone = _headings(paragraphs)
    for place, lines in enumerate(paragraphs):
        if place in alone:
            found.append(Block("heading", lines[0], 1 if not place else 2))
            continue
        if len(lines) > 1 and _is_heading(lines[0], lines[1:]):
            found.append(Block("heading", lines[0], 2))
            lines = lines[1:]
        entries = [_ENTRY.match(line) for line in lines]
        if all(entries):
            found.extend(Block("item", entry[2].strip()) for entry in entries if entry and entry[2].strip())
        elif len(lines) > 1 and sum(map(len, lines[:-1])) / (len(lines) - 1) < _WRAPPED:
            found.append(Block("paragraph", "\n".join(lines)))
        else:
            found.append(Block("paragraph", " ".join(lines)))
    return found


def _headings(paragraphs: list[list[str]]) -> set[int]:
    """Which paragraphs are a heading by themselves: of the prose, or of the heading, that comes next."""
    found: set[int] = set()
    for place in range(len(paragraphs) - 2, -1, -1):
        lines, below = paragraphs[place], paragraphs[place + 1]
        if len(lines) == 1 and (
            _is_heading(lines[0], below) or (place == 0 and 1 in found and is_title(lines[0]) and lines[0][0].isupper())
        ):
            found.add(place)
    return found


def _is_heading(line: str, below: list[str]) -> bool:
    """Whether a line is the title of the lines below it, and no line of theirs that was broken to fit: the next word
    would have fitted on it."""
    if not is_title(line) or _ENTRY.match(line) or not line[:1].isalnum() or line[:1].islower():
        return False
    first, widest = below[0], max(map(len, below))
    broken = first[:1].islower() or len(line) + 1 + len(first.split(maxsplit=1)[0]) > widest
    return not broken and len(" ".join(below).split()) >= len(line.split()) + _PROSE_WORDS


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """The facts between lines of `---` at the top, by their names in small letters, and what comes after them."""
    if not text.startswith("---\n"):
        return {}, text
    end = text.find("\n---\n", 3, 10_000)
    if end < 0:
        return {}, text
    facts: dict[str, str] = {}
    for line in text[4:end].split("\n"):
        if fact := _FACT.match(line):
            facts.setdefault(fact[1].strip().lower(), fact[2].strip().strip("\"'"))
    return facts, text[end + 5 :]


def markdown_blocks(text: str) -> list[Block]:
    """Headings, paragraphs, entries and tables of Markdown; what only marks is gone, the words are all there."""
    reader = _Markdown()
    for line in _tidy(text).split("\n"):
        reader.line(line)
    return reader.finished()


class _Markdown:
    """Takes line after line."""

    def __init__(self) -> None:
        self._found: list[Block] = []
        self._lines: list[str] = []
        self._item = 0
        self._rows: list[list[str]] = []
        self._fence = ""

    def line(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence[1].startswith(self._fence):
                self._fence = ""
                self._close()
            else:
                self._lines.append(line.strip())
            return
        if fence:
            self._close()
            self._fence = fence[1][:3]
            return
        line = _QUOTE.sub("", line, count=1)
        bare = line.strip()
        if len(bare) > 2 and bare[0] == bare[-1] == "|":
            self._row(bare)
            return
        if self._rows:
            self._close()
        self._text(line)

    def finished(self) -> list[Block]:
        self._close()
        return self._found

    def _text(self, line: str) -> None:
        heading = _HEADING.match(line)
        underline = _UNDERLINE.match(line)
        entry = _ENTRY.match(line)
        if not line.strip():
            self._close()
        elif heading:
            self._close()
            words = line[heading.end() :].strip()
            closed = words.rstrip("#")
            self._add("heading", closed if closed != words and closed[-1:] in ("", " ") else words, len(heading[1]))
        elif underline and len(self._lines) == 1 and not self._item:
            title = self._lines.pop()
            self._add("heading", title, 1 if underline[1][0] == "=" else 2)
        elif _BREAK.match(line):
            self._close()
        elif entry and (entry[2].strip() or not self._lines):
            self._close()
            self._item = min(9, 1 + len(entry[1].expandtabs(4)) // 2)
            self._lines.append(entry[2])
        else:
            self._lines.append(line.strip())

    def _row(self, line: str) -> None:
        if self._lines:
            self._close()
        if not (self._rows and _RULE.issuperset(line)):
            self._rows.append([_words(cell.strip()) for cell in re.split(r"(?<!\\)\|", line[1:-1])])

    def _close(self) -> None:
        if self._lines:
            self._add("item" if self._item else "paragraph", " ".join(self._lines), self._item or 1)
        if self._rows:
            self._found.append(Block("table", table_text(self._rows)))
        self._lines, self._rows, self._item = [], [], 0

    def _add(self, kind: str, text: str, level: int) -> None:
        words = _words(text.strip())
        if not words:
            return
        if kind == "heading":
            self._found.append(Block("heading", words, level))
        elif kind == "item":
            self._found.append(Block("item", words, level))
        else:
            self._paragraph(words)

    def _paragraph(self, words: str) -> None:
        """A paragraph; right below a table it may be the table's caption, which is read before it."""
        caption = _CAPTION.match(words)
        if caption and self._found and self._found[-1].kind == "table":
            self._found.insert(-1, Block("caption", words[caption.end() :]))
        else:
            self._found.append(Block("paragraph", words))


def _words(text: str) -> str:
    """What people read of a line of Markdown."""
    text = _LINK.sub(r"\1", text)
    text = _AUTOLINK.sub(r"\1", text)
    text = _STRONG.sub(r"\2", text)
    text = _EMPHASIS.sub(r"\2", text)
    text = _CODE.sub(r"\1", text)
    return " ".join(_ESCAPE.sub(r"\1", text).split())


def _tidy(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL)
