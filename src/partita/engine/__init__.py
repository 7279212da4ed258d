"""The embedded engine: DynamoDB's semantics on SQLite, in process, and its door for any AWS SDK."""

from partita.engine.database import Durability, FormatError
from partita.engine.describe import Place
from partita.engine.engine import Engine
from partita.engine.faults import FaultPlan

__all__ = ["Durability", "Engine", "FaultPlan", "FormatError", "Place"]
