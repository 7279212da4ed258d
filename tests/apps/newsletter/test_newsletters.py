"""Newsletters as things: made, configured, listed, continued, copied, deleted."""

from __future__ import annotations

from typing import Any

import pytest

from partita.apps.newsletter import formats, schema
from partita.apps.newsletter.examples import DOCUMENTED
from partita.apps.newsletter.inputs import (
    ItemEdit,
    ItemMove,
    NewItem,
    NewNewsletter,
    NewsletterEdit,
    OutlineEdit,
    TopicsEdit,
)
from partita.apps.newsletter.schema import Draft, Newsletter, Note, Outline, Share, TextVersion, Topics
from partita.apps.newsletter.service.outlining import NewSection, NewStory
from partita.kit.inputs import StaleEdit
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound
from partita.table import Put
from tests.apps.newsletter.conftest import ABEL, ADA, ADMIN, EDDA, NOBODY, Desk

pytestmark = pytest.mark.anyio

NOW = "2026-03-02T09:30:00.000000Z"


def share(code: str, user_id: str, role: Any = "reader") -> Put[Share]:
    return Put(Share(code=code, user_id=user_id, role=role, shared_by="ada", shared_at=NOW))


async def outlined(desk: Desk, code: str) -> Outline:
    """An outline of one topic, as a step writes it."""
    newsletter, topics = await desk.service.topics.get(ADA, code)
    proposed = [
        NewSection("Introduction", "", (NewStory("Welcome", source="ai_generated"),), 50),
        NewSection(
            "Research Findings",
            "Research Findings",
            (NewStory("Sorghum", references=("c1",)), NewStory("Millet", references=("c2",))),
            400,
        ),
        NewSection("Conclusion", "", (NewStory("Goodbye", source="ai_generated"),), 50),
    ]
    await desk.kit.store.write(await desk.service.outline.generated(newsletter, topics, proposed))  # type: ignore[arg-type]
    return (await desk.service.outline.get(ADA, code))[1]


async def test_a_new_newsletter_is_the_documents_item(desk: Desk) -> None:
    made = await desk.newsletter(target_audience=("researchers",), tone_professional=70)
    row = desk.row(f"NEWSLETTER#{made.newsletter_code}", "METADATA")
    assert set(DOCUMENTED[Newsletter]) <= set(row)
    assert row["GSI1PK"] == "USER#ada"
    assert row["GSI1SK"] == f"NEWSLETTER#{made.created_at}"
    assert row["touchedBy"] == "NEWSLETTER#ada"
    assert (row["status"], row["current_step"]) == ("draft", 1)
    assert made.newsletter_code.startswith("NL-20260302-")


async def test_a_code_that_is_taken_is_drawn_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await desk.newsletter()
    drawn = iter([first.newsletter_code, first.newsletter_code, "NL-20260302-ZZZZ"])
    monkeypatch.setattr(formats, "newsletter_code", lambda _now: next(drawn))
    second = await desk.newsletter("Another")
    assert second.newsletter_code == "NL-20260302-ZZZZ"
    assert (await desk.service.newsletters.get(ADA, first.newsletter_code)).title == first.title


async def test_somebody_without_the_role_makes_none(desk: Desk) -> None:
    with pytest.raises(Forbidden):
        await desk.service.newsletters.create(NOBODY, NewNewsletter(title="Mine"))


async def test_only_owners_those_it_is_shared_with_and_managers_find_it(desk: Desk) -> None:
    made = await desk.newsletter()
    code = made.newsletter_code
    for stranger in (ABEL, EDDA, NOBODY):
        with pytest.raises(NotFound):
            await desk.service.newsletters.get(stranger, code)
    assert (await desk.service.newsletters.get(ADMIN, code)).title == made.title
    await desk.kit.store.write(share(code, "abel"))
    assert (await desk.service.newsletters.get(ABEL, code)).title == made.title
    with pytest.raises(Forbidden):
        await desk.service.newsletters.edit(ABEL, code, NewsletterEdit(title="Taken"))
    await desk.kit.store.write(share(code, "abel", "editor"))
    assert (await desk.service.newsletters.edit(ABEL, code, NewsletterEdit(title="Ours"))).title == "Ours"
    assert [each.title for each in await desk.service.newsletters.shared(ABEL)] == ["Ours"]
    with pytest.raises(Forbidden):
        await desk.service.removals.delete(ABEL, code)


