"""What people change of their own account."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.web.conftest import PASSWORD, Served, newest_link
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "path",
    [
        "/account",
        "/account/password",
        "/account/sessions",
        "/account/tokens",
        "/account/second-factor",
        "/account/confirm",
    ],
)
async def test_nobody_sees_an_account_without_signing_in(visitor: Visitor, path: str) -> None:
    assert (await visitor.get(path)).location == f"/sign-in?next={path}"


async def test_a_new_name_is_shown_everywhere(served: Served) -> None:
    ada = await served.person("Ada")
    done = await ada.post("/account/name", {"name": "  Ada King  "})
    assert "Name changed." in (await ada.follow(done)).text
    assert "Hello Ada King" in (await ada.get("/press/mine")).text


async def test_a_message_is_shown_once(served: Served) -> None:
    ada = await served.person("Ada")
    await ada.post("/account/name", {"name": "Ada King"})
    assert "Name changed." in (await ada.get("/account")).text
    assert "Name changed." not in (await ada.get("/account")).text


async def test_a_bad_name_is_refused_beside_its_field(served: Served) -> None:
    ada = await served.person("Ada")
    answer = await ada.post("/account/name", {"name": "x" * 81})
    assert answer.status == 422
    assert "At most 80 characters; this has 81." in answer.text


async def test_a_new_address_needs_the_password(served: Served) -> None:
    ada = await served.person("Ada")
    refused = await ada.post("/account/email", {"email": "new@example.org", "password": "wrong"})
    assert refused.status == 422
    assert "Wrong password." in refused.text
    assert 'value="new@example.org"' in refused.text
    done = await ada.follow(await ada.post("/account/email", {"email": "new@example.org", "password": PASSWORD}))
    assert "We have sent a link to new@example.org." in done.text
    assert "new@example.org is not confirmed yet." in done.shown
    assert f"mail goes to {ada.account.email}." in done.shown
    assert "We have sent a link" in (await ada.follow(await ada.post("/account/email/again"))).text
    link = await newest_link(served, "new@example.org")
    asked = await ada.get(link)
    assert "new@example.org becomes the address of your account" in asked.text
    assert (await ada.post("/sign-in", {"identity": "new@example.org", "password": PASSWORD})).status == 401, "not yet"
    done = await ada.follow(await ada.post("/account/address", {"token": link.partition("token=")[2]}))
    assert "new@example.org is confirmed." in done.text
    assert "is not confirmed yet" not in done.shown
    assert (await ada.post("/sign-in", {"identity": "new@example.org", "password": PASSWORD})).status == 303
    used = await ada.post("/account/address", {"token": link.partition("token=")[2]})
    assert (used.status, "invalid or expired" in used.text) == (400, True)


async def test_the_page_does_not_tell_whether_an_address_has_an_account(served: Served) -> None:
    ada, eve = await served.person("Ada"), await served.account("Eve")

    async def answer(email: str) -> str:
        sent = await ada.follow(await ada.post("/account/email", {"email": email, "password": PASSWORD}))
        return sent.text.replace(email, "")

    assert await answer(str(eve.email)) == await answer("nobody-at-all@example.org")


async def test_a_link_in_a_strangers_mail_gives_no_address_away(served: Served) -> None:
    """Eve enters Ada's address; Ada, signed in, opens the link that she gets."""
    eve, ada = await served.person("Eve"), await served.person("Ada")
    await eve.post("/account/email", {"email": "ada-at-home@example.org", "password": PASSWORD})
    link = await newest_link(served, "ada-at-home@example.org")
    for answer in (await ada.get(link), await ada.post("/account/address", {"token": link.partition("token=")[2]})):
        assert (answer.status, "belongs to another account" in answer.text) == (400, True)
    assert (await served.visitor().get(link)).location.startswith("/sign-in?next=/account/address")


async def test_a_new_password_ends_every_other_session(served: Served) -> None:
    ada = await served.person("Ada")
    elsewhere = await served.enter(ada.account)
    wrong = await ada.post("/account/password", {"old": "wrong", "new": "another long password"})
    assert (wrong.status, "Wrong password." in wrong.text) == (422, True)
    before = dict(ada.cookies)
    done = await ada.post("/account/password", {"old": PASSWORD, "new": "another long password"})
    stolen = served.visitor()
    stolen.cookies = before
    assert "You are signed out everywhere else." in (await ada.follow(done)).text
    assert (await ada.get("/account")).status == 200
    assert (await stolen.get("/account")).status == 303, "a copy of the cookie is worth nothing"
    assert (await elsewhere.get("/account")).status == 303


async def test_sessions_are_listed_by_browser_and_can_be_ended(served: Served) -> None:
    ada = await served.person("Ada")
    phone = await served.enter(ada.account)
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    fields = {"identity": ada.account.username, "password": PASSWORD}
    assert (await ada.post("/sign-in", fields, user_agent=firefox)).status == 303
    page = (await ada.get("/account/sessions")).text
    assert "Firefox on Linux" in page
    assert page.count("This browser") == 1
    ids = re.findall(r"/account/sessions/(\w+)/end", page)
    assert len(ids) == 2
    own = next(each for each in ids if f"{each}." in ada.cookies["partita"] or each in ada.cookies["partita"])
    (other,) = [each for each in ids if each != own]
    third = await served.enter(ada.account)
    assert "Sign out all other browsers" in (await ada.get("/account/sessions")).text
    done = await ada.post(f"/account/sessions/{other}/end")
    assert "Browser signed out." in (await ada.follow(done)).text
    assert (await phone.get("/account")).status == 303
    assert (await third.get("/account")).status == 200
    await ada.post("/account/sessions/end-others")
    assert (await third.get("/account")).status == 303
    assert (await ada.post(f"/account/sessions/{own}/end")).location == "/"
    assert (await ada.get("/account")).status == 303


