"""Infrastructure from the schemas: CloudFormation, Terraform, NoSQL Workbench."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from partita.table.tables import Index, KeyName, Table


def cloudformation(tables: Iterable[Table]) -> str:
    """A template that makes the tables: on demand, encrypted, with point-in-time recovery, streams and expiry."""
    resources = {_logical(table.name): {"Type": "AWS::DynamoDB::Table", **_resource(table)} for table in tables}
    template = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "Tables made from their schemas by Partita.",
        "Resources": resources,
    }
    return json.dumps(template, indent=2) + "\n"


def _logical(name: str) -> str:
    return "".join(word.capitalize() for word in re.split(r"[^A-Za-z0-9]+", name)) + "Table"


def _resource(table: Table) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key_schema(table.keys[:1], table.keys[1:]),
        "AttributeDefinitions": [
            {"AttributeName": key.name, "AttributeType": key.type} for key in attribute_names(table)
        ],
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
        "SSESpecification": {"SSEEnabled": True},
    }
    for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
        indexes = [index_definition(index) for index in table.indexes if index.local == local]
        if indexes:
            properties[member] = indexes
    if table.stream is not None:
        properties["StreamSpecification"] = {"StreamViewType": table.stream}
    if table.ttl is not None:
        properties["TimeToLiveSpecification"] = {"AttributeName": table.ttl, "Enabled": True}
    return {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain", "Properties": properties}


def attribute_names(table: Table) -> list[KeyName]:
    """Every attribute that a key of the table or of an index uses, once."""
    return list(dict.fromkeys((*table.keys, *(key for index in table.indexes for key in index.key_names))))


def key_schema(pk: Iterable[KeyName], sk: Iterable[KeyName]) -> list[dict[str, str]]:
    """KeySchema of a table or an index."""
    return [{"AttributeName": key.name, "KeyType": "HASH"} for key in pk] + [
        {"AttributeName": key.name, "KeyType": "RANGE"} for key in sk
    ]


def index_definition(index: Index) -> dict[str, Any]:
    """An index the way CreateTable and CloudFormation spell it."""
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.include:
        projection["NonKeyAttributes"] = list(index.include)
    return {"IndexName": index.name, "KeySchema": key_schema(index.pk, index.sk), "Projection": projection}


def terraform(tables: Iterable[Table]) -> str:
    """HCL that makes the tables; fus's table is named by a variable, as its document says."""
    blocks = []
    for table in tables:
        blocks.append(_variable(table))
        blocks.append(_terraform_table(table))
    return "\n".join(blocks)


def _variable_name(table: Table) -> str:
    return "dynamoTableName" if table.name == "fus-main" else f"{_identifier(table.name)}_table_name"


def _identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name)


def _variable(table: Table) -> str:
    return f'variable "{_variable_name(table)}" {{\n  type    = string\n  default = "{table.name}"\n}}\n'


def _terraform_table(table: Table) -> str:
    lines = [
        f'resource "aws_dynamodb_table" "{_identifier(table.name)}" {{',
        f"  name         = var.{_variable_name(table)}",
        '  billing_mode = "PAY_PER_REQUEST"',
        f'  hash_key     = "{table.pk.name}"',
    ]
    if table.sk is not None:
        lines.append(f'  range_key    = "{table.sk.name}"')
    if table.stream is not None:
        lines += ["  stream_enabled   = true", f'  stream_view_type = "{table.stream}"']
    for key in attribute_names(table):
        lines += ["", "  attribute {", f'    name = "{key.name}"', f'    type = "{key.type}"', "  }"]
    for index in table.indexes:
        lines += ["", *_terraform_index(index)]
    if table.ttl is not None:
        lines += ["", "  ttl {", f'    attribute_name = "{table.ttl}"', "    enabled        = true", "  }"]
    lines += ["", "  point_in_time_recovery {", "    enabled = true", "  }"]
    lines += ["", "  server_side_encryption {", "    enabled = true", "  }"]
    lines += ["", "  lifecycle {", "    prevent_destroy = true", "  }", "}", ""]
    return "\n".join(lines)


def _terraform_index(index: Index) -> list[str]:
    kind = "local_secondary_index" if index.local else "global_secondary_index"
    lines = [f"  {kind} {{", f'    name            = "{index.name}"']
    if not index.local:
        lines.append(f'    hash_key        = "{index.pk[0].name}"')
    if index.sk:
        lines.append(f'    range_key       = "{index.sk[0].name}"')
    lines.append(f'    projection_type = "{index.projection}"')
    if index.include:
        lines.append(f"    non_key_attributes = {json.dumps(list(index.include))}")
    return [*lines, "  }"]


def workbench(tables: Iterable[Table]) -> str:
    """A NoSQL Workbench data model."""
    model = {
        "ModelName": "Partita",
        "ModelMetadata": {
            "Author": "Partita",
            "DateCreated": "Jan 01, 2026, 00:00 AM",
            "DateLastModified": "Jan 01, 2026, 00:00 AM",
            "Description": "Tables made from their schemas by Partita.",
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": [_workbench_table(table) for table in tables],
    }
    return json.dumps(model, indent=2) + "\n"


def _workbench_table(table: Table) -> dict[str, Any]:
    keyed = {key.name for key in table.keys}
    others: dict[str, str] = {key.name: key.type for key in attribute_names(table) if key.name not in keyed}
    for kind in table.item_types:
        for name in (*kind.__layout__.names.values(), *kind.__layout__.derived):
            if name not in keyed:
                others.setdefault(name, "S")
    return {
        "TableName": table.name,
        "KeyAttributes": _workbench_key(table.keys[:1], table.keys[1:]),
        "NonKeyAttributes": [{"AttributeName": name, "AttributeType": kind} for name, kind in others.items()],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": index.name,
                "KeyAttributes": _workbench_key(index.pk, index.sk),
                "Projection": {"ProjectionType": index.projection, "NonKeyAttributes": list(index.include)}
                if index.include
                else {"ProjectionType": index.projection},
            }
            for index in table.indexes
            if not index.local
        ],
        "TableData": [],
        "DataAccess": {"MySql": {}},
        "BillingMode": "PAY_PER_REQUEST",
    }


def _workbench_key(pk: tuple[KeyName, ...], sk: tuple[KeyName, ...]) -> dict[str, Any]:
    key: dict[str, Any] = {"PartitionKey": {"AttributeName": pk[0].name, "AttributeType": pk[0].type}}
    if sk:
        key["SortKey"] = {"AttributeName": sk[0].name, "AttributeType": sk[0].type}
    return key