async def test_an_edit_of_an_old_revision_is_refused(desk: Desk) -> None:
    made = await desk.newsletter()
    edited = await desk.service.newsletters.edit(ADA, made.newsletter_code, NewsletterEdit(title="New", revision=1))
    assert (edited.title, edited.revision) == ("New", 2)
    with pytest.raises(StaleEdit):
        await desk.service.newsletters.edit(ADA, made.newsletter_code, NewsletterEdit(title="Old", revision=1))


async def test_the_desk_has_what_was_edited_last_first_and_writes_it_once_a_minute(desk: Desk) -> None:
    first = await desk.newsletter("First")
    desk.clock.on(minutes=5)
    second = await desk.newsletter("Second")
    desk.clock.on(minutes=5)
    await desk.service.newsletters.edit(ADA, first.newsletter_code, NewsletterEdit(description="x"))
    touched = (await desk.service.newsletters.get(ADA, first.newsletter_code)).touched_at
    desk.clock.on(seconds=30)
    await desk.service.topics.edit(ADA, first.newsletter_code, TopicsEdit(selected_types=("Policy Updates",)))
    assert (await desk.service.newsletters.get(ADA, first.newsletter_code)).touched_at == touched
    assert [each.title for each in await desk.service.newsletters.mine(ADA)] == ["First", "Second"]
    assert [each.title for each in await desk.service.newsletters.mine(ADA, sort="created")] == ["Second", "First"]
    assert [each.title for each in await desk.service.newsletters.mine(ADA, status="exported")] == []
    assert second.newsletter_code != first.newsletter_code
    assert (await desk.service.newsletters.mine(ABEL)).items == ()


async def test_proposals_and_shares_never_show_among_newsletters(desk: Desk) -> None:
    await desk.newsletter()
    desk.put(
        {
            "PK": "PROPOSAL#PROP-20260302-A1B2",
            "SK": "METADATA",
            "GSI1PK": "USER#ada",
            "GSI1SK": f"PROPOSAL#{NOW}",
            "id": "1",
            "proposalCode": "PROP-20260302-A1B2",
            "title": "A proposal",
            "user_id": "ada",
            "created_at": NOW,
            "updated_at": NOW,
            "metadata": {"deadline": "2026-04-01"},
        }
    )
    await desk.kit.store.write(share("NL-20260302-QQQQ", "ada"))
    assert [type(each) for each in await desk.service.newsletters.mine(ADA, sort="created")] == [Newsletter]
    proposals = await desk.kit.store.page(schema.proposals_of("ada"))
    assert [each.title for each in proposals] == ["A proposal"]


async def test_rows_of_the_original_program_are_read_whatever_they_lack(desk: Desk) -> None:
    row = {name: value for name, value in DOCUMENTED[Newsletter].items() if name != "user_name"}
    desk.put(row | {"GSI1PK": "USER#ada", "user_id": "ada"})
    desk.put(DOCUMENTED[Topics] | {"selected_types": ["research_findings", "Policy Updates"]})
    desk.put(DOCUMENTED[Outline])
    whole = await desk.service.newsletters.full(ADA, "NL-20260126-A1B2")
    assert whole.newsletter.user_name == ""
    assert whole.newsletter.language == "en"
    assert whole.topics is not None
    assert whole.topics.retrieved_content[0]["topic"] == "Research Findings"
    assert whole.draft is None
    edited = await desk.service.outline.edit_item(ADA, "NL-20260126-A1B2", "item-2-1", ItemEdit(title="Seeds"))
    assert edited.user_modifications["items_edited"] == ["item-2-1"]
    assert edited.user_modifications["items_added"] == ["custom-item-1"]
    assert "order" in edited.sections[0]


async def test_topics_are_chosen_recommended_pinned_and_dropped(desk: Desk) -> None:
    made = await desk.newsletter(target_audience=("farmers",))
    code = made.newsletter_code
    topics = await desk.service.topics.choose_recommended(ADA, code)
    assert len(topics.selected_types) == 5
    assert "Climate-Smart Agriculture" in topics.selected_types
    assert "Livestock & Animal Health" in topics.selected_types
    assert (await desk.service.newsletters.get(ADA, code)).current_step == 2
    with pytest.raises(NotFound):
        await desk.service.topics.mark(ADA, code, "chunk-9", "pinned")
    found = await desk.service.topics.of(made)
    entry = {"id": "chunk-9", "topic": "Policy Updates", "content": "x", "score": 1}
    await desk.kit.store.write(Put(found.with_(Topics.retrieved_content((entry,)))))
    assert (await desk.service.topics.mark(ADA, code, "chunk-9", "pinned")).pinned == ("chunk-9",)
    dropped = await desk.service.topics.mark(ADA, code, "chunk-9", "dropped")
    assert (dropped.pinned, dropped.excluded) == ((), ("chunk-9",))
    assert (await desk.service.topics.mark(ADA, code, "chunk-9", "none")).excluded == ()


