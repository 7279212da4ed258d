"""Signing up, in and out, cookies, redirects, and a forgotten password: each as somebody lives through it."""

from __future__ import annotations

import re
from http.cookies import SimpleCookie
from pathlib import Path

import pytest

from partita.kit.mail import Outbox
from tests.web.conftest import PASSWORD, Served, make
from tests.web.visitor import Answer, Visitor

pytestmark = pytest.mark.anyio


async def test_somebody_makes_an_account_and_is_signed_in(visitor: Visitor) -> None:
    said = {"name": "Mary Shelley", "username": "mary", "email": "Mary@Example.org", "password": PASSWORD}
    answer = await visitor.post("/sign-up", {**said, "next": "/press"})
    assert answer.location == "/press"
    page = await visitor.follow(answer)
    assert "Welcome, Mary Shelley." in page.text
    assert "@mary" in (await visitor.get("/account")).text


async def test_a_refused_form_keeps_what_was_typed_and_says_what_is_wrong(visitor: Visitor) -> None:
    said = {"name": "Ada & co", "username": "A!", "email": "ada@", "password": "short", "next": "/press"}
    answer = await visitor.post("/sign-up", said)
    assert answer.status == 422
    assert 'value="Ada &amp; co"' in answer.text
    assert 'value="/press"' in answer.text
    assert "short" not in re.sub(r"<[^>]*hint.*?</span>", "", answer.text)
    for field in ("username", "email", "password"):
        assert f'id="f-{field}-error"' in answer.text
        assert re.search(
            rf'name="{field}"[^>]* aria-describedby="[^"]*f-{field}-error" aria-invalid="true"', answer.text
        )
    assert 'id="f-name-error"' not in answer.text


async def test_a_taken_name_is_a_conflict_beside_its_field(served: Served, visitor: Visitor) -> None:
    known = await served.account("Ada")
    said = {"name": "Ada", "username": known.username, "email": "new@example.org", "password": PASSWORD}
    answer = await visitor.post("/sign-up", said)
    assert answer.status == 409
    assert 'id="f-username-error"' in answer.text


async def test_where_sign_up_is_closed_the_page_says_so(tmp_path: Path) -> None:
    closed = make(tmp_path, sign_up=False)
    async with closed.app.router.lifespan_context(closed.app):
        visitor = closed.visitor()
        assert "Ask an administrator for an account" in (await visitor.get("/sign-up")).text
        assert "Create an account" not in (await visitor.get("/sign-in")).text
        said = {"name": "Ada", "username": "ada", "email": "ada@example.org", "password": PASSWORD}
        assert (await visitor.post("/sign-up", said)).status == 403


async def test_somebody_signs_in_by_name_or_address_and_out_again(served: Served, visitor: Visitor) -> None:
    known = await served.account("Ada")
    for identity in (known.username, str(known.email).upper()):
        answer = await visitor.post("/sign-in", {"identity": identity, "password": PASSWORD, "next": "/press/mine"})
        assert answer.location == "/press/mine"
        assert "Hello Ada" in (await visitor.follow(answer)).text
        out = await visitor.post("/sign-out")
        assert out.location == "/"
        assert out.headers["clear-site-data"] == '"storage"', "what was typed and not saved is nobody else's"
        assert "You are signed out." in (await visitor.follow(out)).text
        assert (await visitor.get("/press/mine")).status == 303


async def test_signing_out_ends_the_session_not_only_the_cookie(served: Served) -> None:
    ada = await served.person("Ada")
    kept = dict(ada.cookies)
    await ada.post("/sign-out")
    ada.cookies.update(kept)
    assert (await ada.get("/account")).status == 303


