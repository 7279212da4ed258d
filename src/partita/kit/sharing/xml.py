"""XML that every parser reads, whatever people typed."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, tostring

_NOT_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINE_END = re.compile("\r\n?")
_BEFORE_EVERYTHING = datetime(1970, 1, 1, tzinfo=UTC)


def legal(text: str) -> str:
    """The text without the characters that XML 1.0 has no way to write; line ends as a parser reports them."""
    return _NOT_XML.sub("", _LINE_END.sub("\n", text))


def add(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    """Add an element with a text."""
    element = SubElement(parent, tag, {name: legal(value) for name, value in attributes.items()})
    if text:
        element.text = legal(text)
    return element


def document(root: Element) -> bytes:
    """The file."""
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}'.encode()


def moment(stored: str) -> datetime:
    """A stored point in time, in UTC. If another program stored a day that does not exist, 1970: one bad row must not
    take a whole list from everybody."""
    try:
        at = datetime.fromisoformat(stored)
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return _BEFORE_EVERYTHING


def timestamp(stored: str) -> str:
    """A stored point in time as RFC 3339 spells it."""
    return moment(stored).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
