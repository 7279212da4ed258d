"""Types that the documents' attributes have in common."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field, StringConstraints

_MOMENT = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?"

Timestamp = Annotated[str, StringConstraints(pattern=f"^{_MOMENT}$")]
"""A moment in UTC, kept as the text it is stored as: what another program wrote is written back unchanged."""

OptionalTimestamp = Annotated[str, StringConstraints(pattern=f"^({_MOMENT})?$")]
"""A moment, or an empty text where the document writes one."""

Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
"""A day in UTC."""

ExpiresAt = Annotated[int, Field(ge=0)]
"""When an item may go: seconds since 1970. Stored under the name that the table's `ttl` has."""


def expires_in(time: timedelta, now: datetime) -> int:
    """The moment so long from now, in whole seconds and never too early."""
    return math.ceil((now + time).timestamp())


def timestamp(moment: datetime) -> str:
    """The one spelling we write: UTC, microseconds, fixed width, so that text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
