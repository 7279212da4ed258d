"""Models of Amazon Bedrock, by its Converse operation; signed with what botocore's chain finds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import orjson
from pydantic import BaseModel, ConfigDict, Field
from yarl import URL

from partita.apps.newsletter.service.generators.calls import Caller, Chunks, Passing, whole
from partita.apps.newsletter.service.generators.models import Completion, Conversation, Stopped, tokens_of
from partita.apps.newsletter.service.generators.writer import Listen
from partita.dynamo.signature import ALGORITHM, TIMESTAMP, canonical_request, scope, signature
from partita.store.signing import Credentials, CredentialsSource

Find = Callable[[], tuple[str, str, CredentialsSource]]
"""Where Bedrock is and who we are: endpoint, region, credentials; `WriterFailed` if nobody knows."""
_SERVICE = "bedrock"
_STOPPED: dict[str, Stopped] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filtered": "filtered",
    "guardrail_intervened": "filtered",
}


@dataclass(frozen=True, slots=True, repr=False)
class BedrockModel:
    """A model of one region; never shown, since it can sign."""

    caller: Caller
    name: str
    find: Find
    service: str = "bedrock"

    async def complete(self, asked: Conversation, listen: Listen | None = None) -> Completion:
        """One answer, in one piece."""
        # Both may read files and ask other services.
        endpoint, region, source = await asyncio.to_thread(self.find)
        body = _body(asked)
        url = URL(f"{endpoint.rstrip('/')}/model/{quote(self.name, safe='')}/converse", encoded=True)

        async def headers() -> Mapping[str, str]:
            credentials = await asyncio.to_thread(source)
            return signed_headers(url.raw_path, urlsplit(endpoint).netloc, body, region, credentials, time.time())

        async def read(_kind: str, chunks: Chunks) -> Completion:
            completion = _completion(asked, _Answer.model_validate_json(await whole(chunks)))
            if listen is not None:
                listen(completion.text)
            return completion

        return await self.caller.post(url, body, headers, read)


def signed_headers(
    path: str, host: str, body: bytes, region: str, credentials: Credentials, now: float
) -> dict[str, str]:
    """The headers of a request; AWS signs a path that is encoded once more, for every service but S3."""
    moment = time.strftime(TIMESTAMP, time.gmtime(now))
    headers = {"content-type": "application/json", "host": host, "x-amz-date": moment}
    if credentials.token is not None:
        headers["x-amz-security-token"] = credentials.token
    names = tuple(headers)
    request = canonical_request("POST", quote(path, safe="/-_.~"), "", headers, names, body)
    signed = signature(request, credentials.secret_key, moment, region, _SERVICE)
    headers["authorization"] = (
        f"{ALGORITHM} Credential={credentials.access_key}/{scope(moment[:8], region, _SERVICE)}, "
        f"SignedHeaders={';'.join(names)}, Signature={signed}"
    )
    return headers


def _body(asked: Conversation) -> bytes:
    return orjson.dumps(
        {
            "system": [{"text": asked.system}],
            "messages": [{"role": message.role, "content": [{"text": message.text}]} for message in asked.messages],
            "inferenceConfig": {"maxTokens": asked.most_tokens, "temperature": 0.3},
        }
    )


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Block(_Part):
    text: str = ""


class _Said(_Part):
    content: list[_Block]


class _Output(_Part):
    message: _Said


class _Usage(_Part):
    read: int | None = Field(default=None, alias="inputTokens")
    written: int | None = Field(default=None, alias="outputTokens")


class _Answer(_Part):
    output: _Output
    reason: str = Field(alias="stopReason")
    usage: _Usage = _Usage()


def _completion(asked: Conversation, answer: _Answer) -> Completion:
    text = "".join(block.text for block in answer.output.message.content)
    stopped = _STOPPED.get(answer.reason)
    if stopped is None:
        raise Passing("The model stopped for a reason that is not known here.")
    if stopped != "filtered" and not text.strip():
        raise Passing("The model gave an empty answer.")
    return Completion(text, stopped, tokens_of(asked, text, answer.usage.read, answer.usage.written))
