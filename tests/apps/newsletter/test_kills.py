"""The process is killed in every phase of every step; afterwards each step has finished once, nothing is doubled, and
what a person wrote is there."""

from __future__ import annotations

import asyncio
import os
import re
import time
from pathlib import Path
from typing import get_args

import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import (
    NewNewsletter,
    NewProposal,
    NewSource,
    ProposalSectionText,
    SectionEdit,
    TopicsEdit,
)
from partita.apps.newsletter.schema import Draft, ExportFormat, StepName, StepRun
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.steps import STEPS
from partita.apps.newsletter.service.writing.spans import sentences_with_citations
from partita.kit.jobs import JobWorker
from partita.kit.jobs.schema import job as job_with_id
from partita.kit.kit import Kit
from partita.kit.suite import Suite
from tests.apps.newsletter.conftest import ADA
from tests.apps.newsletter.found import FINDINGS, PASSAGES, POLICY, find_content
from tests.apps.newsletter.killed import suite_in, work
from tests.forked import victim

KILLS = min(int(os.environ.get("PARTITA_KILLS", "1")), 20)
"""How often the process is killed for each step: before its first checkpoint, after it, before the second, …"""
FORMATS: tuple[ExportFormat, ...] = ("md",) if KILLS == 1 else get_args(ExportFormat)
EXPORTS: tuple[StepName, ...] = tuple(each for each in STEPS if each.removeprefix("export-") in FORMATS)
MINE = "## Policy Updates\n\nMy own words."


def _finish(folder: Path, kit: Kit, code: str, step: StepName, already: int = 0) -> int:
    """Let processes run a step, each killed at another checkpoint, until it is done and its job is put away; how many
    were started. It begins with the checkpoint after those at which processes were killed `already`."""
    killed = 0

    def goes_on(run: StepRun) -> bool:
        job = kit.tables.get(job_with_id(run.run_id).consistently())
        return run.state == "running" or (job is not None and job.is_open)

    deadline = time.monotonic() + 90 + 15 * KILLS
    while True:
        run = kit.tables.get(schema.step_run(code, step).consistently())
        assert run is not None
        if not goes_on(run):
            assert (run.state, run.error) == ("done", None)
            return killed
        assert time.monotonic() < deadline, run
        # Each process gets one checkpoint further than the one before it, or dies just before it could.
        place = already + killed + (len(step) if KILLS == 1 else 0)
        number = place // 2 % 6 + 1 if killed < KILLS else 1_000
        (folder / "tmp").mkdir(exist_ok=True)
        process = victim(work, folder, number, "after" if place % 2 else "before")
        try:
            while process.runs():
                run = kit.tables.get(schema.step_run(code, step).consistently())
                assert run is not None
                if not goes_on(run):
                    break
                assert time.monotonic() < deadline, run
                time.sleep(0.05)
        finally:
            process.kill()
        killed += 1


@pytest.mark.timeout(600 + 120 * KILLS)
def test_whenever_the_process_is_killed_each_step_ends_once_and_nothing_is_lost(tmp_path: Path) -> None:
    suite = suite_in(tmp_path)
    kit, service = suite.kit, NewsletterService(suite.kit)

    def run(step: StepName, subject: str = "", **inputs: str) -> int:
        if not subject:
            asyncio.run(_start(service, code, step, **inputs))
        return _finish(tmp_path, kit, subject or code, step)

    try:
        code, sources = asyncio.run(_newsletter(service))
        killed = sum(run("intake", source) for source in sources)
        for source in sources:
            chunks = list(kit.tables.stream(schema.chunks_of(source)))
            assert len({chunk.chunk_id for chunk in chunks}) == len(chunks) >= 1
        asyncio.run(_drain(suite))
        killed += run("retrieval")
        found = kit.tables.get(schema.topics(code).consistently())
        assert found is not None
        ids = [each["id"] for each in found.retrieved_content]
        assert len(ids) == len(set(ids)) == found.total_chunks_retrieved > 0
        asyncio.run(find_content(kit, service, ADA, code))
        killed += run("outline") + run("draft")
        draft = _draft(kit, code)
        key = next(each for each in draft.sections if "policy" in each)
        asyncio.run(_edit(service, code, key, draft.revision))
        killed += run("section", key=next(each for each in draft.sections if "research" in each))
        assert _draft(kit, code).edited_sections == {key: MINE}
        killed += run("draft") + sum(map(run, EXPORTS))
        _check_draft(kit, code)
        exports = _draft(kit, code).exports
        assert set(exports) == set(FORMATS)
        for export in exports.values():
            assert int(export["file_size"]) == len(asyncio.run(kit.files.load(export["s3_key"])).data)
        assert all(each.partial == {} for each in kit.tables.stream(schema.step_runs(code)))
        print(f"{killed} processes, killed at the checkpoints of all steps", flush=True)
    finally:
        asyncio.run(_close(suite))


