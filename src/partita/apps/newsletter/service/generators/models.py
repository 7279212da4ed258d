"""Talking with a model: messages in, one text out, whichever service it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from partita.apps.newsletter.service.generators.values import Tokens
from partita.apps.newsletter.service.generators.writer import Listen

Stopped = Literal["end", "length", "filtered"]


@dataclass(frozen=True, slots=True)
class Message:
    """Something said in a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a model is asked."""

    system: str
    messages: tuple[Message, ...]
    most_tokens: int

    def followed_by(self, answer: str, question: str) -> Conversation:
        """The same conversation, with what was answered and what is asked next."""
        more = (Message("assistant", answer), Message("user", question))
        return Conversation(self.system, (*self.messages, *more), self.most_tokens)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered."""

    text: str
    stopped: Stopped
    tokens: Tokens


class Model(Protocol):
    """A model behind some service."""

    @property
    def service(self) -> str:
        """`bedrock`, `openai`."""

    @property
    def name(self) -> str:
        """The model's name there."""

    async def complete(self, asked: Conversation, listen: Listen | None = None) -> Completion:
        """One answer; `WriterFailed` if there is none."""


def tokens_of(asked: Conversation, text: str, read: int | None, written: int | None) -> Tokens:
    """The tokens as the service counts them; if it does not, four characters for each."""
    if read is not None and written is not None:
        return Tokens(read, written)
    sent = len(asked.system) + sum(len(message.text) for message in asked.messages)
    return Tokens(sent // 4 if read is None else read, len(text) // 4 if written is None else written, estimated=True)
