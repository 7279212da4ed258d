"""Proposals as people and programs use them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from partita.apps.newsletter.inputs import NewProposal
from partita.apps.newsletter.service.proposing.call_signs import named_like_a_call
from partita.apps.newsletter.service.steps import Steps, Work
from tests.apps.newsletter.reading.samples import CALL_LINES, call_for_proposals
from tests.apps.newsletter.served import ServedLetters, Somebody, served_in
from tests.apps.newsletter.test_sources_web import _multipart
from tests.web.filled import filled
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as desk:
        yield desk


async def _send(person: Somebody, path: str, fields: dict[str, str], *files: tuple[str, bytes]) -> Answer:
    body, kind = _multipart(fields, *files)
    return await person.ask("POST", path, body, {"content-type": kind, "sec-fetch-site": "same-origin"})


async def _started(ada: Somebody, **fields: str) -> str:
    answer = await _send(
        ada, "/newsletter/proposals/new", {"title": "Fodder banks", "frame": "full_proposal", **fields}
    )
    assert answer.status == 303, answer.text
    return answer.location


async def test_from_a_frame_to_a_word_document_with_the_checklist(desk: ServedLetters) -> None:
    ada = await desk.person()
    empty = await ada.get("/newsletter/proposals")
    assert "Letter of interest" in empty.text
    path = await _started(ada, funder="The Fund", deadline="2031-05-01", language="en")
    page = await ada.get(path)
    assert "Executive summary" in page.text
    answer = await _send(ada, f"{path}/files", {"kind": "call", "section": "risks"}, ("call.pdf", call_for_proposals()))
    assert answer.status == 303
    await desk.catch_up()
    assert (await ada.post(f"{path}/call")).status == 303
    await desk.catch_up()
    checklist = await ada.get(f"{path}/checklist")
    assert all(line in checklist.shown for line in CALL_LINES)
    assert "page 2 of the call" in checklist.text
    code = path.rpartition("/")[2]
    there = await desk.service.proposals.read(ada.viewer, code)
    first = there.requirements[0]
    assert (await ada.post(f"{path}/requirements/{first.id}", {"deed": "done"})).status == 303
    assert (await ada.post(f"{path}/requirements/{first.id}", {"section": "risks"})).status == 303
    page = await ada.get(f"{path}?section=risks")
    assert first.text in page.shown
    assert "Found in the call" in page.text  # an amount, which the facts have not
    form = dict(filled(page.text, f"{path}/sections/risks")) | {"text": "It may *not* rain."}
    assert (await ada.post(f"{path}/sections/risks", form)).status == 303
    assert "<em>not</em>" in (await ada.get(f"{path}?section=risks")).text
    finish = await ada.get(f"{path}/finish")
    assert "4 requirements of the call not ticked." in finish.text
    assert (await ada.post(f"{path}/finish/docx/make")).status == 303
    await desk.catch_up()
    made = await ada.get(f"{path}/finish/docx/download")
    assert made.status == 200
    assert made.body.startswith(b"PK")
    listed = await ada.get("/newsletter/proposals")
    assert "4 open requirements" in listed.text
    assert "The Fund" in listed.text


async def test_two_windows_get_both_texts_and_choose(desk: ServedLetters) -> None:
    ada = await desk.person()
    path = await _started(ada)
    opened = await ada.get(f"{path}?section=risks")
    form = dict(filled(opened.text, f"{path}/sections/risks"))
    assert (await ada.post(f"{path}/sections/risks", form | {"text": "From the first window."})).status == 303
    refused = await ada.post(f"{path}/sections/risks", form | {"text": "From the second window."})
    assert refused.status == 409
    assert "From the first window." in refused.text
    assert "From the second window." in refused.text
    choice = dict(filled(refused.text, f"{path}/sections/risks/choice"))
    assert (await ada.post(f"{path}/sections/risks/choice", choice | {"go": "mine"})).status == 303
    assert "From the second window." in (await ada.get(f"{path}?section=risks")).text
    history = await ada.get(f"{path}/history")
    assert "Edited" in history.text


async def test_facts_status_sections_and_deleting(desk: ServedLetters) -> None:
    ada, abel = await desk.person(), await desk.person()
    path = await _started(ada)
    page = await ada.get(f"{path}/facts")
    form = dict(filled(page.text, f"{path}/facts")) | {"deadline": "2020-01-01", "amount": "5000", "currency": "USD"}
    assert (await ada.post(f"{path}/facts", form)).status == 303
    assert (await ada.post(f"{path}/facts", form | {"title": "Another"})).status == 409
    shown = await ada.get(path)
    assert "Overdue" in shown.text
    assert "5,000 USD" in shown.text
    assert (await ada.post(f"{path}/sections", {"title": "Annex A"})).status == 303
    assert (await ada.post(f"{path}/sections/annex_a/deed", {"deed": "up"})).status == 303
    assert (await ada.post(f"{path}/sections/annex_a/deed", {"deed": "done"})).status == 303
    words = {"deed": "words", "title": "Annex B", "word_limit": "7", "guidance": "Short."}
    assert (await ada.post(f"{path}/sections/annex_a/deed", words)).status == 303
    assert "Annex B" in (await ada.get(f"{path}?section=annex_a")).text
    assert (await ada.post(f"{path}/sections/annex_a/deed", {"deed": "words", "title": ""})).status == 422
    assert (await ada.post(f"{path}/sections/annex_a/delete")).status == 303
    assert (await ada.post(f"{path}/status", {"status": "in_review"})).status == 303
    assert (await ada.post(f"{path}/status", {"status": "accepted"})).status == 409
    assert (await abel.get(path)).status == 404
    assert "are deleted" in (await ada.get(f"{path}/delete")).text
    assert (await ada.post(f"{path}/delete")).status == 303
    assert (await ada.get(path)).status == 404


async def test_a_funders_template_becomes_the_frame(desk: ServedLetters) -> None:
    ada = await desk.person()
    template = b"# Aims\n\nWhy.\n\n# Means\n\nHow.\n\n# Money\n\nHow much."
    answer = await _send(ada, "/newsletter/proposals/new", {"title": "T", "frame": "document"}, ("form.md", template))
    assert answer.status == 303
    page = await ada.get(answer.location)
    assert all(word in page.text for word in ("Aims", "Means", "Money"))
    refused = await _send(ada, "/newsletter/proposals/new", {"title": "T", "frame": "document"})
    assert refused.status == 409
    assert "Choose the document" in refused.text


async def test_the_api_of_proposals(desk: ServedLetters) -> None:
    ada, abel = await desk.person(), await desk.person()
    made = await ada.api("POST", "/proposals", {"title": "Fodder", "frame": "concept_note", "deadline": "2031-01-01"})
    assert made.status == 201
    code = made.json["proposal_code"]
    path = f"/proposals/{code}"
    table = "| Item | USD |\n|---|---|\n| A | 100 |\n| B | 50 |\n| Total | 140 |"
    saved = await ada.api("PUT", f"{path}/sections/budget", {"text": table, "revision": made.json["revision"]})
    budget = next(each for each in saved.json["sections"] if each["key"] == "budget")
    assert budget["faults"] == ["“USD” comes to 150, and the table says 140."]
    stale = await ada.api("PUT", f"{path}/sections/budget", {"text": "x", "revision": made.json["revision"]})
    assert (stale.status, stale.json["code"], stale.json["theirs"]) == (409, "changed_meanwhile", table)
    assert (await ada.api("PATCH", f"{path}/sections/budget", {"done": True})).status == 200
    added = await ada.api("POST", f"{path}/requirements", {"text": "Two letters", "section": "budget"})
    wanted = added.json["items"][0]["id"]
    ticked = await ada.api("PATCH", f"{path}/requirements/{wanted}", {"done": True})
    assert ticked.json["items"][0]["done"] is True
    assert (await ada.api("POST", f"{path}/requirements/read")).json["code"] == "step_not_ready"
    assert (await ada.api("POST", f"{path}/status", {"status": "submitted"})).json["code"] == "wrong_status"
    listed = await ada.api("GET", "/proposals?sort=due")
    assert [(each["done"], each["sections"]) for each in listed.json["items"]] == [(1, 7)]
    assert "Leave the checklist out" in (await ada.get(f"/newsletter{path}/finish")).shown, (
        "the checklist is in the files"
    )
    assert (await ada.post(f"/newsletter{path}/finish/annex", {"annex": "no"})).status == 303
    assert "Add the checklist" in (await ada.get(f"/newsletter{path}/finish")).shown
    assert (await ada.post(f"/newsletter{path}/finish/annex", {"annex": "yes"})).status == 303
    assert "Leave the checklist out" in (await ada.get(f"/newsletter{path}/finish")).shown
    assert (await ada.api("POST", f"{path}/exports", {"format": "md"})).status == 202
    await desk.catch_up()
    file = await ada.api("GET", f"{path}/exports/md")
    assert "Annex: checklist of the call" in file.text
    history = await ada.api("GET", f"{path}/history")
    revision = history.json["items"][0]["revision"]
    assert (await ada.api("GET", f"{path}/history/{revision}")).json["sections"]["budget"] == table
    assert (await ada.api("POST", f"{path}/history/{revision}/restore")).status == 200
    assert (await ada.api("GET", f"{path}/sections/budget/suggestions")).json == {"items": []}
    assert (await abel.api("GET", path)).status == 404
    assert (await ada.api("DELETE", path)).status == 204
    assert (await ada.api("GET", path)).status == 404


async def test_the_api_takes_texts_and_metadata_as_the_document_has_them(desk: ServedLetters) -> None:
    ada = await desk.person()
    metadata = {"deadline": "2031-01-01", "funder": "The Fund", "country": {"code": "KE", "share": 0.25}}
    new = {"title": "Fodder", "text_inputs": {"summary": "It is dry.", "co_funding": "Half."}, "metadata": metadata}
    made = await ada.api("POST", "/proposals", new)
    assert made.status == 201, made.text
    assert made.json["text_inputs"] == new["text_inputs"]
    assert made.json["metadata"] | metadata == made.json["metadata"]
    assert [each["key"] for each in made.json["sections"]][-1] == "co_funding", "a text without a section is one"
    path = f"/proposals/{made.json['proposal_code']}"
    edit = {"text_inputs": {"summary": "It rains."}, "metadata": {"country": None, "amount": 500, "region": "North"}}
    edited = await ada.api("PATCH", path, edit)
    assert edited.json["text_inputs"] == {"summary": "It rains.", "co_funding": "Half."}
    there = edited.json["metadata"]
    assert (there["amount"], there["region"], "country" in there, there["funder"]) == (500, "North", False, "The Fund")
    assert len((await ada.api("GET", f"{path}/history")).json["items"]) == 2
    stale = await ada.api("PATCH", path, {"text_inputs": {"summary": "Late."}, "revision": 1})
    assert (stale.status, stale.json["code"]) == (409, "changed_meanwhile")


def _deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("metadata", {"metadata": {"requirements": []}}),
        ("metadata", {"metadata": {"a": 10**19}}),
        ("metadata", {"metadata": {"a": 1e300}}),
        ("metadata", {"metadata": {"": 1}}),
        ("metadata", {"metadata": {"a": _deep(30)}}),
        ("deadline", {"metadata": {"deadline": "soon"}}),
        ("text_inputs", {"text_inputs": {f"s{n}": "x" for n in range(41)}}),
    ],
)
async def test_what_the_table_or_we_could_not_keep_is_refused(
    desk: ServedLetters, field: str, values: dict[str, Any]
) -> None:
    ada = await desk.person()
    made = await ada.api("POST", "/proposals", {"title": "Fodder", **values})
    assert (made.status, made.json["errors"][0]["field"].partition(".")[0]) == (422, field), made.text
    code = (await ada.api("POST", "/proposals", {"title": "Fodder"})).json["proposal_code"]
    edited = await ada.api("PATCH", f"/proposals/{code}", values)
    assert (edited.status, edited.json["errors"][0]["field"].partition(".")[0]) == (422, field)


async def test_too_much_text_is_refused_whole_and_the_list_is_searched(desk: ServedLetters) -> None:
    ada = await desk.person()
    much = {"title": "Fodder", "text_inputs": {"a": "x" * 150_000, "b": "x" * 150_000}}
    assert (await ada.api("POST", "/proposals", much)).status == 413
    large = await ada.api("POST", "/proposals", {"title": "Fodder", "metadata": {"a": "x" * 61_000}})
    assert large.status == 413
    for title in ("Fodder banks", "Sand dams"):
        await ada.api("POST", "/proposals", {"title": title, "funder": "The Fund"})
    found = (await ada.api("GET", "/proposals?q=FUND%20dams")).json["items"]
    assert [each["title"] for each in found] == ["Sand dams"]
    assert len((await ada.api("GET", "/proposals?q=fund")).json["items"]) == 2


async def test_saving_a_section_tells_which_citations_lead_to_no_source(desk: ServedLetters) -> None:
    ada = await desk.person()
    path = await _started(ada)
    code = path.rpartition("/")[2]
    text = {"text": "It rained [99], then not [2], then again [99]. `[7]` is code.", "revision": 1}
    saved = await ada.api("PUT", f"/proposals/{code}/sections/risks", text)
    assert saved.status == 200
    lost = {each["key"]: each["unresolved"] for each in saved.json["sections"]}
    assert lost.pop("risks") == [99, 2]
    assert not any(lost.values())
    assert (await ada.api("GET", f"/proposals/{code}")).json["sections"] == saved.json["sections"]
    page = await ada.get(f"{path}?section=risks")
    assert "(2 citations without a source)" in page.shown
    form = dict(filled(page.text, f"{path}/sections/risks"))
    warned = await ada.follow(await ada.post(f"{path}/sections/risks", form | {"text": "It rained [99]."}))
    assert "Saved. [99] leads to no source of this proposal." in warned.shown
    form = dict(filled(warned.text, f"{path}/sections/risks"))
    clean = await ada.follow(await ada.post(f"{path}/sections/risks", form | {"text": "It rained."}))
    assert "without a source" not in clean.shown


@pytest.mark.parametrize(
    ("query", "fields", "kind"),
    [
        ("", {}, "reference"),
        ("", {"kind": "call"}, "call"),
        ("?kind=annex", {}, "annex"),
        ("?kind=annex", {"kind": "call"}, "annex"),
    ],
)
async def test_the_kind_of_a_file_is_a_field_of_the_form_or_of_the_address(
    desk: ServedLetters, query: str, fields: dict[str, str], kind: str
) -> None:
    ada = await desk.person()
    code = (await _started(ada)).rpartition("/")[2]
    api = f"/api/newsletter/proposals/{code}/files{query}"
    assert (await _send(ada, api, fields, ("rules.md", b"# Rules\n\nApply in time."))).status == 201
    files = (await ada.api("GET", f"/proposals/{code}")).json["uploaded_files"]
    assert {name: [each["name"] for each in some] for name, some in files.items()} == {kind: ["rules.md"]}


async def test_an_unknown_kind_of_file_is_refused_and_nothing_is_kept(desk: ServedLetters) -> None:
    ada = await desk.person()
    code = (await _started(ada)).rpartition("/")[2]
    api = f"/api/newsletter/proposals/{code}/files"
    refused = await _send(ada, api, {"kind": "calls"}, ("rules.md", b"# Rules\n\nApply in time."))
    assert (refused.status, [each["field"] for each in refused.json["errors"]]) == (422, ["kind"])
    assert "call, reference, annex" in refused.json["errors"][0]["message"]
    assert (await ada.api("GET", f"/proposals/{code}")).json["uploaded_files"] == {}


async def test_reading_a_call_and_making_a_file_can_be_cancelled(desk: ServedLetters) -> None:
    ada = await desk.person()
    path = await _started(ada)
    await _send(ada, f"{path}/files", {"kind": "call"}, ("call.pdf", call_for_proposals()))
    await desk.catch_up()
    for begin, page, step in (
        (f"{path}/call", f"{path}/checklist", "requirements"),
        (f"{path}/finish/docx/make", f"{path}/finish", "export-docx"),
    ):
        await ada.post(begin)
        cancel = f"{path}/steps/{step}/cancel"
        assert f'action="{cancel}"' in (await ada.get(page)).text
        stopped = await ada.post(cancel)
        assert stopped.location == page
        assert "Cancelled. Nothing was changed." in (await ada.follow(stopped)).shown
        code = path.rpartition("/")[2]
        assert (await ada.api("GET", f"/proposals/{code}/steps/{step}")).json["state"] == "cancelled"
        assert "This step has ended already." in (await ada.follow(await ada.post(cancel))).shown
        assert f'action="{cancel}"' not in (await ada.get(page)).text


async def test_a_draft_from_sources_shows_how_far_it_is_and_can_be_cancelled(desk: ServedLetters) -> None:
    ada = await desk.person()
    path = await _started(ada, language="en")
    text = "Fodder banks held 5,400 tonnes of hay after the rains. Rats and rain destroyed 7 percent of the hay."
    await _send(ada, f"{path}/files", {"kind": "reference"}, ("hay.md", f"# Fodder banks\n\n{text}".encode()))
    await desk.catch_up()
    running = await ada.follow(await ada.post(f"{path}/sections/risks/draft"))
    assert "It is being written from your sources." in running.shown
    assert "You may leave this page. What you write meanwhile stays." in running.shown
    assert "Started " in running.shown
    stopped = await ada.follow(await ada.post(f"{path}/steps/proposal/cancel"))
    assert "Nothing was changed." in stopped.shown
    await desk.catch_up()
    code = path.rpartition("/")[2]
    assert (await ada.api("POST", f"/proposals/{code}/sections/risks/generate")).status == 202
    await desk.catch_up()
    done = await ada.get(f"{path}?section=risks")
    assert "1 section written from your sources." in done.shown
    assert "Rats and rain destroyed 7 percent of the hay. [1]" in done.shown
    assert (await ada.api("GET", f"/proposals/{code}/steps/proposal")).json["state"] == "done"


async def test_a_draft_that_ends_while_its_page_is_made_is_on_the_page(
    desk: ServedLetters, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await desk.person()
    path = await _started(ada, language="en")
    await _send(
        ada, f"{path}/files", {"kind": "reference"}, ("hay.md", b"# Hay\n\nRats destroyed 7 percent of the hay.")
    )
    await desk.catch_up()
    assert (await ada.post(f"{path}/sections/risks/draft")).status == 303
    look = Steps.look

    async def after_its_end(*asked: Any) -> Any:
        await desk.catch_up()
        return await look(*asked)

    monkeypatch.setattr(Steps, "look", after_its_end)
    page = await ada.get(f"{path}?section=risks")
    assert "1 section written from your sources." in page.shown
    assert "Rats destroyed 7 percent of the hay. [1]" in page.shown


async def test_sections_of_a_draft_are_shown_as_they_are_finished(
    desk: ServedLetters, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await desk.person()
    path = await _started(ada, language="en")
    text = "Fodder banks held 5,400 tonnes of hay after the rains. Rats and rain destroyed 7 percent of the hay."
    await _send(ada, f"{path}/files", {"kind": "reference"}, ("hay.md", f"# Fodder banks\n\n{text}".encode()))
    await desk.catch_up()
    await ada.post(f"{path}/sections/risks/draft")
    assert "Finished sections" not in (await ada.get(path)).text
    finish, seen = Work.finish, []

    async def looked_at(work: Work, *writes: Any, **told: Any) -> None:
        seen.append(await ada.get(path))
        await finish(work, *writes, **told)

    monkeypatch.setattr(Work, "finish", looked_at)
    await desk.catch_up()
    assert 'aria-label="Finished sections"' in seen[0].text
    assert "Rats and rain destroyed 7 percent of the hay. [1]" in seen[0].shown
    assert "Finished sections" not in (await ada.get(path)).text


async def test_a_draft_that_failed_says_why_and_what_is_there_and_offers_another_try(desk: ServedLetters) -> None:
    ada = await desk.person()
    path = await _started(ada, language="en")
    await ada.post(f"{path}/draft")
    await desk.catch_up()
    failed = await ada.get(path)
    assert "Nothing in your files and sources is about this." in failed.shown
    assert "Your texts are as they were." in failed.shown
    assert "Try again" in failed.shown
    assert f'action="{path}/draft"' in failed.text


async def test_another_try_of_a_section_is_of_that_section_whichever_is_open(desk: ServedLetters) -> None:
    ada = await desk.person()
    path = await _started(ada, language="en")
    await ada.post(f"{path}/sections/risks/draft")
    await desk.catch_up()

    def again(page: str) -> list[str]:
        return re.findall(r'action="([^"]*)">(?:<input[^>]*>)*<button class="button small">Try again', page)

    for opened in ("risks", "need", "budget"):
        assert again((await ada.get(f"{path}?section={opened}")).text) == [f"{path}/sections/risks/draft"]
    await ada.post(f"{path}/sections/risks/delete")
    gone = await ada.get(path)
    assert "Your texts are as they were." in gone.shown
    assert again(gone.text) == [], "there is nothing to try any more"


async def test_shared_sources_are_ticked_for_a_draft_only_while_there_are_no_files_of_ones_own(
    desk: ServedLetters,
) -> None:
    ada = await desk.person()
    path = await _started(ada, language="en")
    code = path.rpartition("/")[2]
    assert dict(filled((await ada.get(path)).text, f"{path}/draft")).get("shared") == "yes"
    text = b"# Fodder banks\n\nFodder banks held 5,400 tonnes. Rats and rain destroyed 7 percent of the hay."
    await _send(ada, f"{path}/files", {"kind": "reference"}, ("hay.md", text))
    await desk.catch_up()
    assert "shared" not in dict(filled((await ada.get(path)).text, f"{path}/draft"))
    await ada.post(f"{path}/draft", {"shared": "yes"})
    look = await desk.service.steps.look(code, "proposal")
    assert look.run is not None
    assert look.run.inputs["shared"] is True
    await desk.catch_up()
    assert "No shared source was used." in (await ada.get(path)).shown
    assert (await ada.api("POST", f"/proposals/{code}/generate?shared=false")).status == 202


RULES = b"# Horn Water Fund\n\nApplicants must be registered. Proposals are judged by relevance and cost."
VAN = b"# The problem\n\nOur 12 villages have no library, and 300 children suffer from it."


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [("van.md", VAN, "reference"), ("call_for_proposals-2026.md", VAN, "call"), ("fund.md", RULES, "call")],
)
async def test_a_file_is_an_own_document_unless_it_looks_like_the_call(
    desk: ServedLetters, name: str, text: bytes, kind: str
) -> None:
    ada = await desk.person()
    path = await _started(ada)
    sent = dict(filled((await ada.get(path)).text, f"{path}/files"))
    told = await ada.follow(await _send(ada, f"{path}/files", sent, (name, text)))
    assert ("looks like the call" in told.shown) == (kind == "call")
    files = (await ada.api("GET", f"/proposals/{path.rpartition('/')[2]}")).json["uploaded_files"]
    assert list(files) == [kind]
    again = dict(filled(told.text, f"{path}/files"))
    assert (again["kind"] == "reference") == (kind == "call"), "a second call is never guessed"
    chosen = await _started(ada)
    await _send(ada, f"{chosen}/files", {"kind": "reference"}, (name, text))
    files = (await ada.api("GET", f"/proposals/{chosen.rpartition('/')[2]}")).json["uploaded_files"]
    assert list(files) == ["reference"], "whoever chooses is obeyed"


async def test_if_all_files_are_the_call_a_draft_says_so(desk: ServedLetters) -> None:
    ada = await desk.person()
    path = await _started(ada, language="en")
    await _send(ada, f"{path}/files", {"kind": "call"}, ("van.md", VAN))
    await desk.catch_up()
    words = "All your files are filed as the call: van.md."
    assert words in (await ada.follow(await ada.post(f"{path}/draft"))).shown
    await ada.post(f"{path}/draft", {"shared": "yes"})
    await desk.catch_up()
    assert words in (await ada.get(path)).shown


@pytest.mark.parametrize(
    ("name", "is_call"),
    [
        ("call.md", True),
        ("Guidelines for applicants.pdf", True),
        ("RFP-17.docx", True),
        ("Call centre plan.pdf", False),
        ("Our proposal.docx", False),
        ("Recall of seeds.pdf", False),
    ],
)
def test_names_of_calls_are_known(name: str, is_call: bool) -> None:
    assert named_like_a_call(name) == is_call


async def test_a_saved_section_answers_whether_its_tables_add_up(desk: ServedLetters) -> None:
    ada = await desk.person()
    code = (await _started(ada)).rpartition("/")[2]
    table = "| Cost | USD |\n| --- | --- |\n| Dams | 90,000.50 |\n| Total | 90,000 |"
    answer = await ada.api("PUT", f"/proposals/{code}/sections/budget", {"text": table, "revision": 1})
    (budget,) = next(each for each in answer.json["sections"] if each["key"] == "budget")["budgets"]
    assert budget["total"] == "90,000.50"
    assert budget["faults"] == ["“USD” comes to 90,000.50, and the table says 90,000."]


async def test_each_list_of_proposals_has_pages(desk: ServedLetters) -> None:
    ada = await desk.person("author", "Ada")
    for number in range(21):
        await desk.service.proposals.create(ada.viewer, NewProposal(title=f"Undated {number}"))
    page = await ada.get("/newsletter/proposals")
    assert page.shown.count("Undated ") == 20
    assert "All without a deadline" in page.shown
    first = await ada.get("/newsletter/proposals?only=undated")
    following = re.search(r'href="([^"]*)" rel="next"', first.text)
    assert following is not None
    last = await ada.get(unescape(following[1]))
    assert "Undated 0" in last.shown
    assert last.shown.count("Undated ") == 1
    assert "All proposals" in last.shown
