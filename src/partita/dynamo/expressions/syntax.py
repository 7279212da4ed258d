"""From expression text to raw syntax: a lexer and a parser that keeps its own stack, so no input can exhaust Python's.

Raw syntax still holds placeholders; `bind` turns it into the tree. The text alone decides what comes out of here, so
the results are cached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from string import ascii_letters

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.placement import Place, check_placement
from partita.dynamo.expressions.raw import (
    COMPARATORS,
    CONDITION_OPERATORS,
    Raw,
    RawCall,
    RawPath,
    RawUpdate,
    RawValue,
    placeholders_in,
)
from partita.dynamo.frozen import dataclass
from partita.dynamo.limits import EXPRESSION_BYTES, EXPRESSION_OPERATORS

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<word>[#:][A-Za-z0-9_]+|[A-Za-z0-9][A-Za-z0-9_]*)
    | (?P<symbol><>|<=|>=|\S)
    )""",
    re.VERBOSE,
)
_END = "<EOF>"
_POSITION_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Token:
    """A lexeme and where it stands."""

    text: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        return self.text.upper()


class Tokens:
    """A cursor over the tokens of one expression."""

    def __init__(self, text: str, *, size_told: bool = True) -> None:
        if not text:
            raise ValidationError("The expression can not be empty;")
        if (size := len(text.encode(errors="surrogatepass"))) > EXPRESSION_BYTES:
            shown = f" expression size: {size}" if size_told else ""
            raise ValidationError(f"Expression size has exceeded the maximum allowed size;{shown}")
        self.text = text
        self.tokens = list(self._lex(text))
        if not self.tokens:
            raise ValidationError("The expression can not be empty;")
        self.position = 0
        self.operators = 0
        self.redundant = False

    def _lex(self, text: str) -> Iterator[Token]:
        position = 0
        end = len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            assert match is not None  # the pattern takes any character that is not white space
            start = match.start(match.lastgroup or 0)
            yield Token(text[start : match.end()], start, match.end())
            position = match.end()

    @property
    def current(self) -> Token:
        if self.position < len(self.tokens):
            return self.tokens[self.position]
        return Token(_END, len(self.text), len(self.text))

    @property
    def following(self) -> Token:
        if self.position + 1 < len(self.tokens):
            return self.tokens[self.position + 1]
        return Token(_END, len(self.text), len(self.text))

    @property
    def ended(self) -> bool:
        return self.position >= len(self.tokens)

    def take(self) -> Token:
        token = self.current
        if self.ended:
            raise self.unexpected()
        self.position += 1
        return token

    def accept(self, text: str) -> bool:
        if self.current.upper == text:
            self.position += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.unexpected()

    def unexpected(self) -> ValidationError:
        token = self.current
        first = self.tokens[max(self.position - 1, 0)].start
        last = self.tokens[min(self.position + 1, len(self.tokens) - 1)].end
        return ValidationError(f'Syntax error; token: "{token.text}", near: "{self.text[first:last]}"')

    def check_whole(self) -> None:
        """Refuse an expression that is well-formed and still too long, or has parentheses within parentheses."""
        if self.operators > EXPRESSION_OPERATORS:
            raise ValidationError(f"The expression contains too many operators; operator count: {self.operators}")
        if self.redundant:
            raise ValidationError("The expression has redundant parentheses;")


def path(tokens: Tokens) -> RawPath:
    """`name`, `#placeholder`, `.name` and `[0]` in a row."""
    parts: list[str | int] = [_name(tokens)]
    while True:
        if tokens.accept("."):
            parts.append(_name(tokens))
        elif tokens.current.text == "[":
            tokens.take()
            index = tokens.current.text
            if not (index.isascii() and index.isdigit()):
                raise tokens.unexpected()
            tokens.take()
            tokens.expect("]")
            # More digits are out of range whatever they say; they stay a text, which no name can be.
            parts.append(int(index) if len(index) <= _POSITION_DIGITS else f"[{index}]")
        else:
            return RawPath(tuple(parts))


