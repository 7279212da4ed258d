"""The page above an address that only takes forms: where a reload, Back or a bookmark of such an address leads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from re import Pattern

from starlette.routing import compile_path

from partita.kit.routes import Declaration


class PagesAbove:
    """Knows the nearest page above each address that a form is sent to and that has no page itself.

    A refused form is shown again at the address it was sent to, so people reload it, come back to it and keep it."""

    def __init__(self, declarations: Iterable[Declaration]) -> None:
        self._declarations = tuple(declarations)

    @cached_property
    def _depths(self) -> list[tuple[Pattern[str], int]]:
        shown = {each.path for each in self._declarations if each.method == "GET"}
        only_taken = {each.path for each in self._declarations if each.method == "POST"} - shown
        return [
            (compile_path(path)[0], page.rstrip("/").count("/"))
            for path in sorted(only_taken)
            if not path.startswith("/api/") and (page := next((each for each in _above(path) if each in shown), None))
        ]

    def of(self, path: str) -> str | None:
        """The address of the nearest page above; None if this address takes no forms."""
        depth = next((depth for pattern, depth in self._depths if pattern.match(path)), None)
        return None if depth is None else "/".join(path.split("/")[: depth + 1]) or "/"


def _above(path: str) -> Iterator[str]:
    """`/a/b/c` → `/a/b`, `/a`, `/`."""
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path
