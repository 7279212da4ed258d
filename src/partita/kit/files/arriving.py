"""A file while it arrives: what it is shows in its first bytes, before the rest is taken."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Collection
from dataclasses import dataclass

from partita.kit.files.content import ENDINGS, kind_of
from partita.kit.problems import Problem

_HEAD_BYTES = 65_536
UNKNOWN = "application/octet-stream"


class WrongKind(Problem):
    """A file of a kind that is not taken; the sentence says which are."""

    status = 415
    code = "wrong_kind"
    title = "This file cannot be used"


@dataclass(frozen=True, slots=True)
class Arriving:
    """A file of which the beginning is here."""

    kind: str
    """By its content; `application/octet-stream` if that is nothing we know."""
    empty: bool
    chunks: AsyncIterator[bytes]
    """All of it, from the beginning."""


async def arriving(chunks: AsyncIterable[bytes]) -> Arriving:
    """Wait for the first bytes of a file, and say what it is."""
    pieces = aiter(chunks)
    head = bytearray()
    while len(head) < _HEAD_BYTES and (piece := await anext(pieces, None)) is not None:
        head += piece

    async def whole() -> AsyncIterator[bytes]:
        yield bytes(head)
        async for piece in pieces:
            yield piece

    return Arriving(kind_of(bytes(head)) or UNKNOWN, not head, whole())


def check_kind(kind: str, kinds: Collection[str]) -> None:
    """Refuse a file that is of none of the kinds; none given, all are taken."""
    if kinds and kind not in kinds:
        wanted = [ENDINGS.get(each, each).upper() for each in kinds]
        listed = f"{', '.join(wanted[:-1])} or {wanted[-1]}" if len(wanted) > 1 else wanted[0]
        what = f"a {ENDINGS[kind].upper()} file" if kind in ENDINGS else "none that we know"
        raise WrongKind(f"Choose a file in {listed}; this is {what}, whatever its name says.")
