"""From the text of a statement to its tree: what is refused here is refused for its form alone."""

from __future__ import annotations

from functools import lru_cache

from partita.dynamo.errors import ValidationError
from partita.dynamo.partiql.expressions import Reader
from partita.dynamo.partiql.tokens import StatementError
from partita.dynamo.partiql.tree import (
    DeleteText,
    ExistsText,
    InsertText,
    Node,
    Ordering,
    Reference,
    Returned,
    SelectText,
    Source,
    StatementText,
    UpdateText,
)

_ALIAS = "Aliasing is not supported"
_SEVERAL_ITEMS = (
    "Unsupported operation: Inserting multiple items in a single statement is not supported, "
    'use "INSERT INTO tableName VALUE item" instead'
)
_NO_STAR = "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"
_RETURNED: dict[tuple[str, str], Returned] = {
    ("ALL", "OLD"): "ALL OLD",
    ("ALL", "NEW"): "ALL NEW",
    ("MODIFIED", "OLD"): "MODIFIED OLD",
    ("MODIFIED", "NEW"): "MODIFIED NEW",
}


def parse(text: str) -> tuple[StatementText, int]:
    """The tree of a statement, and how many parameters it has. Programs send the same few again and again."""
    return _remembered(text) if len(text) <= _REMEMBERED_LENGTH else _parsed(text)


def _parsed(text: str) -> tuple[StatementText, int]:
    reader = _StatementReader(text)
    statement = reader.statement()
    reader.accept(";")
    if reader.next.kind != "end":
        raise StatementError("Unexpected token after expression", reader.next.spot)
    return statement, reader.parameters


_REMEMBERED_LENGTH = 1000
_remembered = lru_cache(maxsize=256)(_parsed)


