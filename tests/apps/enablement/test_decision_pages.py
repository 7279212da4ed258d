"""Pages of decisions and of being told: who gets them, what they do, and what they keep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import ContentEdit, MustReadRequest, NewSubscription, Submission
from partita.apps.enablement.schema import Content
from tests.apps.enablement.conftest import NOTE
from tests.apps.enablement.served import ServedPortal, Somebody, served_in
from tests.web.filled import filled

pytestmark = pytest.mark.anyio


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[ServedPortal]:
    with served_in(tmp_path) as made:
        yield made


def _in(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).date().isoformat()


async def _waiting(portal: ServedPortal, owner: Somebody, title: str, **fields: str) -> Content:
    draft = await portal.draft(owner, title, **fields)
    waiting = await portal.service.lifecycle.submit(owner.viewer, draft.content_id, Submission())
    assert isinstance(waiting, Content)
    return waiting


async def _now(portal: ServedPortal, content: Content) -> Content:
    return await portal.service.changing.content(content.content_id)


async def test_an_approver_decides_and_goes_on_to_the_next(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    one, two, three = [await _waiting(portal, carla, title) for title in ("One", "Two", "Three")]
    page = await anna.get("/enablement/queue")
    assert page.status == 200
    assert "3 waiting" in page.text
    assert page.text.index("One") < page.text.index("Two") < page.text.index("Three")
    assert await portal.service.follows.follows(anna.viewer, "queue", schema.QUEUE)
    onward = f"/enablement/queue?at={two.content_id}"
    form = {"version": one.version, "next": onward}
    answer = await anna.post(f"/enablement/queue/{one.content_id}/approve", form)
    assert (answer.status, answer.headers["location"]) == (303, onward)
    assert (await _now(portal, one)).released_at is not None
    await anna.post(f"/enablement/queue/{two.content_id}/approve", {"version": two.version, "release_on": _in(3)})
    assert (await _now(portal, two)).approval_state == "scheduled"
    path = f"/enablement/queue/{three.content_id}/request-changes"
    empty = await anna.post(path, {"version": three.version, "comment": ""})
    assert empty.status == 422
    asked = await anna.post(path, {"version": three.version, "comment": "More prices."})
    assert asked.status == 303
    assert (await _now(portal, three)).approval_state == "changes_requested"
    done = await anna.get("/enablement/queue")
    assert "Nothing waits" in done.text
    assert "Last decisions" in done.text


async def test_what_an_approver_wants_changed_is_read_where_it_is_changed(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    draft, released = await _waiting(portal, carla, "New"), await portal.released(carla, anna, "Old")
    await portal.service.content.edit(carla.viewer, released.content_id, ContentEdit(summary="Changed."))
    change = await portal.service.lifecycle.submit(carla.viewer, released.content_id, Submission(note=NOTE))
    for content_id, version in ((draft.content_id, draft.version), (released.content_id, change.version)):
        page = f"/enablement/content/{content_id}"
        words = "Say <which> year it is."
        form = {"version": version, "comment": words}
        await anna.post(f"/enablement/queue/{content_id}/request-changes", form)
        for path in (page, f"{page}/edit"):
            assert "Say &lt;which&gt; year it is." in (await carla.get(path)).text, path
        await carla.post(f"{page}/edit", filled((await carla.get(f"{page}/edit")).text, f"{page}/edit"))
        assert "Anna" in (await carla.get(f"{page}/edit")).text
    vera = await portal.person("", "Vera")
    assert "which" not in (await vera.get(f"/enablement/content/{released.content_id}")).text


async def test_all_that_wait_say_so_where_they_are_managed(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    await _waiting(portal, carla, "New")
    released = await portal.released(carla, anna, "Old")
    await portal.service.content.edit(carla.viewer, released.content_id, ContentEdit(summary="Changed."))
    await portal.service.lifecycle.submit(carla.viewer, released.content_id, Submission(note=NOTE))
    rows = (await anna.get("/enablement/manage?show=waiting")).text.split('<li class="content-row">')[1:]
    assert len(rows) == 2
    assert all('class="badge' in row and "Waiting for approval" in row for row in rows)
    assert "Change of version 1" in rows[1]


async def test_what_changed_while_it_was_open_is_shown_and_the_comment_stays(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    released = await portal.released(carla, anna)
    edit = portal.service.content.edit
    await edit(carla.viewer, released.content_id, ContentEdit(summary="First change of the summary."))
    seen = await portal.service.lifecycle.submit(carla.viewer, released.content_id, Submission(note=NOTE))
    page = await anna.get(f"/enablement/queue/{released.content_id}")
    assert "First change of the summary." in page.text
    assert NOTE in page.text
    await edit(carla.viewer, released.content_id, ContentEdit(summary="Second change of the summary."))
    form = {"version": seen.version, "comment": "I typed this for a while."}
    answer = await anna.post(f"/enablement/queue/{released.content_id}/request-changes", form)
    assert answer.status == 409
    assert "I typed this for a while." in answer.text
    assert "Second change of the summary." in answer.text
    stale = await anna.post(f"/enablement/queue/{released.content_id}/approve", {"version": seen.version})
    assert stale.status == 409
    assert "Somebody has changed this" in stale.text


async def test_a_change_is_decided_on_beside_what_changed_and_only_as_it_was_seen(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    released = await portal.released(carla, anna)
    path = f"/enablement/content/{released.content_id}/compare?from=1"
    await portal.service.content.edit(carla.viewer, released.content_id, ContentEdit(summary="A change to approve."))
    assert "Approve now" not in (await anna.get(path)).text, "it is not submitted yet"
    await portal.service.lifecycle.submit(carla.viewer, released.content_id, Submission(note=NOTE))
    assert "Approve now" not in (await carla.get(path)).text
    page = await anna.get(path)
    assert "A change to approve." in page.text
    approve = f"/enablement/queue/{released.content_id}/approve"
    form = filled(page.text, approve)
    await portal.service.content.edit(carla.viewer, released.content_id, ContentEdit(summary="Another one."))
    assert (await anna.post(approve, form)).status == 409
    answer = await anna.post(approve, filled((await anna.get(path)).text, approve))
    assert (answer.status, answer.headers["location"]) == (303, f"/enablement/content/{released.content_id}")
    assert (await _now(portal, released)).summary == "Another one."
    assert "Approve now" not in (await anna.get(path)).text


async def test_own_work_is_decided_by_others_who_are_named(portal: ServedPortal) -> None:
    anna, arno = await portal.person("approver", "Anna"), await portal.person("approver", "Arno")
    own = await _waiting(portal, anna, "Mine")
    page = await anna.get(f"/enablement/queue/{own.content_id}")
    assert "your own work" in page.text
    assert "Arno" in page.text
    assert "Approve now" not in page.text
    assert "Approve now" in (await arno.get(f"/enablement/queue/{own.content_id}")).text
    refused = await anna.post(f"/enablement/queue/{own.content_id}/approve", {"version": own.version})
    assert refused.status == 403


async def test_the_page_of_what_waits_has_the_decision_of_the_queue(portal: ServedPortal) -> None:
    carla, vera = await portal.person("contributor", "Carla"), await portal.person("", "Vera")
    anna, arno = await portal.person("approver", "Anna"), await portal.person("approver", "Arno")
    draft = await portal.draft(anna, "Atlas")
    path = f"/enablement/content/{draft.content_id}"
    approve = f"/enablement/queue/{draft.content_id}/approve"
    assert approve not in (await arno.get(path)).text, "it was not submitted"
    waiting = await portal.service.lifecycle.submit(anna.viewer, draft.content_id, Submission())
    own = await anna.get(path)
    assert "This is your own work, so somebody else decides. Arno can." in own.shown
    assert approve not in own.text
    page = await arno.get(path)
    assert approve in page.text
    assert f"/enablement/queue/{draft.content_id}/request-changes" in page.text
    form = {"version": waiting.version, "next": path}
    assert f'name="next" value="{path}"' in page.text
    assert f'name="version" value="{waiting.version}"' in page.text
    answer = await arno.post(approve, form)
    assert (answer.status, answer.location) == (303, path)
    released = await arno.follow(answer)
    assert "“Atlas” approved." in released.shown
    assert approve not in released.text
    # A change of what is released waits too; readers and its author see no decision.
    await portal.service.content.edit(anna.viewer, draft.content_id, ContentEdit(summary="Other prices."))
    await portal.service.lifecycle.submit(anna.viewer, draft.content_id, Submission(note=NOTE))
    change = await arno.get(path)
    assert approve in change.text
    assert f"{path}/compare?from=1" in change.text
    assert "the change of version 1" in change.text
    for who in (anna, carla, vera):
        assert approve not in (await who.get(path)).text


async def test_of_two_approvers_who_decide_on_a_page_the_second_is_told(portal: ServedPortal) -> None:
    carla = await portal.person("contributor", "Carla")
    anna, arno = await portal.person("approver", "Anna"), await portal.person("approver", "Arno")
    waiting = await _waiting(portal, carla, "Atlas")
    path = f"/enablement/content/{waiting.content_id}"
    form = {"version": waiting.version, "next": path, "comment": "Add the prices, please."}
    await anna.post(f"/enablement/queue/{waiting.content_id}/approve", form)
    before = await _now(portal, waiting)
    late = await arno.post(f"/enablement/queue/{waiting.content_id}/request-changes", form)
    assert (late.status, late.location) == (303, path)
    assert "“Atlas” does not wait for approval any more." in (await arno.follow(late)).shown
    assert await _now(portal, waiting) == before


async def test_pages_are_closed_to_those_whom_they_do_not_concern(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    vera = await portal.person("", "Vera")
    waiting = await _waiting(portal, carla, "Secret plans")
    released = await portal.released(carla, anna)
    for path in ("/enablement/queue", f"/enablement/queue/{waiting.content_id}"):
        assert (await carla.get(path)).status == 403
    for path in ("/enablement/mine", "/enablement/review", "/enablement/queue"):
        assert (await vera.get(path)).status == 403
    for path in ("/enablement/notifications", "/enablement/following", "/enablement/notifications/settings"):
        assert (await vera.get(path)).status == 200
        assert (await portal.visitor().get(path)).status in (302, 303, 401)
    assert (await vera.post(f"/enablement/follow/content/{waiting.content_id}", {})).status == 404
    assert (await carla.get("/enablement/mine?owner=anna")).status == 403
    assert (await carla.get(f"/enablement/content/{released.content_id}/retire")).status == 403
    carl = await portal.person("contributor", "Carl")
    assert (await carl.get(f"/enablement/content/{waiting.content_id}/hand-over")).status == 404
    assert (await carl.get(f"/enablement/content/{released.content_id}/hand-over")).status == 403


async def test_the_desk_of_an_owner_has_what_waits_for_them(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    empty = await carla.get("/enablement/mine")
    assert "All done" in empty.text
    due = await portal.released(carla, anna, "Due soon", review_due_date=_in(3))
    await portal.draft(carla, "A draft of mine")
    waiting = await _waiting(portal, carla, "Waits there")
    page = (await carla.get("/enablement/mine")).text
    for words in ("To be reviewed", "Still correct", "A draft of mine", "Waiting for approval", "1 thing to do"):
        assert words in page
    form = {"next": "/enablement/mine"}
    confirmed = await carla.post(f"/enablement/content/{due.content_id}/confirm", form)
    assert confirmed.headers["location"] == "/enablement/mine"
    assert (await _now(portal, due)).review_due_date == _in(180)
    await carla.post(f"/enablement/content/{waiting.content_id}/withdraw", form)
    assert (await _now(portal, waiting)).approval_state is None
    admin = await portal.person("admin", "Xenia")
    assert "A draft of mine" in (await admin.get("/enablement/mine?owner=carla")).text


async def test_several_reviews_are_confirmed_or_handed_over_at_once(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    carl = await portal.person("contributor", "Carl")
    late = [await portal.released(carla, anna, f"Late {n}", review_due_date=_in(-n - 1)) for n in range(3)]
    later = await portal.released(carl, anna, "Later", review_due_date=_in(60), product_suite="Atlas")
    page = (await anna.get("/enablement/review")).text
    assert "25 % reviewed in time" in page
    assert page.index("Overdue") < page.index("Late 2") < page.index("Late 0") < page.index("Later")
    assert "Late 0" not in (await carl.get("/enablement/review")).text
    assert "Late 0" not in (await anna.get("/enablement/review?suite=Atlas")).text
    only = await anna.post("/enablement/review/confirm", {"only": late[0].content_id, "ids": late[1].content_id})
    assert only.status == 303
    assert (await _now(portal, late[0])).review_due_date == _in(180)
    assert (await _now(portal, late[1])).review_due_date == _in(-2)
    body = [("ids", late[1].content_id), ("ids", late[2].content_id), ("ids", "nonsense")]
    await anna.post("/enablement/review/confirm", body)
    assert (await _now(portal, late[2])).review_due_date == _in(180)
    wrong = await carl.post("/enablement/review/hand-over", [("ids", later.content_id), ("to", "nobody")])
    assert (wrong.status, "role contributor or above" in wrong.text) == (422, True)
    await carl.post("/enablement/review/hand-over", [("ids", later.content_id), ("to", "carla")])
    assert (await _now(portal, later)).owner_user_id == carla.viewer.id


async def test_steps_from_the_page_of_content(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    old, new = await portal.released(carla, anna, "Old"), await portal.released(carla, anna, "New")
    path = f"/enablement/content/{old.content_id}"
    link = f"https://partita.example.org/enablement/content/{new.content_id}"
    assert (await anna.get(f"{path}/retire")).status == 200
    assert (await anna.post(f"{path}/retire", {"reason": ""})).status == 422
    for end in ("", "/", "/history", "?version=1#files", "#files"):  # as people copy it
        await anna.post(f"{path}/retire", {"reason": "Replaced.", "superseded_by": link + end})
        assert (await _now(portal, old)).superseded_by == new.content_id
        await anna.post(f"{path}/reinstate", {})
        assert (await _now(portal, old)).status == "Approved"
    assert (await anna.get(f"{path}/expire")).status == 200
    await anna.post(f"{path}/expire", {"comment": ""})
    assert (await _now(portal, old)).status == "Expired"
    assert "Readers do not see it until it is approved again." in (await carla.get(f"{path}/renew")).text
    await carla.post(f"{path}/renew", {})
    assert (await _now(portal, old)).status == "Draft"
    await carla.post(f"{path}/hand-over", {"to": "anna"})
    assert (await _now(portal, old)).owner_user_id == anna.viewer.id


async def test_what_replaces_it_is_named_by_its_title(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    old = await portal.released(carla, anna, "Cuvettes")
    new = await portal.released(carla, anna, "Cuvettes & cell holders, second edition")
    twins = [await portal.released(carla, anna, "Lamp manual") for _ in range(2)]
    await portal.catch_up()
    offered = await anna.get("/enablement/replacements/complete?superseded_by=cuvettes+holders")
    assert 'value="Cuvettes &amp; cell holders, second edition"' in offered.text
    assert (await carla.get("/enablement/replacements/complete?superseded_by=cuvettes")).status == 403
    path = f"/enablement/content/{old.content_id}"
    for named, said in (
        ("Lamp manual", "2 items are called so"),
        ("No such manual", "Nothing is called so"),
        ("nonsense", "There is no content"),
        ("x" * 300, "Nothing is called so"),
        (f"{path}{'x' * 250}", "There is no content"),
    ):
        refused = await anna.post(f"{path}/retire", {"reason": "Replaced.", "superseded_by": named})
        assert (refused.status, said in refused.text) == (422, True), named
    typed = "cuvettes &  CELL holders, second edition"
    await anna.post(f"{path}/retire", {"reason": "Replaced.", "superseded_by": typed})
    assert (await _now(portal, old)).superseded_by == new.content_id
    await anna.post(
        f"/enablement/content/{twins[0].content_id}/retire", {"reason": "x", "superseded_by": "lamp manual"}
    )
    assert (await _now(portal, twins[0])).superseded_by == twins[1].content_id


async def test_notifications_are_read_one_by_one_and_all_that_were_shown(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    vera = await portal.person("", "Vera")
    assert "Nothing yet" in (await vera.get("/enablement/notifications")).text
    await portal.service.subscriptions.create(vera.viewer, NewSubscription())
    contents = [await portal.released(carla, anna, title) for title in ("One", "Two", "Three")]
    await portal.worker.drain()
    await portal.service.clock.run_due()
    page = (await vera.get("/enablement/notifications")).text
    assert "3 unread" in page
    assert "because you follow everything" in page
    row = (await portal.service.notifications.list(vera.viewer)).items[-1]
    answer = await vera.post(f"/enablement/notifications/{row.notification_id}/read", {})
    assert answer.headers["location"] == f"/enablement/content/{contents[0].content_id}"
    assert (await vera.get("/enablement/notifications?show=unread")).text.count("New: “") == 2
    await vera.post("/enablement/notifications/read-all", {"until": "2020-01-01T00:00:00.000000Z"})
    assert "2 unread" in (await vera.get("/enablement/notifications")).text
    await vera.post("/enablement/notifications/read-all", {})
    assert "Nothing unread" in (await vera.get("/enablement/notifications")).text
    settings = await vera.get("/enablement/notifications/settings")
    assert "A sample of the mail" in settings.text
    chosen = {"my_work": "never", "must_read": "daily", "news": "at_once"}
    await vera.post("/enablement/notifications/settings", chosen)
    assert await portal.service.notifications.preferences(vera.viewer) == chosen
    assert (await vera.post("/enablement/notifications/settings", {**chosen, "news": "x"})).status == 422


async def test_what_must_be_read_is_confirmed_from_the_notification(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    vera = await portal.person("", "Vera")
    content = await portal.released(carla, anna, "Atlas")
    request = MustReadRequest(read_by=_in(10), usernames=("vera",))
    await portal.service.reading.ask(anna.viewer, content.content_id, request)
    await portal.worker.drain()
    await portal.service.clock.run_due()
    path = f"/enablement/content/{content.content_id}/read"
    assert path in (await vera.get("/enablement/notifications")).text
    answer = await vera.post(path, {"next": "/enablement/notifications"})
    assert answer.location == "/enablement/notifications"
    after = await vera.follow(answer)
    assert "Confirmed: you have read version 1." in after.shown
    assert path not in after.text


async def test_the_calendar_has_the_steps_that_somebody_may_do(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    arno, xenia = await portal.person("approver", "Arno"), await portal.person("admin", "Xenia")
    content = await portal.released(anna, arno, "Atlas", review_due_date=_in(3))
    path = f"/enablement/content/{content.content_id}"
    for who, steps in ((anna, ("edit", "retire")), (arno, ("retire",)), (xenia, ("edit", "retire")), (carla, ())):
        text = (await who.get("/enablement/review")).text
        assert [step for step in ("edit", "retire") if f"{path}/{step}" in text] == list(steps), who.viewer.username


async def test_following_is_begun_stopped_and_begun_again_in_place(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    vera = await portal.person("", "Vera")
    content = await portal.released(carla, anna, product_suite="Atlas", tags=("EMEA",))
    await portal.catch_up()
    refused = await vera.post("/enablement/following/subscribe", {"product_suite": "a#b", "tags": "EMEA"})
    assert refused.status == 422
    await vera.post("/enablement/following/subscribe", {"product_suite": "Atlas", "tags": "EMEA, other"})
    await vera.post(f"/enablement/follow/content/{content.content_id}", {})
    await vera.post(f"/enablement/follow/person/{carla.viewer.id}", {})
    page = (await vera.get("/enablement/following")).text
    for words in ("Atlas · #EMEA or #other", "1 item", "Carla", "How to price Atlas"):
        assert words in page
    (subscription,) = await portal.service.subscriptions.list(vera.viewer)
    await vera.post(f"/enablement/following/{subscription.subscription_id}/stop", {})
    assert await portal.service.subscriptions.list(vera.viewer) == []
    await vera.post("/enablement/following/again?product_suite=Atlas&tags=EMEA&tags=other", {})
    (again,) = await portal.service.subscriptions.list(vera.viewer)
    assert (again.product_suite, again.tags) == ("Atlas", ("EMEA", "other"))
    await vera.post(f"/enablement/unfollow/content/{content.content_id}", {})
    assert [each.kind for each in await portal.service.follows.list(vera.viewer)] == ["person"]
    assert "Approval queue" not in page
    assert "Follow the queue" in (await anna.get("/enablement/following")).text


async def test_the_page_of_content_has_a_button_for_every_step_that_somebody_may_do(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    vera = await portal.person("", "Vera")
    content = await portal.released(carla, anna, product_suite="Atlas")
    path = f"/enablement/content/{content.content_id}"
    seen = {"vera": await vera.get(path), "carla": await carla.get(path), "anna": await anna.get(path)}
    expected = {
        "vera": ("Follow", "Subscribe to Atlas"),
        "carla": ("Follow", "Still correct", "Hand over"),
        "anna": ("Follow", "Still correct", "Retire", "Expire now"),
    }
    every = {words for some in expected.values() for words in some} - {"Follow", "Subscribe to Atlas"}
    for who, answer in seen.items():
        for words in expected[who]:
            assert words in answer.text, (who, words)
        for words in every - set(expected[who]):
            assert f">{words}</" not in answer.text, (who, words)
    await vera.post(f"/enablement/follow/content/{content.content_id}", {})
    assert "Following: stop" in (await vera.get(path)).text


async def test_a_new_owner_is_suggested_among_those_who_may_write(portal: ServedPortal) -> None:
    carla, vera = await portal.person("contributor", "Carla"), await portal.person("", "Carlos")
    await portal.person("contributor", "Carl")
    content = await portal.draft(carla)
    form = await carla.get(f"/enablement/content/{content.content_id}/hand-over")
    assert 'hx-get="/enablement/owners/complete"' in form.text
    options = (await carla.get("/enablement/owners/complete?to=CAR")).text
    assert '<option value="carl">Carl</option>' in options
    assert '<option value="carla">' in options
    assert "carlos" not in options
    for nothing in ("", "zzz", "car%23", "x" * 200):
        assert "<option" not in (await carla.get(f"/enablement/owners/complete?to={nothing}")).text
    assert (await vera.get("/enablement/owners/complete?to=car")).status == 403


async def test_reports_are_answered_from_the_desk(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    vera = await portal.person("", "Vera")
    content = await portal.released(carla, anna)
    at = f"/enablement/content/{content.content_id}"
    await vera.post(f"{at}/report", {"text": "The price is of last year."})
    page = await carla.get("/enablement/mine")
    (action,) = set(re.findall(rf'action="({at}/reports/[^"]+)"', page.text))
    assert "The price is of last year." in page.text
    answer = await carla.post(action, {"answer": "Mended.", "next": "/enablement/mine"})
    assert (answer.status, answer.location) == (303, "/enablement/mine")
    assert "The price is of last year." not in (await carla.get("/enablement/mine")).text
    elsewhere = await vera.post(f"{at}/report", {"text": "Still of last year."})
    assert elsewhere.status == 303
    refused = await carla.post(action.rpartition("/")[0] + "/x", {"answer": "", "next": "https://elsewhere.example"})
    assert "elsewhere" not in refused.headers.get("location", "")


async def test_those_who_must_read_are_asked_again_with_an_approval_now(portal: ServedPortal) -> None:
    carla, anna = await portal.person("contributor", "Carla"), await portal.person("approver", "Anna")
    vera = await portal.person("", "Vera")
    content = await portal.released(carla, anna)
    at = f"/enablement/content/{content.content_id}"

    async def proposed() -> str:
        await portal.service.content.edit(carla.viewer, content.content_id, ContentEdit(summary="New prices."))
        proposal = await portal.service.lifecycle.submit(carla.viewer, content.content_id, Submission(note=NOTE))
        return proposal.version

    version = await proposed()
    assert "Ask those who must read it again" not in (await anna.get(f"/enablement/queue/{content.content_id}")).text
    await anna.post(f"{at}/must-read", {"usernames": "vera", "read_by": _in(20)})
    await vera.post(f"{at}/read", {})
    page = await anna.get(f"/enablement/queue/{content.content_id}")
    assert page.text.count("Ask those who must read it again") == 2
    form = {"version": version, "ask_again": "true"}
    assert (await anna.post(f"/enablement/queue/{content.content_id}/approve", form)).status == 303
    await portal.catch_up()
    listing = await vera.get("/enablement/reading")
    assert "All read." not in listing.text
    assert content.title in listing.text
