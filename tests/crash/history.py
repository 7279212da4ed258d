"""What must be in the folder: the journals of all lives, held against the tables and their streams."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from partita.engine import Engine
from tests.crash.journal import Step
from tests.crash.tables import (
    ACCOUNT_NAMES,
    ACCOUNTS,
    LATE,
    NOTES,
    OPENING_BALANCE,
    SESSIONS,
    SIDE,
    TRANSFERS,
    Item,
    pages,
)

Records = list[dict[str, Any]]
_MOMENTS = 3
STREAMED = (NOTES, ACCOUNTS, TRANSFERS, SESSIONS)


@dataclass(slots=True)
class Replay:
    """A table made again from its stream."""

    table: str
    items: dict[str, Item] = field(default_factory=dict)
    last: str | None = None
    seen: int = 0

    def advance(self, engine: Engine) -> tuple[Records, list[str]]:
        """Read what is new, and check that every record follows from the one before."""
        violations: list[str] = []
        records = _records(engine, self.table, self.last)
        for record in records:
            change = record["dynamodb"]
            key = _text(change["Keys"])
            number, old, new = change["SequenceNumber"], change.get("OldImage"), change.get("NewImage")
            if self.last is not None and number <= self.last:
                violations.append(f"{self.table}: record {number} comes after {self.last}")
            if old != self.items.get(key):
                violations.append(f"{self.table}: the old image of record {number} is not what was there: {key}")
            event = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
            if record["eventName"] != event or (old is None and new is None):
                violations.append(f"{self.table}: record {number} is no {record['eventName']}")
            if new is None:
                self.items.pop(key, None)
            else:
                self.items[key] = new
            self.last = number
        self.seen += len(records)
        return records, violations

    def differences(self, engine: Engine) -> Iterator[str]:
        """Where the table is not what its stream says."""
        table = engine.call("DescribeTable", {"TableName": self.table})["Table"]
        names = [entry["AttributeName"] for entry in table["KeySchema"]]
        items = pages(engine, "Scan", {"TableName": self.table, "ConsistentRead": True})
        found = {_text({name: item[name] for name in names}): item for item in items}
        if found != self.items:
            wrong = [key for key in {*found, *self.items} if found.get(key) != self.items.get(key)]
            yield f"{self.table}: the table is not what its stream says, at {len(wrong)} keys such as {wrong[0]}"


def _records(engine: Engine, table: str, after: str | None) -> Records:
    arn = engine.call("DescribeTable", {"TableName": table})["Table"]["LatestStreamArn"]
    (shard,) = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    if after is not None:
        request.update({"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": after})
    iterator = engine.call("GetShardIterator", request)["ShardIterator"]
    records: Records = []
    while True:
        page = engine.call("GetRecords", {"ShardIterator": iterator})
        if not page["Records"]:
            return records
        records += page["Records"]
        iterator = page["NextShardIterator"]


def _check_moments(engine: Engine, name: str) -> Iterator[str]:
    """Some seconds of a table's life: what it goes back to is what its stream says it was."""
    keys = [entry["AttributeName"] for entry in engine.call("DescribeTable", {"TableName": name})["Table"]["KeySchema"]]
    described = engine.call("DescribeContinuousBackups", {"TableName": name})["ContinuousBackupsDescription"]
    window = described["PointInTimeRecoveryDescription"]
    first, last = window["EarliestRestorableDateTime"], window["LatestRestorableDateTime"]
    over = int(time.time()) - 1  # the running second is not
    records = _records(engine, name, None)
    seconds = sorted({record["dynamodb"]["ApproximateCreationDateTime"] for record in records})
    for second in [each for each in seconds if first <= each <= min(last, over)][:: max(1, len(seconds) // _MOMENTS)]:
        request = {"SourceTableName": name, "TargetTableName": f"{name}-then", "RestoreDateTime": second}
        engine.call("RestoreTableToPointInTime", request)
        engine.maintenance.run()
        items = pages(engine, "Scan", {"TableName": f"{name}-then"})
        engine.call("DeleteTable", {"TableName": f"{name}-then"})
        was: dict[str, Item | None] = {}
        for change in (record["dynamodb"] for record in records):
            if change["ApproximateCreationDateTime"] <= second:
                was[_text(change["Keys"])] = change.get("NewImage")
        found = {_text({key: item[key] for key in keys}): item for item in items}
        if found != {key: item for key, item in was.items() if item is not None}:
            yield f"{name}: at {second} it was not what its stream says"


def _text(key: Item) -> str:
    return orjson.dumps(key, option=orjson.OPT_SORT_KEYS).decode()


@dataclass(slots=True)
class History:
    """All that was promised so far."""

    replays: dict[str, Replay] = field(default_factory=lambda: {name: Replay(name) for name in STREAMED})
    transfers: dict[str, Item] = field(default_factory=dict)
    maybe_transfers: dict[str, Item] = field(default_factory=dict)
    side: dict[str, dict[str, Item]] = field(default_factory=dict)
    maybe_items: set[str] = field(default_factory=set)
    late: bool = False

    def check(self, engine: Engine, steps: dict[str, list[Step]]) -> Iterator[str]:
        """Hold a round's steps, in order by kind of work, against what is there now."""
        records: dict[str, Records] = {}
        for name, replay in self.replays.items():
            records[name], violations = replay.advance(engine)
            yield from violations
            yield from replay.differences(engine)
        yield from _check_notes(steps["notes"], records[NOTES], self.replays[NOTES].items)
        yield from _check_sessions(steps["sessions"], records[SESSIONS])
        yield from self.check_transfers(engine, steps["transfers"])
        yield from self._check_tables(engine, steps["tables"])

    def check_from_the_beginning(self, engine: Engine) -> Iterator[str]:
        """Every stream once more from its first record."""
        for name, replay in self.replays.items():
            again = Replay(name)
            _, violations = again.advance(engine)
            yield from violations
            yield from again.differences(engine)
            if again != replay:
                yield f"{name}: the stream has changed its past"
        for name in self.replays:  # last: filling a table deletes expired items too
            yield from _check_moments(engine, name)

    def check_transfers(self, engine: Engine, steps: list[Step]) -> Iterator[str]:
        """Every transfer is done whole or not at all, and the balances are what the transfers make them."""
        for step in steps:
            token = step.what["token"]
            self.maybe_transfers.pop(token, None)
            if step.outcome == "done":
                self.transfers[token] = step.what
            elif step.outcome == "pending":
                self.maybe_transfers[token] = step.what
        entries: dict[str, dict[str, Item]] = {}
        for item in pages(engine, "Scan", {"TableName": TRANSFERS, "ConsistentRead": True}):
            entries.setdefault(item["id"]["S"], {})[item["side"]["S"]] = item
        balances = dict.fromkeys(ACCOUNT_NAMES, OPENING_BALANCE)
        for token, sides in entries.items():
            if token not in self.transfers and token not in self.maybe_transfers:
                yield f"transfer {token} was refused or never asked for, but is there"
            if sides.keys() != {"debit", "credit"}:
                yield f"transfer {token} is half done: {sorted(sides)}"
            for side, item in sides.items():
                balances[item["account"]["S"]] += int(item["amount"]["N"]) * (1 if side == "credit" else -1)
        for token in self.transfers.keys() - entries.keys():
            yield f"transfer {token} was acknowledged and is lost"
        accounts = pages(engine, "Scan", {"TableName": ACCOUNTS, "ConsistentRead": True})
        found = {item["name"]["S"]: int(item["balance"]["N"]) for item in accounts}
        if found != balances:
            yield f"the balances are {found}; the transfers make them {balances}"
        if sum(found.values()) != OPENING_BALANCE * len(ACCOUNT_NAMES):
            yield f"the accounts add up to {sum(found.values())}"

    def _check_tables(self, engine: Engine, steps: list[Step]) -> Iterator[str]:
        maybe: set[str] = set()
        late: set[bool] = {self.late}
        for step in steps:
            what, done = step.what, step.outcome == "done"
            if step.outcome == "refused":
                continue
            if "index" in what:
                late = {what["index"]} if done else {*late, what["index"]}
            elif "put" in what:
                self.side.setdefault(what["put"], {})[what["item"]["id"]["S"]] = what["item"]
                if not done:
                    self.maybe_items.add(what["item"]["id"]["S"])
            elif "restore" in what:
                self.side[what["restore"]] = dict(self.side[what["from"]])
                if not done:
                    maybe.add(what["restore"])
            elif not done:
                maybe.add(name := what.get("create") or what["delete"])
                self.side.setdefault(name, {})
            elif "create" in what:
                self.side[what["create"]] = {}
            else:
                self.side.pop(what["delete"], None)
                maybe.discard(what["delete"])
        found = {name for name in engine.call("ListTables", {})["TableNames"] if name.startswith(SIDE)}
        for name in found ^ self.side.keys():
            if name not in maybe:
                yield f"table {name} was " + ("deleted but is there" if name in found else "made but is not there")
        self.side = {name: items for name, items in self.side.items() if name in found}
        for name, expected in self.side.items():
            if engine.call("DescribeTable", {"TableName": name})["Table"]["TableStatus"] == "CREATING":
                continue  # it is still being filled
            items = {item["id"]["S"]: item for item in pages(engine, "Scan", {"TableName": name})}
            for key in {*items, *expected}:
                if items.get(key) != expected.get(key) and key not in self.maybe_items:
                    yield f"table {name}: item {key} is {items.get(key)}, not {expected.get(key)}"
            self.side[name] = items
        indexes = engine.call("DescribeTable", {"TableName": NOTES})["Table"]["GlobalSecondaryIndexes"]
        self.late = any(index["IndexName"] == LATE for index in indexes)
        if self.late not in late:
            yield f"the late index is {'there' if self.late else 'not there'} against what was acknowledged"


def _check_notes(steps: list[Step], records: Records, now: dict[str, Item]) -> Iterator[str]:
    """The stream holds exactly the writes that were acknowledged, in order, and those that happened unheard."""
    written: dict[str, list[Item | None]] = {}
    for record in records:
        change = record["dynamodb"]
        written.setdefault(_text(change["Keys"]), []).append(change.get("NewImage"))
    position = dict.fromkeys(written, 0)
    for step, seen in _with_what_came_next(steps):
        found = _happened(step, seen, now)
        if len(set(found.values())) > 1:
            yield f"notes of {step.what['owner']}: a write of {len(found)} notes is half done"
        for key, happened in found.items():
            after = step.what["after"][orjson.loads(key)["sk"]["S"]]
            at = position.get(key, 0)
            if happened and (at == len(written.get(key, ())) or written[key][at] != after):
                yield f"note {key}: a write is lost: {str(after)[:200]}"
            elif happened:
                position[key] = at + 1
    for key, versions in written.items():
        if position[key] != len(versions):
            yield f"note {key}: the stream holds {len(versions)} writes, {position[key]} were asked for"


def _with_what_came_next(steps: list[Step]) -> Iterator[tuple[Step, Item | None]]:
    """Every write with what the next life of its owner found; None for those of the last life."""
    found: dict[str, Item] = {}
    backwards: list[tuple[Step, Item | None]] = []
    for step in reversed(steps):
        if step.outcome == "began":
            found[step.what["owner"]] = step.what["found"]
        else:
            backwards.append((step, found.get(step.what["owner"])))
    return reversed(backwards)


def _happened(step: Step, seen: Item | None, now: dict[str, Item]) -> dict[str, bool]:
    """By key, whether a write took place; of one without an answer, what was there afterwards tells."""
    happened = {}
    for name, after in step.what["after"].items():
        key = _text({"pk": {"S": step.what["owner"]}, "sk": {"S": name}})
        if step.outcome == "done":
            happened[key] = True
        else:
            version = seen.get(name) if seen is not None else now.get(key, {}).get("version")
            happened[key] = version == (None if after is None else after["version"])
    return happened


def _check_sessions(steps: list[Step], records: Records) -> Iterator[str]:
    """All that was put is there, or expired and was removed by the service."""
    asked = {step.what["item"]["id"]["S"]: step for step in steps}
    for record in records:
        change = record["dynamodb"]
        name = change["Keys"]["id"]["S"]
        if record["eventName"] == "INSERT":
            step = asked.pop(name, None)
            if step is None or change["NewImage"] != step.what["item"]:
                yield f"session {name} was never put like this, or twice"
        elif record["eventName"] != "REMOVE" or "userIdentity" not in record:
            yield f"session {name}: {record['eventName']} by nobody"
        elif int(change["OldImage"]["expires_at"]["N"]) > change["ApproximateCreationDateTime"]:
            yield f"session {name} was removed before its time"
    for name, step in asked.items():
        if step.outcome == "done":
            yield f"session {name} was acknowledged and is lost"
