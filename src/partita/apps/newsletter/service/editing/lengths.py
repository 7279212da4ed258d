"""How long a text is, in words as a reader counts them."""

from __future__ import annotations

import re

# Without going back (`++`) and with bounds: 200,000 hyphens must not take a thousand times as long as 2,000.
_MARKUP = re.compile(
    r"!\[[^\]]{0,500}+\]\([^)]{0,500}+\)"  # a picture: its description is not read
    r"|^(?=[ \t:|-]*?---)[ \t:|-]++$"  # the line under the head of a table, and rules
    r"|(?<!!)\[(\d{1,4})\](?!\()"  # a citation
    r"|(?<=\])\([^)\s]{0,500}+(?:[ \t]++\"[^\"]{0,500}+\")?\)"  # where a link leads
    r"|^[ \t]*+(?:#{1,6}|>|[-+*]|\d{1,9}[.)])(?=[ \t])"  # headings, quotes, entries of lists
    r"|^(?:`{3,}|~{3,}).*$",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\W_]+(?:['’.,:/@-][^\W_]+)*", re.UNICODE)


def word_count(text: str) -> int:
    """The words of Markdown without its marks, citations and addresses."""
    return len(_WORD.findall(_MARKUP.sub(" ", text)))
