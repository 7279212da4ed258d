"""Blocks without what is on every page: page numbers, running heads and feet, whatever kind of file they come from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from partita.kit.previews.blocks import Block
from partita.kit.previews.line_kinds import is_page_mark, is_title

_REPEATED = 3
"""A short line that is there so often is a running one."""
_FEWEST_WORDS = 2
_NUMBER_AT_THE_EDGE = re.compile(r"^\d{1,4}\s*[-–—|·]?\s+|\s+[-–—|·]?\s*\d{1,4}$")


def without_running_lines(blocks: Iterable[Block]) -> list[Block]:
    """The blocks that a reader reads. Headings and tables stay, and so does every sentence."""
    given = list(blocks)
    seen: defaultdict[str, list[int | None]] = defaultdict(list)
    for block in given:
        if _may_run(block):
            seen[_common(block.text)].append(block.page)
    running = {text for text, pages in seen.items() if _often_enough(pages)}
    return [
        block
        for block in given
        if block.kind != "paragraph"
        or not (is_page_mark(block.text) or (_may_run(block) and _common(block.text) in running))
    ]


def _may_run(block: Block) -> bool:
    return block.kind == "paragraph" and is_title(block.text) and len(block.text.split()) >= _FEWEST_WORDS


def _common(text: str) -> str:
    """The line without the number of its page."""
    return _NUMBER_AT_THE_EDGE.sub("", " ".join(text.split())).casefold()


def _often_enough(pages: list[int | None]) -> bool:
    known = [page for page in pages if page is not None]
    return (len(set(known)) if known else len(pages)) >= _REPEATED
