"""How a SELECT is read: one item, stretches of partitions, or everything.

A WHERE that fixes the partition key in each of its alternatives is read stretch by stretch, as so many queries;
any other is a scan. Alternatives are taken apart only where they name a key: the rest stays a filter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partita.dynamo.errors import ResourceNotFoundError, ValidationError
from partita.dynamo.expressions.key_condition import KeyRange, KeyTerm
from partita.dynamo.expressions.tree import And, BeginsWith, Between, Compare, Condition, In, Not, Or, Path, Value
from partita.dynamo.expressions.walk import paths_in
from partita.dynamo.frozen import dataclass
from partita.dynamo.limits import STATEMENT_READS
from partita.dynamo.partiql.statements import Select
from partita.dynamo.partiql.tree import Ordering
from partita.dynamo.values import AttributeValue, type_of
from partita.engine import key_paths, keys, reads, rows
from partita.engine.definitions import Index, KeyAttribute, Table
from partita.engine.spread import Spread

_OVERLAP = "Overlapping conditions with range keys are not supported in where clause"
_FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Stretch:
    """One query: a part of a partition, and what is asked of the items there; `key` is what selects the part."""

    partition: AttributeValue
    low: bytes
    high: bytes
    key: tuple[Condition, ...]
    filter: Condition | None
    single: bool
    """Whether it is one item of the table, by its whole key."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a statement reads a table or an index; without stretches, all of it."""

    table: Table
    index: Index | None
    stretches: tuple[Stretch, ...] | None
    filter: Condition | None
    forward: bool = True


def plan(table: Table, select: Select, *, consistent: bool = False) -> Plan:
    """Plan a SELECT, or refuse it."""
    index = _index(table, select.source.index, consistent=consistent)
    key_paths.check_condition(table, select.where)
    key_paths.check_projection(table, select.projection)
    schema = _Schema.of(table, index)
    branches = None if select.where is None else schema.branches(select.where)
    stretches = None if branches is None else schema.stretches(branches, single_items=index is None)
    forward = True
    if select.order:
        stretches, forward = _ordered(schema, select, stretches)
    if index is not None:
        _check_index(table, index, select, stretches)
    return Plan(table, index, stretches, None if stretches is not None else select.where, forward)


def _index(table: Table, name: str | None, *, consistent: bool) -> Index | None:
    if name is None:
        return None
    index = table.index(name)
    if index is None:
        raise ValidationError("The table does not have the specified index")
    if index.status != "ACTIVE":
        raise ResourceNotFoundError(f"Cannot read from backfilling global secondary index: {index.name}")
    if len(index.hash) > 1 or len(index.range) > 1:
        raise ValidationError(
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE "
            "keys."
        )
    if consistent and not index.local:
        raise ValidationError("Strongly consistent read is not supported on Global Secondary Indexes")
    return index


def _check_index(table: Table, index: Index, select: Select, stretches: Sequence[Stretch] | None) -> None:
    """Refuse what an index does not hold: columns of a global index, and filters of a query."""
    if index.projection == "ALL":
        return
    if stretches is not None:
        held = rows.projected_names(table, index)
        missing = [
            [str(path.parts[0]) for path in _paths(stretch.filter) if path.parts[0] not in held]
            for stretch in stretches
        ]
        if all(missing):
            raise ValidationError(
                f"One or more parameter values were invalid: Secondary index {index.name} does not project one or "
                f"more filter attributes: [{', '.join(dict.fromkeys(missing[-1]))}]"
            )
    if not index.local and select.projection is not None:
        reads.check_projected(table, index, select.projection)


def _paths(condition: Condition | None) -> Iterator[Path]:
    return iter(()) if condition is None else paths_in(condition)


def _ordered(
    schema: _Schema, select: Select, stretches: tuple[Stretch, ...] | None
) -> tuple[tuple[Stretch, ...], bool]:
    """The stretches in the order asked for, and whether each is read forwards."""
    if select.where is None:
        raise ValidationError("Must have WHERE clause in the statement when using ORDER BY clause.")
    for each in select.order:
        if each.name not in schema.names:
            raise ValidationError(f"Attribute {each.name} in ORDER BY clause must be part of the primary key")
    if stretches is None:
        raise ValidationError(
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
        )
    by_name: dict[str, Ordering] = {each.name: each for each in select.order}
    partitions = by_name.get(schema.hash[0])
    if partitions is None and len({keys.encode(stretch.partition) for stretch in stretches}) > 1:
        raise ValidationError(
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
        )
    within = None if schema.range is None else by_name.get(schema.range[0])
    # Ordered by the partition key alone, DynamoDB reads each partition backwards.
    forward = within is not None and not within.descending
    in_partition = sorted(stretches, key=lambda stretch: stretch.low, reverse=not forward)
    descending = partitions is not None and partitions.descending
    return tuple(sorted(in_partition, key=lambda stretch: keys.encode(stretch.partition), reverse=descending)), forward


