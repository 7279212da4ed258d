"""The desk and the wizard over HTTP: pages, API, live progress, and what the change stream keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.examples import DOCUMENTED
from partita.apps.newsletter.formats import TOPICS
from partita.apps.newsletter.inputs import NewNewsletter, TopicsEdit
from partita.apps.newsletter.schema import Draft, Newsletter, Note, StepRun, Topics
from partita.apps.newsletter.service.outlining import NewSection, NewStory
from partita.kit.adoption import adopt_all
from partita.table import Put
from tests.apps.newsletter.conftest import ADA, Desk
from tests.apps.newsletter.served import ServedLetters, Somebody, served_in

pytestmark = pytest.mark.anyio

NOW = "2026-03-02T09:30:00.000000Z"
FORM = {
    "title": "Weekly Research Digest",
    "frequency": "weekly",
    "length_preference": "mixed",
    "language": "en",
    "theme": "bulletin",
    "format_type": "email",
    "tone_professional": "70",
    "tone_technical": "30",
}
PASSAGES: tuple[dict[str, Any], ...] = tuple(
    {
        "id": f"chunk-{number}",
        "topic": topic,
        "source": "s1",
        "content": "Sorghum yields rose by 12 percent. Farmers planted early and kept seed.",
        "metadata": {"title": "Dryland cereals", "source_id": "s1"},
    }
    for number, topic in ((1, "Research Findings"), (2, "Research Findings"), (3, "Policy Updates"))
)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as desk:
        yield desk


async def made(served: ServedLetters, owner: Somebody, title: str = "Weekly Research Digest") -> str:
    return (await served.service.newsletters.create(owner.viewer, NewNewsletter(title=title))).newsletter_code


async def outlined(served: ServedLetters, owner: Somebody) -> str:
    """A newsletter with content and an outline."""
    code = await made(served, owner)
    await served.service.topics.edit(owner.viewer, code, TopicsEdit(selected_types=("Research Findings",)))
    newsletter, topics = await served.service.topics.get(owner.viewer, code)
    found = topics.model_copy(update={"retrieved_content": PASSAGES, "retrieval_completed_at": NOW})
    await served.kit.store.write(Put(found))
    proposed = [
        NewSection("Introduction", "", (NewStory("Welcome", source="ai_generated"),)),
        NewSection(
            "Research Findings",
            "Research Findings",
            (NewStory("Sorghum needs less rain", references=("chunk-1",), words=120),),
        ),
        NewSection("Conclusion", "", (NewStory("Goodbye", source="ai_generated"),)),
    ]
    write: Any = await served.service.outline.generated(newsletter, found, proposed)
    await served.kit.store.write(write)
    return code


async def test_from_an_empty_desk_to_a_configured_newsletter(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    empty = await ada.get("/newsletter")
    assert "No newsletters yet" in empty.shown
    assert 'href="/newsletter/example"' in empty.text
    assert "Lowland Field Notes" in (await ada.get("/newsletter/example")).shown
    answer = await ada.post("/newsletter/new", {**FORM, "title": " ", "go": "plan"})
    assert answer.status == 422
    assert 'value="70"' in answer.text, "what was typed is kept"
    answer = await ada.post("/newsletter/new", {**FORM, "go": "plan"})
    assert answer.status == 303
    code = answer.location.split("/")[3]
    assert answer.location == f"/newsletter/editions/{code}/plan"
    desk = await ada.get("/newsletter")
    assert "Continue" in desk.shown
    assert "Plan content" in desk.shown
    stored = await served.service.newsletters.get(ada.viewer, code)
    assert (stored.theme, stored.tone_professional, stored.tone_technical) == ("bulletin", 70, 30)


async def test_two_windows_that_configure_show_both_versions(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await made(served, ada)
    first = {**FORM, "title": "First", "revision": "1", "go": "save"}
    assert (await ada.post(f"/newsletter/editions/{code}/configure", first)).status == 303
    second = await ada.post(f"/newsletter/editions/{code}/configure", {**FORM, "title": "Second", "revision": "1"})
    assert second.status == 409
    assert "First" in second.shown
    assert "Second" in second.shown
    assert (await served.service.newsletters.get(ada.viewer, code)).title == "First"


async def test_a_sample_sounds_as_the_sliders_say(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    plain = (await ada.get("/newsletter/sample?tone_technical=10&tone_professional=10&length_preference=mixed")).shown
    technical = (
        await ada.get("/newsletter/sample?tone_technical=90&tone_professional=90&length_preference=mixed")
    ).shown
    assert plain != technical
    long = (await ada.get("/newsletter/sample?length_preference=long")).shown
    short = (await ada.get("/newsletter/sample?length_preference=short")).shown
    assert len(long) > len(short)
    assert (await ada.get("/newsletter/sample?tone_technical=x&length_preference=nothing&theme=nothing")).status == 200


async def test_the_desk_is_found_by_words_status_and_what_is_shared(served: ServedLetters) -> None:
    ada, abel = await served.person("author", "Ada"), await served.person("author", "Abel")
    await made(served, ada, "Weekly Research Digest")
    await made(served, ada, "Farmers' Voice")
    other = await made(served, abel, "Abel's research")
    page = await ada.get("/newsletter?q=research")
    assert "Weekly Research Digest" in page.shown
    assert "Farmers" not in page.text.partition('class="covers"')[2].partition("</ul>")[0]
    assert "Abel" not in page.shown
    assert "Nothing found" in (await ada.get("/newsletter?status=exported")).shown
    found = await ada.api("GET", "/newsletters?q=voice%20farm")
    assert [each["title"] for each in found.json["items"]] == ["Farmers' Voice"]
    results = await ada.get("/newsletter/find?q=digest")
    assert "Weekly Research Digest" in results.shown.replace("<mark>", "").replace("</mark>", "")
    assert (
        results.text.count('<li class="found-row"><svg class="face') == results.text.count('<li class="found-row">') > 0
    )
    assert "Nothing has been shared with you" in (await ada.get("/newsletter?tab=shared")).shown
    assert (await ada.api("GET", f"/newsletters/{other}")).status == 404


async def test_the_outline_page_adds_edits_moves_switches_and_removes(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await outlined(served, ada)
    here = f"/newsletter/editions/{code}/outline"
    page = await ada.get(f"{here}?item=item-2-1")
    assert "Sorghum needs less rain" in page.shown
    assert "Dryland cereals" in page.shown
    answer = await ada.post(f"{here}/items", {"section": "section-2", "title": "A visit", "note": "Two paragraphs."})
    assert answer.location == f"{here}?item=custom-item-1#item"
    fields = {"title": "Less rain, more grain", "rag_reference_ids": "chunk-2", "words": "90"}
    assert (await ada.post(f"{here}/items/item-2-1", fields)).status == 303
    assert (await ada.post(f"{here}/items/custom-item-1/deed", {"to": "up"})).status == 303
    assert (await ada.post(f"{here}/items/item-1-1/deed", {"to": "off"})).status == 303
    assert (await ada.post(f"{here}/items/item-3-1/remove", {})).status == 303
    assert (await ada.post(f"{here}/sections", {"name": "People"})).status == 303
    assert (await ada.post(f"{here}/sections/section-2", {"name": "What we learned"})).status == 303
    assert (await ada.post(f"{here}/sections/section-2/deed", {"to": "up"})).status == 303
    assert (await ada.post(f"{here}/items/item-2-1", {"title": ""})).status == 422
    shown = (await ada.api("GET", f"/newsletters/{code}/outline")).json
    assert [section["name"] for section in shown["sections"]] == [
        "What we learned",
        "Introduction",
        "People",
        "Conclusion",
    ]
    first = shown["sections"][0]["items"]
    assert [(item["id"], item["title"]) for item in first] == [
        ("custom-item-1", "A visit"),
        ("item-2-1", "Less rain, more grain"),
    ]
    assert first[1]["rag_reference_id"] == "chunk-2"
    assert shown["user_modifications"]["items_removed"] == ["item-3-1"]
    page = await ada.get(here)
    assert "edited by you" in page.shown
    assert "left out of the draft" in page.shown


async def test_a_second_window_overwrites_no_story(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await outlined(served, ada)
    here = f"/newsletter/editions/{code}/outline"
    opened = (await ada.get(f"{here}?item=item-2-1")).text
    hidden = dict(re.findall(r'name="(version|opened)" value="([^"]*)"', opened))
    assert hidden.keys() == {"version", "opened"}
    mine = {"title": "My headline", "note": "Mine", "rag_reference_ids": "chunk-1", **hidden}
    # Somebody else renames it, moves it, and edits another story.
    other = {"title": "Their headline", "rag_reference_ids": "chunk-1"}
    assert (await ada.post(f"{here}/items/item-2-1", other)).status == 303
    assert (await ada.post(f"{here}/items/item-2-1/deed", {"to": "down"})).status == 303
    late = await ada.post(f"{here}/items/item-2-1", mine)
    assert late.status == 409
    assert "My headline" in late.shown
    assert "Their headline" in late.shown
    stored = await _item(ada, code, "item-2-1")
    assert (stored["title"], stored.get("note", "")) == ("Their headline", "")
    # With what the page shows, whoever chooses theirs keeps the rest of mine.
    now = {"version": str(stored["version"]), "keep:title": "stored", "stored:title": "Their headline"}
    assert (await ada.post(f"{here}/items/item-2-1", {**mine, **now})).status == 303
    stored = await _item(ada, code, "item-2-1")
    assert (stored["title"], stored["note"]) == ("Their headline", "Mine")

    # Over HTTP the same; moving and switching it, and editing another story, is no conflict.
    path = f"/newsletters/{code}/outline/items/item-2-1"
    version = stored["version"]
    await ada.api("POST", f"{path}/move", {"direction": "up"})
    await ada.api("PATCH", path, {"enabled": False})
    assert (await ada.api("PATCH", path, {"title": "Third", "version": version})).status == 200
    refused = await ada.api("PATCH", path, {"title": "Fourth", "version": version})
    assert (refused.status, refused.json["code"]) == (409, "changed_meanwhile")
    assert refused.json["version"] == (await _item(ada, code, "item-2-1"))["version"]


async def _item(ada: Somebody, code: str, item_id: str) -> dict[str, Any]:
    shown = (await ada.api("GET", f"/newsletters/{code}/outline")).json
    return next(item for section in shown["sections"] for item in section["items"] if item["id"] == item_id)


async def test_removing_a_story_or_a_section_is_asked_first(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await outlined(served, ada)
    here = f"/newsletter/editions/{code}/outline"
    await ada.post(f"{here}/items", {"section": "section-2", "title": "A visit"})
    for deed in ("items/item-2-1/deed", "sections/section-2/deed"):
        assert (await ada.post(f"{here}/{deed}", {"to": "out"})).status == 422
    asked = await ada.get(f"{here}/items/item-2-1/remove")
    assert "Remove “Sorghum needs less rain”?" in asked.shown
    assert "Its headline, summary and note are lost." in asked.shown
    asked = await ada.get(f"{here}/sections/section-2/remove")
    assert "1 of them is your own" in asked.shown
    shown = (await ada.api("GET", f"/newsletters/{code}/outline")).json
    assert "section-2" in [section["id"] for section in shown["sections"]]
    assert (await ada.post(f"{here}/sections/section-2/remove", {})).status == 303
    shown = (await ada.api("GET", f"/newsletters/{code}/outline")).json
    assert "section-2" not in [section["id"] for section in shown["sections"]]
    assert (await ada.get(f"{here}/items/item-2-1/remove")).status == 404


async def test_the_api_refuses_with_codes_and_names_every_bad_field(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    bad = await ada.api("POST", "/newsletters", {"title": "", "tone_technical": 101, "unknown": 1})
    assert bad.status == 422
    assert {each["field"] for each in bad.json["errors"]} == {"title", "tone_technical", "unknown"}
    code = (await ada.api("POST", "/newsletters", {"title": "Mine"})).json["newsletterCode"]
    refused = await ada.api("POST", f"/newsletters/{code}/outline/generate")
    assert (refused.status, refused.json["code"]) == (409, "step_not_ready")
    many = {"selected_types": list(TOPICS)}
    assert (await ada.api("PUT", f"/newsletters/{code}/topics", many)).status == 422
    chosen = await ada.api("PUT", f"/newsletters/{code}/topics", {"selected_types": ["research_findings"]})
    assert chosen.json["selected_types"] == ["Research Findings"]
    stale = await ada.api("PATCH", f"/newsletters/{code}", {"title": "New", "revision": 1})
    assert stale.status == 200
    stale = await ada.api("PATCH", f"/newsletters/{code}", {"title": "Newer", "revision": 1})
    assert (stale.status, stale.json["code"], stale.json["revision"]) == (409, "changed_meanwhile", 2)
    cursor = await ada.api("GET", "/newsletters?cursor=nonsense")
    assert (cursor.status, cursor.json["code"]) == (400, "invalid_cursor")
    gone = await ada.api("DELETE", f"/newsletters/{code}")
    assert gone.status == 202
    assert (await ada.api("GET", f"/newsletters/{code}")).status == 404


async def test_a_step_that_failed_says_why_and_can_be_tried_again(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await outlined(served, ada)
    failed = StepRun(
        subject=code,
        step="outline",
        run_id="x",
        state="failed",
        requested_by=ada.viewer.id,
        requested_at=NOW,
        error="The writer did not answer. Try again.",
    )
    await served.kit.store.write(Put(failed))
    page = await ada.get(f"/newsletter/editions/{code}/outline")
    assert "The writer did not answer." in page.shown
    assert "Nothing you had before was changed" in page.shown
    answer = await ada.post(f"/newsletter/editions/{code}/steps/outline/start")
    assert answer.status == 303
    running = await ada.get(f"/newsletter/editions/{code}/outline")
    assert "You can leave this page" in running.shown
    assert 'http-equiv="refresh" content="3"' in running.text
    assert "data-live=" in running.text
    step = await ada.api("GET", f"/newsletters/{code}/steps/outline")
    assert step.json["state"] == "waiting"
    cancelled = await ada.api("DELETE", f"/newsletters/{code}/steps/outline")
    assert cancelled.json["state"] == "cancelled"


async def test_progress_is_told_live_until_nothing_runs(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await outlined(served, ada)
    started = await ada.api("POST", f"/newsletters/{code}/outline/generate")
    assert started.status == 202
    # This visitor hangs up after the first event.
    told = (await ada.api("GET", f"/newsletters/{code}/events")).text
    assert _states(told) == [("outline", "waiting")]
    assert "event: end" not in told
    part = (await ada.get(f"/newsletter/editions/{code}/events?only=outline")).text
    assert 'id="step-outline"' in part
    assert "Cancel" in part
    await served.jobs.drain()
    told = (await ada.api("GET", f"/newsletters/{code}/events")).text
    assert _states(told) == [("outline", "done")]
    assert told.rstrip().endswith("event: end\ndata:")


def _states(told: str) -> list[tuple[str, str]]:
    (first,) = [orjson.loads(line[6:]) for line in told.splitlines() if line.startswith("data: {")]
    return [(step, each["state"]) for step, each in first.items()]


async def test_the_desk_shows_headlines_and_what_needs_its_owner(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await outlined(served, ada)
    note = Note(code=code, created_at=NOW, note_id="1", text="Is this right?", by="abel")
    await served.kit.store.write(Put(note))
    failed = StepRun(subject=code, step="draft", run_id="x", state="failed", requested_by="ada", requested_at=NOW)
    await served.kit.store.write(Put(failed))
    before = await served.service.newsletters.get(ada.viewer, code)
    await served.worker.drain()
    after = await served.service.newsletters.get(ada.viewer, code)
    assert after.headlines == ("Sorghum needs less rain",)
    assert after.attention == {"notes": 1, "failed": 1}
    assert after.revision == before.revision, "an edit that is open stays valid"
    page = await ada.get("/newsletter")
    assert "Needs you" in page.shown
    assert "1 open note, a step failed" in page.shown
    await served.kit.store.write(Put(note.with_(Note.resolved_at(NOW))))
    await served.worker.drain()
    assert (await served.service.newsletters.get(ada.viewer, code)).attention == {"failed": 1}


async def test_an_issue_knows_what_it_cited_and_the_next_one_learns_it(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await outlined(served, ada)
    second = await served.service.newsletters.next_issue(ada.viewer, code)
    citations = ({"n": 1, "chunk_id": "chunk-1", "source_id": "s1"}, {"n": 2, "chunk_id": "chunk-2", "source_id": "s1"})
    await served.kit.store.write(Put(Draft(newsletter_code=code, updated_at=NOW, citations=citations)))
    await served.worker.drain()
    issues = await served.kit.store.page(schema.issues_of(second.series_id or ""))
    assert {issue.issue_number: issue.chunk_ids for issue in issues} == {
        1: ("chunk-1", "chunk-2"),
        2: (),
    }
    assert await served.service.newsletters.earlier(second) == {"chunk-1": 1, "chunk-2": 1}


async def test_rows_of_the_original_program_join_our_lists(desk: Desk) -> None:
    desk.put(DOCUMENTED[Newsletter] | {"GSI1PK": "USER#ada", "user_id": "ada"})
    desk.put(DOCUMENTED[Topics])
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
    assert (await desk.service.newsletters.mine(ADA)).items == ()
    report = await adopt_all(desk.kit.store, desk.service.adoptions)
    assert (report.adopted["newsletter"], report.adopted["proposal"], report.refused) == (1, 1, [])
    assert [each.title for each in await desk.service.newsletters.mine(ADA)] == ["Weekly Research Digest"]
    due = await desk.kit.store.page(schema.proposals_due("ada"))
    assert [each.title for each in due] == ["A proposal"]
    again = await adopt_all(desk.kit.store, desk.service.adoptions)
    assert sum(again.adopted.values()) == 0
    row = desk.row("NEWSLETTER#NL-20260126-A1B2", "METADATA")
    assert {name: row[name] for name in DOCUMENTED[Newsletter] if name not in ("GSI1PK", "user_id")} == {
        name: value for name, value in DOCUMENTED[Newsletter].items() if name not in ("GSI1PK", "user_id")
    }


async def test_deleting_says_what_goes_and_asks(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await outlined(served, ada)
    await served.kit.store.write(Put(Note(code=code, created_at=NOW, note_id="1", text="Hm", by="abel")))
    page = await ada.get(f"/newsletter/editions/{code}/delete")
    assert "1 note" in page.shown
    assert "cannot be undone" in page.shown
    assert (await ada.post(f"/newsletter/editions/{code}/delete")).location == "/newsletter"
    assert (await ada.get(f"/newsletter/editions/{code}/configure")).status == 404
    await served.catch_up()
    assert await served.kit.store.get(schema.outline(code)) is None
    assert await served.kit.store.get(schema.removal(code)) is None
