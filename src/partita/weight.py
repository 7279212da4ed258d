"""How much memory the values of a JSON body take when they are read: many times the body's length if they are small."""

from __future__ import annotations

_LIGHT = 4096
"""A body of this length is not looked at: whatever is in it is little."""
_OBJECT, _LIST, _ELEMENT = 232, 88, 40
"""Bytes of an object with one member, of a list, and of what is in either."""
_PLAIN = 1024 * 1024
"""If it is no more than this, brackets and commas in texts may count as well."""
_WINDOW = 256 * 1024


def weight(body: bytes, plain: int = _PLAIN) -> int:
    """About as many bytes, and rather too many than too few. Text in quotes has none, whatever it holds, if more than
    `plain` would be counted with it."""
    if len(body) <= _LIGHT:
        return 0
    most = _weigh(body)
    if most <= plain:
        return most
    return sum(map(_weigh, _outside_quotes(body)))


def _weigh(json: bytes) -> int:
    return json.count(b"{") * _OBJECT + json.count(b"[") * _LIST + json.count(b",") * _ELEMENT


def _outside_quotes(body: bytes) -> list[bytes]:
    """What is not in quotes, window by window: all pieces at once would take more memory than they are to save."""
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    found, inside = [], 0
    for at in range(0, len(plain), _WINDOW):
        pieces = plain[at : at + _WINDOW].split(b'"')
        found.append(b"".join(pieces[inside::2]))
        inside = (inside + len(pieces) - 1) % 2
    return found
