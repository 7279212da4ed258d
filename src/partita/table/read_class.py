"""From the statements of a class to its layout; whatever cannot work is said here, when the schema is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from partita.dynamo.values import AttributeValue
from partita.table.attributes import plain_type
from partita.table.codecs import Codec
from partita.table.constraints import bare, is_optional, runs_functions
from partita.table.declarations import Derived, Stored, Version, stored_as
from partita.table.errors import SchemaError
from partita.table.holds import mentions_float, wire_types
from partita.table.layout import Layout, Naming, copied
from partita.table.made import Computed
from partita.table.shards import computed_shard_keys, shard_keys
from partita.table.spelling import choices_of, key_text
from partita.table.suggest import instead_of
from partita.table.tables import KeyName, Table
from partita.table.template import Part, Template, template
from partita.table.values import to_wire

if TYPE_CHECKING:
    from partita.table.items import Item

_TAKEN = frozenset(
    {"key", "get", "query", "own_key", "owns", "to_row", "from_row", "from_own_row", "with_", "as_stored"}
)
"""What every item type has for itself."""


def read_class(
    item_type: type[Item],
    table: Table,
    pk: str | None,
    sk: str | None,
    keys: Mapping[str, str],
    naming: Naming,
    made: Mapping[str, tuple[Derived, Any]],
) -> Layout:
    """Read the declarations of an item type; `made` are its derived attributes with their types."""
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
            if info.is_required() and is_optional(held) and not _is_set(held):
                absent_as[name] = None  # where another program, or remove(), left it out
        elif is_optional(held) and info.get_default(call_default_factory=False) is not None:
            absent_as[name] = None
        if _is_set(held) and name not in absent_as and (stored.null or not is_optional(held)):
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
    computed = {each.name: each for each in _computed(what, item_type, made, naming)}
    computed |= {each.name: each for each in computed_shard_keys(table, computed)}
    texts = {name: template(text) for name, text in (*keys.items(), *shard_keys(table, keys, fields_by_name))}
    for each in (pk_template, sk_template, *texts.values()):
        _check_inputs(what, item_type, () if each is None else each.fields, "" if each is None else each.text)
        _check_padding(what, item_type, each)
    kinds = {key.name: key.type for index in table.indexes for key in index.key_names}
    for name in [name for name in texts if kinds.get(name, "S") != "S"]:
        computed[name] = _copy(what, item_type, name, kinds[name], texts.pop(name))
    for name in (*texts, *computed):
        if name in fields_by_name:
            raise SchemaError(f"{what}: {name} is both a field and made of others")
    key_fields = tuple(dict.fromkeys((*pk_template.fields, *(sk_template.fields if sk_template else ()))))
    for name in key_fields:
        _check_part(what, name, plain_type(item_type.model_fields[name].annotation))
    for name in item_type.model_fields:
        if name not in names and name not in key_fields:
            raise SchemaError(f"{what}: {name} is neither stored nor part of the key, so it could not be read back")
    made_of = Layout(
        item_type=item_type,
        table=table,
        pk=pk_template,
        sk=sk_template,
        derived=texts,
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
            check_key_type(made_of, key, f"{what}: {index!r}")
    for key in table.keys:
        check_key_type(made_of, key, f"{what}: {table.name}")
    _check_told_apart(made_of, what)
    return made_of


def _check_padding(what: str, item_type: type[Item], made: Template | None) -> None:
    """Only whole numbers are padded, and only what has one spelling is a part of a key."""
    for piece in () if made is None else made.pieces:
        if not isinstance(piece, Part):
            continue
        kind = bare(plain_type(item_type.model_fields[piece.field].annotation))
        numbers = kind is int or (isinstance(kind, type) and issubclass(kind, int) and kind is not bool)
        if piece.width and not numbers and get_origin(kind) is not Literal:
            raise SchemaError(f"{what}: {made.text if made else ''!r} pads {piece.field}, which is no whole number")
        if get_origin(kind) in (list, tuple, set, frozenset, dict) or kind in (list, tuple, set, frozenset, dict):
            raise SchemaError(
                f"{what}: {piece.field} is a collection, which cannot be a part of {made.text if made else ''!r}"
            )


def _check_field(what: str, name: str, held: Any) -> None:
    if name in _TAKEN:
        raise SchemaError(
            f"{what}.{name}: items have a {name} of their own. Store it from another field, as in "
            f"{name.rstrip('_')}_: Attribute[…] = attribute({name!r})"
        )
    if mentions_float(held):
        raise SchemaError(f"{what}.{name} is a float; DynamoDB's numbers are decimal: use int or decimal.Decimal")


def _check_part(what: str, name: str, held: Any) -> None:
    """What the key is made of must be told by its text alone, or two items would have one key."""
    members = [member for member in get_args(held) if member is not type(None)]
    if get_origin(held) is not Literal and bare(held) is held and len(members) > 1 and not isinstance(held, type):
        raise SchemaError(
            f"{what}.{name} may be of several types, and the text of a key does not tell which: give it one type"
        )
    choices = [choice for choice in choices_of(bare(held)) if choice is not None]
    if len(set(map(key_text, choices))) < len(choices):
        raise SchemaError(f"{what}.{name} has two values that keys spell alike: give one of them another spelling")


def _computed(
    what: str, item_type: type[Item], made: Mapping[str, tuple[Derived, Any]], naming: Naming
) -> list[Computed]:
    found = []
    for name, (derived, annotation) in made.items():
        _check_inputs(what, item_type, derived.inputs, f"derived attribute {name}")
        held = plain_type(annotation)
        if mentions_float(held):
            raise SchemaError(f"{what}.{name} is a float; DynamoDB's numbers are decimal: use int or decimal.Decimal")
        stored = derived.name or naming(name)
        codec = Codec(f"{what}.{name}", held, [])
        text = f"made of {', '.join(derived.inputs)}" if derived.inputs else "always the same"
        found.append(Computed(f"{what}.{name}", stored, derived.inputs, derived.function, codec, name, text))
    return found


def _copy(what: str, item_type: type[Item], name: str, kind: str, made: Template) -> Computed:
    if len(made.pieces) != 1 or not isinstance(made.pieces[0], Part) or made.pieces[0].width:
        type_of_key = "a number" if kind == "N" else "binary"
        raise SchemaError(f"{what}: {name} is {type_of_key}, so {made.text!r} must be a single field without padding")
    info = item_type.model_fields[made.fields[0]]
    return copied(f"{what}.{name}", name, made, Codec(f"{what}.{name}", plain_type(info.annotation), []))


def check_key_type(layout: Layout, key: KeyName, where: str) -> None:
    """A key of an index must have the index's type, or DynamoDB would refuse every item."""
    if key.name in layout.derived:
        kinds: frozenset[str] | None = frozenset("S")
    elif key.name in layout.computed:
        codec = layout.computed[key.name].codec
        kinds = None if codec.dump else wire_types(codec.annotation)
    elif key.name in layout.fields_by_name:
        info = layout.item_type.model_fields[layout.fields_by_name[key.name]]
        kinds = (
            None if stored_as(info).large or _serialized(layout, key.name) else wire_types(plain_type(info.annotation))
        )
    else:
        return
    wrong = set() if kinds is None else kinds - {"NULL", key.type}
    if wrong:
        step = "declare it as one with number(…) or binary(…), or make a text of it with derived(…) or keys={…}"
        held = ", ".join(sorted(wrong))
        raise SchemaError(f"{where} wants {key.name} as {key.type}, and it is stored as {held}: {step}")


