"""Content over HTTP: what each role gets, and what it is told when it is refused."""

from __future__ import annotations

import pytest

from partita.apps.enablement.inputs import Retirement
from tests.apps.enablement.served import ServedPortal
from tests.kit.previews.samples import pdf

pytestmark = pytest.mark.anyio


async def test_a_draft_is_created_read_edited_and_refused_if_it_has_changed(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    made = await carla.api("POST", "/content", {"title": "Prices", "text": "# One", "tags": ["EU", "eu", "list"]})
    assert (made.status, made.json["version"], made.json["tags"]) == (201, "0.1", ["EU", "list"])
    path = f"/content/{made.json['content_id']}"
    edited = await carla.api("PUT", path, {"text": "# Two", "version": "0.1"})
    assert edited.json == {"content_id": made.json["content_id"], "proposal": False, "version": "0.2"}
    assert (await carla.api("GET", path)).json["text"] == "# Two"
    stale = await carla.api("PUT", path, {"title": "Other", "version": "0.1"})
    assert (stale.status, stale.json["code"], stale.json["version"]) == (409, "changed_meanwhile", "0.2")
    bad = await carla.api("PUT", path, {"title": "", "tags": ["a#b"]})
    assert bad.status == 422
    assert {each["field"] for each in bad.json["errors"]} == {"title", "tags.0"}


async def test_released_content_is_changed_by_a_proposal(served: ServedPortal) -> None:
    carla, anna, vera = await served.person("contributor"), await served.person("approver"), await served.person()
    released = await served.released(carla, anna)
    path = f"/content/{released.content_id}"
    assert (await carla.api("PUT", f"{path}/proposal", {"title": "Better"})).json["proposal"] is True
    proposal = await anna.api("GET", f"{path}/proposal")
    assert proposal.json["changed"] == {"title": "Better"}
    assert (await vera.api("GET", f"{path}/proposal")).status == 403
    assert (await vera.api("GET", path)).json["title"] == released.title
    assert (await carla.api("DELETE", f"{path}/proposal")).status == 204
    assert (await anna.api("GET", f"{path}/proposal")).status == 404


async def test_readers_see_the_major_and_nothing_of_the_work(served: ServedPortal) -> None:
    carla, anna, vera = await served.person("contributor"), await served.person("approver"), await served.person()
    released = await served.released(carla, anna)
    path = f"/content/{released.content_id}"
    assert (await vera.api("GET", path)).json["version"] == "1"
    assert (await vera.api("GET", path)).json["submitted_by"] is None
    assert (await carla.api("GET", path)).json["version"] == "1.0"
    assert (await carla.api("GET", path)).json["submitted_by"] == carla.viewer.id
    assert (await vera.api("GET", "/content")).status == 200
    assert list((await vera.api("GET", f"{path}/versions")).json["items"][0]) == ["major", "approved_at", "change_note"]


async def test_what_somebody_may_not_know_of_is_not_there(served: ServedPortal) -> None:
    carla, vera, carl = await served.person("contributor"), await served.person(), await served.person("contributor")
    draft = await served.draft(carla)
    await served.attach(carla, draft.content_id, pdf("Secret"), "secret.pdf")
    await served.catch_up()
    for path in ("", "/cover", "/pages/1", "/download", "/history", "/versions", "/compare?from=1", "/proposal"):
        for somebody in (vera, carl):
            answer = await somebody.api("GET", f"/content/{draft.content_id}{path}")
            assert answer.status == 404, path
    for method, path, body in (
        ("PUT", "", {"title": "Mine"}),
        ("PUT", "/proposal", {"title": "Mine"}),
        ("POST", "/uploads", {"file_name": "a.pdf"}),
        ("POST", "/attach", {"upload_id": "x"}),
        ("POST", "/comments", {"comment": "Hello"}),
        ("DELETE", "/proposal", None),
    ):
        assert (await carl.api(method, f"/content/{draft.content_id}{path}", body)).status == 404, path
    assert (await served.visitor().api("GET", "/content")).status == 401


async def test_what_is_closed_names_what_replaced_it(served: ServedPortal) -> None:
    carla, anna, vera = await served.person("contributor"), await served.person("approver"), await served.person()
    old, new = await served.released(carla, anna, "Old"), await served.released(carla, anna, "New")
    gone = Retirement(reason="Not sold any more.", superseded_by=new.content_id)
    await served.service.lifecycle.retire(anna.viewer, old.content_id, gone)
    answer = await vera.api("GET", f"/content/{old.content_id}")
    assert (answer.status, answer.json["code"], answer.json["superseded_by"]) == (403, "closed", new.content_id)
    page = await vera.get(f"/enablement/content/{old.content_id}")
    assert page.status == 403
    assert "Not sold any more." in page.shown
    assert "Read “New” instead" in page.shown
    assert "Atlas costs 100" not in page.shown


async def test_a_file_is_sent_to_the_link_attached_and_downloaded(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    path = f"/content/{draft.content_id}"
    begun = (await carla.api("POST", f"{path}/uploads", {"file_name": "Prices.pdf"})).json
    assert begun["seconds"] == 300
    data = pdf("Prices")
    sent = await served.visitor().ask("POST", begun["url"], *_form(data))
    assert sent.status == 204, sent.text
    replaced = await served.visitor().ask("POST", begun["url"], *_form(pdf("Other")))
    assert (replaced.status, "already" in replaced.shown) == (409, True)
    attached = await carla.api("POST", f"{path}/attach", {"upload_id": begun["upload_id"]})
    assert (attached.status, attached.json["version"]) == (200, "0.2")
    assert (await carla.api("GET", path)).json["content_type"] == "application/pdf"
    answer = await carla.api("GET", f"{path}/download")
    assert answer.status == 302
    assert "download=Prices.pdf" in answer.location
    opened = await served.visitor().ask("HEAD", answer.location)
    assert (opened.status, opened.headers["content-length"]) == (200, str(len(data)))
    again = await carla.api("POST", f"{path}/attach", {"upload_id": begun["upload_id"]})
    assert (again.status, again.json["code"]) == (404, "no_upload")


async def test_a_link_that_was_changed_takes_nothing(served: ServedPortal) -> None:
    carla = await served.person("contributor")
    draft = await served.draft(carla)
    begun = (await carla.api("POST", f"/content/{draft.content_id}/uploads", {"file_name": "a.pdf"})).json
    sent = await served.visitor().ask("POST", begun["url"].replace("most=100000000", "most=999"), *_form(pdf("x")))
    other = await served.visitor().ask("POST", begun["url"].replace("expires=", "expires=9"), *_form(pdf("x")))
    assert 403 in (sent.status, other.status)


async def test_downloads_count_once_and_looking_counts_nothing(served: ServedPortal) -> None:
    from partita.apps.enablement.api.attachments import counts

    class Asked:
        def __init__(self, method: str, **headers: str) -> None:
            self.method, self.headers = method, headers

    assert counts(Asked("GET"))  # type: ignore[arg-type]
    assert not counts(Asked("HEAD"))  # type: ignore[arg-type]
    assert not counts(Asked("GET", **{"sec-purpose": "prefetch;prerender"}))  # type: ignore[arg-type]


async def test_history_comments_and_comparisons(served: ServedPortal) -> None:
    carla, anna = await served.person("contributor"), await served.person("approver")
    released = await served.released(carla, anna)
    path = f"/content/{released.content_id}"
    await carla.api("PUT", path, {"title": "Better", "text": "# Prices\n\nAtlas costs 120.\n"})
    said = await anna.api("POST", f"{path}/comments", {"comment": "Is 120 right?"})
    assert (said.status, said.json["action"]) == (201, "comment")
    entries = (await carla.api("GET", f"{path}/history")).json["items"]
    assert [each["action"] for each in entries] == ["comment", "proposed", "approved", "submitted", "created"]
    compared = (await anna.api("GET", f"{path}/compare?from=1")).json
    assert (compared["before"], compared["after"]) == ("1", "proposal")
    assert compared["fields"]["title"] == {"before": "How to price Atlas", "after": "Better"}
    assert ["removed", "100"] in compared["text"]
    assert ["added", "120"] in compared["text"]
    assert (await anna.api("GET", f"{path}/compare?from=7")).status == 404


def _form(data: bytes) -> tuple[bytes, dict[str, str]]:
    """A form with a file, as browsers send it."""
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: a/b\r\n\r\n'
    return head + data + b"\r\n--x--\r\n", {
        "content-type": "multipart/form-data; boundary=x",
        "sec-fetch-site": "same-origin",
    }
