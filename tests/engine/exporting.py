"""Exports in tests: begun, written and described."""

from __future__ import annotations

from typing import Any

from partita.engine import Engine
from tests.engine.tables import Wire


def export(engine: Engine, name: str = "music", **members: Any) -> Wire:
    """The description of an export that is done."""
    request = {"TableArn": engine.place.table_arn(name), "S3Bucket": "shelf", **members}
    begun = engine.call("ExportTableToPointInTime", request)["ExportDescription"]
    assert begun["ExportStatus"] == "IN_PROGRESS"
    engine.maintenance.run()
    description: Wire = engine.call("DescribeExport", {"ExportArn": begun["ExportArn"]})["ExportDescription"]
    assert description["ExportStatus"] == "COMPLETED", description
    return description
