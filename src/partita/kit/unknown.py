"""Query parameters and form fields that a route of the API does not know are refused: with `dry_run=true` instead of
`dryRun=true`, a request would do for real what was only to be tried."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any, get_args

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.params import Form
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response

from partita.kit.messages import UNKNOWN_PARAMETER, field_errors
from partita.kit.parameters import Handle
from partita.kit.problems import Invalid

_EXTRA = "extra_forbidden"


def refusing_unknown(route: APIRoute, handle: Handle) -> Handle:
    """A handler that refuses what its route does not know, together with everything else that is wrong."""
    in_query = tuple(query_names(route.dependant))
    in_form = _form_names(route)
    refuse = _refusal(route)

    async def answer(request: Request) -> Response:
        unknown = _unknown("query", request.query_params, in_query) if request.scope["query_string"] else []
        if in_form is not None:
            unknown += _unknown("body", await request.form(), in_form)  # FastAPI reads the same one
        if not unknown:
            return await handle(request)
        try:
            return await refuse(request)
        except RequestValidationError as error:
            raise RequestValidationError([*error.errors(), *unknown]) from None

    return answer


def refuse_unknown_fields(sent: Iterable[str], known: Collection[str]) -> None:
    """The same for a form that is read while it arrives, whose fields no parameter of a function declares."""
    unknown = _unknown("body", sent, known)
    if unknown:
        raise Invalid(*field_errors(unknown, skip=1))


def with_known_fields(errors: Iterable[Any], route: object) -> list[dict[str, Any]]:
    """The errors of a request; those about fields that the body of its route does not have know which it has."""
    body = route.body_field if isinstance(route, APIRoute) else None
    if body is None:
        return [*errors]
    return [_knowing(each, body.field_info.annotation) if each["type"] == _EXTRA else each for each in errors]


def _knowing(error: dict[str, Any], kind: Any) -> dict[str, Any]:
    *path, name = error["loc"][1:] or ("",)
    model = _only_model(kind)
    for part in path:
        fields = model.model_fields.values() if model is not None else ()
        inner = next((each for each in fields if part in (each.alias, each.validation_alias)), None)
        if inner is not None:
            model = _only_model(inner.annotation)
        elif not isinstance(part, int):  # a member of a union, or something that is no field
            return error
    if model is None:
        return error
    known = tuple(each.alias or own for own, each in model.model_fields.items())
    return {**error, "ctx": {**error.get("ctx", {}), "name": str(name), "known": known}}


def _only_model(kind: Any) -> type[BaseModel] | None:
    """The model in a type such as `list[Model] | None`; None if there are several, or none."""
    if isinstance(kind, type) and not get_args(kind):
        return kind if issubclass(kind, BaseModel) else None
    found = {each for each in map(_only_model, get_args(kind)) if each is not None}
    return found.pop() if len(found) == 1 else None


def query_names(dependant: Dependant) -> Iterator[str]:
    """The query parameters that a function declares, also by what it depends on."""
    yield from (each.alias for each in dependant.query_params)
    for other in dependant.dependencies:
        yield from query_names(other)


def _form_names(route: APIRoute) -> tuple[str, ...] | None:
    """The fields of the form that a route takes; None if it takes none."""
    if route.body_field is None or not isinstance(route.body_field.field_info, Form):
        return None
    return tuple(each.alias for each in route.dependant.body_params)


def _refusal(route: APIRoute) -> Handle:
    """A handler that says what else is wrong with a request and does nothing."""

    async def nothing(**_: Any) -> None:
        raise RequestValidationError([])

    harmless = copy(route)
    harmless.dependant = replace(route.dependant, call=nothing)
    return APIRoute.get_route_handler(harmless)


def _unknown(place: str, sent: Iterable[str], known: Collection[str]) -> list[dict[str, Any]]:
    """An error for each name that is not known, as pydantic tells its own."""
    return [
        {
            "type": UNKNOWN_PARAMETER,
            "loc": (place, name),
            "msg": "There is no such parameter.",
            "input": None,
            "ctx": {"name": name, "known": known},
        }
        for name in dict.fromkeys(sent)
        if name not in known
    ]