async def test_the_audiences_decide_what_is_recommended() -> None:
    assert formats.recommended_topics(("farmers",)) != formats.recommended_topics(("researchers",))
    assert all(len(formats.recommended_topics((each,))) == 5 for each in formats.TOPIC_WEIGHTS)
    assert len(formats.TOPICS) == 12


async def test_items_of_the_outline_are_added_edited_moved_switched_off_and_removed(desk: Desk) -> None:
    code = (await desk.newsletter()).newsletter_code
    with pytest.raises(Conflict, match="no outline"):
        await desk.service.outline.remove_item(ADA, code, "item-1-1")
    await outlined(desk, code)
    outline, item_id = await desk.service.outline.add_item(ADA, code, NewItem(section="section-2", title="A visit"))
    assert item_id == "custom-item-1"
    await desk.service.outline.move_item(ADA, code, item_id, ItemMove(direction="up"))
    await desk.service.outline.edit_item(ADA, code, "item-2-1", ItemEdit(enabled=False))
    outline = await desk.service.outline.remove_item(ADA, code, "item-2-2")
    assert [item["id"] for item in outline.sections[1]["items"]] == ["item-2-1", "custom-item-1"]
    assert outline.user_modifications == {
        "items_added": ["custom-item-1"],
        "items_removed": ["item-2-2"],
        "items_edited": [],
        "items_moved": ["custom-item-1"],
        "items_disabled": ["item-2-1"],
        "removed_references": ["c2"],
    }
    with pytest.raises(NotFound):
        await desk.service.outline.edit_item(ADA, code, "item-9-9", ItemEdit(title="x"))
    assert outline.revision == 5
    again = await outlined(desk, code)
    assert [item["id"] for item in again.sections[1]["items"]] == ["item-2-1", "custom-item-1"]


async def test_a_whole_outline_can_be_sent_and_what_is_missing_is_removed(desk: Desk) -> None:
    code = (await desk.newsletter()).newsletter_code
    await outlined(desk, code)
    sections = [
        {"id": "section-3", "name": "Goodbye", "items": [{"id": "item-3-1", "title": "Bye"}]},
        {"name": "People", "items": [{"title": "Who is who"}]},
        {
            "id": "section-2",
            "name": "Findings",
            "items": [{"id": "item-2-2", "title": "Millet", "rag_reference_ids": ["c2"]}],
        },
    ]
    outline = await desk.service.outline.replace(ADA, code, OutlineEdit.model_validate({"sections": sections}))
    assert [section["name"] for section in outline.sections] == ["Goodbye", "People", "Findings"]
    assert [[item["title"] for item in section["items"]] for section in outline.sections] == [
        ["Bye"],
        ["Who is who"],
        ["Millet"],
    ]
    assert set(outline.user_modifications["items_removed"]) == {"item-1-1", "item-2-1"}
    with pytest.raises(StaleEdit):
        await desk.service.outline.replace(ADA, code, OutlineEdit.model_validate({"sections": sections, "revision": 1}))
    twice = [{"name": "x", "items": [{"id": "item-2-2", "title": "x"}] * 2}]
    unknown = [{"id": "section-77", "name": "x"}]
    for bad in (twice, unknown):
        with pytest.raises(Invalid):
            await desk.service.outline.replace(ADA, code, OutlineEdit.model_validate({"sections": bad}))


async def test_the_next_issue_has_the_frame_and_standing_items_and_is_counted_up(desk: Desk) -> None:
    first = await desk.newsletter(issue_label="No. 11 · March", theme="bulletin", target_audience=("farmers",))
    code = first.newsletter_code
    await desk.service.topics.choose_recommended(ADA, code)
    await outlined(desk, code)
    await desk.service.outline.add_item(ADA, code, NewItem(section="section-3", title="Contacts"))
    told = NewItem(section="section-2", title="What the trial found", rag_reference_ids=("chunk-1",))
    await desk.service.outline.add_item(ADA, code, told)
    desk.clock.on(days=7)
    second = await desk.service.newsletters.next_issue(ADA, code)
    assert (second.issue_number, second.issue_label, second.theme) == (2, "No. 12 · March", "bulletin")
    whole = await desk.service.newsletters.full(ADA, second.newsletter_code)
    assert whole.topics is not None
    assert whole.topics.selected_types
    assert whole.topics.retrieved_content == ()
    assert whole.outline is not None
    assert [section["name"] for section in whole.outline.sections] == [
        "Introduction",
        "Research Findings",
        "Conclusion",
    ]
    assert [item["title"] for section in whole.outline.sections for item in section["items"]] == ["Contacts"]
    before = await desk.service.newsletters.get(ADA, code)
    assert (before.series_id, before.issue_number) == (second.series_id, 1)
    third = await desk.service.newsletters.next_issue(ADA, code)
    assert (third.issue_number, third.issue_label) == (3, "No. 13 · March")
    issues = await desk.kit.store.page(schema.issues_of(second.series_id or ""))
    assert sorted(issue.issue_number for issue in issues) == [1, 2, 3]
    after = await outlined(desk, second.newsletter_code)
    assert [item["id"] for item in after.sections[2]["items"]][-1] == "custom-item-1"


