"""Sharing, notes and approval: who may do what, and what is told to whom."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.newsletter.inputs import Decision, NewNewsletter, NewProposal, NewShare
from partita.apps.newsletter.schema import Draft
from partita.kit.problems import Conflict
from partita.table import Put
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
    assert (answer.json["state"], answer.json["changes_asked_by"]) == ("changes_requested", edda.viewer.id)
    (note,) = (await ada.api("GET", f"/newsletters/{code}/notes")).json["items"]
    assert (note["text"], note["section_key"], note["decision"]) == ("Shorter, please.", "", "ask_for_changes")
    await share(ada, code, "edda", "editor", review=True)
    assert (await ada.api("GET", approval)).json["state"] == "asked"
    answer = await edda.api("POST", approval, {"decision": "approve", "comment": "Well done."})
    assert answer.json["state"] == "approved"
    texts = [each["text"] for each in (await ada.api("GET", f"/newsletters/{code}/notes")).json["items"]]
    assert texts == ["Shorter, please.", "Well done."], "the comment of an approval is not lost"


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Another title"},
        {"theme": "bulletin"},
        {"language": "am"},
        {"preheader": "What this week brought."},
        {"issue_label": "No. 40"},
        {"geographic_focus": "Turkana"},
    ],
)
async def test_what_is_printed_beside_the_text_is_approved_with_it(
    letters: ServedLetters, change: dict[str, str]
) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.drafted(ada)
    xenia = await letters.person("admin", "Xenia")
    approval = f"/newsletters/{code}/approval"
    assert (await xenia.api("POST", approval, {"decision": "approve"})).json["state"] == "approved"
    # What is not printed leaves it approved.
    assert (await ada.api("PATCH", f"/newsletters/{code}", {"frequency": "monthly"})).status == 200
    assert (await ada.api("GET", approval)).json["state"] == "approved"
    assert (await ada.api("PATCH", f"/newsletters/{code}", change)).status == 200
    assert (await ada.api("GET", approval)).json["state"] == "changed"
    assert "Changed since approval" in (await ada.get(f"/newsletter/editions/{code}/finish")).shown
    assert (await xenia.api("POST", approval, {"decision": "approve"})).json["state"] == "approved"


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


async def test_whoever_was_asked_answers_though_only_editors_approve(letters: ServedLetters) -> None:
    ada, rolf = await letters.person("author", "Ada"), await letters.person("author", "Rolf")
    code = await letters.drafted(ada)
    approval = f"/newsletters/{code}/approval"
    await share(ada, code, "rolf")
    for decision in ("no_objections", "ask_for_changes"):
        refused = await rolf.api("POST", approval, {"decision": decision, "comment": "Read."})
        assert refused.status == 403, "nobody has asked him"
    await share(ada, code, "rolf", review=True)
    assert (await rolf.api("POST", approval, {"decision": "approve"})).status == 403
    answer = await rolf.api("POST", approval, {"decision": "ask_for_changes", "comment": "Shorter, please."})
    assert (answer.status, answer.json["state"]) == (200, "changes_requested")
    assert (await rolf.api("POST", approval, {"decision": "no_objections"})).status == 403, "it is answered"
    await share(ada, code, "rolf", review=True)
    answer = await rolf.api("POST", approval, {"decision": "no_objections"})
    assert (answer.json["state"], answer.json["approved_by"]) == ("none", None)
    notes = (await ada.api("GET", f"/newsletters/{code}/notes")).json["items"]
    assert [(each["text"], each["decision"], bool(each["resolved_at"])) for each in notes] == [
        ("Shorter, please.", "ask_for_changes", False),
        ("I have read it and have no objections.", "no_objections", True),
    ]
    assert "A new note on “Weekly Research Digest”" in await told(letters, ada)


async def test_a_review_is_asked_for_until_the_last_one_has_answered(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    rolf = await letters.person("author", "Rolf")
    code = await letters.drafted(ada)
    for to in ("rolf", "edda"):
        await share(ada, code, to, review=True)
    answer = await rolf.api("POST", f"/newsletters/{code}/approval", {"decision": "no_objections", "comment": "Fine."})
    assert answer.json["state"] == "asked"
    assert await letters.service.waiting_for(rolf.viewer) == 0
    assert await letters.service.waiting_for(edda.viewer) == 1
    answer = await edda.api("POST", f"/newsletters/{code}/approval", {"decision": "approve"})
    assert answer.json["state"] == "approved"


async def test_without_a_draft_there_is_nothing_to_approve(letters: ServedLetters) -> None:
    xenia = await letters.person("admin", "Xenia")
    code = await letters.newsletter(xenia)
    answer = await xenia.api("POST", f"/newsletters/{code}/approval", {"decision": "approve"})
    assert (answer.status, answer.json["code"]) == (409, "step_not_ready")
    empty = await xenia.api("POST", f"/newsletters/{code}/approval", {"decision": "ask_for_changes"})
    assert empty.status in (409, 422)


async def _proposal(letters: ServedLetters, owner: Somebody) -> str:
    made = await letters.service.proposals.create(owner.viewer, NewProposal(title="Fodder banks"), None)
    return made.proposal_code


async def test_notes_shares_and_reviews_of_proposals_are_in_the_api_too(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("author", "Edda")
    nora = await letters.person("", "Nora")
    code = await _proposal(letters, ada)
    path = f"/proposals/{code}"
    for end in ("notes", "shares", "review"):
        assert (await edda.api("GET", f"{path}/{end}")).status == 404
        assert (await nora.api("GET", f"{path}/{end}")).status == 403
        if end != "review":
            assert (await ada.api("GET", f"/newsletters/{code}/{end}")).status == 404, "a proposal is no newsletter"
    assert (await ada.api("GET", f"{path}/review")).json["may_decide"] is False
    asked = await ada.api("POST", f"{path}/shares", {"to": "edda", "role": "reader", "review": True})
    assert (asked.status, asked.json["review_asked"]) == (201, True)
    seen = (await edda.api("GET", f"{path}/review")).json
    assert (seen["status"], seen["asked"], seen["may_decide"]) == ("in_review", [edda.viewer.id], True)
    note = await edda.api("POST", f"{path}/notes", {"section_key": "budget", "text": "Is it in euros?"})
    assert (note.status, note.json["decision"]) == (201, "")
    done = await ada.api("PATCH", f"{path}/notes/{note.json['note_id']}", {"resolved": True})
    assert done.json["resolved_by"] == ada.viewer.id
    own = await ada.api("POST", f"{path}/review", {"decision": "approve"})
    assert own.status == 403, "the same as on the page"
    for decision in ("withdraw", "ask_for_changes"):
        assert (await edda.api("POST", f"{path}/review", {"decision": decision})).status == 422
    sent = {"decision": "ask_for_changes", "comment": "The budget is missing.", "revision": seen["revision"]}
    after = (await edda.api("POST", f"{path}/review", sent)).json
    assert (after["status"], after["decided"], after["decided_by_name"]) == ("draft", "draft", "Edda")
    assert [each["text"] for each in (await ada.api("GET", f"{path}/notes")).json["items"]] == [
        "Is it in euros?",
        "The budget is missing.",
    ]
    assert (await edda.api("DELETE", f"{path}/shares/{edda.viewer.id}")).status == 204
    assert (await edda.api("GET", f"{path}/review")).status == 404


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


DECISIONS = st.lists(
    st.tuples(
        st.sampled_from(["newsletter", "proposal"]), st.sampled_from(["approve", "ask_for_changes"]), st.booleans()
    ),
    min_size=1,
    max_size=4,
)


async def test_whatever_a_reviewer_asks_for_or_approves_is_told_once_as_that(letters: ServedLetters) -> None:
    ada, edda = await letters.person("author", "Ada"), await letters.person("editor", "Edda")
    service, numbers = letters.service, count(1)

    async def tell(decisions: list[tuple[str, Literal["approve", "ask_for_changes"], bool]]) -> None:
        titles = {kind: f"{kind} {next(numbers)}" for kind in ("newsletter", "proposal")}
        letter = await service.newsletters.create(ada.viewer, NewNewsletter(title=titles["newsletter"]))
        code, now = letter.newsletter_code, letter.created_at
        await letters.kit.store.write(
            Put(Draft(newsletter_code=code, generated_content="Text.", updated_at=now, revision=1)).if_new()
        )
        proposal = await service.proposals.create(ada.viewer, NewProposal(title=titles["proposal"]), None)
        codes = {"newsletter": letter.newsletter_code, "proposal": proposal.proposal_code}
        wanted: Counter[str] = Counter()
        for kind, decision, with_comment in decisions:
            try:
                await service.shares.share(ada.viewer, codes[kind], NewShare(to="edda", review=True))
            except Conflict:
                continue  # it is ready: nobody is asked any more
            comment = "Please." if with_comment or decision == "ask_for_changes" else ""
            deciding = service.approval.decide if kind == "newsletter" else service.proposal_reviews.decide
            await deciding(edda.viewer, codes[kind], Decision(decision=decision, comment=comment))
            words = "asked for changes to" if decision == "ask_for_changes" else "approved"
            wanted[f"Edda {words} “{titles[kind]}”"] += 1
            await letters.follow()
        await replay(letters.kit, letters.system, "newsletter.notifications", times=2)
        assert (
            Counter(each for each in await told(letters, ada) if each.split("“")[1][:-1] in titles.values()) == wanted
        )

    loop = asyncio.get_running_loop()

    @given(DECISIONS)
    @settings(max_examples=8, deadline=None)
    def law(decisions: list[tuple[str, Literal["approve", "ask_for_changes"], bool]]) -> None:
        asyncio.run_coroutine_threadsafe(tell(decisions), loop).result(30)

    await asyncio.to_thread(law)
