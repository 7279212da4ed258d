"""Models behind any service that speaks chat completions, plain or streamed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict
from yarl import URL

from partita.apps.newsletter.service.generators.calls import Caller, Chunks, Passing, Refused, whole
from partita.apps.newsletter.service.generators.models import Completion, Conversation, Stopped, tokens_of
from partita.apps.newsletter.service.generators.writer import Listen

_STOPPED: dict[str, Stopped] = {"stop": "end", "length": "length", "content_filter": "filtered"}
_INSTEAD: dict[str, str | None] = {
    "max_tokens": "max_completion_tokens",
    "temperature": None,
    "stream_options": None,
}
"""Parameters that some services refuse, and what to send in their place."""
_EVENTS = "text/event-stream"
_MOST_LINE = 1_000_000


@dataclass(frozen=True, slots=True, repr=False)
class OpenAIModel:
    """A model at an address; never shown, since it holds the key."""

    caller: Caller
    url: str
    name: str
    key: str | None = None
    leave_out: frozenset[str] = frozenset()
    service: str = "openai"

    async def complete(self, asked: Conversation, listen: Listen | None = None) -> Completion:
        """One answer; a parameter that the service does not know is left out and asked without."""
        try:
            return await self._complete(asked, listen)
        except Refused as refused:
            if refused.status != 400 or refused.parameter not in _INSTEAD or refused.parameter in self.leave_out:
                raise
            simpler = replace(self, leave_out=self.leave_out | {refused.parameter})
            return await simpler.complete(asked, listen)

    async def _complete(self, asked: Conversation, listen: Listen | None) -> Completion:
        async def read(kind: str, chunks: Chunks) -> Completion:
            if kind == _EVENTS:
                return await _streamed(asked, chunks, listen)
            return _completion(asked, _Answer.model_validate_json(await whole(chunks)))

        url = URL(self.url.rstrip("/") + "/chat/completions", encoded=True)
        return await self.caller.post(url, self._body(asked, stream=listen is not None), self._headers, read)

    async def _headers(self) -> Mapping[str, str]:
        sent = {"Content-Type": "application/json", "Accept": f"application/json, {_EVENTS}"}
        return sent if self.key is None else {**sent, "Authorization": f"Bearer {self.key}"}

    def _body(self, asked: Conversation, *, stream: bool) -> bytes:
        messages = [{"role": "system", "content": asked.system}]
        messages += [{"role": message.role, "content": message.text} for message in asked.messages]
        body: dict[str, Any] = {"model": self.name, "messages": messages}
        wanted: dict[str, Any] = {"max_tokens": asked.most_tokens, "temperature": 0.3}
        if stream:
            body["stream"] = True
            wanted["stream_options"] = {"include_usage": True}
        for parameter, value in wanted.items():
            name = _INSTEAD[parameter] if parameter in self.leave_out else parameter
            if name is not None:
                body[name] = value
        return orjson.dumps(body)


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Said(_Part):
    content: str | None = None


class _Choice(_Part):
    message: _Said
    finish_reason: str | None = None


class _Change(_Part):
    delta: _Said = _Said()
    finish_reason: str | None = None


class _Usage(_Part):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Answer(_Part):
    choices: list[_Choice]
    usage: _Usage | None = None


class _Event(_Part):
    choices: list[_Change] = []
    usage: _Usage | None = None
    error: Any = None


def _completion(asked: Conversation, answer: _Answer) -> Completion:
    if not answer.choices:
        raise Passing("The model gave no answer.")
    choice = answer.choices[0]
    return _finished(asked, choice.message.content or "", choice.finish_reason or "stop", answer.usage)


def _finished(asked: Conversation, text: str, reason: str, usage: _Usage | None) -> Completion:
    stopped = _STOPPED.get(reason)
    if stopped is None:
        raise Passing("The model stopped for a reason that is not known here.")
    if stopped != "filtered" and not text.strip():
        raise Passing("The model gave an empty answer.")
    counted = usage or _Usage()
    return Completion(text, stopped, tokens_of(asked, text, counted.prompt_tokens, counted.completion_tokens))


async def _streamed(asked: Conversation, chunks: Chunks, listen: Listen | None) -> Completion:
    text, reason, usage = "", "", None
    async for data in _events(chunks):
        if data == b"[DONE]":
            break
        event = _Event.model_validate_json(data)
        if event.error is not None:
            raise Passing("The model reported an error in the middle of its answer.")
        usage = event.usage or usage
        if event.choices:
            text += event.choices[0].delta.content or ""
            reason = event.choices[0].finish_reason or reason
            if listen is not None:
                listen(text)
    if not reason:
        raise Passing("The model broke off in the middle of its answer.")
    return _finished(asked, text, reason, usage)


async def _events(chunks: Chunks) -> AsyncIterator[bytes]:
    """The data of server-sent events; each of this protocol is one line."""
    left = b""
    async for chunk in chunks:
        *lines, left = (left + chunk).split(b"\n")
        if len(left) > _MOST_LINE:
            raise ValueError("a line of events has no end")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    if left.startswith(b"data:"):
        yield left[5:].strip()
