"""The bell, the list behind it, the settings, and links that end mail: all of it without script."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from partita.kit.clock import stamp
from partita.kit.mail import Attachment, Message
from partita.kit.notifications import Channels, Kind, Words
from partita.kit.notifications.kinds import PACES
from partita.kit.schema import QueuedMail, newest_mail
from partita.table import Put
from tests.web.conftest import Person, Served, make
from tests.web.press import Press

pytestmark = pytest.mark.anyio


def _words(data: Mapping[str, Any], count: int) -> Words:
    return Words(f"{count} × {data['title']}", data.get("text", ""))


COMMENTED = Kind("press.commented", "A comment on <my> article", _words, "You write.", Channels(mail="once"))
DRAFTED = Kind("press.drafted", "A draft waits", _words, "You edit.", needs=Press.PUBLISH)


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    found = make(tmp_path_factory.mktemp("served"), base_url="https://partita.example.org")
    found.suite.kit.notifications.use([COMMENTED, DRAFTED])
    async with found.app.router.lifespan_context(found.app):
        yield found


async def _tell(served: Served, who: Person, cause: str, title: str = "Story", link: str = "/press/list") -> None:
    kit = served.suite.kit
    await kit.notifications.tell(
        who.account.user_id, COMMENTED, cause=cause, at=stamp(kit.clock), data={"title": title}, link=link
    )


def _bell(page: str) -> str:
    found = re.search(r'<span class="unread"[^>]*>(.*?)</a>', page, re.DOTALL)
    assert found, page
    return re.sub(r"<[^>]+>", "", found[1])


async def test_the_bell_says_how_many_are_unread_without_script(served: Served) -> None:
    ada = await served.person("Ada")
    assert _bell((await ada.get("/press")).text) == ""
    for number in range(3):
        await _tell(served, ada, f"c{number}")
    page = (await ada.get("/press")).text
    assert _bell(page) == "3 unread"
    assert 'hx-get="/notifications/unread" hx-trigger="every 60s"' in page
    assert (await ada.get("/notifications/unread")).text.strip() == '3<span class="for-readers"> unread</span>'


async def test_visitors_have_no_bell_and_pay_nothing_for_it(served: Served) -> None:
    calls: list[str] = []
    served.suite.kit.tables.observe(lambda call: calls.extend(call.tables))
    page = (await served.visitor().get("/press")).text
    assert "/notifications" not in page
    assert "partita-house" not in calls
    assert (await served.visitor().get("/notifications")).location.startswith("/sign-in")


async def test_the_list_is_newest_first_escaped_and_marks_what_is_unread(served: Served) -> None:
    ada = await served.person("Ada")
    assert "No notifications" in (await ada.get("/notifications")).shown
    await _tell(served, ada, "old", "Old")
    await _tell(served, ada, "new", "<script>New</script>")
    page = await ada.get("/notifications")
    assert "<script>New" not in page.text
    assert page.shown.index("1 × <script>New</script>") < page.shown.index("1 × Old")
    assert "2 unread" in page.shown
    assert page.text.count('class="new"') == 2


async def test_reading_one_marks_it_and_leads_to_it(served: Served) -> None:
    ada, ben = await served.person("Ada"), await served.person("Ben")
    await _tell(served, ada, "c1")
    await _tell(served, ada, "c2", link="https://elsewhere.example/")
    page = (await ada.get("/notifications")).text
    actions = re.findall(r'action="(/notifications/house/\w+/read)"', page)
    assert len(actions) == 2
    assert (await ben.post(actions[0])).status == 404
    led = {(await ada.post(action)).location for action in actions}
    assert led == {"/press/list", "/notifications"}  # a link never leads away from this site
    after = (await ada.get("/notifications")).text
    assert _bell(after) == ""
    assert 'class="new"' not in after
    assert '<a class="title" href="/press/list">' in after
    assert (await ada.post(actions[0])).location in led  # a reload does no harm


async def test_reading_all_takes_one_button(served: Served) -> None:
    ada = await served.person("Ada")
    for number in range(35):
        await _tell(served, ada, f"c{number}")
    page = await ada.get("/notifications")
    assert page.text.count("/read") == 31  # a page of thirty, and the button
    following = re.search(r'href="(/notifications\?cursor=[^"]+)"', page.text)
    assert following
    assert (await ada.get(following[1].replace("&amp;", "&"))).text.count('class="new"') == 5
    answer = await ada.post("/notifications/read")
    page = await ada.follow(answer)
    assert "All notifications are marked as read." in page.shown
    assert "Mark all as read" not in page.shown
    assert (await ada.get("/notifications?cursor=forged")).status == 400


async def test_settings_are_chosen_by_a_form_and_respected(served: Served) -> None:
    ada = await served.person("Ada")
    page = await ada.get("/account/notifications")
    assert "A comment on <my> article" in page.shown
    assert "A draft waits" not in page.shown  # nobody is offered what they cannot get
    assert re.search(r'<option value="once" selected>', page.text)
    answer = await ada.post("/account/notifications", {"mail.press.commented": "weekly"})
    page = await ada.follow(answer)
    assert "Notification settings saved." in page.shown
    assert re.search(r'<option value="weekly" selected>', page.text)
    assert 'value="press.commented" checked' not in page.text
    await _tell(served, ada, "c1")
    assert _bell((await ada.get("/press")).text) == ""
    await ada.post("/account/notifications", {"suite": "press.commented", "mail.press.commented": "never"})
    await _tell(served, ada, "c2")
    assert _bell((await ada.get("/press")).text) == "1 unread"
    bad = await ada.post("/account/notifications", {"mail.press.commented": "hourly"})
    assert bad.status == 422
    assert all(pace in bad.shown for pace in PACES)
    editor = await served.person("Ed", "press:editor")
    assert "A draft waits" in (await editor.get("/account/notifications")).shown


async def _link_of(served: Served, who: Person) -> str:
    await served.suite.kit.notifications.finish()
    async for mail in served.suite.kit.store.stream(newest_mail()):
        if mail.to == who.account.email:
            return str(mail.unsubscribe).removeprefix("https://partita.example.org")
    raise AssertionError("no mail")


async def test_unsubscribing_needs_no_sign_in_and_a_look_at_the_link_ends_nothing(served: Served) -> None:
    ada = await served.person("Ada")
    await _tell(served, ada, "c1")
    link = await _link_of(served, ada)
    visitor = served.visitor()
    asked = await visitor.get(link)
    assert asked.status == 200
    assert "A comment on <my> article" in asked.shown
    assert "selected>At once" in (await ada.get("/account/notifications")).text
    action = re.search(r'<form class="row" method="post" action="([^"]+)"', asked.text)
    assert action
    assert action[1].replace("&amp;", "&") == link
    done = await visitor.post(link)
    assert "Unsubscribed" in done.shown
    assert "selected>Never" in (await ada.get("/account/notifications")).text
    await _tell(served, ada, "c2")
    assert _bell((await ada.get("/press")).text) == "2 unread"  # the suite still tells


async def test_mail_programs_unsubscribe_with_one_click(served: Served) -> None:
    """RFC 8058: a POST of its own, without cookies and without a word about where it comes from."""
    ada = await served.person("Ada")
    await _tell(served, ada, "c1")
    link = await _link_of(served, ada)
    body = b"List-Unsubscribe=One-Click"
    answer = await served.visitor().ask("POST", link, body, {"content-type": "application/x-www-form-urlencoded"})
    assert answer.status == 200
    assert "selected>Never" in (await ada.get("/account/notifications")).text


@pytest.mark.parametrize("token", ["", "x", "AAAA"])
async def test_a_link_that_we_did_not_make_ends_nothing(served: Served, token: str) -> None:
    for answer in (
        await served.visitor().get(f"/notifications/unsubscribe?token={token}"),
        await served.visitor().post(f"/notifications/unsubscribe?token={token}"),
    ):
        assert answer.status == 400
        assert "Open it from the mail again" in answer.shown


async def test_the_outbox_shows_html_as_source_and_files_to_be_saved(served: Served) -> None:
    admin = await served.person("Root", "admin")
    file = Attachment("<b>.html", "text/html", b"<script>alert(1)</script>")
    mail = Message(
        "ada@example.org",
        "Rich",
        "Plain text",
        "<p onclick=x>Rich</p><script>bad()</script>",
        "rich-1",
        "https://partita.example.org/notifications/unsubscribe?token=t",
        (file,),
    )
    await served.suite.kit.mail.send(mail)
    page = await admin.get("/admin/outbox/rich-1")
    assert "Plain text" in page.shown
    assert "<script>bad" not in page.text
    assert "<p onclick=x>Rich</p>" in page.shown
    assert "<iframe" not in page.text
    saved = await admin.get("/admin/outbox/rich-1/files/0")
    assert (saved.body, saved.headers["content-type"]) == (file.content, "application/octet-stream")
    assert saved.headers["content-disposition"].startswith("attachment")
    for missing in ("1", "-1"):
        assert (await admin.get(f"/admin/outbox/rich-1/files/{missing}")).status == 404
    ada = await served.person("Ada")
    assert (await ada.get("/admin/outbox/rich-1/files/0")).status == 403


async def test_while_the_suite_runs_it_sends_what_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("partita.kit.suite._MAIL_SECONDS", 0.01)
    found = make(tmp_path)
    kit = found.suite.kit
    now = stamp(kit.clock)
    expires = int(kit.clock.now().timestamp()) + 1000
    left = QueuedMail(
        mail_id="left", to="ada@example.org", subject="x", text="y", due_at=now, queued_at=now, expires_at=expires
    )
    async with found.app.router.lifespan_context(found.app):
        await kit.store.write(Put(left))
        async with asyncio.timeout(20):
            while not [mail async for mail in kit.store.stream(newest_mail())]:
                await asyncio.sleep(0.01)
