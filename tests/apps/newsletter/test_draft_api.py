"""The draft, its history and its sources over HTTP, with a text that the offline writer wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apps.newsletter.served import ServedLetters, Somebody, served_in

pytestmark = pytest.mark.anyio
LINES = {"faithful", "cited", "covered", "repeats", "stands_alone", "variety", "fresh", "length", "readable"}


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as letters:
        yield letters


async def _draft(somebody: Somebody, code: str) -> Any:
    answer = await somebody.api("GET", f"/newsletters/{code}/draft")
    assert answer.status == 200, answer.text
    return answer.json


def _told(draft: Any) -> Any:
    """A section with citations."""
    return next(each for each in draft["current_sections"] if "[1]" in each["text"])


async def test_the_draft_is_as_the_document_has_it_and_says_what_it_is_now(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    empty = await letters.newsletter(ada)
    refused = await ada.api("GET", f"/newsletters/{empty}/draft")
    assert (refused.status, refused.json["code"]) == (409, "step_not_ready")
    code = await letters.drafted(ada)
    draft = await _draft(ada, code)
    assert draft["draft_status"] == "completed"
    assert draft["generated_content"].startswith("# Weekly Research Digest")
    assert draft["has_user_edits"] is False
    assert draft["text"] == draft["generated_content"]
    assert draft["estimated_read_time"].endswith(("minute", "minutes"))
    assert [each["key"] for each in draft["current_sections"]] == list(draft["sections"])
    assert set(draft["quality"]) == LINES
    assert draft["quality"]["faithful"]["value"] == 1
    assert (await ada.api("GET", f"/newsletters/{code}/draft/quality")).json["quality"] == draft["quality"]


async def test_a_saved_section_is_counted_and_judged_and_the_second_window_gets_both_texts(
    letters: ServedLetters,
) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    draft = await _draft(ada, code)
    section = _told(draft)
    path = f"/newsletters/{code}/draft/sections/{section['key']}"
    text = f"{section['text']}\n\nPlain invention without any source at all."
    body = {"text": text, "revision": draft["revision"], "updated_at": draft["updated_at"]}
    saved = await ada.api("PUT", path, body)
    assert saved.status == 200, saved.text
    assert saved.json["word_count"] == draft["word_count"] + 7
    assert saved.json["revision"] == draft["revision"] + 1
    assert saved.json["quality"]["faithful"]["ok"] is not None
    assert saved.json["quality"]["faithful"]["value"] < 1
    late = await ada.api("PUT", path, {**body, "text": "Mine."})
    assert (late.status, late.json["code"]) == (409, "changed_meanwhile")
    assert (late.json["mine"], late.json["theirs"]) == ("Mine.", text)
    again = {"text": "Mine.", "revision": late.json["revision"], "updated_at": late.json["updated_at"]}
    assert (await ada.api("PUT", path, again)).status == 200
    reset = await ada.api("POST", f"/newsletters/{code}/draft/reset", {})
    assert reset.json["text"] == draft["text"]
    whole = {"user_edits": "# T\n\n## One\n\nText.", "revision": reset.json["revision"]}
    answer = await ada.api("PUT", f"/newsletters/{code}/draft", whole)
    assert [each["key"] for each in answer.json["current_sections"]] == ["one"]
    assert {each["key"] for each in answer.json["left_out"]} == set(draft["sections"])


async def test_a_number_opens_the_passage_that_its_sentence_was_taken_from(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    found = await ada.api("GET", f"/newsletters/{code}/draft/citations/1")
    assert found.status == 200, found.text
    used = [part["text"] for part in found.json["parts"] if part["used"]]
    assert used
    text = (await _draft(ada, code))["text"]
    assert all(sentence.rstrip(".") in text for sentence in used)
    assert found.json["here"] is True
    assert (await ada.api("GET", f"/newsletters/{code}/draft/citations/99")).status == 404


async def test_another_sentence_is_put_in_with_its_number(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    draft = await _draft(ada, code)
    section = _told(draft)
    path = f"/newsletters/{code}/draft/sections/{section['key']}"
    heading = section["text"].partition("\n")[0]
    await ada.api("PUT", path, {"text": heading, "revision": draft["revision"]})
    offered = (await ada.api("GET", f"{path}/suggestions")).json["items"]
    assert len(offered) > 1
    first = offered[0]
    body = {"chunk_id": first["chunk_id"], "quote": first["quote"], "section": section["key"], "text": first["text"]}
    added = await ada.api("POST", f"/newsletters/{code}/draft/citations", body)
    assert added.status == 201, added.text
    now = await _draft(ada, code)
    text = next(every["text"] for every in now["current_sections"] if every["key"] == section["key"])
    assert text.endswith(f"{first['text']} [{added.json['n']}]")
    assert now["quality"]["faithful"]["value"] == 1
    passage = await ada.api("GET", f"/newsletters/{code}/draft/citations/{added.json['n']}")
    assert any(part["used"] for part in passage.json["parts"])
    wrong = {**body, "quote": "Words that are in no passage."}
    assert (await ada.api("POST", f"/newsletters/{code}/draft/citations", wrong)).status == 422


async def test_the_history_over_http(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    draft = await _draft(ada, code)
    section = _told(draft)
    body = {"text": section["text"].replace(" the ", " THE ", 1), "revision": draft["revision"]}
    await ada.api("PUT", f"/newsletters/{code}/draft/sections/{section['key']}", body)
    versions = (await ada.api("GET", f"/newsletters/{code}/history")).json["items"]
    assert [each["action"] for each in versions] == ["saved", "generated"]
    newest = (await ada.api("GET", f"/newsletters/{code}/history/{versions[0]['revision']}")).json
    assert newest["compared_with"] == versions[1]["revision"]
    assert [piece for piece in newest["changes"][0]["pieces"] if piece[0] != "="] == ["-the", "+THE"]
    oldest = versions[1]["revision"]
    restored = await ada.api("POST", f"/newsletters/{code}/history/{oldest}/restore")
    assert restored.json["text"] == draft["text"]
    assert (await ada.api("GET", f"/newsletters/{code}/history/999")).status == 404


async def test_pasted_html_comes_back_as_markdown_and_rewriting_needs_a_model(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    pasted = await ada.api("POST", f"/newsletters/{code}/draft/paste", {"html": "<p>It <b>rained</b>.</p>"})
    assert pasted.json == {"markdown": "It **rained**."}
    wish = {"text": "It rained a lot [1].", "wish": "shorter"}
    refused = await ada.api("POST", f"/newsletters/{code}/draft/rewrite", wish)
    assert (refused.status, refused.json["code"]) == (409, "no_model")


async def test_strangers_get_nothing_of_a_draft(letters: ServedLetters) -> None:
    ada, nora = await letters.person("author", "Ada"), await letters.person("author", "Nora")
    code = await letters.drafted(ada)
    key = _told(await _draft(ada, code))["key"]
    start = f"/newsletters/{code}"
    tries: list[tuple[str, str, Any]] = [
        ("GET", "/draft", None),
        ("PUT", "/draft", {"user_edits": "x", "revision": 1}),
        ("POST", "/draft/reset", {}),
        ("POST", "/draft/tidy-numbers", None),
        ("PUT", f"/draft/sections/{key}", {"text": "x", "revision": 1}),
        ("GET", f"/draft/sections/{key}/suggestions", None),
        ("GET", "/draft/citations/1", None),
        ("POST", "/draft/citations", {"chunk_id": "c", "quote": "q"}),
        ("GET", "/draft/quality", None),
        ("POST", "/draft/paste", {"html": "x"}),
        ("POST", "/draft/rewrite", {"text": "x", "wish": "shorter"}),
        ("GET", "/history", None),
        ("GET", "/history/1", None),
        ("POST", "/history/1/restore", None),
        ("GET", "/images/0", None),
    ]
    for method, path, content in tries:
        answer = await nora.api(method, start + path, content)
        assert answer.status == 404, (method, path, answer.status)
    nobody = letters.visitor()
    for method, path, content in tries:
        assert (await nobody.call(method, f"/api/newsletter{start}{path}", content)).status in (401, 403)
