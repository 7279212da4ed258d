"""Office files are ZIP archives of XML. Read in a process of its own (`in_child`).

A part is read as a stream with limits of our own: what an archive says of its sizes counts for nothing, and a document
type (where entities that unfold come from) is refused.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any
from xml.parsers import expat

from partita.kit.previews.refusals import PreviewRefused

MOST_CHARACTERS = 2_000_000
_MOST_ENTRIES = 5_000
MOST_UNPACKED = 200_000_000
MOST_RATIO = 100
_FREE = 5_000_000
"""So much any document may unpack to, however small it is packed."""
_MOST_DEPTH = 200
_CHUNK = 256 * 1024
_UNBOUND = re.compile(r"[\x00-\x1f\x7f]")


class Package(zipfile.ZipFile):
    """An archive, and how much of it may still be unpacked."""

    left = 0


@contextmanager
def opened(data: bytes) -> Iterator[Package]:
    """The package; whatever goes wrong with it while it is read is said as `PreviewRefused`."""
    try:
        archive = Package(BytesIO(data))
        archive.left = min(MOST_UNPACKED, max(_FREE, MOST_RATIO * len(data)))
        if len(archive.namelist()) > _MOST_ENTRIES:
            raise PreviewRefused("This document has more parts than any document needs.")
        if not plainly_packed(archive):
            raise PreviewRefused("This document is packed in a way that no office program uses. Save it again.")
        yield archive
    except (zipfile.BadZipFile, KeyError, NotImplementedError, EOFError, OSError, ValueError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "password" in str(error):
            raise PreviewRefused("This document is protected by a password.") from None
        raise _damaged() from None


def plainly_packed(archive: zipfile.ZipFile) -> bool:
    """Whether parts are stored or deflated, as everybody does it; other ways unpack a few hundred bytes to hundreds of
    megabytes in one step."""
    return all(part.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for part in archive.infolist())


def read(archive: Package, name: str, reader: Reader) -> None:
    """Let a reader see a part, element by element."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    try:
        with archive.open(name) as part:
            while chunk := part.read(_CHUNK):
                archive.left -= len(chunk)
                if archive.left < 0:
                    raise PreviewRefused(
                        f"This document unpacks to more than {MOST_RATIO} times its size or "
                        f"{MOST_UNPACKED // 1_000_000} MB. Save it again and try once more."
                    )
                parser.Parse(chunk, False)
                if reader.cut:
                    return
            parser.Parse(b"", True)
    except (expat.ExpatError, zlib.error):
        raise _damaged() from None


def _refuse_doctype(*_: Any) -> None:
    raise PreviewRefused("This document holds what no document may hold: a document type.")


def _damaged() -> PreviewRefused:
    return PreviewRefused("This document is damaged. Save it again and try once more.")


def plain(text: str) -> str:
    """A text in one line."""
    return " ".join(_UNBOUND.sub(" ", text).split())


def local(name: str) -> str:
    """The name of an element without its namespace."""
    return name.rpartition(" ")[2]


def value(attributes: dict[str, str], wanted: str = "val") -> str:
    """An attribute, whatever its namespace."""
    return next((found for name, found in attributes.items() if local(name) == wanted), "")


_SAID_ELSEWHERE = ("Fallback", "moveFrom", "rPh")
"""Text that stands in the part a second time: a text box for old programs, the place that words were moved away from,
how a word is pronounced."""


class Reader:
    """What all parts have in common: how deep we are, and what is passed over."""

    cut = False

    def __init__(self) -> None:
        self._depth = 0
        self._passed_over = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise PreviewRefused("This document is nested deeper than any document needs.")
        self._passed_over += local(name) in _SAID_ELSEWHERE
        if not self._passed_over:
            self.begin(local(name), attributes)

    def end(self, name: str) -> None:
        self._depth -= 1
        if not self._passed_over:
            self.finish(local(name))
        self._passed_over -= local(name) in _SAID_ELSEWHERE

    def characters(self, text: str) -> None:
        if not self._passed_over:
            self.text(text)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def finish(self, name: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Text between tags."""
