"""Which operations the engines know: `python -m tests.differential.operations` asks and prints docs/compatibility.md.

Ours, ministack and dynoxide are asked over HTTP: an operation is known if an empty request is answered in any other way
than that there is no such operation. moto fails on both alike, so it is asked for the method that would answer.
"""

from __future__ import annotations

import textwrap
from importlib.metadata import version
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import boto3
from botocore import xform_name
from moto.dynamodb.responses import DynamoHandler
from moto.dynamodbstreams.responses import DynamoDBStreamsHandler

from tests.differential.engines import DYNOXIDE, MINISTACK, MOTO, OURS, peers

_SERVICES = {
    "dynamodb": ("DynamoDB_20120810", DynamoHandler),
    "dynamodbstreams": ("DynamoDBStreams_20120810", DynamoDBStreamsHandler),
}


def operations() -> list[tuple[str, str]]:
    """Every operation of DynamoDB and of its streams, with the service it belongs to."""
    found = []
    for service in _SERVICES:
        client = boto3.client(service, region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x")
        found += [(name, service) for name in client.meta.service_model.operation_names]
    return sorted(found)


def known() -> dict[str, set[str]]:
    """The operations that each engine knows."""
    found = {
        MOTO: {name for name, service in operations() if hasattr(_SERVICES[service][1], xform_name(name))},
    }
    with peers((OURS, MINISTACK, DYNOXIDE)) as engines:
        for peer in engines:
            url = peer.client.meta.endpoint_url
            found[peer.name] = {name for name, service in operations() if _knows(url, name, service)}
    return found


def _knows(url: str, name: str, service: str) -> bool:
    headers = {"X-Amz-Target": f"{_SERVICES[service][0]}.{name}", "Content-Type": "application/x-amz-json-1.0"}
    try:
        with build_opener(ProxyHandler({})).open(Request(url, b"{}", headers), timeout=30) as answer:
            return bool(answer.status == 200)
    except HTTPError as error:
        with error:
            return "UnknownOperation" not in error.read().decode()


_LOCAL = frozenset(
    [
        "BatchExecuteStatement",
        "BatchGetItem",
        "BatchWriteItem",
        "CreateTable",
        "DeleteItem",
        "DeleteTable",
        "DescribeLimits",
        "DescribeStream",
        "DescribeTable",
        "DescribeTimeToLive",
        "ExecuteStatement",
        "ExecuteTransaction",
        "GetItem",
        "GetRecords",
        "GetShardIterator",
        "ListStreams",
        "ListTables",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
        "UpdateTable",
        "UpdateTimeToLive",
    ]
)
"""What DynamoDB Local has by its documentation and release notes."""

_NOT_LOCAL = frozenset(
    [
        "DescribeContinuousBackups",
        "EnableKinesisStreamingDestination",
        "ListTagsOfResource",
        "TagResource",
        "UntagResource",
        "UpdateContinuousBackups",
    ]
)
"""What it answers with UnknownOperationException, as people report."""

REFUSED = frozenset(f"{verb}KinesisStreamingDestination" for verb in ("Enable", "Disable", "Update"))
"""What our engine knows only to say that it cannot do it."""

_INTRODUCTION = """\
# Operations of several engines

Which operations of DynamoDB's API (as botocore {botocore} names them) which engine has. This page is made by
`python -m tests.differential.operations`, which asks this engine, moto {moto}, ministack {ministack} and dynoxide.
DynamoDB Local is not asked. Its column says yes to what AWS's developer guide and its release notes describe, – to what
people report that it does not know, and ? to the rest: the guide's list of differences names no missing operation.
The last row counts each yes.
Having an operation says nothing about its answers: [differences.md](differences.md) compares those.

Without an operation the answer is `UnknownOperationException`, as AWS words it: without a message. The engine's log
has one.

| operation | Partita | DynamoDB Local | moto | ministack | dynoxide |
|---|---|---|---|---|---|
"""


def document() -> str:
    """The page of all operations."""
    found = known()
    lines = [
        f"| {name} | {_ours(name, found[OURS])} | {_local(name)} | {_mark(name in found[MOTO])} | "
        f"{_mark(name in found[MINISTACK])} | {_mark(name in found[DYNOXIDE])} |"
        for name, _ in operations()
    ]
    unknown = len(lines) - len(_LOCAL) - len(_NOT_LOCAL)
    counts = f"| **{len(lines)}** | **{len(found[OURS] - REFUSED)}** | **{len(_LOCAL)}**, and {unknown} ? | "
    counts += f"**{len(found[MOTO])}** | "
    counts += f"**{len(found[MINISTACK])}** | **{len(found[DYNOXIDE])}** |"
    introduction = textwrap.dedent(_INTRODUCTION).format(
        botocore=version("botocore"), moto=version("moto"), ministack=version("ministack")
    )
    return "\n".join((introduction.rstrip(), *lines, counts)) + "\n"


def _ours(name: str, ours: set[str]) -> str:
    return "refused, with the reason" if name in REFUSED else _mark(name in ours)


def _local(name: str) -> str:
    return "yes" if name in _LOCAL else _mark(False) if name in _NOT_LOCAL else "?"


def _mark(there: bool) -> str:
    return "yes" if there else "–"


if __name__ == "__main__":
    print(document(), end="")
