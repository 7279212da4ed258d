"""Where requests run: embedded, or at an endpoint over HTTP; blocking and not."""

from partita.store.embedded import EmbeddedStore
from partita.store.files import FolderFiles, LargeFiles
from partita.store.observe import Observation, Observer
from partita.store.retries import Retries
from partita.store.store import AsyncStore, Store, Transport

__all__ = [
    "AsyncStore",
    "EmbeddedStore",
    "FolderFiles",
    "LargeFiles",
    "Observation",
    "Observer",
    "Retries",
    "Store",
    "Transport",
]
