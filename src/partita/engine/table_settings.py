"""Settings that CreateTable and UpdateTable share: streams, encryption, the table class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from partita.dynamo.errors import ValidationError
from partita.engine import catalog, streams
from partita.engine.definitions import Stream
from partita.engine.writer import Transaction

_INVALID = "One or more parameter values were invalid: "
_CLASSES = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")
Request = Mapping[str, Any]


def stream_view(specification: Request | None, when: str = "Table is being created with a stream enabled,") -> Any:
    """What a new stream records; None if there is to be none. `when` begins the sentence for a missing view."""
    if specification is None:
        return None
    view = specification.get("StreamViewType")
    if not specification["StreamEnabled"]:
        if view is not None:
            raise ValidationError(
                f"{_INVALID}Table is being created with a stream disabled, UpdateViewType should not be specified"
            )
        return None
    if view is None:
        raise ValidationError(f"{_INVALID}{when} UpdateViewType is required")
    return view


def new_stream(transaction: Transaction, view: Any, existing: tuple[Stream, ...]) -> Stream:
    """A stream with a label that no other has."""
    closed = transaction.execute("SELECT definition FROM closed_streams")
    labels = {stream.label for stream in existing}.union(orjson.loads(row[0])["stream"]["label"] for row in closed)
    moment = transaction.now
    while (label := streams.label(moment)) in labels:
        moment += 0.001
    return Stream(id=catalog.next_id(transaction.connection), label=label, view=view, created=transaction.now)


def encryption(specification: Request | None) -> dict[str, Any] | None:
    """The description of a table's encryption, which is stored and not done."""
    if specification is None:
        return None
    kind, key = specification.get("SSEType"), specification.get("KMSMasterKeyId")
    if not specification.get("Enabled"):
        for name, given in (("SSEType", kind), ("KMSMasterKeyId", key)):
            if given is not None:
                raise ValidationError(f"{_INVALID}{name} can not be specified if Enabled is false")
        return None
    if kind == "AES256":
        raise ValidationError(f"{_INVALID}SSEType AES256 is not supported")
    if key is not None and kind is None:
        raise ValidationError(f"{_INVALID}SSEType KMS is required if KMSMasterKeyId is specified")
    described: dict[str, Any] = {"Status": "ENABLED", "SSEType": "KMS"}
    if key:
        described["KMSMasterKeyArn"] = key
    return described


def check_class(name: str | None) -> str | None:
    """The table class, if it is one."""
    if name is not None and name not in _CLASSES:
        raise ValidationError(
            "Invalid table-class parameter provided. Please try again with a valid table-class value: "
            f"[{', '.join(_CLASSES)}]."
        )
    return name
