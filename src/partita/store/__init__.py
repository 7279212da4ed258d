"""Where requests run: embedded, or at an endpoint over HTTP; blocking and not.

What is taken from here is imported then: a store at an endpoint is no reason to load the engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from partita.store.dynamo import DynamoStore, fixed
    from partita.store.embedded import EmbeddedStore
    from partita.store.files import FolderFiles, LargeFiles
    from partita.store.observe import Observation, Observer
    from partita.store.retries import Retries
    from partita.store.store import AsyncStore, Store, Transport

__all__ = [
    "AsyncStore",
    "DynamoStore",
    "EmbeddedStore",
    "FolderFiles",
    "LargeFiles",
    "Observation",
    "Observer",
    "Retries",
    "Store",
    "Transport",
    "fixed",
]

_HOMES = {
    "dynamo": ("DynamoStore", "fixed"),
    "embedded": ("EmbeddedStore",),
    "files": ("FolderFiles", "LargeFiles"),
    "observe": ("Observation", "Observer"),
    "retries": ("Retries",),
    "store": ("AsyncStore", "Store", "Transport"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # else every name would be there for those who check types

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value  # the next time it is there
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
