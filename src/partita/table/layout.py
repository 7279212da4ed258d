"""How an item type lies in its table: templates, stored names, and the way to and from the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any
from zlib import crc32

from pydantic_core import PydanticUndefined

from partita.dynamo.frozen import dataclass
from partita.dynamo.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from partita.dynamo.values import AttributeValue
from partita.dynamo.values import Item as WireItem
from partita.table.annotations import is_lasting, wire_types
from partita.table.attributes import plain_type
from partita.table.codecs import Codec, Encode
from partita.table.computed import Computed
from partita.table.declarations import stored_as
from partita.table.errors import InvalidValueError, KeyPartError, SchemaError
from partita.table.reading import Reader, sharded
from partita.table.spelling import key_text
from partita.table.tables import KeyName, Table
from partita.table.template import Part, Template
from partita.table.values import to_wire

if TYPE_CHECKING:
    from partita.table.items import Item


@dataclass(slots=True, eq=False)
class Layout:
    """Everything about an item type that is known when its class has been read."""

    item_type: type[Item]
    table: Table
    pk: Template
    sk: Template | None
    texts: dict[str, Template]
    """Texts made of fields: index keys, and values the document spells with a prefix."""
    computed: dict[str, Computed]
    """Other attributes made of fields: by a function, or copies that a number or binary key needs."""
    names: dict[str, str]
    """Field → stored name, of the fields that are stored."""
    nulls: frozenset[str]
    constants: dict[str, AttributeValue]
    """Stored name → value of fields that can have only one: a discriminator if the document has one."""
    key_fields: tuple[str, ...]
    fields_by_name: dict[str, str] = field(default_factory=dict)
    absent_as: dict[str, Any] = field(default_factory=dict)
    """Field → value it has if its attribute is left out, although its default is something else, or it has none."""
    own_names: frozenset[str] = frozenset()
    """Stored names that are no fields: the table's key and what is made of fields."""
    reads_whole: bool = False
    """Whether functions of the class check its items, so that only reading an item back tells whether it can be."""
    _reader: Reader | None = None
    _encoders: tuple[tuple[str, str, Encode], ...] | None = None

    # -- names

    def stored_name(self, name: str) -> str:
        """The stored name of a field."""
        return self.names.get(name, name)

    def fields(self) -> Iterator[tuple[str, bool]]:
        """Every field, and whether it is stored as an attribute of its own."""
        for name in self.item_type.model_fields:
            yield name, name in self.names

    def inputs(self, name: str) -> tuple[str, ...]:
        """The names under which a key attribute is asked for: what it is made of, or what items call it."""
        if name in self.texts:
            return self.texts[name].fields
        if name in self.computed:
            computed = self.computed[name]
            return computed.fields if computed.field is None else (computed.field,)
        if name == self.table.pk.name:
            return self.pk.fields
        if self.sk is not None and self.table.sk is not None and name == self.table.sk.name:
            return self.sk.fields
        return (self.fields_by_name[name],) if name in self.fields_by_name else ()

    def derived_from(self, name: str) -> tuple[str, ...]:
        """The fields an attribute is made of."""
        if name in self.texts:
            return self.texts[name].fields
        return self.computed[name].fields if name in self.computed else ()

    def derived_names(self) -> tuple[str, ...]:
        """The stored names of everything that is made of fields."""
        return (*self.texts, *self.computed)

    def read_without(self, name: str) -> Any:
        """The value a field reads as if its attribute is missing."""
        if name in self.absent_as:
            return self.absent_as[name]
        default = self.item_type.model_fields[name].get_default(call_default_factory=True, validated_data={})
        if default is None or default is PydanticUndefined:
            return None
        return self.item_type.__attributes__[name].codec.validated(default)

    def makes(self, name: str) -> bool:
        """Whether items of this type have that attribute."""
        return name in self.own_names or name in self.fields_by_name

    def check_key_type(self, key: KeyName, where: str) -> None:
        """A key of an index must have the index's type, or DynamoDB would refuse every item."""
        wrong = (self._wire_types(key.name) or frozenset()) - {"NULL", key.type}
        if wrong:
            step = "declare it as one with number(…) or binary(…), or make a text of it with derived(…) or keys={…}"
            held = ", ".join(sorted(wrong))
            raise SchemaError(f"{where} wants {key.name} as {key.type}, and it is stored as {held}: {step}")

    def _wire_types(self, name: str) -> frozenset[str] | None:
        """The types an attribute can have in DynamoDB; None if nothing is known."""
        if name in self.texts:
            return frozenset("S")
        if name in self.computed:
            codec = self.computed[name].codec
        elif name in self.fields_by_name:
            info = self.item_type.model_fields[self.fields_by_name[name]]
            if stored_as(info).large:
                return None
            codec = Codec("", plain_type(info.annotation), info.metadata)
        else:
            return None
        return None if codec.dump else wire_types(codec.annotation)

    # -- writing

    def key(self, parts: Mapping[str, Any]) -> WireItem:
        """The table's key from the fields it is made of."""
        missing = [name for name in self.key_fields if parts.get(name) is None]
        if missing or len(parts) != len(self.key_fields):
            unknown = sorted(set(parts) - set(self.key_fields))
            raise KeyPartError(self._wrong_parts(parts, unknown, missing))
        key = self._key(parts)
        self._check_reads_back(key)
        return key

    def _wrong_parts(self, parts: Mapping[str, Any], unknown: list[str], missing: list[str]) -> str:
        what = self.item_type.__name__
        wrong = [f"{name} is {'None' if name in parts else 'missing'}" for name in missing]
        wrong += [f"{name} is not part of it" for name in unknown]
        step = f"Give {self._given(self.key_fields)}"
        if missing and not set(missing) & set(self.pk.fields):
            step += f", or read several with {what}.query({self._given(self.pk.fields)})"
        fields = ", ".join(self.key_fields) or "nothing"
        return f"The key of {what} is made of {fields}: {'; '.join(wrong)}. {step}."

    def _given(self, fields: tuple[str, ...]) -> str:
        return ", ".join(f"{self.item_type.__name__}.{name}(…)" for name in fields)

    def _key(self, values: Mapping[str, Any]) -> WireItem:
        key: WireItem = {}
        table = self.table
        key[table.pk.name] = value = _key_value(self.pk, values, table.pk)
        check_size(table.pk, value, PARTITION_KEY_BYTES)
        if self.sk is not None and table.sk is not None:
            key[table.sk.name] = value = _key_value(self.sk, values, table.sk)
            check_size(table.sk, value, SORT_KEY_BYTES)
        return key if table.shards == 1 else spread(key, table)

    def _check_reads_back(self, key: WireItem) -> None:
        """A key that another type would claim, or that reads back as other parts, must never be written."""
        if not self.reader.always_reads_back and not self.owns({**self.constants, **key}):
            text = ", ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())
            raise KeyPartError(
                f"The key {text} would not be read as a {self.item_type.__name__}: a part holds a separator"
            )

    def encode(self, item: Item) -> WireItem:
        """The stored form of an item: keys, fields, what is made of them."""
        values = item.__dict__
        wire = self._key(values)
        key = wire[self.table.pk.name]
        self._check_reads_back(wire)
        for name, template in self.texts.items():
            text = template.render(values)
            if text is not None:
                wire[name] = {"S": text}
        for name, computed in self.computed.items():
            value = computed.wire(values)
            if value is not None:
                wire[name] = value
        for name, stored, encode in self.encoders:
            held = values[name]
            if type(held) is str and encode is to_wire:
                wire[stored] = {"S": held}
                continue
            value = encode(held)
            if value is not None:
                wire[stored] = value
            elif name in self.nulls and values[name] is None:
                wire[stored] = {"NULL": True}
            elif values[name] is not None and self.read_without(name) != values[name]:
                raise InvalidValueError(
                    f"{self.item_type.__name__}.{name} cannot be an empty set: DynamoDB has none, and without the "
                    f"attribute it reads as {self.read_without(name)!r}. Declare it without None, or with null=True."
                )
        wire[self.table.pk.name] = key  # a field of the same name says it without its shard
        self._shard(wire)
        return wire

    @property
    def encoders(self) -> tuple[tuple[str, str, Encode], ...]:
        """Field, stored name and how its values are stored; worked out when the first item is written."""
        if self._encoders is None:
            attributes = self.item_type.__attributes__
            self._encoders = tuple(
                (name, stored, _unless_first(encode) if self.absent_as.get(name) == 1 else encode)
                for name, stored in self.names.items()
                for encode in (attributes[name].codec.encode,)
            )
        return self._encoders

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
        return is_lasting(self.item_type, plain_type)

    def rivals(self) -> list[Layout]:
        """Types of the same table whose templates say more: if they fit, the row is theirs. If they say as much
        in another way, a row that fits both is nobody's, and never written."""
        return [
            other.__layout__
            for other in self.table.item_types
            if other is not self.item_type
            and other.__layout__._literals() >= self._literals()
            and self._may_meet(other.__layout__)
        ]

    @property
    def told_by_key(self) -> bool:
        """Whether no other type of the table can have such a key, so that rows need no discriminator to be told."""
        others = (other.__layout__ for other in self.table.item_types if other is not self.item_type)
        return not any(self._keys_may_meet(other) for other in others)

    def _may_meet(self, other: Layout) -> bool:
        if any(other.constants.get(name, value) != value for name, value in self.constants.items()):
            return False
        return self._keys_may_meet(other)

    def _keys_may_meet(self, other: Layout) -> bool:
        if self.sk is not None and other.sk is not None and not self.sk.may_meet(other.sk):
            return False
        return self.pk.may_meet(other.pk)

    def looks_like(self, other: Layout) -> bool:
        """Whether a row could be of both types, and neither says more about it."""
        if any(other.constants.get(name, value) != value for name, value in self.constants.items()):
            return False
        mine, theirs = ((each.pk.shape, each.sk.shape if each.sk else None) for each in (self, other))
        return mine == theirs

    def _literals(self) -> int:
        return self.pk.literals + (self.sk.literals if self.sk is not None else 0)