def _serialized(layout: Layout, name: str) -> bool:
    field = layout.fields_by_name[name]
    info = layout.item_type.model_fields[field]
    return Codec("", plain_type(info.annotation), info.metadata).dump is not None


def _check_told_apart(made_of: Layout, what: str) -> None:
    for other in made_of.table.item_types:
        if other.__name__ != what and made_of.looks_like(other.__layout__):
            raise SchemaError(
                f"{what} and {other.__name__} have the same keys, so nobody could tell their rows apart: "
                "change a template, or give both a field of another Literal"
            )


def _check_inputs(what: str, item_type: type[Item], fields: tuple[str, ...], text: str) -> None:
    known = item_type.model_fields
    for part in fields:
        if part not in known:
            choice = instead_of(part, known)
            raise SchemaError(f"{what}: the template {text!r} names {part}, which is no field: {choice}")


def _own_template(what: str, key: KeyName, text: str | None, fields: Mapping[str, str]) -> Template:
    if text is None and key.name not in fields:
        raise SchemaError(
            f"{what}: nothing says how {key.name} is made; give a template, or a field stored as {key.name!r}"
        )
    made = template("{" + fields[key.name] + "}" if text is None else text)
    if key.name in fields and made.text != "{" + fields[key.name] + "}":
        raise SchemaError(
            f"{what}: {fields[key.name]} is stored as {key.name}, which {made.text!r} makes too: give it another name"
        )
    if key.type != "S" and (len(made.pieces) != 1 or not isinstance(made.pieces[0], Part)):
        kind = "a number" if key.type == "N" else "binary"
        raise SchemaError(f"{what}: {key.name} is {kind}, so {made.text!r} must be a single field")
    return made


def _is_set(held: Any) -> bool:
    return get_origin(bare(held)) in (set, frozenset) or bare(held) in (set, frozenset)