async def test_a_wrong_password_is_told_the_same_way_as_an_unknown_name(served: Served, visitor: Visitor) -> None:
    known = await served.account("Ada")
    wrong = await visitor.post("/sign-in", {"identity": known.username, "password": "wrong"})
    unknown = await visitor.post("/sign-in", {"identity": "nobody-here", "password": "wrong"})
    for answer in (wrong, unknown):
        assert answer.status == 401
        assert "Wrong username or password." in answer.text
        assert "wrong" not in re.findall(r'value="([^"]*)"', answer.text)
    assert f'value="{known.username}"' in wrong.text


async def test_too_many_tries_are_stopped(served: Served, visitor: Visitor) -> None:
    known = await served.account("Ada")
    tried = {"identity": known.username, "password": "wrong", "next": "/press"}
    answers = [await visitor.post("/sign-in", tried) for _ in range(11)]
    assert [answer.status for answer in answers] == [401] * 10 + [429]
    _is_told_when_to_try_again(answers[-1], known.username, "/press")


async def test_whoever_makes_too_many_accounts_is_told_when_to_try_again(served: Served, visitor: Visitor) -> None:
    visitor.address = "192.0.2.21"
    taken = (await served.account("Ada")).username
    said = {"name": "Ada & co", "username": taken, "email": "ada@sign-up.example", "password": PASSWORD}
    answers = [await visitor.post("/sign-up", said) for _ in range(21)]
    assert [answer.status for answer in answers] == [409] * 20 + [429]
    _is_told_when_to_try_again(answers[-1], "Ada & co", taken, "ada@sign-up.example")


async def test_whoever_asks_for_too_many_links_is_told_when_to_try_again(visitor: Visitor) -> None:
    answers = [await visitor.post("/account/forgotten", {"email": "often@example.org"}) for _ in range(4)]
    assert [answer.status for answer in answers] == [303] * 3 + [429]
    _is_told_when_to_try_again(answers[-1], "often@example.org")


def _is_told_when_to_try_again(answer: Answer, *kept: str) -> None:
    """By the page and by the header; what was typed is kept, but for the password."""
    assert 1 <= int(answer.headers["retry-after"]) <= 3600
    assert re.search(r"Too many attempts\. Try again in \d+ (seconds|minutes)\.", answer.shown)
    values = re.findall(r'value="([^"]*)"', answer.shown)
    assert set(kept) <= set(values)
    assert not {PASSWORD, "wrong"} & set(values)


@pytest.mark.parametrize(
    "next",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "javascript:alert(1)",
        "evil.example",
        "",
    ],
)
async def test_signing_in_never_leads_to_another_site(served: Served, next: str) -> None:
    ada = served.visitor()
    known = await served.account("Ada")
    answer = await ada.post("/sign-in", {"identity": known.username, "password": PASSWORD, "next": next})
    assert (answer.status, answer.location) == (303, "/")


async def test_whoever_is_signed_in_is_led_on(served: Served) -> None:
    ada = await served.person("Ada")
    assert (await ada.get("/sign-in?next=/press")).location == "/press"
    assert (await ada.get("/sign-in?next=//evil.example")).location == "/"
    assert (await ada.get("/sign-up")).location == "/"


async def test_the_session_cookie_is_for_http_alone_and_for_this_site(served: Served, visitor: Visitor) -> None:
    known = await served.account("Ada")
    answer = await visitor.post("/sign-in", {"identity": known.username, "password": PASSWORD})
    cookie = SimpleCookie(answer.cookie("partita"))["partita"]
    assert cookie["httponly"] is True
    assert cookie["samesite"].lower() == "lax"
    assert cookie["path"] == "/"
    assert cookie["domain"] == ""
    assert cookie["secure"] == ""
    assert int(cookie["max-age"]) == 30 * 86400