@pytest.mark.timeout(600 + 120 * KILLS)
def test_whenever_the_process_is_killed_a_proposal_is_drafted_once_and_nothing_is_lost(tmp_path: Path) -> None:
    suite = suite_in(tmp_path)
    kit, service = suite.kit, NewsletterService(suite.kit)
    try:
        killed = drafts = 0
        while killed < KILLS:  # the last process of each draft is not killed
            proposal = asyncio.run(_proposal(service))
            asyncio.run(_read_in(suite))
            asyncio.run(service.proposal_drafting.start(ADA, proposal))
            killed += _finish(tmp_path, kit, proposal, "proposal", already=killed) - 1
            drafts += 1
            assert drafts <= 20, "the kills come too late"
            _check_proposal(kit, proposal)
            assert all(each.partial == {} for each in kit.tables.stream(schema.step_runs(proposal)))
        print(f"{killed} processes killed at the checkpoints of {drafts} drafts", flush=True)
    finally:
        asyncio.run(_close(suite))


def _check_draft(kit: Kit, code: str) -> None:
    draft = _draft(kit, code)
    versions = list(kit.tables.stream(schema.text_versions(code)))
    assert [each.action for each in versions] == ["generated", "generated", "saved", "generated"]
    assert [MINE in each.text for each in versions] == [False, True, True, False]
    numbers = [int(each["n"]) for each in draft.citations]
    assert len(numbers) == len(set(numbers))
    assert {int(n) for n in re.findall(r"\[(\d+)\]", draft.generated_content)} == set(numbers) != set()
    headings = re.findall(r"^##+ .*", draft.generated_content, re.MULTILINE)
    assert len(headings) == len(set(headings))
    outline = kit.tables.get(schema.outline(code).consistently())
    assert outline is not None
    ids = [item["id"] for section in outline.sections for item in section["items"]]
    assert len(ids) == len(set(ids))


def _check_proposal(kit: Kit, code: str) -> None:
    """What was written is there once, with its sources, and the person's text is as it was."""
    proposal = kit.tables.get(schema.proposal(code).consistently())
    assert proposal is not None
    assert proposal.text_inputs["summary"] == MINE
    texts = [str(text) for key, text in proposal.text_inputs.items() if key != "summary"]
    told = [sentence for text in texts for sentence, _ in sentences_with_citations(text)]
    assert len(told) == len(set(told)) > 2
    numbers = [int(each["n"]) for each in proposal.citations]
    assert len(numbers) == len(set(numbers))
    assert {int(n) for text in texts for n in re.findall(r"\[(\d+)\]", text)} == set(numbers)
    actions = [each.action for each in kit.tables.stream(schema.text_versions(code))]
    assert actions == ["generated", "saved"]


async def _proposal(service: NewsletterService) -> str:
    """A proposal with a text of a person and a source that waits to be read."""
    made = await service.proposals.create(ADA, NewProposal(title="Early sorghum for dry plots"))
    code = made.proposal_code
    await service.proposals.save_section(ADA, code, "summary", ProposalSectionText(text=MINE, revision=1))
    await service.sources.add(ADA, NewSource(title=PASSAGES[0][1], text=PASSAGES[0][3], shelf=code))
    return code


async def _read_in(suite: Suite) -> None:
    await JobWorker(suite.kit.jobs, ()).drain()


async def _close(suite: Suite) -> None:
    await suite.close()


async def _drain(suite: Suite) -> None:
    """Let the search index follow."""
    await suite.worker.drain()


async def _newsletter(service: NewsletterService) -> tuple[str, list[str]]:
    """A newsletter with topics, and two sources that wait to be read."""
    made = await service.newsletters.create(ADA, NewNewsletter(title="Digest", length_preference="short"))
    await service.topics.edit(ADA, made.newsletter_code, TopicsEdit(selected_types=(FINDINGS, POLICY)))
    sources = []
    for _, title, _, text in PASSAGES[1:4:2]:
        sources.append((await service.sources.add(ADA, NewSource(title=title, text=text))).source_id)
    return made.newsletter_code, sources


async def _start(service: NewsletterService, code: str, step: StepName, **inputs: str) -> None:
    await service.steps.start(ADA, code, step, inputs=inputs)


async def _edit(service: NewsletterService, code: str, key: str, revision: int) -> None:
    await service.draft.save_section(ADA, code, key, SectionEdit(text=MINE, revision=revision))


def _draft(kit: Kit, code: str) -> Draft:
    found = kit.tables.get(schema.draft(code).consistently())
    assert found is not None
    return found
