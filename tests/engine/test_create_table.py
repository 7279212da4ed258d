"""CreateTable: what it makes and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.errors import DynamoError, ResourceInUseError, ValidationError
from partita.engine import Engine
from tests.engine.tables import create, get, index, key_schema, put, table

_UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
_INVALID = "One or more parameter values were invalid: "


def _refused(engine: Engine, request: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        engine.call("CreateTable", request)
    assert engine.call("ListTables", {}) == {"TableNames": []}
    return caught.value.message


def test_a_created_table_describes_itself(engine: Engine) -> None:
    created = create(
        engine, "music", "pk sk", types={"sk": "N"}, BillingMode="PROVISIONED", ProvisionedThroughput=_UNITS
    )
    assert created["TableStatus"] == "CREATING"
    described = engine.call("DescribeTable", {"TableName": "music"})["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["KeySchema"] == key_schema("pk", "sk")
    assert described["AttributeDefinitions"] == [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
    ]
    assert described["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **_UNITS}
    assert described["TableArn"] == "arn:aws:dynamodb:us-east-1:000000000000:table/music"
    assert described["ItemCount"] == described["TableSizeBytes"] == 0
    assert described["DeletionProtectionEnabled"] is False
    assert "BillingModeSummary" not in described
    assert len(described["TableId"]) == 36


def test_settings_are_kept(engine: Engine) -> None:
    created = create(
        engine,
        DeletionProtectionEnabled=True,
        TableClass="STANDARD_INFREQUENT_ACCESS",
        SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/key"},
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    )
    assert created["DeletionProtectionEnabled"] is True
    assert created["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert created["SSEDescription"]["Status"] == "ENABLED"
    assert created["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert created["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    assert created["LatestStreamArn"] == f"{created['TableArn']}/stream/{created['LatestStreamLabel']}"


def test_indexes_describe_themselves(engine: Engine) -> None:
    create(
        engine,
        "music",
        "pk sk",
        gsis=[index("byTag", "tag", "sk", "INCLUDE", ["a", "b"])],
        lsis=[index("byDate", "pk", "day", "KEYS_ONLY")],
    )
    put(engine, pk="a", sk="b", tag="t", day="d")
    described = engine.call("DescribeTable", {"TableName": "music"})["Table"]
    (gsi,), (lsi,) = described["GlobalSecondaryIndexes"], described["LocalSecondaryIndexes"]
    assert gsi["IndexStatus"] == "ACTIVE"
    assert gsi["KeySchema"] == key_schema("tag", "sk")
    assert gsi["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]}
    assert gsi["IndexArn"] == described["TableArn"] + "/index/byTag"
    assert "Backfilling" not in gsi
    assert gsi["ItemCount"] == lsi["ItemCount"] == described["ItemCount"] == 1
    assert gsi["IndexSizeBytes"] == len("pkaskbtagt")
    assert "IndexStatus" not in lsi


def test_an_existing_name_is_in_use(engine: Engine) -> None:
    create(engine)
    put(engine, pk="a")
    with pytest.raises(ResourceInUseError, match="Table already exists: music"):
        create(engine)
    assert get(engine, pk="a") == {"pk": "a"}


@pytest.mark.parametrize("name", ["ab", "a" * 256, "with space", "ü123", "a/b"])
def test_a_table_name_has_3_to_255_letters_digits_underscores_hyphens_and_dots(engine: Engine, name: str) -> None:
    with pytest.raises(ValidationError):
        create(engine, name)
    create(engine, "A.b-c_9")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            [{"AttributeName": "pk", "KeyType": "RANGE"}],
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
        ),
        (key_schema("pk sk"), "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"),
        (key_schema("pk", "pk"), "Invalid KeySchema: Some index key attribute have no definition"),
        ([], "1 validation error detected: Value '[]' at 'keySchema'"),
        (key_schema("pk", "a b"), "1 validation error detected: "),
    ],
)
def test_a_key_is_a_partition_key_and_perhaps_a_sort_key(
    engine: Engine, keys: list[dict[str, Any]], message: str
) -> None:
    assert _refused(engine, {**table(), "KeySchema": keys}).startswith(message)


def test_a_key_attribute_is_defined_as_text_number_or_binary(engine: Engine) -> None:
    assert "not defined in AttributeDefinitions" in _refused(engine, {**table(), "KeySchema": key_schema("other")})
    assert "satisfy enum value set" in _refused(engine, table(types={"pk": "BOOL"}))


def test_attributes_no_key_uses_are_not_defined(engine: Engine) -> None:
    request = table()
    request["AttributeDefinitions"].append({"AttributeName": "extra", "AttributeType": "S"})
    assert _refused(engine, request) == (
        _INVALID + "Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions"
    )


def test_an_attribute_is_defined_once(engine: Engine) -> None:
    request = table()
    request["AttributeDefinitions"] *= 2
    assert _refused(engine, request) == "Attribute Name is duplicated: pk"


def test_billing_and_throughput_fit_together(engine: Engine) -> None:
    assert _refused(engine, table(BillingMode="PROVISIONED")) == (
        _INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
    )
    assert _refused(engine, table(BillingMode=None)).endswith("must both be specified when BillingMode is PROVISIONED")
    assert _refused(engine, table(ProvisionedThroughput=_UNITS)) == (
        _INVALID
        + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
    )
    assert "greater than or equal to 1" in _refused(
        engine,
        table(BillingMode="PROVISIONED", ProvisionedThroughput={"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}),
    )


def test_the_throughput_of_an_index_fits_the_billing_of_its_table(engine: Engine) -> None:
    wanted = table(gsis=[index("byTag", "tag")], BillingMode="PROVISIONED", ProvisionedThroughput=_UNITS)
    assert "ProvisionedThroughput is not specified for index: byTag" in _refused(engine, wanted)
    given = table(gsis=[{**index("byTag", "tag"), "ProvisionedThroughput": _UNITS}])
    assert "should not be specified for index: byTag" in _refused(engine, given)


def test_a_projection_names_its_attributes_exactly_when_it_includes_some(engine: Engine) -> None:
    assert "NonKeyAttributes is not specified" in _refused(
        engine, table(gsis=[index("byTag", "tag", projection="INCLUDE")])
    )
    assert "ProjectionType is ALL, but NonKeyAttributes is specified" in _refused(
        engine, table(gsis=[index("byTag", "tag", include=["a"])])
    )
    assert "Unknown ProjectionType: null" in _refused(engine, table(gsis=[{**index("byTag", "tag"), "Projection": {}}]))


def test_an_index_includes_at_most_20_attributes_and_all_indexes_100(engine: Engine) -> None:
    names = [f"a{number}" for number in range(21)]
    assert "less than or equal to 20" in _refused(engine, table(gsis=[index("byTag", "tag", "", "INCLUDE", names)]))
    full = [index(f"index{number}", "tag", "", "INCLUDE", names[:20]) for number in range(5)]
    assert "exceeds the limit of 100" in _refused(
        engine, table(gsis=[*full, index("one-more", "tag", "", "INCLUDE", ["b"])])
    )
    create(engine, gsis=full)


def test_index_names_are_used_once(engine: Engine) -> None:
    assert _refused(engine, table(gsis=[index("byTag", "tag"), index("byTag", "pk")])) == (
        _INVALID + "Duplicate index name: byTag"
    )


@pytest.mark.parametrize("member", ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"])
def test_a_list_of_indexes_is_not_empty(engine: Engine, member: str) -> None:
    assert _refused(engine, {**table(), member: []}) == f"{_INVALID}List of {member} is empty"


def test_a_table_has_at_most_20_global_and_5_local_indexes(engine: Engine) -> None:
    gsis = [index(f"global{number}", "tag") for number in range(21)]
    lsis = [index(f"local{number}", "pk", "day") for number in range(6)]
    assert "exceeds the per-table limit of 20" in _refused(engine, table("music", "pk sk", gsis=gsis))
    assert "exceeds per-table limit of 5" in _refused(engine, table("music", "pk sk", lsis=lsis))
    create(engine, "music", "pk sk", gsis=gsis[:20], lsis=lsis[:5])


def test_a_local_index_shares_the_partition_key_and_brings_a_sort_key(engine: Engine) -> None:
    assert "does not have a range key, which is required" in _refused(engine, table(lsis=[index("loc", "pk", "day")]))
    assert "does not have the same leading hash key" in _refused(
        engine, table("music", "pk sk", lsis=[index("loc", "sk", "day")])
    )
    assert "Index KeySchema does not have a range key for index: loc" in _refused(
        engine, table("music", "pk sk", lsis=[index("loc", "pk")])
    )


def test_a_global_index_has_up_to_four_partition_and_four_sort_attributes(engine: Engine) -> None:
    create(engine, gsis=[index("wide", "a b c d", "e f g h")])
    with pytest.raises(ValidationError):
        create(engine, "films", gsis=[index("wide", "a b c d e")])
    with pytest.raises(ValidationError):
        create(engine, "films", gsis=[index("wide", "a", "b c d e f")])


def test_a_stream_has_a_view_exactly_when_it_is_enabled(engine: Engine) -> None:
    assert _refused(engine, table(StreamSpecification={"StreamEnabled": True})) == (
        _INVALID + "Table is being created with a stream enabled, UpdateViewType is required"
    )
    _refused(engine, table(StreamSpecification={"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"}))
    assert "StreamSpecification" not in create(engine, StreamSpecification={"StreamEnabled": False})


def test_tables_come_with_tags(engine: Engine) -> None:
    arn = create(engine, Tags=[{"Key": "team", "Value": "x"}])["TableArn"]
    assert engine.call("ListTagsOfResource", {"ResourceArn": arn}) == {"Tags": [{"Key": "team", "Value": "x"}]}
    with pytest.raises(DynamoError):
        create(engine, "films", Tags=[{"Key": str(number), "Value": ""} for number in range(51)])
