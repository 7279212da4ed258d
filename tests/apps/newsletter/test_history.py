"""Versions of a draft: which are kept, what changed, and going back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.newsletter.inputs import DraftReset, SectionEdit
from partita.apps.newsletter.schema import Draft
from partita.kit.problems import NotFound
from partita.table import Update
from tests.apps.newsletter.drafted import CODE, ED, OLGA, RIA, TEXTS, Desk, desk_in

pytestmark = pytest.mark.anyio
KEY = "research_findings"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


async def _actions(desk: Desk) -> list[tuple[int, str]]:
    page = await desk.history.page(RIA, CODE)
    return [(each.revision, each.action) for each in page]


async def test_ten_minutes_of_editing_are_one_version(desk: Desk) -> None:
    await desk.fill()
    for number in range(1, 5):
        await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=f"Text {number}.", revision=number))
        desk.clock.on(minutes=2)
    assert await _actions(desk) == [(5, "saved"), (1, "generated")]
    desk.clock.on(minutes=5)
    await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text="Later.", revision=5))
    assert await _actions(desk) == [(6, "saved"), (5, "saved"), (1, "generated")]
    assert (await desk.history.version(OLGA, CODE, 5)).sections[KEY] == "Text 4."


async def test_another_person_and_a_reset_are_versions_of_their_own(desk: Desk) -> None:
    await desk.fill()
    await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text="Olga's.", revision=1))
    await desk.drafts.save_section(ED, CODE, KEY, SectionEdit(text="Ed's.", revision=2))
    await desk.drafts.reset(ED, CODE, DraftReset())
    assert await _actions(desk) == [(4, "reset"), (3, "saved"), (2, "saved"), (1, "generated")]


async def test_what_changed_is_told_by_words(desk: Desk) -> None:
    await desk.fill()
    new = TEXTS[KEY].replace("12 percent", "14 percent")
    await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=new, revision=1))
    comparison = await desk.history.compare(RIA, CODE, None, 2)
    assert comparison is not None
    (changed,) = comparison.changed
    assert changed.heading == "Research Findings"
    assert [piece for piece in changed.pieces if piece.mark != "="] == [("-", "12"), ("+", "14")]
    assert await desk.history.compare(RIA, CODE, None, 1) is None
    with pytest.raises(NotFound):
        await desk.history.compare(RIA, CODE, 1, 7)


async def test_going_back_loses_nothing_and_numbers_keep_their_meaning(desk: Desk) -> None:
    await desk.fill()
    await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text="Only rain [3].", revision=1))
    await desk.drafts.tidy_numbers(OLGA, CODE)
    assert desk.row("DRAFT")["citations"][0]["chunk_id"] == "chunk-c"
    back = await desk.history.restore(OLGA, CODE, 1)
    numbers = {int(each["n"]): each["chunk_id"] for each in back.draft.citations}
    assert [numbers[number] for number in (2, 3)] == ["chunk-a", "chunk-b"]
    assert "percent [2]" in back.texts[KEY]
    assert "early [3]" in back.texts[KEY]
    assert [action for _, action in await _actions(desk)] == ["restored", "saved", "generated"]


async def test_the_history_is_read_in_pages(desk: Desk) -> None:
    await desk.fill()
    for number in range(1, 6):
        await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=f"Text {number}.", revision=number))
        desk.clock.on(minutes=11)
    first = await desk.history.page(OLGA, CODE, limit=4)
    rest = await desk.history.page(OLGA, CODE, limit=4, cursor=first.next_cursor)
    assert [each.revision for each in (*first, *rest)] == [6, 5, 4, 3, 2, 1]


@given(st.lists(st.sampled_from(["we save", "we reset", "they write"]), min_size=1, max_size=6))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_is_lost_whoever_wrote_it(tmp_path_factory: pytest.TempPathFactory, deeds: list[str]) -> None:
    async def story(desk: Desk) -> None:
        await desk.fill()
        written: list[str] = []
        for number, deed in enumerate((*deeds, "we reset")):
            draft = await desk.draft()
            text = f"Text {number}."
            if deed == "we save":
                await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=text, revision=draft.revision))
            elif deed == "we reset":
                await desk.drafts.reset(OLGA, CODE, DraftReset())
                continue
            else:  # another program: no revision, no history
                theirs = f"# Digest\n\n## Research Findings\n\n{text}\n\n## Conclusion\n\nBye."
                changes = (Draft.user_edits.set(theirs), Draft.has_user_edits.set(True))
                await desk.kit.store.write(Update(draft.own_key, *changes))
            written.append(text)
            desk.clock.on(minutes=11)
            if deed == "they write" and deeds[number + 1 :][:1] == ["they write"]:
                written.remove(text)  # they have replaced it themselves
        kept = [await desk.history.version(OLGA, CODE, revision) for revision, _ in await _actions(desk)]
        for text in written:
            assert any(text in version.text for version in kept), (text, deeds)
        assert len({each.revision for each in kept}) == len(kept)
        now = (await desk.draft()).revision
        assert max((each.revision for each in kept), default=now) == now

    with desk_in(tmp_path_factory.mktemp("history")) as desk:
        asyncio.run(story(desk))
