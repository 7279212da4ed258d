"""What `partita check` may find; docs/check.md has a section for each code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning"]

CODES: dict[str, Level] = {
    "pattern-fails": "error",
    "scan": "error",
    "unwritten-key": "error",
    "too-many-indexes": "error",
    "nothing-to-accept": "error",
    "unknown-setting": "warning",
    "hot-partition": "warning",
    "unbounded-collection": "warning",
    "discarding-filter": "warning",
    "foreign-rows": "warning",
    "heavy-page": "warning",
    "second-read": "warning",
    "unused-index": "warning",
    "large-item": "warning",
    "never-expires": "warning",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know about a schema."""

    code: str
    where: str
    subject: str
    """The index, item type or pattern, by the name that `Table.accept` knows it by."""
    why: str
    step: str
    accepted: str | None = None
    """Why the schema lives with it, if it does."""

    @property
    def level(self) -> Level:
        """An error cannot work; a warning works until it grows."""
        return CODES[self.code]

    def __str__(self) -> str:
        if self.accepted is not None:
            return f"accepted {self.code}: {self.where}: {self.why}\n    Because {self.accepted}"
        return f"{self.level} {self.code}: {self.where}: {self.why}\n    {self.step}"
