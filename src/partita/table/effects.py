"""What steps ask of a store: requests, and a few things that are no request. The store answers, blocking or not."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, TypeAlias, TypeVar

from partita.dynamo.frozen import dataclass
from partita.dynamo.requests import ItemRequest

R = TypeVar("R")
Response = dict[str, Any]


class Effect:
    """Something a store does for its steps that is no request."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Pause(Effect):
    """Wait before going on: the table was too busy for a part of a batch."""

    tries: int


@dataclass(frozen=True, slots=True)
class Now(Effect):
    """Tell the time: `{"Now": seconds since 1970}`."""


@dataclass(frozen=True, slots=True)
class SaveFiles(Effect):
    """Save files, all of them safely before going on."""

    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class LoadFiles(Effect):
    """Load files: `{name: content}` without those that are not there."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteFiles(Effect):
    """Delete files that nothing names."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unreadable(Effect):
    """Tell of a row that a list passed over, since it does not fit its type."""

    table: str
    item_type: str
    key: str
    wrong: tuple[tuple[str, str], ...]
    """Which fields do not fit, and why; not what is stored in them."""


Steps: TypeAlias = Generator[ItemRequest | Effect, Response, R]
"""Yields requests, is sent their responses or has DynamoDB's errors thrown into it, returns a result."""
