"""Making what a schema declares: a table, the indexes that an older one lacks, its stream and its expiry; and deleting
the indexes that others replace. Or only looking whether all of it is there."""

from __future__ import annotations

import logging
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

_log = logging.getLogger("partita.tables")
_WAIT_SECONDS = 120.0
_INDEX_SECONDS = 4 * 3600.0
"""How long DynamoDB may take to fill an index or to delete one: minutes even if the table is small."""
_MOST_TRIES = 3
_LEFT_TO_OTHERS = (
    "Nothing is made here (PARTITA_MAKE_TABLES is false): make it with what `partita export cloudformation` prints, or "
    "start once with the right to make tables and without that setting."
)
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
        for index in table.indexes:
            for name in index.replaces:
                described = _without(name, index, described, call, pause)
        _stream(table, described, call, pause)
    else:
        _wait(table, call, pause)
    if table.ttl is not None:
        _expire(table, table.ttl, call)


def check(table: Table, call: Call) -> None:
    """Refuse a table that is missing or lacks something, and change nothing: for those who may not."""
    try:
        described: Described = call("DescribeTable", {"TableName": table.name})["Table"]
    except ResourceNotFoundError:
        raise TableDiffersError(f"There is no table {table.name}. {_LEFT_TO_OTHERS}") from None
    _check_key(table, described)
    lacks = [f"the index {index.name}" for index in table.indexes if not _has(described, index)]
    if table.stream is not None and not check_stream(table, described):
        lacks.append(f"a stream of {table.stream}")
    if table.ttl is not None and not _expires(table, table.ttl, call):
        lacks.append(f"expiry by {table.ttl}")
    if lacks:
        raise TableDiffersError(f"The table {table.name} lacks {', '.join(lacks)}. {_LEFT_TO_OTHERS}")


def _wait(table: Table, call: Call, pause: Callable[[], object]) -> Described:
    begun = time.monotonic()
    unfinished: list[str] = []
    while True:
        try:
            described: Described = call("DescribeTable", {"TableName": table.name})["Table"]
            unfinished = [each["IndexName"] for each in _indexes(described) if each["IndexStatus"] != "ACTIVE"]
            if described["TableStatus"] == "ACTIVE" and not unfinished:
                return described
        except ResourceNotFoundError:
            pass  # AWS may not have heard of it everywhere yet
        patience = _INDEX_SECONDS if unfinished else _WAIT_SECONDS
        if time.monotonic() > begun + patience:
            raise ConnectionFailedError(f"{table.name} is not usable after {patience:.0f} seconds.")
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
            _log.warning("%s: adding the index %s", index.table.name, index.name)
            call("UpdateTable", _addition(index, described))
        except (ResourceInUseError, LimitExceededError, ValidationError):
            # Somebody else may be adding this index, or another one first. If nobody is, it stays wrong.
            described = _wait(index.table, call, pause)
            if tries == _MOST_TRIES and not _has(described, index):
                raise
        else:
            described = _wait(index.table, call, pause)
    return described


def _without(name: str, index: Index, described: Described, call: Call, pause: Callable[[], object]) -> Described:
    """Delete an index that another one replaces; that one is filled by now."""
    table, tries = index.table, 0
    while any(each["IndexName"] == name for each in _indexes(described)):
        tries += 1
        try:
            _log.warning("%s: deleting the index %s, which %s replaces", table.name, name, index.name)
            deletion = {"TableName": table.name, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}
            call("UpdateTable", deletion)
        except (ResourceInUseError, LimitExceededError, ValidationError, ResourceNotFoundError):
            # Somebody else may be deleting it, or changing another one first. If nobody is, it stays.
            described = _wait(table, call, pause)
            if tries == _MOST_TRIES and any(each["IndexName"] == name for each in _indexes(described)):
                raise
        else:
            described = _wait(table, call, pause)
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


def _addition(index: Index, described: Described) -> dict[str, Any]:
    # Those of the other indexes as well: not every server keeps what is not named again.
    types = {each["AttributeName"]: each["AttributeType"] for each in described["AttributeDefinitions"]}
    types |= {key.name: key.type for key in index.key_names}
    return {
        "TableName": index.table.name,
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()],
        "GlobalSecondaryIndexUpdates": [{"Create": index_definition(index)}],
    }


def _expire(table: Table, attribute: str, call: Call) -> None:
    if _expires(table, attribute, call):
        return
    setting = {"Enabled": True, "AttributeName": attribute}
    try:
        call("UpdateTimeToLive", {"TableName": table.name, "TimeToLiveSpecification": setting})
    except (ResourceInUseError, ValidationError):
        # Somebody else may have switched it on meanwhile. If nobody has, it stays wrong.
        if not _expires(table, attribute, call):
            raise


def _expires(table: Table, attribute: str, call: Call) -> bool:
    """Whether expiry is switched on; by another attribute it cannot be."""
    stored = call("DescribeTimeToLive", {"TableName": table.name})["TimeToLiveDescription"]
    if stored["TimeToLiveStatus"] in ("DISABLED", "DISABLING"):
        return False
    if stored.get("AttributeName") != attribute:
        raise TableDiffersError(
            f"Items of {table.name} expire by {stored.get('AttributeName')}, and the schema says {attribute}. "
            "Switch the old one off first; that takes DynamoDB up to an hour."
        )
    return True


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
