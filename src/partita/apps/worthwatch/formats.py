"""How WorthWatch spells what it stores: folded names, tags, positions, heat, names of comments, readable addresses."""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import UTC, datetime, timedelta
from hashlib import blake2s
from typing import Any
from zlib import crc32

from partita.kit.inputs import one_line

MOST_POSITION_DIGITS = 12
_MOST_KEY_BYTES = 900
_MOST_TAIL = 60
_NOT_A_WORD = re.compile(r"[\W_]+")
_1970 = datetime(1970, 1, 1, tzinfo=UTC)
_2020 = datetime(2020, 1, 1, tzinfo=UTC)
_FORTNIGHT = 14 * 86_400
_PICTURE = re.compile(r"[a-z0-9-]+\.(?:webp|png|jpg)")
_COMMENT = re.compile(r"(?P<at>\d{4}-[0-9T:.Z+-]+)~(?P<by>.+)", re.DOTALL)


def picture_in(folder: str, name: str | None) -> str | None:
    """The name of an uploaded picture; None if there is none, or another program named a file that is not ours."""
    here, _, last = (name or "").rpartition("/")
    return name if here == folder and _PICTURE.fullmatch(last) else None


def plain(text: str) -> str:
    """A text without case and accents, for comparing and sorting."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def folded(title: str) -> str:
    """What titles are compared by: words alone, without case, accents, marks and a leading article.

    A title of marks alone (`…`) is compared as it is; nothing folds to an empty text but an empty title.
    """
    words = _NOT_A_WORD.sub(" ", plain(title).replace("&", " and ")).split()
    while len(words) > 1 and words[0] in ("the", "a", "an"):
        words = words[1:]
    return _cut(" ".join(words) or title.strip() or "-", _MOST_KEY_BYTES).strip()


def tail(text: str) -> str:
    """The readable end of a page's address: `night-trains`. The id before it decides."""
    words = _NOT_A_WORD.sub("-", unicodedata.normalize("NFC", text).casefold()).strip("-")
    return words[:_MOST_TAIL].strip("-") or "-"


def tag_of(value: Any) -> Any:
    """A tag in the one spelling that people see."""
    line = one_line(value)
    return unicodedata.normalize("NFC", line) if isinstance(line, str) else line


def tag_key(tag: str) -> str:
    """A tag in the spelling that tags are compared in."""
    return unicodedata.normalize("NFC", tag.lower())


def tag_rank(tag: str, count: int) -> str:
    """What tags are ordered by: those of many lists last, so that a descending list begins with them."""
    return f"{min(max(count, 0), 10**8 - 1):08}#{tag}"


def heat(saves: int, published_at: str) -> str:
    """How popular a list is, of fixed width: each doubling of saves weighs as much as two weeks. Nothing decays."""
    moment = datetime.fromisoformat(published_at)
    age = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _2020
    value = math.log2(1 + max(saves, 0)) + age.total_seconds() / _FORTNIGHT
    return f"{max(value, 0):012.6f}"


def digest_weekday(user_id: str) -> int:
    """The weekday on which somebody's digest is mailed, 0 for Monday: people are spread over the week."""
    return crc32(user_id.encode()) % 7


def log_day(at: str) -> str:
    """The feed of the log that a moment, or a day, belongs to."""
    return f"LOG#{at[:10]}"


def content_name(content_type: str, content_id: str) -> str:
    """A film or series in one text: `MOVIE#tt1`."""
    return f"{content_type}#{content_id}"


def taste(rated_at: str, rating: int) -> int:
    """When somebody rated, and how, in one number: sorted by time, the rating in its last two digits."""
    return _microseconds(rated_at) * 100 + rating


def rating_in(taste: int) -> int:
    """The rating in such a number."""
    return taste % 100


def _microseconds(moment: str) -> int:
    """Since 1970; 0 for a text that looks like a moment and is none."""
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return 0
    return ((read if read.tzinfo else read.replace(tzinfo=UTC)) - _1970) // timedelta(microseconds=1)


def comment_name(created_at: str, user_id: str) -> str:
    """A comment's public id within its list."""
    return f"{created_at}~{user_id}"


def comment_parts(name: str) -> tuple[str, str] | None:
    """When a comment was written and by whom; None for a text that is no such id."""
    match = _COMMENT.fullmatch(name)
    return None if match is None else (match["at"], match["by"])


def version_of(*values: object) -> str:
    """A digest of what a form edits: an edit names the one it saw."""
    return blake2s(repr(values).encode(errors="replace"), digest_size=9).hexdigest()


def _cut(text: str, most_bytes: int) -> str:
    raw = text.encode(errors="replace")
    return text if len(raw) <= most_bytes else raw[:most_bytes].decode(errors="ignore")
