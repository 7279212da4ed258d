"""Write, as people without script use it: every state, every form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import StepRun, Topics
from partita.table import Put
from tests.apps.newsletter.served import ServedLetters, Somebody, served_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as letters:
        yield letters


def _write(code: str) -> str:
    return f"/newsletter/editions/{code}/write"


def _hidden(page: str, name: str) -> str:
    """What a hidden field holds."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page) or re.search(
        rf'<textarea name="{name}" hidden>\n(.*?)</textarea>', page, re.DOTALL
    )
    assert found, name
    return unescape(found[1])


async def _section(ada: Somebody, code: str) -> tuple[str, str]:
    """A section with sources, and the page on which it is open."""
    draft = (await ada.api("GET", f"/newsletters/{code}/draft")).json
    key = next(str(each["key"]) for each in draft["current_sections"] if "[1]" in each["text"])
    page = await ada.get(f"{_write(code)}?section={key}")
    assert page.status == 200, page.text
    return key, page.text


async def test_before_there_is_a_draft_the_page_says_what_is_missing(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.newsletter(ada)
    missing = await ada.get(_write(code))
    assert missing.status == 200
    assert "The draft is written from the outline." in missing.shown
    await letters.run(ada, code, "outline")
    ready = await ada.get(_write(code))
    assert "Write draft</button>" in ready.text
    started = await ada.post(f"/newsletter/editions/{code}/steps/draft/start")
    running = await ada.follow(started)
    assert "Waiting to start" in running.shown
    assert "Cancel" in running.shown
    await letters.jobs.drain()
    assert 'name="text"' in (await ada.get(_write(code))).text


async def test_a_form_saves_goes_on_and_shows_both_texts_if_somebody_was_faster(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    key, page = await _section(ada, code)
    form = {name: _hidden(page, name) for name in ("revision", "updated_at", "base")}
    saved = await ada.post(f"{_write(code)}/sections/{key}", {**form, "text": "First [1].", "go": "save"})
    assert saved.location == f"{_write(code)}?section={key}"
    late = await ada.post(f"{_write(code)}/sections/{key}", {**form, "text": "Second [1].", "go": "save"})
    assert late.status == 409
    assert "First [1]." in late.shown
    assert "Second [1]." in late.shown
    again = {name: _hidden(late.text, name) for name in ("revision", "updated_at", "mine", "theirs", "base")}
    chosen = await ada.post(f"{_write(code)}/sections/{key}/choice", {**again, "go": "mine"})
    assert chosen.status == 303
    draft = (await ada.api("GET", f"/newsletters/{code}/draft")).json
    assert next(each["text"] for each in draft["current_sections"] if each["key"] == key) == "Second [1]."


async def test_a_bad_form_comes_back_with_what_was_typed(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    key, page = await _section(ada, code)
    form = {"revision": _hidden(page, "revision"), "text": "x" * 200_001}
    refused = await ada.post(f"{_write(code)}/sections/{key}", form)
    assert refused.status == 422
    assert "x" * 200_001 in refused.text


async def test_another_sentence_comes_by_a_form(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    key, page = await _section(ada, code)
    form = {name: _hidden(page, name) for name in ("revision", "updated_at", "base")}
    await ada.post(f"{_write(code)}/sections/{key}", {**form, "text": "## Empty"})
    more = (await ada.get(f"{_write(code)}?section={key}&more=1")).text
    sentence = more[more.index('class="sentence"') :]
    chosen = {name: _hidden(sentence, name) for name in ("section", "chunk_id", "quote", "text")}
    added = await ada.follow(await ada.post(f"{_write(code)}/sentences", chosen))
    assert chosen["text"] in added.shown


async def test_a_section_is_written_anew_and_the_others_stay(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    key, page = await _section(ada, code)
    form = {name: _hidden(page, name) for name in ("revision", "updated_at", "base")}
    await ada.post(f"{_write(code)}/sections/{key}", {**form, "text": "Mine."})
    running = await ada.follow(await ada.post(f"{_write(code)}/sections/{key}/generate"))
    assert "Your text stays as it is until the new draft is complete" in running.shown
    await letters.jobs.drain()
    draft = (await ada.api("GET", f"/newsletters/{code}/draft")).json
    assert next(each["text"] for each in draft["current_sections"] if each["key"] == key) == form["base"]
    versions = (await ada.api("GET", f"/newsletters/{code}/history")).json["items"]
    assert [each["action"] for each in versions] == ["generated", "saved", "generated"]


async def _failed_rewrite(letters: ServedLetters, ada: Somebody, code: str) -> str:
    """A section whose stories were switched off while it waited to be rewritten; its key."""
    key, _ = await _section(ada, code)
    outline = (await ada.api("GET", f"/newsletters/{code}/outline")).json
    items = [item["id"] for each in outline["sections"] if each["key"] == key for item in each["items"]]
    await ada.post(f"{_write(code)}/sections/{key}/generate")
    for item in items:
        await ada.api("PATCH", f"/newsletters/{code}/outline/items/{item}", {"enabled": False})
    await letters.jobs.drain()
    for item in items:
        await ada.api("PATCH", f"/newsletters/{code}/outline/items/{item}", {"enabled": True})
    return key


async def test_a_section_that_could_not_be_rewritten_says_so_and_can_be_tried_again(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    key = await _failed_rewrite(letters, ada, code)
    failed = await ada.get(f"{_write(code)}?section={key}")
    assert "Could not write a section." in failed.shown
    assert "The outline has nothing for this section. Add an item to it first." in failed.shown
    assert "Try again" in failed.shown
    again = await ada.post(f"/newsletter/editions/{code}/steps/section/start")
    assert again.location == f"{_write(code)}?section={key}"
    await letters.jobs.drain()
    assert "Could not" not in (await ada.get(f"{_write(code)}?section={key}")).shown


async def test_a_new_draft_ends_what_was_said_of_a_section_before_it(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    await _failed_rewrite(letters, ada, code)
    await letters.run(ada, code, "draft")
    assert "Could not write a section." not in (await ada.get(_write(code))).shown


async def test_a_draft_says_what_has_changed_since_it_was_made(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    assert "was made with other settings" not in (await ada.get(_write(code))).shown
    await ada.api("PATCH", f"/newsletters/{code}", {"tone_professional": 90})
    assert "The draft is out of date: tone changed since" in (await ada.get(_write(code))).shown


async def test_sources_that_the_text_does_not_cite_are_named(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    draft = (await ada.api("GET", f"/newsletters/{code}/draft")).json
    cited = {each["source_id"] for each in draft["citations"]}
    topics = await letters.kit.store.get(schema.topics(code))
    assert topics is not None
    await letters.kit.store.write(Put(topics.with_(Topics.source_ids(tuple(cited)))))
    assert "Not cited:" not in (await ada.get(_write(code))).shown
    said = "The bell foundry of Lauriston cast nine bells for the harbour and sold four of them. "
    own = await ada.api("POST", "/sources", {"text": said * 20, "title": "A foundry's year", "shelf": code})
    await ada.api("POST", "/sources", {"text": said * 21, "title": "Somebody else's"})
    await letters.follow()
    told = (await ada.get(_write(code))).shown
    assert "Not cited: <a" in told
    assert ">A foundry's year</a>.</p>" in told
    assert "Somebody else's" not in told
    await letters.run(ada, code, "outline", "draft")
    assert "Not cited: <a" in (await ada.get(_write(code))).shown, "nothing that was found speaks of bells"
    off = await ada.api("PATCH", f"/sources/{own.json['source_id']}", {"enabled": False})
    assert off.status == 200, off.text
    assert "Not cited:" not in (await ada.get(_write(code))).shown


async def test_a_note_is_beside_its_section(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    key, _ = await _section(ada, code)
    await ada.api("POST", f"/newsletters/{code}/notes", {"section_key": key, "text": "Where is the figure from?"})
    page = await ada.get(f"{_write(code)}?section={key}&panel=notes")
    assert "Where is the figure from?" in page.shown
    assert "On this section" in page.shown


async def test_while_a_draft_is_written_its_finished_sections_show_as_new(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.newsletter(ada)
    await letters.run(ada, code, "outline")
    await letters.service.steps.start(ada.viewer, code, "draft")
    run = await letters.kit.store.get(schema.step_run(code, "draft").consistently())
    assert run is not None
    finished = {"sections": {"policy_updates": "## Policy Updates\n\nThe senate passed a law [1]."}}
    await letters.kit.store.write(Put(run.with_(StepRun.partial(finished))))
    page = (await ada.get(_write(code))).shown
    assert "Finished sections" in page
    assert "The senate passed a law" in page


async def test_a_number_that_leads_nowhere_is_told_when_it_is_saved(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    key, page = await _section(ada, code)
    form = {name: _hidden(page, name) for name in ("revision", "updated_at", "base")}
    sent = {"text": "Wrong [77] and [78], right [1].", "revision": int(form["revision"]), "base": form["base"]}
    told = (await ada.api("PUT", f"/newsletters/{code}/draft/sections/{key}", sent)).json
    assert told["section"]["unresolved"] == [77, 78]
    assert not told["quality"]["cited"]["ok"]
    assert {"section": key, "text": "[77] Wrong and, right."} in told["quality"]["cited"]["places"]
    again = {**form, "revision": str(told["revision"]), "updated_at": told["updated_at"], "base": sent["text"]}
    saved = await ada.follow(await ada.post(f"{_write(code)}/sections/{key}", {**again, "text": "Wrong [77]."}))
    assert "Saved. [77] leads to no source of this draft." in saved.shown
