"""Exports are what their readers take: cfn-lint, an HCL parser, and NoSQL Workbench's format of models."""

from __future__ import annotations

import json
from typing import Any, Literal

import hcl2
import pytest
from pydantic import BaseModel, ConfigDict, Field

from partita.bootstrap import examples, tables
from partita.table import Attribute, Item, Table, number
from partita.table.cloudformation import cloudformation
from partita.table.export import attribute_names
from partita.table.terraform import terraform
from partita.table.workbench import workbench
from tests.table.forum import FORUM
from tests.table.linted import mistakes

TABLES = [*tables(), FORUM]
WIDE = Table("wide.table", pk="PK", sk="SK", stream=None, ttl="gone${at}")
WIDE.local_index("byAge", sk=number("age"), projection=("name",))


class Person(Item, table=WIDE, pk="P#{id}", sk="A"):
    id: Attribute[str]
    age: Attribute[int]


# -- CloudFormation


def test_cfn_lint_finds_nothing_in_the_template() -> None:
    assert mistakes(cloudformation([*TABLES, WIDE])) == []


def test_cfn_lint_would_find_an_attribute_that_no_key_uses() -> None:
    template = json.loads(cloudformation([WIDE]))
    (resource,) = template["Resources"].values()
    resource["Properties"]["AttributeDefinitions"].append({"AttributeName": "stray", "AttributeType": "S"})
    assert any("stray" in found for found in mistakes(json.dumps(template)))


def test_the_template_makes_every_table_with_a_name_that_can_be_chosen() -> None:
    template = json.loads(cloudformation(TABLES))
    made = template["Resources"].values()
    assert len(made) == len(TABLES)
    for table, resource in zip(TABLES, made, strict=True):
        properties = resource["Properties"]
        assert template["Parameters"][properties["TableName"]["Ref"]]["Default"] == table.name
        assert properties["BillingMode"] == "PAY_PER_REQUEST"
        assert properties["SSESpecification"] == {"SSEEnabled": True}
        assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
        assert (properties.get("StreamSpecification") or {}).get("StreamViewType") == table.stream
        assert (properties.get("TimeToLiveSpecification") or {}).get("AttributeName") == table.ttl
        indexes = {index["IndexName"]: index for index in properties.get("GlobalSecondaryIndexes", [])}
        assert list(indexes) == [index.name for index in table.indexes]


def test_a_key_of_several_attributes_has_an_entry_for_each() -> None:
    template = json.loads(cloudformation([FORUM]))
    indexes = template["Resources"]["ForumTable"]["Properties"]["GlobalSecondaryIndexes"]
    (wide,) = [index for index in indexes if index["IndexName"] == "byPlace"]
    assert [(key["AttributeName"], key["KeyType"]) for key in wide["KeySchema"]] == [
        ("country", "HASH"),
        ("city", "HASH"),
        ("street", "RANGE"),
        ("house", "RANGE"),
    ]


# -- Terraform

HALVES = {"hash_key": "HASH", "range_key": "RANGE"}


