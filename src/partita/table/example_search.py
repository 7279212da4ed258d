"""Which fields lead to a derived attribute: a function is not read backwards, so likely values are tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, product
from typing import Any

from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.values import AttributeValue
from partita.table.computed import Computed
from partita.table.errors import ModelError
from partita.table.example_values import sample
from partita.table.items import Item
from partita.table.queries import Query
from partita.table.ranges import Range
from partita.table.values import from_wire

_MOST_TRIES = 20_000
_NUMBERED = 40
_DATE = re.compile(r"\d{4}(?:-\d{2}){0,2}")
Accepts = Callable[[AttributeValue], bool]


@dataclass(frozen=True, slots=True)
class Asked:
    """A derived key attribute, and which values of it a query finds."""

    computed: Computed
    accepts: Accepts


def asked_of(query: Query[Any], item_type: type[Item]) -> list[Asked]:
    """The derived attributes among the keys that a query asks for; an index holds only what has all of its keys."""
    equal = {key.name: value for key, value in (*query.partition, *query.leading)}
    derived = []
    for key in () if query.index is None else query.index.key_names:
        computed = item_type.__layout__.computed.get(key.name)
        if computed is None or computed.field is None:
            continue
        bounded = query.range if query.range is not None and query.range.key == key else None
        derived.append(Asked(computed, _accepting(equal.get(key.name), bounded)))
    return derived


def wanting(computed: Computed, value: AttributeValue) -> Asked:
    """A derived attribute that must have one value."""
    return Asked(computed, _accepting(value, None))


def _accepting(value: AttributeValue | None, key_range: Range | None) -> Accepts:
    if value is not None:
        return lambda other: other == value
    if key_range is None:
        return lambda _: True
    condition, name = key_range.condition(), key_range.key.name
    return lambda other: key_range.admits({name: other}) and (condition is None or holds(condition, {name: other}))


def solve(
    asked: Sequence[Asked], known: Mapping[str, Any], values: Callable[[str], Iterable[Any]]
) -> dict[str, Any] | None:
    """Values of the fields that are not known, so that every derived attribute is as it is asked for."""
    inputs = dict.fromkeys(name for each in asked for name in each.computed.fields)
    names = [name for name in inputs if name not in known]
    for chosen in islice(product(*(list(values(name)) for name in names)), _MOST_TRIES):
        candidate = dict(zip(names, chosen, strict=True))
        if all(_is_so(each, {**known, **candidate}) for each in asked):
            return candidate
    return None


def _is_so(asked: Asked, values: Mapping[str, Any]) -> bool:
    try:
        value = asked.computed.wire(values)
    except ModelError:
        return False  # these values are none that the function is made for
    return value is not None and asked.accepts(value)


def candidates(item_type: type[Item], name: str, documented: Any, wanted: Sequence[Any]) -> Iterator[Any]:
    """Values of a field that may lead to what is wanted, the likely ones first, each as items hold it."""
    held, info = sample(item_type, name), item_type.model_fields[name]
    seen = set()
    for value in _likely(item_type, name, documented, wanted):
        checked = held.read(value)
        if isinstance(checked, datetime) and checked.tzinfo is None:
            checked = checked.replace(tzinfo=UTC)  # nothing else can be stored
        if repr(checked) not in seen and held.fits(checked):
            seen.add(repr(checked))
            yield checked
    if held.optional and not info.is_required() and repr(None) not in seen:
        yield None


def _likely(item_type: type[Item], name: str, documented: Any, wanted: Sequence[Any]) -> Iterator[Any]:
    held, info = sample(item_type, name), item_type.model_fields[name]
    if documented is not None:
        yield documented
    if not info.is_required():
        yield info.get_default(call_default_factory=True, validated_data={})
    yield from held.choices
    yield from wanted
    yield from held.examples
    try:
        plain = held.value(identity=name in item_type.__layout__.key_fields)
    except ModelError:
        return  # no value of its type is known, and what was tried before is all there is
    yield plain
    yield from (held.numbered(plain, number) for number in range(_NUMBERED))


def hints(query: Query[Any]) -> list[Any]:
    """What the keys of a query say: whole values, the pieces of texts, and the bounds of a range."""
    ends = [] if query.range is None else [end for end in (query.range.low, query.range.high) if end is not None]
    said = [from_wire(value) for _, value in (*query.partition, *query.leading)]
    said += [from_wire(at) if isinstance(at, dict) else at for end in ends for at in end.at]
    said += [] if query.range is None else [text for text in (query.range.prefix, query.range.stem) if text]
    values: list[Any] = []
    for value in said:
        values.append(value)
        if isinstance(value, str):
            values += [value[match.end() :] for match in re.finditer(r"[^A-Za-z0-9]+", value)]
            values += [piece for piece in re.split(r"[^A-Za-z0-9]+", value) if piece]
            values += [moment for date in _DATE.findall(value) for moment in _moments(date)]
        elif not isinstance(value, bytes):
            values += [value + 1, value - 1]  # a bound may be left out of its range
    return [value for value in values if value != ""]


def _moments(date: str) -> Iterator[str]:
    """A day and a moment in a year, in a month or on a day: keys often say only that much of a time."""
    day = date + "-06-15"[len(date) - len("2026") :]
    yield day
    yield f"{day}T12:00:00Z"
