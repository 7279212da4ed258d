"""The design page of each system: its tables, items and access patterns, generated from the schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response

from partita.dynamo.wire import render as rendered
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.sharing import Head
from partita.kit.suite import Suite
from partita.kit.system import System
from partita.table import Pattern
from partita.table.summary import filled
from partita.table.tables import KeyName, Table


@dataclass(frozen=True, slots=True)
class TableDesign:
    """The part of the page for one table."""

    table: Table
    key: str
    indexes: tuple[tuple[str, str, str, str], ...]
    items: tuple[tuple[str, str, tuple[str, ...]], ...]
    patterns: tuple[tuple[str, str, str, bool], ...]


def routes(suite: Suite) -> Routes:
    """One page per system; it is also the start page of a system without pages."""
    pages = Routes("", tag="house", pages=True)
    designs: dict[str, tuple[TableDesign, ...]] = {}

    def declare(system: System) -> None:
        @pages.get(f"/{system.name}/design", Access.PUBLIC, name=f"{system.name}_design")
        async def design(request: Request) -> Response:
            if system.name not in designs:
                designs[system.name] = tuple(map(_design, system.tables))
            head = Head(f"/{system.name}/design", f"{system.purpose} Its tables, items and access patterns.")
            return render(request, "design.html", page_head=head, system=system, tables=designs[system.name])

        if system.pages is None:

            @pages.get(f"/{system.name}", Access.PUBLIC, name=f"{system.name}_front")
            async def front() -> Response:
                return redirect(f"/{system.name}/design")

    for system in suite.systems:
        declare(system)
    return pages


def _design(table: Table) -> TableDesign:
    return TableDesign(
        table=table,
        key=_keys(table.keys),
        indexes=tuple((index.name, _keys(index.pk), _keys(index.sk), index.purpose) for index in table.indexes),
        items=tuple(
            (
                kind.__name__,
                (kind.__doc__ or "").strip().partition("\n")[0],
                tuple(key.text for key in (kind.__layout__.pk, kind.__layout__.sk) if key is not None),
            )
            for kind in table.item_types
        ),
        patterns=tuple(_pattern(pattern) for pattern in table.patterns),
    )


def _pattern(pattern: Pattern) -> tuple[str, str, str, bool]:
    return pattern.name, pattern.label, " ".join(_request(pattern)), bool(pattern.documented)


def _request(pattern: Pattern) -> Iterator[str]:
    request = pattern.request()
    if not hasattr(request, "request"):
        yield "BatchGetItem"
        return
    operation, wire = rendered(request.request())
    yield operation
    if "IndexName" in wire:
        yield f"on {wire['IndexName']}"
    if "KeyConditionExpression" in wire:
        yield f"where {filled(wire, 'KeyConditionExpression')}"


def _keys(keys: tuple[KeyName, ...]) -> str:
    return " + ".join(key.name if key.type == "S" else f"{key.name} ({key.type})" for key in keys)
