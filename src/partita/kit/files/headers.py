"""How a file is served so that nothing in it can act as a page of ours."""

from __future__ import annotations

import re
from urllib.parse import quote

from partita.kit.files.names import download_name

SHOWN_INLINE = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
"""Pictures that hold no script; everything else is downloaded."""

FILMS = frozenset({"video/mp4", "video/webm"})
"""What a page may play."""

_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,127}")
_PARAMETERS = re.compile(r"(?:; ?[a-z0-9-]{1,30}=[A-Za-z0-9._-]{1,60}){0,2}")


def safe_headers(content_type: str, *, download_as: str | None = None) -> dict[str, str]:
    """Headers for a file that somebody uploaded: never guessed at, never run, and no page of ours even when opened."""
    known = media_type(content_type)
    inline = known in SHOWN_INLINE and download_as is None
    return {
        "Content-Type": content_type if known else "application/octet-stream",
        "Content-Disposition": disposition(inline=inline, name=download_as),
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


def film_type(content_type: str | None) -> str | None:
    """The type of a film; None if it is of another type: a link can make nothing else of a file."""
    return content_type if content_type in FILMS else None


def disposition(*, inline: bool, name: str | None) -> str:
    """Shown or saved, and under which name; RFC 6266 has one spelling for old programs and one for every script."""
    shown = "inline" if inline else "attachment"
    if name is None:
        return shown
    safe = download_name(name)
    plain = "".join(character if " " <= character < "\x7f" and character not in "%;" else "_" for character in safe)
    return f"{shown}; filename=\"{plain}\"; filename*=UTF-8''{quote(safe, safe='')}"


def media_type(content_type: str) -> str | None:
    """The type without its parameters; None where the text is no content type, however it came here."""
    found = _MEDIA_TYPE.match(content_type)
    if found is None or not _PARAMETERS.fullmatch(content_type, found.end()):
        return None
    return found[0]
