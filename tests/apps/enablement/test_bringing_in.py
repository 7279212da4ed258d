"""Import, deleting and handing over, over HTTP and on pages."""

from __future__ import annotations

import re
from typing import Any

import pytest

from partita.apps.enablement.inputs import ProductsInput, SuiteInput
from partita.apps.enablement.schema import Content
from partita.kit.spreadsheets import line
from tests.apps.enablement.served import ServedPortal, Somebody
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio

ROWS = "".join(
    map(
        line,
        (
            ("title", "summary", "suite", "file_name"),
            ("With a file", "S", "Lumen", "a.txt"),
            ("Without", "S", "Lumen", ""),
            ("", "No title <b>", "Lumen", ""),
        ),
    )
)
_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
_EDGE = "edge-of-the-form"


async def upload(somebody: Somebody, path: str, name: str, data: bytes | str, *, token: str = "") -> Answer:
    """Send a form with a file, as a browser does."""
    about = f'--{_EDGE}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    head = f"{about}Content-Type: text/plain\r\n\r\n"
    sent = data.encode() if isinstance(data, str) else data
    body = head.encode() + sent + f"\r\n--{_EDGE}--\r\n".encode()
    headers = {"content-type": f"multipart/form-data; boundary={_EDGE}", "sec-fetch-site": "same-origin"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    return await somebody.ask("POST", path, body, headers)


async def contents(portal: ServedPortal) -> list[Content]:
    return [each async for each in portal.kit.store.scan_whole_table(Content)]


# Over HTTP


async def test_an_import_over_http_from_the_check_to_the_drafts(served: ServedPortal) -> None:
    cora = await served.person("contributor", "Cora")
    answer = await upload(cora, "/api/enablement/imports", "rows.csv", ROWS, token=cora.token)
    assert answer.status == 201, answer.text
    begun: dict[str, Any] = answer.json
    assert (begun["state"], begun["row_count"], begun["bad_rows"]) == ("waiting", 3, 1)
    assert [row["problem"] for row in begun["rows"]] == ["", "", "title: Please fill this in."]
    path = f"/api/enablement/imports/{begun['import_id']}"
    wrong = await upload(cora, f"{path}/files", "b.txt", "text", token=cora.token)
    assert (wrong.status, wrong.json["code"]) == (422, "no_such_row")
    sent = await upload(cora, f"{path}/files", "A.TXT", "text", token=cora.token)
    assert [row["file_sent"] for row in sent.json["rows"]] == [True, False, False]
    started = await cora.api("POST", f"/imports/{begun['import_id']}/start", {"submit": True})
    assert started.status == 202
    await served.catch_up()
    done = (await cora.api("GET", f"/imports/{begun['import_id']}")).json
    assert (done["state"], done["done_rows"], done["bad_rows"]) == ("done", 2, 1)
    first = await cora.api("GET", f"/content/{done['rows'][0]['content_id']}")
    assert (first.json["title"], first.json["approval_state"]) == ("With a file", "waiting")
    listed = (await cora.api("GET", "/imports")).json["items"]
    assert [each["import_id"] for each in listed] == [begun["import_id"]]
    bad = await cora.api("GET", f"/imports/{begun['import_id']}/bad-rows.csv")
    assert "Please fill this in." in bad.text
    assert bad.headers["content-type"].startswith("text/csv")


async def test_imports_are_for_contributors_and_their_own(served: ServedPortal) -> None:
    cora, carl, vera = (
        await served.person("contributor", "Cora"),
        await served.person("contributor", "Carl"),
        await served.person("", "Vera"),
    )
    begun = (await upload(cora, "/api/enablement/imports", "rows.csv", ROWS, token=cora.token)).json
    assert (await upload(vera, "/api/enablement/imports", "rows.csv", ROWS, token=vera.token)).status == 403
    for path in ("", "/bad-rows.csv"):
        assert (await carl.api("GET", f"/imports/{begun['import_id']}{path}")).status == 404
    assert (await carl.api("POST", f"/imports/{begun['import_id']}/start", {})).status == 404
    assert (await served.visitor().call("GET", "/api/enablement/imports")).status == 401


async def test_deleting_over_http(served: ServedPortal) -> None:
    cora, anna, xenia, vera = (
        await served.person("contributor", "Cora"),
        await served.person("approver", "Anna"),
        await served.person("admin", "Xenia"),
        await served.person("", "Vera"),
    )
    draft, released = await served.draft(cora), await served.released(cora, anna, "Released")
    assert (await vera.api("DELETE", f"/content/{draft.content_id}")).status == 403
    assert (await cora.api("DELETE", f"/content/{released.content_id}")).status == 403
    assert (await cora.api("DELETE", f"/content/{draft.content_id}?version=9.9")).status == 409
    assert (await cora.api("DELETE", f"/content/{draft.content_id}")).status == 202
    assert (await xenia.api("DELETE", f"/content/{released.content_id}")).status == 202
    assert (await xenia.api("DELETE", f"/content/{released.content_id}")).status == 404
    await served.catch_up()
    assert (await vera.api("GET", "/content")).json["items"] == []


async def test_handing_over_everything_over_http(served: ServedPortal) -> None:
    cora, carl, xenia = (
        await served.person("contributor", "Cora"),
        await served.person("contributor", "Carl"),
        await served.person("admin", "Xenia"),
    )
    await served.draft(cora)
    path = f"/owners/{cora.viewer.id}/transfer"
    assert (await carl.api("POST", path, {"to": "carl"})).status == 403
    assert (await xenia.api("POST", path, {"to": "nobody"})).status == 422
    assert (await xenia.api("POST", path, {"to": "carl"})).status == 202
    await served.catch_up()
    assert {each.owner_user_id for each in await contents(served)} == {carl.viewer.id}


# On pages


async def test_the_pages_of_an_import_lead_from_the_file_to_the_drafts(served: ServedPortal) -> None:
    cora = await served.person("contributor", "Cora")
    assert "No imports yet" in (await cora.get("/enablement/import")).text
    refused = await upload(cora, "/enablement/import", "rows.csv", "name\nA\n")
    assert refused.status == 422
    assert "at least title" in refused.text
    answer = await upload(cora, "/enablement/import", "rows.csv", ROWS)
    page = await cora.follow(answer)
    assert "Make 1 draft<" in page.text, "the other has no file yet and would be refused"
    assert "1 file is still missing" in page.text
    assert "Please fill this in." in page.text
    here = answer.location
    wrong = await upload(cora, f"{here}/files", "b.txt", "text")
    assert wrong.status == 422
    assert "No row names the file" in wrong.text
    page = await cora.follow(await upload(cora, f"{here}/files", "a.txt", "text"))
    assert "All files have arrived." in page.text
    assert "Make 2 drafts" in page.text
    started = await cora.post(f"{here}/start")
    assert started.location == here
    await served.catch_up()
    page = await cora.get(here)
    assert "Submit all for approval" in page.text
    assert "With a file</a>" in page.text
    await cora.post(f"{here}/start", {"submit": "true"})
    await served.catch_up()
    assert "Waiting for approval" in (await cora.get(here)).text
    assert "rows.csv" in (await cora.get("/enablement/import")).text
    csv = await cora.get(f"{here}/bad-rows.csv")
    assert csv.headers["content-disposition"].startswith("attachment")


async def test_a_viewer_finds_no_import_and_another_contributor_not_this_one(served: ServedPortal) -> None:
    cora, carl, vera = (
        await served.person("contributor", "Cora"),
        await served.person("contributor", "Carl"),
        await served.person("", "Vera"),
    )
    here = (await upload(cora, "/enablement/import", "rows.csv", ROWS)).location
    assert (await vera.get("/enablement/import")).status == 403
    assert (await carl.get(here)).status == 404
    assert (await served.visitor().get("/enablement/import")).status == 303


async def test_a_file_is_chosen_beside_its_row_and_an_import_is_discarded(served: ServedPortal) -> None:
    cora = await served.person("contributor", "Cora")
    here = (await upload(cora, "/enablement/import", "rows.csv", ROWS)).location
    assert f"{here}?line=2#files" in (await cora.get(here)).text
    page = await cora.get(f"{here}?line=2")
    assert "File of “With a file”" in page.text
    assert '<input type="hidden" name="line" value="2">' in page.text
    assert "are deleted" in (await cora.get(f"{here}/discard")).text
    assert (await cora.post(f"{here}/discard")).location == "/enablement/import"
    assert (await cora.get(here)).status == 404


async def test_a_product_that_is_not_in_the_list_is_asked_about_where_it_is_typed_and_approved(
    served: ServedPortal,
) -> None:
    cora, anna = await served.person("contributor", "Cora"), await served.person("approver", "Anna")
    xenia = await served.person("admin", "Xenia")
    await served.service.products.save(xenia.viewer, ProductsInput(revision=0, suites=(SuiteInput(name="Lumen"),)))
    typed = {"title": "One", "summary": "S", "text": "T", "product_suite": "Lumem", "content_id": _ID}
    refused = await cora.post("/enablement/new", typed)
    assert refused.status == 422
    assert "Did you mean “Lumen”?" in refused.text
    draft = await served.draft(cora, product_suite="Lumem")  # as a program may write it
    kept = await cora.post(
        f"/enablement/content/{draft.content_id}/edit",
        typed | {"title": "Two", "version": draft.version, "go": "submit"},
    )
    assert kept.status == 303, "what it has, it keeps"
    page = (await anna.get(f"/enablement/queue/{draft.content_id}")).text
    assert re.search(r'<li class="warn">.*There is no product “Lumem”. Did you mean “Lumen”\?', page)


async def test_the_example_can_be_imported_as_it_is(served: ServedPortal) -> None:
    cora = await served.person("contributor", "Cora")
    xenia = await served.person("admin", "Xenia")
    suites = (SuiteInput(name="Lumen", concepts=("Care",)),)
    await served.service.products.save(xenia.viewer, ProductsInput(revision=0, suites=suites))
    example = await cora.get("/enablement/import/example.csv")
    checks = await served.service.imports.begin(cora.viewer, example.body, "example.csv")
    assert [row.problem for row in checks.rows] == [""]


async def test_deleting_says_what_is_lost_and_asks(served: ServedPortal) -> None:
    cora, anna, xenia, vera = (
        await served.person("contributor", "Cora"),
        await served.person("approver", "Anna"),
        await served.person("admin", "Xenia"),
        await served.person("", "Vera"),
    )
    released = await served.released(cora, anna, "How to <price>")
    path = f"/enablement/content/{released.content_id}"
    assert "/delete" in (await xenia.get(path)).text
    assert "/delete" not in (await cora.get(path)).text
    assert (await vera.get(f"{path}/delete")).status == 403
    assert (await cora.get(f"{path}/delete")).status == 403
    asked = await xenia.get(f"{path}/delete")
    assert "1 released version" in asked.text
    assert "retire it instead" in asked.text
    stale = await xenia.post(f"{path}/delete", {"version": "0.1"})
    assert stale.status == 409
    gone = await xenia.post(f"{path}/delete", {"version": released.version})
    assert gone.location == "/enablement"
    assert (await xenia.get(path)).status == 404


async def test_handing_over_everything_on_a_page(served: ServedPortal) -> None:
    cora, carl, xenia = (
        await served.person("contributor", "Cora"),
        await served.person("contributor", "Carl"),
        await served.person("admin", "Xenia"),
    )
    await served.draft(cora)
    path = f"/enablement/owners/{cora.viewer.id}/transfer"
    assert (await carl.get(path)).status == 403
    page = await xenia.get(path)
    assert "Hand over 1 item" in page.text
    assert '<option value="carl"' in page.text
    refused = await xenia.post(path, {"to": ""})
    assert refused.status == 422
    started = await xenia.post(path, {"to": "carl", "comment": "She has left."})
    assert started.location.startswith("/jobs/")
    await served.catch_up()
    assert (
        "1 items handed over" in (await xenia.get(started.location)).text
        or "1 item handed over" in (await xenia.get(started.location)).text
    )
    assert "Nothing to hand over" in (await xenia.get(path)).text
