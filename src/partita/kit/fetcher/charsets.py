"""From bytes to text, by what the answer, the page or the bytes themselves say."""

from __future__ import annotations

import codecs
import re

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"<meta[^>]{1,300}?charset\s*=\s*[\"']?\s*([\w:.-]{1,40})", re.IGNORECASE)
_DECLARED_WITHIN = 2048

# Names that pages use, and Python's for the same. Not Python's own aliases: among those are codecs that unpack,
# take quadratic time or write warnings. As browsers do, Latin-1 is read as Windows-1252, which holds more.
_CODECS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "utf-16": "utf-16-le",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "iso8859-1": "cp1252",
    "latin1": "cp1252",
    "windows-1252": "cp1252",
    "cp1252": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "tis-620": "cp874",
    "windows-874": "cp874",
    **{f"windows-125{number}": f"cp125{number}" for number in (0, 1, 3, 4, 5, 6, 7, 8)},
    **{f"iso-8859-{number}": f"iso8859_{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
    "macintosh": "mac_roman",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
}


def text_of(data: bytes, declared: str | None = None) -> str:
    """The text, with � for what cannot be read; `declared` is what the answer's header says."""
    for mark, codec in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace")
    said = _CODECS.get((declared or "").strip().lower()) or _said_within(data)
    if said is not None:
        return data.decode(said, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def without_half_a_character(start: bytes) -> bytes:
    """The start of a longer text, without the part of a character that it may end with: with one, a text in UTF-8 would
    be taken for another set from beginning to end."""
    for back in range(1, min(3, len(start)) + 1):
        byte = start[-back]
        if byte & 0xC0 != 0x80:  # here the last character begins; how many bytes it has, its first one says
            needed = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
            return start[:-back] if needed > back else start
    return start


def _said_within(data: bytes) -> str | None:
    found = _META.search(data[:_DECLARED_WITHIN])
    codec = _CODECS.get(found[1].decode("ascii", "replace").lower()) if found else None
    # Whoever could read this in ASCII does not read UTF-16.
    return "utf-8" if codec and codec.startswith("utf-16") else codec
