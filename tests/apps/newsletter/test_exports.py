"""Exports, Finish, the read-online link, the test mail and the brand, through the real application."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.policy import default
from html import unescape
from pathlib import Path
from typing import Any, Literal

import docx
import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import BrandEdit, SectionEdit
from partita.apps.newsletter.schema import Draft, Newsletter
from partita.apps.newsletter.service.documents.colours import contrast
from partita.apps.newsletter.service.documents.exports import FORMATS
from partita.apps.newsletter.service.documents.reading import read_document
from partita.apps.newsletter.service.editions import made_line
from partita.dynamo.python_values import item_to_python
from partita.kit.files.images import ImageRefused
from partita.kit.mail import Outbox
from partita.store import EmbeddedStore
from partita.table import Put
from tests.apps.newsletter.drafted import CITATIONS, CODE, TEXTS
from tests.apps.newsletter.editions import picture
from tests.apps.newsletter.served import ServedLetters, Somebody, served_in

pytestmark = pytest.mark.anyio

API = f"/newsletters/{CODE}"
FINISH = f"/newsletter/editions/{CODE}/finish"
NOW = "2026-01-26T10:01:00.000000Z"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as desk:
        yield desk


async def drafted(desk: ServedLetters, owner: Somebody, **draft: Any) -> None:
    """A newsletter of the owner's with a draft."""
    newsletter = Newsletter(
        id="1",
        newsletter_code=CODE,
        title="Weekly Research Digest",
        user_id=owner.viewer.id,
        user_email="a@example.org",
        created_at=NOW,
        updated_at=NOW,
        current_step=4,
        status="completed",
        format_type="pdf",
    )
    given: dict[str, Any] = {
        "sections": TEXTS,
        "generated_content": "# Weekly Research Digest\n\n" + "\n\n".join(TEXTS.values()),
        "citations": CITATIONS,
        "draft_status": "completed",
        "generated_at": NOW,
    }
    await desk.kit.store.write(Put(newsletter))
    await desk.kit.store.write(Put(Draft(newsletter_code=CODE, updated_at=NOW, **(given | draft))))


@pytest.mark.parametrize(
    ("language", "count", "told"),
    [
        ("en", 1, "Sentences from 1 source, by the offline writer."),
        ("en", 2, "Sentences from 2 sources, by the offline writer."),
        ("am", 1, "ከ1 ምንጭ "),
        ("ar", 1, "من مصدر واحد،"),
        ("ar", 2, "من مصدرين،"),
        ("ar", 3, "من 3 مصادر،"),
        ("ar", 11, "من 11 مصدرا،"),
    ],
)
async def test_the_foot_counts_sources_as_people_do(
    desk: ServedLetters, language: Literal["en", "am", "ar"], count: int, told: str
) -> None:
    ada = await desk.person("author", "Ada")
    await drafted(desk, ada, citations=[{"n": n + 1, "source_id": f"s{n}", "title": "T"} for n in range(count)])
    newsletter = await desk.kit.store.get(schema.newsletter(CODE))
    draft = await desk.kit.store.get(schema.draft(CODE))
    assert newsletter is not None
    assert draft is not None
    assert told in made_line(newsletter.with_(Newsletter.language(language)), draft)


async def made(desk: ServedLetters, person: Somebody, wanted: str) -> dict[str, Any]:
    answer = await person.api("POST", f"{API}/exports", {"format": wanted})
    assert answer.status == 202, answer.text
    assert answer.headers["location"] == f"/api/newsletter{API}/steps/export-{wanted}"
    await desk.jobs.drain()
    found = await person.api("GET", f"{API}/exports/{wanted}")
    assert found.json["step"]["state"] == "done", found.text
    result: dict[str, Any] = found.json
    return result


def row(desk: ServedLetters, sk: str) -> dict[str, Any]:
    assert isinstance(desk.kit.tables, EmbeddedStore)
    key = {"PK": {"S": f"NEWSLETTER#{CODE}"}, "SK": {"S": sk}}
    table = schema.MAIN.name
    return item_to_python(desk.kit.tables.engine.call("GetItem", {"TableName": table, "Key": key})["Item"])


