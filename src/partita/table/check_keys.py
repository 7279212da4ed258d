"""Which keys items of a type may have: enough to tell whether they stand in a stretch that somebody else reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from partita.dynamo.expressions.tree import BeginsWith, Between, Compare, Condition, Value
from partita.dynamo.values import AttributeValue
from partita.table.computed import Computed
from partita.table.errors import KeyPartError
from partita.table.example_keys import template_of
from partita.table.example_search import candidates, hints, solve, wanting
from partita.table.example_values import Sample, sample
from partita.table.items import Item
from partita.table.queries import Query
from partita.table.spelling import key_text
from partita.table.tables import KeyName
from partita.table.template import Part, Template

_LAST = "\U0010ffff"
_DIGITS = "-0123456789"
_HEX = "0123456789abcdef"


def meets(kind: type[Item], query: Query[Any]) -> bool:
    """Whether items of a type may stand in the stretch that a query reads."""
    for key, value in (*query.partition, *query.leading):
        if not _may_be(kind, key, value, query):
            return False
    open_keys = query.sort_names()[len(query.leading) :]
    if not all(kind.__layout__.makes(key.name) for key in open_keys):
        return False
    stretch = None if query.sort is None or not open_keys else _stretch(query.sort)
    return stretch is None or any(map(stretch.meets, _starts(kind, open_keys[0])))


def _may_be(kind: type[Item], key: KeyName, value: AttributeValue, query: Query[Any]) -> bool:
    """Whether a key attribute may have a value in items of a type."""
    layout = kind.__layout__
    computed = layout.computed.get(key.name)
    if computed is not None and computed.field is not None:
        return _may_make(kind, computed, value, query)
    template = template_of(kind, key.name)
    if template is not None and "S" in value:
        parts = template.parse(value["S"])
        widths = {piece.field: piece.width for piece in template.pieces if isinstance(piece, Part)}
        return parts is not None and all(sample(kind, name).spells(parts[name], widths[name]) for name in parts)
    name = template.fields[0] if template is not None else layout.fields_by_name.get(key.name)
    if computed is not None:
        name = computed.fields[0]
    return name is not None and sample(kind, name).fits(sample(kind, name).read(next(iter(value.values()))))


def _may_make(kind: type[Item], computed: Computed, value: AttributeValue, query: Query[Any]) -> bool:
    """Whether a function makes that value of some fields; what no likely value leads to is taken for impossible."""
    wanted = hints(query)
    return solve([wanting(computed, value)], {}, lambda name: candidates(kind, name, None, wanted)) is not None


@dataclass(frozen=True, slots=True)
class _Texts:
    """All texts from one to another, both included."""

    first: str
    last: str

    def meets(self, other: _Texts) -> bool:
        return self.first <= other.last and other.first <= self.last


def _stretch(condition: Condition) -> _Texts | None:
    """The texts that a condition on a sort key selects; None for keys that are no texts."""
    match condition:
        case BeginsWith(prefix=Value(value={"S": prefix})):
            return _beginning(prefix)
        case Between(low=Value(value={"S": low}), high=Value(value={"S": high})):
            return _Texts(low, high)
        case Compare(operator=operator, right=Value(value={"S": text})):
            return _Texts("", text) if operator in ("<", "<=") else _Texts(text, _LAST)
    return None


def _beginning(text: str) -> _Texts:
    return _Texts(text, text + _LAST)


def _starts(kind: type[Item], key: KeyName) -> Iterator[_Texts]:
    """Where the keys of a type may lie: after its fixed text, and as the type of its first part says."""
    template = template_of(kind, key.name)
    if template is None:
        field = kind.__layout__.fields_by_name.get(key.name)
        yield from (_beginning(text) for text in (_first_texts(sample(kind, field), 0) if field else ("",)))
    elif not template.fields:
        yield _Texts(template.start, template.start)
    else:
        yield from (_beginning(template.start + text) for text in _first_texts(*_first_part(kind, template)))


def _first_part(kind: type[Item], template: Template) -> tuple[Sample, int]:
    part = next(piece for piece in template.pieces if isinstance(piece, Part))
    return sample(kind, part.field), part.width


def _first_texts(held: Sample, width: int) -> Iterator[str]:
    """How the values of a field may start in a key; an empty text starts all of them."""
    if held.choices:
        for choice in held.choices:
            try:
                yield key_text(choice, width)
            except KeyPartError:
                continue  # no key has that value
    elif held.is_moment or held.is_day or held.kind in (int, Decimal, date, datetime):
        yield from _DIGITS
    elif held.kind in (UUID, bytes):
        yield from _HEX
    else:
        yield ""
