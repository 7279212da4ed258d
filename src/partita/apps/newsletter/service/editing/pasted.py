"""HTML from a clipboard (Word, Google Docs, web pages) as clean Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

MOST_CHARACTERS = 200_000
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_HEADINGS = {f"h{level}" for level in range(1, 7)}
_BOLD, _ITALIC = {"b", "strong"}, {"i", "em"}
_BLOCKS = {"p", "div", "section", "article", "header", "footer", "figure", "figcaption", "dl", "dt", "dd", "address"}
_TABLE = {"table", "thead", "tbody", "tfoot", "tr", "th", "td", "caption"}
_TAGS = (
    _HEADINGS
    | _BOLD
    | _ITALIC
    | _BLOCKS
    | _TABLE
    | {"ul", "ol", "li", "blockquote", "pre", "code", "hr", "br", "a", "span"}
)
_DROPPED = {
    "script",
    "style",
    "head",
    "title",
    "template",
    "noscript",
    "svg",
    "math",
    "select",
    "button",
    "object",
    "iframe",
    "textarea",
}
_HIGHEST = 3
"""Sections have the second level, so that what is in them begins at the third."""
_SPACES = re.compile(r"[ \t\r\n\f\v\u00a0\u200b]+")
_SPECIAL = re.compile(
    r"[\\`*<>~|]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|\[(?!\d{1,4}\](?![(:]))|(?<!\[\d)(?<!\[\d\d)(?<!\[\d\d\d)(?<!\[\d\d\d\d)\]|!(?=\[)"
)
_STARTS = re.compile(r"^(?:([-+=])|(#{1,6})(?=\s|$)|(\d{1,9})(?=[.)](?:\s|$)))")
_WORD_LIST = re.compile(r"mso-list:\s*l\d+\s+level(\d)", re.IGNORECASE)
_WORD_MARK = re.compile(r"^(?:[·•▪●○§o‣–-]|(\d{1,3}|[a-z])[.)])\s+")
_MOST_DEPTH = 6
_DEEPEST = 1_000
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)")
_ANY_TAG = re.compile(r"<[^>]*>")
_VOID = {"br", "hr", "img", "meta", "link", "input", "col", "wbr", "p", "li", "td", "tr", "th"}
"""Elements without an end, or whose end may be left out."""


def markdown_of(html: str) -> str:
    """The text of HTML as Markdown: headings, emphasis, links, lists, tables, quotes and code; nothing else."""
    html = html[: 5 * MOST_CHARACTERS]
    if _is_too_deep(html):
        html = _ANY_TAG.sub("\n", html)  # no page is like this; what it says may still be wanted
    clean = nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_DROPPED,
        attributes={"a": {"href"}, "p": {"style"}, "b": {"style"}, "span": {"style"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )
    reader = _Reader()
    reader.feed(clean)
    reader.close()
    reader.flush()
    return _laid_out(reader.blocks)[:MOST_CHARACTERS]


def _is_too_deep(html: str) -> bool:
    """Whether elements are so deep in each other that cleaning would take longer than anybody waits."""
    depth = 0
    for found in _TAG.finditer(html):
        depth += 0 if found[2].lower() in _VOID else -1 if found[1] else 1
        if depth > _DEEPEST:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Run:
    """A stretch of text of one look."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    """A piece of the page, with the lists and quotes it is in."""

    text: str
    lists: tuple[str, ...] = ()
    """The marker of each list around it; blank if the entry has had its marker."""
    quotes: int = 0

    @property
    def first_of_entry(self) -> bool:
        return bool(self.lists) and bool(self.lists[-1].strip())


@dataclass(slots=True)
class _List:
    ordered: bool
    number: int = 1
    fresh: bool = False
    """Whether an entry has begun whose marker is not written yet."""


@dataclass(slots=True)
class _Table:
    rows: list[list[str]] = field(default_factory=list)


class _Reader(HTMLParser):
    """Takes clean HTML as it comes, without recursion: pages may be nested as deep as they like."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[_Block] = []
        self._runs: list[_Run] = []
        self._bold = self._italic = self._code = self._quotes = self._pre = self._ignored = 0
        self._bold_tags: list[bool] = []
        self._span_tags: list[bool] = []
        self._href = ""
        self._heading = 0
        self._lists: list[_List] = []
        self._table: _Table | None = None
        self._word_level = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        style = given.get("style", "").replace(" ", "").lower()
        if tag in _BOLD:
            # Google Docs wraps everything in a <b> that is not bold.
            self._bold_tags.append("font-weight:normal" not in style)
            self._bold += self._bold_tags[-1]
        elif tag in _ITALIC:
            self._italic += 1
        elif tag == "span":
            self._span_tags.append("mso-list:ignore" in style)
            self._ignored += self._span_tags[-1]
        elif tag == "code":
            self._code += 1
        elif tag == "a":
            self._href = given.get("href", "")
        elif tag == "br":
            self._runs.append(_Run("\n"))
        elif tag in ("td", "th"):
            self.flush()
        elif tag == "tr":
            self.flush()
            if self._table is not None:
                self._table.rows.append([])
        elif tag == "table":
            self.flush()
            self._table = self._table or _Table()
        else:
            self.flush()
            self._begin_block(tag, given)

    def _begin_block(self, tag: str, given: dict[str, str]) -> None:
        if tag in _HEADINGS:
            self._heading = max(int(tag[1]), _HIGHEST)
        elif tag in ("ul", "ol"):
            start = given.get("start", "")
            self._lists.append(_List(tag == "ol", int(start) if start.isdecimal() and len(start) < 6 else 1))
        elif tag == "li" and self._lists:
            self._lists[-1].fresh = True
        elif tag == "blockquote":
            self._quotes += 1
        elif tag == "pre":
            self._pre += 1
        elif tag == "hr":
            self._add("---")
        elif tag == "p":
            found = _WORD_LIST.search(given.get("style", ""))
            self._word_level = int(found[1]) if found else 0

    def handle_endtag(self, tag: str) -> None:
        if tag in _BOLD and self._bold_tags:
            self._bold -= self._bold_tags.pop()
        elif tag in _ITALIC:
            self._italic = max(0, self._italic - 1)
        elif tag == "span" and self._span_tags:
            self._ignored -= self._span_tags.pop()
        elif tag == "code":
            self._code = max(0, self._code - 1)
        elif tag == "a":
            self._href = ""
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag == "table":
            self._end_table()
        else:
            self.flush()
            self._end_block(tag)

    def _end_block(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._heading = 0
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        elif tag == "blockquote":
            self._quotes = max(0, self._quotes - 1)
        elif tag == "pre":
            self._pre = max(0, self._pre - 1)
        elif tag == "p":
            self._word_level = 0

    def handle_data(self, data: str) -> None:
        if self._pre:
            self._runs.append(_Run(data))
        elif not self._ignored:
            self._runs.append(
                _Run(data.replace("\n", " "), self._bold > 0, self._italic > 0, self._code > 0, self._href)
            )

    def flush(self) -> None:
        """The text so far is a block."""
        runs, self._runs = self._runs, []
        if self._table is not None and self._table.rows:
            if any(run.text.strip() for run in runs):
                self._runs = [*runs, _Run(" ")]  # blocks in a cell are one line of text
            return
        if self._pre:
            self._add_code("".join(run.text for run in runs))
            return
        one_line = bool(self._heading)
        text = _inline(runs, one_line=one_line)
        if not text:
            return
        if self._heading:
            self._add(f"{'#' * self._heading} {text}")
        elif self._word_level:
            self._add_word_entry(text)
        else:
            self._add(text)

    def _add(self, text: str) -> None:
        markers: list[str] = []
        for each in self._lists[-_MOST_DEPTH:]:
            marker = f"{each.number}. " if each.ordered else "- "
            if each.fresh:
                each.fresh = False
                each.number += 1
                markers.append(marker)
            else:
                markers.append(" " * len(f"{max(each.number - 1, 1)}. " if each.ordered else "- "))
        self.blocks.append(_Block(text, tuple(markers), self._quotes))

    def _add_code(self, code: str) -> None:
        lines = code.strip("\n")
        if lines.strip():
            fence = "`" * max(3, 1 + max((len(found) for found in re.findall("`+", lines)), default=0))
            self._add(f"{fence}\n{lines}\n{fence}")

    def _add_word_entry(self, text: str) -> None:
        """Word writes lists as paragraphs; the level is in their style."""
        depth = min(self._word_level, _MOST_DEPTH) - 1
        self.blocks.append(_Block(_WORD_MARK.sub("", text) or text, ("  ",) * depth + ("- ",), self._quotes))

    def _end_cell(self) -> None:
        if self._table is None or not self._table.rows:
            self.flush()
            return
        runs, self._runs = self._runs, []
        self._table.rows[-1].append(_inline(runs, one_line=True))

    def _end_table(self) -> None:
        if self._table is None:
            return
        rest, self._runs = self._runs, []
        rows, self._table = [row for row in self._table.rows if row], None
        if len(rows) > 1 or (rows and len(rows[0]) > 1):
            width = max(map(len, rows))
            cells = [[cell or " " for cell in row] + [" "] * (width - len(row)) for row in rows]
            lines = [f"| {' | '.join(row)} |" for row in cells]
            self._add("\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]]))
        else:  # a table for looks
            for cell in (cell for row in rows for cell in row if cell):
                self._add(cell)
        self._runs = [run for run in rest if run.text.strip()]
        self.flush()


def _inline(runs: list[_Run], *, one_line: bool) -> str:
    """Runs of text as Markdown that reads back as the same text; emphasis that would not is left out."""
    tidy = _spaced(runs, one_line=one_line)
    wanted = _plain("".join(run.text for run in tidy))
    if not wanted:
        return ""
    for attempt in (tidy, [replace(run, italic=False) for run in tidy], [_Run(run.text) for run in tidy]):
        made = "".join(map(_marked, _merged(attempt)))
        made = "\\\n".join(_STARTS.sub(_escaped_start, line.strip()) for line in made.split("\n")).strip()
        if _plain(_text_of(_PARSER.parse(made))) == wanted:
            return made
    return made


def _spaced(runs: list[_Run], *, one_line: bool) -> list[_Run]:
    """One space between words; spaces at the ends of a look come out of it."""
    found: list[_Run] = []
    ended = True
    for run in _merged(runs):
        if run.text.strip("\n") == "" and run.text and not one_line and not run.code:
            if found and not found[-1].text.endswith("\n"):
                found.append(_Run("\n"))
            ended = True
            continue
        text = _SPACES.sub(" ", run.text)
        text = text.lstrip() if ended else text
        if not text:
            continue
        ended = text.endswith(" ")
        core = text.strip()
        if text.startswith(" "):
            found.append(_Run(" "))
        if core:
            found.append(replace(run, text=core))
        if core and ended:
            found.append(_Run(" "))
    while found and not found[-1].text.strip():
        found.pop()
    return found


def _merged(runs: list[_Run]) -> list[_Run]:
    found: list[_Run] = []
    for run in runs:
        if found and replace(found[-1], text="") == replace(run, text="") and "\n" not in (run.text, found[-1].text):
            found[-1] = replace(run, text=found[-1].text + run.text)
        elif run.text:
            found.append(run)
    return found


def _marked(run: _Run) -> str:
    if run.text == "\n":
        return "\n"
    if run.code:
        ticks = "`" * (1 + max((len(found) for found in re.findall("`+", run.text)), default=0))
        pad = " " if run.text.startswith("`") or run.text.endswith("`") else ""
        text = f"{ticks}{pad}{run.text}{pad}{ticks}".replace("|", "\\|")
    else:
        text = _SPECIAL.sub(lambda found: f"\\{found[0]}", run.text)
    if run.italic:
        text = f"*{text}*"
    if run.bold:
        text = f"**{text}**"
    if run.href and not re.search(r"[\s<>]", run.href):
        text = f"[{text}](<{run.href}>)" if re.search(r"[()\\]", run.href) else f"[{text}]({run.href})"
    return text


def _escaped_start(found: re.Match[str]) -> str:
    return f"{found[3]}\\" if found[3] else f"\\{found[0]}"


def _plain(text: str) -> str:
    return " ".join(_SPACES.sub(" ", text).split())


def _text_of(tokens: list[Token]) -> str:
    found: list[str] = []
    for token in tokens:
        if token.type in ("text", "code_inline", "fence", "code_block"):
            found.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            found.append(" ")
        elif token.children:
            found.append(_text_of(token.children))
        elif token.type == "inline":
            found.append(token.content)
    return "".join(found)


def _laid_out(blocks: list[_Block]) -> str:
    """Blocks as lines: entries of one list close together, everything else apart."""
    text = ""
    for place, block in enumerate(blocks):
        marker = "".join(block.lists)
        indent = " " * len(marker)
        quote = "> " * block.quotes
        lines = block.text.split("\n")
        shown = "\n".join(
            f"{quote}{marker if not number else indent}{line}".rstrip() for number, line in enumerate(lines)
        )
        if place:
            before = blocks[place - 1]
            close = bool(before.lists and block.first_of_entry and before.quotes == block.quotes)
            text += "\n" if close else f"\n{quote.rstrip()}\n" if before.quotes and block.quotes else "\n\n"
        text += shown
    return text
