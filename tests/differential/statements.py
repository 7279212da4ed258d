"""Sequences of PartiQL statements on a few small tables."""

from __future__ import annotations

from typing import Any

from tests.differential import expressions
from tests.differential.dice import Dice
from tests.differential.expressions import PATHS, Words
from tests.differential.requests import Sequence, Step, item, key, more_steps
from tests.differential.tables import Table, table
from tests.differential.values import KEY_POOLS, Item, Value, any_value, attributes, usual_value, value

_KEYWORDS = ("size",)
_RETURNING = ("ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW")


class StatementWords(Words):
    """One statement's parameters; what can be a literal is one now and then."""

    def __init__(self, dice: Dice) -> None:
        super().__init__(dice)
        self.parameters: list[Value] = []

    def value(self, given: Value) -> str:
        literal = _literal(given) if self.dice.chance(60) else None
        if literal is not None:
            return literal
        self.parameters.append(given)
        return "?"

    def name(self, name: str) -> str:
        bare = name.isalnum() and name not in _KEYWORDS and not self.dice.chance(20)
        return name if bare else f'"{name}"'

    def members(self) -> dict[str, Any]:
        return {"Parameters": self.parameters} if self.parameters else {}


def statement_sequence(seed: str, length: int) -> Sequence:
    """A sequence of statements; the first requests put items so that there is something to meet."""
    dice = Dice(seed)
    tables = tuple(table(dice, name) for name in ("first", "second")[: 2 if dice.chance(30) else 1])
    steps = [Step("PutItem", {"TableName": each.name, "Item": item(dice, each)}) for each in tables for _ in range(3)]
    return Sequence(tables, (*steps, *more_steps(dice, tables, length - len(steps), _step)))


def _step(dice: Dice, tables: tuple[Table, ...]) -> Step:
    match dice.weighted([(80, "one"), (10, "batch"), (10, "transaction")]):
        case "one":
            kind = dice.weighted([(45, "select"), (20, "insert"), (22, "update"), (13, "delete")])
            options = dice.maybe(20, "ReturnConsumedCapacity", lambda: dice.pick(("TOTAL", "INDEXES")))
            if kind == "select":
                options.update(dice.maybe(30, "Limit", lambda: dice.pick((1, 2, 3))))
                options.update(dice.maybe(20, "ConsistentRead", lambda: dice.chance(70)))
            else:
                options.update(dice.maybe(20, "ReturnValuesOnConditionCheckFailure", lambda: "ALL_OLD"))
            return Step("ExecuteStatement", {**_statement(dice, dice.pick(tables), kind), **options})
        case "batch":
            entries = _several(dice, tables)
            for entry in entries:
                entry.update(dice.maybe(30, "ReturnValuesOnConditionCheckFailure", lambda: "ALL_OLD"))
            cost = dice.maybe(20, "ReturnConsumedCapacity", lambda: dice.pick(("TOTAL", "INDEXES")))
            return Step("BatchExecuteStatement", {"Statements": entries, **cost})
    return Step("ExecuteTransaction", {"TransactStatements": _several(dice, tables, transaction=True)})


def _several(dice: Dice, tables: tuple[Table, ...], *, transaction: bool = False) -> list[dict[str, Any]]:
    reads = dice.chance(40)
    kinds = ["get"] if reads else ["insert", "update", "delete", *(["exists"] if transaction else [])]
    found: dict[str, dict[str, Any]] = {}
    for _ in range(dice.between(1, 3)):
        on = dice.pick(tables)
        where = key(dice, on)
        found[repr([on.name, where])] = _statement(dice, on, dice.pick(kinds), where, plain=transaction)
    if dice.chance(4):
        found["other"] = _statement(dice, dice.pick(tables), "insert" if reads else "get")
    return list(found.values())


def _statement(dice: Dice, on: Table, kind: str, given: Item | None = None, *, plain: bool = False) -> dict[str, Any]:
    words = StatementWords(dice)
    where = key(dice, on) if given is None else given
    match kind:
        case "select":
            text = _select(words, on)
        case "get":
            columns = ", ".join(_columns(words)) if dice.chance(30) else "*"
            text = f'SELECT {columns} FROM "{on.name}" WHERE {_by_key(words, where)}'
        case "insert":
            whole = {**where, **attributes(dice, on.index_keys)}
            if dice.chance(5):
                whole.pop(dice.pick(list(whole)))
            entries = ", ".join(f"{_text(name)}: {words.value(content)}" for name, content in whole.items())
            text = f'INSERT INTO "{on.name}" VALUE {{{entries}}}'
        case "update":
            changes = _update(words, on)
            text = f'UPDATE "{on.name}" {changes} WHERE {_by_key(words, where)}{_more(words, on)}'
            text += f" RETURNING {dice.pick(_RETURNING)} *" if dice.chance(2 if plain else 40) else ""
        case "delete":
            text = f'DELETE FROM "{on.name}" WHERE {_by_key(words, where)}{_more(words, on)}'
            text += " RETURNING ALL OLD *" if dice.chance(2 if plain else 40) else ""
        case _:
            text = f'EXISTS(SELECT * FROM "{on.name}" WHERE {_by_key(words, where)} AND {_condition(words, on)})'
    return {"Statement": text, **words.members()}


