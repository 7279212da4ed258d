"""The pages Review, and Writers and prompts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apps.newsletter.served import ServedLetters, served_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as letters:
        yield letters


async def test_a_colleague_reads_notes_and_approves(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    code = await letters.drafted(ada)
    review = f"/newsletter/editions/{code}/review"
    assert (await edda.get(review)).status == 404
    page = await ada.get(review)
    assert page.status == 200
    assert "Nobody approves their own newsletter" in page.text
    answer = await ada.post(f"{review}/shares", {"to": "edda", "role": "reader", "review": "true"})
    assert answer.status == 303
    page = await edda.get(review)
    assert "Early sorghum" in page.text
    assert "Ask for changes" in page.text
    key = "research_findings"
    answer = await edda.post(f"{review}/notes", {"section_key": key, "text": "Is this of this year?"})
    assert answer.status == 303
    (note,) = await letters.service.notes.on(ada.viewer, code)
    assert "Is this of this year?" in (await ada.get(review)).text
    assert (await ada.post(f"{review}/notes/{note.note_id}/resolve", {})).status == 303
    assert "Resolved" in (await ada.get(review)).text
    assert (await ada.post(f"{review}/notes/{note.note_id}/reopen", {})).status == 303
    assert "cannot be brought back" in (await edda.get(f"{review}/notes/{note.note_id}/delete")).text
    assert (await edda.post(f"{review}/notes/{note.note_id}/delete", {})).status == 303
    approval = await letters.service.approval.of(edda.viewer, code)
    sent = {"decision": "approve", "revision": str(approval.revision), "comment": ""}
    assert (await edda.post(f"{review}/decision", sent)).status == 303
    assert "Approved" in (await ada.get(review)).text
    await letters.run(ada, code, "draft")
    assert "Changed since approval" in (await ada.get(review)).text
    assert (await edda.post(f"{review}/shares/{edda.viewer.id}/remove", {})).status == 303
    assert (await edda.get(review)).status == 404


async def test_what_is_refused_is_shown_with_what_was_typed(letters: ServedLetters) -> None:
    xenia = await letters.person("admin", "Xenia")
    code = await letters.drafted(xenia)
    review = f"/newsletter/editions/{code}/review"
    answer = await xenia.post(f"{review}/decision", {"decision": "ask_for_changes", "comment": "", "revision": "1"})
    assert answer.status in (409, 422)
    answer = await xenia.post(f"{review}/shares", {"to": "nobody-here", "role": "editor"})
    assert answer.status == 422
    assert "nobody-here" in answer.text
    answer = await xenia.post(f"{review}/notes", {"section_key": "", "text": "x" * 2001})
    assert answer.status == 422
    assert "x" * 2001 in answer.text


async def test_there_is_a_page_before_there_is_a_draft(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.newsletter(ada)
    page = await ada.get(f"/newsletter/editions/{code}/review")
    assert page.status == 200
    assert "Nothing to review yet" in page.text


async def test_administrators_try_writers_and_edit_prompts(letters: ServedLetters) -> None:
    admin, author = await letters.person("admin", "Xenia"), await letters.person("author")
    assert (await author.get("/newsletter/writers")).status == 403
    page = await admin.get("/newsletter/writers")
    assert "PARTITA_NEWSLETTER_OPENAI_URL" in page.text
    assert page.text.count("In use") == 1
    job = await letters.service.generators.start_trial(admin.viewer, "extractive")
    await letters.jobs.drain()
    page = await admin.get(f"/newsletter/writers?trial={job.job_id}")
    assert "1.8 tonnes" in page.text
    assert (await admin.post("/newsletter/writers/choose", {"writer": "bedrock"})).status == 303
    assert (await letters.service.generators.chosen()).name == "extractive"
    prompt = "/newsletter/writers/prompts/section"
    assert "called “{title}”" in (await admin.get(prompt)).text
    saved = await admin.post(prompt, {"text": "Write for {audience}.", "note": "Short", "version": "0"})
    assert saved.status == 303
    stale = await admin.post(prompt, {"text": "Write for {title}.", "note": "", "version": "0"})
    assert stale.status == 409
    assert "Somebody else has saved version 1" in stale.text
    assert "What has changed since" in (await admin.get(f"{prompt}/0")).text
    assert (await admin.post(f"{prompt}/0", {})).status == 303
    assert (await letters.service.prompts.in_use("section")).version == 2
    wrong = await admin.post(prompt, {"text": "Write for {nobody}.", "version": "2"})
    assert wrong.status == 422
    assert (await admin.get("/newsletter/writers/prompts/greeting")).status == 404
