"""Types that the documents' attributes have in common."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, StringConstraints

from partita.table.moments import timestamp as timestamp

_MOMENT = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?"

Timestamp = Annotated[str, StringConstraints(pattern=f"^{_MOMENT}$")]
"""A moment in UTC, kept as the text it is stored as: what another program wrote is written back unchanged."""

OptionalTimestamp = Annotated[str, StringConstraints(pattern=f"^({_MOMENT})?$")]
"""A moment, or an empty text if the document writes one."""

Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
"""A day in UTC."""

ExpiresAt = Annotated[int, Field(ge=0)]
"""When an item may go: seconds since 1970. Stored under the name that the table's `ttl` has."""


def expires_in(time: timedelta, now: datetime) -> int:
    """The moment so long from now, in whole seconds and never too early."""
    return math.ceil((now + time).timestamp())


def _from_epoch(value: Any) -> Any:
    """Seconds since 1970, which pydantic alone would take for milliseconds from the year 2603 on."""
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int) and not isinstance(value, bool) else value


EpochSeconds = Annotated[
    datetime, BeforeValidator(_from_epoch), PlainSerializer(lambda moment: int(moment.timestamp()), return_type=int)
]
"""A moment that is stored as a number, in whole seconds since 1970; one with a fraction of a second is refused."""
