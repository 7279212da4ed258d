"""The state of change handling, in the house's table: progress of handlers, leases, and parked changes."""

from __future__ import annotations

from partita.kit.schema import HOUSE
from partita.table import Attribute, Get, Item, Query, access_pattern, attribute, key_part
from partita.table.types import Timestamp


class Checkpoint(Item, table=HOUSE, pk="CHANGES#{handler}", sk="SHARD#{shard}"):
    """How far a handler has read a shard of a stream."""

    handler: Attribute[str] = key_part()
    shard: Attribute[str] = key_part()
    sequence: Attribute[str] = attribute(default="")
    finished: Attribute[bool] = attribute(default=False)
    turn: Attribute[int] = attribute(default=0)
    """The turn of the lease that it was written in: a process of an earlier turn cannot move it any more."""
    updated_at: Attribute[Timestamp]
    expires_at: Attribute[int | None] = attribute(default=None, name="expiresAt")
    """Some days after the shard was closed, or after a machine with a checkpoint of its own was last heard of."""


@access_pattern("How far a handler is", HOUSE, documented=False, handler="kelifax.search")
def checkpoints(handler: str) -> Query[Checkpoint]:
    return Checkpoint.query(Checkpoint.handler(handler)).consistently()


class Lease(Item, table=HOUSE, pk="LEASE#{name}", sk="LEASE"):
    """Which process does work that only one at a time may do."""

    name: Attribute[str] = key_part()
    holder: Attribute[str]
    """Empty: nobody, it was given back."""
    until: Attribute[Timestamp]
    """When it ends if it is not renewed, by its owner's clock: others go by whether it is renewed."""
    turn: Attribute[int] = attribute(default=0)
    """How many owners there have been."""
    beats: Attribute[int] = attribute(default=0)
    """How often it was taken or renewed."""
    expires_at: Attribute[int | None] = attribute(default=None, name="expiresAt")
    """Of a machine's own: some days after it was last heard of."""


@access_pattern("Who works", HOUSE, documented=False, name="changes")
def lease(name: str) -> Get[Lease]:
    return Lease.get(Lease.name(name)).consistently()


class Parked(Item, table=HOUSE, pk="PARKED", sk="{handler}#{parked_at}#{sequence}"):
    """A change that a handler failed on, with the error; the handler went on without it."""

    handler: Attribute[str]
    parked_at: Attribute[Timestamp]
    sequence: Attribute[str]
    table_name: Attribute[str]
    record: Attribute[str] = attribute(large=True)
    """The stream record as JSON."""
    error: Attribute[str]
    tries: Attribute[int]


@access_pattern("Changes that wait for somebody to look at them", HOUSE, documented=False)
def parked_changes() -> Query[Parked]:
    return Parked.query()


@access_pattern(
    "A parked change", HOUSE, documented=False, handler="kelifax.search", parked_at="2026-01-01T00:00:00Z", sequence="1"
)
def parked_change(handler: str, parked_at: str, sequence: str) -> Get[Parked]:
    return Parked.get(Parked.handler(handler), Parked.parked_at(parked_at), Parked.sequence(sequence))


HOUSE.accept("unbounded-collection", Parked, because="parked changes wait for an operator: dozens at most")
