"""Byte ranges (RFC 9110, section 14): which part of a file a request asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from partita.kit.problems import Problem

_RANGE = re.compile(r"bytes=[ \t]*(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))[ \t]*", re.IGNORECASE)
_ENTITY_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')


@dataclass(frozen=True, slots=True)
class Slice:
    """Part of a file: `length` bytes from `start` on."""

    start: int
    length: int

    def content_range(self, size: int) -> str:
        """As the header says it."""
        return f"bytes {self.start}-{self.start + self.length - 1}/{size}"


class RangeNotSatisfiable(Problem):
    """A range that begins after the end of the file."""

    status = 416
    code = "range_not_satisfiable"
    title = "This part does not exist"

    def __init__(self, size: int) -> None:
        super().__init__(f"The file has {size:,} bytes, and this range begins after them.")
        self.size = size

    @property
    def headers(self) -> dict[str, str]:
        return {"Content-Range": f"bytes */{self.size}"}


def slice_of(header: str | None, size: int) -> Slice | None:
    """The part that a `Range` header asks for; None for the whole file.

    What is no range, and several ranges at once, are answered with the whole file, as the RFC allows.
    """
    asked = _RANGE.fullmatch(header) if header else None
    if asked is None:
        return None
    first, last, suffix = asked.groups()
    if suffix is not None:
        if int(suffix) == 0:
            raise RangeNotSatisfiable(size)
        # The last bytes of an empty file are the whole of it.
        return Slice(max(0, size - int(suffix)), min(int(suffix), size)) if size else None
    start = int(first)
    if last and int(last) < start:
        return None
    if start >= size:
        raise RangeNotSatisfiable(size)
    return Slice(start, min(int(last), size - 1) - start + 1 if last else size - start)


def same_file(if_range: str | None, tag: str) -> bool:
    """Whether a range may be answered: without `If-Range`, or if that names this very file."""
    # A date is never the same: files are known by their tags, and a date is too coarse to tell two of them apart.
    return if_range is None or if_range.strip() == f'"{tag}"'


def is_known(if_none_match: str | None, tag: str) -> bool:
    """Whether `If-None-Match` names this file; weak tags count, as the RFC says."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or any(found[2] == tag for found in _ENTITY_TAG.finditer(if_none_match))
