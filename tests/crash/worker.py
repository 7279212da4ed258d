"""A process that writes until it is killed."""

from __future__ import annotations

import os
import random
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from partita import engine as embedded
from partita.dynamo.errors import (
    BackupInUseError,
    DynamoError,
    LimitExceededError,
    ResourceInUseError,
    ResourceNotFoundError,
    TransactionCanceledError,
)
from tests.crash import journal, tables
from tests.crash.journal import Journal, Log
from tests.crash.notes import Notes
from tests.crash.tables import (
    ACCOUNT_NAMES,
    ACCOUNTS,
    LATE,
    NOTES,
    OPENING_BALANCE,
    RESTORED,
    SESSIONS,
    SIDE,
    TRANSFERS,
    Engine,
    Item,
)

Work = Callable[[Engine, Log, random.Random], None]
THREADS = ("notes-0", "notes-1", "transfers", "sessions", "tables", "audit")


def work(folder: Path, journals: Path, slot: int, life: int, before: int, parent: Connection) -> None:
    """Open the folder and let every thread do its kind of work; the parent hears of every answer by the output."""
    os.dup2(parent.fileno(), 1)
    os.write(1, b"!")  # a kill may come from here on
    # The worker that makes indexes leaves the filling to the others, so that kills find some half filled.
    engine = embedded.Engine(folder, background=slot > 0)
    for name in THREADS:
        given = (
            engine,
            Journal(journals / journal.file_name(life, slot, name)),
            random.Random(f"{life}-{slot}-{name}"),
        )
        threading.Thread(target=_guarded, args=(work_of(name, journals, slot, life, before), *given)).start()


def work_of(name: str, journals: Path, slot: int, life: int, before: int) -> Work:
    """What the thread of that name does; `before` is its life before this one."""
    return kinds_of_work(slot, life, _unanswered(journals, slot, before) if name == "transfers" else [])[name]


def kinds_of_work(slot: int, life: int, unanswered: list[Item]) -> dict[str, Work]:
    """What threads do, by their names, each until it dies."""
    return {
        "notes-0": Notes(f"{slot}-0", life).work,
        "notes-1": Notes(f"{slot}-1", life).work,
        "transfers": partial(_transfers, again=unanswered, life=life),
        "sessions": partial(_sessions, life=life),
        "tables": partial(_tables, slot=slot, life=life),
        "audit": _audit,
    }


def _guarded(kind: Work, engine: Engine, log: Log, dice: random.Random) -> None:
    try:
        kind(engine, log, dice)
    except Exception:
        log.complain(traceback.format_exc())


def _unanswered(journals: Path, slot: int, before: int) -> list[Item]:
    """Transfers of the life before that were never answered: they are asked again with their token."""
    file = journals / journal.file_name(before, slot, "transfers")
    steps = journal.read(file)[0] if file.exists() else []
    return [step.what for step in steps if step.outcome == "pending"]


def _transfers(engine: Engine, log: Log, dice: random.Random, *, again: list[Item], life: int) -> None:
    for what in again:
        _transfer(engine, log, what)
    number = 0
    while True:
        number += 1
        giver, taker, witness = dice.sample(ACCOUNT_NAMES, 3)
        # Now and then more than there is: refused, and no part of it may be done.
        amount = dice.choice((1, 5, 20, 20, 900, 5000))
        token = f"{log.name}-{life}-{number}"
        what = {"token": token, "giver": giver, "taker": taker, "witness": witness, "amount": amount}
        _transfer(engine, log, what)
        if dice.random() < 0.1 and _was_done(engine, token):
            engine.call("TransactWriteItems", _transfer_request(what))  # asked twice, done once


def _was_done(engine: Engine, token: str) -> bool:
    key = {"id": {"S": token}, "side": {"S": "debit"}}
    return "Item" in engine.call("GetItem", {"TableName": TRANSFERS, "Key": key, "ConsistentRead": True})


def _transfer(engine: Engine, log: Log, what: Item) -> None:
    log.intend(what)
    try:
        engine.call("TransactWriteItems", _transfer_request(what))
    except TransactionCanceledError:
        log.heard("refused")
    else:
        log.heard("done")


def _transfer_request(what: Item) -> Item:
    amount = str(what["amount"])

    def entry(side: str, account: str) -> Item:
        values = {"id": what["token"], "side": side, "account": account}
        return {**{name: {"S": value} for name, value in values.items()}, "amount": {"N": amount}}

    giving = {
        "TableName": ACCOUNTS,
        "Key": {"name": {"S": what["giver"]}},
        "UpdateExpression": "SET balance = balance - :amount",
        "ConditionExpression": "balance >= :amount",
        "ExpressionAttributeValues": {":amount": {"N": amount}},
    }
    taking = {
        "TableName": ACCOUNTS,
        "Key": {"name": {"S": what["taker"]}},
        "UpdateExpression": "ADD balance :amount",
        "ExpressionAttributeValues": {":amount": {"N": amount}},
    }
    check = {
        "TableName": ACCOUNTS,
        "Key": {"name": {"S": what["witness"]}},
        "ConditionExpression": "attribute_exists(balance)",
    }
    return {
        "ClientRequestToken": what["token"],
        "TransactItems": [
            {"Put": {"TableName": TRANSFERS, "Item": entry("debit", what["giver"])}},
            {"Update": giving},
            {"ConditionCheck": check},
            {"Update": taking},
            {"Put": {"TableName": TRANSFERS, "Item": entry("credit", what["taker"])}},
        ],
    }


