"""The engine's door: an HTTP server that any AWS SDK can talk to."""

from partita.engine.door.backend import Backend
from partita.engine.door.limits import DoorLimits
from partita.engine.door.server import Door, UnprotectedHostError, run, serve
from partita.engine.door.thread import DoorThread

__all__ = ["Backend", "Door", "DoorLimits", "DoorThread", "UnprotectedHostError", "run", "serve"]
