"""Titles as lists order them, and texts cut to size."""

from __future__ import annotations

import unicodedata

_MOST_KEY_BYTES = 900


def title_key(title: str, site_id: str) -> str:
    """What titles are ordered by: without case and accents; the id tells those of one title apart."""
    apart = unicodedata.normalize("NFKD", title).casefold()
    plain = "".join(each for each in apart if not unicodedata.combining(each))
    # The sort key of an index has at most 1,024 bytes.
    return f"{cut(plain.strip(), _MOST_KEY_BYTES)}#{site_id}"


def cut(text: str, most_bytes: int) -> str:
    """The start of a text that fits into so many bytes, with no character halved."""
    raw = text.encode()
    return text if len(raw) <= most_bytes else raw[:most_bytes].decode(errors="ignore")