async def test_a_reader_begins_a_series_of_their_own_and_leaves_the_owners_alone(desk: Desk) -> None:
    code = (await desk.newsletter(issue_label="No. 7")).newsletter_code
    await desk.kit.store.write(share(code, "abel"))  # for reading
    before = desk.row(f"NEWSLETTER#{code}", "METADATA")
    theirs = await desk.service.newsletters.next_issue(ABEL, code)
    assert (theirs.user_id, theirs.issue_number) == (ABEL.id, 2)
    assert desk.row(f"NEWSLETTER#{code}", "METADATA") == before
    second = await desk.service.newsletters.next_issue(ADA, code)
    assert second.issue_number == 2
    assert second.series_id != theirs.series_id
    # Nor is anything added to a series that there is already.
    another = await desk.service.newsletters.next_issue(ABEL, code)
    assert another.series_id not in (second.series_id, theirs.series_id)
    assert (await desk.service.newsletters.next_issue(ADA, code)).issue_number == 3


async def test_a_copy_has_topics_and_outline_but_no_draft_and_no_series(desk: Desk) -> None:
    first = await desk.newsletter()
    await desk.service.topics.choose_recommended(ADA, first.newsletter_code)
    await outlined(desk, first.newsletter_code)
    copy = await desk.service.newsletters.duplicate(ADA, first.newsletter_code)
    whole = await desk.service.newsletters.full(ADA, copy.newsletter_code)
    assert copy.title == "Copy of Weekly Research Digest"
    assert copy.series_id is None
    assert whole.outline is not None
    assert len(whole.outline.sections) == 3
    assert whole.draft is None


async def test_deleting_hides_at_once_and_removes_everything_that_belonged_to_it(desk: Desk) -> None:
    other = await desk.newsletter("Stays")
    made = await desk.newsletter("Goes")
    code = made.newsletter_code
    await desk.service.topics.choose_recommended(ADA, code)
    await outlined(desk, code)
    store = desk.kit.store
    await store.write(share(code, "abel"))
    await store.write(Put(Note(code=code, created_at=NOW, note_id="1", text="Hm", by="abel")))
    await desk.kit.files.save(f"newsletters/{code.lower()}/export.pdf", b"pdf", "application/pdf")
    draft: dict[str, Any] = {"pdf": {"s3_key": f"newsletters/{code.lower()}/export.pdf", "file_size": 3}}
    others = ("newsletters/brand/logo.png", f"newsletters/{other.newsletter_code}/images/bees.png")
    for name in others:
        await desk.kit.files.save(name, b"theirs", "image/png")
    named = (*others, f"newsletters/{code}/../brand/logo.png", "newsletters", "No name of a file")
    foreign = tuple({"s3_key": name, "alt": ""} for name in named)  # as another program may have written it
    await store.write(Put(Draft(newsletter_code=code, updated_at=NOW, exports=draft, images=foreign)))
    for revision in range(1, 60):
        text = TextVersion(code=code, revision=revision, by="ada", action="saved", at=NOW)
        await store.write(Put(text))
    await desk.service.newsletters.next_issue(ADA, code)
    newsletter, losses = await desk.service.removals.losses(ADA, code)
    assert newsletter.title == "Goes"
    assert (losses.versions, losses.notes, losses.files, losses.shares) == (59, 1, 6, 1)
    worker = desk.worker()
    await desk.service.removals.delete(ADA, code)
    with pytest.raises(NotFound):
        await desk.service.newsletters.get(ADA, code)
    assert code not in {each.newsletter_code for each in await desk.service.newsletters.mine(ADA)}
    await worker.drain()
    left = [pk for pk, _ in desk.everything() if code in pk]
    assert left == []
    assert not await desk.kit.files.exists(f"newsletters/{code.lower()}/export.pdf")
    assert all([await desk.kit.files.exists(name) for name in others])
    assert (await desk.service.newsletters.get(ADA, other.newsletter_code)).title == "Stays"
