"""How the portal spells what it stores: days and moments in UTC, versions, the keys of its indexes, names of files."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from partita.kit.clock import written_day
from partita.table.types import timestamp

ANY = "*"
"""Any suite, concept or tag, in the key of what a subscription matches."""
LOCAL_BUCKET = "local"
"""The bucket of files that are in the data folder."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_VERSION = re.compile(r"v?(\d{1,9})(?:\.(\d{1,9}))?", re.IGNORECASE)
_URI = re.compile(r"s3://([^/]+)/(.+)\Z", re.DOTALL)
_ESCAPED = str.maketrans({"%": "%25", "#": "%23", "*": "%2A"})


# Days and moments
def is_day(text: str) -> bool:
    """Whether a date is a day, and not a moment."""
    return _DAY.match(text) is not None


def moment_of(text: str) -> datetime | None:
    """A moment, or the beginning of a day, in UTC; None if another program wrote something else."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)


def day_of(text: str | None) -> str | None:
    """The day of a date or moment, in UTC."""
    at = None if text is None else moment_of(text)
    return None if at is None else at.date().isoformat()


def day_in_words(text: str | None) -> str:
    """`27 Nov 2026`, as pages write a day: for sentences that people read."""
    at = None if text is None else moment_of(text)
    return "" if at is None else written_day(at)


def month_in_words(month: str) -> str:
    """`November 2026`, of `2026-11`."""
    return f"{date.fromisoformat(f'{month}-01'):%B %Y}"


def today_of(now: datetime) -> str:
    """The day of a moment."""
    return now.astimezone(UTC).date().isoformat()


def day_after(day: str, days: int = 1) -> str:
    """The day so many days later, or earlier."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def start_of(day: str) -> str:
    """The beginning of a day, as a moment."""
    return timestamp(datetime.combine(date.fromisoformat(day), time(0), UTC))


def expires_at(expiry_date: str | None) -> str | None:
    """The moment from which something is no longer valid: after its last valid day, or exactly then."""
    at = None if expiry_date is None else moment_of(expiry_date)
    if at is None or expiry_date is None:
        return None
    return timestamp(at + timedelta(days=1)) if is_day(expiry_date) else timestamp(at)


def last_valid_day(expiry_date: str | None) -> str | None:
    """The last day on which something is valid, at least for a part of it."""
    return day_of(expiry_date)


def month_of(moment: str) -> str:
    """`2026-01`, of a moment."""
    return (day_of(moment) or moment)[:7]


# Versions
class VersionNumber(NamedTuple):
    """`3.2`: the major counts approvals, the minor every other change since."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


def version_number(text: str) -> VersionNumber:
    """The number in a version; whatever else another program calls its versions counts as 0.0."""
    found = _VERSION.match(text.strip())
    return VersionNumber(int(found[1]), int(found[2] or 0)) if found else VersionNumber(0, 0)


def major_of(version: str) -> int:
    """What readers see of a version; 0 before the first approval."""
    return version_number(version).major


def next_major(version: str) -> str:
    """The version after an approval."""
    return str(VersionNumber(major_of(version) + 1, 0))


def next_minor(version: str) -> str:
    """The version after any other change."""
    number = version_number(version)
    return str(VersionNumber(number.major, number.minor + 1))


def version_of_proposal(based_on: str, revision: int) -> str:
    """`3.1+2`: the second state of a change of version 3.1."""
    return f"{based_on}+{revision}"


# Keys of indexes
def expiry_key(expiry_date: str | None, content_id: str) -> str | None:
    """`{moment}#{id}`, for the clock."""
    at = expires_at(expiry_date)
    return None if at is None else f"{at}#{content_id}"


def review_key(review_due_date: str | None, content_id: str) -> str | None:
    """`{day}#{id}`, for the review calendar."""
    day = day_of(review_due_date)
    return None if day is None else f"{day}#{content_id}"


def due_key(kind: str, moment: str, item_id: str) -> str:
    """`{kind}#{moment}#{id}`, for the clock."""
    return f"{kind}#{moment}#{item_id}"


class Due(NamedTuple):
    """What the clock does next with a row, and when."""

    kind: str
    at: str
    """A moment; text order is time order."""

    @property
    def day(self) -> str:
        return self.at[:10]

    def key(self, item_id: str) -> str:
        return due_key(self.kind, self.at, item_id)


def due_of(key: str) -> Due | None:
    """The kind and moment in a due key."""
    parts = key.split("#", 2)
    return Due(parts[0], parts[1]) if len(parts) == 3 else None


# Names that people type
def folded(text: str) -> str:
    """A tag or title as it is compared: without case, in one Unicode form, without spaces around it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold()).strip()


def separates(name: str) -> bool:
    """Whether a suite, concept or tag holds what separates them in keys, or stands for any."""
    return "#" in name or name == ANY


def match_part(name: str | None) -> str:
    """A suite or concept in the key of a match; absent means any. Another program may have stored `#` or `*` in it."""
    return ANY if name is None else name.translate(_ESCAPED)


def match_tag(tag: str | None) -> str:
    """A tag in the key of a match, without case."""
    return ANY if tag is None else folded(tag).translate(_ESCAPED)


def match_name(part: str) -> str | None:
    """The suite, concept or tag in the key of a match; None if it stands for any."""
    if part == ANY:
        return None
    return part.replace("%2A", "*").replace("%23", "#").replace("%25", "%")


# Files
def uri_of(bucket: str, name: str) -> str:
    """`s3://bucket/name`, as the document names a text."""
    return f"s3://{bucket}/{name}"


def file_at(uri: str | None, bucket: str) -> str | None:
    """The name of a text in our own bucket; None if another program keeps it elsewhere."""
    found = None if uri is None else _URI.match(uri)
    return found[2] if found and found[1] == bucket else None


# Kinds of files, as people tell them apart
KINDS: dict[str, str] = {
    "pdf": "PDF",
    "word": "Word document",
    "slides": "Slides",
    "sheet": "Sheet",
    "picture": "Picture",
    "video": "Video",
    "archive": "Archive",
    "page": "Web page",
    "text": "Text",
}
"""What content is made of → as people read it; content without a file is a text."""
_KINDS = {
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "word",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "slides",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "sheet",
    "text/csv": "sheet",
    "application/zip": "archive",
    "text/html": "page",
}
_GLYPHS = {
    "picture": "image",
    "video": "play",
    "sheet": "table",
    "archive": "folder",
    "page": "globe",
    "slides": "screen",
}


def kind_of_file(content_type: str | None) -> str:
    """The kind of a file; text if there is none, or one that nobody knows."""
    if content_type is None:
        return "text"
    for start, kind in (("image/", "picture"), ("video/", "video")):
        if content_type.startswith(start):
            return kind
    return _KINDS.get(content_type, "text")


def glyph_of(kind: str) -> str:
    """The icon of a kind."""
    return _GLYPHS.get(kind, "file")


# Colours of suites
COLOURS = (
    *("Red", "Orange", "Amber", "Olive", "Green", "Teal"),
    *("Cyan", "Blue", "Indigo", "Violet", "Pink", "Grey"),
)
"""By number from 1 on; the style sheet has a class `suite-1` … for each."""


def colour_of(suite: str | None) -> int:
    """The colour of a suite that has none of its own: always the same of the first eleven; grey without a suite."""
    if suite is None:
        return len(COLOURS)
    return sum(folded(suite).encode()) % (len(COLOURS) - 1) + 1
