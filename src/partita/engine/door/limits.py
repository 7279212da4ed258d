"""The limits of the server."""

from __future__ import annotations

from partita.dynamo.frozen import dataclass
from partita.dynamo.limits import REQUEST_BYTES


@dataclass(frozen=True, slots=True)
class DoorLimits:
    """Limits for clients; times in seconds."""

    connections: int = 1024
    head_bytes: int = 16 * 1024
    body_bytes: int = REQUEST_BYTES
    all_bodies_bytes: int = 8 * REQUEST_BYTES
    """Of all requests that are received or run at the same time."""
    compress_from_bytes: int = 4096
    idle_seconds: float = 60.0
    receive_seconds: float = 30.0
    send_seconds: float = 30.0
    stop_seconds: float = 10.0
    linger_bytes: int = 4 * REQUEST_BYTES

    @property
    def sweep_seconds(self) -> float:
        """How often deadlines are checked: often enough for the shortest of them."""
        return min(1.0, self.idle_seconds / 4, self.receive_seconds / 4, self.send_seconds / 4)
