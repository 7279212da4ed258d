"""Whatever a request looks like, it is answered or refused in DynamoDB's words; nothing else ever comes out."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError, InternalServerError
from partita.dynamo.partiql.requests import STATEMENT_OPERATIONS
from partita.engine import Engine
from partita.engine.operations import TABLE_OPERATIONS
from tests.engine.tables import Clock, create, index, put, table, values

_NAMED = {"TableName": "music"}
_KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
_ITEM: dict[str, Any] = {**_KEY, "g": {"S": "x"}, "l": {"L": [{"M": {"x": {"NS": ["1"]}}}]}, "nil": {"NULL": True}}
_CONDITION: dict[str, Any] = {
    "ConditionExpression": "#g = :g OR contains(l, :g) AND size(g) BETWEEN :n AND :n",
    "ExpressionAttributeNames": {"#g": "g"},
    "ExpressionAttributeValues": {":g": {"S": "x"}, ":n": {"N": "1"}},
}
_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/music"
_REQUESTS: dict[str, dict[str, Any]] = {
    "GetItem": {**_NAMED, "Key": _KEY, "ProjectionExpression": "l[0].x, g", "ConsistentRead": True},
    "ExecuteStatement": {
        "Statement": "SELECT l[0] FROM music WHERE pk = ? AND sk > 0",
        "Parameters": [{"S": "a"}],
        "Limit": 1,
        "NextToken": "WyIiLDAse31d",
    },
    "BatchExecuteStatement": {
        "Statements": [
            {"Statement": "UPDATE music SET n = ? WHERE pk = 'a' AND sk = 1", "Parameters": [{"L": [{"N": "1"}]}]},
            {"Statement": "DELETE FROM music WHERE pk = 'a' AND sk = 2"},
        ],
        "ReturnConsumedCapacity": "TOTAL",
    },
    "ExecuteTransaction": {
        "TransactStatements": [
            {"Statement": "SELECT * FROM music WHERE pk = ? AND sk = 1", "Parameters": [{"S": "a"}]}
        ],
        "ClientRequestToken": "token",
    },
    "PutItem": {**_NAMED, "Item": _ITEM, **_CONDITION, "ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "INDEXES"},
    "DeleteItem": {
        **_NAMED,
        "Key": _KEY,
        "Expected": {"g": {"ComparisonOperator": "IN", "AttributeValueList": [{"S": "x"}]}},
    },
    "UpdateItem": {
        **_NAMED,
        "Key": _KEY,
        "UpdateExpression": "SET l[1] = list_append(l, :l), n = if_not_exists(n, :n) + :n REMOVE nil ADD s :s",
        **values(l=[1], n=1, s={"x"}),
        "ReturnValues": "UPDATED_NEW",
    },
    "Query": {
        **_NAMED,
        "IndexName": "byG",
        "KeyConditionExpression": "g = :g AND sk > :n",
        "FilterExpression": "attribute_exists(l)",
        **values(g="x", n=0),
        "ScanIndexForward": False,
        "Limit": 1,
        "ExclusiveStartKey": {**_KEY, "g": {"S": "x"}},
    },
    "Scan": {**_NAMED, "Segment": 0, "TotalSegments": 2, "Select": "COUNT", "ExclusiveStartKey": _KEY},
    "BatchGetItem": {"RequestItems": {"music": {"Keys": [_KEY], "AttributesToGet": ["g"]}}},
    "BatchWriteItem": {"RequestItems": {"music": [{"PutRequest": {"Item": _ITEM}}, {"DeleteRequest": {"Key": _KEY}}]}},
    "TransactGetItems": {"TransactItems": [{"Get": {**_NAMED, "Key": _KEY}}]},
    "TransactWriteItems": {
        "TransactItems": [
            {"Put": {**_NAMED, "Item": _ITEM, **_CONDITION}},
            {"ConditionCheck": {**_NAMED, "Key": {"pk": {"S": "b"}, "sk": {"N": "1"}}, **_CONDITION}},
        ],
        "ClientRequestToken": "token",
    },
    "CreateTable": table(
        "films", "pk sk", gsis=[index("byG", "g", "h", "INCLUDE", ["x"])], lsis=[index("loc", "pk", "day")]
    ),
    "UpdateTable": {
        **_NAMED,
        "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": index("byH", "h")}],
        "OnDemandThroughput": {"MaxReadRequestUnits": 5, "MaxWriteRequestUnits": 5},
    },
    "DeleteTable": {"TableName": "spare"},
    "DescribeTable": _NAMED,
    "ListTables": {"Limit": 1, "ExclusiveStartTableName": "abc"},
    "TagResource": {"ResourceArn": _ARN, "Tags": [{"Key": "a", "Value": "b"}]},
    "UntagResource": {"ResourceArn": _ARN, "TagKeys": ["a"]},
    "ListTagsOfResource": {"ResourceArn": _ARN},
    "DescribeLimits": {},
    "DescribeEndpoints": {},
    "UpdateTimeToLive": {**_NAMED, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ends"}},
    "DescribeTimeToLive": _NAMED,
    "PutResourcePolicy": {"ResourceArn": _ARN, "Policy": '{"Statement": []}', "ExpectedRevisionId": "NO_POLICY"},
    "GetResourcePolicy": {"ResourceArn": _ARN},
    "DeleteResourcePolicy": {"ResourceArn": _ARN},
    "DescribeContinuousBackups": _NAMED,
    "UpdateContinuousBackups": {
        **_NAMED,
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False},
    },
    "ListStreams": {**_NAMED, "Limit": 1},
    "DescribeStream": {
        "StreamArn": _ARN + "/stream/2023-11-14T22:13:20.000",
        "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": "shardId-00000001700000000000-00000003"},
    },
    "GetShardIterator": {
        "StreamArn": _ARN + "/stream/2023-11-14T22:13:20.000",
        "ShardId": "shardId-00000001700000000000-00000003",
        "ShardIteratorType": "AT_SEQUENCE_NUMBER",
        "SequenceNumber": "000000000000000000001",
    },
    "GetRecords": {"ShardIterator": "WyJhcm4iLDEsMTcwMDAwMDAwMF0=", "Limit": 5},
    "CreateBackup": {"TableName": "absent", "BackupName": "nightly"},
    "DescribeBackup": {"BackupArn": _ARN + "/backup/01700000000000-00000000"},
    "DeleteBackup": {"BackupArn": _ARN + "/backup/01700000000000-00000000"},
    "ListBackups": {**_NAMED, "Limit": 1, "BackupType": "ALL"},
    "ExportTableToPointInTime": {"TableArn": _ARN, "S3Bucket": "shelf", "S3Prefix": "a/b", "ExportTime": 1.5},
    "DescribeExport": {"ExportArn": _ARN + "/export/01700000000000-00000000"},
    "ListExports": {"TableArn": _ARN, "MaxResults": 1},
    "ImportTable": {
        "S3BucketSource": {"S3Bucket": "shelf", "S3KeyPrefix": "a"},
        "InputFormat": "CSV",
        "InputFormatOptions": {"Csv": {"Delimiter": ",", "HeaderList": ["pk"]}},
        "TableCreationParameters": table("imported"),
    },
    "DescribeImport": {"ImportArn": _ARN + "/import/01700000000000-00000000"},
    "ListImports": {"TableArn": _ARN, "PageSize": 1},
    "DescribeKinesisStreamingDestination": _NAMED,
    "EnableKinesisStreamingDestination": {**_NAMED, "StreamArn": f"{_ARN}/stream/x"},
    "DisableKinesisStreamingDestination": {**_NAMED, "StreamArn": f"{_ARN}/stream/x"},
    "UpdateKinesisStreamingDestination": {**_NAMED, "StreamArn": f"{_ARN}/stream/x"},
    "UpdateContributorInsights": {**_NAMED, "IndexName": "byG", "ContributorInsightsAction": "ENABLE"},
    "DescribeContributorInsights": {**_NAMED, "IndexName": "byG"},
    "ListContributorInsights": {**_NAMED, "MaxResults": 1},
    "RestoreTableFromBackup": {"TargetTableName": "again", "BackupArn": _ARN + "/backup/01700000000000-00000000"},
    "RestoreTableToPointInTime": {
        "SourceTableName": "absent",
        "TargetTableName": "again",
        "RestoreDateTime": 1_700_000_000.5,
        "UseLatestRestorableTime": False,
    },
}
_strange = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from((10**30, 1.5, "", "x", "#", ":", "a b", "1e400", "\x00", "é" * 300, "😀", "AQ==", "AND", "NOT a")),
    st.sampled_from(([], {}, [None], [[]], {"S": None}, {"N": "NaN"}, {"": {"S": "x"}}, {"M": {"": {}}}, {"L": [{}]})),
    st.text(max_size=8),
)


@pytest.fixture(scope="module")
def shared() -> Iterator[Engine]:
    with Engine.temporary(clock=Clock(), background=False) as engine:
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        create(engine, "music", "pk sk", gsis=[index("byG", "g", "sk")], types={"sk": "N"}, StreamSpecification=stream)
        put(engine, pk="a", sk=1, g="x", l=[1])
        yield engine


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for name, each in inner for place in _places(each, (*path, name)))]


@st.composite
def _mangled(draw: st.DrawFn) -> tuple[str, Any]:
    """A good request in which one or two places hold something strange, or are gone."""
    operation = draw(st.sampled_from(sorted(_REQUESTS)))
    request: Any = copy.deepcopy(_REQUESTS[operation])
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from(_places(request)))
        if not place:
            return operation, draw(_strange)
        holder = request
        for step in place[:-1]:
            holder = holder[step]
        if draw(st.booleans()):
            holder[place[-1]] = copy.deepcopy(draw(_strange))
        else:
            del holder[place[-1]]
    return operation, request


def test_every_operation_is_tried() -> None:
    assert set(_REQUESTS) >= TABLE_OPERATIONS | STATEMENT_OPERATIONS


@settings(max_examples=400)
@given(_mangled())
def test_a_strange_request_is_answered_or_refused_in_dynamodbs_words(shared: Engine, mangled: tuple[str, Any]) -> None:
    operation, request = mangled
    refusal: DynamoError | None = None
    answer: dict[str, Any] = {}
    try:
        answer = shared.call(operation, request)
    except DynamoError as error:
        refusal = error
    assert not isinstance(refusal, InternalServerError)
    assert orjson.dumps(answer if refusal is None else refusal.wire())
