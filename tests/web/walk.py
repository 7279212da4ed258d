"""Every route of an application, as it declares itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts

from partita.kit.permissions import Access

_PARAMETER = re.compile(r"\{(\w+)(:\w+)?\}")


@dataclass(frozen=True, slots=True)
class Walked:
    """One method of one route."""

    method: str
    path: str
    permission: str
    """Empty where the route declares none, which no route may."""
    extra: dict[str, Any]
    tag: str
    documented: bool

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def api(self) -> bool:
        return self.path.startswith("/api/") and self.documented

    @property
    def mutates(self) -> bool:
        return self.method != "GET"

    @property
    def public(self) -> bool:
        return self.permission == Access.PUBLIC

    @property
    def granted(self) -> bool:
        """Whether it needs more than an account."""
        return self.permission not in (Access.PUBLIC, Access.SIGNED_IN)

    def filled(self, value: str = "nobody-knows-this") -> str:
        """A path of this route; what it names is not there."""
        return _PARAMETER.sub(value, self.path)


def walk(app: FastAPI) -> Iterator[Walked]:
    """All of them, whoever made them; what is no route of FastAPI has no permission either."""
    for each in iter_route_contexts(app.routes):
        if not isinstance(each.original_route, APIRoute):
            yield Walked("GET", str(each.path), "", {}, "", False)
            continue
        extra = each.openapi_extra or {}
        for method in sorted(each.methods or {"GET"}):
            yield Walked(
                method=method,
                path=str(each.path),
                permission=extra.get("x-permission", ""),
                extra=extra,
                tag=str(each.tags[0]) if each.tags else "",
                documented=bool(each.include_in_schema),
            )
