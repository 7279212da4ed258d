"""The queue, reviews, notifications, subscriptions and follows over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from partita.apps.enablement.inputs import ContentEdit, Submission
from tests.apps.enablement.conftest import NOTE
from tests.apps.enablement.served import ServedPortal, served_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[ServedPortal]:
    with served_in(tmp_path) as made:
        yield made


def _in(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).date().isoformat()


async def test_the_queue_has_the_longest_waiting_first_drafts_and_changes(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    lifecycle = portal.service.lifecycle
    released = await portal.released(carla, anna)
    drafts = [await portal.draft(carla, f"Draft {number}") for number in range(3)]
    await lifecycle.submit(carla.viewer, drafts[0].content_id, Submission())
    await portal.service.content.edit(carla.viewer, released.content_id, ContentEdit(title="How to price Atlas 2"))
    await lifecycle.submit(carla.viewer, released.content_id, Submission(note=NOTE))
    await lifecycle.submit(carla.viewer, drafts[1].content_id, Submission())
    first = (await anna.api("GET", "/queue?limit=2")).json
    second = (await anna.api("GET", f"/queue?limit=2&cursor={first['next_cursor']}")).json
    queue = [*first["items"], *second["items"]]
    assert [each["title"] for each in queue] == ["Draft 0", "How to price Atlas 2", "Draft 1"]
    assert [each["is_change"] for each in queue] == [False, True, False]
    assert queue[1]["change_note"] == NOTE
    answer = await anna.api("POST", f"/content/{released.content_id}/approve", {"version": queue[1]["version"]})
    assert (answer.status, answer.json["status"], answer.json["version"]) == (200, "Approved", "2.0")
    assert len((await anna.api("GET", "/queue")).json["items"]) == 2
    assert (await carla.api("GET", "/queue")).status == 403


async def test_reviews_are_due_soon_or_overdue_and_contributors_see_their_own(portal: ServedPortal) -> None:
    carla, carl = await portal.person("contributor", "Carla"), await portal.person("contributor", "Carl")
    anna = await portal.person("approver", "Anna")
    for owner, title, days in ((carla, "late", -3), (carla, "soon", 5), (carl, "today", 0), (carl, "later", 40)):
        await portal.released(owner, anna, title, review_due_date=_in(days))

    async def titles(who: object, due: str) -> list[str]:
        return [each["title"] for each in (await who.api("GET", f"/review?due={due}")).json["items"]]  # type: ignore[attr-defined]

    assert await titles(anna, "overdue") == ["late"]
    assert await titles(anna, "soon") == ["today", "soon"]
    assert await titles(anna, "all") == ["late", "today", "soon", "later"]
    assert await titles(carl, "all") == ["today", "later"]
    (late,) = (await carla.api("GET", "/review?due=overdue")).json["items"]
    confirmed = await carla.api("POST", f"/content/{late['content_id']}/confirm")
    assert (confirmed.status, confirmed.json["review_due_date"]) == (200, _in(180))
    assert await titles(anna, "overdue") == []


async def test_subscribing_being_told_and_reading(portal: ServedPortal) -> None:
    carla, anna, vera = (
        await portal.person("contributor", "Carla"),
        await portal.person("approver", "Anna"),
        await portal.person("", "Vera"),
    )
    wish = {"product_suite": "Atlas", "tags": ["EMEA"]}
    made = await vera.api("POST", "/subscriptions", wish)
    assert (made.status, made.json["tags"]) == (201, ["EMEA"])
    path = f"/subscriptions/{made.json['subscription_id']}"
    assert (await vera.api("PUT", path, {"product_suite": "Atlas"})).json["tags"] == []
    assert (await vera.api("POST", "/subscriptions", {"tags": ["a#b"]})).status == 422
    assert (await anna.api("GET", path)).status == 404
    released = await portal.released(carla, anna, product_suite="Atlas")
    assert (await vera.api("PUT", f"/follows/content/{released.content_id}")).status == 200
    assert (await vera.api("PUT", "/follows/queue/approvals")).status == 403
    assert (await vera.api("PUT", "/follows/nonsense/1")).status == 422
    await portal.worker.drain()
    await portal.service.clock.run_due()
    assert (await vera.api("GET", "/notifications/unread")).json == {"unread": 1}
    (told,) = (await vera.api("GET", "/notifications")).json["items"]
    assert (told["reason"], told["content_id"]) == ("because you follow Atlas", released.content_id)
    one = f"/notifications/{told['notification_id']}"
    assert (await anna.api("GET", one)).status == 404
    assert (await vera.api("POST", f"{one}/read")).json["read"] is True
    assert (await vera.api("GET", "/notifications?show=unread")).json["items"] == []
    assert (await carla.api("POST", "/notifications/read-all", {})).json["marked"] == 1
    assert (await carla.api("POST", "/notifications/read-all")).json["marked"] == 0
    assert [each["kind"] for each in (await vera.api("GET", "/follows")).json["items"]] == ["content"]
    assert (await vera.api("DELETE", f"/follows/content/{released.content_id}")).status == 204
    assert (await vera.api("GET", "/follows")).json["items"] == []
    assert (await vera.api("DELETE", path)).status == 204
    assert (await vera.api("GET", "/subscriptions")).json["items"] == []


async def test_preferences(portal: ServedPortal) -> None:
    vera = await portal.person("", "Vera")
    assert (await vera.api("GET", "/notifications/preferences")).json["news"] == "daily"
    chosen = (await vera.api("PUT", "/notifications/preferences", {"news": "at_once"})).json
    assert chosen == {"my_work": "daily", "must_read": "daily", "news": "at_once"}
    assert (await vera.api("PUT", "/notifications/preferences", {"news": "hourly"})).status == 422
