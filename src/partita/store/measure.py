"""What access patterns really cost: run on a temporary engine that holds as many items as one wants to know about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from partita.dynamo.size import item_size
from partita.engine import Engine
from partita.store.embedded import EmbeddedStore
from partita.store.observe import Observation
from partita.table.example_keys import fixed_fields, key_fields
from partita.table.examples import Examples, is_lookup
from partita.table.items import Item
from partita.table.patterns import Pattern
from partita.table.queries import BatchGet, Get, Query
from partita.table.writes import Delete, Put, Transaction

PAGE = 25


@dataclass(frozen=True, slots=True)
class Measured:
    """What a pattern cost while so many items were stored."""

    stored: int
    found: int
    units: float
    kind: Literal["read", "write"]
    calls: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a pattern costs as its list grows, and how large an item of it is."""

    pattern: Pattern
    request: Any
    item_bytes: int
    stored: tuple[int, ...]
    """How many items were wanted each time; a list may be too short by nature to hold them."""
    steps: tuple[Measured, ...]


def measure(
    pattern: Pattern,
    examples: Examples,
    *,
    stored: Sequence[int] = (1, 25, 10_000),
    page: int = PAGE,
    neighbours: int = 0,
) -> Measurement:
    """Run a pattern with more and more items stored: in its list, or beside its item if it reads a single one.

    `neighbours` is how many items of every other type stand in the same table, in the same partition if possible.
    """
    request = pattern.request(examples)
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(pattern.table)
        store.batch_write(map(Put, _neighbours(request, pattern, examples, neighbours)))
        waiting = _stored(request, examples)
        count = 0
        steps = []
        for wanted in stored:
            more = list(islice(waiting, wanted - count))
            store.batch_write(map(Put, more))
            count += len(more)
            steps.append(_run(store, request, examples, count, page))
    sizes = [item_size(item.to_row()) for item in islice(examples.of(request), 4)]
    return Measurement(pattern, request, round(sum(sizes) / len(sizes)), tuple(stored), tuple(steps))


def _stored(request: Any, examples: Examples) -> Iterator[Item]:
    """What a list holds; for a single item (or a batch of them) those, and others of their type."""
    if not is_lookup(request):
        yield from examples.of(request)
        return
    own = list(examples.of(request))
    yield from own
    keys = {item.own_key for item in own}
    index = request.index if isinstance(request, Query) else None
    looked_up = () if index is None else tuple(key_fields(type(own[0]), index))
    for item in examples.numbered(type(own[0]), {}, differing=looked_up):
        if item.own_key not in keys:
            yield item


def _neighbours(request: Any, pattern: Pattern, examples: Examples, count: int) -> Iterator[Item]:
    """Items of other types that share what they can with those of the list: they stand in the same partitions."""
    own = {type(item) for item in islice(examples.of(request), 10)}
    shared: dict[str, Any] = dict(pattern.example)
    if isinstance(request, Query):
        shared |= fixed_fields(request, request.item_types[0])
    for item_type in pattern.table.item_types:
        if item_type not in own:
            fixed = {name: shared[name] for name in item_type.__layout__.key_fields if name in shared}
            yield from islice(examples.numbered(item_type, fixed), count)


def _run(store: EmbeddedStore, request: Any, examples: Examples, stored: int, page: int) -> Measured:
    kind: Literal["read", "write"] = "read" if isinstance(request, Get | Query | BatchGet) else "write"
    if kind == "write":
        _prepare(store, request, examples)
    seen: list[Observation] = []
    store.observe(seen.append)
    try:
        found = _execute(store, request, page)
    finally:
        store.observers.clear()
    return Measured(stored, found, sum(each.units for each in seen), kind, tuple(seen))


def _execute(store: EmbeddedStore, request: Any, page: int) -> int:
    match request:
        case Get():
            return int(store.get(request) is not None)
        case Query():
            return len(store.page(request, limit=page))
        case BatchGet():
            return sum(item is not None for item in store.batch_get(request))
        case Transaction():
            store.transact(request)
            return len(request.writes)
        case _:
            store.write(request)
            return 1


def _prepare(store: EmbeddedStore, request: Any, examples: Examples) -> None:
    """Bring about what a write expects: nothing, or an earlier state of the item."""
    for write in request.writes if isinstance(request, Transaction) else (request,):
        before = examples.before(write)
        store.write(Delete(write.key) if before is None else Put(before))
