"""Access patterns: typed functions that return requests, known to the table they read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from partita.table.tables import Table

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A named way to use a table."""

    name: str
    function: Callable[..., Any]
    table: Table
    documented: bool
    example: dict[str, Any]

    @property
    def label(self) -> str:
        """What commands call it: the system and the function."""
        module = self.function.__module__.split(".")
        system = module[-2] if module[-1] == "schema" and len(module) > 1 else module[-1]
        return f"{system}.{self.function.__name__}"

    @property
    def signature(self) -> inspect.Signature:
        """The pattern's type."""
        return inspect.signature(self.function)

    def request(self) -> Any:
        """What the pattern returns for its example arguments."""
        return self.function(**self.example)


def access_pattern(
    name: str, table: Table, /, *, documented: bool = True, **example: Any
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Name a function as an access pattern of a table; the example arguments let tools run it.

    `documented=False` marks a pattern that the design document does not have: one that solves a problem in it.
    """

    def register(function: Callable[P, R]) -> Callable[P, R]:
        table.patterns.append(Pattern(name, function, table, documented, dict(example)))
        return function

    return register
