"""Items that belong to one thread: every write makes a new version, and the thread knows what must be there."""

from __future__ import annotations

import random
from typing import Any

from partita.dynamo.errors import ConditionalCheckFailedError, TransactionCanceledError
from tests.crash.journal import Log
from tests.crash.tables import NOTES, Engine, Item, pages

_NOTES = 90
_FAR = 4_000_000_000
_VERSIONS_PER_LIFE = 1_000_000


class Notes:
    """The notes of one thread; `work` goes on until the process dies."""

    def __init__(self, owner: str, life: int) -> None:
        self._owner = owner
        self._version = life * _VERSIONS_PER_LIFE
        self._mine: dict[str, Item] = {}

    def work(self, engine: Engine, log: Log, dice: random.Random) -> None:
        """Write in all ways there are."""
        query = {
            "TableName": NOTES,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": self._owner}},
            "ConsistentRead": True,
        }
        self._mine = {item["sk"]["S"]: item for item in pages(engine, "Query", query)}
        log.begin({"owner": self._owner, "found": {name: item["version"] for name, item in self._mine.items()}})
        ways = (
            self._put,
            self._put,
            self._update,
            self._update,
            self._delete,
            self._refused,
            self._batch,
            self._together,
        )
        while True:
            dice.choice(ways)(engine, log, dice)

    def _put(self, engine: Engine, log: Log, dice: random.Random) -> None:
        name = _name(dice)
        item = self._new(name, dice)
        self._carry_out(engine, log, "PutItem", {"Item": item, **self._as_known(name)}, {name: item})

    def _update(self, engine: Engine, log: Log, dice: random.Random) -> None:
        name = _name(dice)
        request, item = self._changed(name, dice)
        self._carry_out(engine, log, "UpdateItem", request, {name: item})

    def _delete(self, engine: Engine, log: Log, dice: random.Random) -> None:
        if self._mine:
            name = dice.choice(sorted(self._mine))
            self._carry_out(engine, log, "DeleteItem", {"Key": self._key(name), **self._as_known(name)}, {name: None})

    def _refused(self, engine: Engine, log: Log, dice: random.Random) -> None:
        """A write under a condition that does not hold leaves no trace."""
        name = _name(dice)
        condition = {
            "ConditionExpression": "version < :zero",
            "ExpressionAttributeValues": {":zero": {"N": "0"}},
        }
        try:
            engine.call("PutItem", {"TableName": NOTES, "Item": self._new(name, dice), **condition})
        except ConditionalCheckFailedError:
            return
        log.complain(f"{name} was written under a condition that does not hold")

    def _batch(self, engine: Engine, log: Log, dice: random.Random) -> None:
        after: dict[str, Item | None] = {}
        for name in {_name(dice) for _ in range(dice.randint(2, 12))}:
            after[name] = None if name in self._mine and dice.random() < 0.3 else self._new(name, dice)
        requests = [
            {"DeleteRequest": {"Key": self._key(name)}} if item is None else {"PutRequest": {"Item": item}}
            for name, item in after.items()
        ]
        self._carry_out(engine, log, "BatchWriteItem", {"RequestItems": {NOTES: requests}}, after)

    def _together(self, engine: Engine, log: Log, dice: random.Random) -> None:
        after: dict[str, Item | None] = {}
        actions: list[dict[str, Any]] = []
        for name in {_name(dice) for _ in range(dice.randint(2, 6))}:
            way = dice.random()
            if name in self._mine and way < 0.2:
                actions.append({"Delete": {"TableName": NOTES, "Key": self._key(name), **self._as_known(name)}})
                after[name] = None
            elif way < 0.6:
                request, after[name] = self._changed(name, dice)
                actions.append({"Update": {"TableName": NOTES, **request}})
            else:
                after[name] = item = self._new(name, dice)
                actions.append({"Put": {"TableName": NOTES, "Item": item, **self._as_known(name)}})
        self._carry_out(engine, log, "TransactWriteItems", {"TransactItems": actions}, after)

    def _carry_out(
        self, engine: Engine, log: Log, operation: str, request: dict[str, Any], after: dict[str, Item | None]
    ) -> None:
        whole = operation in ("BatchWriteItem", "TransactWriteItems")
        log.intend({"owner": self._owner, "after": after})
        try:
            engine.call(operation, request if whole else {"TableName": NOTES, **request})
        except (ConditionalCheckFailedError, TransactionCanceledError) as error:
            log.complain(f"{self._owner}: {operation} {sorted(after)}: not what was written last: {error}")
            raise
        log.heard("done")
        for name, item in after.items():
            if item is None:
                del self._mine[name]
            else:
                self._mine[name] = item

    def _key(self, name: str) -> Item:
        return {"pk": {"S": self._owner}, "sk": {"S": name}}

    def _as_known(self, name: str) -> dict[str, Any]:
        """The condition that the item is as this thread left it."""
        known = self._mine.get(name)
        if known is None:
            return {"ConditionExpression": "attribute_not_exists(pk)"}
        return {
            "ConditionExpression": "version = :known",
            "ExpressionAttributeValues": {":known": known["version"]},
        }

    def _next(self) -> Item:
        self._version += 1
        return {"N": str(self._version)}

    def _new(self, name: str, dice: random.Random) -> Item:
        item = {**self._key(name), "version": self._next(), "tag": _tag(dice), "payload": _payload(dice)}
        if dice.random() < 0.7:
            item["stars"] = {"N": str(dice.randint(-5, 5))}
        if dice.random() < 0.3:
            item["flag"] = {"S": dice.choice("xyz")}
        if dice.random() < 0.3:
            item["expires_at"] = {"N": str(_FAR + dice.randrange(1000))}
        return item

    def _changed(self, name: str, dice: random.Random) -> tuple[dict[str, Any], Item]:
        """An update of an item that may or may not be there, and the item after it."""
        item = dict(self._mine.get(name) or self._key(name))
        condition = self._as_known(name)
        values = {**condition.get("ExpressionAttributeValues", {}), ":version": self._next(), ":one": {"N": "1"}}
        item["version"] = values[":version"]
        item["hits"] = {"N": str(int(item.get("hits", {"N": "0"})["N"]) + 1)}
        expression = "SET version = :version"
        for attribute, value in (("tag", _tag(dice)), ("payload", _payload(dice)), ("flag", {"S": "u"})):
            if dice.random() < 0.4:
                expression += f", {attribute} = :{attribute}"
                values[f":{attribute}"] = item[attribute] = value
        expression += " ADD hits :one"
        removed = [attribute for attribute in ("stars", "flag", "tag", "expires_at") if f":{attribute}" not in values]
        removed = [attribute for attribute in removed if dice.random() < 0.2]
        if removed:
            expression += " REMOVE " + ", ".join(removed)
            for attribute in removed:
                item.pop(attribute, None)
        request = {"Key": self._key(name), **condition}
        return {**request, "UpdateExpression": expression, "ExpressionAttributeValues": values}, item


def _name(dice: random.Random) -> str:
    return f"note-{dice.randrange(_NOTES):03d}"


def _tag(dice: random.Random) -> Item:
    return {"S": f"tag-{dice.randrange(8)}"}


def _payload(dice: random.Random) -> Item:
    """Mostly small; now and then over several pages of the file."""
    size = dice.randrange(20, 300) if dice.random() < 0.95 else dice.randrange(3_000, 40_000)
    return {"S": dice.choice("abcdefghij") * size}