def _select(words: StatementWords, on: Table) -> str:
    dice = words.dice
    source, keys = f'"{on.name}"', on.keys
    pools = dict(KEY_POOLS)
    if on.indexes and dice.chance(45):
        index = dice.pick(on.indexes)
        source, keys = f'{source}."{index.name}"', index.keys
        pools = {kind: [value(dice, kind) for _ in range(3)] for kind in ("S", "N", "B")}
    columns = ", ".join(_columns(words)) if dice.chance(35) else "*"
    terms = []
    if dice.chance(70):
        name, kind = keys[0]
        if dice.chance(20):
            choices = ", ".join(words.value(dice.pick(pools[kind])) for _ in range(dice.between(1, 2)))
            terms.append(f"{words.path(name)} IN [{choices}]")
        else:
            terms.append(f"{words.path(name)} = {words.value(dice.pick(pools[kind]))}")
        if len(keys) > 1 and dice.chance(50):
            terms.append(expressions._range_condition(words, keys[1], pools))
    if dice.chance(45):
        terms.append(f"({_condition(words, on)})" if dice.chance(70) else _condition(words, on))
    clause = f" WHERE {' AND '.join(terms)}" if terms else ""
    order = ""
    if terms and len(keys) > 1 and dice.chance(15):
        order = f" ORDER BY {words.path(keys[1][0])}{dice.pick(('', ' ASC', ' DESC'))}"
    return f"SELECT {columns} FROM {source}{clause}{order}"


def _columns(words: StatementWords) -> list[str]:
    return [words.path(path) for path in words.dice.some(["pk", "sk", "num", "txt", "doc.y", "arr[0]"], 1, 3)]


def _by_key(words: StatementWords, where: Item) -> str:
    terms = [f"{words.path(name)} = {words.value(content)}" for name, content in where.items()]
    if len(terms) > 1 and words.dice.chance(3):
        terms.pop()
        if words.parameters:
            del words.parameters[-1]
    return " AND ".join(terms)


def _more(words: StatementWords, on: Table) -> str:
    return f" AND ({_condition(words, on)})" if words.dice.chance(35) else ""


def _condition(words: StatementWords, on: Table) -> str:
    dice = words.dice
    if dice.chance(15):
        return f"{words.path(dice.pick(PATHS))} IS {dice.pick(('', 'NOT '))}{dice.pick(('MISSING', 'NULL'))}"
    return expressions.condition(words, PATHS, 2)


def _update(words: StatementWords, on: Table) -> str:
    dice = words.dice
    clauses = []
    for name in dice.some(["num", "txt", "doc", "arr", "tags", "nums", "okay"], 1, 2):
        path = words.path(name)
        match dice.weighted([(50, "set"), (20, "remove"), (30, "function")]):
            case "remove":
                clauses.append(f"REMOVE {path}")
            case "function" if name == "num":
                clauses.append(f"SET {path} = {path} {dice.pick('+-')} {words.value(value(dice, 'N'))}")
            case "function" if name == "arr":
                clauses.append(f"SET {path} = list_append({path}, {words.value(value(dice, 'L'))})")
            case "function" if name in ("tags", "nums"):
                function = dice.pick(("set_add", "set_delete"))
                members = words.value(value(dice, "SS" if name == "tags" else "NS"))
                clauses.append(f"SET {path} = {function}({path}, {members})")
            case _:
                content = usual_value(dice, name) if not dice.chance(5) else any_value(dice)
                clauses.append(f"SET {path} = {words.value(content)}")
    return " ".join(clauses)


def _text(content: str) -> str:
    return "'" + content.replace("'", "''") + "'"


def _literal(given: Value) -> str | None:
    if len(given) != 1:
        return None
    ((kind, content),) = given.items()
    match kind:
        case "S":
            return _text(content)
        case "N":
            return content if content.lstrip("-").replace(".", "", 1).isdigit() and content[-1] != "." else None
        case "BOOL":
            return "true" if content else "false"
        case "NULL":
            return "NULL" if content else None
        case "SS":
            return f"<<{', '.join(map(_text, content))}>>" if content else None
        case "NS":
            members = [_literal({"N": each}) for each in content]
            return f"<<{', '.join(filter(None, members))}>>" if members and all(members) else None
        case "L":
            elements = [_literal(each) for each in content]
            return f"[{', '.join(filter(None, elements))}]" if all(elements) else None
        case "M":
            entries = {name: _literal(each) for name, each in content.items()}
            shown = ", ".join(f"{_text(name)}: {each}" for name, each in entries.items())
            return f"{{{shown}}}" if all(entries.values()) else None
    return None
