"""Cursors: where a list goes on, bound to the list they come from and signed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from partita.dynamo.frozen import dataclass
from partita.dynamo.values import Item as WireItem
from partita.dynamo.wire import render
from partita.table.errors import InvalidCursorError
from partita.table.queries import Query
from partita.table.ranges import Bound
from partita.table.sealing import BrokenSealError
from partita.table.sealing import seal as sealed
from partita.table.sealing import unseal as unsealed


@dataclass(frozen=True, slots=True)
class CursorKeys:
    """The keys that sign cursors: the first signs, all of them verify, so that keys can be changed without a break."""

    keys: tuple[bytes, ...]

    def __init__(self, *keys: bytes) -> None:
        if not keys or any(len(key) < 16 for key in keys):
            raise ValueError("A cursor key has at least 16 random bytes")
        object.__setattr__(self, "keys", keys)


Position = Sequence[WireItem | None]
"""Where each shard of a list goes on; None if a shard has not begun or is used up (told apart by `done`)."""


def seal(keys: CursorKeys, query: Query[Any], starts: Position, done: Sequence[bool], *, back: bool = False) -> str:
    """A cursor: base64 of the LastEvaluatedKey (one per shard), with a signature over it and the list it belongs to."""
    body: Any = starts[0] if len(starts) == 1 else [[start, over] for start, over in zip(starts, done, strict=True)]
    payload = orjson.dumps({"back": body} if back else body, option=orjson.OPT_SORT_KEYS)
    return sealed(keys.keys, _identity(query), payload)


def unseal(keys: CursorKeys, query: Query[Any], cursor: str) -> tuple[list[WireItem | None], list[bool], bool]:
    """The position in a cursor, and whether it leads back; refused when it was altered or belongs to another list."""
    try:
        body = orjson.loads(unsealed(keys.keys, _identity(query), cursor))
    except BrokenSealError as broken:
        raise InvalidCursorError(str(broken)) from None
    back = isinstance(body, dict) and body.keys() == {"back"} and not _is_value(body["back"])
    body = body["back"] if back else body
    if body is None or isinstance(body, dict):
        return [body], [False], back
    return [start for start, _ in body], [bool(over) for _, over in body], back


def _is_value(body: Any) -> bool:
    """Whether this is the value of a key that is called "back", not a position."""
    return isinstance(body, dict) and len(body) == 1 and isinstance(next(iter(body.values())), str)


def _identity(query: Query[Any]) -> bytes:
    """What makes a list this list: types, index, key condition, filter, direction; not how many are wanted."""
    identity: list[Any] = [
        [item_type.__name__ for item_type in query.item_types],
        query.table.name,
        None if query.index is None else query.index.name,
        [(key.name, value) for key, value in (*query.partition, *query.leading)],
        len(query.leading),
        query.forward,
        query.consistent,
        query.only,
        query.shards,
        None if query.view is None else query.view.__name__,
    ]
    if query.range is not None:
        identity.append([query.range.prefix, query.range.stem, *map(_bound, (query.range.low, query.range.high))])
    if query.filter is not None:
        identity.append(render(query.request())[1])
    from hashlib import sha256

    return sha256(orjson.dumps(identity, option=orjson.OPT_SORT_KEYS)).digest()


def _bound(bound: Bound | None) -> Any:
    return None if bound is None else [bound.at, bound.included]
