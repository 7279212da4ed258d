"""Reads a line of Amazon Ion into an item.

Whatever stands in the line, the worst that it can be is no item. Libraries that were tried end the process over some
lines, and refuse texts above 64 KB, which items may have.
"""

from __future__ import annotations

import re
from typing import NoReturn

from partita.dynamo.values import AttributeValue, Item

_MARKER = re.compile(r"\$ion_1_0(?![\w$]|\s*::)", re.ASCII)
_SPACE = re.compile(r"(?:[ \t\n\r\f\v]++|//[^\n\r]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
_WORD = re.compile(r"[^\s{}\[\](),\"':/]*+")
_QUOTED = {mark: re.compile(rf"{mark}((?:[^{mark}\\\n\r]++|\\.)*+){mark}", re.DOTALL) for mark in "\"'"}
_LONG = re.compile(r"'''((?:[^'\\]++|\\.|'(?!''))*+)'''", re.DOTALL)
_BLOB = re.compile(r"\{\{([A-Za-z0-9+/=\s]*+)\}\}")
_SYMBOL = re.compile(r"(?!(?:null|true|false|nan)\Z|\$[0-9]+\Z)[A-Za-z_$][\w$]*\Z", re.ASCII)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r\n|.))", re.DOTALL)
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "f": "\f",
    "r": "\r",
    "v": "\v",
    **{same: same for same in "\"'?/\\"},
    **dict.fromkeys(("\n", "\r", "\r\n"), ""),
}
_NULL = re.compile(r"null(?:\.(null|bool|int|float|decimal|timestamp|symbol|string|clob|blob|list|struct|sexp))?\Z")
_DIGITS = r"(?:0|[1-9](?:_?[0-9])*+)"
_NUMBER = re.compile(rf"-?{_DIGITS}(?:\.(?:[0-9](?:_?[0-9])*+)?)?(?:[dD][+-]?[0-9]++)?\Z")
_OF_BITS = re.compile(r"(-?)0(?:[xX]([0-9a-fA-F](?:_?[0-9a-fA-F])*+)|[bB]([01](?:_?[01])*+))\Z")
_FLOAT = re.compile(rf"-?{_DIGITS}(?:\.(?:[0-9](?:_?[0-9])*+)?)?[eE][+-]?[0-9]++\Z|nan\Z|[+-]inf\Z")
_TIME = re.compile(r"[0-9]{4}(?:T|-[0-9])")
_OTHERS = {"float": _FLOAT, "timestamp": _TIME, "symbol": _SYMBOL}
_SETS = {f"$dynamodb_{kind}": kind for kind in ("SS", "NS", "BS")}
_MEMBERS = {"SS": "S", "NS": "N", "BS": "B"}
_DEEPEST = 100
"""More than an item may nest."""
_LONGEST_INTEGER = 1000
_TOLD = 40
"""So much of what cannot be read is told."""


class NotReadableError(ValueError):
    """A line that is no item; says why."""


