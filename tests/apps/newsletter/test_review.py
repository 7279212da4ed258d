"""Sharing, notes and approval: who may do what, and what is told to whom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apps.house import replay
from tests.apps.newsletter.served import ServedLetters, Somebody, served_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as letters:
        yield letters


async def share(owner: Somebody, code: str, to: str, role: str = "reader", review: bool = False) -> None:
    answer = await owner.api("POST", f"/newsletters/{code}/shares", {"to": to, "role": role, "review": review})
    assert answer.status == 201, answer.text


async def revision(somebody: Somebody, code: str) -> int:
    answer = await somebody.api("GET", f"/newsletters/{code}/approval")
    return int(answer.json["revision"])


async def test_for_strangers_there_is_no_newsletter_until_it_is_shared(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    code = await letters.newsletter(ada)
    for path in ("shares", "notes", "approval"):
        assert (await edda.api("GET", f"/newsletters/{code}/{path}")).status == 404
    assert (await edda.api("GET", "/newsletters?shared=true")).json == {"items": [], "next_cursor": None}
    await share(ada, code, "edda")
    (entry,) = (await edda.api("GET", "/newsletters?shared=true")).json["items"]
    assert (entry["newsletterCode"], entry["title"], entry["user_id"]) == (
        code,
        "Weekly Research Digest",
        ada.viewer.id,
    )
    assert (await edda.api("GET", f"/newsletters/{code}/notes")).status == 200
    answer = await edda.api("POST", f"/newsletters/{code}/shares", {"to": "edda", "role": "editor"})
    assert answer.status == 403
    assert (await ada.api("DELETE", f"/newsletters/{code}/shares/{edda.viewer.id}")).status == 204
    assert (await edda.api("GET", f"/newsletters/{code}/notes")).status == 404


async def test_sharing_again_changes_what_somebody_may_do(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    code = await letters.drafted(ada)
    await share(ada, code, "edda@example.org")
    key = (await ada.api("GET", f"/newsletters/{code}/draft")).json["current_sections"][0]["key"]
    body = {"text": "Hers.", "revision": 1}
    assert (await edda.api("PUT", f"/newsletters/{code}/draft/sections/{key}", body)).status == 403
    await share(ada, code, "edda", "editor")
    (entry,) = (await ada.api("GET", f"/newsletters/{code}/shares")).json["items"]
    assert (entry["user_name"], entry["role"], entry["review_asked"]) == ("Edda", "editor", False)
    body["revision"] = await revision(edda, code)
    assert (await edda.api("PUT", f"/newsletters/{code}/draft/sections/{key}", body)).status == 200


@pytest.mark.parametrize("to", ["nobody", "nora", "ada"])
async def test_sharing_is_with_others_who_may_use_newsletters(letters: ServedLetters, to: str) -> None:
    ada = await letters.person("author", "Ada")
    await letters.person("", "Nora")
    code = await letters.newsletter(ada)
    answer = await ada.api("POST", f"/newsletters/{code}/shares", {"to": to})
    assert (answer.status, answer.json["errors"][0]["field"]) == (422, "to")


async def test_readers_leave_notes_and_editors_deal_with_them(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    rolf = await letters.person("author", "Rolf")
    code = await letters.drafted(ada)
    await share(ada, code, "edda")
    await share(ada, code, "rolf")
    body = {"section_key": "research_findings", "text": "Is this figure of this year?"}
    note = (await edda.api("POST", f"/newsletters/{code}/notes", body)).json
    assert (note["by_name"], note["resolved_at"]) == ("Edda", None)
    path = f"/newsletters/{code}/notes/{note['note_id']}"
    assert (await rolf.api("PATCH", path, {"resolved": True})).status == 403
    assert (await rolf.api("DELETE", path)).status == 403
    assert (await ada.api("PATCH", path, {"resolved": True})).json["resolved_by"] == ada.viewer.id
    assert (await edda.api("PATCH", path, {"resolved": False})).json["resolved_at"] is None
    assert (await edda.api("DELETE", path)).status == 204
    assert (await edda.api("DELETE", path)).status == 404
    assert (await ada.api("GET", f"/newsletters/{code}/notes")).json == {"items": []}
    for text in ("", "x" * 2001):
        assert (await edda.api("POST", f"/newsletters/{code}/notes", {"text": text})).status == 422


async def test_a_colleague_approves_and_an_edit_shows(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    code = await letters.drafted(ada)
    await share(ada, code, "edda", "editor", review=True)
    approval = f"/newsletters/{code}/approval"
    assert (await ada.api("GET", approval)).json["state"] == "asked"
    read = await revision(edda, code)
    stale = await edda.api("POST", approval, {"decision": "approve", "revision": read + 1})
    assert (stale.status, stale.json["code"], stale.json["revision"]) == (409, "changed_meanwhile", read)
    answer = await edda.api("POST", approval, {"decision": "approve", "revision": read})
    assert (answer.json["state"], answer.json["approved_by"]) == ("approved", edda.viewer.id)
    key = (await ada.api("GET", f"/newsletters/{code}/draft")).json["current_sections"][0]["key"]
    await ada.api("PUT", f"/newsletters/{code}/draft/sections/{key}", {"text": "Mine.", "revision": read})
    assert (await ada.api("GET", approval)).json["state"] == "changed"
    answer = await edda.api("POST", approval, {"decision": "ask_for_changes", "comment": "Shorter, please."})
    assert answer.json["state"] == "none"
    (note,) = (await ada.api("GET", f"/newsletters/{code}/notes")).json["items"]
    assert (note["text"], note["section_key"]) == ("Shorter, please.", "")


async def test_nobody_approves_their_own_but_administrators(letters: ServedLetters) -> None:
    edda, xenia = await letters.person("editor", "Edda"), await letters.person("admin", "Xenia")
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(edda)
    own = await edda.api("POST", f"/newsletters/{code}/approval", {"decision": "approve"})
    assert (own.status, "their own" in own.json["detail"]) == (403, True)
    await share(edda, code, "ada")
    assert (await ada.api("POST", f"/newsletters/{code}/approval", {"decision": "approve"})).status == 403
    theirs = await letters.drafted(xenia)
    assert (await xenia.api("POST", f"/newsletters/{theirs}/approval", {"decision": "approve"})).status == 200
    taken = await xenia.api("POST", f"/newsletters/{theirs}/approval", {"decision": "withdraw"})
    assert taken.json["state"] == "none"
    again = await xenia.api("POST", f"/newsletters/{theirs}/approval", {"decision": "withdraw"})
    assert (again.status, again.json["code"]) == (409, "not_approved")


async def test_without_a_draft_there_is_nothing_to_approve(letters: ServedLetters) -> None:
    xenia = await letters.person("admin", "Xenia")
    code = await letters.newsletter(xenia)
    answer = await xenia.api("POST", f"/newsletters/{code}/approval", {"decision": "approve"})
    assert (answer.status, answer.json["code"]) == (409, "step_not_ready")
    empty = await xenia.api("POST", f"/newsletters/{code}/approval", {"decision": "ask_for_changes"})
    assert empty.status in (409, 422)


async def told(letters: ServedLetters, somebody: Somebody) -> list[str]:
    """What somebody has to read, newest first."""
    await letters.follow()
    page = await letters.kit.notifications.page(somebody.viewer, limit=20)
    return [entry.words.title for entry in page]


async def test_people_are_told_once_of_what_concerns_them(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    code = await letters.drafted(ada)
    await share(ada, code, "edda", review=True)
    assert await told(letters, edda) == ["Ada asked you to review “Weekly Research Digest”"]
    await edda.api("POST", f"/newsletters/{code}/notes", {"text": "Good."})
    await ada.api("POST", f"/newsletters/{code}/notes", {"text": "Thank you."})
    await edda.api("POST", f"/newsletters/{code}/approval", {"decision": "approve"})
    assert await told(letters, ada) == [
        "Edda approved “Weekly Research Digest”",
        "A new note on “Weekly Research Digest”",
    ]
    await replay(letters.kit, letters.system, "newsletter.notifications")
    assert len(await told(letters, ada)) == 2
    assert len(await told(letters, edda)) == 1
