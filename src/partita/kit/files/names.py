"""Names of files: the same rule for every store, and nothing in them that a file system or a browser reads as more."""

from __future__ import annotations

import re
import unicodedata

MOST_CHARACTERS = 300

# Capitals in codes alone (`NL-20260126-A1B2`), so that no two names differ in nothing but their case.
_SEGMENT = re.compile(r"[a-z0-9_-][a-z0-9._-]{0,99}|[A-Z]{2,4}-[0-9]{8}-[A-Z0-9]{4}")
_JOINERS = frozenset("\u200c\u200d")  # scripts of Persia and India, and emoji, are spelled with them
_NEVER = frozenset('/\\:*?"<>|')


class FileNameError(ValueError):
    """A name that no store takes; the message says what a name is made of."""


def segments_of(name: str) -> tuple[str, ...]:
    """The parts of a name such as `kelifax/logos/0abc.png`: lower-case, no part empty, hidden or leading elsewhere."""
    segments = tuple(name.split("/"))
    if len(name) > MOST_CHARACTERS or not all(_SEGMENT.fullmatch(segment) for segment in segments):
        raise FileNameError(
            f"{name[:MOST_CHARACTERS]!r} is no name of a file: parts of a-z, 0-9, _, - and . (not first) with / "
            f"between them, at most 100 characters each and {MOST_CHARACTERS} together"
        )
    return segments


def download_name(wanted: str) -> str:
    """What people may call a file they save: readable in any script, without paths or characters that hide its end."""
    shown = "".join(" " if _hides(character) else character for character in unicodedata.normalize("NFC", wanted))
    stem, dot, ending = " ".join(shown.split()).strip(". ").rpartition(".")
    if not dot or len(ending) > 10:
        stem, ending = f"{stem}{dot}{ending}", ""
    stem = stem[:120].strip(". ") or "file"
    return f"{stem}.{ending}" if ending else stem


def _hides(character: str) -> bool:
    """Separators of paths, control characters, and marks that turn the direction of the text around."""
    if character in _JOINERS:
        return False
    return character in _NEVER or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
