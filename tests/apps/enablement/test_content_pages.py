"""The pages of the library, of content and of the editor, as people use them without script."""

from __future__ import annotations

import re

import pytest

from partita.apps.enablement.inputs import ContentEdit
from tests.apps.enablement.served import ServedPortal
from tests.apps.enablement.test_content_api import _form
from tests.kit.previews.samples import pdf

pytestmark = pytest.mark.anyio
NEW = {"title": "How to sell", "text": "# Why\n\nBecause <script>alert(1)</script> **it** works.", "summary": "Why."}


def _hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, name
    return found[1]


async def test_somebody_writes_a_draft_and_submits_it(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    content_id = _hidden((await carla.get("/enablement/new")).text, "content_id")
    made = await carla.post("/enablement/new", {**NEW, "content_id": content_id, "tags": "a, b", "go": "save"})
    assert made.location == f"/enablement/content/{content_id}/edit"
    form = await carla.follow(made)
    assert "Saved." in form.shown
    assert 'value="a, b"' in form.text
    version = _hidden(form.text, "version")
    sent = await carla.post(made.location, {**NEW, "version": version, "go": "submit"})
    assert sent.location == f"/enablement/content/{content_id}"
    page = await carla.follow(sent)
    assert "It waits for approval" in page.shown
    assert "<script>alert" not in page.text
    assert "<strong>it</strong>" in page.text


def _missing(page: str) -> list[str]:
    """What the editor says is missing before something can be submitted."""
    return re.findall(r'<li data-needs="(\w+)">', page)


async def test_the_editor_says_what_is_missing_and_shows_the_cover(served: ServedPortal) -> None:
    carla, anna = await served.person("contributor"), await served.person("approver", "Anna")
    new = (await carla.get("/enablement/new")).text
    assert (_missing(new), "/proposal/cover" in new) == (["title", "body", "summary"], False)
    content = await served.draft(carla, "Only a title", text="", summary="")
    edit = f"/enablement/content/{content.content_id}/edit"
    page = (await carla.get(edit)).text
    assert _missing(page) == ["body", "summary"]
    (cover,) = re.findall(r'<img class="cover suite-\d+" src="([^"]*)"', page)
    assert (await carla.get(cover)).status == 200
    await served.attach(carla, content.content_id, pdf("One"), "one.pdf")
    assert _missing((await carla.get(edit)).text) == ["summary"]
    released = await served.released(carla, anna)
    assert _missing((await carla.get(f"/enablement/content/{released.content_id}/edit")).text) == ["note"]


async def test_a_form_that_is_sent_twice_makes_one_draft(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    content_id = _hidden((await carla.get("/enablement/new")).text, "content_id")
    for _ in range(2):
        answer = await carla.post("/enablement/new", {**NEW, "content_id": content_id})
        assert answer.location == f"/enablement/content/{content_id}/edit"
    assert len((await carla.api("GET", f"/content?owner={carla.viewer.id}")).json["items"]) == 1


async def test_an_id_that_is_not_ours_is_refused(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    answer = await carla.post("/enablement/new", {**NEW, "content_id": "HISTORY#x#y"})
    assert answer.status == 400
    assert "How to sell" in answer.shown


async def test_what_is_missing_to_submit_is_said_and_nothing_typed_is_lost(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    content_id = _hidden((await carla.get("/enablement/new")).text, "content_id")
    typed = {"title": "Only a title", "tags": "kept, too", "content_id": content_id, "go": "submit"}
    answer = await carla.post("/enablement/new", typed)
    assert answer.status == 422
    for text in ("Write a text or attach a file.", "Say in a sentence or two", "Only a title", "kept, too", content_id):
        assert text in answer.shown


async def test_readers_keep_the_released_version_while_it_is_changed(served: ServedPortal) -> None:
    carla, anna, vera = await served.person("contributor"), await served.person("approver"), await served.person()
    released = await served.released(carla, anna)
    path = f"/enablement/content/{released.content_id}"
    form = await carla.get(f"{path}/edit")
    assert "Readers keep version 1 until this is approved." in form.shown
    typed = {"title": "Better", "text": "New.", "summary": "New.", "version": _hidden(form.text, "version")}
    unsaid = await carla.post(f"{path}/edit", {**typed, "go": "submit"})
    assert "Say in 10 to 500 characters what has changed" in unsaid.shown
    sent = await carla.post(f"{path}/edit", {**typed, "note": "Everything is better now.", "go": "submit"})
    assert sent.status == 303, sent.shown
    assert "A change of this is being prepared" in (await carla.get(path)).shown
    reader = (await vera.get(path)).shown
    assert released.title in reader
    assert "Better" not in reader
    assert "being prepared" not in reader
    compared = (await anna.get(f"{path}/compare?from=1")).shown
    assert "removed: " in compared
    assert "Better" in compared


async def test_a_stale_edit_shows_both_texts(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    path = f"/enablement/content/{draft.content_id}/edit"
    form = (await carla.get(path)).text
    await served.service.content.edit(carla.viewer, draft.content_id, ContentEdit(text="Theirs, from elsewhere."))
    typed = {"title": draft.title, "summary": draft.summary, "text": "Mine, typed here."}
    marks = {"version": _hidden(form, "version"), "opened": _hidden(form, "opened")}
    answer = await carla.post(path, {**typed, **marks})
    assert answer.status == 409
    assert "Mine, typed here." in answer.shown
    assert "Theirs, from elsewhere." in answer.shown
    version = re.search(r'name="version" hidden>\n([^<]*)<', answer.text)
    assert version
    saved = await carla.post(path, {**typed, "version": version[1], "keep:text": "typed"})
    assert saved.status == 303
    assert (await carla.api("GET", f"/content/{draft.content_id}")).json["text"] == "Mine, typed here."


async def test_a_file_is_sent_and_named_without_script(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    page = (await carla.get(f"/enablement/content/{draft.content_id}/upload")).shown
    found = re.search(r'action="(/files/[^"]+)"', page)
    assert found
    body, headers = _form(pdf("One"))
    sent = await carla.ask("POST", found[1], body, headers)
    assert sent.status == 303, sent.text
    asks = await carla.get(sent.location)
    assert "What is it called?" in asks.shown
    upload = _hidden(asks.text, "upload_id")
    empty = await carla.post(
        f"/enablement/content/{draft.content_id}/attach", {"upload_id": "x" * 26, "file_name": "a"}
    )
    assert empty.status == 404
    done = await carla.post(
        f"/enablement/content/{draft.content_id}/attach", {"upload_id": upload, "file_name": "Prices 2027.pdf"}
    )
    assert "The file is attached." in (await carla.follow(done)).shown
    assert "Prices 2027.pdf" in (await carla.get(f"/enablement/content/{draft.content_id}")).shown


async def test_a_file_of_an_unknown_kind_is_refused_beside_its_field_and_the_text_stays(served: ServedPortal) -> None:
    from partita.apps.enablement.inputs import NewUpload

    carla = await served.person("contributor")
    content_id = _hidden((await carla.get("/enablement/new")).text, "content_id")
    begun = await served.service.attachments.begin(carla.viewer, content_id, NewUpload(file_name="a.exe"))
    await served.kit.files.save(begun.row.s3_key, b"MZ\x90\x00\x03\x00", "application/octet-stream")
    typed = {**NEW, "content_id": content_id, "upload_id": begun.row.upload_id, "file_name": "a.exe"}
    answer = await carla.post("/enablement/new", typed)
    assert answer.status == 422
    assert "This is no file that we know" in answer.shown
    assert "How to sell" in answer.shown
    good = await served.service.attachments.begin(carla.viewer, content_id, NewUpload(file_name="a.pdf"))
    await served.kit.files.save(good.row.s3_key, pdf("x"), "application/octet-stream")
    made = await carla.post("/enablement/new", {**typed, "upload_id": good.row.upload_id, "file_name": "a.pdf"})
    assert made.status == 303
    assert (await carla.api("GET", f"/content/{content_id}")).json["file_name"] == "a.pdf"


async def test_a_file_can_be_taken_away(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    await served.attach(carla, draft.content_id, pdf("x"), "x.pdf")
    path = f"/enablement/content/{draft.content_id}/edit"
    version = _hidden((await carla.get(path)).text, "version")
    await carla.post(path, {**NEW, "version": version, "remove_file": "true"})
    assert (await carla.api("GET", f"/content/{draft.content_id}")).json["file_name"] is None


async def test_saving_without_a_change_is_no_error(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    path = f"/enablement/content/{draft.content_id}/edit"
    version = _hidden((await carla.get(path)).text, "version")
    text = (await carla.api("GET", f"/content/{draft.content_id}")).json["text"]
    same = {"title": draft.title, "summary": draft.summary, "text": text, "version": version}
    assert (await carla.post(path, same)).status == 303
    assert (await carla.api("GET", f"/content/{draft.content_id}")).json["version"] == version


async def test_no_page_holds_a_signed_link(served: ServedPortal) -> None:
    carla, anna, vera = await served.person("contributor"), await served.person("approver"), await served.person()
    draft = await served.draft(carla)
    await served.attach(carla, draft.content_id, pdf("x"), "x.pdf")
    await served.release(carla, anna, draft.content_id)
    await served.catch_up()
    for somebody in (vera, carla, anna):
        for path in ("/enablement", f"/enablement/content/{draft.content_id}"):
            page = (await somebody.get(path)).text
            assert "signature=" not in page
            assert "/files/" not in page
            assert len(page) < 100_000


async def test_pages_need_an_account(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    for path in ("", "/new", f"/content/{draft.content_id}", f"/content/{draft.content_id}/edit"):
        answer = await served.visitor().get(f"/enablement{path}")
        assert (answer.status, answer.location[:8]) == (303, "/sign-in"), path


async def test_the_empty_library_says_what_to_do(served: ServedPortal) -> None:
    carla, vera = await served.person("contributor"), await served.person()
    assert "Write the first" in (await carla.get("/enablement")).shown
    assert "Write the first" not in (await vera.get("/enablement")).shown
    assert "Nothing is released yet" in (await vera.get("/enablement")).shown


async def test_the_view_that_was_chosen_last_is_kept(served: ServedPortal) -> None:
    carla, anna = await served.person("contributor"), await served.person("approver")
    await served.released(carla, anna)
    await served.catch_up()
    assert "content-cards" in (await carla.get("/enablement")).text
    assert "content-row" in (await carla.get("/enablement?view=rows")).text
    assert "content-row" in (await carla.get("/enablement")).text


async def test_versions_and_history_tell_who_did_what(served: ServedPortal) -> None:
    carla, anna = await served.person("contributor", "Carla"), await served.person("approver", "Anna")
    released = await served.released(carla, anna)
    path = f"/enablement/content/{released.content_id}"
    assert "nothing to compare yet" in (await carla.get(f"{path}/versions")).shown
    posted = await anna.post(f"{path}/comments", {"comment": "Well done."})
    history = (await anna.follow(posted)).shown
    for text in ("Well done.", "Anna", "Carla", "Submitted for approval", "Created"):
        assert text in history
    assert (await anna.post(f"{path}/comments", {"comment": ""})).status == 422
    assert "approved by Anna" in (await carla.get(f"{path}/versions")).shown


async def test_the_preview_of_a_text_is_clean(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    answer = await carla.post("/enablement/preview", {"text": "# Hi\n\n[x](javascript:alert(1)) <img src=x onerror=a>"})
    assert "<h2>Hi</h2>" in answer.text
    assert "<img" not in answer.text
    assert "href" not in answer.text
