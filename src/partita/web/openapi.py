"""The OpenAPI document: FastAPI's, completed with permissions and error responses."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
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
from partita.web.reference import Reference, reference
from partita.web.samples import sample

_KINDS: dict[int, type[Problem]] = {
    kind.status: kind
    for kind in vars(problems).values()
    if isinstance(kind, type) and issubclass(kind, Problem) and kind is not Problem
}
_EXAMPLES = {
    401: "Sign in to do this.",
    403: "This needs the permission “Approve resources” (kelifax:resource:approve). Ask an administrator for it.",
    404: "There is no resource night-sky-maps.",
    409: "The name is taken. Choose another.",
    413: "The request is larger than 1,000,000 bytes. Send less.",
    415: "Send JSON, with the header Content-Type: application/json.",
    422: "title: Please fill this in.",
    429: "Too many attempts. Try again in 30 seconds.",
    503: "The database is busy. Nothing is lost; try again in a moment.",
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
        "request_id": {"type": "string", "description": "The id of the request in our log."},
        "revision": {"type": "integer", "description": "The current revision, if an edit named an old one."},
        "errors": {
            "type": "array",
            "description": "Every bad field, if the input is invalid.",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {
                    "field": {"type": "string", "description": "With dots if it is nested: `submitter.email`."},
                    "message": {"type": "string", "description": "What to do about it."},
                },
            },
        },
    },
}
_INTRODUCTION = """\
Lists take `limit` (1 to 100) and `cursor`, and return `items` and `next_cursor`; on the last page `next_cursor` is
null. Cursors are opaque and valid only for the same list with the same arguments. Errors are
`application/problem+json` with a stable `code`. Parameters and fields that do not exist are refused with 422. Send an
API token as `Authorization: Bearer pat_…`; create one under Account, API tokens."""


_JOBS = {"name": "jobs", "description": "Long work in the background: how far it is, what came out, cancelling it."}
_ACCOUNT = {"name": "account", "description": "What is held about somebody: all of it in one document, and erasing it."}


def routes(app: FastAPI, suite: Suite) -> Routes:
    """The OpenAPI document, and a page to read it on."""
    pages = Routes("/api", tag="house", pages=True)
    # Routes do not change at run time, so it is made once, on the first request: for a second or two, beside the loop.
    # Only its text is kept, and what the page shows: as Python's own values it takes ten times as much.
    made: list[bytes] = []
    arranged: list[Reference] = []
    making = asyncio.Lock()

    def make() -> None:
        made.append(orjson.dumps(describe(app, suite)))

    async def description() -> bytes:
        async with making:
            if not made:
                await asyncio.to_thread(make)
        return made[0]

    @pages.get("/openapi.json", Access.PUBLIC, faceless=True)
    async def document() -> Response:
        return Response(await description(), media_type="application/json")

    @pages.get("/docs", Access.PUBLIC)
    async def documentation(request: Request) -> Response:
        text = await description()
        if not arranged:
            arranged.append(reference(orjson.loads(text)))
        return render(request, "reference.html", reference=arranged[0])

    return pages


def describe(app: FastAPI, suite: Suite) -> dict[str, Any]:
    """The OpenAPI document."""
    document = get_openapi(
        title="Partita",
        version=__version__,
        description=_INTRODUCTION,
        routes=app.routes,
        tags=[{"name": system.name, "description": system.purpose} for system in suite.systems] + [_JOBS, _ACCOUNT],
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
        for method, operation in methods.items():
            _complete(method, operation)
            _exemplify(operation, schemas)
    return document


def _exemplify(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Add examples of the request and the responses, if the models have none."""
    answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    for body in (operation.get("requestBody", {}), *answers):
        content = body.get("content", {}).get("application/json")
        if content and content.get("schema") and not {"example", "examples"} & content.keys():
            content["example"] = sample(content["schema"], schemas)


def _complete(method: str, operation: dict[str, Any]) -> None:
    # The first line of the docstring says more than the function's name.
    first, _, rest = operation.get("description", "").partition("\n")
    if first:
        operation["summary"], operation["description"] = first, rest.strip()
    permission = operation.get("x-permission", Access.PUBLIC)
    statuses = set(operation.pop("x-refuses", ()))
    # FastAPI adds its own 422 response to some; ours has another shape, and an unknown parameter is refused everywhere.
    operation["responses"].pop("422", None)
    statuses.add(422)
    if any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ())):
        statuses.add(400)
    if "requestBody" in operation:
        statuses.update((400, 413))
        if "application/json" in operation["requestBody"]["content"]:
            statuses.add(415)
    statuses.add(401)  # an invalid token is refused everywhere
    if permission != Access.PUBLIC:
        operation["security"] = [{"token": []}, {"session": []}]
        if permission != Access.SIGNED_IN or method != "get":  # a token may be for reading only
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
