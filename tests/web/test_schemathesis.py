"""The APIs keep what their description promises, whatever they are sent: statuses, types, shapes, and never a 5xx.

`PARTITA_EXAMPLES` says how many requests are made up per operation; with more than a few, boundaries of every field are
tried as well (`make schemathesis`).
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.types import ASGIApp, Receive, Scope, Send

from partita.bootstrap import SYSTEMS, build
from partita.kit.permissions import ADMIN
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.web.app import create_app
from partita.web.reference import reference
from tests.apps.enablement.summaries import make_summaries
from tests.demo_folder import MOST_SECONDS, copy_demo
from tests.web.seen import Seen
from tests.web.visitor import Visitor

pytestmark = pytest.mark.timeout(MOST_SECONDS + 300)  # the first may have to make demo data
EXAMPLES = int(os.environ.get("PARTITA_EXAMPLES", "1"))
A_FEW = 20
A_REFUSAL = 2
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
Operation = schemathesis.APIOperation[Any, Any, Any, Any]
Case = schemathesis.Case[Any]
PASSWORD = "correct horse battery"


@dataclass(frozen=True, slots=True)
class Served:
    app: ASGIApp
    token: str
    """Of an administrator, for everything."""
    seen: Seen = field(default_factory=Seen)
    numbers: Iterator[int] = field(default_factory=count)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("described") / "data"
    copy_demo(data)
    suite = build(Settings(data=data, fetch=False, allowed_hosts=("testserver",)))
    asyncio.run(make_summaries(suite.kit))
    token = asyncio.run(_token(suite))
    yield Served(_from_everywhere(create_app(suite)), token)
    asyncio.run(_close(suite))


async def _token(suite: Suite) -> str:
    """An administrator's token."""
    accounts = suite.kit.accounts
    made = await accounts.registration.create("grace", "grace@example.org", "Grace", PASSWORD)
    await accounts.administration.set_roles(accounts.operator(), made.user_id, [ADMIN])
    session = await accounts.sessions.sign_in("grace", PASSWORD, user_agent="tests", address="192.0.2.1")
    viewer = await accounts.recognition.from_session(session.token)
    return (await accounts.tokens.create(viewer, "tests", sorted(viewer.permissions), 1)).text


async def _close(suite: Suite) -> None:
    await suite.close()


def _from_everywhere(app: FastAPI) -> ASGIApp:
    """Every request comes from another address, so that limits per address do not end the test early."""
    numbers = count()

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":  # the suite is opened and closed by the fixture
            number = next(numbers)
            scope["client"] = (f"198.51.{number // 250 % 250}.{number % 250}", 50000)
            await app(scope, receive, send)

    return asked


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("who", ["a visitor", "an administrator"])
def test_everybody_gets_what_is_promised(served: Served, subtests: pytest.Subtests, system: str, who: str) -> None:
    api = schemathesis.openapi.from_asgi("/api/openapi.json", served.app)
    headers = {"Authorization": f"Bearer {served.token}"} if who == "an administrator" else {}
    operations = [each.ok() for each in api.include(tag=system).get_all_operations() if isinstance(each, Ok)]
    if not operations:
        pytest.skip(f"{system} has no API yet")
    assert len(operations) == sum(
        operation["tags"] == [system] for methods in api.raw_schema["paths"].values() for operation in methods.values()
    )
    for operation in sorted(operations, key=lambda each: ORDER.index(each.method.upper())):
        with subtests.test(f"{who}: {operation.label}"):
            refused = not headers and operation.definition.raw["x-permission"] != "public"
            _try(operation, served, headers, examples=min(EXAMPLES, A_REFUSAL) if refused else EXAMPLES)


ORDER = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""Reading tells what is there; what is deleted is not there for the others."""


def test_the_commands_of_the_reference_work_as_they_are_printed(served: Served, subtests: pytest.Subtests) -> None:
    document = asyncio.run(Visitor(served.app).get("/api/openapi.json")).json
    commands = [each for chapter in reference(document).chapters for each in chapter.operations]
    for command in sorted(commands, key=lambda each: ORDER.index(each.method.upper())):
        label = f"{command.method.upper()} {command.path}"
        with subtests.test(label):
            _run(command.example, served)


def _run(command: str, served: Served) -> None:
    """Do what a terminal would; names of what there is stand in for those that the reader must know."""
    words = iter(shlex.split(command.replace("$TOKEN", served.token)))
    assert next(words) == "curl"
    method, headers, body = "GET", {}, b""
    for word in words:
        match word:
            case "-X":
                method = next(words)
            case "-H":
                name, _, value = next(words).partition(": ")
                headers[name.lower()] = value
            case "-d":
                body = next(words).encode()
            case "-F":
                return  # a file, which is not ours to have
            case _:
                path = word.removeprefix("http://127.0.0.1:8080")
    path = re.sub(r"\{(\w+)\}", lambda found: served.seen.for_parameter(found[1], 0) or "nobody", path)
    answer = asyncio.run(Visitor(served.app).ask(method, path, body, headers))
    expected = {200, 201, 202, 204, 403, 404, 409}  # what it is about may be somebody else's
    if answer.status != 422 or answer.json["code"] != "fetch_refused":  # no page is fetched here
        assert answer.status in expected, answer.text
    if answer.status == 200 and answer.headers["content-type"] == "application/json":
        served.seen.look(answer.json)


def _try(operation: Operation, served: Served, headers: dict[str, str], *, examples: int) -> None:
    # Reading all of our source for words to try takes longer than trying.
    good, bad = (
        operation.as_strategy(mode, feedback=FeedbackSources())
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    )

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=EXAMPLES <= A_FEW,
        database=None,
        # What is there changes from request to request, so a smaller example would not fail the same way.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.one_of(good, bad))
    def ask(case: Case) -> None:
        _call(case, served, headers)

    ask()
    if examples > A_FEW:
        modes, config = list(GenerationMode), operation.schema.config.generation
        for case in operation.schema.iter_coverage_cases(operation, generation_modes=modes, generation_config=config):
            _call(case, served, headers)


def _call(case: Case, served: Served, headers: dict[str, str]) -> None:
    number = next(served.numbers)
    for name in case.path_parameters or {}:
        known = served.seen.for_parameter(name, number)
        if known is not None and number % 2:
            case.path_parameters[name] = known
    response = case.call(headers=headers)
    case.validate_response(response, checks=CHECKS)
    if response.status_code == 200 and response.headers["content-type"] == ["application/json"]:
        served.seen.look(response.json())
