"""Query parameters that were parsed before: the same text gives the same values, so a list's are parsed once.

FastAPI spends as long on the six parameters of a list as the tables do on its rows. Only what a text says is
remembered: the request and the viewer come from each request, and a text that is refused is parsed, and refused, anew.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from fastapi import Request
from fastapi.dependencies.models import Dependant
from starlette.responses import Response

from partita.kit.permissions import Viewer
from partita.table.recent import Recent

F = TypeVar("F", bound=Callable[..., Any])
Handle = Callable[[Request], Coroutine[Any, Any, Response]]
FindViewer = Callable[[Request], Coroutine[Any, Any, Viewer]]

PARSED_BYTES = 500_000
"""How much the routes of a group remember together."""
_LONGEST_QUERY = 1_000
_ENTRY_BYTES = 1_500
_PLAIN = (str, int, float, bool, type(None))

Parsed = Recent[tuple[str, bytes], Mapping[str, Any]]
"""What queries gave, by the path of their route and their text."""
_noting: WeakKeyDictionary[Callable[..., Any], Parsed] = WeakKeyDictionary()
_parsing: ContextVar[dict[str, Any] | None] = ContextVar("parsing", default=None)


def noting(function: F, memory: Parsed) -> F:
    """The same function, which tells what it was called with; what its queries gave goes into a memory."""

    @wraps(function)
    async def called(**given: Any) -> Any:
        parsed = _parsing.get()
        if parsed is not None:
            parsed.update(given)
        return await function(**given)

    _noting[called] = memory
    return cast(F, called)


def is_noting(function: Callable[..., Any]) -> bool:
    """Whether a function tells what it was called with."""
    return function in _noting


def suits(function: Callable[..., Any], method: str, path: str) -> bool:
    """Whether a route's parameters are worth remembering: those of lists are. A path with an id seldom comes again."""
    return method == "GET" and "{" not in path and len(signature(function).parameters) > 1


def parsed_once(dependant: Dependant, handle: Handle, find_viewer: FindViewer) -> Handle:
    """A handler that parses the same query once; `handle` itself if the route takes more than a query and a viewer."""
    others = (dependant.path_params, dependant.header_params, dependant.cookie_params, dependant.body_params)
    names = (dependant.response_param_name, dependant.background_tasks_param_name, dependant.http_connection_param_name)
    if any(others) or any(names) or any(each.call is not find_viewer for each in dependant.dependencies):
        return handle
    function = dependant.call
    assert function is not None  # every route has one
    takes_request = dependant.request_param_name
    takes_viewer = [each.name for each in dependant.dependencies if each.name is not None]
    own = {takes_request, *takes_viewer}
    known, path = _noting[function], str(dependant.path)

    async def answer(request: Request) -> Response:
        text: bytes = request.scope["query_string"]
        values = known.get((path, text))
        if values is None:
            return await parse(request, text)
        given = dict(values)
        if takes_request is not None:
            given[takes_request] = request
        for name in takes_viewer:
            given[name] = await find_viewer(request)
        response: Response = await function(**given)
        return response

    async def parse(request: Request, text: bytes) -> Response:
        parsed: dict[str, Any] = {}
        before = _parsing.set(parsed)
        try:
            response = await handle(request)
        finally:
            _parsing.reset(before)
        values = {name: value for name, value in parsed.items() if name not in own}
        if parsed and len(text) <= _LONGEST_QUERY and all(map(_plain, values.values())):
            known.add((path, text), values, 4 * len(text) + _ENTRY_BYTES)
        return response

    return answer


def _plain(value: object) -> bool:
    """Whether nobody can change a value that others get as well."""
    return type(value) in _PLAIN or (isinstance(value, tuple) and all(map(_plain, value)))
