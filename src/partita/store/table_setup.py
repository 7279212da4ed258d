"""Making what a schema declares: a table, the indexes that an older one lacks, its stream and its expiry."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from partita.dynamo.errors import LimitExceededError, ResourceInUseError, ResourceNotFoundError, ValidationError
from partita.store.answers import ConnectionFailedError
from partita.store.create_table import create_request
from partita.store.table_differences import both, check_index, check_stream, declared_key, stored_key
from partita.table.errors import TableDiffersError
from partita.table.export import index_definition
from partita.table.tables import Index, Table

_WAIT_SECONDS = 120.0
_MOST_TRIES = 3
Call = Callable[[str, dict[str, Any]], dict[str, Any]]
Described = dict[str, Any]


def make(table: Table, call: Call, pause: Callable[[], object]) -> None:
    """Make the table or add what it lacks, and wait until all of it can be used."""
    try:
        call("CreateTable", create_request(table))
    except ResourceInUseError:
        described = _wait(table, call, pause)
        _check_key(table, described)
        for index in table.indexes:
            described = _with(index, described, call, pause)
        _stream(table, described, call, pause)
    else:
        _wait(table, call, pause)
    if table.ttl is not None:
        _expire(table, table.ttl, call)


def _wait(table: Table, call: Call, pause: Callable[[], object]) -> Described:
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            described: Described = call("DescribeTable", {"TableName": table.name})["Table"]
            if {described["TableStatus"], *(index["IndexStatus"] for index in _indexes(described))} == {"ACTIVE"}:
                return described
        except ResourceNotFoundError:
            pass  # AWS may not have heard of it everywhere yet
        if time.monotonic() > deadline:
            raise ConnectionFailedError(f"{table.name} is not usable after {_WAIT_SECONDS:.0f} seconds.")
        pause()


def _indexes(described: Described, member: str = "GlobalSecondaryIndexes") -> list[dict[str, Any]]:
    return described.get(member) or []


def _check_key(table: Table, described: Described) -> None:
    stored = stored_key(described["KeySchema"], described)
    declared = declared_key(table.keys[:1], table.keys[1:])
    if stored != declared:
        there, said = both(stored, declared)
        raise TableDiffersError(
            f"The table {table.name} has the key {there}, and the schema says {said}. A key cannot be changed: give "
            "the table another name, or delete it if you may."
        )


def _with(index: Index, described: Described, call: Call, pause: Callable[[], object]) -> Described:
    """An index that the table lacks is added and filled by DynamoDB; one that differs must be deleted by hand."""
    tries = 0
    while not _has(described, index):
        tries += 1
        try:
            call("UpdateTable", _addition(index))
        except (ResourceInUseError, LimitExceededError, ValidationError):
            # Somebody else may be adding this index, or another one first. If nobody is, it stays wrong.
            described = _wait(index.table, call, pause)
            if tries == _MOST_TRIES and not _has(described, index):
                raise
        else:
            described = _wait(index.table, call, pause)
    return described


def _has(described: Described, index: Index) -> bool:
    member = "LocalSecondaryIndexes" if index.local else "GlobalSecondaryIndexes"
    stored = next((each for each in _indexes(described, member) if each["IndexName"] == index.name), None)
    if stored is not None:
        check_index(index, stored, described)
    elif index.local:
        raise TableDiffersError(
            f"The table {index.table.name} was made without the local index {index.name}, and cannot get it later. "
            f"Declare it with {index.table.name}.index(…), or make the table anew."
        )
    return stored is not None


def _addition(index: Index) -> dict[str, Any]:
    used = (*index.table.keys, *index.key_names)
    return {
        "TableName": index.table.name,
        "AttributeDefinitions": [{"AttributeName": key.name, "AttributeType": key.type} for key in dict.fromkeys(used)],
        "GlobalSecondaryIndexUpdates": [{"Create": index_definition(index)}],
    }


def _expire(table: Table, attribute: str, call: Call) -> None:
    answer = call("DescribeTimeToLive", {"TableName": table.name})
    stored = answer["TimeToLiveDescription"]
    if stored["TimeToLiveStatus"] in ("DISABLED", "DISABLING"):
        setting = {"Enabled": True, "AttributeName": attribute}
        call("UpdateTimeToLive", {"TableName": table.name, "TimeToLiveSpecification": setting})
    elif stored.get("AttributeName") != attribute:
        raise TableDiffersError(
            f"Items of {table.name} expire by {stored.get('AttributeName')}, and the schema says {attribute}. "
            "Switch the old one off first; that takes DynamoDB up to an hour."
        )


def _stream(table: Table, described: Described, call: Call, pause: Callable[[], object]) -> None:
    """A stream that the table lacks is switched on: whoever follows its changes would otherwise wait for ever."""
    if table.stream is None or check_stream(table, described):
        return
    setting = {"StreamEnabled": True, "StreamViewType": table.stream}
    try:
        call("UpdateTable", {"TableName": table.name, "StreamSpecification": setting})
    except (ResourceInUseError, ValidationError):
        # Somebody else may have switched it on meanwhile. If nobody has, it stays wrong.
        if not check_stream(table, _wait(table, call, pause)):
            raise
    else:
        _wait(table, call, pause)