@pytest.mark.parametrize("wanted", list(FORMATS))
async def test_every_format_is_made_kept_under_its_documented_key_and_downloaded(
    desk: ServedLetters, wanted: str
) -> None:
    ada = await desk.person(name="Ada")
    await drafted(desk, ada)
    export = await made(desk, ada, wanted)
    assert export["s3_key"] == f"newsletters/{CODE}/{FORMATS[wanted].file}"  # type: ignore[index]
    assert export["revision"] == 1
    assert export["behind"] == 0
    stored = row(desk, "DRAFT")["exports"][wanted]
    assert {"s3_key", "generated_at", "file_size"} <= set(stored)
    assert row(desk, "METADATA")["status"] == "exported"
    file = await ada.api("GET", f"{API}/exports/{wanted}/file")
    assert file.status == 200
    assert len(file.body) == stored["file_size"] == export["file_size"]
    assert "attachment" in file.headers["content-disposition"]
    assert file.headers["cache-control"] == "private, no-store"
    match wanted:
        case "pdf":
            assert file.body.startswith(b"%PDF")
            assert export["pages"] >= 1
            cover = await ada.get(f"{FINISH}/pdf/cover")
            assert (cover.status, cover.headers["content-type"]) == (200, "image/webp")
        case "docx":
            assert any("Sorghum" in each.text for each in docx.Document(io.BytesIO(file.body)).paragraphs)
        case "md":
            assert read_document(file.text).title == "Weekly Research Digest"
        case "eml":
            assert message_from_bytes(file.body, policy=default)["X-Unsent"] == "1"
        case _:
            assert "Sorghum yields rose" in file.text