def _parsed(text: str) -> dict[str, Any]:
    """What the parser says, without the quotes and marks it keeps."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {plain(name): plain(inner) for name, inner in value.items() if name != "__is_block__"}
        if isinstance(value, list):
            return [plain(inner) for inner in value]
        return value[1:-1] if isinstance(value, str) and value.startswith('"') else value

    parsed: dict[str, Any] = plain(hcl2.loads(text))
    return parsed


@pytest.fixture(scope="module")
def resources() -> dict[str, dict[str, Any]]:
    found = _parsed(terraform(TABLES))["resource"]
    return {name: body for entry in found for name, body in entry["aws_dynamodb_table"].items()}


def test_terraform_names_every_table_by_a_variable_with_its_name_as_default() -> None:
    parsed = _parsed(terraform(TABLES))
    defaults = {name: body["default"] for entry in parsed["variable"] for name, body in entry.items()}
    assert defaults["dynamoTableName"] == "fus-main"
    assert defaults["igad_testing_main_table_name"] == "igad-testing-main-table"
    assert sorted(defaults.values()) == sorted(table.name for table in TABLES)
    used = [body["name"] for entry in parsed["resource"] for body in entry["aws_dynamodb_table"].values()]
    assert sorted(used) == sorted(f"${{var.{name}}}" for name in defaults)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_terraform_has_keys_indexes_billing_encryption_recovery_expiry_and_stream(
    table: Table, resources: dict[str, dict[str, Any]]
) -> None:
    made = resources[table.name.replace("-", "_")]
    assert (made["billing_mode"], made["hash_key"]) == ("PAY_PER_REQUEST", table.pk.name)
    assert made.get("range_key") == (None if table.sk is None else table.sk.name)
    assert (made.get("stream_enabled", False), made.get("stream_view_type")) == (table.stream is not None, table.stream)
    assert made["server_side_encryption"] == [{"enabled": True}]
    assert made["point_in_time_recovery"] == [{"enabled": True}]
    assert made["lifecycle"] == [{"prevent_destroy": True}]
    assert made.get("ttl") == (None if table.ttl is None else [{"attribute_name": table.ttl, "enabled": True}])
    assert [(each["name"], each["type"]) for each in made["attribute"]] == [
        (key.name, key.type) for key in attribute_names(table)
    ]
    indexes = made.get("global_secondary_index", [])
    assert [index["name"] for index in indexes] == [index.name for index in table.indexes]
    for declared, index in zip(table.indexes, indexes, strict=True):
        assert index["projection_type"] == declared.projection
        assert index.get("non_key_attributes", []) == list(declared.include)
        keys = [(each["attribute_name"], each["key_type"]) for each in index.get("key_schema", [])]
        keys = keys or [
            (index[half], kind) for half, kind in (("hash_key", "HASH"), ("range_key", "RANGE")) if half in index
        ]
        wanted = [(key.name, "HASH") for key in declared.pk] + [(key.name, "RANGE") for key in declared.sk]
        assert keys == wanted


def test_terraform_has_local_indexes_and_takes_names_as_they_are() -> None:
    (resource,) = _parsed(terraform([WIDE]))["resource"]
    made = resource["aws_dynamodb_table"]["wide_table"]
    (index,) = made["local_secondary_index"]
    assert (index["range_key"], index["non_key_attributes"], "hash_key" in index) == ("age", ["name"], False)
    assert "stream_enabled" not in made
    assert '"gone$${at}"' in terraform([WIDE]), "an expression of Terraform's is none of ours"


# -- NoSQL Workbench


class _Exact(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Metadata(_Exact):
    Author: str
    DateCreated: str = Field(pattern=r"^[A-Z][a-z]{2} \d\d, \d{4}, (0[1-9]|1[0-2]):\d\d (AM|PM)$")
    DateLastModified: str = Field(pattern=r"^[A-Z][a-z]{2} \d\d, \d{4}, (0[1-9]|1[0-2]):\d\d (AM|PM)$")
    Description: str
    AWSService: Literal["Amazon DynamoDB"]
    Version: Literal["3.0"]


class _KeyAttribute(_Exact):
    AttributeName: str
    AttributeType: Literal["S", "N", "B"]


class _Key(_Exact):
    PartitionKey: _KeyAttribute
    SortKey: _KeyAttribute | None = None


class _Attribute(_Exact):
    AttributeName: str
    AttributeType: Literal["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"]


class _Alias(_Exact):
    PartitionKeyAlias: str
    SortKeyAlias: str | None = None


class _Facet(_Exact):
    FacetName: str
    KeyAttributeAlias: _Alias
    TableData: list[dict[str, dict[str, Any]]]
    NonKeyAttributes: list[str]


class _Projection(_Exact):
    ProjectionType: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    NonKeyAttributes: list[str] = Field(default=[])


class _Index(_Exact):
    IndexName: str
    KeyAttributes: _Key
    Projection: _Projection


class _Table(_Exact):
    TableName: str
    KeyAttributes: _Key
    NonKeyAttributes: list[_Attribute]
    TableFacets: list[_Facet]
    GlobalSecondaryIndexes: list[_Index]
    TableData: list[dict[str, dict[str, Any]]]
    DataAccess: dict[Literal["MySql"], dict[str, Any]]
    BillingMode: Literal["PAY_PER_REQUEST"]


class _Model(_Exact):
    """The format as the Workbench exports models itself."""

    ModelName: str
    ModelMetadata: _Metadata
    DataModel: list[_Table]


@pytest.fixture(scope="module")
def model() -> _Model:
    return _Model.model_validate_json(workbench(TABLES, examples()))


def test_the_model_has_every_table_with_its_keys_and_indexes(model: _Model) -> None:
    for table, made in zip(TABLES, model.DataModel, strict=True):
        assert made.TableName == table.name
        assert made.KeyAttributes.PartitionKey.AttributeName == table.pk.name
        assert (made.KeyAttributes.SortKey is None) == (table.sk is None)
        plain = [index for index in table.indexes if len(index.pk) == 1 and len(index.sk) < 2]
        assert [index.IndexName for index in made.GlobalSecondaryIndexes] == [index.name for index in plain]
        left_out = [repr(index) for index in table.indexes if index not in plain]
        assert all(name in model.ModelMetadata.Description for name in left_out)


def test_the_models_examples_have_keys_and_only_declared_attributes_of_their_types(model: _Model) -> None:
    for made in model.DataModel:
        types = {each.AttributeName: each.AttributeType for each in made.NonKeyAttributes}
        halves = [half for half in (made.KeyAttributes.PartitionKey, made.KeyAttributes.SortKey) if half is not None]
        keys = {half.AttributeName: half.AttributeType for half in halves}
        assert made.TableData
        for row in made.TableData:
            assert keys.items() <= {name: next(iter(value)) for name, value in row.items()}.items()
            assert row.keys() <= types.keys() | keys.keys()
        for index in made.GlobalSecondaryIndexes:
            for half in (index.KeyAttributes.PartitionKey, index.KeyAttributes.SortKey):
                assert half is None or {**types, **keys}[half.AttributeName] == half.AttributeType


def test_a_facet_shows_an_item_type(model: _Model) -> None:
    (fus,) = [table for table in model.DataModel if table.TableName == "fus-main"]
    (rating,) = [facet for facet in fus.TableFacets if facet.FacetName == "Rating"]
    assert rating.KeyAttributeAlias == _Alias(PartitionKeyAlias="USER#{user_id}", SortKeyAlias="SITE#{site_id}")
    declared = {each.AttributeName for each in fus.NonKeyAttributes}
    assert set(rating.NonKeyAttributes) <= declared
