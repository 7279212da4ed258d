"""The expressions in a statement: operators by their rank, paths, functions and literals."""

from __future__ import annotations

from typing import Literal

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import Part, Path
from partita.dynamo.partiql.keywords import OTHER_TYPES, TYPES
from partita.dynamo.partiql.tokens import Spot, StatementError, Token, tokens
from partita.dynamo.partiql.tree import (
    Call,
    Node,
    Operation,
    Parameter,
    Reference,
    Scalar,
    Sequence,
    Struct,
    TypeTest,
)

_MOST_POSITION = 2**31 - 1
_DEPTH = 100
"""How deep expressions nest here; a stored value has 32 levels."""

_RANKS = {
    "OR": 1,
    "AND": 2,
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN", "IS", "LIKE"), 4),
    **dict.fromkeys(("+", "-", "||"), 5),
    **dict.fromkeys(("*", "/", "%"), 6),
}
_NOT_RANK = 3
_OPERATOR_WORDS = ("AND", "OR", "BETWEEN", "IN", "IS", "LIKE")
_CLAUSES = ("SELECT", "FROM", "WHERE", "ORDER", "BY", "SET", "REMOVE", "VALUE", "VALUES", "INTO", "RETURNING")
_PAIRED = ("*", "+", "-", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=")


class Reader:
    """Reads tokens one after another."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self._at = 0
        self._depth = 0
        self.parameters = 0

    @property
    def next(self) -> Token:
        return self._tokens[self._at]

    def peek(self, ahead: int) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def is_sign(self, sign: str, ahead: int = 0) -> bool:
        """Whether a token is this sign, and not a string or a name that looks like it."""
        token = self.peek(ahead)
        return token.kind == "sign" and token.content == sign

    def is_word(self, word: str, ahead: int = 0) -> bool:
        """Whether a token is this keyword."""
        token = self.peek(ahead)
        return token.kind == "keyword" and token.content == word

    def take(self) -> Token:
        token = self._tokens[self._at]
        if token.kind != "end":
            self._at += 1
        return token

    def accept(self, sign: str) -> bool:
        """Take the next token if it is this sign."""
        found = self.is_sign(sign)
        self._at += found
        return found

    def accept_word(self, word: str) -> bool:
        """Take the next token if it is this keyword."""
        found = self.is_word(word)
        self._at += found
        return found

    def expect(self, sign: str) -> None:
        if not self.accept(sign):
            raise StatementError(f"Expected {_SIGNS.get(sign, sign)}", self.next.spot)

    def expect_word(self, word: str) -> None:
        if not self.accept_word(word):
            raise StatementError(f"Expected keyword {word}", self.next.spot)

    def expression(self, rank: int = 0) -> Node:
        """An expression whose operators bind more tightly than the rank."""
        self._depth += 1
        if self._depth > _DEPTH:
            raise StatementError("Expression is nested too deeply", self.next.spot)
        node = self._negated() if self.is_word("NOT") else self._term()
        for _ in range(_DEPTH):
            negated = self.is_word("NOT") and any(self.is_word(word, 1) for word in ("IN", "BETWEEN", "LIKE"))
            operator = self.peek(1) if negated else self.next
            if operator.kind not in ("keyword", "sign") or _RANKS.get(operator.content, 0) <= rank:
                self._depth -= 1
                return node
            spot = self.next.spot
            self._at += 2 if negated else 1
            node = self._infix(node, operator.content, spot)
            if negated:
                node = Operation("NOT", (node,), spot)
        raise StatementError("Expression is nested too deeply", self.next.spot)

    def _negated(self) -> Node:
        """NOT and what it negates; two of them are none."""
        spot = self.next.spot
        count = 0
        while self.accept_word("NOT"):
            count += 1
        inner = self.expression(_NOT_RANK)
        return Operation("NOT", (inner,), spot) if count % 2 else Operation("AND", (inner,), spot)

    def _infix(self, left: Node, operator: str, spot: Spot) -> Node:
        if operator == "IS":
            return self._type_test(left, spot)
        if operator == "BETWEEN":
            low = self._right(4)
            if not self.accept_word("AND"):
                raise StatementError("Expected AND after BETWEEN", self.next.spot)
            return Operation("BETWEEN", (left, low, self._right(4)), spot)
        if operator in ("AND", "OR"):
            terms = [left, self._right(_RANKS[operator])]
            while self.accept_word(operator):
                terms.append(self._right(_RANKS[operator]))
            return Operation(operator, tuple(terms), spot)
        return Operation(operator, (left, self._right(_RANKS[operator])), spot)

    def _right(self, rank: int) -> Node:
        if self.next.kind == "end" or self.is_sign(";"):
            raise StatementError("Missing right-hand side expression of infix operator", self.next.spot)
        return self.expression(rank)

    def _type_test(self, left: Node, spot: Spot) -> Node:
        negated = self.accept_word("NOT")
        token = self.take()
        name = token.content.upper()
        if token.kind != "keyword" or (name not in TYPES and name not in OTHER_TYPES and name != "MISSING"):
            raise StatementError("Expected type name", token.spot)
        if name in ("DOUBLE", "CHARACTER"):
            name += " " + self.take().content.upper()
        test = TypeTest(left, name, spot)
        return Operation("NOT", (test,), spot) if negated else test

    def _term(self) -> Node:
        token = self.next
        match token.kind:
            case "text":
                return Scalar("S", self.take().content, token.spot)
            case "number":
                return Scalar("N", self.take().content, token.spot)
            case "name":
                return self._call() if self.is_sign("(", 1) else self._reference()
            case "keyword":
                return self._keyword()
            case "sign":
                return self._sign()
        raise StatementError("Unexpected term", token.spot)

    def _keyword(self) -> Node:
        token = self.next
        word = token.content
        if word in ("TRUE", "FALSE"):
            return Scalar("BOOL", self.take().content, token.spot)
        if word == "NULL":
            return Scalar("NULL", self.take().content, token.spot)
        if word == "MISSING":
            return Scalar("MISSING", self.take().content, token.spot)
        if word in _OPERATOR_WORDS:
            raise StatementError("Unexpected operator", token.spot)
        if self.is_sign("(", 1) and word not in _CLAUSES:
            return self._call()
        raise StatementError("Unexpected keyword", token.spot)

    def _sign(self) -> Node:
        token = self.next
        match token.content:
            case "?":
                self._at += 1
                self.parameters += 1
                return Parameter(self.parameters - 1, token.spot)
            case "(":
                return self._group()
            case "[":
                return self._sequence("list", "]")
            case "<<":
                return self._sequence("bag", ">>")
            case "{":
                return self._struct()
            case "+" | "-":
                return self._signed()
            case "`":
                raise ValidationError(f"Ion Literals are not supported: under key root {token.spot}")
        if token.content in _PAIRED:
            raise StatementError("Unexpected operator", token.spot)
        raise StatementError("Unexpected term", token.spot)

    def _signed(self) -> Node:
        """A number with signs before it."""
        spot = self.next.spot
        minus = False
        while self.next.kind == "sign" and self.next.content in ("+", "-"):
            minus ^= self.take().content == "-"
        token = self.next
        if token.kind == "end":
            raise StatementError("Missing right-hand side expression of infix operator", token.spot)
        if token.kind == "number":
            return Scalar("N", ("-" if minus else "") + self.take().content, token.spot)
        return Operation("-" if minus else "+", (self._term(),), spot)

    def _group(self) -> Node:
        spot = self.take().spot
        elements = [self.expression()]
        several = False
        while self.accept(","):
            several = True
            elements.append(self.expression())
        self.expect(")")
        return Sequence("group", tuple(elements), spot) if several else elements[0]

    def _sequence(self, kind: Literal["list", "bag"], closing: str) -> Node:
        spot = self.take().spot
        elements: list[Node] = []
        if not self.accept(closing):
            elements.append(self.expression())
            while self.accept(","):
                elements.append(self.expression())
            self.expect(closing)
        return Sequence(kind, tuple(elements), spot)

    def _struct(self) -> Node:
        spot = self.take().spot
        entries: list[tuple[Node, Node]] = []
        if not self.accept("}"):
            while True:
                key = self.expression()
                self.expect(":")
                entries.append((key, self.expression()))
                if not self.accept(","):
                    break
            self.expect("}")
        return Struct(tuple(entries), spot)

    def _call(self) -> Node:
        name = self.take()
        self.expect("(")
        arguments: list[Node] = []
        if self.is_sign("*") and self.is_sign(")", 1):
            self.take()
        if not self.accept(")"):
            arguments.append(self.expression())
            while self.accept(","):
                arguments.append(self.expression())
            self.expect(")")
        return Call(name.content.lower(), tuple(arguments), name.spot)

    def simple_path(self) -> Reference:
        """The target of SET or REMOVE."""
        if self.next.kind != "name":
            raise StatementError("Expected identifier for simple path", self.next.spot)
        return self._reference()

    def _reference(self) -> Reference:
        first = self.take()
        if not first.content:
            raise ValidationError("Path component cannot be an empty string")
        parts: list[Part] = [first.content]
        while True:
            if self.accept("."):
                parts.append(self._member())
            elif self.accept("["):
                parts.append(self._position())
                self.expect("]")
            else:
                return Reference(Path(tuple(parts)), first.spot)

    def _member(self) -> str:
        token = self.take()
        if token.kind == "sign" and token.content == "*":
            raise ValidationError("Unpivot path component like a.*.b are not supported")
        if token.kind != "name":
            raise StatementError("Invalid path dot component", token.spot)
        if not token.content:
            raise ValidationError("Path component cannot be an empty string")
        return token.content

    def _position(self) -> Part:
        if self.accept("*"):
            raise ValidationError("Wildcard path component like a[*].b are not supported")
        negative = self.accept("-")
        token = self.take()
        if token.kind == "text" and not negative and token.content:
            return token.content  # a['b'] is a.b
        if token.kind != "number" or not token.content.isdigit():
            raise ValidationError(f"Unexpected path component {token.spot}")
        digits = token.content.lstrip("0") or "0"
        if len(digits) > 10 or int(digits) > _MOST_POSITION or (negative and digits != "0"):
            shown = "-" + digits if negative else digits
            raise ValidationError(f"List index is not within the allowable range; index: [{shown}] {token.spot}")
        return int(digits)


_SIGNS = {"(": "LEFT_PAREN", ")": "RIGHT_PAREN", "]": "RIGHT_BRACKET", "}": "RIGHT_CURLY", ">>": "RIGHT_DOUBLE_ANGLE"}