def _unless_first(encode: Encode) -> Encode:
    """The first version of an item is left out."""
    return lambda value: None if value == 1 else encode(value)


def copied(what: str, name: str, template: Template, codec: Codec) -> Computed:
    """A copy of one field under another name, as a number or binary index key needs it."""
    return Computed(what, name, template.fields, lambda value: value, codec, text=template.text)


def _key_value(template: Template, values: Mapping[str, Any], key: KeyName) -> AttributeValue:
    if key.type == "S":
        text = template.render(values)
        if not text:
            missing = [name for name in template.fields if values.get(name) is None]
            raise KeyPartError(f"{key.name} needs {', '.join(missing) or 'a value'}")
        return {"S": text}
    part = template.pieces[0]
    assert isinstance(part, Part)  # a template of another form is refused when the class is read
    return _own_value(part.field, values.get(part.field), key)


def _own_value(name: str, value: Any, key: KeyName) -> AttributeValue:
    """The value of a number or binary key."""
    what = "a number" if key.type == "N" else "bytes"
    wire = None if isinstance(value, bool) else to_wire(value)
    if wire is None or key.type not in wire or wire == {"B": ""}:
        raise KeyPartError(f"{key.name} needs {what} in {name}, not {value!r}")
    return wire


def check_size(key: KeyName, value: AttributeValue, most: int) -> None:
    """A key longer than DynamoDB's is nobody's: whoever asks by it is told before anything is sent."""
    text = value.get("S", "")
    if len(text) * 4 > most and len(text.encode(errors="replace")) > most:
        raise KeyPartError(f"{key.name} would have over {most:,} bytes, which no key has: {text[:40]!r}…")
    if len(value.get("B", "")) > most * 4 // 3 + 3:
        raise KeyPartError(f"{key.name} would have over {most:,} bytes, which no key has")


