"""The embedded engine: DynamoDB's semantics on SQLite, in process, and its door for any AWS SDK."""

from partita.engine.database import Durability, FormatError
from partita.engine.engine import Engine
from partita.engine.faults import FaultPlan
from partita.engine.place import Place

__all__ = ["Durability", "Engine", "FaultPlan", "FormatError", "Place"]
