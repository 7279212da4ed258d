"""The pages Review, and Writers and prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from partita.apps.newsletter.inputs import NewProposal
from partita.apps.newsletter.schema import MAIN
from tests.apps.house import kit_on
from tests.apps.newsletter.served import ServedLetters, serve, served_in
from tests.web.filled import filled

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
    assert "You cannot approve your own newsletter" in page.text
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


async def test_who_may_not_create_a_file_reads_who_may(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    edition = await letters.drafted(ada)
    made = await letters.service.proposals.create(ada.viewer, NewProposal(title="Dams"), None)
    for path in (f"editions/{edition}", f"proposals/{made.proposal_code}"):
        await ada.post(f"/newsletter/{path}/review/shares", {"to": "edda", "role": "reader", "review": "true"})
        finish = f"/newsletter/{path}/finish"
        assert "Not created yet. People who can edit this" in (await edda.get(finish)).shown
        assert f'action="{finish}/md/make"' not in (await edda.get(finish)).text
        assert "Not created yet" not in (await ada.get(finish)).shown
        assert f'action="{finish}/md/make"' in (await ada.get(finish)).text
    empty = (await ada.get(finish)).shown
    assert re.search(r"7 sections without text: (?:[^,]+, ){3}[^,]+ and 3 more\.", empty), empty


async def test_reviewers_have_their_own_pictures(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    proposal = await letters.service.proposals.create(ada.viewer, NewProposal(title="Fodder banks"), None)
    for path in (f"editions/{await letters.drafted(ada)}", f"proposals/{proposal.proposal_code}"):
        review = f"/newsletter/{path}/review"
        await ada.post(f"{review}/notes", {"section_key": "", "text": "Is this of this year?"})
        await ada.post(f"{review}/shares", {"to": "edda", "role": "reader"})
        pictures = [await letters.portray(each) for each in (ada, edda)]
        page = (await ada.get(review)).text.partition("<main")[2]
        assert all(each in page for each in pictures), path


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


async def test_a_review_needs_the_reviewer_and_not_whoever_asked(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    code = await letters.drafted(ada)
    review = f"/newsletter/editions/{code}/review"
    await ada.post(f"{review}/shares", {"to": "edda", "role": "reader", "review": "true"})
    await letters.follow()
    assert "Needs you" not in (await ada.get("/newsletter")).text
    desk = (await edda.get("/newsletter")).text
    assert "asks you for a review" in desk.partition("Needs you")[2]
    assert f'href="{review}"' in desk
    assert await letters.service.waiting_for(edda.viewer) == 1
    approval = await letters.service.approval.of(edda.viewer, code)
    await edda.post(f"{review}/decision", {"decision": "approve", "revision": str(approval.revision), "comment": ""})
    await letters.follow()
    assert "Needs you" not in (await edda.get("/newsletter")).text
    assert "waiting for a review" not in (await ada.get("/newsletter")).text


async def test_an_author_who_was_asked_finds_what_to_say_instead_of_approving(letters: ServedLetters) -> None:
    ada, rolf = await letters.person("author", "Ada"), await letters.person("author", "Rolf")
    code = await letters.drafted(ada)
    review = f"/newsletter/editions/{code}/review"
    assert "Editors can approve it; others can ask for changes" in (await ada.get(review)).shown
    await ada.post(f"{review}/shares", {"to": "rolf", "role": "reader", "review": "true"})
    page = await rolf.get(review)
    assert "Only editors can approve" in page.shown
    assert 'value="approve"' not in page.text
    form = {**dict(filled(page.text, f"{review}/decision")), "decision": "no_objections"}
    answer = await rolf.post(f"{review}/decision", form)
    assert answer.status == 303
    read = await rolf.follow(answer)
    assert "Noted that you have no objections." in read.shown
    assert 'value="no_objections"' not in read.text
    assert "I have read it and have no objections." in (await ada.get(review)).shown


async def test_colleagues_are_suggested_while_a_name_is_typed(letters: ServedLetters) -> None:
    ada, nora = await letters.person("author", "Ada"), await letters.person("", "Nora")
    for name in ("Edda", "Edgar"):
        await letters.person("author", name)
    await letters.person("", "Edith")
    code = await letters.newsletter(ada)
    assert 'hx-get="/newsletter/people/complete"' in (await ada.get(f"/newsletter/editions/{code}/review")).text
    options = (await ada.get("/newsletter/people/complete?to=ED")).text
    assert '<option value="edda">Edda</option>' in options
    assert "edgar" in options
    assert "edith" not in options, "she may not use newsletters"
    assert "ada" not in (await ada.get("/newsletter/people/complete?to=ada")).text
    assert (await nora.get("/newsletter/people/complete?to=ed")).status == 403


async def test_a_citation_in_a_review_opens_inside_the_review(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    page = await ada.get(f"/newsletter/editions/{code}/review")
    (first, *_) = re.findall(r'href="([^"]+)" data-cite="1"', page.text)
    address = unescape(first)
    assert address.startswith(f"/newsletter/editions/{code}/review?cite=1")
    path, _, key = address.partition("#passage-")
    opened = await ada.get(path)
    inside = opened.text.partition(f'id="passage-{key}"')[2].partition("review-notes")[0]
    assert "passage-text" in inside
    assert "passage-text" not in page.text
    assert (await ada.get(f"/newsletter/editions/{code}/review?cite=99&at={key}")).status == 200


async def test_a_proposal_is_reviewed_by_somebody_who_was_asked(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("author", "Edda")
    made = await letters.service.proposals.create(ada.viewer, NewProposal(title="Fodder banks"), None)
    code = made.proposal_code
    review = f"/newsletter/proposals/{code}/review"
    assert "Ask for a review" in (await ada.get(f"/newsletter/proposals/{code}")).text
    assert (await edda.get(review)).status == 404
    answer = await ada.post(f"{review}/shares", {"to": "edda", "role": "reader", "review": "true"})
    assert "Edda has been asked for a review." in (await ada.follow(answer)).shown
    assert (await letters.service.proposals.read(ada.viewer, code)).proposal.status == "in_review"
    await letters.follow()
    assert "Ada asked you to review “Fodder banks”" in (await edda.get("/notifications")).shown
    for page in ("/newsletter", "/newsletter/proposals"):
        assert "Fodder banks" in (await edda.get(page)).text, page
    assert "Needs you" not in (await ada.get("/newsletter")).text
    silent = await edda.post(f"{review}/decision", {"decision": "ask_for_changes", "comment": ""})
    assert silent.status == 422
    sent = {"decision": "ask_for_changes", "comment": "The budget is missing."}
    assert (await edda.post(f"{review}/decision", sent)).status == 303
    assert (await letters.service.proposals.read(ada.viewer, code)).proposal.status == "draft"
    assert "The budget is missing." in (await ada.get(review)).text
    await letters.follow()
    told = (await ada.get("/notifications")).shown
    assert "Edda asked for changes to “Fodder banks”" in told
    assert "approved" not in told
    assert (await edda.post(f"{review}/decision", {"decision": "approve"})).status == 403, "it is not in review"
    await ada.post(f"{review}/shares", {"to": "edda", "role": "reader", "review": "true"})
    there = (await letters.service.proposals.read(ada.viewer, code)).proposal
    stale = await edda.post(f"{review}/decision", {"decision": "approve", "revision": str(there.revision - 1)})
    assert stale.status == 409
    assert (await edda.post(f"{review}/decision", {"decision": "approve"})).status == 303
    assert (await letters.service.proposals.read(ada.viewer, code)).proposal.status == "ready"
    await letters.follow()
    assert "Edda approved “Fodder banks”" in (await ada.get("/notifications")).shown
    assert "Needs you" not in (await edda.get("/newsletter")).text


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


async def test_a_newsletter_chooses_a_writer_of_its_own_among_those_that_are_set_up(tmp_path: Path) -> None:
    with kit_on(tmp_path, MAIN) as kit:
        model = {"newsletter_openai_url": "http://127.0.0.1:1/v1", "newsletter_openai_model": "m"}
        letters = serve(replace(kit, settings=kit.settings.model_copy(update=model)))
        ada = await letters.person("author", "Ada")
        code = await letters.newsletter(ada)
        path = f"/newsletter/editions/{code}/configure"
        page = await ada.get(path)
        choices = re.findall(r'<option value="([^"]*)"', page.text[page.text.index('name="generator"') :])
        assert choices[:3] == ["", "extractive", "openai"]
        assert "bedrock" not in choices

        async def stored() -> str:
            return (await letters.service.newsletters.get(ada.viewer, code)).generator

        await ada.post(path, {**dict(filled(page.text, path)), "generator": "openai", "go": "save"})
        assert await stored() == "openai"
        page = await ada.get(path)
        assert '<option value="openai" selected>' in page.text
        await ada.post(path, {**dict(filled(page.text, path)), "generator": "", "go": "save"})
        assert await stored() == ""


async def test_without_a_model_there_is_no_writer_to_choose_and_a_choice_that_is_gone_is_told(
    letters: ServedLetters,
) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.newsletter(ada)
    path = f"/newsletter/editions/{code}/configure"
    assert 'name="generator"' not in (await ada.get(path)).text
    await ada.api("PATCH", f"/newsletters/{code}", {"generator": "openai"})
    page = await ada.get(path)
    assert "Chat completions is no longer set up, so Offline writer writes." in page.shown
    await ada.api("PATCH", f"/newsletters/{code}", {"generator": "another-program"})
    page = await ada.get(path)
    await ada.post(path, {**dict(filled(page.text, path)), "title": "New title", "go": "save"})
    there = await letters.service.newsletters.get(ada.viewer, code)
    assert (there.title, there.generator) == ("New title", "another-program")
