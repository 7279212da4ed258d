"""Reading a table's stream: shards in the order of their parents, records in the order they were written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from partita.dynamo.errors import DynamoError, ExpiredIteratorError, TrimmedDataAccessError
from partita.table import Table

R = TypeVar("R")
Call = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Runs an operation of DynamoDB Streams in the wire's form."""
BlockingCall = Callable[[str, dict[str, Any]], dict[str, Any]]
Calls = Generator[tuple[str, dict[str, Any]], dict[str, Any], R]
"""Yields operations and is sent their answers, so that blocking and non-blocking callers share one core."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a stream that is in order."""

    stream: str
    id: str
    parent: str | None

    @property
    def name(self) -> str:
        """Tells it from the shards of a stream that the table had before."""
        return self.sibling(self.id)

    def sibling(self, shard_id: str) -> str:
        """The name of another shard of the same stream."""
        return f"{self.stream.rsplit('/', 1)[-1]}/{shard_id}"


@dataclass(frozen=True, slots=True)
class Batch:
    """The next records of a shard."""

    records: list[dict[str, Any]]
    iterator: str | None
    """The iterator of the next batch; None if the shard was closed and all of it was read."""
    gap: bool = False
    """Whether records were lost in between because nobody read for a day."""


async def shards(call: Call, table: Table) -> list[Shard]:
    """The shards of the stream a table has now, parents first; none if it has no stream."""
    return await in_turn(call, shard_calls(table))


async def records(call: Call, shard: Shard, after: str, iterator: str | None, *, limit: int) -> Batch:
    """The records after a sequence number (from the oldest that is kept, without one).

    The iterator of the batch before saves a call; if it has expired, the sequence number is used.
    """
    return await in_turn(call, record_calls(shard, after, iterator, limit=limit))


async def in_turn(call: Call, calls: Calls[R]) -> R:
    """Make calls one after the other."""
    try:
        operation = next(calls)
        while True:
            try:
                answer = await call(*operation)
            except DynamoError as error:
                operation = calls.throw(error)
            else:
                operation = calls.send(answer)
    except StopIteration as done:
        result: R = done.value
        return result


def in_turn_blocking(call: BlockingCall, calls: Calls[R]) -> R:
    """Make calls one after the other, blocking."""
    try:
        operation = next(calls)
        while True:
            try:
                answer = call(*operation)
            except DynamoError as error:
                operation = calls.throw(error)
            else:
                operation = calls.send(answer)
    except StopIteration as done:
        result: R = done.value
        return result


def shard_calls(table: Table) -> Calls[list[Shard]]:
    """The calls that find the shards of a table's stream."""
    arn = (yield "DescribeTable", {"TableName": table.name})["Table"].get("LatestStreamArn")
    if arn is None:
        return []
    shards: list[Shard] = []
    start: dict[str, Any] = {}
    while True:
        response = (yield "DescribeStream", {"StreamArn": arn, **start})["StreamDescription"]
        shards += [Shard(arn, shard["ShardId"], shard.get("ParentShardId")) for shard in response["Shards"]]
        if not response.get("LastEvaluatedShardId"):
            break
        start = {"ExclusiveStartShardId": response["LastEvaluatedShardId"]}
    return _parents_first(shards)


def record_calls(shard: Shard, after: str, iterator: str | None, *, limit: int) -> Calls[Batch]:
    """The calls that read the next records of a shard."""
    if iterator is not None:
        with suppress(ExpiredIteratorError, TrimmedDataAccessError):
            return _batch((yield "GetRecords", {"ShardIterator": iterator, "Limit": limit}))
    place: dict[str, Any] = {"StreamArn": shard.stream, "ShardId": shard.id}
    oldest = {**place, "ShardIteratorType": "TRIM_HORIZON"}
    if not after:
        return (yield from _from(oldest, limit))
    try:
        return (
            yield from _from({**place, "ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": after}, limit)
        )
    except TrimmedDataAccessError:
        return replace((yield from _from(oldest, limit)), gap=True)


def _from(place: dict[str, Any], limit: int) -> Calls[Batch]:
    iterator = (yield "GetShardIterator", place)["ShardIterator"]
    return _batch((yield "GetRecords", {"ShardIterator": iterator, "Limit": limit}))


def _batch(response: dict[str, Any]) -> Batch:
    return Batch(response["Records"], response.get("NextShardIterator"))


def _parents_first(shards: list[Shard]) -> list[Shard]:
    known = {shard.id for shard in shards}
    done: set[str] = set()
    ordered: list[Shard] = []
    waiting = list(shards)
    while waiting:
        ready = [shard for shard in waiting if shard.parent not in known or shard.parent in done]
        if not ready:  # a ring of parents cannot be; if it is, any order does
            ready = waiting
        ordered += ready
        done |= {shard.id for shard in ready}
        waiting = [shard for shard in waiting if shard.id not in done]
    return ordered