class _StatementReader(Reader):
    """Reads the clauses of statements; the expressions in them are its base's."""

    def statement(self) -> StatementText:
        if self.accept_word("SELECT"):
            return self._select()
        if self.accept_word("INSERT"):
            return self._insert()
        if self.accept_word("UPDATE"):
            source = self._target()
            self._no_alias("SET", "REMOVE", "WHERE")
            actions = self._actions()
            return UpdateText(source, actions, self._where(), self._returning())
        if self.accept_word("DELETE"):
            self.expect_word("FROM")
            source = self._target()
            self._no_alias("WHERE", "RETURNING", "ORDER")
            return DeleteText(source, self._where(), self._returning())
        if self.accept_word("FROM"):
            source = self._target()
            self._no_alias("SET", "REMOVE", "WHERE")
            where = self._where()
            return UpdateText(source, self._actions(), where, self._returning())
        if self.is_word("EXISTS") and self.is_sign("(", 1) and self.is_word("SELECT", 2):
            for _ in range(3):
                self.take()
            exists = ExistsText(self._select())
            self.expect(")")
            return exists
        raise StatementError("Expected data manipulation", self.next.spot)

    def _select(self) -> SelectText:
        if self.is_word("VALUE") or self.is_word("PIVOT"):
            raise ValidationError("Select projection doesn't support value or pivot keywords")
        self._refuse_clauses("DISTINCT", "ALL")
        columns = self._columns()
        self.expect_word("FROM")
        source = self._source()
        self._no_alias("WHERE", "ORDER", "GROUP", "LIMIT", "OFFSET", "HAVING")
        where = self._where()
        self._refuse_clauses("GROUP", "HAVING")
        order = self._order()
        self._refuse_clauses("LIMIT", "OFFSET")
        return SelectText(source, columns, where, order)

    def _refuse_clauses(self, *words: str) -> None:
        if self.next.kind == "keyword" and self.next.content in words:
            name = "GROUP BY" if self.next.content == "GROUP" else self.next.content
            raise ValidationError(f"Unsupported clause: {name}")

    def _columns(self) -> tuple[Node, ...] | None:
        if self.accept("*"):
            if self.is_sign(","):
                raise ValidationError("Other attributes should not be present in the projection when '*' is used.")
            return None
        columns = []
        while True:
            columns.append(self.expression())
            if self.next.kind == "name" or self.is_word("AS"):
                raise ValidationError(_ALIAS)
            if not self.accept(","):
                return tuple(columns)
            if self.is_sign("*"):
                raise ValidationError("Other attributes should not be present in the projection when '*' is used.")

    def _source(self) -> Source:
        """What SELECT reads, which PartiQL takes for an expression."""
        if self.next.kind != "name":
            self.expression()
            raise ValidationError("Unexpected from source")
        source = self._target()
        if self.is_sign(",") or any(map(self.is_word, ("JOIN", "INNER", "LEFT", "RIGHT", "CROSS", "FULL"))):
            raise ValidationError("Only select from a single table or index is supported.")
        return source

    def _target(self) -> Source:
        names: list[str] = []
        while True:
            token = self.next
            if token.kind != "name":
                what = "Invalid path dot component" if names else "Expected identifier for simple path"
                raise StatementError(what, token.spot)
            names.append(self.take().content)
            if not self.accept("."):
                break
        if not all(names):
            raise ValidationError("Path component cannot be an empty string")
        if len(names) > 2:
            raise ValidationError("A path may contain at most 2 components in the FROM clause")
        return Source(tuple(names))

    def _no_alias(self, *clauses: str) -> None:
        token = self.next
        if token.kind == "name" or self.is_word("AS") or self.is_word("AT"):
            raise ValidationError(_ALIAS)
        known = token.kind == "end" or self.is_sign(";") or self.is_sign(")") or any(map(self.is_word, clauses))
        if not known and "SET" in clauses:
            raise StatementError("Expected data manipulation", token.spot)

    def _where(self) -> Node | None:
        return self.expression() if self.accept_word("WHERE") else None

    def _order(self) -> tuple[Ordering, ...]:
        if not self.accept_word("ORDER"):
            return ()
        self.expect_word("BY")
        keys = []
        while True:
            key = self.expression()
            if not isinstance(key, Reference) or len(key.path.parts) != 1:
                kind = type(key).__name__
                raise ValidationError(f"Argument to ORDER BY must be of type VariableReference. Type: {kind}")
            descending = self.accept_word("DESC")
            if not descending:
                self.accept_word("ASC")
            keys.append(Ordering(str(key.path.parts[0]), descending))
            if not self.accept(","):
                return tuple(keys)

    def _insert(self) -> InsertText:
        self.expect_word("INTO")
        source = self._target()
        if not self.accept_word("VALUE"):
            if self.next.kind in ("name", "end"):
                raise StatementError("Unexpected token after expression", self.next.spot)
            if not self.accept_word("VALUES"):
                self.expression()
            raise ValidationError(_SEVERAL_ITEMS)
        item = self.expression()
        if self.accept_word("RETURNING"):
            raise ValidationError("RETURNING is not supported in INSERT")
        if self.accept_word("AT"):
            raise ValidationError("AT is not supported in insert statements.")
        if self.accept_word("ON"):
            raise ValidationError("Unsupported clause: ON CONFLICT")
        if len(source.names) > 1:
            raise ValidationError("FROM clause may only contain a single table name in data manipulation statements")
        return InsertText(source, item)

    def _actions(self) -> tuple[tuple[Reference, Node | None], ...]:
        actions: list[tuple[Reference, Node | None]] = []
        while True:
            if self.accept_word("SET"):
                while True:
                    target = self.simple_path()
                    self.expect("=")
                    actions.append((target, self.expression()))
                    if not self.accept(","):
                        break
            elif self.accept_word("REMOVE"):
                while True:
                    actions.append((self.simple_path(), None))
                    if not self.accept(","):
                        break
            elif actions:
                return tuple(actions)
            else:
                raise StatementError("Expected data manipulation", self.next.spot)

    def _returning(self) -> Returned | None:
        if not self.accept_word("RETURNING"):
            return None
        first, second = self.take().content.upper(), self.take().content.upper()
        returned = _RETURNED.get((first, second))
        if returned is None or not self.accept("*"):
            raise ValidationError(_NO_STAR)
        if self.is_sign(","):
            raise ValidationError("Invalid syntax with multiple returning elements in RETURNING clause")
        return returned
