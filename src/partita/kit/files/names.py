"""File names: the same rules for every store, without characters that file systems or browsers treat specially."""

from __future__ import annotations

import re
import unicodedata

MOST_CHARACTERS = 300

_SEGMENT = re.compile(r"[a-z0-9_-][a-z0-9._-]{0,99}")
_JOINERS = frozenset("\u200c\u200d")  # Persian, Indic scripts and emoji need them
_NEVER = frozenset('/\\:*?"<>|')


class FileNameError(ValueError):
    """An invalid file name; the message says what is allowed."""


def segments_of(name: str) -> tuple[str, ...]:
    """The parts of a name such as `kelifax/logos/0abc.png`: lower case, no part empty, hidden or `..`."""
    segments = tuple(name.split("/"))
    if len(name) > MOST_CHARACTERS or not all(_SEGMENT.fullmatch(segment) for segment in segments):
        raise FileNameError(
            f"{name[:MOST_CHARACTERS]!r} is not a valid file name: use parts of a-z, 0-9, _, - and . (not first), "
            f"separated by /, with at most 100 characters each and {MOST_CHARACTERS} in total"
        )
    return segments


def download_name(name: str) -> str:
    """A safe name for a download: any script, but no paths and no characters that hide the extension."""
    visible = "".join(" " if _hides(character) else character for character in unicodedata.normalize("NFC", name))
    stem, dot, ending = " ".join(visible.split()).strip(". ").rpartition(".")
    if not dot or len(ending) > 10:
        stem, ending = f"{stem}{dot}{ending}", ""
    stem = stem[:120].strip(". ") or "file"
    return f"{stem}.{ending}" if ending else stem


def _hides(character: str) -> bool:
    """Path separators, control characters, and marks that reverse the direction of text."""
    if character in _JOINERS:
        return False
    return character in _NEVER or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
