"""Reads rows into field values; everything that depends on the item type alone is worked out once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from partita.dynamo.values import AttributeValue
from partita.dynamo.values import Item as WireItem
from partita.table.attributes import plain_type
from partita.table.constraints import bare
from partita.table.spelling import part_value
from partita.table.template import Template
from partita.table.values import from_wire

if TYPE_CHECKING:
    from partita.table.layout import Layout


class Reader:
    """Tells rows of one item type from others, and takes their values out."""

    __slots__ = (
        "absent",
        "always_reads_back",
        "checks_key",
        "constants",
        "derived_names",
        "fields",
        "keys",
        "kinds",
        "lasting",
        "own",
        "rivals",
        "sharded",
        "spread",
        "unstored",
    )

    def __init__(self, layout: Layout) -> None:
        table = layout.table
        templates = (layout.pk,) if layout.sk is None else (layout.pk, layout.sk)
        self.keys = tuple(_Key(key.name, key.type, each) for key, each in zip(table.keys, templates, strict=True))
        self.constants = tuple(layout.constants.items())
        self.fields = layout.fields_by_name
        self.own = layout.own_names
        self.kinds = kinds = {
            name: bare(plain_type(layout.item_type.model_fields[name].annotation)) for name in layout.key_fields
        }
        self.unstored = tuple((name, kinds[name]) for name in layout.key_fields if name not in layout.names)
        self.checks_key = any(
            kind is not str or layout.item_type.__attributes__[name].rewrites for name, kind in self.unstored
        )
        """Whether a key may be spelled in a way that items of this type never spell it, such as 007 for 7."""
        self.absent = tuple(layout.absent_as.items())
        functions = any(each.field is not None for each in layout.computed.values())
        derived = frozenset(layout.derived_names())
        spread = any(index.shards > 1 and index.pk[0].name in derived for index in table.indexes)
        self.derived_names = derived if functions or spread else frozenset()
        """Derived attributes: kept as they are stored if a function makes them or a list is spread by them, since other
        programs may not write them."""
        self.spread = table.pk.name if table.shards > 1 else None
        self.sharded = tuple(name for stored, name in layout.fields_by_name.items() if stored == self.spread)
        self.rivals = tuple(layout.rivals())
        seen = [field for key in self.keys for field in key.template.fields]
        self.always_reads_back = (
            not self.rivals and len(seen) == len(set(seen)) and all(key.template.simple for key in self.keys)
        )
        """Whether any key that can be made is read as this type with the same parts."""
        self.lasting = layout.lasting
        """Whether an item can be shared by everybody who reads its row: nothing in it can be changed."""

    def parts(self, row: WireItem, *, whole: bool = True) -> dict[str, Any] | None:
        """The parts of a row's key, if its keys and its discriminator fit this type."""
        for name, constant in self.constants:
            if row.get(name) != constant and (whole or name in row):
                return None
        parts: dict[str, Any] = {}
        for key in self.keys:
            stored = row.get(key.name)
            text = None if stored is None else stored.get(key.kind)
            if text is None:
                return None
            if key.kind != "S":
                if key.field is not None and key.start == "":
                    assert stored is not None  # it has a text
                    part = from_wire(stored)
                    if parts.setdefault(key.field, part) != part:
                        return None
                continue
            if key.name == self.spread:
                text = unsharded(text)
            start = key.start
            if key.fixed:
                if text != start:
                    return None
            elif key.field is not None:
                if len(text) <= key.skip or not text.startswith(start):
                    return None
                part = text[key.skip :]
                if parts.setdefault(key.field, part) != part:
                    return None
            else:
                parsed = key.template.parse(text)
                if parsed is None:
                    return None
                for name, part in parsed.items():
                    if parts.setdefault(name, part) != part:
                        return None
        return parts

    def match(self, row: WireItem, *, whole: bool = True) -> dict[str, Any] | None:
        """The parts of a row's key if the row is of this type: no type that says more claims it."""
        parts = self.parts(row, whole=whole)
        if parts is not None:
            for rival in self.rivals:
                if rival.reader.parts(row) is not None:
                    return None
        return parts

    def may_match(self, row: WireItem) -> bool:
        """Whether a row may be of this type as far as a part of it tells: what an index holds of it."""
        return self.parts(row, whole=False) is not None and not any(
            rival.reader.parts(row) is not None for rival in self.rivals
        )

    def values(self, row: WireItem, *, whole: bool = True) -> tuple[dict[str, Any], dict[str, AttributeValue]] | None:
        """Field values out of a row of this type, and the attributes the type does not know; None for other rows. Of a
        row that is not whole, what its key says has its value too."""
        parts = self.match(row, whole=whole) if self.rivals else self.parts(row, whole=whole)
        if parts is None:
            return None
        values: dict[str, Any] = {} if whole else {name: part_value(parts[name], self.kinds[name]) for name in parts}
        unknown: dict[str, AttributeValue] = {}
        fields = self.fields
        for name, value in row.items():
            field = fields.get(name)
            if field is not None:
                values[field] = value["S"] if "S" in value else from_wire(value)
            elif name not in self.own:
                unknown[name] = value
        for field, kind in self.unstored:
            values[field] = parts[field] if kind is str else part_value(parts[field], kind)
        for field, absent in self.absent:
            values.setdefault(field, absent)
        for field in self.sharded:
            if field in values:
                values[field] = unsharded(values[field])
        return values, unknown


class _Key:
    """One half of the key, and the shortest way to read it: a fixed text, one field after it, or a pattern."""

    __slots__ = ("field", "fixed", "kind", "name", "skip", "start", "template")

    def __init__(self, name: str, kind: str, template: Template) -> None:
        self.name = name
        self.kind = kind
        self.template = template
        self.start = template.start
        self.skip = len(template.start)
        self.fixed = not template.fields
        self.field = template.fields[0] if template.trailing else None


def sharded(value: str, shard: int) -> str:
    """A partition key value with its shard."""
    return f"{value}#{shard:03d}"


def unsharded(value: str) -> str:
    """The value without its shard."""
    return value[:-4]
