"""What a file is, told by its content; names and what a browser claims count for nothing."""

from __future__ import annotations

import codecs
import re

PNG = "image/png"
JPEG = "image/jpeg"
WEBP = "image/webp"
GIF = "image/gif"
AVIF = "image/avif"
ICO = "image/x-icon"
SVG = "image/svg+xml"
PDF = "application/pdf"
ZIP = "application/zip"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
HTML = "text/html"
XML = "text/xml"
TEXT = "text/plain"
MP4 = "video/mp4"
WEBM = "video/webm"

ENDINGS = {
    PNG: "png",
    JPEG: "jpg",
    WEBP: "webp",
    GIF: "gif",
    AVIF: "avif",
    ICO: "ico",
    SVG: "svg",
    PDF: "pdf",
    ZIP: "zip",
    DOCX: "docx",
    XLSX: "xlsx",
    PPTX: "pptx",
    HTML: "html",
    XML: "xml",
    TEXT: "txt",
    MP4: "mp4",
    WEBM: "webm",
}
"""How the name of a file of each kind ends."""

_SEEN = 65_536  # the part that is looked at; the start of a file is enough
_PICTURES = ((b"\x89PNG\r\n\x1a\n", PNG), (b"\xff\xd8\xff", JPEG), (b"GIF87a", GIF), (b"GIF89a", GIF))
# At most 64 pictures; of what is reserved in the first one, nothing is used.
_ICON = re.compile(rb"\x00\x00\x01\x00[\x01-\x40]\x00.{3}\x00", re.DOTALL)
_PACKAGE = (b"[Content_Types].xml", b"_rels/", b"docProps/")
_OFFICE = ((b"word/", DOCX), (b"xl/", XLSX), (b"ppt/", PPTX))
_ENTRY = re.compile(rb"PK\x03\x04.{22}(..).{2}", re.DOTALL)
# What browsers take for a page when they guess (WHATWG MIME sniffing), and the tags that can run something.
_PAGE = re.compile(
    r"<(?:!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link|base|form|img"
    r"|object|embed|input|button|video|audio|template|math|frameset|noscript)[\s/>]|<!--",
    re.IGNORECASE,
)
_DRAWING = re.compile(
    # Atomic: a crowd of comments must not be tried in every combination.
    r"(?:(?><\?xml[^>]*>|<!--.*?-->|<!doctype svg[^>]*>)\s*+)*+<(?:\w+:)?svg[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_BINARY = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


def kind_of(data: bytes) -> str | None:
    """The content type of a file, from all of it or its first 64 KB; None where it is nothing we know."""
    for start, kind in _PICTURES:
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    if _ICON.match(data):
        return ICO
    if data.startswith(b"%PDF-"):
        return PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(data)
    if data[4:8] == b"ftyp":
        return AVIF if data[8:12] in (b"avif", b"avis") else MP4 if _is_mp4(data) else None
    if data.startswith(b"\x1aE\xdf\xa3") and b"webm" in data[:64]:
        return WEBM
    return _text(data)


def _archive(data: bytes) -> str:
    """Office documents are archives too; what the parts of the package are called tells which."""
    names = [
        data[entry.end() : entry.end() + int.from_bytes(entry[1], "little")] for entry in _ENTRY.finditer(data[:_SEEN])
    ]
    if any(name.startswith(_PACKAGE) for name in names):
        for start, kind in _OFFICE:
            if any(name.startswith(start) for name in names):
                return kind
    return ZIP


def _is_mp4(data: bytes) -> bool:
    return data[8:12] in (b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"M4V ", b"dash")


def _text(data: bytes) -> str | None:
    seen = data[:_SEEN]
    try:
        # A start may end within a character; a file of just this size cannot be told from one.
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(seen, final=len(data) < _SEEN)
    except UnicodeDecodeError:
        return None
    if not text or _BINARY.search(text):
        return None
    head = text.lstrip()
    if _DRAWING.match(head):
        return SVG
    if _PAGE.match(head):
        return HTML
    return XML if head.startswith("<?xml") else TEXT
