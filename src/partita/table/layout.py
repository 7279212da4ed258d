"""How an item type lies in its table: templates, stored names, and the way to and from the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin
from zlib import crc32

from pydantic_core import PydanticUndefined

from partita.dynamo.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from partita.dynamo.values import AttributeValue
from partita.dynamo.values import Item as WireItem
from partita.table.attributes import Attribute, Stored
from partita.table.errors import KeyPartError, SchemaError
from partita.table.holds import is_lasting, mentions_float
from partita.table.reading import Reader, sharded
from partita.table.shards import shard_keys
from partita.table.suggest import instead_of
from partita.table.tables import KeyName, Table
from partita.table.template import Part, Template, key_text, template
from partita.table.values import to_wire

if TYPE_CHECKING:
    from partita.table.items import Item

_KEY_BYTES = (PARTITION_KEY_BYTES, SORT_KEY_BYTES)


@dataclass(slots=True, eq=False)
class Layout:
    """Everything about an item type that is known when its class has been read."""

    item_type: type[Item]
    table: Table
    pk: Template
    sk: Template | None
    derived: dict[str, Template]
    """Attributes made of fields: index keys, and values the document spells with a prefix."""
    names: dict[str, str]
    """Field → stored name, of the fields that are stored."""
    nulls: frozenset[str]
    constants: dict[str, AttributeValue]
    """Stored name → value of fields that can have only one: a discriminator where the document has one."""
    key_fields: tuple[str, ...]
    fields_by_name: dict[str, str] = field(default_factory=dict)
    absent_is_none: tuple[str, ...] = ()
    """Fields that leave their attribute out for None although their default is something else."""
    own_names: frozenset[str] = frozenset()
    """Stored names that are no fields: the table's key and what is derived."""
    _reader: Reader | None = None

    # -- names

    def stored_name(self, name: str) -> str:
        """The stored name of a field."""
        return self.names.get(name, name)

    def fields(self) -> Iterator[tuple[str, bool]]:
        """Every field, and whether it is stored as an attribute of its own."""
        for name in self.item_type.model_fields:
            yield name, name in self.names

    def inputs(self, name: str) -> tuple[str, ...]:
        """The fields a key attribute is made of."""
        if name in self.derived:
            return self.derived[name].fields
        if name == self.table.pk.name:
            return self.pk.fields
        if self.sk is not None and self.table.sk is not None and name == self.table.sk.name:
            return self.sk.fields
        return (self.fields_by_name[name],) if name in self.fields_by_name else ()

    def absent_as(self, name: str) -> Any:
        """What a field reads as where its attribute is not there."""
        default = self.item_type.model_fields[name].get_default(call_default_factory=True, validated_data={})
        return None if name in self.absent_is_none or default is PydanticUndefined else default

    def makes(self, name: str) -> bool:
        """Whether items of this type have that attribute."""
        return name in self.own_names or name in self.fields_by_name

    # -- writing

    def key(self, parts: Mapping[str, Any]) -> WireItem:
        """The table's key from the fields it is made of."""
        unknown = sorted(set(parts) - set(self.key_fields))
        missing = [name for name in self.key_fields if parts.get(name) is None]
        if unknown or missing:
            raise KeyPartError(self._wrong_parts(parts, unknown, missing))
        key = self._key(parts)
        self._check_reads_back(key)
        return key

    def _wrong_parts(self, parts: Mapping[str, Any], unknown: list[str], missing: list[str]) -> str:
        what = self.item_type.__name__
        wrong = [f"{name} is {'None' if name in parts else 'missing'}" for name in missing]
        wrong += [f"{name} is no part of it" for name in unknown]
        step = f"Give {', '.join(f'{name}=…' for name in self.key_fields)}"
        if missing and not set(missing) & set(self.pk.fields):
            step += f", or read several with {what}.query({', '.join(f'{name}=…' for name in self.pk.fields)})"
        made = ", ".join(self.key_fields) or "nothing"
        return f"The key of {what} is made of {made}: {'; '.join(wrong)}. {step}."

    def _key(self, values: Mapping[str, Any]) -> WireItem:
        key: WireItem = {}
        for name, made, most in zip(self.table.keys, (self.pk, self.sk), _KEY_BYTES, strict=False):
            if made is None:
                continue
            key[name.name] = value = _key_value(made, values, name)
            check_size(name, value, most)
        return key if self.table.shards == 1 else spread(key, self.table)

    def _check_reads_back(self, key: WireItem) -> None:
        """A key that another type would claim, or that reads back as other parts, must never be written."""
        if not self.reader.always_reads_back and not self.owns({**self.constants, **key}):
            shown = ", ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())
            raise KeyPartError(
                f"The key {shown} would not be read as a {self.item_type.__name__}: a part holds a separator"
            )

    def encode(self, item: Item) -> WireItem:
        """The stored form of an item: keys, fields, derived attributes."""
        values = item.__dict__
        wire = self._key(values)
        key = wire[self.table.pk.name]
        self._check_reads_back(wire)
        for name, made in self.derived.items():
            text = made.render(values)
            if text is not None:
                wire[name] = {"S": text}
        for name, stored in self.names.items():
            value = to_wire(values[name])
            if value is not None:
                wire[stored] = value
            elif name in self.nulls:
                wire[stored] = {"NULL": True}
        wire[self.table.pk.name] = key  # a field of the same name says it without its shard
        self._shard(wire)
        return wire

    def _shard(self, wire: WireItem) -> None:
        for index in self.table.indexes:
            if index.shards > 1 and index.pk[0].name in wire:
                value = wire[index.pk[0].name]["S"]
                wire[index.pk[0].name] = {"S": sharded(value, shard_of(wire, self.table, index.shards))}

    # -- reading

    @property
    def reader(self) -> Reader:
        """What reads rows of this type; made when the first row comes, when all types of the table are known."""
        if self._reader is None:
            self._reader = Reader(self)
        return self._reader

    def forget_reader(self) -> None:
        """A type was added to the table: which rows are whose must be worked out anew."""
        self._reader = None

    def owns(self, row: WireItem) -> bool:
        """Whether a row is of this type."""
        return self.reader.match(row) is not None

    @property
    def lasting(self) -> bool:
        """Whether nothing in an item of this type can be changed, so that all who read its row can have the same."""
        return is_lasting(self.item_type, _held)

    def rivals(self) -> list[Layout]:
        """Types of the same table whose templates say more: where they fit, the row is theirs."""
        return [
            other.__layout__
            for other in self.table.item_types
            if other is not self.item_type
            and other.__layout__._literals() > self._literals()
            and self._may_meet(other.__layout__)
        ]

    def _may_meet(self, other: Layout) -> bool:
        if self.sk is not None and other.sk is not None and not self.sk.may_meet(other.sk):
            return False
        return self.pk.may_meet(other.pk)

    def looks_like(self, other: Layout) -> bool:
        """Whether a row could be of both types, and neither says more about it."""
        if any(other.constants.get(name, value) != value for name, value in self.constants.items()):
            return False
        mine, theirs = ((made.pk.shape, made.sk.shape if made.sk else None) for made in (self, other))
        return mine == theirs

    def _literals(self) -> int:
        return self.pk.literals + (self.sk.literals if self.sk is not None else 0)


