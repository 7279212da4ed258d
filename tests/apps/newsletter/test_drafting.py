"""Outline, draft and section as steps: what is stored, what is kept, and what a person wrote stays."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import ItemEdit, SectionEdit
from partita.apps.newsletter.schema import Draft, StepName, TextVersion
from partita.apps.newsletter.service.generators.calls import Caller, Patience
from partita.apps.newsletter.service.generators.choosing import Writers
from partita.apps.newsletter.service.generators.extractive import ExtractiveWriter
from partita.apps.newsletter.service.generators.values import (
    OutlineTask,
    RewriteTask,
    SectionTask,
    WrittenOutline,
    WrittenSection,
    WrittenText,
)
from partita.apps.newsletter.service.generators.writer import Listen
from partita.apps.newsletter.service.outline import plan_of
from partita.kit.problems import Conflict
from tests.apps.newsletter.conftest import ADA, Desk
from tests.apps.newsletter.found import FINDINGS, PASSAGES, find_content

pytestmark = pytest.mark.anyio


@dataclass
class Watched:
    """The offline writer; a test sees what it is asked for, and may interfere."""

    asked: list[str] = field(default_factory=list)
    before: Callable[[SectionTask], Awaitable[None]] | None = None
    offline: ExtractiveWriter = field(default_factory=ExtractiveWriter)
    name: str = "extractive"
    model: str = ""

    async def section(self, task: SectionTask, listen: Listen | None = None) -> WrittenSection:
        self.asked.append(task.section.key)
        if self.before is not None:
            await self.before(task)
        return await self.offline.section(task, listen)

    async def outline(self, task: OutlineTask) -> WrittenOutline:
        return await self.offline.outline(task)

    async def rewrite(self, task: RewriteTask, listen: Listen | None = None) -> WrittenText:
        return await self.offline.rewrite(task, listen)


def watch(desk: Desk) -> Watched:
    writer = Watched()
    desk.service.generators.writers = Writers(desk.kit.settings, writer)
    return writer


async def run(desk: Desk, code: str, *steps: StepName, **inputs: Any) -> None:
    worker = desk.worker()
    await desk.service.steps.start(ADA, code, steps[0], inputs=inputs, then=steps[1:])
    await worker.drain()


async def outlined(desk: Desk, **fields: Any) -> str:
    code = (await desk.newsletter(length_preference="short", **fields)).newsletter_code
    await find_content(desk.kit, desk.service, ADA, code)
    await run(desk, code, "outline")
    return code


async def drafted(desk: Desk, **fields: Any) -> str:
    code = await outlined(desk, **fields)
    await run(desk, code, "draft")
    return code


async def draft_of(desk: Desk, code: str) -> Draft:
    found = await desk.kit.store.get(schema.draft(code).consistently())
    assert found is not None
    return found


async def versions(desk: Desk, code: str) -> list[TextVersion]:
    return [each async for each in desk.kit.store.stream(schema.text_versions(code))]


async def test_an_outline_is_made_of_what_was_found(desk: Desk) -> None:
    code = await outlined(desk)
    row = desk.row(f"NEWSLETTER#{code}", "OUTLINE")
    assert row["outline_status"] == "completed"
    assert row["sections"][0]["name"] == "Introduction"
    items = [item for section in row["sections"] for item in section["items"]]
    found = [item for item in items if item["source"] == "rag_content"]
    assert {item["rag_reference_id"] for item in found} <= {f"chunk-{n}" for n in range(1, 6)}
    assert len(found) >= 2


async def test_a_draft_follows_the_outline_and_every_number_resolves(desk: Desk) -> None:
    code = await drafted(desk)
    draft = await draft_of(desk, code)
    row = desk.row(f"NEWSLETTER#{code}", "DRAFT")
    assert (row["draft_status"], row["draft_error"], row["has_user_edits"]) == ("completed", None, False)
    assert row["word_count"] > 150
    assert row["estimated_read_time"].endswith(("minute", "minutes"))
    assert draft.generated_content.startswith("# Weekly Research Digest\n\n")
    numbers = {int(each["n"]) for each in draft.citations}
    assert {int(n) for n in re.findall(r"\[(\d+)\]", draft.generated_content)} == numbers != set()
    texts = {f"chunk-{number}": text for number, (_, _, _, text) in enumerate(PASSAGES, 1)}
    for citation in draft.citations:
        if citation["chunk_id"] in texts:
            assert all(line in texts[citation["chunk_id"]] for line in citation["quote"].split("\n"))
    stored = await desk.service.newsletters.find(code)
    assert stored is not None
    outline = await desk.service.outline.of(stored)
    order = [section.key for section in plan_of(outline).sections]
    places = [draft.generated_content.index(draft.sections[key]) for key in order if key in draft.sections]
    assert places == sorted(places)
    assert set(draft.sections) <= set(order)
    assert {made["writer"] for made in draft.made_with.values()} == {"extractive"}
    assert draft.outline_revision == outline.revision
    newsletter = desk.row(f"NEWSLETTER#{code}", "METADATA")
    assert (newsletter["status"], newsletter["current_step"]) == ("completed", 4)
    (version,) = await versions(desk, code)
    assert (version.action, version.revision, version.words) == ("generated", draft.revision, draft.word_count)


async def test_what_is_switched_off_is_not_written(desk: Desk) -> None:
    code = await outlined(desk)
    newsletter = await desk.service.newsletters.find(code)
    assert newsletter is not None
    plan = plan_of(await desk.service.outline.of(newsletter))
    section = next(each for each in plan.sections if each.topic == FINDINGS)
    for item in section.items:
        await desk.service.outline.edit_item(ADA, code, item.id, ItemEdit(enabled=False))
    await run(desk, code, "draft")
    assert section.key not in (await draft_of(desk, code)).sections


async def test_without_an_outline_there_is_no_draft(desk: Desk) -> None:
    code = (await desk.newsletter()).newsletter_code
    with pytest.raises(Conflict) as refused:
        await desk.service.steps.start(ADA, code, "draft")
    assert refused.value.code == "step_not_ready"


async def test_a_run_that_is_taken_up_again_goes_on_with_the_next_section(desk: Desk) -> None:
    code = await outlined(desk)
    writer = watch(desk)

    async def breaks(task: SectionTask) -> None:
        if len(writer.asked) == 2:
            raise OSError("the disk is gone")

    writer.before = breaks
    await run(desk, code, "draft")
    assert (await desk.service.steps.look(code, "draft")).state == "running" or writer.asked
    first = list(writer.asked)
    desk.clock.on(minutes=2)
    await desk.worker().drain()
    assert len(writer.asked) == len(set(writer.asked)) + 1  # only the broken one was asked for twice
    assert writer.asked[:2] == first[:2]
    assert (await desk.service.steps.look(code, "draft")).state == "done"
    assert len(await versions(desk, code)) == 1


async def test_what_was_kept_from_another_outline_is_not_used(desk: Desk) -> None:
    code = await outlined(desk)
    writer = watch(desk)

    async def breaks(task: SectionTask) -> None:
        if len(writer.asked) > 1:
            raise OSError("the disk is gone")

    writer.before = breaks
    await run(desk, code, "draft")
    for _ in range(3):
        desk.clock.on(minutes=5)
        await desk.worker().drain()
    assert (await desk.service.steps.look(code, "draft")).state == "failed"
    newsletter = await desk.service.newsletters.find(code)
    assert newsletter is not None
    item = next(item for item in plan_of(await desk.service.outline.of(newsletter)).items if item.references)
    await desk.service.outline.edit_item(ADA, code, item.id, ItemEdit(title="Another headline for this story"))
    writer.before, writer.asked = None, []
    await run(desk, code, "draft")
    assert len(writer.asked) == len(set(writer.asked)) == len((await draft_of(desk, code)).made_with)
    assert "### Another headline for this story" in (await draft_of(desk, code)).generated_content


async def test_a_new_draft_replaces_what_a_person_wrote_and_history_has_it(desk: Desk) -> None:
    code = await drafted(desk)
    draft = await draft_of(desk, code)
    edit = SectionEdit(text="## Research Findings\n\nMy own words.", revision=draft.revision)
    key = next(key for key in draft.sections if "research" in key)
    await desk.service.draft.save_section(ADA, code, key, edit)
    await run(desk, code, "draft")
    after = await draft_of(desk, code)
    assert (after.has_user_edits, after.user_edits, after.edited_sections) == (False, None, {})
    assert "My own words" not in after.generated_content
    kept = await versions(desk, code)
    assert [each.action for each in kept] == ["generated", "saved", "generated"]
    assert "My own words." in kept[1].text


async def test_what_a_person_saves_while_the_draft_is_written_is_in_the_history(desk: Desk) -> None:
    code = await drafted(desk)
    writer = watch(desk)
    saved = 0

    async def saves(task: SectionTask) -> None:
        nonlocal saved
        saved += 1
        draft = await draft_of(desk, code)
        edit = SectionEdit(text=f"## Research Findings\n\nEdit {saved}.", revision=draft.revision)
        await desk.service.draft.save_section(ADA, code, next(key for key in draft.sections if "research" in key), edit)
        desk.clock.on(minutes=11)

    writer.before = saves
    await run(desk, code, "draft")
    texts = [version.text for version in await versions(desk, code)]
    assert saved > 2
    for number in range(1, saved + 1):
        assert any(f"Edit {number}." in text for text in texts)
    assert (await desk.service.steps.look(code, "draft")).state == "done"


async def test_one_section_anew_leaves_the_others_and_their_edits(desk: Desk) -> None:
    code = await drafted(desk)
    draft = await draft_of(desk, code)
    keys = list(draft.sections)
    mine = next(key for key in keys if "policy" in key)
    theirs = next(key for key in keys if "research" in key)
    edit = SectionEdit(text="## Policy Updates\n\nMine.", revision=draft.revision)
    await desk.service.draft.save_section(ADA, code, mine, edit)
    await run(desk, code, "section", key=theirs)
    after = await draft_of(desk, code)
    assert after.edited_sections == {mine: "## Policy Updates\n\nMine."}
    assert {key: text for key, text in after.sections.items() if key != theirs} == {
        key: text for key, text in draft.sections.items() if key != theirs
    }
    numbers = {int(each["n"]) for each in after.citations}
    assert {int(n) for n in re.findall(r"\[(\d+)\]", after.sections[theirs])} <= numbers
    assert [each.action for each in await versions(desk, code)] == ["generated", "saved", "generated"]
    with pytest.raises(Conflict):
        await desk.service.steps.start(ADA, code, "section", inputs={"key": "nothing"})


async def test_cancelling_keeps_what_was_there(desk: Desk) -> None:
    code = await drafted(desk)
    before = await draft_of(desk, code)
    writer = watch(desk)
    held = asyncio.Event()

    async def waits(task: SectionTask) -> None:
        held.set()
        await asyncio.Event().wait()

    writer.before = waits
    await desk.service.steps.start(ADA, code, "draft")
    working = asyncio.ensure_future(desk.worker().drain())
    await held.wait()
    await desk.service.steps.cancel(ADA, code, "draft")
    await asyncio.wait_for(working, 5)
    after = await draft_of(desk, code)
    assert (after.draft_status, after.generated_content) == ("completed", before.generated_content)
    assert (await desk.service.steps.look(code, "draft")).state == "cancelled"


async def test_a_model_that_does_not_answer_leaves_a_draft_that_says_so(desk: Desk) -> None:
    code = await outlined(desk, generator="openai")
    desk.service.generators.writers = unreachable(desk)
    await run(desk, code, "draft")
    draft = await draft_of(desk, code)
    fallbacks = [made["fallback"] for made in draft.made_with.values() if "fallback" in made]
    assert len(fallbacks) >= 2
    assert {each["instead_of"] for each in fallbacks} == {"openai"}
    assert "could not be reached" in fallbacks[0]["reason"]


async def test_an_outline_that_a_model_could_not_make_says_so(desk: Desk) -> None:
    code = (await desk.newsletter(length_preference="short", generator="openai")).newsletter_code
    await find_content(desk.kit, desk.service, ADA, code)
    desk.service.generators.writers = unreachable(desk)
    await run(desk, code, "outline")
    outline = await desk.kit.store.get(schema.outline(code).consistently())
    assert outline is not None
    assert (outline.made_with["writer"], outline.made_with["fallback"]["instead_of"]) == ("extractive", "openai")
    assert "could not be reached" in outline.made_with["fallback"]["reason"]
    look = await desk.service.steps.look(code, "outline")
    assert "The offline writer made the outline instead of a model: " in look.message


def unreachable(desk: Desk) -> Writers:
    """Writers whose model does not answer."""
    settings = desk.kit.settings.model_copy(
        update={"newsletter_openai_url": "http://127.0.0.1:1/v1", "newsletter_openai_model": "m"}
    )
    return Writers(settings, ExtractiveWriter(), _impatient)


def _impatient(service: str) -> Caller:
    async def at_once(seconds: float) -> None:
        return None

    return Caller(service, Patience(connect=1, first_byte=1, in_all=2), at_once)
