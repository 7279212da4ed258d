"""Playing sequences on all engines, keeping their states together, and counting."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from botocore.exceptions import ClientError

from tests.differential.compare import Difference, agree, compare, same_message
from tests.differential.differences import explain
from tests.differential.engines import MINISTACK, MOTO, Peer
from tests.differential.outcomes import DIED, UNREADABLE, Outcome, normal_item, send, unordered
from tests.differential.requests import Sequence, Step
from tests.differential.tables import Table
from tests.differential.updates import after

WRITES = (
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "TransactWriteItems",
    "ExecuteStatement",
    "BatchExecuteStatement",
    "ExecuteTransaction",
    "UpdateTable",
)
BY_TEXT = (MOTO, MINISTACK)
_BATCH = 25
State = dict[str, Any]


@dataclass
class Tally:
    """What was counted."""

    requests: int = 0
    refused: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    agreed: Counter[str] = field(default_factory=Counter)
    other_message: Counter[str] = field(default_factory=Counter)
    set_aside: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    messages: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    unexplained: list[Difference] = field(default_factory=list)


@dataclass(frozen=True)
class _Answer:
    """What another engine made of a request."""

    peer: Peer
    ours: Outcome
    theirs: Outcome
    seconded: bool
    differences: list[Difference]


class Play:
    """Plays sequences; the first engine is ours, which the others are compared with."""

    def __init__(self, peers: list[Peer], tally: Tally) -> None:
        self.ours, *self.others = peers
        self.tally = tally
        self._pool = ThreadPoolExecutor(len(peers))
        self._held: dict[tuple[str, str], list[Any]] = {}

    def sequence(self, sequence: Sequence) -> list[Difference]:
        """Play one; the differences nobody explained."""
        found, drifted = self._play(sequence, careful=False)
        if drifted:
            # Contents differ although no answer did: once more, with a look at all contents after each write.
            found += self._play(sequence, careful=True)[0]
        self.tally.unexplained.extend(found)
        return found

    def _play(self, sequence: Sequence, *, careful: bool) -> tuple[list[Difference], bool]:
        """The unexplained differences, and whether contents came to differ unnoticed. Careful: look for these alone."""
        tables = sequence.tables
        peers = [self.ours, *self.others]
        found: list[Difference] = []
        drifted = False
        self._held.clear()
        for table in tables:
            list(self._pool.map(lambda peer, table=table: peer.client.create_table(**table.create), peers))
        try:
            attached = list(self.others)
            for step in sequence.steps:
                answers = self._step(step, tables, attached)
                if step.operation == "UpdateTable" and answers and answers[0].ours.ok:
                    changed = (after(each, step.params) for each in tables)
                    names = (each.name == step.params["TableName"] for each in tables)
                    tables = tuple(new if hit else old for new, hit, old in zip(changed, names, tables, strict=True))
                if not careful:
                    self.tally.requests += 1
                    self.tally.refused += any(not answer.ours.ok for answer in answers)
                for answer in answers:
                    fresh, apart = self._look(answer, step, tables, careful)
                    if fresh and not careful:
                        drifted, answer = True, replace(answer, differences=[])
                    elif careful:
                        found += fresh
                    if apart:
                        attached.remove(answer.peer)
                        self.tally.set_aside[answer.peer.name] += 1
                    if not careful:
                        self._count(answer)
                        found += self._unexplained(answer.differences)
            if not careful and any(self._contents_differ(peer, tables) for peer in attached):
                drifted = True
        finally:
            for table in tables:
                self._drop(peers, table.name)
        return found, drifted

    def _step(self, step: Step, tables: tuple[Table, ...], attached: list[Peer]) -> list[_Answer]:
        """Send a request to all engines at once; what each made of it."""
        self._held.clear()
        asked = {peer.name: self._pool.submit(send, peer, step, tables) for peer in (self.ours, *attached)}
        outcomes = {name: answer.result() for name, answer in asked.items()}
        ours = outcomes[self.ours.name]
        answers = []
        for peer in attached:
            theirs = outcomes[peer.name]
            others = [outcomes[each.name] for each in attached if each is not peer]
            differences = [
                replace(each, seconded=any(agree(ours, other, each.member) for other in others))
                for each in compare(peer.name, step, ours, theirs, tables)
            ]
            seconded = any(agree(ours, other, "outcome") for other in others)
            if ours.crashed:
                differences.append(Difference(self.ours.name, step, "crash", ours, ours, tables))
            answers.append(_Answer(peer, ours, theirs, seconded, differences))
        if step.operation == "CreateTable" and step.params["TableName"] not in [table.name for table in tables]:
            self._drop([self.ours, *self.others], step.params["TableName"])
        return answers

    def _look(
        self, answer: _Answer, step: Step, tables: tuple[Table, ...], careful: bool
    ) -> tuple[list[Difference], bool]:
        """Where there is reason to, look whether contents are the same, and make them so.

        Gives a difference in contents that no answer told and no rule explains, and whether it could not be mended.
        """
        peer, differences = answer.peer, answer.differences
        if answer.theirs.code == DIED:
            peer.revive()
        changed = step.operation == "UpdateTable" and differences
        # What keeps numbers by their text has two items from here on where there is one, if it wrote anything.
        written = _writes(step) and (answer.ours.ok or differences)
        apart = written and peer.name in BY_TEXT and _odd_key(step, tables)
        if answer.theirs.code == DIED:
            return [], not self._bring_together(peer, tables)
        if _writes(step) and not careful:
            # The other tables are looked at when the sequence ends.
            tables = tuple(table for table in tables if table.name in str(step.params))
        # ministack shows one spelling and looks for the other; moto shows the one it looks for.
        if changed or (apart and (peer.name != MOTO or self._spelled_apart(peer, tables))):
            return [], not self._bring_together(peer, tables)
        if _writes(step):
            telling = any(each.member not in ("ConsumedCapacity", "spelling") for each in differences)
            look = careful or telling or _suspicious(step, answer)
        else:
            # A read may differ because of an earlier write that answered as ours did.
            telling, look = False, not careful and any(explain(each) is None for each in differences)
        if not look or not self._contents_differ(peer, tables, whole=careful):
            return [], False
        fresh: list[Difference] = []
        if not telling:
            gap = replace(answer.theirs, members={**answer.theirs.members, "Contents": self._gap(peer, tables)})
            fresh = [Difference(peer.name, step, "contents", answer.ours, gap, tables, answer.seconded)]
            if _writes(step):
                fresh = self._unexplained(fresh)
        return fresh, not self._bring_together(peer, tables)

    def _count(self, answer: _Answer) -> None:
        name = answer.peer.name
        self.tally.compared[name] += 1
        if not answer.differences:
            self.tally.agreed[name] += 1
            if not same_message(answer.ours, answer.theirs):
                self.tally.other_message[name] += 1
                self.tally.messages[name, answer.ours.message, answer.theirs.message] += 1

    def _unexplained(self, differences: list[Difference]) -> list[Difference]:
        """Count those a rule explains, and give the rest."""
        rest = []
        for difference in differences:
            rule = explain(difference)
            if rule is None:
                rest.append(difference)
            else:
                self.tally.rules[str(rule)] += 1
        return rest

    def _contents_differ(self, peer: Peer, tables: tuple[Table, ...], *, whole: bool = True) -> bool:
        """Whether tables, and indexes if it is to be the whole, hold other items than ours."""
        self.tally.states[peer.name] += 1
        return any(self._contents(self.ours, table, whole) != self._contents(peer, table, whole) for table in tables)

    def _spelled_apart(self, peer: Peer, tables: tuple[Table, ...]) -> bool:
        """Whether tables hold other items than ours, or the same with numbers in another spelling."""
        ours, theirs = ([self._shown(each, table, spelled=True) for table in tables] for each in (self.ours, peer))
        return ours != theirs

    def _gap(self, peer: Peer, tables: tuple[Table, ...]) -> list[Any]:
        """What the other has, where it is not what ours has."""
        gap = []
        for table in tables:
            ours, theirs = self._contents(self.ours, table), self._contents(peer, table)
            for where in ours:
                missing = [item for item in ours[where] if item not in theirs[where]]
                extra = [item for item in theirs[where] if item not in ours[where]]
                if missing or extra:
                    gap.append((table.name, where, "only ours", missing, "only theirs", extra))
        return gap

    def _bring_together(self, peer: Peer, tables: tuple[Table, ...]) -> bool:
        """Give the other engine our contents; whether it took them."""
        for table in tables:
            self._drop([peer], table.name)
            peer.client.create_table(**table.create)
            try:
                _fill(peer, table, self._items(self.ours, table))
            except ClientError:
                return False
        return not self._contents_differ(peer, tables)

    def _contents(self, peer: Peer, table: Table, whole: bool = True) -> State:
        """All items of a table and of each of its indexes, without order."""
        found = {"table": self._shown(peer, table)}
        for index in table.indexes if whole else ():
            found[index.name] = self._shown(peer, table, index.name)
        return found

    def _shown(self, peer: Peer, table: Table, index: str = "", *, spelled: bool = False) -> list[Any]:
        try:
            return unordered(normal_item(item, spelled) for item in self._items(peer, table, index))
        except (ClientError, *UNREADABLE) as error:
            return [f"cannot be read: {error}"]

    def _items(self, peer: Peer, table: Table, index: str = "") -> list[Any]:
        """All items of a table or an index; ours are read once between two requests."""
        if peer is not self.ours:
            return _everything(peer, table, index)
        if (table.name, index) not in self._held:
            self._held[table.name, index] = _everything(peer, table, index)
        return self._held[table.name, index]

    def _drop(self, peers: list[Peer], name: str) -> None:
        list(self._pool.map(lambda peer: _drop(peer, name), peers))


def _everything(peer: Peer, table: Table, index: str = "") -> list[Any]:
    params: dict[str, Any] = {"TableName": table.name, **({"IndexName": index} if index else {})}
    items: list[Any] = []
    while True:
        page = peer.client.scan(**params)
        items.extend(page["Items"])
        if not page.get("LastEvaluatedKey"):
            return items
        params["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _fill(peer: Peer, table: Table, items: list[Any]) -> None:
    for start in range(0, len(items), _BATCH):
        puts = [{"PutRequest": {"Item": item}} for item in items[start : start + _BATCH]]
        peer.client.batch_write_item(RequestItems={table.name: puts})


def _writes(step: Step) -> bool:
    """Whether a request may change contents; statements may only read."""
    given = [step.params, *step.params.get("Statements", ()), *step.params.get("TransactStatements", ())]
    statements = [str(each["Statement"]) for each in given if "Statement" in each]
    reads = bool(statements) and all(re.match(r"\s*SELECT\b", each, re.IGNORECASE) for each in statements)
    return step.operation in WRITES and not reads


def _suspicious(step: Step, answer: _Answer) -> bool:
    """Writes after which contents may differ though answers do not.

    An update by legacy parameters, one that removes something, or one refused half way, as a batch may be.
    """
    if step.operation == "BatchWriteItem" and not answer.theirs.ok:
        return True
    text = str(step.params).lower()
    if ("updateexpression" in text or re.search(r"\bupdate\b", text)) and re.search("remove|delete", text):
        return True
    refused = step.operation == "UpdateItem" and answer.ours.code == "ValidationException"
    return "AttributeUpdates" in step.params or (refused and "Incorrect operand" in answer.ours.message)


def _odd_key(step: Step, tables: tuple[Table, ...]) -> bool:
    """Whether a number that may be a key is in a spelling that may be taken for another one."""
    numeric = any(kind == "N" for table in tables for _, kind in table.keys)
    return numeric and bool(re.search(r"\b(1\.0|2E0)\b", str(step.params)))


def _drop(peer: Peer, name: str) -> None:
    try:
        peer.client.delete_table(TableName=name)
    except ClientError as error:
        if "protect" in str(error).lower():
            peer.client.update_table(TableName=name, DeletionProtectionEnabled=False)
            peer.client.delete_table(TableName=name)