_TAKEN = frozenset({"key", "get", "query", "own_key", "owns", "to_row", "from_row", "from_own_row"})
"""What every item type has for itself."""


def layout(
    item_type: type[Item],
    table: Table,
    pk: str | None,
    sk: str | None,
    keys: Mapping[str, str],
    naming: Callable[[str], str],
) -> Layout:
    """Read the declarations of an item type; whatever cannot work is said now."""
    what = item_type.__name__
    names: dict[str, str] = {}
    nulls: set[str] = set()
    constants: dict[str, AttributeValue] = {}
    absent_is_none: list[str] = []
    for name, info in item_type.model_fields.items():
        if name in _TAKEN:
            raise SchemaError(
                f"{what}.{name}: items have a {name} of their own. Store it from another field, as in "
                f"{name}_: Attribute[…] = attribute({name!r})"
            )
        if mentions_float(info.annotation):
            raise SchemaError(f"{what}.{name} is a float; DynamoDB's numbers are decimal: use int or decimal.Decimal")
        stored = next((entry for entry in info.metadata if isinstance(entry, Stored)), Stored())
        if not stored.stored:
            continue
        names[name] = stored.name or naming(name)
        if stored.null:
            nulls.add(name)
        elif _accepts_none(info.annotation) and info.get_default(call_default_factory=False) is not None:
            absent_is_none.append(name)
        choices = _literal(info.annotation)
        if len(choices) == 1:
            constant = to_wire(choices[0])
            if constant is not None:
                constants[names[name]] = constant
    fields_by_name = {stored: name for name, stored in names.items()}
    if len(fields_by_name) != len(names):
        raise SchemaError(f"{what}: two fields have the same stored name")
    pk_template = _own_template(what, table.pk, pk, fields_by_name)
    sk_template = None if table.sk is None else _own_template(what, table.sk, sk, fields_by_name)
    if table.sk is None and sk is not None:
        raise SchemaError(f"{what}: {table.name} has no sort key")
    derived = {name: template(text) for name, text in (*keys.items(), *shard_keys(table, keys, fields_by_name))}
    known = item_type.model_fields
    for made in (pk_template, sk_template, *derived.values()):
        for part in () if made is None else made.fields:
            if part not in known:
                text, choice = made.text if made else "", instead_of(part, known)
                raise SchemaError(f"{what}: the template {text!r} names {part}, which is no field: {choice}")
    for name in derived:
        if name in fields_by_name:
            raise SchemaError(f"{what}: {name} is both a field and a template")
    key_fields = tuple(dict.fromkeys((*pk_template.fields, *(sk_template.fields if sk_template else ()))))
    for name in item_type.model_fields:
        if name not in names and name not in key_fields:
            raise SchemaError(f"{what}: {name} is neither stored nor part of the key, so it could not be read back")
    made_of = Layout(
        item_type=item_type,
        table=table,
        pk=pk_template,
        sk=sk_template,
        derived=derived,
        names=names,
        nulls=frozenset(nulls),
        constants=constants,
        key_fields=key_fields,
        fields_by_name=fields_by_name,
        absent_is_none=tuple(absent_is_none),
        own_names=frozenset((*derived, *(key.name for key in table.keys))),
    )
    for other in table.item_types:
        if other.__name__ != what and made_of.looks_like(other.__layout__):
            raise SchemaError(
                f"{what} and {other.__name__} have the same keys, so nobody could tell their rows apart: "
                "change a template, or give both a field of another Literal"
            )
    return made_of


