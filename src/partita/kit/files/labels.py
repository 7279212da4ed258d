"""The label in front of a file in a folder: what it is. Of fixed length, so that it can be written last."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from partita.kit.files.files import FileInfo
from partita.kit.files.headers import media_type

LABEL_BYTES = 512
_FIRST = b"partita file 1 "


@dataclass(frozen=True, slots=True)
class Label:
    """What a file says of itself."""

    content_type: str
    size: int
    sha256: str
    public: bool

    def __post_init__(self) -> None:
        if media_type(self.content_type) is None:
            raise ValueError(f"{self.content_type!r} is no content type; write image/png")

    @classmethod
    def read(cls, data: bytes) -> Label | None:
        """The label, or None where this is none."""
        if len(data) != LABEL_BYTES or not data.startswith(_FIRST):
            return None
        try:
            return cls(**orjson.loads(data[len(_FIRST) :]))
        except (ValueError, TypeError):
            return None

    def bytes(self) -> bytes:
        """As it is written: one line, padded."""
        told = orjson.dumps(
            {"content_type": self.content_type, "size": self.size, "sha256": self.sha256, "public": self.public}
        )
        return (_FIRST + told).ljust(LABEL_BYTES - 1) + b"\n"

    def info(self, name: str) -> FileInfo:
        return FileInfo(name, self.content_type, self.size, self.sha256, self.public)
