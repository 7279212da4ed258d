"""A CloudFormation template: tables on demand, encrypted, with point-in-time recovery, streams and expiry."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from partita.table.export import attribute_names, index_definition, key_schema, words
from partita.table.tables import Table


def cloudformation(tables: Iterable[Table]) -> str:
    """A template that makes the tables; each name is a parameter, and what reads a stream finds it in the outputs."""
    parameters: dict[str, Any] = {}
    resources: dict[str, Any] = {}
    outputs: dict[str, Any] = {}
    for table in tables:
        logical = "".join(word.capitalize() for word in words(table.default_name))
        parameters[f"{logical}Name"] = {"Type": "String", "Default": table.name}
        resources[f"{logical}Table"] = {
            "Type": "AWS::DynamoDB::Table",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": {"TableName": {"Ref": f"{logical}Name"}, **_properties(table)},
        }
        if table.stream is not None:
            outputs[f"{logical}Stream"] = {"Value": {"Fn::GetAtt": [f"{logical}Table", "StreamArn"]}}
    template = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "Tables made from their schemas by Partita.",
        "Parameters": parameters,
        "Resources": resources,
        **({"Outputs": outputs} if outputs else {}),
    }
    return json.dumps(template, indent=2) + "\n"


def _properties(table: Table) -> dict[str, Any]:
    properties: dict[str, Any] = {
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
    return properties
