"""Tables, indexes and their settings: what CreateTable, UpdateTable, DeleteTable and tags refuse, and how."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from partita.dynamo.errors import ResourceNotFoundError
from partita.engine import Engine
from tests.engine.answers.asking import INVALID, fault
from tests.engine.tables import Clock, Wire, create, index, key_schema, table

_numbers = count()
_FIVE = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
_SIX = {"ReadCapacityUnits": 6, "WriteCapacityUnits": 6}
_TAG = [{"AttributeName": "tag", "AttributeType": "S"}]
_BY_TAG = index("byTag", "tag")


@pytest.fixture
def name(engine: Engine) -> str:
    """A table on demand with a global and a local index."""
    name = f"table{next(_numbers)}"
    create(engine, name, "pk sk", gsis=[_BY_TAG], lsis=[index("byDay", "pk", "day")])
    return name


@pytest.fixture
def provisioned(engine: Engine) -> str:
    """A provisioned table with a global index."""
    name = f"table{next(_numbers)}"
    gsi = {**_BY_TAG, "ProvisionedThroughput": _FIVE}
    create(engine, name, gsis=[gsi], BillingMode="PROVISIONED", ProvisionedThroughput=_FIVE)
    return name


def _update(engine: Engine, name: str, **members: Any) -> Wire:
    description: Wire = engine.call("UpdateTable", {"TableName": name, **members})["TableDescription"]
    return description


def _described(engine: Engine, name: str) -> Wire:
    description: Wire = engine.call("DescribeTable", {"TableName": name})["Table"]
    return description


def _creating(**members: Any) -> Wire:
    return table("never", **members)


_KMS = {"Enabled": True}
_STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
_RANGE = f"{INVALID}Requested Max{{}}RequestUnits for OnDemandThroughput for {{}} is outside of valid range"
_ENCRYPTION = [
    ({"Enabled": False, "SSEType": "KMS"}, "SSEType can not be specified if Enabled is false"),
    ({"Enabled": False, "KMSMasterKeyId": "x"}, "KMSMasterKeyId can not be specified if Enabled is false"),
    ({"Enabled": True, "SSEType": "AES256"}, "SSEType AES256 is not supported"),
    ({"Enabled": True, "KMSMasterKeyId": "x"}, "SSEType KMS is required if KMSMasterKeyId is specified"),
]
_ONE_MORE = [*_creating()["AttributeDefinitions"], {"AttributeName": "q", "AttributeType": "S"}]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            _creating(
                gsis=[{**_BY_TAG, "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b", "a"]}}]
            ),
            f"{INVALID}Duplicate element in NonKeyAttributes: a",
        ),
        (
            {**_creating(gsis=[_BY_TAG]), "AttributeDefinitions": [*_ONE_MORE, *_TAG], "BillingMode": "PROVISIONED"},
            (
                f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: [pk, q, tag], "
                "keys used: [tag, pk]"
            ),
        ),
        (
            {**_creating(gsis=[{**_BY_TAG, "Projection": {}}]), "AttributeDefinitions": [*_ONE_MORE, *_TAG]},
            (
                f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: [pk, q, tag], "
                "keys used: [tag, pk]"
            ),
        ),
        (
            {**_creating(), "AttributeDefinitions": _ONE_MORE},
            (
                f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes defined in "
                "AttributeDefinitions"
            ),
        ),
        ({**_creating(), "AttributeDefinitions": _ONE_MORE[:1] * 2}, "Attribute Name is duplicated: pk"),
        (
            {**_creating(), "KeySchema": key_schema("pk", "pk")},
            "Invalid KeySchema: Some index key attribute have no definition",
        ),
        (
            _creating(gsis=[_BY_TAG], BillingMode="PROVISIONED", ProvisionedThroughput=_FIVE),
            f"{INVALID}ProvisionedThroughput is not specified for index: byTag",
        ),
        (
            _creating(StreamSpecification={"StreamEnabled": True}),
            f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required",
        ),
        (
            _creating(StreamSpecification={**_STREAM, "StreamEnabled": False}),
            f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be specified",
        ),
        (
            _creating(TableClass="COLD"),
            (
                "Invalid table-class parameter provided. Please try again with a valid table-class value: "
                "[STANDARD, STANDARD_INFREQUENT_ACCESS]."
            ),
        ),
        (
            _creating(
                BillingMode="PROVISIONED",
                ProvisionedThroughput=_FIVE,
                OnDemandThroughput={"MaxReadRequestUnits": 5},
            ),
            (
                f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table "
                "BillingMode is PROVISIONED"
            ),
        ),
        (
            _creating(
                gsis=[{**_BY_TAG, "ProvisionedThroughput": _FIVE, "OnDemandThroughput": {"MaxWriteRequestUnits": 5}}],
                BillingMode="PROVISIONED",
                ProvisionedThroughput=_FIVE,
            ),
            (
                f"{INVALID}MaxWriteRequestUnits for OnDemandThroughput for index : byTag cannot be specified when the "
                "table BillingMode is PROVISIONED"
            ),
        ),
        *(
            (_creating(OnDemandThroughput={"MaxReadRequestUnits": units}), _RANGE.format("Read", "table"))
            for units in (0, -1, -5)
        ),
        (
            _creating(gsis=[{**_BY_TAG, "OnDemandThroughput": {"MaxWriteRequestUnits": 0}}]),
            _RANGE.format("Write", "index : byTag"),
        ),
        *((_creating(SSESpecification=given), f"{INVALID}{message}") for given, message in _ENCRYPTION),
    ],
)
def test_a_table_that_cannot_be_is_refused(engine: Engine, request_: Wire, message: str) -> None:
    assert fault(engine, "CreateTable", request_) == message
    assert "never" not in engine.call("ListTables", {})["TableNames"]


_WIDE = [{"AttributeName": letter, "KeyType": "HASH"} for letter in "abcd"]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            [_WIDE[0], {"AttributeName": "b", "KeyType": "RANGE"}, _WIDE[2]],
            f"{INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema",
        ),
        (
            key_schema("a b c d e"),
            f"{INVALID}The KeySchema exceeds the maximum allowed number of HASH key attributes",
        ),
        (
            key_schema("a", "b c d e f"),
            f"{INVALID}The KeySchema exceeds the maximum allowed number of RANGE key attributes",
        ),
        (key_schema("a b", "a"), "The KeySchema contains multiple key attributes with the same name"),
        (key_schema("a", "a"), "Both the Hash Key and the Range Key element in the KeySchema have the same name"),
    ],
)
def test_a_wide_index_key_that_cannot_be_is_refused(
    engine: Engine, name: str, schema: list[Wire], message: str
) -> None:
    wide = {"IndexName": "wide", "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
    defined = [
        {"AttributeName": letter, "AttributeType": "S"} for letter in sorted({e["AttributeName"] for e in schema})
    ]
    assert fault(engine, "CreateTable", {**_creating(gsis=[wide])}) == message
    request = {"TableName": name, "AttributeDefinitions": defined, "GlobalSecondaryIndexUpdates": [{"Create": wide}]}
    assert fault(engine, "UpdateTable", request) == message


def _create(member: Wire) -> Wire:
    return {"AttributeDefinitions": _TAG, "GlobalSecondaryIndexUpdates": [{"Create": member}]}


_UNCHANGED = (
    "The provisioned throughput for the {what} will not change. The requested value equals the current value. Current "
    "ReadCapacityUnits provisioned for the {owner}: 5. Requested ReadCapacityUnits: 5. Current WriteCapacityUnits "
    "provisioned for the {owner}: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for "
    "current limits and how to request higher limits."
)
_NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
    "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
    "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, _NOTHING),
        ({"GlobalSecondaryIndexUpdates": []}, _NOTHING),
        (
            {"GlobalSecondaryIndexUpdates": [], "BillingMode": "PAY_PER_REQUEST"},
            f"{INVALID}List of GlobalSecondaryIndexUpdates is empty",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [], "StreamSpecification": _STREAM},
            f"{INVALID}List of GlobalSecondaryIndexUpdates is empty",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [], "DeletionProtectionEnabled": True},
            f"{INVALID}List of GlobalSecondaryIndexUpdates is empty",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Create": index("again", "tag")}]},
            f"{INVALID}AttributeDefinitions is not specified for index: again",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Create": index("xyz", "tag"), "Delete": {"IndexName": "byTag"}}]},
            f"{INVALID}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "byTag"}}] * 2},
            f"{INVALID}Only one global secondary index update per index is allowed simultaneously. Index: byTag",
        ),
        (_create(_BY_TAG), "Attempting to create an index which already exists"),
        (_create(index("byDay", "tag")), "Attempting to create an index which already exists"),
        (
            {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "byDay"}}]},
            "Cannot delete an index that is not a GlobalSecondaryIndex: byDay",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "byDay", "ProvisionedThroughput": _FIVE}}]},
            "Cannot update an index that is not a GlobalSecondaryIndex: byDay",
        ),
        (
            {"BillingMode": "PROVISIONED"},
            f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
        ),
        (
            {"BillingMode": "PROVISIONED", "ProvisionedThroughput": _FIVE},
            f"{INVALID}ProvisionedThroughput must be specified for index: byTag",
        ),
        (
            {
                "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": _FIVE,
                "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "byTag"}}],
            },
            f"{INVALID}ProvisionedThroughput must be specified for index: byTag",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "byTag", "ProvisionedThroughput": _FIVE}}]},
            (
                f"{INVALID}The only Updates for index: byTag when TableThroughputMode is PAY_PER_REQUEST can be to "
                "OnDemandThroughput, WarmThroughput"
            ),
        ),
        (
            {"DeletionProtectionEnabled": True, "BillingMode": "PAY_PER_REQUEST"},
            f"{INVALID}DeletionProtection modification must be the only operation in the request",
        ),
        (
            {"TableClass": "STANDARD", "BillingMode": "PAY_PER_REQUEST"},
            f"{INVALID}TableClass modification must be the only operation in the request",
        ),
        (
            {"SSESpecification": _KMS, "StreamSpecification": _STREAM},
            f"{INVALID}Server-Side Encryption modification must be the only operation in the request",
        ),
        (
            {"StreamSpecification": _STREAM, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "byTag"}}]},
            f"{INVALID}You cannot create or delete index while changing stream status",
        ),
        (
            {"StreamSpecification": _STREAM, **_create(index("more", "tag"))},
            f"{INVALID}You cannot create or delete index while changing stream status",
        ),
        ({"SSESpecification": {"Enabled": False}}, f"{INVALID}Table is already encrypted by default"),
        (
            {"StreamSpecification": {"StreamEnabled": True}},
            f"{INVALID}If stream is being enabled then UpdateViewType is required",
        ),
        (
            {"TableClass": "COLD"},
            (
                "Invalid table-class parameter provided. Please try again with a valid table-class value: "
                "[STANDARD, STANDARD_INFREQUENT_ACCESS]."
            ),
        ),
        ({"StreamSpecification": {"StreamEnabled": False}}, "Table has no stream to disable: TableName: {name}"),
        (
            {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}},
            f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified",
        ),
        (
            {"OnDemandThroughput": {"MaxReadRequestUnits": 5}, "StreamSpecification": _STREAM},
            f"{INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        (
            {
                "OnDemandThroughput": {"MaxReadRequestUnits": 5},
                "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "byTag"}}],
            },
            f"{INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        *(
            ({"OnDemandThroughput": {"MaxReadRequestUnits": units}}, _RANGE.format("Read", "table"))
            for units in (0, -5)
        ),
        (
            {
                "GlobalSecondaryIndexUpdates": [
                    {"Update": {"IndexName": "byTag", "OnDemandThroughput": {"MaxReadRequestUnits": 0}}}
                ]
            },
            _RANGE.format("Read", "index : byTag"),
        ),
        (
            {**_create({**index("more", "tag"), "ProvisionedThroughput": _FIVE})},
            (
                f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: more when "
                "BillingMode is PAY_PER_REQUEST"
            ),
        ),
        *(({"SSESpecification": given}, f"{INVALID}{message}") for given, message in _ENCRYPTION),
    ],
)
def test_a_change_of_a_table_on_demand_is_refused_and_changes_nothing(
    engine: Engine, name: str, members: Wire, message: str
) -> None:
    before = _described(engine, name)
    assert fault(engine, "UpdateTable", {"TableName": name, **members}) == message.replace("{name}", name)
    assert _described(engine, name) == before


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"ProvisionedThroughput": _FIVE}, _UNCHANGED.format(what="table", owner="table")),
        (
            {"ProvisionedThroughput": _FIVE, "BillingMode": "PROVISIONED"},
            _UNCHANGED.format(what="table", owner="table"),
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "byTag", "ProvisionedThroughput": _FIVE}}]},
            _UNCHANGED.format(what="index byTag", owner="index"),
        ),
        (
            {"ProvisionedThroughput": _SIX, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "byTag"}}]},
            f"{INVALID}You cannot create or delete index while updating table IOPS",
        ),
        (
            {"ProvisionedThroughput": _SIX, **_create({**index("more", "tag"), "ProvisionedThroughput": _FIVE})},
            f"{INVALID}You cannot create or delete index while updating table IOPS",
        ),
        (
            {**_create(index("more", "tag"))},
            f"{INVALID}ProvisionedThroughput must be specified for index: more",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "byTag"}}]},
            f"{INVALID}ProvisionedThroughput must be specified for index: byTag",
        ),
        (
            {"ProvisionedThroughput": _SIX, "StreamSpecification": _STREAM},
            f"{INVALID}You cannot modify stream status while updating table IOPS",
        ),
        (
            {
                "GlobalSecondaryIndexUpdates": [
                    {
                        "Update": {
                            "IndexName": "byTag",
                            "ProvisionedThroughput": _SIX,
                            "OnDemandThroughput": {"MaxReadRequestUnits": 5},
                        }
                    }
                ]
            },
            (
                f"{INVALID}MaxReadRequestUnits for OnDemandThroughput for index : byTag cannot be specified when the "
                "table BillingMode is PROVISIONED"
            ),
        ),
    ],
)
def test_a_change_of_a_provisioned_table_is_refused_and_changes_nothing(
    engine: Engine, provisioned: str, members: Wire, message: str
) -> None:
    before = _described(engine, provisioned)
    assert fault(engine, "UpdateTable", {"TableName": provisioned, **members}) == message
    assert _described(engine, provisioned) == before


def test_definitions_that_no_new_index_uses_are_passed_over(engine: Engine, name: str) -> None:
    before = _described(engine, name)["AttributeDefinitions"]
    more = {
        "AttributeDefinitions": [*_ONE_MORE[1:], *_TAG],
        "GlobalSecondaryIndexUpdates": [{"Create": index("more", "tag")}],
    }
    assert _update(engine, name, **more)["AttributeDefinitions"] == before
    assert [each["IndexName"] for each in _described(engine, name)["GlobalSecondaryIndexes"]] == ["byTag", "more"]


@pytest.mark.parametrize("action", ["Update", "Delete"])
def test_an_index_that_is_not_there_is_not_found(engine: Engine, provisioned: str, action: str) -> None:
    members = {"IndexName": "none", **({"ProvisionedThroughput": _SIX} if action == "Update" else {})}
    request = {"TableName": provisioned, "GlobalSecondaryIndexUpdates": [{action: members}]}
    assert fault(engine, "UpdateTable", request, ResourceNotFoundError) == "Requested resource not found"


def test_on_demand_to_on_demand_is_fine_and_units_may_be_limited(engine: Engine, name: str) -> None:
    limits = {"MaxReadRequestUnits": 7}
    _update(engine, name, BillingMode="PAY_PER_REQUEST")
    _update(engine, name, OnDemandThroughput=limits)
    update = {"IndexName": "byTag", "OnDemandThroughput": limits}
    _update(engine, name, GlobalSecondaryIndexUpdates=[{"Update": update}])
    described = _described(engine, name)
    assert described["OnDemandThroughput"] == described["GlobalSecondaryIndexes"][0]["OnDemandThroughput"] == limits


def test_a_limit_is_taken_away_with_minus_one(engine: Engine, name: str) -> None:
    _update(engine, name, OnDemandThroughput={"MaxReadRequestUnits": 7})
    _update(engine, name, OnDemandThroughput={"MaxReadRequestUnits": -1})
    assert _described(engine, name)["OnDemandThroughput"] == {"MaxReadRequestUnits": -1}


def test_a_table_that_was_ever_on_demand_says_when_it_last_became_so(clock: Clock) -> None:
    with Engine.temporary(clock=clock, background=False) as engine:
        first = create(engine, "ever")["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"]
        clock.advance(60)
        switched = _update(engine, "ever", BillingMode="PROVISIONED", ProvisionedThroughput=_FIVE)
        summary = {"BillingMode": "PROVISIONED", "LastUpdateToPayPerRequestDateTime": first}
        assert switched["BillingModeSummary"] == _described(engine, "ever")["BillingModeSummary"] == summary
        clock.advance(60)
        again = _update(engine, "ever", BillingMode="PAY_PER_REQUEST")["BillingModeSummary"]
        assert again == {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": first + 120}
        create(engine, "never", BillingMode="PROVISIONED", ProvisionedThroughput=_FIVE)
        assert "BillingModeSummary" not in _described(engine, "never")


def test_an_index_loses_its_throughput_with_its_table(engine: Engine, provisioned: str) -> None:
    _update(engine, provisioned, BillingMode="PAY_PER_REQUEST")
    (gsi,) = _described(engine, provisioned)["GlobalSecondaryIndexes"]
    assert gsi["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    update = {"Update": {"IndexName": "byTag", "ProvisionedThroughput": _FIVE}}
    _update(
        engine,
        provisioned,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=_FIVE,
        GlobalSecondaryIndexUpdates=[update],
    )
    assert _described(engine, provisioned)["ProvisionedThroughput"]["ReadCapacityUnits"] == 5


def test_a_deleted_table_is_described_in_short(engine: Engine, name: str) -> None:
    description = engine.call("DeleteTable", {"TableName": name})["TableDescription"]
    assert description.keys() == {
        "TableName",
        "TableStatus",
        "TableArn",
        "TableId",
        "ItemCount",
        "TableSizeBytes",
        "ProvisionedThroughput",
        "BillingModeSummary",
        "DeletionProtectionEnabled",
    }
    assert description["TableStatus"] == "DELETING"
    fault(engine, "DescribeTable", {"TableName": name}, ResourceNotFoundError)


def test_items_expire_by_one_attribute_at_a_time(engine: Engine, name: str) -> None:
    def enabling(attribute: str) -> Wire:
        return {"TableName": name, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": attribute}}

    engine.call("UpdateTimeToLive", enabling("ttl"))
    assert fault(engine, "UpdateTimeToLive", enabling("ttl")) == "TimeToLive is already enabled"
    assert fault(engine, "UpdateTimeToLive", enabling("end")) == (
        "TimeToLive is active on a different AttributeName: current AttributeName is ttl"
    )


def _tag(key: str, value: str = "v") -> Wire:
    return {"Key": key, "Value": value}


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ([_tag("hi!")], "The Tag Key provided is invalid, Key: hi!"),
        ([_tag("a", "b%")], "The Tag Value provided is invalid, Value: b%"),
        ([_tag("aws:x")], "Tag Key cannot be prefixed with aws:, Key: aws:x"),
        ([_tag("x"), _tag("x")], "Duplicate Tag Keys provided as input: Duplicate Tag Key found x"),
        (
            [_tag(str(number)) for number in range(51)],
            "Number of Tags exceed the current limit for the provided ResourceArn",
        ),
    ],
)
def test_tags_that_cannot_be_are_refused(engine: Engine, name: str, tags: list[Wire], message: str) -> None:
    arn = _described(engine, name)["TableArn"]
    assert fault(engine, "TagResource", {"ResourceArn": arn, "Tags": tags}) == message
    assert fault(engine, "CreateTable", _creating(Tags=tags)) == message
    assert engine.call("ListTagsOfResource", {"ResourceArn": arn}) == {"Tags": []}


def test_tag_operations_need_tags_and_a_new_table_does_not(engine: Engine, name: str) -> None:
    arn = _described(engine, name)["TableArn"]
    request = {"ResourceArn": arn, "Tags": [], "TagKeys": []}
    assert fault(engine, "TagResource", request) == "Atleast one Tag needs to be provided as Input."
    assert fault(engine, "UntagResource", request) == "Atleast one Tag Key needs to be provided as Input."
    create(engine, f"{name}-untagged", Tags=[])
    engine.call("TagResource", {"ResourceArn": arn, "Tags": [_tag("a b", "Ä+-=._:/1")]})
