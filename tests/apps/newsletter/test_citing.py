"""Where sources are cited: the number at a source is the number of its rows, whoever wrote them."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from partita.apps.newsletter import schema
from partita.apps.newsletter import system as newsletter_system
from partita.apps.newsletter.schema import Draft, Source
from partita.kit.changes.schema import parked_changes
from partita.table import Delete, Put
from partita.table.types import timestamp
from tests.apps.house import replay, worker_of
from tests.apps.newsletter.conftest import ADA, BEGUN, Desk, desk_in

NOW = timestamp(BEGUN)
CODES, SOURCES = ("NL-20260302-AAAA", "NL-20260302-BBBB"), ("s1", "s2")
Step = tuple[Any, ...]
Rows = dict[tuple[str, str], dict[str, Any]]


def _draft(code: str, *source_ids: str) -> Draft:
    citations = tuple({"n": n, "source_id": each} for n, each in enumerate(source_ids, 1))
    return Draft(newsletter_code=code, updated_at=NOW, citations=citations)


def _source(source_id: str) -> Source:
    return Source(source_id=source_id, title="Rains", kind="text", created_by=ADA.id, created_at=NOW)


def _rows(desk: Desk) -> Rows:
    return {key: desk.row(*key) for key in desk.everything()}


def _copy(desk: Desk, rows: Rows, *, replace: bool = False) -> None:
    """What `partita copy` does with rows that were kept."""
    for key, row in rows.items():
        if replace or not desk.row(*key):
            desk.put(row)


async def _follow(desk: Desk) -> None:
    """Handle all changes; none may be given up, and every number is right."""
    await worker_of(desk.kit, newsletter_system.build(desk.kit)).drain()
    assert [each async for each in desk.kit.store.stream(parked_changes())] == []
    counted = {pk: row.get("cited_in", 0) for (pk, sk), row in _rows(desk).items() if sk == "METADATA" and "#s" in pk}
    marks = [pk for pk, sk in desk.everything() if sk.startswith("CITED#")]
    assert counted == {pk: marks.count(pk) for pk in counted}


@pytest.mark.anyio
@pytest.mark.parametrize("draft_first", [True, False])
async def test_a_newsletter_whose_rows_were_copied_back_can_be_deleted_again(desk: Desk, draft_first: bool) -> None:
    code = (await desk.newsletter()).newsletter_code
    for row in (_source("s1"), _draft(code, "s1")):
        await desk.kit.store.write(Put(row))
    await _follow(desk)
    kept = _rows(desk)
    desk.worker()
    for _ in range(2):
        await desk.service.removals.delete(ADA, code)
        await desk.worker().drain()
        await _follow(desk)
        assert desk.row("SOURCE#s1", "METADATA")["cited_in"] == 0
        _copy(desk, dict(sorted(kept.items(), reverse=draft_first)))
        await _follow(desk)
        assert desk.row("SOURCE#s1", "METADATA")["cited_in"] == 1


@pytest.mark.anyio
async def test_the_mark_of_a_source_that_is_gone_goes_with_its_draft(desk: Desk) -> None:
    for row in (_source("s1"), _draft(CODES[0], "s1")):
        await desk.kit.store.write(Put(row))
    await _follow(desk)
    await desk.kit.store.write(Delete(_source("s1").own_key))
    await desk.kit.store.write(Delete(_draft(CODES[0]).own_key))
    await _follow(desk)
    assert desk.everything() == []


@pytest.mark.anyio
async def test_marks_and_sources_that_come_back_alone_are_counted(desk: Desk) -> None:
    for row in (_source("s1"), _draft(CODES[0], "s1"), _draft(CODES[1], "s1")):
        await desk.kit.store.write(Put(row))
    await _follow(desk)
    kept = _rows(desk)
    for code in CODES:
        await desk.kit.store.write(Delete(_draft(code).own_key))
    await _follow(desk)
    _copy(desk, {key: row for key, row in kept.items() if key[1].startswith("CITED#")})
    await _follow(desk)
    assert desk.row("SOURCE#s1", "METADATA")["cited_in"] == 2
    wrong = {**kept["SOURCE#s1", "METADATA"], "cited_in": 7}
    _copy(desk, {("SOURCE#s1", "METADATA"): wrong}, replace=True)
    await _follow(desk)
    assert desk.row("SOURCE#s1", "METADATA")["cited_in"] == 2


_CODE, _SOURCE = st.sampled_from(CODES), st.sampled_from(SOURCES)
_PLACES = st.sets(st.sampled_from(["DRAFT", "CITED", "METADATA"]), min_size=1).map(lambda places: tuple(sorted(places)))
_STEPS = st.one_of(
    st.tuples(st.just("cite"), _CODE, st.lists(_SOURCE, max_size=3)),
    st.tuples(st.just("delete"), _CODE),
    st.tuples(st.just("delete source"), _SOURCE),
    st.tuples(st.just("copy"), _PLACES, st.booleans()),
    st.tuples(st.just("follow")),
    st.tuples(st.just("again")),
)
_CITED = ("cite", CODES[0], ["s1"])
_DELETED = ("delete", CODES[0])


@given(st.lists(_STEPS, max_size=14))
@example([_CITED, ("follow",), _DELETED, ("follow",), ("copy", ("CITED",), False), ("follow",), _CITED, _DELETED])
@example([_CITED, ("follow",), ("delete source", "s1"), ("copy", ("METADATA",), False), _DELETED])
def test_whatever_is_cited_deleted_and_copied_back_the_number_is_right(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder, desk_in(Path(folder)) as desk:
        asyncio.run(_law(desk, steps))


async def _law(desk: Desk, steps: Iterable[Step]) -> None:
    kept: Rows = {}
    for source_id in SOURCES:
        await desk.kit.store.write(Put(_source(source_id)))
    for name, *given_values in (*steps, ("follow",), ("again",)):
        await _take(desk, name, given_values, kept)
        kept |= _rows(desk)


async def _take(desk: Desk, name: str, values: list[Any], kept: Rows) -> None:
    if name == "cite":
        await desk.kit.store.write(Put(_draft(values[0], *values[1])))
    elif name == "delete":
        await desk.kit.store.write(Delete(_draft(values[0]).own_key))
    elif name == "delete source":
        desk.worker()
        if await desk.kit.store.get(schema.source(values[0])) is not None:
            await desk.service.source_removals.delete_private(values[0])
            await desk.worker().drain()
    elif name == "copy":
        _copy(desk, {key: row for key, row in kept.items() if key[1].startswith(values[0])}, replace=values[1])
    else:
        if name == "again":
            await replay(desk.kit, newsletter_system.build(desk.kit), "newsletter.citing")
        await _follow(desk)