def index_value(item_type: type[Item], key: KeyName, values: Mapping[str, Any]) -> AttributeValue | None:
    """The value of an index key attribute; None if a value it is made of is missing."""
    layout = item_type.__layout__
    template = layout.texts.get(key.name)
    if template is not None:
        text = template.render(values)
        return None if text is None else {"S": text}
    computed = layout.computed.get(key.name)
    if computed is not None:
        return _computed_value(computed, key, values)
    field_name = layout.fields_by_name.get(key.name)
    if field_name is None:
        own = _own(item_type, key)
        if own is None:
            raise SchemaError(f"{item_type.__name__} never writes {key.name}, so that index cannot find it")
        if any(values.get(name) is None for name in own.fields):
            return None
        return _key_value(own, values, key)
    value = values.get(field_name)
    if value is None:
        return None
    return {"S": key_text(value)} if key.type == "S" else _own_value(field_name, value, key)


def _computed_value(computed: Computed, key: KeyName, values: Mapping[str, Any]) -> AttributeValue | None:
    if computed.field is not None:
        value = values.get(computed.field)
        if value is None:
            return None
        return {"S": key_text(value)} if key.type == "S" else _own_value(computed.field, value, key)
    if any(values.get(name) is None for name in computed.fields):
        return None
    return _own_value(computed.fields[0], values[computed.fields[0]], key)


def _own(item_type: type[Item], key: KeyName) -> Template | None:
    layout = item_type.__layout__
    if key.name == layout.table.pk.name:
        return layout.pk
    return layout.sk if layout.table.sk is not None and key.name == layout.table.sk.name else None


def spread(key: WireItem, table: Table) -> WireItem:
    """A key with the shard that its sort key tells."""
    assert table.sk is not None  # without one, a table cannot be spread
    shard = crc32(str(next(iter(key[table.sk.name].values()))).encode()) % table.shards
    return {**key, table.pk.name: {"S": sharded(key[table.pk.name]["S"], shard)}}


def shard_of(key: WireItem, table: Table, shards: int) -> int:
    """Which shard an item is in: told by its key alone, so that it never moves."""
    text = "|".join(str(next(iter(key[name.name].values()))) for name in table.keys)
    return crc32(text.encode()) % shards


Naming = Callable[[str], str]
