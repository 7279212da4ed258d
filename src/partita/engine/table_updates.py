"""UpdateTable: which changes go together, settings at once, a new index filled in the background."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from partita.dynamo.errors import LimitExceededError, ResourceNotFoundError, ValidationError
from partita.engine import billing, catalog, schema, streams
from partita.engine.definitions import Index, Table
from partita.engine.describe import describe_table
from partita.engine.place import Place
from partita.engine.table_settings import check_class, encryption, new_stream, stream_view
from partita.engine.tables import create_index_rows, drop_index
from partita.engine.writer import Transaction

_INVALID = "One or more parameter values were invalid: "
Request = Mapping[str, Any]
Response = dict[str, Any]

_CHANGES = (
    "ProvisionedThroughput",
    "BillingMode",
    "StreamSpecification",
    "GlobalSecondaryIndexUpdates",
    "SSESpecification",
    "TableClass",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
)
_ALONE = {
    "DeletionProtectionEnabled": "DeletionProtection",
    "TableClass": "TableClass",
    "SSESpecification": "Server-Side Encryption",
}


def update(transaction: Transaction, request: Request, place: Place) -> Response:
    """UpdateTable."""
    table = transaction.catalog.table(request["TableName"])
    _check_changes(request)
    changed = billing.changed_billing(table, request, transaction.now)
    if request.get("DeletionProtectionEnabled") is not None:
        changed = replace(changed, deletion_protection=request["DeletionProtectionEnabled"])
    if request.get("TableClass") is not None:
        changed = replace(changed, table_class=check_class(request["TableClass"]))
    if request.get("SSESpecification") is not None:
        changed = replace(changed, encryption=_changed_encryption(table, request["SSESpecification"]))
    created, dropped = None, None
    if request.get("GlobalSecondaryIndexUpdates"):
        changed, created, dropped = _update_indexes(changed, request)
    view = _stream_change(changed, request.get("StreamSpecification"))
    # Everything has been checked: from here on the file changes.
    if created is not None:
        index = replace(created, id=catalog.next_id(transaction.connection))
        create_index_rows(transaction, index)
        changed = replace(changed, indexes=(*changed.indexes, index))
    if dropped is not None:
        drop_index(transaction, dropped)
    if view == "":
        changed = replace(changed, streams=tuple(replace(stream, enabled=False) for stream in changed.streams))
    elif view is not None:
        stream = new_stream(transaction, view, changed.streams)
        streams.create_rows(transaction, stream)
        changed = replace(changed, streams=(*changed.streams, stream))
    catalog.save(transaction.connection, changed)
    transaction.reload()
    return {"TableDescription": describe_table(transaction.connection, changed, place, status="UPDATING")}


def _check_changes(request: Request) -> None:
    """Refuse a request that changes nothing, or that changes together what has to be changed alone."""
    given = [member for member in _CHANGES if request.get(member) not in (None, [])]
    if not given:
        raise ValidationError(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
            "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
            "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is "
            "required"
        )
    updates = request.get("GlobalSecondaryIndexUpdates")
    if updates == []:
        raise ValidationError(f"{_INVALID}List of GlobalSecondaryIndexUpdates is empty")
    for member, name in _ALONE.items():
        if member in given and len(given) > 1:
            raise ValidationError(f"{_INVALID}{name} modification must be the only operation in the request")
    if "OnDemandThroughput" in given and not {"OnDemandThroughput", "BillingMode"}.issuperset(given):
        raise ValidationError(
            f"{_INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        )
    if any(update.get("Create") or update.get("Delete") for update in updates or ()):
        for member, change in (
            ("ProvisionedThroughput", "updating table IOPS"),
            ("StreamSpecification", "changing stream status"),
        ):
            if member in given:
                raise ValidationError(f"{_INVALID}You cannot create or delete index while {change}")
    if "ProvisionedThroughput" in given and "StreamSpecification" in given:
        raise ValidationError(f"{_INVALID}You cannot modify stream status while updating table IOPS")


def _update_indexes(table: Table, request: Request) -> tuple[Table, Index | None, Index | None]:
    """The table without a dropped index, and the index to create or to drop."""
    actions = [_action(member) for member in request["GlobalSecondaryIndexUpdates"]]
    _check_number(table, actions)
    defined = schema.attribute_types(request.get("AttributeDefinitions") or ())
    types = dict(table.attributes) | defined
    created = dropped = None
    for kind, action in actions:
        existing = table.index(action["IndexName"])
        if kind == "Create":
            if existing is not None:
                raise ValidationError("Attempting to create an index which already exists")
            if any(element["AttributeName"] not in defined for element in action["KeySchema"]):
                raise ValidationError(
                    f"{_INVALID}AttributeDefinitions is not specified for index: {action['IndexName']}"
                )
            created = replace(schema.global_index(action, types, lambda: 0), status="CREATING")
            billing.check_added_index(created, table.billing)
            schema.check_indexes([*table.indexes, created])
            continue
        if existing is None:
            raise ResourceNotFoundError("Requested resource not found")
        if existing.local:
            raise ValidationError(f"Cannot {kind.lower()} an index that is not a GlobalSecondaryIndex: {existing.name}")
        if kind == "Delete":
            dropped = existing
            table = replace(
                table,
                indexes=tuple(index for index in table.indexes if index.name != existing.name),
                insights={name: setting for name, setting in table.insights.items() if name != existing.name},
            )
        else:
            updated = billing.changed_index(table, existing, action)
            table = replace(
                table, indexes=tuple(updated if index.name == existing.name else index for index in table.indexes)
            )
    return _with_attributes(table, types, created), created, dropped


def _action(member: Request) -> tuple[str, Request]:
    """The one action of an entry."""
    present = [kind for kind in ("Create", "Update", "Delete") if member.get(kind)]
    if not present:
        raise ValidationError(
            f"{_INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null"
        )
    if len(present) > 1:
        raise ValidationError(
            f"{_INVALID}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"
        )
    return present[0], member[present[0]]


def _check_number(table: Table, actions: list[tuple[str, Request]]) -> None:
    """One change per index, and one index at a time to create or delete."""
    names = [action["IndexName"] for _, action in actions]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ValidationError(
                f"{_INVALID}Only one global secondary index update per index is allowed simultaneously. Index: {name}"
            )
    structural = [kind for kind, _ in actions if kind != "Update"]
    # While an index is being filled, only that index can be deleted.
    going = {action["IndexName"] for kind, action in actions if kind == "Delete"}
    busy = [index.name for index in table.indexes if index.status != "ACTIVE" and index.name not in going]
    if len(structural) > 1 or (structural and busy):
        raise LimitExceededError(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )


def _with_attributes(table: Table, types: dict[str, str], created: Index | None) -> Table:
    """The table with the definitions of all attributes that its keys use."""
    used = {name for name, _ in table.keys}.union(*(index.key_names for index in table.indexes))
    if created is not None:
        used.update(created.key_names)
    for name, kind in table.attributes:
        if name in used and types[name] != kind:
            raise ValidationError(
                f"{_INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as "
                f"previously defined. Attribute: {name}, type: {kind}"
            )
    return replace(table, attributes=tuple((name, kind) for name, kind in types.items() if name in used))


def _changed_encryption(table: Table, specification: Request) -> dict[str, Any] | None:
    changed = encryption(specification)
    if table.encryption is None and changed is None:
        raise ValidationError(f"{_INVALID}Table is already encrypted by default")
    return changed


def _stream_change(table: Table, specification: Request | None) -> Any:
    """The view of a stream to switch on, an empty text to switch it off, None to leave it."""
    if specification is None:
        return None
    if specification["StreamEnabled"]:
        if table.stream is not None:
            raise ValidationError(f"Table already has an enabled stream: TableName: {table.name}")
        return stream_view(specification, "If stream is being enabled then")
    if specification.get("StreamViewType") is not None:
        raise ValidationError(f"{_INVALID}If stream is being disabled, then UpdateViewType must not be specified")
    if table.stream is None:
        raise ValidationError(f"Table has no stream to disable: TableName: {table.name}")
    return ""
