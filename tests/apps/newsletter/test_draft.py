"""Editing a draft: apart from what was generated, never over somebody else's text, and counted anew."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.newsletter.inputs import DraftEdit, DraftReset, SectionEdit
from partita.apps.newsletter.schema import Draft
from partita.apps.newsletter.service.draft import MOST_CHARACTERS, TextChanged
from partita.kit.problems import Conflict, Forbidden, NotFound, TooLarge
from partita.table import Put
from tests.apps.house import BAD_WEATHER
from tests.apps.newsletter.drafted import CODE, ED, OLGA, RIA, STAN, TEXTS, Desk, desk_in

pytestmark = pytest.mark.anyio
KEY = "research_findings"
LATER = "2026-02-01T00:00:00.000000Z"
NEW = "## Research Findings\n\nSorghum yields rose by a lot [1]."


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


async def test_a_draft_is_read_in_the_order_of_its_text(desk: Desk) -> None:
    await desk.fill(sections=dict(sorted(TEXTS.items())))
    text = await desk.drafts.read(OLGA, CODE)
    assert [each.key for each in text.sections] == list(TEXTS)
    assert [each.title for each in text.sections] == ["Introduction", "Research Findings", "Conclusion"]
    assert not any(each.edited for each in text.sections)


async def test_an_edit_is_kept_apart_and_the_document_has_it(desk: Desk) -> None:
    await desk.fill()
    saved = await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=NEW, revision=1))
    row = desk.row("DRAFT")
    assert row["has_user_edits"] is True
    assert row["sections"] == TEXTS
    assert row["generated_content"].startswith("# Weekly Research Digest")
    assert row["user_edits"] == "\n\n".join(
        ["# Weekly Research Digest", TEXTS["introduction"], NEW, TEXTS["conclusion"]]
    )
    assert row["edited_sections"] == {KEY: NEW}
    assert (row["word_count"], row["estimated_read_time"]) == (18, "1 minute")
    assert row["quality"] == {"sections": 3}
    assert saved.draft.revision == 2
    assert saved.one(KEY).edited
    assert not saved.one("conclusion").edited


async def test_the_second_of_two_windows_gets_both_texts(desk: Desk) -> None:
    await desk.fill()
    await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=NEW, revision=1))
    with pytest.raises(TextChanged) as refused:
        await desk.drafts.save_section(ED, CODE, KEY, SectionEdit(text="Mine [2].", revision=1, base=TEXTS[KEY]))
    assert refused.value.code == "changed_meanwhile"
    members = refused.value.members
    assert (members["revision"], members["mine"], members["theirs"]) == (2, "Mine [2].", NEW)
    assert [each.by for each in refused.value.passages] == ["both"]
    assert (await desk.draft()).edited_sections == {KEY: NEW}


async def test_two_windows_with_two_sections_do_not_disturb_each_other(desk: Desk) -> None:
    await desk.fill()
    await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=NEW, revision=1, base=TEXTS[KEY]))
    other = SectionEdit(text="Hello.", revision=1, base=TEXTS["introduction"])
    await desk.drafts.save_section(ED, CODE, "introduction", other)
    assert (await desk.draft()).edited_sections == {KEY: NEW, "introduction": "Hello."}


async def test_without_the_text_it_was_made_from_an_old_revision_is_refused(desk: Desk) -> None:
    await desk.fill()
    await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=NEW, revision=1))
    with pytest.raises(TextChanged):
        await desk.drafts.save_section(ED, CODE, "introduction", SectionEdit(text="Hello.", revision=1))


async def test_another_program_that_counts_no_revisions_is_noticed(desk: Desk) -> None:
    await desk.fill()
    seen = await desk.draft()
    theirs = seen.with_(Draft.user_edits("# T\n\nAll new."), Draft.has_user_edits(True), Draft.updated_at(LATER))
    await desk.kit.store.write(Put(theirs))
    edit = SectionEdit(text=NEW, revision=seen.revision, updated_at=seen.updated_at)
    with pytest.raises((TextChanged, NotFound)):
        await desk.drafts.save_section(OLGA, CODE, KEY, edit)


async def test_the_same_text_twice_is_one_edit(desk: Desk) -> None:
    await desk.fill()
    edit = SectionEdit(text=NEW, revision=1)
    first = await desk.drafts.save_section(OLGA, CODE, KEY, edit)
    again = await desk.drafts.save_section(OLGA, CODE, KEY, edit)
    assert (first.draft.revision, again.draft.revision) == (2, 2)


async def test_a_section_and_the_whole_go_back_to_what_was_generated(desk: Desk) -> None:
    await desk.fill()
    await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=NEW, revision=1))
    await desk.drafts.save_section(OLGA, CODE, "conclusion", SectionEdit(text="Bye.", revision=2))
    one = await desk.drafts.reset(OLGA, CODE, DraftReset(section=KEY))
    assert (one.texts[KEY], one.texts["conclusion"]) == (TEXTS[KEY], "Bye.")
    whole = await desk.drafts.reset(OLGA, CODE, DraftReset())
    assert whole.texts == TEXTS
    row = desk.row("DRAFT")
    assert (row["has_user_edits"], row["user_edits"]) == (False, None)


async def test_an_emptied_section_is_left_out_and_comes_back_to_its_place(desk: Desk) -> None:
    await desk.fill()
    saved = await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text="", revision=1))
    assert list(saved.texts) == ["introduction", "conclusion"]
    assert [each.key for each in saved.left_out] == [KEY]
    assert list((await desk.drafts.read(OLGA, CODE)).texts) == ["introduction", "conclusion"]
    back = await desk.drafts.reset(OLGA, CODE, DraftReset(section=KEY))
    assert list(back.texts) == list(TEXTS)


async def test_the_whole_text_can_be_saved_with_other_sections_in_another_order(desk: Desk) -> None:
    await desk.fill()
    whole = f"# Weekly\n\n{TEXTS['conclusion']}\n\n## Market prices\n\nMaize fell.\n\n{TEXTS[KEY]}"
    await desk.drafts.save_whole(OLGA, CODE, DraftEdit(user_edits=whole, revision=1))
    text = await desk.drafts.read(OLGA, CODE)
    assert list(text.texts) == ["conclusion", "market_prices", KEY]
    assert [each.key for each in text.left_out] == ["introduction"]


async def test_an_edit_of_another_program_is_read_by_its_headings(desk: Desk) -> None:
    await desk.fill(has_user_edits=True, user_edits="# Weekly (Edited)\n\nHello.\n\n## Research Findings\n\nNew.")
    text = await desk.drafts.read(OLGA, CODE)
    assert text.texts == {"introduction": "Hello.", KEY: "## Research Findings\n\nNew."}


async def test_a_number_that_leads_nowhere_is_flagged(desk: Desk) -> None:
    await desk.fill()
    saved = await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text="Rain [9] and [1].", revision=1))
    assert saved.one(KEY).unresolved == (9,)


async def test_tidy_numbers_closes_gaps_and_means_the_same(desk: Desk) -> None:
    await desk.fill()
    await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text="Rain [3]. Early [2].", revision=1))
    tidy = await desk.drafts.tidy_numbers(OLGA, CODE)
    assert tidy.texts[KEY] == "Rain [1]. Early [2]."
    assert [each["chunk_id"] for each in tidy.draft.citations] == ["chunk-c", "chunk-b", "chunk-a"]
    assert "percent [3]" in tidy.generated[KEY]
    assert (await desk.citations.one(OLGA, CODE, 3)).quote == "Sorghum yields rose by 12 percent."


async def test_a_sentence_from_a_source_gets_a_number(desk: Desk) -> None:
    await desk.fill()
    new = {"chunk_id": "chunk-d", "source_id": "s9", "title": "Rain", "quote": "It rained."}
    assert await desk.drafts.cite(OLGA, CODE, new) == 4
    assert await desk.drafts.cite(OLGA, CODE, {**new, "quote": "Again."}) == 4
    assert (await desk.draft()).citations[-1]["quote"] == "It rained.\nAgain."


async def test_a_citation_opens_its_passage_with_the_sentence_marked(desk: Desk) -> None:
    await desk.fill()
    found = await desk.citations.one(RIA, CODE, 1)
    assert [each.text for each in found.stretches if each.used] == ["Sorghum yields rose by\n12 percent."]
    assert found.here
    gone = await desk.citations.one(RIA, CODE, 2)
    assert (gone.text, gone.here) == ("Farmers planted early.", False)
    with pytest.raises(NotFound, match=r"\[9\]"):
        await desk.citations.one(RIA, CODE, 9)


async def test_who_may_read_and_write(desk: Desk) -> None:
    await desk.fill()
    edit = SectionEdit(text=NEW, revision=1)
    await desk.drafts.read(RIA, CODE)
    with pytest.raises(Forbidden):
        await desk.drafts.save_section(RIA, CODE, KEY, edit)
    for call in (
        desk.drafts.read(STAN, CODE),
        desk.drafts.save_section(STAN, CODE, KEY, edit),
        desk.drafts.reset(STAN, CODE, DraftReset()),
        desk.citations.one(STAN, CODE, 1),
        desk.history.page(STAN, CODE),
        desk.history.restore(STAN, CODE, 1),
    ):
        with pytest.raises(NotFound):
            await call


async def test_what_cannot_be_saved_is_refused(desk: Desk) -> None:
    await desk.fill()
    with pytest.raises(NotFound, match="no section nowhere"):
        await desk.drafts.save_section(OLGA, CODE, "nowhere", SectionEdit(text=NEW, revision=1))
    with pytest.raises(TooLarge):
        await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text="x" * MOST_CHARACTERS, revision=1))
    await desk.fill(sections={}, generated_content="", citations=())
    with pytest.raises(Conflict) as refused:
        await desk.drafts.read(OLGA, CODE)
    assert refused.value.code == "step_not_ready"


async def test_the_desk_learns_at_most_once_a_minute(desk: Desk) -> None:
    await desk.fill()
    touched = []
    for number in range(1, 4):
        await desk.drafts.save_section(OLGA, CODE, KEY, SectionEdit(text=f"{NEW} {number}", revision=number))
        touched.append(desk.row("METADATA")["touchedAt"])
        desk.clock.on(seconds=40)
    assert touched[0] == touched[1] < touched[2]


async def test_of_many_saves_at_once_none_is_lost_and_one_wins_for_each_revision(tmp_path: Path) -> None:
    with desk_in(tmp_path, faults=BAD_WEATHER) as desk:
        await desk.fill()
        edits = [SectionEdit(text=f"## Research Findings\n\nText {n}.", revision=1) for n in range(6)]
        results = await asyncio.gather(
            *(desk.drafts.save_section(OLGA, CODE, KEY, edit) for edit in edits), return_exceptions=True
        )
        saved = [each for each in results if not isinstance(each, BaseException)]
        assert len(saved) == 1
        assert [each for each in results if isinstance(each, BaseException) and not isinstance(each, TextChanged)] == []
        assert (await desk.draft()).revision == 2
