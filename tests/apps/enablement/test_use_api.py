"""Use and numbers over HTTP: in the document's words, each for those who may."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from partita.apps.enablement.schema import Content
from tests.apps.enablement.served import ServedPortal, Somebody, served_in

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class World:
    """One released item, one draft, and somebody of every role."""

    portal: ServedPortal
    vera: Somebody
    carla: Somebody
    anna: Somebody
    xenia: Somebody
    content: Content
    draft: Content

    @property
    def at(self) -> str:
        return f"/content/{self.content.content_id}"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    with served_in(tmp_path) as portal:
        vera = await portal.person(name="Vera")
        carla, anna, xenia = [
            await portal.person(role, name)
            for role, name in (("contributor", "Carla"), ("approver", "Anna"), ("admin", "Xenia"))
        ]
        content = await portal.released(carla, anna, product_suite="Atlas", product_concept="Pricing")
        yield World(portal, vera, carla, anna, xenia, content, await portal.draft(carla, "Draft"))


async def test_events_are_taken_in_batches_and_the_log_is_for_administrators(world: World) -> None:
    sent = {"events": [{"event_name": "content_viewed", "content_id": world.content.content_id}] * 2}
    answer = await world.vera.api("POST", "/events", sent)
    assert (answer.status, answer.json) == (202, {"recorded": 1})
    today = world.portal.service.changing.now().date().isoformat()
    for query in ("", f"date={today}", f"user={world.vera.viewer.id}"):
        (event,) = (await world.xenia.api("GET", f"/events?{query}")).json["items"]
        assert (event["event_name"], event["user_id"]) == ("content_viewed", world.vera.viewer.id)
        assert (await world.anna.api("GET", f"/events?{query}")).status == 403
    for wrong in (f"date={today}&user=x", "date=yesterday"):
        assert (await world.xenia.api("GET", f"/events?{wrong}")).status == 422
    many = {"events": [{"event_name": "search_done"}] * 101}
    assert (await world.vera.api("POST", "/events", many)).status == 422
    assert (await world.portal.visitor().api("POST", "/events", sent)).status == 401


async def test_a_vote_a_report_and_its_answer(world: World) -> None:
    assert (await world.vera.api("PUT", f"{world.at}/vote", {"helped": True})).json["helped"] is True
    short = await world.vera.api("POST", f"{world.at}/reports", {"text": "Wrong"})
    assert [each["field"] for each in short.json["errors"]] == ["text"]
    report = await world.vera.api("POST", f"{world.at}/reports", {"text": "The price is from last year."})
    assert report.status == 201
    report_id = report.json["report_id"]
    assert (await world.carla.api("GET", "/reports")).status == 403
    assert [each["report_id"] for each in (await world.anna.api("GET", "/reports")).json["items"]] == [report_id]
    assert (await world.vera.api("POST", f"/reports/{report_id}/close", {"answer": "No."})).status == 403
    closed = await world.carla.api("POST", f"/reports/{report_id}/close", {"answer": "Mended."})
    assert (closed.json["answer"], closed.json["closed_by"]) == ("Mended.", world.carla.viewer.id)
    assert (await world.anna.api("POST", f"/reports/{report_id}/close", {"answer": "No."})).status == 409
    assert (await world.anna.api("POST", "/reports/nothing/close", {"answer": "No."})).status == 404


async def test_must_read_confirm_remind_and_who_has(world: World) -> None:
    asked = {"read_by": "2999-01-31", "usernames": ["vera", "carla"]}
    assert (await world.carla.api("PUT", f"{world.at}/must-read", asked)).status == 403
    assert (await world.anna.api("PUT", f"{world.at}/must-read", asked)).json["must_read_by"] == "2999-01-31"
    wrong = await world.anna.api("PUT", f"{world.at}/must-read", {**asked, "usernames": ["vera", "nobody"]})
    assert [each["field"] for each in wrong.json["errors"]] == ["usernames.1"]
    (entry,) = (await world.vera.api("GET", "/reading")).json["items"]
    assert (entry["title"], entry["read_by"]) == (world.content.title, "2999-01-31")
    assert (await world.anna.api("POST", f"{world.at}/must-read/remind")).json == {"reminded": 2}
    assert (await world.anna.api("POST", f"{world.at}/must-read/remind")).json["code"] == "reminded_today"
    assert (await world.vera.api("POST", f"{world.at}/read")).json["version"] == 1
    assert (await world.vera.api("GET", "/reading")).json["items"] == []
    assert len((await world.vera.api("GET", "/reading?confirmed=true")).json["items"]) == 1
    readers = (await world.carla.api("GET", f"{world.at}/readers")).json
    assert (readers["asked"], readers["confirmed"]) == (2, 1)
    assert (await world.vera.api("GET", f"{world.at}/readers")).status == 403
    table = list(csv.reader(io.StringIO((await world.carla.api("GET", f"{world.at}/readers.csv")).text)))
    assert table[0][:3] == ["user_id", "name", "username"]
    assert {row[2] for row in table[1:]} == {"vera", "carla"}
    assert (await world.anna.api("DELETE", f"{world.at}/must-read")).json["must_read_by"] is None
    assert (await world.anna.api("DELETE", f"{world.at}/must-read")).status == 409


async def test_collections_are_written_by_approvers_and_read_by_all(world: World) -> None:
    entries = [{"content_id": each.content_id, "note": "First"} for each in (world.content, world.draft)]
    new = {"title": "Your first week", "text": "", "entries": entries}
    assert (await world.carla.api("POST", "/collections", new)).status == 403
    made = await world.anna.api("POST", "/collections", new)
    assert (made.status, len(made.json["entries"]), made.json["revision"]) == (201, 2, 1)
    path = f"/collections/{made.json['collection_id']}"
    seen = (await world.vera.api("GET", path)).json
    assert [each["content_id"] for each in seen["entries"]] == [world.content.content_id]
    assert (seen["read"], seen["to_read"]) == (0, 1)
    edited = await world.anna.api("PUT", path, {"title": "Week one", "revision": 1})
    assert (edited.json["title"], edited.json["revision"]) == ("Week one", 2)
    assert (await world.anna.api("PUT", path, {"title": "Again", "revision": 1})).status == 409
    assert [each["title"] for each in (await world.vera.api("GET", "/collections")).json["items"]] == ["Week one"]
    assert (await world.anna.api("DELETE", path)).status == 204
    assert (await world.vera.api("GET", path)).status == 404


async def test_products_are_read_by_all_and_kept_by_administrators(world: World) -> None:
    assert (await world.vera.api("GET", "/products")).json["revision"] == 0
    atlas = {"name": "Atlas", "concepts": ["Pricing"], "colour": 3}
    new = {"suites": [atlas], "audiences": ["Seller"], "stages": [], "revision": 0}
    assert (await world.anna.api("PUT", "/products", new)).status == 403
    saved = await world.xenia.api("PUT", "/products", new)
    assert (saved.json["revision"], saved.json["suites"][0]["colour"]) == (1, 3)
    assert (await world.xenia.api("PUT", "/products", new)).status == 409
    gone = await world.xenia.api("PUT", "/products", {**new, "suites": [], "revision": 1})
    assert (gone.status, [each["field"] for each in gone.json["errors"]]) == (422, ["suites"])


async def test_analytics_as_json_and_as_csv(world: World) -> None:
    await world.portal.service.events.viewed(world.vera.viewer, world.content)
    await world.portal.service.events.searched(world.vera.viewer, "=cmd()", 0)
    await world.portal.catch_up()
    await world.portal.service.summaries.make(7)
    seen = (await world.anna.api("GET", "/analytics/overview?days=7")).json
    assert (len(seen["by_day"]), seen["totals"]["views"], seen["totals"]["people"]) == (7, 1, 1)
    assert seen["most_used"][0]["content_id"] == world.content.content_id
    days = list(csv.reader(io.StringIO((await world.anna.api("GET", "/analytics/overview.csv?days=7")).text)))
    assert (len(days), days[0][0], days[-1][2]) == (8, "day", "1")
    searches = await world.anna.api("GET", "/analytics/searches.csv?days=7")
    assert searches.text.splitlines() == ["words,times", "'=cmd(),1"]
    assert searches.headers["content-disposition"] == 'attachment; filename="searches-7.csv"'
    used = await world.anna.api("GET", "/analytics/content.csv?days=7")
    assert world.content.title in used.text
    people = (await world.xenia.api("GET", "/analytics/users?days=7")).json["items"]
    assert [(each["name"], each["events"]) for each in people] == [("Vera", 2)]
    assert (await world.anna.api("GET", "/analytics/stale")).json == {"items": []}
    for path in ("overview", "content", "searches", "stale", "overview.csv", "stale.csv"):
        for viewer in (world.vera, world.carla):
            assert (await viewer.api("GET", f"/analytics/{path}")).status == 403
    for path in ("users", "users.csv"):
        assert (await world.anna.api("GET", f"/analytics/{path}")).status == 403
    assert (await world.anna.api("GET", "/analytics/overview?days=8")).status == 422


async def test_the_audit_has_all_content_and_is_for_administrators(world: World) -> None:
    month = world.portal.service.changing.now().date().isoformat()[:7]
    entries = (await world.xenia.api("GET", f"/audit?month={month}")).json["items"]
    assert {each["action"] for each in entries} == {"created", "submitted", "approved"}
    assert {each["content_id"] for each in entries} == {world.content.content_id, world.draft.content_id}
    assert (await world.anna.api("GET", f"/audit?month={month}")).status == 403
    assert (await world.xenia.api("GET", "/audit?month=2026-13")).status == 422


async def test_what_one_may_not_know_of_is_not_there(world: World) -> None:
    at = f"/content/{world.draft.content_id}"
    for method, path, body in (
        ("PUT", "/vote", {"helped": True}),
        ("POST", "/reports", {"text": "This is out of date."}),
        ("POST", "/read", None),
        ("GET", "/readers", None),
        ("GET", "/readers.csv", None),
    ):
        assert (await world.vera.api(method, f"{at}{path}", body)).status == 404, path
        assert (await world.vera.api(method, f"/content/nothing{path}", body)).status == 404, path
