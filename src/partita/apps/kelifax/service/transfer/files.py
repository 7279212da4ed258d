"""The directory as a download."""

from __future__ import annotations

from typing import Any

from fastapi.responses import StreamingResponse

from partita.apps.kelifax.service.transfer.reading import Format
from partita.apps.kelifax.service.transfer.service import Transfer

_TYPES: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
}
CONTENT_TYPES: dict[str, Any] = {
    kind.partition(";")[0]: {"schema": {"type": "array", "items": {"type": "object"}}}
    if format == "json"
    else {"schema": {"type": "string"}}
    for format, kind in _TYPES.items()
}
"""Of a download, for the API's description."""


def download(transfer: Transfer, format: Format) -> StreamingResponse:
    """A file that browsers save instead of showing it."""
    return StreamingResponse(
        transfer.export(format),
        media_type=_TYPES[format],
        headers={"Content-Disposition": f'attachment; filename="kelifax.{format}"'},
    )
