"""Exports and imports in tests: begun, done and described."""

from __future__ import annotations

from typing import Any

from partita.engine import Engine
from tests.engine.tables import Wire, table


def export(engine: Engine, name: str = "music", **members: Any) -> Wire:
    """The description of an export that is done."""
    request = {"TableArn": engine.place.table_arn(name), "S3Bucket": "shelf", **members}
    begun = engine.call("ExportTableToPointInTime", request)["ExportDescription"]
    assert begun["ExportStatus"] == "IN_PROGRESS"
    engine.maintenance.run()
    description: Wire = engine.call("DescribeExport", {"ExportArn": begun["ExportArn"]})["ExportDescription"]
    assert description["ExportStatus"] == "COMPLETED", description
    return description


def import_request(prefix: str = "", form: str = "DYNAMODB_JSON", name: str = "again", **members: Any) -> Wire:
    """An import of the objects of the bucket that begin with the prefix."""
    parameters = table(name, members.pop("keys", "pk"), gsis=members.pop("gsis", ()), types=members.pop("types", None))
    source = {"S3Bucket": "shelf", "S3KeyPrefix": prefix}
    return {"S3BucketSource": source, "InputFormat": form, "TableCreationParameters": parameters, **members}


def import_table(engine: Engine, request: Wire) -> Wire:
    """The description of an import that is done."""
    begun = engine.call("ImportTable", request)["ImportTableDescription"]
    assert begun["ImportStatus"] == "IN_PROGRESS"
    engine.maintenance.run()
    description: Wire = engine.call("DescribeImport", {"ImportArn": begun["ImportArn"]})["ImportTableDescription"]
    return description
