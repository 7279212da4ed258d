"""A form that the tables refuse comes back with what was typed, whatever the reason."""

from __future__ import annotations

import pytest
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from partita.dynamo.errors import ThroughputExceededError, ValidationError
from partita.kit.forms import Parsed, submitted
from partita.kit.inputs import StaleEdit
from partita.kit.problems import NotFound, TooMany
from partita.table.errors import ChangedMeanwhileError, ItemTooLargeError

pytestmark = pytest.mark.anyio


class Note(BaseModel):
    text: str


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _request(body: bytes, **state: object) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", b"application/x-www-form-urlencoded")]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": headers, "state": dict(state)}, receive)


async def _send(error: Exception | None, **state: object) -> Response:
    async def save(note: Note) -> Response:
        if error is not None:
            raise error
        return Response("saved", 303)

    async def again(form: Parsed[Note]) -> Response:
        return Response(str(form.values["text"]), form.problem.status if form.problem else 200)

    return await submitted(_request(b"text=What+I+typed", **state), Note, save, again)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ChangedMeanwhileError("The note", None), 409),
        (StaleEdit(7), 409),
        (ItemTooLargeError("The note has 500 KB."), 413),
        (TooMany("Too often.", retry_after=7), 429),
        (ThroughputExceededError("Slow down"), 503),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
async def test_what_was_typed_is_shown_again_with_the_status_of_the_refusal(error: Exception, status: int) -> None:
    answer = await _send(error)
    assert (answer.status_code, answer.body) == (status, b"What I typed")


@pytest.mark.parametrize("error", [NotFound("Gone."), ValidationError("A bug of ours"), RuntimeError("A bug")])
async def test_what_no_form_can_mend_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        await _send(error)


async def test_a_restored_form_is_shown_and_not_saved() -> None:
    assert (await _send(None)).status_code == 303
    answer = await _send(None, restored=True)
    assert (answer.status_code, answer.body) == (200, b"What I typed")