def _own_template(what: str, key: KeyName, text: str | None, fields: Mapping[str, str]) -> Template:
    if text is not None:
        return template(text)
    if key.name in fields:
        return template("{" + fields[key.name] + "}")
    raise SchemaError(
        f"{what}: nothing says how {key.name} is made; give a template, or a field stored as {key.name!r}"
    )


def _accepts_none(annotation: Any) -> bool:
    return type(None) in get_args(_held(annotation))


def _literal(annotation: Any) -> tuple[Any, ...]:
    """The choices of `Attribute[Literal[…]]`."""
    held = _held(annotation)
    return get_args(held) if get_origin(held) is Literal else ()


def _held(annotation: Any) -> Any:
    """The type of an attribute's values."""
    return get_args(annotation)[0] if get_origin(annotation) is Attribute else annotation


def _key_value(made: Template, values: Mapping[str, Any], key: KeyName) -> AttributeValue:
    if key.type == "N":
        part = made.pieces[0] if len(made.pieces) == 1 else None
        if not isinstance(part, Part):
            raise KeyPartError(f"{key.name} is a number: its template must be a single field")
        value = values.get(part.field)
        if isinstance(value, bool) or value is None:
            raise KeyPartError(f"{key.name} needs a number in {part.field}")
        wire = to_wire(value)
        if wire is None or "N" not in wire:
            raise KeyPartError(f"{key.name} needs a number in {part.field}, not {value!r}")
        return wire
    text = made.render(values)
    if not text:
        missing = [name for name in made.fields if values.get(name) is None]
        raise KeyPartError(f"{key.name} needs {', '.join(missing) or 'a value'}")
    return {"S": text}


def check_size(key: KeyName, value: AttributeValue, most: int) -> None:
    """A key longer than DynamoDB's is nobody's: whoever asks by it is told before anything is sent."""
    text = value.get("S", "")
    if len(text) * 4 > most and len(text.encode(errors="replace")) > most:
        raise KeyPartError(f"{key.name} would have over {most:,} bytes, which no key has: {text[:40]!r}…")


def index_value(item_type: type[Item], key: KeyName, values: Mapping[str, Any]) -> AttributeValue | None:
    """The value of an index key attribute, where the values allow."""
    made = item_type.__layout__.derived.get(key.name)
    if made is not None:
        text = made.render(values)
        return None if text is None else {"S": text}
    known = item_type.__layout__.fields_by_name.get(key.name)
    if known is None:
        own = _own(item_type, key)
        if own is None:
            raise SchemaError(f"{item_type.__name__} never writes {key.name}, so that index cannot find it")
        text = own.render(values)
        return None if text is None else {"S": text}
    value = values.get(known)
    if value is None:
        return None
    return to_wire(value) if key.type == "N" else {"S": key_text(value)}


def _own(item_type: type[Item], key: KeyName) -> Template | None:
    made = item_type.__layout__
    if key.name == made.table.pk.name:
        return made.pk
    return made.sk if made.table.sk is not None and key.name == made.table.sk.name else None


def spread(key: WireItem, table: Table) -> WireItem:
    """A key with the shard that its sort key tells."""
    assert table.sk is not None  # without one, a table cannot be spread
    shard = crc32(str(next(iter(key[table.sk.name].values()))).encode()) % table.shards
    return {**key, table.pk.name: {"S": sharded(key[table.pk.name]["S"], shard)}}


def shard_of(key: WireItem, table: Table, shards: int) -> int:
    """Which shard an item is in: told by its key alone, so that it never moves."""
    text = "|".join(str(next(iter(key[name.name].values()))) for name in table.keys)
    return crc32(text.encode()) % shards
