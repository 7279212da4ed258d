"""Turns CreateTable and UpdateTable into definitions; checks key schemas and indexes as DynamoDB does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from partita.dynamo.errors import ValidationError
from partita.dynamo.limits import GLOBAL_INDEXES, INDEX_KEY_ATTRIBUTES, LOCAL_INDEXES, PROJECTED_ATTRIBUTES
from partita.engine.definitions import Index, KeyAttribute

_INVALID = "One or more parameter values were invalid: "
Types = Mapping[str, str]


def attribute_types(attributes: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Attribute definitions as name → type; a name defined twice is refused."""
    types: dict[str, str] = {}
    for attribute in attributes:
        name = attribute["AttributeName"]
        if name in types:
            raise ValidationError(f"Attribute Name is duplicated: {name}")
        types[name] = attribute["AttributeType"]
    return types


def table_key(schema: Sequence[Mapping[str, str]], types: Types) -> tuple[KeyAttribute, KeyAttribute | None]:
    """The table's partition key and, if there is one, its sort key."""
    hash_names, range_names = _split(schema)
    if len(hash_names) > 1 or len(range_names) > 1:
        raise ValidationError("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
    if hash_names == range_names:
        raise ValidationError("Invalid KeySchema: Some index key attribute have no definition")
    hash_keys, range_keys = _typed(hash_names, types), _typed(range_names, types)
    return hash_keys[0], range_keys[0] if range_keys else None


def check_all_used(types: Types, request: Mapping[str, Any]) -> None:
    """Refuse definitions of attributes that no key of the table or of an index uses."""
    indexes = [*(request.get("GlobalSecondaryIndexes") or ()), *(request.get("LocalSecondaryIndexes") or ())]
    elements = [element for member in (*indexes, request) for element in member["KeySchema"]]
    used = list(dict.fromkeys(element["AttributeName"] for element in elements))
    if not set(types) - set(used):
        return
    if indexes:
        raise ValidationError(
            f"{_INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: [{', '.join(types)}], "
            f"keys used: [{', '.join(used)}]"
        )
    raise ValidationError(
        f"{_INVALID}Number of attributes in KeySchema does not exactly match number of attributes "
        "defined in AttributeDefinitions"
    )


def global_index(member: Mapping[str, Any], types: Types, identify: Callable[[], int]) -> Index:
    """A global index: up to four partition and four sort key attributes."""
    hash_names, range_names = _split(member["KeySchema"])
    for kind, names in (("HASH", hash_names), ("RANGE", range_names)):
        if len(names) > INDEX_KEY_ATTRIBUTES:
            raise ValidationError(
                f"{_INVALID}The KeySchema exceeds the maximum allowed number of {kind} key attributes"
            )
    _check_distinct([*hash_names, *range_names])
    return _index(member, _typed(hash_names, types), _typed(range_names, types), identify, local=False)


def local_index(
    member: Mapping[str, Any], types: Types, identify: Callable[[], int], table_hash: str, *, table_has_range: bool
) -> Index:
    """A local index: the table's partition key and a sort key of its own."""
    name = member["IndexName"]
    if not table_has_range:
        raise ValidationError(
            f"{_INVALID}Table KeySchema does not have a range key, which is required when specifying a "
            "LocalSecondaryIndex"
        )
    hash_names, range_names = _split(member["KeySchema"])
    _check_distinct([*hash_names, *range_names])
    if hash_names != [table_hash]:
        raise ValidationError(
            f"{_INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}. "
            f"index hash key: {hash_names[0]}, table hash key: {table_hash}"
        )
    if len(range_names) != 1:
        raise ValidationError(f"{_INVALID}Index KeySchema does not have a range key for index: {name}")
    return _index(member, _typed(hash_names, types), _typed(range_names, types), identify, local=True)


def check_indexes(indexes: Sequence[Index]) -> None:
    """Check that names are unique and the numbers of indexes within the limits."""
    names = [index.name for index in indexes]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ValidationError(f"{_INVALID}Duplicate index name: {name}")
    local = sum(index.local for index in indexes)
    if local > LOCAL_INDEXES:
        raise ValidationError(f"{_INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of {LOCAL_INDEXES}")
    if len(indexes) - local > GLOBAL_INDEXES:
        raise ValidationError(f"{_INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {GLOBAL_INDEXES}")
    if sum(len(index.included) for index in indexes) > PROJECTED_ATTRIBUTES:
        raise ValidationError(
            f"{_INVALID}Number of NonKeyAttributes in all indexes exceeds the limit of {PROJECTED_ATTRIBUTES}"
        )


def _split(schema: Sequence[Mapping[str, str]]) -> tuple[list[str], list[str]]:
    kinds = [element["KeyType"] for element in schema]
    names = [element["AttributeName"] for element in schema]
    if kinds[0] != "HASH":
        raise ValidationError("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if kinds != sorted(kinds):
        raise ValidationError(f"{_INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema")
    hashes = [name for name, kind in zip(names, kinds, strict=True) if kind == "HASH"]
    return hashes, names[len(hashes) :]


def _check_distinct(names: list[str]) -> None:
    if len(set(names)) == len(names):
        return
    if len(names) > 2:
        raise ValidationError("The KeySchema contains multiple key attributes with the same name")
    raise ValidationError("Both the Hash Key and the Range Key element in the KeySchema have the same name")


def _typed(names: Sequence[str], types: Types) -> tuple[KeyAttribute, ...]:
    missing = [name for name in names if name not in types]
    if missing:
        raise ValidationError(
            f"{_INVALID}Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(missing)}], AttributeDefinitions: [{', '.join(types)}]"
        )
    return tuple((name, types[name]) for name in names)


def _index(
    member: Mapping[str, Any],
    hash_keys: tuple[KeyAttribute, ...],
    range_keys: tuple[KeyAttribute, ...],
    identify: Callable[[], int],
    *,
    local: bool,
) -> Index:
    projection = member["Projection"]
    kind = projection.get("ProjectionType")
    included = projection.get("NonKeyAttributes")
    if kind is None:
        raise ValidationError(f"{_INVALID}Unknown ProjectionType: null")
    if kind == "INCLUDE" and not included:
        raise ValidationError(f"{_INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    if kind != "INCLUDE" and included is not None:
        raise ValidationError(f"{_INVALID}ProjectionType is {kind}, but NonKeyAttributes is specified")
    twice = [name for position, name in enumerate(included or ()) if name in included[:position]]
    if twice:
        raise ValidationError(f"{_INVALID}Duplicate element in NonKeyAttributes: {twice[0]}")
    return Index(
        id=identify(),
        name=member["IndexName"],
        local=local,
        hash=hash_keys,
        range=range_keys,
        projection=kind,
        included=tuple(included or ()),
        throughput=member.get("ProvisionedThroughput"),
        on_demand=member.get("OnDemandThroughput"),
        spread="md5",
    )
