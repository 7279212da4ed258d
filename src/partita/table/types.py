"""Types that the documents' attributes have in common."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import StringConstraints

_MOMENT = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?"

Timestamp = Annotated[str, StringConstraints(pattern=f"^{_MOMENT}$")]
"""A moment in UTC, kept as the text it is stored as: what another program wrote is written back unchanged."""

OptionalTimestamp = Annotated[str, StringConstraints(pattern=f"^({_MOMENT})?$")]
"""A moment, or an empty text where the document writes one."""

Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
"""A day in UTC."""


def timestamp(moment: datetime) -> str:
    """The one spelling we write: UTC, microseconds, fixed width, so that text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
