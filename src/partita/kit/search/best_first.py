"""Lists with the best match first, over pages.

A score depends on everything in an index, also on what was deleted from it: two machines that hold the same documents
score them differently, and so does one machine a moment later. So a cursor holds no score. It names the documents that
were shown, and the next page has the best of the others. A cursor can hold a few hundred names; whatever follows them
is in the order of lists without words, which is made of the documents' own values and the same everywhere.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import apsw

from partita.kit.search import reads
from partita.kit.search.reads import Matching, Row

MOST_RANKED = 240
"""So many documents are in the order of their scores, which nobody pages beyond but programs that want everything."""
_MARK_BYTES = 6
Shown = frozenset[bytes]
"""Marks of the documents that earlier pages have shown."""

REST = 2
"""The tier of those that follow the best ones, whose tiers `reads.by_match` gives."""


def rows(
    connection: apsw.Connection,
    matching: Matching,
    first: str | None,
    members: int | None,
    after: Sequence[Any] | None,
    limit: int,
    *,
    rest: int = REST,
) -> list[Row]:
    """The next of such a list: tier, score or value, id, number. What `first` matches too comes first. `members` is the
    set of what matches, if it is known."""
    shown = shown_before(after)
    found: list[Row] = []
    if after is None or after[0] != rest:
        after = None
        wanted = min(limit, MOST_RANKED - len(shown))
        best = matching.only(members)
        found = reads.by_match(connection, best, first, lambda row: mark(row) not in shown, len(shown), wanted)
        if len(found) < wanted:
            return found  # these were all
        shown |= {mark(row) for row in found}
    if len(found) < limit:
        found += in_order(connection, matching, members, rest, after, shown, limit - len(found))
    return found


def in_order(
    connection: apsw.Connection,
    matching: Matching,
    members: int | None,
    tier: int,
    after: Sequence[Any] | None,
    shown: Shown,
    limit: int,
) -> list[Row]:
    """The next in the order of lists without words, but for those that were shown."""
    place = None if after is None else after[1:3]
    ordered = reads.by_sort(connection, matching, members, matching.catalog.order, place, limit + len(shown))
    return [(tier, *row) for row in ordered if mark(row) not in shown][:limit]


def place_after(after: Sequence[Any] | None, page: Iterable[Row], scored: Iterable[int]) -> list[Any]:
    """The place after a page, as a cursor holds it: the last document's tier and, if the tier is in an order, where it
    is in it; and the documents that were shown by their scores, whose tiers are given."""
    last: Row = ()
    shown = shown_before(after)
    for last in page:
        if last[0] in scored:
            shown |= {mark(last)}
    tier, value, identity = last[:3]
    marks = b64encode(b"".join(sorted(shown))).decode()
    return [tier, None, "", marks] if tier in scored else [tier, value, identity, marks]


def shown_before(after: Sequence[Any] | None) -> Shown:
    """The marks in a place."""
    if after is None:
        return frozenset()
    marks = b64decode(after[3])
    return frozenset(marks[start : start + _MARK_BYTES] for start in range(0, len(marks), _MARK_BYTES))


def mark(row: Row) -> bytes:
    """What a cursor knows a document by: among millions, two with the same are very unlikely."""
    return blake2b(str(row[-2]).encode(errors="replace"), digest_size=_MARK_BYTES).digest()
