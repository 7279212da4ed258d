"""Reads the declarations of a class into its layout, and refuses what cannot work when the schema is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from partita.dynamo.values import AttributeValue
from partita.table.annotations import is_set, mentions_float
from partita.table.attributes import plain_type
from partita.table.codecs import Codec
from partita.table.computed import Computed
from partita.table.constraints import bare, is_optional, runs_functions
from partita.table.declarations import Derived, Stored, Version
from partita.table.errors import SchemaError
from partita.table.layout import Layout, Naming, copied
from partita.table.shards import computed_shard_keys, shard_keys
from partita.table.spelling import choices_of, key_text
from partita.table.suggest import instead_of
from partita.table.tables import KeyName, Table
from partita.table.template import Part, Template, parse_template
from partita.table.values import to_wire

if TYPE_CHECKING:
    from partita.table.items import Item

_TAKEN = frozenset(
    {"key", "get", "query", "own_key", "owns", "to_row", "from_row", "from_own_row", "with_", "as_stored"}
)
"""Names that every item type uses itself."""


def read_class(
    item_type: type[Item],
    table: Table,
    pk: str | None,
    sk: str | None,
    keys: Mapping[str, str],
    naming: Naming,
    derived: Mapping[str, tuple[Derived, Any]],
) -> Layout:
    """Read the declarations of an item type; `derived` are its derived attributes with their types."""
    what = item_type.__name__
    names: dict[str, str] = {}
    nulls: set[str] = set()
    constants: dict[str, AttributeValue] = {}
    absent_as: dict[str, Any] = {}
    if item_type.__pydantic_decorators__.model_serializers:
        raise SchemaError(f"{what}: an item is stored field by field: use a field_serializer, not a model_serializer")
    for name, info in item_type.model_fields.items():
        held = plain_type(info.annotation)
        _check_field(what, name, held)
        if info.alias is not None or info.validation_alias is not None:
            raise SchemaError(f"{what}.{name} has an alias: give its stored name instead, as in attribute({name!r})")
        stored = next((entry for entry in info.metadata if isinstance(entry, Stored)), Stored())
        if not stored.stored:
            continue
        names[name] = stored.name or naming(name)
        if stored.null:
            nulls.add(name)
            if info.is_required() and is_optional(held) and not is_set(held):
                absent_as[name] = None  # if another program, or remove(), left it out
        elif is_optional(held) and info.get_default(call_default_factory=False) is not None:
            absent_as[name] = None
        if is_set(held) and name not in absent_as and (stored.null or not is_optional(held)):
            absent_as[name] = frozenset()
        if any(isinstance(entry, Version) for entry in info.metadata):
            absent_as[name] = 1
        choices = get_args(held) if get_origin(held) is Literal else ()
        if len(choices) == 1:
            constant = to_wire(choices[0])
            if constant is not None:
                constants[names[name]] = constant
    fields_by_name = {stored_name: name for name, stored_name in names.items()}
    if len(fields_by_name) != len(names):
        raise SchemaError(f"{what}: two fields have the same stored name")
    if table.sk is None and sk is not None:
        raise SchemaError(f"{what}: {table.name} has no sort key")
    pk_template = _own_template(what, table.pk, pk, fields_by_name)
    sk_template = None if table.sk is None else _own_template(what, table.sk, sk, fields_by_name)
    computed = {each.name: each for each in _computed(what, item_type, derived, naming)}
    computed |= {each.name: each for each in computed_shard_keys(table, computed)}
    texts = {name: parse_template(text) for name, text in (*keys.items(), *shard_keys(table, keys, fields_by_name))}
    for each in (pk_template, sk_template, *texts.values()):
        if each is not None:
            _check_inputs(what, item_type, each.fields, each.text)
            _check_padding(what, item_type, each)
    kinds = {key.name: key.type for index in table.indexes for key in index.key_names}
    for name in [name for name in texts if kinds.get(name, "S") != "S"]:
        computed[name] = _copy(what, item_type, name, kinds[name], texts.pop(name))
    for name in (*texts, *computed):
        if name in fields_by_name:
            raise SchemaError(
                f"{what}: {name} is both a field and made of others: give one of them another name; "
                "attribute(…) takes a field's stored name first"
            )
    key_fields = tuple(dict.fromkeys((*pk_template.fields, *(sk_template.fields if sk_template else ()))))
    for name in key_fields:
        _check_part(what, name, plain_type(item_type.model_fields[name].annotation))
    for name in item_type.model_fields:
        if name not in names and name not in key_fields:
            raise SchemaError(f"{what}: {name} is neither stored nor part of the key, so it could not be read back")
    layout = Layout(
        item_type=item_type,
        table=table,
        pk=pk_template,
        sk=sk_template,
        texts=texts,
        computed=computed,
        names=names,
        nulls=frozenset(nulls),
        constants=constants,
        key_fields=key_fields,
        fields_by_name=fields_by_name,
        absent_as=absent_as,
        own_names=frozenset((*texts, *computed, *(key.name for key in table.keys))),
        reads_whole=runs_functions(item_type),
    )
    for index in table.indexes:
        for key in index.key_names:
            layout.check_key_type(key, f"{what}: {index!r}")
    for key in table.keys:
        layout.check_key_type(key, f"{what}: {table.name}")
    _check_distinct(layout, what)
    return layout


def _check_padding(what: str, item_type: type[Item], template: Template) -> None:
    """Only whole numbers are padded, and only what has one spelling is a part of a key."""
    for piece in template.pieces:
        if not isinstance(piece, Part):
            continue
        kind = bare(plain_type(item_type.model_fields[piece.field].annotation))
        numbers = kind is int or (isinstance(kind, type) and issubclass(kind, int) and kind is not bool)
        if piece.width and not numbers and get_origin(kind) is not Literal:
            raise SchemaError(f"{what}: {template.text!r} pads {piece.field}, which is not a whole number")
        if get_origin(kind) in (list, tuple, set, frozenset, dict) or kind in (list, tuple, set, frozenset, dict):
            raise SchemaError(f"{what}: {piece.field} is a collection, which cannot be a part of {template.text!r}")


def _check_field(what: str, name: str, held: Any) -> None:
    if name in _TAKEN:
        raise SchemaError(
            f"{what}.{name}: items have a {name} of their own. Store it from another field, as in "
            f"{name.rstrip('_')}_: Attribute[…] = attribute({name!r})"
        )
    if mentions_float(held):
        raise SchemaError(f"{what}.{name} is a float; DynamoDB's numbers are decimal: use int or decimal.Decimal")


def _check_part(what: str, name: str, held: Any) -> None:
    """The text of a key must tell its parts, or two items would have one key."""
    members = [member for member in get_args(held) if member is not type(None)]
    if get_origin(held) is not Literal and bare(held) is held and len(members) > 1 and not isinstance(held, type):
        raise SchemaError(
            f"{what}.{name} may be of several types, and the text of a key does not tell which: give it one type"
        )
    choices = [choice for choice in choices_of(bare(held)) if choice is not None]
    if len(set(map(key_text, choices))) < len(choices):
        raise SchemaError(f"{what}.{name} has two values that keys spell alike: give one of them another spelling")


def _computed(
    what: str, item_type: type[Item], derived: Mapping[str, tuple[Derived, Any]], naming: Naming
) -> list[Computed]:
    attributes = []
    for name, (declared, annotation) in derived.items():
        _check_inputs(what, item_type, declared.inputs, f"derived attribute {name}")
        held = plain_type(annotation)
        if mentions_float(held):
            raise SchemaError(f"{what}.{name} is a float; DynamoDB's numbers are decimal: use int or decimal.Decimal")
        stored = declared.name or naming(name)
        codec = Codec(f"{what}.{name}", held, [])
        text = f"made of {', '.join(declared.inputs)}" if declared.inputs else "always the same"
        attributes.append(Computed(f"{what}.{name}", stored, declared.inputs, declared.function, codec, name, text))
    return attributes


def _copy(what: str, item_type: type[Item], name: str, kind: str, template: Template) -> Computed:
    if len(template.pieces) != 1 or not isinstance(template.pieces[0], Part) or template.pieces[0].width:
        type_of_key = "a number" if kind == "N" else "binary"
        raise SchemaError(f"{what}: {name} is {type_of_key}, so {template.text!r} must be one field without padding")
    info = item_type.model_fields[template.fields[0]]
    return copied(f"{what}.{name}", name, template, Codec(f"{what}.{name}", plain_type(info.annotation), []))


def _check_distinct(layout: Layout, what: str) -> None:
    for other in layout.table.item_types:
        if other.__name__ != what and layout.looks_like(other.__layout__):
            raise SchemaError(
                f"{what} and {other.__name__} have the same keys, so their rows could not be told apart: "
                "change a template, or give both a field of another Literal"
            )


def _check_inputs(what: str, item_type: type[Item], fields: tuple[str, ...], text: str) -> None:
    for part in fields:
        if part not in item_type.model_fields:
            choice = instead_of(part, item_type.model_fields)
            raise SchemaError(f"{what}: the template {text!r} names {part}, which is not a field: {choice}")


def _own_template(what: str, key: KeyName, text: str | None, fields: Mapping[str, str]) -> Template:
    if text is None and key.name not in fields:
        raise SchemaError(
            f"{what}: nothing says how {key.name} is made; give a template, or a field stored as {key.name!r}"
        )
    template = parse_template("{" + fields[key.name] + "}" if text is None else text)
    if key.name in fields and template.text != "{" + fields[key.name] + "}":
        raise SchemaError(
            f"{what}: {fields[key.name]} is stored as {key.name}, which {template.text!r} makes too: "
            "give it another name"
        )
    if key.type != "S" and (len(template.pieces) != 1 or not isinstance(template.pieces[0], Part)):
        kind = "a number" if key.type == "N" else "binary"
        raise SchemaError(f"{what}: {key.name} is {kind}, so {template.text!r} must be one field")
    return template
