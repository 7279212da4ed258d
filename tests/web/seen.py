"""Names of things that an API has told of, so that requests can be about things that are there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Seen:
    """Every text of every answer so far, by the name of its field."""

    texts: dict[str, list[str]] = field(default_factory=dict)

    def look(self, value: Any, name: str = "") -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                self.look(inner, key.lower())
        elif isinstance(value, list):
            for inner in value:
                self.look(inner, name)
        elif isinstance(value, str) and 0 < len(value) < 200:
            known = self.texts.setdefault(name, [])
            if value not in known:
                known.append(value)

    def for_parameter(self, name: str, number: int) -> str | None:
        """A name that fits: `siteId` for `site_id`, `resourceSlug` for `slug`."""
        plain = name.replace("_", "").lower()
        fitting = [text for key, texts in self.texts.items() if key.endswith(plain) for text in texts]
        return fitting[number % len(fitting)] if fitting else None