def _name(tokens: Tokens) -> str:
    text = tokens.current.text
    if not (text[0] == "#" and len(text) > 1) and text[0] not in ascii_letters:
        raise tokens.unexpected()
    return tokens.take().text


def _is_placeholder(text: str) -> bool:
    return text[0] == ":" and len(text) > 1


def _operand_start(tokens: Tokens, stop_words: tuple[str, ...]) -> bool:
    text = tokens.current.text
    if text[0] in "#:":
        return len(text) > 1
    return text[0] in ascii_letters and text.upper() not in stop_words


_CONDITION_WORDS = ("AND", "OR", "NOT", "BETWEEN", "IN")


def operand(tokens: Tokens, words: tuple[str, ...] = _CONDITION_WORDS) -> Raw:
    """A path, a placeholder, or a function call with operands inside; parentheses around it are dropped."""
    # One entry per open call or parenthesis; a parenthesis is a call without a name.
    frames: list[tuple[str, list[Raw]]] = []
    while True:
        if tokens.current.text == "(":
            tokens.take()
            frames.append(("", []))
            continue
        if tokens.ended or not _operand_start(tokens, words):
            raise tokens.unexpected()
        if tokens.following.text == "(" and tokens.current.text[0] not in "#:":
            tokens.operators += 1
            frames.append((tokens.take().text, []))
            tokens.take()
            continue
        done: Raw = RawValue(tokens.take().text) if _is_placeholder(tokens.current.text) else path(tokens)
        parenthesised = False
        while True:
            if not frames:
                return done
            name, arguments = frames[-1]
            arguments.append(done)
            if name and tokens.accept(","):
                break
            tokens.expect(")")
            frames.pop()
            tokens.redundant = tokens.redundant or (parenthesised and not name)
            parenthesised = not name
            done = RawCall(name, tuple(arguments)) if name else done


_PRECEDENCE = {"OR": 1, "AND": 2, "NOT": 3}


