"""The catalog as a download, and the report of an import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from fastapi.responses import StreamingResponse
from starlette.responses import Response

from partita.apps.fus.service.transfer.report import Report
from partita.apps.fus.service.transfer.rows import Format
from partita.apps.fus.service.transfer.service import Transfer

_TYPES: dict[Format, str] = {
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}


def download(transfer: Transfer, format: Format) -> StreamingResponse:
    """The whole catalog."""
    return saved_as(transfer.export(format), format, "fus-catalog")


def saved_as(pieces: AsyncIterator[bytes], format: Format, name: str) -> StreamingResponse:
    """A file that browsers save instead of showing it, sent as it is made."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.{format}"'}
    return StreamingResponse(pieces, media_type=_TYPES[format], headers=headers)


def report_download(report: Report) -> Response:
    """All rows of a report, for a spreadsheet."""
    headers = {"Content-Disposition": 'attachment; filename="fus-import.csv"'}
    return Response(report.csv, media_type=_TYPES["csv"], headers=headers)


def content_types() -> dict[str, Any]:
    """The content types of a download, for the API's description."""
    shapes: dict[Format, Any] = {
        "html": {"type": "string"},
        "csv": {"type": "string"},
        "json": {"type": "array", "items": {"type": "object"}},
    }
    return {_TYPES[kind].partition(";")[0]: {"schema": shape} for kind, shape in shapes.items()}
