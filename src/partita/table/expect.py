"""What each verb of a store takes: whoever gives something else is told what to give."""

from __future__ import annotations

from collections.abc import Iterable

from partita.table.errors import ModelError
from partita.table.queries import Get, Query
from partita.table.tables import Table
from partita.table.writes import Delete, Key, Put, Transaction, Update

_TAKEN: dict[str, tuple[tuple[type, ...], str]] = {
    "create": ((Table,), "tables, as in store.create(SHELF)"),
    "get": ((Get,), "a get, as in Book.get(…)"),
    "page": ((Query,), "a query, as in Book.query(…)"),
    "count": ((Query,), "a query, as in Book.query(…)"),
    "batch_get": ((Key,), "keys, as in [Book.key(…)]"),
    "batch_write": ((Put, Delete), "Put and Delete; send an Update with store.write or store.transact"),
    "write": ((Put, Update, Delete), "a Put, an Update or a Delete; send several with store.transact"),
    "transact_get": ((Get,), "gets, as in Book.get(…)"),
    "update": ((Update,), "an Update"),
    "transact": ((Transaction,), "a Transaction(…) of writes"),
}


def expect(verb: str, value: object) -> None:
    """Refuse what a verb does not take."""
    kinds, step = _TAKEN[verb]
    if verb == "get" and isinstance(value, Key):
        raise ModelError("store.get takes a get: Get(key) makes one of a key")
    if not isinstance(value, kinds):
        raise ModelError(f"store.{verb} takes {step}; not {_described(value)}")


def expect_each(verb: str, values: Iterable[object]) -> None:
    """Refuse what a verb does not take, among several."""
    for value in values:
        expect(verb, value)


def _described(value: object) -> str:
    if isinstance(value, type):
        return f"the type {value.__name__}"
    text = repr(value)
    return f"the {type(value).__name__} {text if len(text) <= 80 else text[:79] + '…'}"
