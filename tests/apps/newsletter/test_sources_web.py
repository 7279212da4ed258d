"""Sources as people and programs use them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.newsletter.inputs import NewNewsletter
from tests.apps.newsletter.reading.samples import report
from tests.apps.newsletter.served import ServedLetters, Somebody, served_in
from tests.web.filled import filled
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio
PROSE = "The long rains came late in the north. Farmers planted maize again in May, and prices rose by 12 percent. "


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as desk:
        yield desk


def _multipart(fields: dict[str, str], *files: tuple[str, bytes]) -> tuple[bytes, str]:
    lines = []
    for name, value in fields.items():
        lines += [b"--edge", f'Content-Disposition: form-data; name="{name}"'.encode(), b"", value.encode()]
    for called, data in files:
        head = f'Content-Disposition: form-data; name="files"; filename="{called}"'.encode()
        lines += [b"--edge", head, b"Content-Type: application/octet-stream", b"", data]
    return b"\r\n".join([*lines, b"--edge--", b""]), "multipart/form-data; boundary=edge"


async def _send(person: Somebody, path: str, fields: dict[str, str], *files: tuple[str, bytes]) -> Answer:
    body, kind = _multipart(fields, *files)
    return await person.ask("POST", path, body, {"content-type": kind, "sec-fetch-site": "same-origin"})


async def _send_api(person: Somebody, body: bytes, kind: str) -> Answer:
    headers = {"content-type": kind, "authorization": f"Bearer {person.token}"}
    return await person.ask("POST", "/api/newsletter/sources/files", body, headers)


async def test_several_files_at_once_each_said_by_itself(desk: ServedLetters) -> None:
    ada = await desk.person()
    files = [
        ("a.pdf", report(2)),
        ("notes.md", b"# Notes\n\n" + PROSE.encode()),
        ("again.md", b"# Notes\n\n" + PROSE.encode()),
    ]
    answer = await _send(ada, "/newsletter/sources", {"tags": "maize, rain"}, *files)
    assert answer.status == 409
    assert "again.md" in answer.text
    assert "is the same and is there already" in answer.text
    await desk.catch_up()
    page = await ada.get("/newsletter/sources")
    assert page.text.count("Ready") >= 2
    assert "Annual report 2026" in page.text
    assert "Waiting" not in page.text.partition("<tbody>")[2].partition("</tbody>")[0]
    tagged = await ada.get("/newsletter/sources?tag=rain&kind=markdown")
    assert "Notes" in tagged.text
    assert "Annual report" not in tagged.text


async def test_reading_a_source_can_be_cancelled_and_begun_again(desk: ServedLetters) -> None:
    ada, rolf = await desk.person("author", "Ada"), await desk.person("author", "Rolf")
    added = (await ada.api("POST", "/sources", {"text": PROSE * 20, "title": "Rains"})).json
    path, step = f"/newsletter/sources/{added['source_id']}", f"/sources/{added['source_id']}/steps/intake"
    assert (await ada.api("GET", step)).json["state"] == "waiting"
    assert f'action="{path}/cancel"' in (await ada.get(path)).text
    assert (await rolf.api("DELETE", step)).status == 403
    stopped = await ada.follow(await ada.post(f"{path}/cancel"))
    assert "Cancelled." in stopped.shown
    assert "Reading it was cancelled. Try again." in stopped.shown
    await desk.catch_up()
    there = (await ada.api("GET", f"/sources/{added['source_id']}")).json
    assert (there["status"], there["chunk_count"]) == ("failed", 0), "nothing begins it by itself"
    assert (await ada.api("DELETE", step)).json["code"] == "step_ended"
    await ada.post(f"{path}/refresh")
    await desk.catch_up()
    assert (await ada.api("GET", f"/sources/{added['source_id']}")).json["status"] == "ready"
    await ada.post(f"{path}/refresh")
    assert (await ada.api("DELETE", step)).json["state"] == "cancelled"
    there = (await ada.api("GET", f"/sources/{added['source_id']}")).json
    assert (there["status"], there["error"]) == ("ready", None), "what was read is still there"


async def test_an_empty_list_says_what_a_good_source_is(desk: ServedLetters) -> None:
    ada = await desk.person()
    assert "A good source is" in (await ada.get("/newsletter/sources")).text
    nora = await desk.person("")
    assert (await nora.get("/newsletter/sources")).status == 403
    nothing = await _send(ada, "/newsletter/sources", {"tags": "maize"})
    assert nothing.status == 422
    assert "Choose a file, enter an address or paste a text." in nothing.text
    assert dict(filled(nothing.text, "/newsletter/sources"))["tags"] == "maize"


@pytest.mark.parametrize("urls", ["", "nonsense", "nonsense\nhttps://example.org/a.pdf"])
async def test_addresses_come_back_as_they_were_typed(desk: ServedLetters, urls: str) -> None:
    ada = await desk.person()
    answer = await _send(ada, "/newsletter/sources", {"urls": urls, "tags": ""})
    assert answer.status == 422
    assert dict(filled(answer.text, "/newsletter/sources"))["urls"].strip().splitlines() == urls.splitlines()


async def test_what_was_typed_comes_back_when_it_is_refused(desk: ServedLetters) -> None:
    ada = await desk.person()
    await _send(ada, "/newsletter/sources", {"text": PROSE, "title": "First"})
    answer = await _send(ada, "/newsletter/sources", {"text": PROSE, "title": "Second", "urls": "nonsense"})
    assert answer.status == 422
    assert "Second" in answer.text
    answer = await _send(ada, "/newsletter/sources", {"text": PROSE, "title": "Second"})
    assert answer.status == 409
    assert "“First”" in answer.text
    assert dict(filled(answer.text, "/newsletter/sources"))["text"].strip() == PROSE.strip()
    assert "1 of 1 source could not be added" in answer.text
    below = answer.text.partition('name="text"')[2]
    assert "“First”" in below.partition('name="title"')[0], "the field says why its text is still there"


async def test_a_source_is_corrected_switched_and_deleted_on_its_page(desk: ServedLetters) -> None:
    ada = await desk.person()
    await _send(
        ada, "/newsletter/sources", {"text": f"# Rains\n\n{PROSE * 20}\n\n# Prices\n\n{PROSE}", "tags": "maize"}
    )
    await desk.catch_up()
    (source,) = await desk.service.sources.page(ada.viewer)
    path = f"/newsletter/sources/{source.source_id}"
    page = await ada.get(path)
    assert "This source has no date" in page.text
    assert page.text.count('class="source-passage') >= 3
    form = dict(filled(page.text, path)) | {"title": "The rains", "published": "2026-03-01"}
    assert (await ada.post(path, form)).status == 303
    stale = await ada.post(path, form | {"title": "Too late"})
    assert stale.status == 409
    assert "Too late" in stale.text
    switched = await ada.post(f"{path}/passages", {"position": "0", "enabled": "false"})
    assert switched.status == 303
    page = await ada.get(path)
    assert "Turn on" in page.text
    assert "The rains" in page.text
    assert (await ada.post(f"{path}/switch", {"enabled": "false"})).status == 303
    assert "it is not used for new content" in (await ada.get(path)).text
    assert "passages will no longer be found" in (await ada.get(f"{path}/delete")).text
    assert (await ada.post(f"{path}/delete", {})).status == 303
    assert (await ada.get(path)).status == 404


async def test_somebody_elses_source_can_be_read_and_not_changed(desk: ServedLetters) -> None:
    ada, abel = await desk.person(), await desk.person()
    await _send(ada, "/newsletter/sources", {"text": PROSE})
    await desk.catch_up()
    (source,) = await desk.service.sources.page(ada.viewer)
    path = f"/newsletter/sources/{source.source_id}"
    page = await abel.get(path)
    assert page.status == 200
    assert "Turn off" not in page.text
    assert "Delete" not in page.text
    assert (await abel.post(f"{path}/delete", {})).status == 403


async def test_the_api_adds_reads_refuses_and_deletes(desk: ServedLetters) -> None:
    ada = await desk.person()
    added = await ada.api("POST", "/sources", {"text": PROSE * 20, "title": "Rains", "published": "2026-03-01"})
    assert added.status == 201
    source_id = added.json["source_id"]
    again = await ada.api("POST", "/sources", {"text": PROSE * 20})
    assert (again.status, again.json["code"], again.json["source_id"]) == (409, "source_exists", source_id)
    await desk.catch_up()
    got = await ada.api("GET", f"/sources/{source_id}")
    assert (got.json["status"], got.json["language"]) == ("ready", "en")
    chunks = await ada.api("GET", f"/sources/{source_id}/chunks?limit=2")
    assert len(chunks.json["items"]) == 2
    assert chunks.json["next_cursor"]
    off = await ada.api("PATCH", f"/sources/{source_id}/chunks", {"position": 1, "enabled": False})
    assert off.json["enabled"] is False
    edited = await ada.api("PATCH", f"/sources/{source_id}", {"tags": ["a", "b"], "revision": got.json["revision"]})
    assert edited.json["tags"] == ["a", "b"]
    assert (await ada.api("POST", f"/sources/{source_id}/refresh")).status == 202
    await desk.catch_up()
    listed = await ada.api("GET", "/sources?tag=a&status=ready")
    assert [each["title"] for each in listed.json["items"]] == ["Rains"]
    assert (await ada.api("DELETE", f"/sources/{source_id}")).status == 204
    assert (await ada.api("GET", f"/sources/{source_id}")).status == 404


async def test_the_api_takes_files_and_says_of_each_what_is_wrong(desk: ServedLetters) -> None:
    ada = await desk.person()
    body, kind = _multipart({"tags": "x"}, ("r.pdf", report(1)), ("r2.pdf", report(1)))
    answer = await _send_api(ada, body, kind)
    assert answer.status == 201
    assert [each["title"] for each in answer.json["items"]] == ["r"]
    assert [(each["name"], each["code"]) for each in answer.json["refused"]] == [("r2.pdf", "source_exists")]
    body, kind = _multipart({}, *((f"{n}.txt", f"Text number {n}.".encode()) for n in range(22)))
    answer = await _send_api(ada, body, kind)
    assert (len(answer.json["items"]), len(answer.json["refused"])) == (20, 2)


async def test_the_pages_of_a_pdf_can_be_looked_at(desk: ServedLetters) -> None:
    ada = await desk.person()
    await _send(ada, "/newsletter/sources", {}, ("a.pdf", report(2)))
    await desk.catch_up()
    (source,) = await desk.service.sources.page(ada.viewer)
    path = f"/newsletter/sources/{source.source_id}"
    assert f'src="{path}/pages/2?v={source.revision}"' in (await ada.get(path)).text
    small, large = await ada.get(f"{path}/pages/2"), await ada.get(f"{path}/pages/2?large=true")
    assert small.headers["content-type"] == large.headers["content-type"] == "image/webp"
    assert len(small.body) < len(large.body)
    for nothing in (0, 3):
        assert (await ada.get(f"{path}/pages/{nothing}")).status == 404
    nora = await desk.person("")
    assert (await nora.get(f"{path}/pages/1")).status == 403


async def test_content_is_searched_in_the_sources_that_were_chosen(desk: ServedLetters) -> None:
    ada = await desk.person()
    for title in ("First", "Second"):
        await _send(ada, "/newsletter/sources", {"text": f"{title} of all. {PROSE * 3}", "title": title})
    await desk.catch_up()
    first, second = sorted(await desk.service.sources.page(ada.viewer), key=lambda each: each.title)
    made = await desk.service.newsletters.create(ada.viewer, NewNewsletter(title="Rains"))
    plan = f"/newsletter/editions/{made.newsletter_code}/plan"
    assert "Searching all sources" in (await ada.get(plan)).text
    answer = await ada.post(f"{plan}/sources", {"source_ids": first.source_id, "then": "save"})
    assert "Only the sources you chose are searched." in (await ada.follow(answer)).shown
    page = (await ada.get(plan)).text
    assert "Searching 1 source only" in page
    assert f'value="{first.source_id}" checked' in page
    assert f'value="{second.source_id}" checked' not in page
    _, topics = await desk.service.topics.get(ada.viewer, made.newsletter_code)
    assert topics.source_ids == (first.source_id,)
    assert (await ada.post(f"{plan}/sources", {"then": "save"})).status == 303
    assert "Searching all sources" in (await ada.get(plan)).text


async def test_sources_that_are_not_there_cannot_be_chosen_and_those_that_go_are_told(desk: ServedLetters) -> None:
    ada = await desk.person()
    await _send(ada, "/newsletter/sources", {"text": f"Rain at last. {PROSE * 3}", "title": "First"})
    made = await desk.service.newsletters.create(ada.viewer, NewNewsletter(title="Rains"))
    other = await desk.service.newsletters.create(ada.viewer, NewNewsletter(title="Winds"))
    await desk.catch_up()
    (first,) = await desk.service.sources.page(ada.viewer)
    private = {"text": f"Private. {PROSE}", "title": "Private", "shelf": other.newsletter_code}
    elsewhere = (await ada.api("POST", "/sources", private)).json["source_id"]
    topics = f"/newsletters/{made.newsletter_code}/topics"
    for wrong in ("nope", elsewhere):
        answer = await ada.api("PUT", topics, {"source_ids": [first.source_id, wrong]})
        assert (answer.status, [each["field"] for each in answer.json["errors"]]) == (422, ["source_ids"])
        assert wrong in answer.json["errors"][0]["message"]
    chosen = {"selected_types": ["Livestock & Animal Health"], "source_ids": [first.source_id]}
    assert (await ada.api("PUT", topics, chosen)).status == 200
    assert (await ada.api("DELETE", f"/sources/{first.source_id}")).status < 300
    await desk.catch_up()
    assert (await ada.api("PUT", topics, chosen)).status == 200
    assert (await ada.api("POST", f"{topics}/retrieve")).status == 202
    await desk.catch_up()
    shown = (await ada.get(f"/newsletter/editions/{made.newsletter_code}/plan")).text
    assert "Only the sources that you chose are searched, and none of them can be searched any more." in shown
    answer = await ada.api("POST", f"/newsletters/{made.newsletter_code}/outline/generate")
    assert "Only the sources that you chose were searched" in answer.json["detail"]


async def test_whatever_leads_to_a_passage_opens_the_page_of_a_long_source_that_has_it(desk: ServedLetters) -> None:
    ada = await desk.person()
    text = "\n\n".join(f"## Part {number}\n\nWell number{number} is deep. {PROSE}" for number in range(130))
    added = (await ada.api("POST", "/sources", {"text": text, "title": "A hundred and thirty wells"})).json
    await desk.catch_up()
    source = f"/newsletter/sources/{added['source_id']}"
    assert (await ada.api("GET", f"/sources/{added['source_id']}")).json["chunk_count"] == 130
    searched = await ada.get("/newsletter/search?q=number127")
    found = re.search(r'href="([^"]*#passage-127)"', searched.text)
    assert found, searched.shown
    shown = await ada.get(found[1].partition("#")[0])
    assert 'id="passage-127"' in shown.text
    assert "number127" in shown.shown
    switched = await ada.post(f"{source}/passages", {"position": "127", "enabled": "false"})
    assert 'id="passage-127"' in (await ada.get(switched.location.partition("#")[0])).text
    # Page by page, every passage is there once.
    pages = [await ada.get(source)]
    while onward := re.search(r'href="([^"]*)" rel="next"', pages[-1].text):
        pages.append(await ada.get(onward[1]))
    places = [place for page in pages for place in re.findall(r'id="passage-(\d+)"', page.text)]
    assert places == [str(place) for place in range(130)]
    back = re.search(r'href="([^"]*)" rel="prev"', pages[-1].text)
    assert back
    assert 'id="passage-60"' in (await ada.get(back[1])).text