async def test_a_format_that_was_made_before_an_edit_says_how_far_it_is_behind(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    await drafted(desk, ada)
    await made(desk, ada, "html")
    text = await desk.service.draft.read(ada.viewer, CODE)
    assert text.draft.revision == 1, "an export is no edit"
    await desk.service.draft.save_section(ada.viewer, CODE, "introduction", SectionEdit(text="Hello.", revision=1))
    await desk.service.draft.save_section(ada.viewer, CODE, "introduction", SectionEdit(text="Good day.", revision=2))
    assert (await ada.api("GET", f"{API}/exports/html")).json["behind"] == 2
    page = await ada.get(FINISH)
    assert "2 edits behind" in page.shown
    assert (await made(desk, ada, "html"))["behind"] == 0
    assert "Good day." in (await ada.api("GET", f"{API}/exports/html/file")).text


async def test_two_formats_do_not_lose_each_other(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    await drafted(desk, ada)
    for wanted in ("md", "html", "email"):
        assert (await ada.api("POST", f"{API}/exports", {"format": wanted})).status == 202
    await desk.jobs.drain()
    assert set(row(desk, "DRAFT")["exports"]) == {"md", "html", "email"}


async def test_the_preview_shows_the_mail_itself_with_served_styles(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    await drafted(desk, ada)
    write = f"/newsletter/editions/{CODE}/write"
    page = await ada.get(f"{write}?view=preview&look=mail")
    assert 'class="mail-look"' in page.text
    assert 'role="presentation"' in page.text
    assert " style=" not in page.text
    (address,) = re.findall(r'href="([^"]*mail\.css[^"]*)"', page.text)
    styles = await ada.get(unescape(address))
    assert styles.headers["content-type"].startswith("text/css")
    used = set(re.findall(r'class="(m-[0-9a-f]+)"', page.text))
    assert used
    assert used == set(re.findall(r"\.mail-look \.(m-[0-9a-f]+) ", styles.text))
    assert "mail-look" not in (await ada.get(f"{write}?view=preview")).text


async def test_the_pages_of_the_last_pdf_are_seen_beside_the_text(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    await drafted(desk, ada)
    preview = f"/newsletter/editions/{CODE}/write?view=preview&look=pages"
    assert "Pages</a>" not in (await ada.get(preview)).text
    count = (await made(desk, ada, "pdf"))["pages"]
    names = row(desk, "DRAFT")["exports"]["pdf"]["page_keys"]
    assert names == [f"newsletters/{CODE}/pages/{number}.webp" for number in range(1, count + 1)]
    page = await ada.get(preview)
    assert "Pages</a>" in page.text
    addresses = [unescape(each) for each in re.findall(r'src="([^"]*pdf/pages[^"]*)"', page.text)]
    assert len(addresses) == count
    for address in addresses:
        shown = await ada.get(address)
        assert (shown.status, shown.headers["content-type"], shown.body[:4]) == (200, "image/webp", b"RIFF")
    assert (await ada.get(f"{FINISH}/pdf/pages/{count + 1}")).status == 404
    named = [name async for name in desk.service.files.of_editions()]
    assert set(names) <= set(named)
    await ada.api("DELETE", f"/newsletters/{CODE}")
    await desk.follow()
    for name in names:
        assert not await desk.kit.files.exists(name)


async def test_a_shorter_pdf_leaves_no_page_of_the_longer_one(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    old = f"newsletters/{CODE}/pages/7.webp"
    await desk.kit.files.save(old, b"RIFF", "image/webp")
    await drafted(desk, ada, exports={"pdf": {"s3_key": f"newsletters/{CODE}/export.pdf", "page_keys": [old]}})
    await made(desk, ada, "pdf")
    assert not await desk.kit.files.exists(old)


async def test_an_export_needs_a_draft(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    await drafted(desk, ada, sections={}, generated_content="", generated_at=None)
    refused = await ada.api("POST", f"{API}/exports", {"format": "pdf"})
    assert (refused.status, refused.json["code"]) == (409, "step_not_ready")
    page = await ada.get(FINISH)
    assert page.status == 200
    assert "There is no draft yet" in page.shown
    assert (await ada.api("POST", f"{API}/exports", {"format": "rtf"})).status == 422


async def test_finish_shows_formats_by_use_and_what_to_mend(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    await drafted(desk, ada, sections=TEXTS | {"conclusion": "## Conclusion\n\nA claim. [9]"})
    page = await ada.get(FINISH)
    assert "Fix before sending" in page.shown
    assert "No source is known for [9]." in page.shown
    names = re.findall(r'id="format-(\w+)"', page.text)
    assert names[0] == "pdf", "the format of the configuration comes first"
    assert set(names) == set(FORMATS)
    answer = await ada.post(f"{FINISH}/md/make")
    assert answer.status == 303
    await desk.jobs.drain()
    page = await ada.get(FINISH)
    assert "Create again" in page.shown
    file = await ada.get(f"{FINISH}/md/download")
    assert "Sorghum yields" in file.text
    draft = await ada.get(f"{FINISH}/draft.eml")
    assert message_from_bytes(draft.body, policy=default)["X-Unsent"] == "1"


async def test_what_to_mend_is_one_list_and_each_line_leads_to_its_place(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    quality = {
        "cited": {
            "ok": False,
            "value": 0,
            "text": "1 paragraph names no source.",
            "places": [{"section": "research_findings", "text": "Farmers planted early and late."}],
        },
        "length": {
            "ok": False,
            "value": 2,
            "text": "Too long.",
            "places": [{"section": "conclusion", "text": "Conclusion: 9 words of 3"}],
        },
        "repeats": {"ok": True, "value": 0, "text": "Nothing is told twice.", "places": []},
    }
    text = "## Research Findings\n\nSorghum yields rose [1].\n\nFarmers planted\nearly and late.\n\n![](images/a.png)"
    images = ({"s3_key": f"newsletters/{CODE}/images/a.png", "alt": "", "width": 9, "height": 9},)
    await drafted(desk, ada, sections=TEXTS | {"research_findings": text}, quality=quality, images=images)
    await ada.api("POST", f"{API}/notes", {"section_key": "conclusion", "text": "Thank whom?"})
    page = await ada.get(FINISH)
    mend = page.text[page.text.index('id="mend"') : page.text.index('id="formats"')]
    write = f"/newsletter/editions/{CODE}/write?section="
    led = {unescape(told): unescape(where) for where, told in re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', mend)}
    found = "research_findings&place=Farmers+planted+early+and+late.#editor"
    assert led["Sources named: 1 paragraph names no source."] == f"{write}{found}"
    assert led["Research Findings: Farmers planted early and late."] == f"{write}{found}"
    assert led["Length: Too long."] == f"{write}conclusion#editor", "no words of the text"
    picture = "1 picture without a description for those who cannot see it."
    assert led[picture] == f"{write}research_findings&place=images%2Fa.png#editor"
    (note,) = await desk.service.notes.on(ada.viewer, CODE)
    assert led["1 note is open."] == f"/newsletter/editions/{CODE}/review#note-{note.note_id}"
    assert led["Pictures are only in the .eml file until the edition can be read online."].endswith("#format-email")
    assert "Nothing is told twice" not in mend
    opened = await ada.get(led["Sources named: 1 paragraph names no source."].removesuffix("#editor"))
    assert '<q dir="auto" data-place>Farmers planted early and late.</q>' in opened.text
    report = opened.text[opened.text.index('class="report"') :]
    assert picture in report, "the report card of the editor has the same"


async def test_strangers_find_nothing_and_readers_make_nothing(desk: ServedLetters) -> None:
    ada, stan, nora = await desk.person(name="Ada"), await desk.person(name="Stan"), await desk.person("", "Nora")
    await drafted(desk, ada)
    await made(desk, ada, "md")
    for method, path, body in (
        ("GET", f"{API}/exports", None),
        ("GET", f"{API}/exports/md", None),
        ("GET", f"{API}/exports/md/file", None),
        ("POST", f"{API}/exports", {"format": "md"}),
        ("POST", f"{API}/test-mail", None),
        ("POST", f"{API}/link", None),
        ("DELETE", f"{API}/link", None),
    ):
        assert (await stan.api(method, path, body)).status == 404, path
        assert (await nora.api(method, path, body)).status == 403, path
    assert (await stan.get(FINISH)).status == 404
    assert (await stan.get(f"{FINISH}/md/download")).status == 404
    assert (await stan.api("PATCH", "/brand", {"colour": "#112233"})).status == 403


async def test_a_link_opens_the_edition_for_everybody_until_it_is_revoked(desk: ServedLetters) -> None:
    ada, visitor = await desk.person(name="Ada"), desk.visitor()
    await drafted(desk, ada)
    url = (await ada.api("POST", f"{API}/link")).json["url"]
    assert (await ada.api("POST", f"{API}/link")).json["url"] == url, "there is one link at a time"
    path = url[url.index("/newsletter/") :]
    page = await visitor.get(path)
    assert page.status == 200
    assert "Sorghum yields rose" in page.text
    assert "noindex" in page.headers["x-robots-tag"]
    assert "script-src" not in page.headers["content-security-policy"]
    assert not re.search(r"<script|\sstyle=|\son\w+=", page.text)
    (sheet,) = re.findall(r'href="(/newsletter/styles/[^"]+)"', page.text)
    styles = await visitor.get(sheet)
    assert styles.headers["content-type"].startswith("text/css")
    assert ".edition" in styles.text
    secret = path.rsplit("/", 1)[1]
    assert secret not in str(row(desk, "METADATA")), "only the digest is stored"
    assert (await visitor.get(f"{path}x")).status == 404
    assert url in (await ada.get(FINISH)).shown
    mail = await made(desk, ada, "email")
    assert mail["warnings"] == []
    assert url in (await ada.api("GET", f"{API}/exports/email/file")).text
    assert (await ada.api("DELETE", f"{API}/link")).status == 204
    assert (await ada.api("DELETE", f"{API}/link")).status == 204
    assert (await visitor.get(path)).status == 404
    again = (await ada.api("POST", f"{API}/link")).json["url"]
    assert again != url
    assert (await visitor.get(path)).status == 404


async def test_a_deleted_newsletter_cannot_be_read_by_its_link(desk: ServedLetters) -> None:
    ada, visitor = await desk.person(name="Ada"), desk.visitor()
    await drafted(desk, ada)
    url = (await ada.api("POST", f"{API}/link")).json["url"]
    await desk.service.removals.delete(ada.viewer, CODE)
    assert (await visitor.get(url[url.index("/newsletter/") :])).status == 404


async def test_pictures_of_a_link_are_shown_to_readers(desk: ServedLetters) -> None:
    ada, visitor = await desk.person(name="Ada"), desk.visitor()
    key = f"newsletters/{CODE}/images/fields.png"
    shown = picture()
    await desk.kit.files.save(key, shown.data, "image/png")
    image = {"s3_key": key, "alt": "Fields", "caption": "", "file_size": 1, "width": 60, "height": 40}
    texts = TEXTS | {"introduction": "![Fields](images/fields.png)"}
    await drafted(desk, ada, sections=texts, images=(image,))
    path = (await ada.api("POST", f"{API}/link")).json["url"].partition("/newsletter/")[2]
    page = await visitor.get(f"/newsletter/{path}")
    (source,) = re.findall(r'<img src="([^"]+)"', page.text)
    answer = await visitor.get(source)
    assert answer.status == 302
    file = await visitor.get(answer.location)
    assert (file.status, file.headers["content-type"]) == (200, "image/png")
    assert (await visitor.get(f"/newsletter/{path}/pictures/7")).status == 404
    export = await made(desk, ada, "html")
    assert export["warnings"] == []
    assert "data:image/png" in (await ada.api("GET", f"{API}/exports/html/file")).text


async def test_a_test_mail_goes_to_whoever_asks(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    await drafted(desk, ada)
    assert (await ada.api("POST", f"{API}/test-mail")).json == {"sent_to": "ada@example.org", "kept": True}
    assert isinstance(desk.kit.mail, Outbox)
    (mail,) = [each for each in await desk.kit.mail.page() if each.subject == "Test: Weekly Research Digest"]
    assert mail.to == "ada@example.org"
    assert "Sorghum yields rose" in mail.text
    assert "Sorghum yields rose" in mail.html
    answer = await ada.post(f"{FINISH}/test-mail")
    page = (await ada.follow(answer)).shown
    assert "Not sent: this site sends no mail. The test mail to ada@example.org is in the outbox." in page
    assert "where an administrator can read it" in (await ada.get(FINISH)).shown


async def test_a_test_mail_is_said_to_be_sent_only_if_this_site_sends_mail(desk: ServedLetters) -> None:
    ada = await desk.person(name="Ada")
    await drafted(desk, ada)
    object.__setattr__(desk.kit.settings, "mail", "smtp")  # the outbox plays the server that takes it
    page = (await ada.follow(await ada.post(f"{FINISH}/test-mail"))).shown
    assert "Test mail sent to ada@example.org." in page
    assert "outbox" not in page


async def test_a_brand_has_versions_and_only_administrators_change_it(desk: ServedLetters) -> None:
    ada, xenia = await desk.person(name="Ada"), await desk.person("admin", "Xenia")
    await drafted(desk, ada)
    before = (await ada.api("GET", "/brand")).json
    assert before["version"] == 0
    saved = await xenia.api("PATCH", "/brand", {"colour": "#FFD400", "imprint": "Desk, Djibouti", "version": 0})
    assert saved.status == 200, saved.text
    assert saved.json["version"] == 1
    assert saved.json["colour"] == "#ffd400"
    assert contrast(saved.json["text_colour"], "#ffffff") >= 4.5
    stale = await xenia.api("PATCH", "/brand", {"colour": "#000000", "version": 0})
    assert stale.status == 409
    wrong = await xenia.api("PATCH", "/brand", {"colour": "red"})
    assert (wrong.status, wrong.json["errors"][0]["field"]) == (422, "colour")
    await made(desk, ada, "html")
    assert "Desk, Djibouti" in (await ada.api("GET", f"{API}/exports/html/file")).text


async def test_the_page_of_the_brand_keeps_what_was_typed_and_mends_the_colour(desk: ServedLetters) -> None:
    xenia = await desk.person("admin", "Xenia")
    page = await xenia.get("/newsletter/brand")
    assert page.status == 200
    fields = {"colour": "#ffd400", "masthead_line": "The Desk", "imprint": "", "sign_off": "", "theme": "bulletin"}
    answer = await xenia.post("/newsletter/brand", fields | {"logo_alt": "", "version": "0"})
    assert answer.status == 303, answer.text
    shown = await xenia.get("/newsletter/brand")
    assert "a darker shade that is easier to read" in shown.shown
    assert "The Desk" in shown.shown
    refused = await xenia.post("/newsletter/brand", fields | {"colour": "yellow", "imprint": "Kept", "version": "1"})
    assert refused.status == 422
    assert "Kept" in refused.shown
    emptied = await xenia.post("/newsletter/brand", fields | {"masthead_line": "", "version": "1"})
    assert emptied.status == 303
    assert (await desk.service.brand.current()).masthead_line == ""
    styles = await xenia.get("/newsletter/brand/sample.css?theme=bulletin")
    assert styles.headers["content-type"].startswith("text/css")


async def test_a_logo_is_made_safe_and_shown_in_exports(desk: ServedLetters) -> None:
    ada, xenia = await desk.person(name="Ada"), await desk.person("admin", "Xenia")
    await drafted(desk, ada)
    brand = await desk.service.brand.save(BrandEdit(logo_alt="Our logo"), xenia.viewer, picture(120, 40).data)
    assert brand.logo_key is not None
    logo = await xenia.get("/newsletter/brand/logo")
    assert logo.status == 200, logo.shown
    assert logo.headers["content-type"] == "image/png"
    for wanted in ("html", "docx", "pdf", "eml"):
        assert (await made(desk, ada, wanted))["file_size"] > 0
    assert 'alt="Our logo"' in (await ada.api("GET", f"{API}/exports/html/file")).text
    with pytest.raises(ImageRefused):
        await desk.service.brand.save(BrandEdit(), xenia.viewer, b"<svg onload=alert(1)>")


@pytest.mark.parametrize("code", ["NL-20260126-ZZZZ", "PROP-20260126-ZZZZ", "nobody", "01arz3ndektsv4rrffq69g5fav"])
async def test_no_step_is_started_for_what_there_is_not(desk: ServedLetters, code: str) -> None:
    owner = await desk.person(name="Ada")
    for path in (f"/newsletters/{code}/exports", f"/proposals/{code}/exports"):
        assert (await owner.api("POST", path, {"format": "md"})).status == 404
    steps = (f"editions/{code}/steps/intake/{deed}" for deed in ("start", "cancel"))
    for path in (f"editions/{code}/finish/md/make", f"proposals/{code}/finish/md/make", *steps):
        assert (await owner.post(f"/newsletter/{path}", {})).status == 404
