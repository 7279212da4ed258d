"""Several processes behind one port: they answer as one, and one that dies is replaced."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import psutil
import pytest

from partita.dynamo.errors import IdempotentParameterMismatchError, ResourceNotFoundError
from partita.engine import Engine
from partita.engine.door.workers import WorkerSettings, run_workers
from partita.store.answers import read_answer
from tests.engine.door.wire import Client
from tests.serving import Served, partita_door

Wire = dict[str, Any]
_TABLE = {
    "TableName": "films",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}
_KEY = {"pk": {"S": "ikiru"}}
_ENOUGH = 200
_SECONDS = 60.0


@dataclass(frozen=True)
class Worker:
    """A connection that one of the workers has accepted."""

    client: Client

    @property
    def name(self) -> str:
        """The second half of a request's id says which worker it is."""
        return self.client.ask("DescribeEndpoints").headers["x-amzn-requestid"][26:]

    def call(self, operation: str, request: Wire) -> Wire:
        response = self.client.ask(operation, orjson.dumps(request))
        return read_answer(response.status, response.headers["x-amz-crc32"], response.body)


@contextmanager
def _connected(served: Served, count: int = 2) -> Iterator[list[Worker]]:
    """A connection to each of the workers: the system spreads connections by chance."""
    found: dict[str, Worker] = {}
    with ExitStack() as stack:
        for _ in range(_ENOUGH):
            worker = Worker(stack.enter_context(Client(int(served.url.rpartition(":")[2]))))
            found.setdefault(worker.name, worker)
            if len(found) == count:
                yield list(found.values())
                return
    raise AssertionError(f"{len(found)} workers answer, not {count}")


def _until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + _SECONDS
    while not holds():
        assert time.monotonic() < ends, "it did not come"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "errors"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, log: Path) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("workers")
    (folder / "shelf" / "bucket").mkdir(parents=True)
    (folder / "shelf" / "bucket" / "films.json").write_text(
        '{"Item": {"pk": {"S": "ran"}}}\n{"Item": {"no": {"S": "key"}}}\n'
    )
    with (
        log.open("wb") as errors,
        partita_door(folder / "data", "--workers", "2", "--exports", str(folder / "shelf"), errors=errors) as served,
    ):
        yield served


@pytest.fixture
def workers(served: Served) -> Iterator[list[Worker]]:
    """Two connections, to different workers."""
    with _connected(served) as workers:
        for name in workers[0].call("ListTables", {})["TableNames"]:
            workers[0].call("DeleteTable", {"TableName": name})
        workers[0].call("CreateTable", _TABLE)
        yield workers


def test_what_one_worker_writes_the_other_reads(workers: list[Worker]) -> None:
    one, other = workers
    for number in range(20):
        item = {**_KEY, "seen": {"N": str(number)}}
        one.call("PutItem", {"TableName": "films", "Item": item})
        assert other.call("GetItem", {"TableName": "films", "Key": _KEY})["Item"] == item
        one, other = other, one


def test_a_table_that_comes_or_goes_does_so_for_all(workers: list[Worker]) -> None:
    one, other = workers
    for _ in range(3):
        other.call("PutItem", {"TableName": "films", "Item": _KEY})
        one.call("DeleteTable", {"TableName": "films"})
        for operation, what in (("GetItem", "Key"), ("PutItem", "Item")):
            with pytest.raises(ResourceNotFoundError):
                other.call(operation, {"TableName": "films", what: _KEY})
        other.call("CreateTable", _TABLE)
        assert one.call("GetItem", {"TableName": "films", "Key": _KEY}) == {}
        one, other = other, one


def test_an_iterator_of_one_worker_is_good_at_the_other(workers: list[Worker]) -> None:
    one, other = workers
    arn = one.call("DescribeTable", {"TableName": "films"})["Table"]["LatestStreamArn"]
    (shard,) = other.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = one.call("GetShardIterator", request)["ShardIterator"]
    for number in range(4):
        item = {"pk": {"S": f"film-{number}"}}
        one.call("PutItem", {"TableName": "films", "Item": item})
        page = other.call("GetRecords", {"ShardIterator": iterator})
        assert [record["dynamodb"]["NewImage"] for record in page["Records"]] == [item]
        iterator = page["NextShardIterator"]
        one, other = other, one