async def test_nobody_ends_a_session_of_somebody_else(served: Served) -> None:
    ada, eve = await served.person("Ada"), await served.person("Eve")
    (session,) = re.findall(r"/account/sessions/(\w+)/end", (await ada.get("/account/sessions")).text)
    assert (await eve.post(f"/account/sessions/{session}/end")).status == 404
    assert (await ada.get("/account")).status == 200


async def test_a_token_is_shown_once_works_within_its_scopes_and_ends_when_revoked(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    chosen = [("name", "backup <script>"), ("days", "30"), ("scopes", "press:article:publish")]
    made = await ada.follow(await ada.post("/account/tokens", chosen))
    assert made.status == 200
    assert made.headers["cache-control"] == "no-store"
    (token,) = re.findall(r"<code>(pat_[^<]+)</code>", made.text)
    listed = await ada.get("/account/tokens")
    assert token not in listed.text
    assert "backup &lt;script&gt;" in listed.text
    program = served.visitor()
    mine = await program.call("GET", "/api/press/mine", token=token)
    assert mine.json == {
        "username": ada.account.username,
        "permissions": ["press:article:publish"],
        "via": "token",
    }
    (revoke,) = set(re.findall(r"/account/tokens/\w+/revoke", listed.text))
    asked = await ada.get(revoke)
    assert "Revoke “backup <script>”?" in asked.shown
    assert "Programs that use it stop working at once." in asked.text
    assert (await program.call("GET", "/api/press/mine", token=token)).status == 200, "asking changes nothing"
    await ada.post(revoke)
    assert (await program.call("GET", "/api/press/mine", token=token)).status == 401
    assert (await ada.get(revoke)).status == 404


async def test_a_reload_makes_no_second_token_and_does_not_show_the_first_again(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    sent = await ada.post("/account/tokens", [("name", "once"), ("days", "30"), ("scopes", "press:article:publish")])
    assert sent.status == 303
    first = await ada.get(sent.location)
    (token,) = re.findall(r"<code>(pat_[^<]+)</code>", first.text)
    again = await ada.get(sent.location)
    assert token not in again.text
    assert len(set(re.findall(r"/account/tokens/\w+/revoke", (await ada.get("/account/tokens")).text))) == 1


async def test_a_token_without_permissions_reads_and_says_so_wherever_it_is_told(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    words = "read public data and your own"
    assert words in (await ada.get("/account/tokens")).shown, "the form's hint"
    made = await ada.follow(await ada.post("/account/tokens", {"name": "reader", "days": "7"}))
    assert made.shown.count(words) == 2, "the list and the form's hint"
    (token,) = re.findall(r"<code>(pat_[^<]+)</code>", made.text)
    program = served.visitor()
    assert (await program.call("GET", "/api/press/mine", token=token)).status == 200
    refused = await program.call("POST", "/api/press/articles", {"title": "Mine", "pages": 1}, token=token)
    assert (refused.status, refused.json["code"]) == (403, "forbidden")
    assert "(press:article:publish)" in refused.json["detail"]


async def test_a_token_cannot_do_more_than_its_owner(served: Served) -> None:
    ada = await served.person("Ada")
    assert "press:article:publish" not in (await ada.get("/account/tokens")).text
    chosen = [("name", "greedy"), ("days", "30"), ("scopes", "press:article:publish")]
    answer = await ada.post("/account/tokens", chosen)
    assert answer.status == 422
    assert "You do not have the permission press:article:publish yourself." in answer.text


async def test_a_bad_number_of_days_is_refused_with_what_was_typed(served: Served) -> None:
    ada = await served.person("Ada")
    answer = await ada.post("/account/tokens", {"name": "script", "days": "soon"})
    assert answer.status == 422
    assert "Enter a whole number." in answer.text
    assert 'value="script"' in answer.text


async def test_what_can_be_ticked_stands_under_the_name_of_its_system(served: Served) -> None:
    reader, root = await served.person("Reader", "press:editor"), await served.person("Root", "admin")
    policy = served.suite.kit.accounts.policy
    granted = policy.granted(["press:editor"])
    sent = {"name": "", "days": "9", "scopes": next(iter(granted))}
    page = await reader.post("/account/tokens", sent)
    (group,) = re.findall(r'<div class="choices" role="group" aria-label="Press">(.*?)</div>', page.text, re.DOTALL)
    for permission in granted:
        ticked = " checked" if permission == sent["scopes"] else ""
        assert f'value="{permission}"{ticked}><span>{policy.label(permission)}</span>' in unescape(group)
    roles = (await root.get("/admin/users/new")).text
    (group,) = re.findall(r'<div class="choices" role="group" aria-label="Press">(.*?)</div>', roles, re.DOTALL)
    assert 'value="press:editor"' in group
    assert 'value="admin"' in roles.partition('aria-label="The suite">')[2].partition("</div>")[0]


async def test_a_list_of_permissions_of_several_systems_names_the_system_of_each(served: Served) -> None:
    policy = served.suite.kit.accounts.policy
    assert policy.label_with_system("house:users:manage") == "The suite: Manage accounts"
    assert policy.label_with_system("gone:thing:do") == "gone:thing:do"