class _Conditions:
    """Operator precedence with explicit stacks: OR below AND below NOT below comparisons."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.waiting: list[str] = []
        # Each result remembers whether it was just closed by a parenthesis, to find redundant ones.
        self.results: list[tuple[Raw, bool]] = []

    def parse(self) -> Raw:
        tokens = self.tokens
        while True:
            self._take_prefixes()
            self.results.append((operand(tokens), False))
            self._take_comparison()
            while tokens.current.text == ")" and "(" in self.waiting:
                tokens.take()
                self._close()
                self._take_comparison()
            if tokens.ended:
                break
            word = tokens.current.upper
            if word not in ("AND", "OR"):
                raise tokens.unexpected()
            tokens.take()
            tokens.operators += 1
            self._apply(_PRECEDENCE[word])
            self.waiting.append(word)
        self._apply(0)
        if self.waiting:
            raise tokens.unexpected()
        return self.results[0][0]

    def _take_prefixes(self) -> None:
        tokens = self.tokens
        while True:
            if tokens.current.upper == "NOT":
                tokens.take()
                tokens.operators += 1
                self.waiting.append("NOT")
            elif tokens.current.text == "(":
                tokens.take()
                self.waiting.append("(")
            else:
                return

    def _take_comparison(self) -> None:
        tokens = self.tokens
        word = tokens.current.upper
        if word not in (*COMPARATORS, "BETWEEN", "IN"):
            return
        left, _ = self.results.pop()
        if isinstance(left, RawCall) and left.name in CONDITION_OPERATORS:
            raise tokens.unexpected()
        tokens.take()
        tokens.operators += 1
        if word == "BETWEEN":
            low = operand(tokens)
            tokens.expect("AND")
            self.results.append((RawCall("BETWEEN", (left, low, operand(tokens))), False))
        elif word == "IN":
            tokens.expect("(")
            choices = [operand(tokens)]
            while tokens.accept(","):
                choices.append(operand(tokens))
            tokens.expect(")")
            self.results.append((RawCall("IN", (left, *choices)), False))
        else:
            self.results.append((RawCall(word, (left, operand(tokens))), False))

    def _close(self) -> None:
        self._apply(0)
        self.waiting.pop()
        inner, parenthesised = self.results.pop()
        self.tokens.redundant = self.tokens.redundant or parenthesised
        self.results.append((inner, True))

    def _apply(self, precedence: int) -> None:
        while self.waiting and self.waiting[-1] != "(" and _PRECEDENCE[self.waiting[-1]] >= precedence:
            word = self.waiting.pop()
            right, _ = self.results.pop()
            if not isinstance(right, RawCall):
                raise self.tokens.unexpected()
            if word == "NOT":
                self.results.append((RawCall("NOT", (right,)), False))
                continue
            left, closed = self.results.pop()
            if not isinstance(left, RawCall):
                raise self.tokens.unexpected()
            # A row of the same operator becomes one node, so that long rows stay shallow.
            terms = left.arguments if left.name == word and not closed else (left,)
            self.results.append((RawCall(word, (*terms, right)), False))


@lru_cache(maxsize=2048)
def parse_condition(text: str) -> RawCall:
    """Raw syntax of a condition, filter or key condition."""
    tokens = Tokens(text)
    raw = _Conditions(tokens).parse()
    if not isinstance(raw, RawCall):
        raise tokens.unexpected()
    tokens.check_whole()
    check_placement([(raw, Place.CONDITION)])
    return raw


@lru_cache(maxsize=2048)
def parse_projection(text: str) -> tuple[RawPath, ...]:
    """Raw paths of a projection."""
    tokens = Tokens(text)
    paths = [path(tokens)]
    while tokens.accept(","):
        paths.append(path(tokens))
    if not tokens.ended:
        raise tokens.unexpected()
    check_placement((each, Place.OPERAND) for each in paths)
    return tuple(paths)


_SECTIONS = ("SET", "REMOVE", "ADD", "DELETE")


@lru_cache(maxsize=2048)
def parse_update(text: str) -> RawUpdate:
    """Raw actions of an update, section by section, in the order written."""
    tokens = Tokens(text, size_told=False)
    actions: list[tuple[str, RawPath, Raw | None]] = []
    sections: list[str] = []
    while not tokens.ended:
        word = tokens.current.upper
        if word not in _SECTIONS:
            raise tokens.unexpected()
        sections.append(word)
        tokens.take()
        actions.append((word, *_action(tokens, word)))
        while tokens.accept(","):
            actions.append((word, *_action(tokens, word)))
    tokens.check_whole()
    parts = [part for _, target, value in actions for part in (target, value) if part is not None]
    check_placement((part, Place.SET) for part in parts)
    for position, word in enumerate(sections):
        if word in sections[:position]:
            raise ValidationError(f'The "{word}" section can only be used once in an update expression;')
    return RawUpdate(tuple(actions), tuple(dict.fromkeys(chain.from_iterable(map(placeholders_in, parts)))))


def _action(tokens: Tokens, section: str) -> tuple[RawPath, Raw | None]:
    target = path(tokens)
    tokens.operators += 1
    if section == "REMOVE":
        return target, None
    if section == "SET":
        tokens.expect("=")
        return target, _set_value(tokens)
    if not _is_placeholder(tokens.current.text):
        raise tokens.unexpected()
    return target, RawValue(tokens.take().text)


def _set_value(tokens: Tokens) -> Raw:
    wrapped = tokens.current.text == "(" and _wraps_arithmetic(tokens)
    if wrapped:
        tokens.take()
    value = operand(tokens, ())
    if tokens.current.text in ("+", "-"):
        sign = tokens.take().text
        tokens.operators += 1
        value = RawCall(sign, (value, operand(tokens, ())))
    if wrapped:
        tokens.expect(")")
    return value


def _wraps_arithmetic(tokens: Tokens) -> bool:
    """Whether the parenthesis here closes only after a sign, as in `SET a = (b + :c)`."""
    depth = 0
    for token in tokens.tokens[tokens.position :]:
        if token.text == "(":
            depth += 1
        elif token.text == ")":
            depth -= 1
            if depth == 0:
                return False
        elif token.text in "+-" and depth == 1:
            return True
    return False