def test_a_transaction_with_a_token_is_done_once_whoever_is_asked(workers: list[Worker]) -> None:
    def add(amount: str) -> Wire:
        update = {
            "TableName": "films",
            "Key": _KEY,
            "UpdateExpression": "ADD seen :amount",
            "ExpressionAttributeValues": {":amount": {"N": amount}},
        }
        return {"ClientRequestToken": "token", "TransactItems": [{"Update": update}]}

    for worker in workers:
        worker.call("TransactWriteItems", add("1"))
    with pytest.raises(IdempotentParameterMismatchError):
        workers[1].call("TransactWriteItems", add("2"))
    assert workers[0].call("GetItem", {"TableName": "films", "Key": _KEY})["Item"]["seen"] == {"N": "1"}


def test_an_import_is_done_once_and_the_log_names_the_worker(served: Served, workers: list[Worker], log: Path) -> None:
    one, other = workers
    table = {name: value for name, value in _TABLE.items() if name != "StreamSpecification"}
    request = {
        "S3BucketSource": {"S3Bucket": "bucket", "S3KeyPrefix": "films"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": {**table, "TableName": "imported"},
    }
    arn = {"ImportArn": one.call("ImportTable", request)["ImportTableDescription"]["ImportArn"]}
    _until(lambda: bool(other.call("DescribeImport", arn)["ImportTableDescription"]["ImportStatus"] != "IN_PROGRESS"))
    described = one.call("DescribeImport", arn)["ImportTableDescription"]
    assert (described["ImportStatus"], described["FailureCode"]) == ("FAILED", "ItemValidationError")
    assert (described["ImportedItemCount"], described["ErrorCount"]) == (1, 1)
    assert other.call("Scan", {"TableName": "imported"})["Items"] == [{"pk": {"S": "ran"}}]
    pids = {str(child.pid) for child in psutil.Process(served.pid).children()}
    logged = re.findall(r"(?m)^(.*) \(process (\d+)\): import into imported: ", log.read_text())
    assert logged
    assert all(name in ("worker 1", "worker 2") and pid in pids for name, pid in logged)


def test_a_worker_that_dies_is_replaced_and_all_stop_with_their_parent(tmp_path: Path) -> None:
    log = tmp_path / "errors"
    with log.open("wb") as errors, partita_door(tmp_path / "data", "--workers", "2", errors=errors) as served:
        with _connected(served) as workers:
            before = {worker.name for worker in workers}
            victim, other = psutil.Process(served.pid).children()
            victim.kill()
            victim.wait(_SECONDS)
            assert len(list(_cut_off(workers))) == 1
        with _connected(served) as workers:
            assert len({worker.name for worker in workers} - before) == 1
        assert f" (process {victim.pid}) was ended by SIGKILL; starting another\n" in log.read_text()
        now = psutil.Process(served.pid).children()
        assert other in now
        os.kill(served.pid, signal.SIGKILL)
        assert psutil.wait_procs(now, timeout=_SECONDS)[1] == []


def test_a_port_is_not_shared_with_another_server(served: Served) -> None:
    settings = WorkerSettings(lambda _port: Engine.temporary(), port=int(served.url.rpartition(":")[2]))
    with pytest.raises(OSError, match=r"cannot listen on 127\.0\.0\.1:\d+: Address already in use\. Choose another"):
        run_workers(2, settings)


_FAILS_AT_FIRST = """
import os, sys
from partita.engine import Engine
from partita.engine.door.workers import WorkerSettings, run_workers

def open_backend(port):
    with open(sys.argv[1], "a") as starts:
        starts.write("x")
    if os.path.getsize(sys.argv[1]) < 4:
        raise RuntimeError("not yet")
    return Engine.temporary()

run_workers(1, WorkerSettings(open_backend, port=0), ready=lambda url: print(url, flush=True))
"""


def test_a_worker_that_cannot_start_is_tried_again_while_connections_wait(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _FAILS_AT_FIRST, str(tmp_path / "starts")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with _connected(Served(url, process.pid), 1) as (worker,):
            assert worker.call("ListTables", {}) == {"TableNames": []}
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=_SECONDS)
    assert process.returncode == 0
    assert log.count("worker 1 (process ") == 6
    assert log.count("): it cannot go on\n") == log.count(") ended with exit code 1; starting another\n") == 3
    assert log.count("RuntimeError: not yet") == 3


def _cut_off(workers: list[Worker]) -> Iterator[Worker]:
    """Those that do not answer any more."""
    for worker in workers:
        try:
            worker.call("ListTables", {})
        except ConnectionError:
            yield worker
