"""Access patterns: typed functions that return requests, known to the table they read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from partita.dynamo.frozen import dataclass
from partita.table.errors import ModelError, SchemaError
from partita.table.tables import Table, order_by_module

if TYPE_CHECKING:
    from partita.table.examples import Examples

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A named way to use a table."""

    name: str
    function: Callable[..., Any]
    table: Table
    wordings: tuple[str, ...]
    """How the design document says it, once for each place; none for a pattern that the document does not have."""
    example: dict[str, Any]

    @property
    def label(self) -> str:
        """What commands call it: the system and the function."""
        module = self.function.__module__.split(".")
        # A schema may be a module or a package of the system.
        system = module[module.index("schema") - 1] if "schema" in module[1:] else module[-1]
        return f"{system}.{self.function.__name__}"

    @property
    def documented(self) -> bool:
        """Whether the design document has it."""
        return bool(self.wordings)

    @property
    def signature(self) -> inspect.Signature:
        """The pattern's type."""
        return inspect.signature(self.function)

    def request(self, examples: Examples | None = None) -> Any:
        """What the pattern returns for its example arguments; items among its arguments are made up."""
        from partita.table.examples import Examples

        arguments = (examples or Examples()).arguments(self)
        try:
            return self.function(**arguments)
        except ModelError:
            raise
        except Exception as error:
            # Whatever a function raises is its own failure, and tools that go through all patterns tell it as such.
            raise SchemaError(f"{self.label} fails with its examples: {type(error).__name__}: {error}") from error


def access_pattern(
    name: str, table: Table, /, *, documented: bool | str | tuple[str, ...] = True, **example: Any
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Name a function as an access pattern of a table; the example arguments let tools run it.

    The name is the design document's own, unless `documented` says how the document words it. `documented=False` marks
    a pattern that the document does not have: one that solves a problem in it.
    """
    wordings = (name,) if documented is True else () if documented is False else documented
    if isinstance(wordings, str):
        wordings = (wordings,)

    def register(function: Callable[P, R]) -> Callable[P, R]:
        table.patterns.append(Pattern(name, function, table, wordings, dict(example)))
        order_by_module(table.patterns, lambda pattern: pattern.function.__module__)
        return function

    return register