def item(line: bytes) -> Item:
    """The item of a line, in the wire's form."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise NotReadableError(f"it is not Ion as text: {error}") from None
    reader = _Reader(text)
    found = reader.record().get("Item")
    if found is None or "M" not in found:
        raise NotReadableError("it is not {Item:{…}}")
    members: Item = found["M"]
    return members


class _Reader:
    """Where it is in a line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def record(self) -> Item:
        """The members of the only value; none if it has none."""
        while self._next() and self._take(_MARKER):
            pass
        value: AttributeValue = self._value(0) if self._next() else {}
        members: Item = value.get("M", {})
        return {} if self._next() else members

    def _value(self, deep: int) -> AttributeValue:
        if deep > _DEEPEST:
            raise _not_ion("nests too deeply")
        kind = self._annotations()
        start = self._next()
        if start == '"':
            return {"S": self._quoted('"')}
        if self._text.startswith("'''", self._at):
            return {"S": self._long()}
        if self._text.startswith("{{", self._at):
            return {"B": self._blob()}
        if start == "{":
            return {"M": self._struct(deep)}
        if start == "[":
            return self._set(kind, deep) if kind else {"L": self._list(deep)}
        if start == "(":
            _has_no("sexp")
        if start == "'":
            _has_no("symbol")
        return self._bare()

    def _annotations(self) -> str:
        """Which set a list is, if what stands before it says so."""
        kind = ""
        while True:
            before = self._at
            start = self._next()
            if start == "'" and not self._text.startswith("'''", self._at):
                name = self._quoted("'")
            else:
                name = self._word()
            if not (name or start == "'") or self._next() != ":" or not self._text.startswith("::", self._at):
                self._at = before
                return kind
            if start != "'" and not _SYMBOL.match(name):
                raise _not_ion(f"has no value {name[:_TOLD]}")
            self._at += 2
            kind = kind or _SETS.get(name, "")

    def _struct(self, deep: int) -> Item:
        members: Item = {}
        self._at += 1
        while self._next() != "}":
            name = self._name()
            if self._next() != ":":
                raise _not_ion("has a name without a value")
            self._at += 1
            members[name] = self._value(deep + 1)
            self._separated("}")
        self._at += 1
        return members

    def _name(self) -> str:
        start = self._next()
        if self._text.startswith("'''", self._at):
            return self._long()
        if start in ("'", '"'):
            return self._quoted(start)
        name = self._word()
        if not _SYMBOL.match(name):
            raise _not_ion(f"has no name {name[:_TOLD]}")
        return name

    def _list(self, deep: int) -> list[AttributeValue]:
        members: list[AttributeValue] = []
        self._at += 1
        while self._next() != "]":
            members.append(self._value(deep + 1))
            self._separated("]")
        self._at += 1
        return members

    def _set(self, kind: str, deep: int) -> AttributeValue:
        wanted = _MEMBERS[kind]
        members = self._list(deep)
        if any(wanted not in each for each in members):
            raise NotReadableError(f"a list of $dynamodb_{kind} has a member of another type")
        return {kind: [each[wanted] for each in members]}

    def _separated(self, end: str) -> None:
        """Past the comma; the last one may be there or not."""
        mark = self._next()
        if mark == ",":
            self._at += 1
        elif mark != end:
            raise _not_ion(f"lacks a comma or {end}")

    def _quoted(self, mark: str) -> str:
        found = self._take(_QUOTED[mark])
        if found is None:
            raise _not_ion(f"has a text without an end at character {self._at + 1:,}")
        return self._plain(found[1])

    def _long(self) -> str:
        """A text in several parts; what escapes say stands within one of them."""
        parts: list[str] = []
        while self._next() == "'" and (found := self._take(_LONG)):
            parts.append(self._plain(found[1]))
        if not parts:
            raise _not_ion(f"has a text without an end at character {self._at + 1:,}")
        return "".join(parts)

    def _plain(self, text: str) -> str:
        if "\\" not in text:
            return text
        plain = _ESCAPE.sub(self._unescaped, text)
        try:
            return plain.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise _not_ion("has half a character") from None

    def _unescaped(self, found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code is None:
            if found[4] not in _ESCAPES:
                raise _not_ion(f"has no character \\{found[4]}")
            return _ESCAPES[found[4]]
        number = int(code, 16)
        if number > 0x10FFFF:
            raise _not_ion(f"has no character {code}")
        return chr(number)

    def _blob(self) -> str:
        found = self._take(_BLOB)
        if found is None:
            self._at += 2
            if self._next() in ("'", '"'):
                _has_no("clob")
            raise _not_ion("has a blob that is not base64")
        return "".join(found[1].split())

    def _bare(self) -> AttributeValue:
        """What stands without quotation marks."""
        word = self._word()
        if _NUMBER.match(word):
            return {"N": word.replace("_", "").replace("d", "E").replace("D", "E")}
        if word in ("true", "false"):
            return {"BOOL": word == "true"}
        if null := _NULL.match(word):
            if null[1] in (None, "null"):
                return {"NULL": True}
            raise NotReadableError(f"DynamoDB has no {word}")
        if of_bits := _OF_BITS.match(word):
            return {"N": _decimal(of_bits)}
        for kind, pattern in _OTHERS.items():
            if pattern.match(word):
                _has_no(kind)
        raise _not_ion(f"has no value {word[:_TOLD]}" if word else f"has no value at character {self._at + 1:,}")

    def _word(self) -> str:
        found = self._take(_WORD)
        return "" if found is None else found[0]

    def _next(self) -> str:
        """The character after spaces and comments; none at the end."""
        self._take(_SPACE)
        return self._text[self._at : self._at + 1]

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found


def _decimal(written: re.Match[str]) -> str:
    sign, hexadecimal, binary = written.groups()
    digits = (hexadecimal or binary).replace("_", "")
    if len(digits) > _LONGEST_INTEGER:
        raise NotReadableError("it has a number that DynamoDB has no room for")
    return f"{sign}{int(digits, 16 if hexadecimal else 2)}"


def _not_ion(why: str) -> NotReadableError:
    return NotReadableError(f"it is not Ion: it {why}")


def _has_no(kind: str) -> NoReturn:
    raise NotReadableError(f"DynamoDB has no type for Ion's {kind}")
