"""The API's description: made by FastAPI from the routes, completed by who may use each and what it refuses."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.responses import Response

from partita import __version__
from partita.kit import problems
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.problems import Problem
from partita.kit.routes import Routes
from partita.kit.suite import Suite
from partita.web.errors import PROBLEM_TYPE
from partita.web.recognise import session_cookie
from partita.web.reference import reference
from partita.web.samples import sample

_KINDS: dict[int, type[Problem]] = {
    kind.status: kind
    for kind in vars(problems).values()
    if isinstance(kind, type) and issubclass(kind, Problem) and kind is not Problem
}
_EXAMPLES = {
    401: "Sign in to do this.",
    403: "This needs the permission kelifax:resource:approve. Ask an administrator for it.",
    404: "There is no resource never-heard-of.",
    409: "The name is taken. Choose another.",
    413: "The request is larger than 1,000,000 bytes. Send less.",
    422: "title: Please fill this in.",
    429: "That was too often. Try again in 30 seconds.",
    503: "The tables do not answer right now. Nothing is lost; try again in a moment.",
}
_PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong (RFC 9457).",
    "required": ["type", "title", "status", "detail", "code", "request_id"],
    "properties": {
        "type": {"type": "string", "description": "`urn:partita:problem:` and the code."},
        "title": {"type": "string", "description": "The kind of problem in a few words."},
        "status": {"type": "integer", "description": "The HTTP status."},
        "detail": {"type": "string", "description": "What happened, and the next step."},
        "code": {"type": "string", "description": "A stable name for programs."},
        "request_id": {"type": "string", "description": "The request's name in our log."},
        "errors": {
            "type": "array",
            "description": "Every bad field, where fields are what is wrong.",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {
                    "field": {"type": "string", "description": "Dotted where it is nested: `submitter.email`."},
                    "message": {"type": "string", "description": "What to do about it."},
                },
            },
        },
    },
}
_INTRODUCTION = """\
Lists take `limit` (1 to 100) and `cursor`, and answer with `items` and `next_cursor`; without a `next_cursor` the list
ends. Cursors are opaque and belong to one list with its arguments. Errors are `application/problem+json` with a stable
`code`. Send an API token as `Authorization: Bearer pat_…`; make one under Account, API tokens."""


def routes(app: FastAPI, suite: Suite) -> Routes:
    """The description, and a page to read it on."""
    pages = Routes("/api", tag="house", pages=True)
    # Systems add no routes while they run, so both are made once, when first asked for.
    made: dict[str, Any] = {}

    def description() -> dict[str, Any]:
        if "document" not in made:
            made["document"] = describe(app, suite)
            made["json"] = orjson.dumps(made["document"])
        document: dict[str, Any] = made["document"]
        return document

    @pages.get("/openapi.json", Access.PUBLIC, faceless=True)
    async def document() -> Response:
        description()
        return Response(made["json"], media_type="application/json")

    @pages.get("/docs", Access.PUBLIC)
    async def documentation(request: Request) -> Response:
        return render(request, "reference.html", reference=reference(description()))

    return pages


def operation_name(route: APIRoute) -> str:
    """`kelifax_submit`: the system and the function."""
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name


def describe(app: FastAPI, suite: Suite) -> dict[str, Any]:
    """The OpenAPI document."""
    document = get_openapi(
        title="Partita",
        version=__version__,
        description=_INTRODUCTION,
        routes=app.routes,
        tags=[{"name": system.name, "description": system.purpose} for system in suite.systems],
    )
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = _PROBLEM
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "An API token (`pat_…`) or an OIDC access token."},
        "session": {"type": "apiKey", "in": "cookie", "name": session_cookie(suite.kit.settings)},
    }
    document["servers"] = [{"url": suite.kit.settings.base_url}]
    for methods in document["paths"].values():
        for operation in methods.values():
            _complete(operation)
            _exemplify(operation, schemas)
    return document


def _exemplify(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    """An example of what is sent and of what is answered, where the models give none."""
    answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    for told in (operation.get("requestBody", {}), *answers):
        content = told.get("content", {}).get("application/json")
        if content and content.get("schema") and not {"example", "examples"} & content.keys():
            content["example"] = sample(content["schema"], schemas)


def _complete(operation: dict[str, Any]) -> None:
    # The first sentence of what is said of it says more than the function's name.
    first, _, rest = operation.get("description", "").partition("\n")
    if first:
        operation["summary"], operation["description"] = first, rest.strip()
    permission = operation.get("x-permission", Access.PUBLIC)
    statuses = set(operation.pop("x-refuses", ()))
    # FastAPI says 422 wherever there is something to get wrong; ours have another shape.
    if operation["responses"].pop("422", None):
        statuses.add(422)
    if any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ())):
        statuses.add(400)
    if "requestBody" in operation:
        statuses.update((400, 413))
    statuses.add(401)  # a token that is not good is refused everywhere
    if permission != Access.PUBLIC:
        operation["security"] = [{"token": []}, {"session": []}]
        if permission != Access.SIGNED_IN:
            statuses.add(403)
    for status in sorted(statuses):
        operation["responses"].setdefault(str(status), _response(status))


def _response(status: int) -> dict[str, Any]:
    kind = _KINDS.get(status)
    title = kind.title if kind else HTTPStatus(status).phrase
    code = kind.code if kind else "problem"
    example: dict[str, Any] = {
        "type": f"urn:partita:problem:{code}",
        "title": title,
        "status": status,
        "detail": _EXAMPLES.get(status, f"{title}."),
        "code": code,
        "request_id": "01jz6w3k5v8m2q4r7t9x0y1z2a",
    }
    if status == 422:
        example["errors"] = [{"field": "title", "message": "Please fill this in."}]
    response: dict[str, Any] = {
        "description": title,
        "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}},
    }
    if status in (429, 503):
        response["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    return response
