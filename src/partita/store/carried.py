"""Large values of rows that are copied: each gets a file of its own where the copy is.

The name of a file belongs to one write of one row: whoever follows the changes deletes it when that row is gone. A copy
that named the same file would lose it then.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from partita.dynamo.frozen import dataclass
from partita.dynamo.values import Item
from partita.store.files import KEPT, LARGE_VALUES
from partita.table.markers import Marker, as_marker

Load = Callable[[str], bytes | None]


class LostError(Exception):
    """A value is in no file: the row that names it cannot be copied."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """Where the files of the source can be, in turn, and those of the target."""

    sources: tuple[Load, ...] = ()
    load: Load = lambda _name: None
    save: Callable[[str, bytes], None] | None = None

    def check(self, row: Item) -> None:
        """Refuse a row that could not be carried."""
        for name, marker in _markers(row).items():
            self._content(name, marker)
            self._target()

    def carried(self, row: Item) -> Item:
        """A row for the target: its large values are saved there under new names."""
        contents = {name: self._content(name, marker) for name, marker in _markers(row).items()}
        after = dict(row)
        for name, (marker, content) in contents.items():
            new = Marker(f"{uuid.uuid4().hex}.{marker.name.rpartition('.')[2]}", marker.size, marker.sha256)
            self._target()(new.name, content)
            after[name] = new.wire()
        return after

    def likened(self, row: Item, other: Item) -> Item:
        """A row of the source, naming the files of another row that have the same content."""
        after = dict(row)
        theirs = _markers(other)
        for name, marker in _markers(row).items():
            known = theirs.get(name)
            if known is not None and (known.size, known.sha256) == (marker.size, marker.sha256):
                after[name] = other[name] if _whole(self.load(known.name), known) else {"NULL": True}
        return after

    def _content(self, name: str, marker: Marker) -> tuple[Marker, bytes]:
        for load in self.sources:
            content = load(marker.name)
            if content is not None and _whole(content, marker):
                return marker, content
        raise LostError(f"the file {marker.name} of {name} is missing or damaged")

    def _target(self) -> Callable[[str, bytes], None]:
        if self.save is None:
            raise LostError("nobody has said where large values are kept")
        return self.save


def in_folder(data: Path) -> Load:
    """The large values of a data folder; also those that were deleted and are kept for some days."""
    folder = data / LARGE_VALUES

    def load(name: str) -> bytes | None:
        for path in (folder / name[:2] / name, folder / KEPT / name):
            if path.is_file():
                return path.read_bytes()
        return None

    return load


def _markers(row: Item) -> dict[str, Marker]:
    found = {name: as_marker(value) for name, value in row.items()}
    return {name: marker for name, marker in found.items() if marker is not None}


def _whole(content: bytes | None, marker: Marker) -> bool:
    return content is not None and len(content) == marker.size and sha256(content).hexdigest() == marker.sha256