def _sessions(engine: Engine, log: Log, dice: random.Random, *, life: int) -> None:
    number = 0
    while True:
        number += 1
        until = int(time.time()) + dice.choice((0, 0, 1, 1, 2, 2, 2, 100_000_000))
        item = {
            "id": {"S": f"{log.name}-{life}-{number}"},
            "owner": {"S": f"owner-{dice.randrange(5)}"},
            "expires_at": {"N": str(until)},
        }
        log.intend({"item": item})
        engine.call("PutItem", {"TableName": SESSIONS, "Item": item})
        log.heard("done")


def _tables(engine: Engine, log: Log, dice: random.Random, *, slot: int, life: int) -> None:
    """Tables of its own; and for all, an index of the notes and their time to live, switched on and off."""
    own = f"{SIDE}{slot}-"
    mine = [name for name in engine.call("ListTables", {})["TableNames"] if name.startswith(own)]
    number = 0
    while True:
        number += 1
        chance = dice.random()
        if slot == 0 and chance < 0.1:
            _toggle_index(engine, log, dice)
        elif slot == 0 and chance < 0.15:
            _toggle_expiry(engine)
        elif not mine or (len(mine) < 4 and chance < 0.3):
            name = f"{own}{life}-{number}"
            log.intend({"create": name})
            engine.call("CreateTable", tables.side_table(name))
            log.heard("done")
            mine.append(name)
        elif chance < 0.4:
            _restore(engine, log, dice.choice(mine), f"{RESTORED}{slot}-{life}-{number}")
        elif chance < 0.55:
            name = mine.pop(dice.randrange(len(mine)))
            log.intend({"delete": name})
            engine.call("DeleteTable", {"TableName": name})
            log.heard("done")
        else:
            item = {"id": {"S": f"{life}-{number}"}, "color": {"S": dice.choice(("red", "blue"))}}
            name = dice.choice(mine)
            log.intend({"put": name, "item": item})
            engine.call("PutItem", {"TableName": name, "Item": item})
            log.heard("done")


def _restore(engine: Engine, log: Log, source: str, target: str) -> None:
    """Back a table up and make another from it; only the newest few stay."""
    backup = engine.call("CreateBackup", {"TableName": source, "BackupName": "crash"})["BackupDetails"]["BackupArn"]
    log.intend({"restore": target, "from": source})
    engine.call("RestoreTableFromBackup", {"TargetTableName": target, "BackupArn": backup})
    log.heard("done")
    with suppress(BackupInUseError):
        engine.call("DeleteBackup", {"BackupArn": backup})
    own = target.rsplit("-", 2)[0] + "-"
    restored = [name for name in engine.call("ListTables", {})["TableNames"] if name.startswith(own)]
    for name in restored[:-3]:
        log.intend({"delete": name})
        try:
            engine.call("DeleteTable", {"TableName": name})
        except ResourceInUseError:
            log.heard("refused")  # it is still being filled
        else:
            log.heard("done")


def _toggle_index(engine: Engine, log: Log, dice: random.Random) -> None:
    indexes = engine.call("DescribeTable", {"TableName": NOTES})["Table"]["GlobalSecondaryIndexes"]
    late = any(index["IndexName"] == LATE for index in indexes)
    log.intend({"index": not late})
    try:
        if late:
            update = {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": LATE}}]}
            engine.call("UpdateTable", {"TableName": NOTES, **update})
        else:
            engine.call("UpdateTable", tables.late_index(dice.choice(("ALL", "KEYS_ONLY"))))
    except (LimitExceededError, ResourceInUseError):
        log.heard("refused")  # it is still being filled
    else:
        log.heard("done")


def _toggle_expiry(engine: Engine) -> None:
    described = engine.call("DescribeTimeToLive", {"TableName": NOTES})["TimeToLiveDescription"]
    enabled = described["TimeToLiveStatus"] == "ENABLED"
    engine.call("UpdateTimeToLive", tables.time_to_live(NOTES, "expires_at", enabled=not enabled))


def _audit(engine: Engine, log: Log, dice: random.Random) -> None:
    """Look at all accounts at one moment, again and again; and at an index in the middle of everything."""
    gets = [{"Get": {"TableName": ACCOUNTS, "Key": {"name": {"S": name}}}} for name in ACCOUNT_NAMES]
    while True:
        log.look()
        found = engine.call("TransactGetItems", {"TransactItems": gets})["Responses"]
        total = sum(int(entry["Item"]["balance"]["N"]) for entry in found)
        if total != OPENING_BALANCE * len(ACCOUNT_NAMES):
            log.complain(f"the accounts add up to {total}")
        request = {
            "TableName": NOTES,
            "IndexName": dice.choice(("byTag", LATE)),
            "KeyConditionExpression": "tag = :tag",
            "ExpressionAttributeValues": {":tag": {"S": f"tag-{dice.randrange(8)}"}},
        }
        try:
            items = tables.pages(engine, "Query", request)
        except ResourceNotFoundError:
            continue  # the late index is being filled
        except DynamoError as error:
            if "does not have the specified index" not in error.message:
                raise
            continue
        if any(item["tag"] != request["ExpressionAttributeValues"][":tag"] for item in items):  # type: ignore[index]
            log.complain(f"{request['IndexName']} shows another tag")