async def test_with_https_the_cookie_is_secure_and_bound_to_the_host(tmp_path: Path) -> None:
    served = make(tmp_path, base_url="https://partita.example.org")
    async with served.app.router.lifespan_context(served.app):
        known, visitor = await served.account("Ada"), served.visitor()
        answer = await visitor.post("/sign-in", {"identity": known.username, "password": PASSWORD})
        cookie = SimpleCookie(answer.cookie("__Host-partita"))["__Host-partita"]
        assert cookie["secure"] is True
        assert cookie["httponly"] is True
        assert (cookie["path"], cookie["domain"]) == ("/", "")
        assert (await visitor.get("/account")).status == 200
        out = await visitor.post("/sign-out")
        assert "Secure" in out.cookie("__Host-partita")
        assert "Secure" in out.cookie("partita-flash")


async def test_signing_in_again_ends_the_session_the_browser_had(served: Served) -> None:
    ada = await served.person("Ada")
    before = dict(ada.cookies)
    await ada.post("/sign-in", {"identity": ada.account.username, "password": PASSWORD})
    assert ada.cookies["partita"] != before["partita"]
    ada.cookies = before
    assert (await ada.get("/account")).status == 303


async def test_a_cookie_that_was_made_up_is_nobody(visitor: Visitor) -> None:
    for value in ("x", "a.b.c", "%00", "0" * 5000):
        visitor.cookies["partita"] = value
        assert (await visitor.get("/account")).status == 303


async def test_a_forgotten_password_comes_back_by_mail(served: Served, visitor: Visitor) -> None:
    ada = await served.person("Ada")
    answer = await visitor.post("/account/forgotten", {"email": str(ada.account.email)})
    assert "you will get a link by mail" in (await visitor.follow(answer)).text
    path = await _link(served)
    assert "Choose a new password" in (await visitor.get(path)).text
    token = path.partition("token=")[2]
    refused = await visitor.post("/account/reset", {"token": token, "new": "short"})
    assert refused.status == 422
    assert f'value="{token}"' in refused.text
    done = await visitor.post("/account/reset", {"token": token, "new": "another long password"})
    assert done.location == "/sign-in"
    assert (await ada.get("/account")).status == 303, "every session ends"
    await served.enter(ada.account, "another long password")
    again = await visitor.post("/account/reset", {"token": token, "new": "yet another password"})
    for answer in (again, await visitor.get(path), await visitor.get("/account/reset")):
        assert (answer.status, "invalid or expired" in answer.text) == (400, True)
        assert 'type="password"' not in answer.text, "nobody thinks of a password for nothing"
        assert 'href="/account/forgotten"' in answer.text


async def test_an_unknown_address_is_answered_the_same_way(visitor: Visitor) -> None:
    answer = await visitor.post("/account/forgotten", {"email": "nobody@example.org"})
    assert "you will get a link by mail" in (await visitor.follow(answer)).text


async def test_a_one_time_password_must_be_changed_before_anything_else(served: Served) -> None:
    accounts = served.suite.kit.accounts
    known = await served.account("Ada", "press:editor")
    once = await accounts.administration.set_password(accounts.operator(), known.user_id)
    ada = await served.enter(known, once)
    reason = "This is a one-time password. Choose a new password to continue."
    assert (await ada.get("/account/password")).shown.count(reason) == 1, "at once"
    for path in ("/", "/press/desk", "/account", "/account/tokens"):
        assert (await ada.get(path)).location == "/account/password"
    refused = await ada.get("/api/press/mine")
    assert (refused.status, refused.json["code"]) == (403, "password_change_due")
    asked = await ada.get("/account/password")
    assert "One-time password" in asked.text
    assert asked.shown.count(reason) == 1, "and as long as it is so"
    done = await ada.post("/account/password", {"old": once, "new": "my very own password"})
    assert done.location == "/"
    assert (await ada.get("/press/desk")).status == 200
    assert reason not in (await ada.get("/account/password")).shown


async def _link(served: Served) -> str:
    await served.suite.kit.accounts.finish()
    outbox = served.suite.kit.mail
    assert isinstance(outbox, Outbox)
    (newest, *_) = await outbox.page(limit=1)
    (link,) = re.findall(r"http://127\.0\.0\.1:8080(/account/reset\S+)", newest.text)
    return str(link)
