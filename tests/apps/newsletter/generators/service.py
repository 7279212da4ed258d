"""A service on loopback that speaks Converse and chat completions: rightly, slowly, wrongly or not at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.listening import listening

ACCESS_KEY, SECRET_KEY, TOKEN = "AKIATRIAL", "a secret of our own", "a session"
KEY = "sk-never-in-a-log"
MODEL = "maker.model-1:0"
REGION = "eu-central-1"


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def streamed(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def converse(self) -> bool:
        return self.path.endswith("/converse")

    @property
    def texts(self) -> list[str]:
        """Everything that was said to the model."""
        if self.converse:
            messages = [part["text"] for message in self.body["messages"] for part in message["content"]]
            return [part["text"] for part in self.body["system"]] + messages
        return [message["content"] for message in self.body["messages"]]


Answer = Callable[[Asked, asyncio.StreamWriter], Any]


@dataclass
class Service:
    """Where it is, what it will do, and what it was asked."""

    answers: Sequence[Answer]
    """One after the other; the last one again and again."""
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """What was not as the protocols want it."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = await self._read(reader)
            number = len(self.asked)
            self.asked.append(asked)
            self.wrong += _wrong(asked, self.port)
            await self.answers[min(number, len(self.answers) - 1)](asked, writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # whoever asked went away
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Asked:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        raw = await reader.readexactly(int(headers["content-length"]))
        return Asked(first.split(" ")[1], {**headers, "raw": raw.decode()}, json.loads(raw))


@asynccontextmanager
async def serving(*answers: Answer) -> AsyncIterator[Service]:
    """The service for as long as the block lasts."""
    service = Service(answers)
    async with listening(service.serve) as service.port:
        yield service


def says(text: str, stopped: str = "end", *, usage: bool = True) -> Answer:
    """An answer as it should be."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.streamed:
            writer.write(_head(200, "text/event-stream"))
            for event in _events(text, stopped, usage):
                writer.write(event)
                await writer.drain()
        else:
            writer.write(_whole(200, _plain(asked, text, stopped, usage)))

    return answer


def answers_with(make: Callable[[Asked], str], stopped: str = "end") -> Answer:
    """An answer that depends on what was asked."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await says(make(asked), stopped)(asked, writer)

    return answer


def status(code: int, headers: Mapping[str, str] | None = None, body: Any = None) -> Answer:
    """A refusal."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        told = {"message": "no", "error": {"message": f"Incorrect key {KEY}", "code": "nope"}} if body is None else body
        writer.write(_whole(code, json.dumps(told).encode(), headers or {}))

    return answer


def sends(body: bytes, kind: str = "application/json") -> Answer:
    """These bytes, whatever was asked."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(_whole(200, body, {}, kind))

    return answer


async def never(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """No byte at all."""
    await asyncio.Event().wait()


async def trickles(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """A beginning, and then nothing more."""
    kind = "text/event-stream" if asked.streamed else "application/json"
    writer.write(_head(200, kind, 100_000) + b" ")
    await writer.drain()
    await asyncio.Event().wait()


def breaks_off(text: str) -> Answer:
    """Half of an answer, and the end of the connection."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.streamed:
            whole = b"".join(_events(text, "end", True))
            writer.write(_head(200, "text/event-stream") + whole[: len(whole) // 2])
        else:
            whole = _whole(200, _plain(asked, text, "end", True))
            writer.write(whole[: len(whole) // 2])

    return answer


async def hangs_up(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """The connection ends without an answer."""


def _plain(asked: Asked, text: str, stopped: str, usage: bool) -> bytes:
    if asked.converse:
        reason = {"end": "end_turn", "length": "max_tokens", "filtered": "content_filtered"}.get(stopped, stopped)
        told: dict[str, Any] = {
            "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
            "stopReason": reason,
            "metrics": {"latencyMs": 1},
        }
        if usage:
            told["usage"] = {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120}
    else:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": _reason(stopped)}
        told = {"id": "1", "object": "chat.completion", "choices": [choice]}
        if usage:
            told["usage"] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return json.dumps(told).encode()


def _events(text: str, stopped: str, usage: bool) -> list[bytes]:
    pieces = [text[at : at + 40] for at in range(0, len(text), 40)]
    changes: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    changes.append({"choices": [{"index": 0, "delta": {}, "finish_reason": _reason(stopped)}]})
    if usage:
        changes.append({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}})
    return [f"data: {json.dumps(change)}\n\n".encode() for change in changes] + [b"data: [DONE]\n\n"]


def _reason(stopped: str) -> str:
    return {"end": "stop", "length": "length", "filtered": "content_filter"}.get(stopped, stopped)


def _head(code: int, kind: str, length: int | None = None, headers: Mapping[str, str] | None = None) -> bytes:
    lines = [f"HTTP/1.1 {code} Told", f"Content-Type: {kind}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _whole(code: int, body: bytes, headers: Mapping[str, str] | None = None, kind: str = "application/json") -> bytes:
    return _head(code, kind, len(body), headers) + body


def _wrong(asked: Asked, port: int) -> list[str]:
    """What a service would refuse: path, key, signature, shape of the body."""
    found = []
    if asked.converse:
        if unquote(asked.path) != f"/model/{MODEL}/converse":
            found.append(f"path {asked.path}")
        if asked.headers.get("authorization") != _signature(asked, port):
            found.append("signature")
        roles = [message["role"] for message in asked.body["messages"]]
        if set(asked.body) != {"system", "messages", "inferenceConfig"}:
            found.append(f"body {sorted(asked.body)}")
    else:
        if asked.path != "/v1/chat/completions":
            found.append(f"path {asked.path}")
        if asked.headers.get("authorization") != f"Bearer {KEY}":
            found.append("key")
        roles = [message["role"] for message in asked.body["messages"]][1:]
        if asked.body["model"] != MODEL or asked.body["messages"][0]["role"] != "system":
            found.append("body")
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"]:
        found.append(f"roles {roles}")
    return found


def _signature(asked: Asked, port: int) -> str:
    """As botocore signs it: another implementation than ours."""
    request = AWSRequest(
        "POST",
        f"http://127.0.0.1:{port}{asked.path}",
        headers={"Content-Type": asked.headers["content-type"], "X-Amz-Date": asked.headers["x-amz-date"]},
        data=asked.headers["raw"].encode(),
    )
    request.headers["X-Amz-Security-Token"] = TOKEN
    request.context["timestamp"] = asked.headers["x-amz-date"]
    signer = SigV4Auth(Credentials(ACCESS_KEY, SECRET_KEY, TOKEN), "bedrock", REGION)
    canonical = signer.canonical_request(request)
    text = signer.string_to_sign(request, canonical)
    signed = ";".join(("content-type", "host", "x-amz-date", "x-amz-security-token"))
    scope = f"{asked.headers['x-amz-date'][:8]}/{REGION}/bedrock/aws4_request"
    return (
        f"AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{scope}, SignedHeaders={signed},"
        f" Signature={signer.signature(text, request)}"
    )
