"""The words of a statement, each with its place."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal

from partita.dynamo.errors import ValidationError
from partita.dynamo.frozen import dataclass
from partita.dynamo.partiql.keywords import KEYWORDS

Kind = Literal["keyword", "name", "text", "number", "sign", "end"]
_MOST_EXPONENT = 2**31 - 1
_TOKEN = re.compile(
    r"""
    (?P<space>\s+|--[^\n\r]*|/\*.*?\*/)
    | (?P<text>'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")*")
    | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<word>[A-Za-z_$][A-Za-z0-9_$]*)
    | (?P<sign><<|>>|<>|!=|<=|>=|\|\||[=<>+\-*/%(){}\[\],.:?;`])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a statement: where it begins, and how long it is."""

    offset: int
    line: int
    column: int
    length: int

    def __str__(self) -> str:
        """The way DynamoDB's messages name a place: line, column and length, counted from 1."""
        return f"at {self.line}:{self.column}:{self.length}"


@dataclass(frozen=True, slots=True)
class Token:
    """One word, name, value or sign; `content` is what it stands for, keywords in capitals."""

    kind: Kind
    content: str
    spot: Spot


class StatementError(ValidationError):
    """A statement that is no PartiQL; `spot` is where reading ended."""

    def __init__(self, what: str, spot: Spot) -> None:
        super().__init__(f"Statement wasn't well formed, can't be processed: {what}")
        self.spot = spot


def tokens(statement: str) -> list[Token]:
    """All tokens of a statement, and one for its end."""
    lines = [0, *(match.end() for match in re.finditer("\n", statement))]

    def spot(start: int, end: int) -> Spot:
        line = bisect_right(lines, start)
        return Spot(start, line, start - lines[line - 1] + 1, end - start)

    found: list[Token] = []
    at = 0
    while at < len(statement):
        match = _TOKEN.match(statement, at)
        if match is None or _is_open_comment(match):
            raise StatementError("", spot(at, at + 1))  # DynamoDB gives no reason here either
        if match.lastgroup != "space":
            found.append(_token(match, spot(at, match.end())))
        at = match.end()
    found.append(Token("end", "", spot(at, at)))
    return found


def _is_open_comment(match: re.Match[str]) -> bool:
    return match[0] == "/" and match.string.startswith("/*", match.start())


def _token(match: re.Match[str], spot: Spot) -> Token:
    text = match[0]
    match match.lastgroup:
        case "text":
            return Token("text", text[1:-1].replace("''", "'"), spot)
        case "quoted":
            return Token("name", text[1:-1].replace('""', '"'), spot)
        case "number":
            _check_exponent(text, spot)
            return Token("number", text, spot)
        case "word":
            word = text.upper()
            return Token("keyword", word, spot) if word in KEYWORDS else Token("name", text, spot)
    return Token("sign", "<>" if text == "!=" else text, spot)


def _check_exponent(text: str, spot: Spot) -> None:
    """Refuse a number whose exponent or scale has more than 32 bits: DynamoDB does not read such a literal."""
    digits, _, exponent = text.lower().partition("e")
    if not exponent:
        return
    shift = int(exponent) if len(exponent) <= 12 else _MOST_EXPONENT + 1
    fraction = len(digits.partition(".")[2])
    if abs(shift) > _MOST_EXPONENT or abs(fraction - shift) > _MOST_EXPONENT:
        raise StatementError("", spot)
