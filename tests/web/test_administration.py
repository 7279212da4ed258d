"""People and mail, for administrators."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from partita.kit.permissions import House, Reason
from tests.web.conftest import Person, Served
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio

PAGES = ["/admin/users", "/admin/users/new", "/admin/users/0", "/admin/outbox", "/admin/outbox/0"]


@pytest.mark.parametrize("path", PAGES)
async def test_the_office_is_closed_to_others(served: Served, visitor: Visitor, path: str) -> None:
    assert (await visitor.get(path)).status == 303
    assert (await (await served.person("Ada")).get(path)).status == 403


async def test_only_administrators_see_the_way_there(served: Served) -> None:
    assert "/admin/users" in (await (await served.person("Root", "admin")).get("/")).text
    assert "/admin/users" not in (await (await served.person("Ada")).get("/")).text


async def test_people_are_found_by_name_and_address(served: Served) -> None:
    root, ada = await served.person("Root", "admin"), await served.account("Ada")
    for words in (ada.username, str(ada.email), ada.user_id):
        page = await root.get(f"/admin/users?q={words}")
        assert f"/admin/users/{ada.user_id}" in page.text
    assert "No matches" in (await root.get("/admin/users?q=zzz")).text


async def test_the_list_has_pages(served: Served) -> None:
    root = await served.person("Root", "admin")
    for _ in range(31):
        await served.account("Many")
    first = await root.get("/admin/users")
    (link,) = re.findall(r'href="([^"]+)" rel="next"', first.shown)
    second = await root.get(link)
    assert second.status == 200
    assert 'rel="first"' in second.text
    ids = re.compile(r'"/admin/users/(\w{26})"')
    assert not set(ids.findall(first.text)) & set(ids.findall(second.text))


@dataclass(frozen=True, slots=True)
class Club:
    """Grants one person something beside roles."""

    member: str

    async def permissions_of(self, user_id: str) -> frozenset[str]:
        return frozenset({House.READ_METRICS}) if user_id == self.member else frozenset()

    async def reasons_for(self, user_id: str) -> list[Reason]:
        return [Reason("The chess club", await self.permissions_of(user_id))]

    async def holders(self, permission: str) -> list[str]:
        return []

    async def members_of(self, group: str) -> list[str] | None:
        return None

    async def groups_named(self, start: str, limit: int) -> list[str]:
        return []


async def test_what_somebody_may_do_is_shown_whether_roles_or_groups_grant_it(served: Served) -> None:
    root, ada = await served.person("Root", "admin"), await served.person("Ada", "press:editor")
    accounts = served.suite.kit.accounts
    accounts.use(accounts.policy, (Club(ada.account.user_id),))
    one = '<dd><ul class="stack tight"><li><strong>{}</strong> {}</li></ul></dd>'
    try:
        for page in (await root.get(f"/admin/users/{ada.account.user_id}"), await ada.get("/account")):
            assert "<dt>Role Press editor</dt>" + one.format("Press", "Publish articles") in page.text
            assert "<dt>The chess club</dt>" + one.format("The suite", "Read metrics") in page.text
        assert "<dt>Role Administrator</dt><dd>Everything in every system</dd>" in (await root.get("/account")).text
    finally:
        accounts.use(accounts.policy)
    nobody = await served.person("Bob")
    assert "None beyond what every visitor may do." in (await nobody.get("/account")).shown


async def test_a_person_is_added_with_roles_and_a_password_that_works_once(served: Served) -> None:
    root = await served.person("Root", "admin")
    said = [("name", "Grace"), ("username", "grace"), ("email", "grace@example.org"), ("roles", "press:editor")]
    made = await root.follow(await root.post("/admin/users/new", said))
    assert made.headers["cache-control"] == "no-store"
    grace = await served.suite.kit.accounts.people.by_username("grace")
    assert grace is not None
    assert grace.roles == {"press:editor"}
    visitor = await served.enter(grace, _password(made.text))
    assert (await visitor.get("/")).location == "/account/password"
    assert "grace@example.org" in (await root.get(f"/admin/users/{grace.user_id}")).text


async def test_a_form_with_mistakes_comes_back_as_it_was(served: Served) -> None:
    root = await served.person("Root", "admin")
    said = [("name", "Grace"), ("username", "!"), ("email", "grace@"), ("roles", "press:editor")]
    answer = await root.post("/admin/users/new", said)
    assert answer.status == 422
    assert 'value="Grace"' in answer.text
    assert re.search(r'value="press:editor" checked', answer.text)


async def test_roles_are_given_and_taken(served: Served) -> None:
    root, ada = await served.person("Root", "admin"), await served.person("Ada")
    assert (await ada.get("/press/desk")).status == 403
    page = f"/admin/users/{ada.account.user_id}"
    await root.post(f"{page}/roles", {"roles": "press:editor"})
    assert (await ada.get("/press/desk")).status == 200
    assert re.search(r'value="press:editor" checked', (await root.get(page)).text)
    await root.post(f"{page}/roles")
    assert (await ada.get("/press/desk")).status == 403


async def test_a_role_that_is_not_there_is_refused(served: Served) -> None:
    root, ada = await served.person("Root", "admin"), await served.account("Ada")
    answer = await root.post(f"/admin/users/{ada.user_id}/roles", {"roles": "press:emperor"})
    assert answer.status == 422
    assert "There is no role press:emperor" in answer.text


async def test_a_one_time_password_replaces_a_lost_one(served: Served) -> None:
    root, ada = await served.person("Root", "admin"), await served.person("Ada")
    page = f"/admin/users/{ada.account.user_id}"
    answer = await root.follow(await root.post(f"{page}/password"))
    password = _password(answer.text)
    assert password not in (await root.get(page)).text, "shown once"
    assert (await ada.get("/account")).status == 303
    again = await served.enter(ada.account, password)
    assert (await again.get("/")).location == "/account/password"


async def test_somebody_is_suspended_after_a_question_and_let_in_again(served: Served) -> None:
    root, ada = await served.person("Root", "admin"), await served.person("Ada")
    page = f"/admin/users/{ada.account.user_id}"
    assert "Nothing of theirs is deleted." in (await root.get(f"{page}/suspend")).text
    assert (await ada.get("/account")).status == 200
    await root.post(f"{page}/suspend")
    assert (await ada.get("/account")).status == 303
    assert "suspended" in (await root.get(page)).text
    await root.post(f"{page}/restore")
    assert isinstance(await served.enter(ada.account), Person)


async def test_every_session_and_token_is_ended_at_once(served: Served) -> None:
    root, ada = await served.person("Root", "admin"), await served.person("Ada")
    page = f"/admin/users/{ada.account.user_id}/end-access"
    assert "must sign in again" in (await root.get(page)).text
    await root.post(page)
    assert (await ada.get("/account")).status == 303


async def test_nobody_suspends_themselves(served: Served) -> None:
    root = await served.person("Root", "admin")
    page = f"/admin/users/{root.account.user_id}"
    assert "Suspend" not in (await root.get(page)).text
    assert (await root.post(f"{page}/suspend")).status == 403


async def test_an_unknown_person_is_not_found(served: Served) -> None:
    root = await served.person("Root", "admin")
    assert (await root.get("/admin/users/nobody")).status == 404


async def test_the_outbox_shows_mail_that_was_kept(served: Served, visitor: Visitor) -> None:
    root, ada = await served.person("Root", "admin"), await served.account("Ada")
    await visitor.post("/account/forgotten", {"email": str(ada.email)})
    await served.suite.kit.accounts.finish()
    listed = await root.get("/admin/outbox")
    assert str(ada.email) in listed.text
    (first, *_) = re.findall(r"/admin/outbox/\w+", listed.text)
    mail = await root.get(first)
    assert "open this link within one hour" in mail.text
    assert re.search(r'<a href="http://127\.0\.0\.1:8080/account/reset\?token=', mail.text)
    assert mail.headers["cache-control"] == "no-store"
    assert (await root.get("/admin/outbox/0")).status == 404


def _password(page: str) -> str:
    (found,) = re.findall(r'<div class="secret"><code>([^<]+)</code>', page)
    return str(found)