@dataclass(frozen=True, slots=True)
class _Schema:
    """The key that a SELECT can go by."""

    hash: KeyAttribute
    range: KeyAttribute | None
    spread: Spread

    @classmethod
    def of(cls, table: Table, index: Index | None) -> _Schema:
        if index is None:
            return cls(table.hash, table.range, table.spread)
        return cls(index.hash[0], index.range[0] if index.range else None, index.spread)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.hash[0],) if self.range is None else (self.hash[0], self.range[0])

    def branches(self, where: Condition) -> list[list[Condition]] | None:
        """The alternatives of a WHERE, each a row of conditions; None if one leaves the partition open."""
        if not self._fixes_partition(where):
            return None
        found = self._expanded(where)
        if len(found) > 1 and any(self._excludes(term) for branch in found for term in branch):
            return None  # a part of a partition without an item is no stretch: its alternatives may overlap
        for branch in found:
            values = {keys.encode(value) for value in self._partitions(branch)}
            if len(values) > 1:
                return None
        return found

    def _fixes_partition(self, condition: Condition) -> bool:
        match condition:
            case And(terms):
                return any(self._fixes_partition(term) for term in terms)
            case Or(terms):
                return all(self._fixes_partition(term) for term in terms)
            case In(operand, choices):
                return self._is(operand, self.hash) and all(isinstance(choice, Value) for choice in choices)
        term = self._term(condition, self.hash)
        return term is not None and term.operator == "="

    def _expanded(self, condition: Condition) -> list[list[Condition]]:
        found: list[list[Condition]]
        match condition:
            case And(terms):
                found = [[]]
                for term in terms:
                    further = self._expanded(term)
                    _check_number(len(found) * len(further))
                    found = [[*before, *after] for before in found for after in further]
                return found
            case Or(terms) if any(path.parts[0] in self.names for path in paths_in(condition)):
                found = []
                for term in terms:
                    found += self._expanded(term)
                    _check_number(len(found))
                return found
            case In(operand, choices) if self._is_key(operand) and all(isinstance(each, Value) for each in choices):
                _check_number(len(choices))
                return [[Compare("=", operand, choice)] for choice in choices]
        return [[condition]]

    def _is_key(self, operand: object) -> bool:
        return self._is(operand, self.hash) or (self.range is not None and self._is(operand, self.range))

    @staticmethod
    def _is(operand: object, key: KeyAttribute) -> bool:
        return isinstance(operand, Path) and operand.parts == (key[0],)

    def _excludes(self, condition: Condition) -> bool:
        """Whether a condition takes something out of a stretch by its sort key."""
        if self.range is None:
            return False
        negative = isinstance(condition, Not) or (isinstance(condition, Compare) and condition.operator == "<>")
        return negative and any(path.parts[0] == self.range[0] for path in paths_in(condition))

    def _partitions(self, branch: list[Condition]) -> list[AttributeValue]:
        found = []
        for condition in branch:
            term = self._term(condition, self.hash)
            if term is not None and term.operator == "=":
                _check_type(self.hash, term)
                found.append(term.values[0])
        return found

    def _term(self, condition: Condition, key: KeyAttribute) -> KeyTerm | None:
        """The condition as one that a key can answer."""
        match condition:
            case Compare(operator, left, right) if operator != "<>":
                if isinstance(left, Value):
                    left, right, operator = right, left, _FLIPPED[operator]  # type: ignore[assignment]
                if self._is(left, key) and isinstance(right, Value):
                    return KeyTerm(key[0], operator, (right.value,))
            case Between(operand, Value(low), Value(high)) if self._is(operand, key):
                return KeyTerm(key[0], "BETWEEN", (low, high))
            case BeginsWith(operand, Value(prefix)) if self._is(operand, key):
                return KeyTerm(key[0], "begins_with", (prefix,))
        return None

    def stretches(self, branches: list[list[Condition]], *, single_items: bool) -> tuple[Stretch, ...]:
        """What each alternative reads, in the order of partition and sort key."""
        found = sorted(
            (self._stretch(branch, single_items=single_items) for branch in branches),
            key=lambda stretch: (keys.encode(stretch.partition), stretch.low),
        )
        reached: dict[bytes, bytes] = {}
        for stretch in found:
            partition = keys.encode(stretch.partition)
            if stretch.low < stretch.high:
                if stretch.low < reached.get(partition, b""):
                    raise ValidationError(_OVERLAP)
                reached[partition] = stretch.high
        return tuple(found)

    def _stretch(self, branch: list[Condition], *, single_items: bool) -> Stretch:
        partition = self._partitions(branch)[0]
        key: list[Condition] = []
        rest: list[Condition] = []
        low, high = reads.bounds(KeyRange((partition,), (), None), self.spread)
        single = single_items and self.range is None
        for condition in branch:
            of_hash = self._term(condition, self.hash)
            if of_hash is not None and of_hash.operator == "=":
                if not any(condition == each for each in key):
                    key.append(condition)
                continue
            term = None if self.range is None else self._term(condition, self.range)
            if term is None or self.range is None:
                rest.append(condition)
                continue
            _check_type(self.range, term)
            exact = term.operator == "="
            single = single or (single_items and exact)
            found = KeyRange((partition,), term.values if exact else (), None if exact else term)
            lowest, highest = reads.bounds(found, self.spread)
            low, high = max(low, lowest), min(high, highest)
            key.append(condition)
        made = None if not rest else rest[0] if len(rest) == 1 else And(tuple(rest))
        return Stretch(partition, low, high, tuple(key), made, single)


def _check_number(count: int) -> None:
    if count > STATEMENT_READS:
        raise ValidationError("Too many decomposed read operations for a given query.")


def _check_type(key: KeyAttribute, term: KeyTerm) -> None:
    name, kind = key
    for value in term.values:
        if type_of(value) != kind:
            raise ValidationError(f"Key attribute's data type should match its data type in table's schema: Key {name}")
        if value[kind] == "":
            what = "string" if kind == "S" else "binary"
            raise ValidationError(
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                f"empty {what} value. Key: {name}"
            )
