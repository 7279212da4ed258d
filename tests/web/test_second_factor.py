"""The pages of second factors, and of showing again who one is."""

from __future__ import annotations

import base64
import re
import time
from html import unescape
from pathlib import Path

import pytest

from partita.kit.accounts import totp
from partita.kit.accounts.schema import Session, sessions_of
from partita.table import Update
from tests.web.conftest import PASSWORD, Person, Served, make
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio
PATH = "/account/second-factor"


async def add(person: Visitor) -> tuple[bytes, list[str]]:
    """Add a second factor by its pages; the secret, and the recovery codes."""
    shown = await person.follow(await person.post(f"{PATH}/begin"))
    assert shown.headers["cache-control"] == "no-store"
    (key,) = re.findall(r'<code aria-labelledby="key-label">([A-Z2-7 ]+)</code>', shown.text)
    secret = base64.b32decode(key.replace(" ", ""))
    wrong = await person.post(f"{PATH}/add", {"code": "no code"})
    assert (wrong.status, "Wrong code." in wrong.text) == (422, True)
    done = await person.post(f"{PATH}/add", {"code": _code(secret, -1)})
    page = await person.follow(done)
    codes = re.findall(r"<span>([0-9a-z]{4}(?:-[0-9a-z]{4}){3})</span>", page.text)
    assert len(codes) == 10
    assert codes[0] not in (await person.get(PATH)).text, "they are shown once"
    return secret, codes


def _code(secret: bytes, later: int = 0) -> str:
    return totp.code(secret, totp.step_at(time.time()) + later)


async def _forget_confirmation(served: Served, person: Person) -> None:
    """As if the browser had been left open for some time."""
    store = served.suite.kit.store
    for session in [each async for each in store.stream(sessions_of(person.account.user_id))]:
        await store.write(Update(session.own_key, Session.confirmed_at.set("2026-01-01T00:00:00.000000Z")))


async def test_signing_in_takes_a_code_then_and_leads_on(served: Served) -> None:
    ada = await served.person("Ada")
    secret, codes = await add(ada)
    browser = served.visitor()
    fields = {"identity": ada.account.username, "password": PASSWORD, "next": "/press/mine"}
    asked = await browser.post("/sign-in", fields)
    assert asked.location == "/sign-in/code?next=%2Fpress%2Fmine"
    assert "HttpOnly" in asked.cookie("partita-code")
    assert not asked.cookie("partita")
    assert (await browser.get("/account")).location == "/sign-in?next=/account", "nobody is signed in yet"
    page = await browser.follow(asked)
    assert 'autocomplete="one-time-code"' in page.text
    wrong = await browser.post("/sign-in/code", {"code": "000", "next": "/press/mine"})
    assert (wrong.status, "Wrong or used code." in wrong.text) == (422, True)
    assert 'value="/press/mine"' in wrong.text
    entered = await browser.post("/sign-in/code", {"code": _code(secret, 1), "next": "/press/mine"})
    assert entered.location == "/press/mine"
    assert "partita-code" not in browser.cookies
    assert (await browser.get("/account")).status == 200
    other = served.visitor()
    await other.post("/sign-in", fields)
    assert (await other.post("/sign-in/code", {"code": codes[0], "next": "//evil.example"})).location == "/"


async def test_without_a_password_before_it_the_page_of_codes_leads_to_sign_in(visitor: Visitor) -> None:
    assert (await visitor.get("/sign-in/code?next=/press")).location == "/sign-in?next=%2Fpress"
    assert (await visitor.get("/sign-in/code")).location == "/sign-in"
    visitor.cookies["partita-code"] = "made up"
    answer = await visitor.post("/sign-in/code", {"code": "123456"})
    assert answer.location == "/sign-in"
    assert "Enter your password again." in (await visitor.follow(answer)).text


async def test_the_picture_is_made_here_and_is_nothing_but_a_picture(served: Served) -> None:
    ada = await served.person("Ada")
    page = await ada.follow(await ada.post(f"{PATH}/begin"))
    (picture,) = re.findall(r'<div class="qr"[^>]*>(.*?)</div>', page.text, re.DOTALL)
    assert set(re.findall(r"<(\w+)", picture)) == {"svg", "g", "path"}
    assert not re.search(r"style=|http|otpauth|<script", picture)
    assert "QR code of the key below" in page.text


async def test_what_is_dangerous_asks_again_and_gives_back_what_was_typed(served: Served) -> None:
    ada = await served.person("Ada")
    await _forget_confirmation(served, ada)
    typed = {"name": "my backup script", "days": "30"}
    asked = await ada.post("/account/tokens", typed, referer="http://127.0.0.1:8080/account/tokens")
    assert asked.location.startswith("/account/confirm?next=/kept/")
    page = await ada.follow(asked)
    assert "Confirm that it is you" in page.text
    next = unescape(re.findall(r'name="next" value="([^"]*)"', page.text)[-1])
    wrong = await ada.post("/account/confirm", {"password": "wrong", "next": next})
    assert (wrong.status, "Wrong password." in wrong.text) == (422, True)
    before = ada.cookies["partita"]
    back = await ada.follow(await ada.post("/account/confirm", {"password": PASSWORD, "next": next}))
    assert ada.cookies["partita"] != before
    assert 'value="my backup script"' in back.text
    assert "What you typed is here but not saved" in back.text
    assert "No tokens yet" in back.text
    assert "<code>pat_" in (await ada.follow(await ada.post("/account/tokens", typed))).text


async def test_a_button_that_is_dangerous_leads_back_to_its_page(served: Served) -> None:
    admin, bob = await served.person("Grace", "admin"), await served.account("Bob")
    page = f"/admin/users/{bob.user_id}"
    await _forget_confirmation(served, admin)
    for action in ("password", "suspend", "restore", "end-access", "remove-second-factor"):
        asked = await admin.post(f"{page}/{action}", referer=f"http://127.0.0.1:8080{page}")
        assert asked.location == f"/account/confirm?next={page}"
    asked = await admin.post(f"{page}/roles", {"roles": "press:editor"}, referer="https://evil.example/x")
    assert asked.location.startswith("/account/confirm?next=/kept/")
    assert not (await served.suite.kit.accounts.people.get(bob.user_id)).roles
    done = await admin.post("/account/confirm", {"password": PASSWORD, "next": "https://evil.example/"})
    assert done.location == "/account"
    assert (await admin.post(f"{page}/suspend")).location == page


async def test_with_a_second_factor_a_code_is_asked_for(served: Served) -> None:
    ada = await served.person("Ada")
    _, codes = await add(ada)
    page = await ada.get("/account/confirm?next=/account/tokens")
    assert ('name="code"' in page.text, 'type="password"' in page.text) == (True, False)
    assert (await ada.post("/account/confirm", {"password": PASSWORD})).status == 422
    assert (
        await ada.post("/account/confirm", {"code": codes[0], "next": "/account/tokens"})
    ).location == "/account/tokens"


async def test_an_administrator_sees_and_removes_the_second_factor_of_others(served: Served) -> None:
    ada, admin = await served.person("Ada"), await served.person("Grace", "admin")
    await add(ada)
    page = f"/admin/users/{ada.account.user_id}"
    assert "Remove second factor" in (await admin.get(page)).text
    assert "Be sure that it is they who ask." in (await admin.get(f"{page}/remove-second-factor")).text
    assert "Second factor removed." in (await admin.follow(await admin.post(f"{page}/remove-second-factor"))).text
    await served.enter(ada.account)


async def test_administrators_add_one_first_if_the_settings_say_so(tmp_path: Path) -> None:
    served = make(tmp_path, second_factor="administrators")
    async with served.app.router.lifespan_context(served.app):
        ada, admin = await served.person("Ada"), await served.person("Grace", "admin")
        assert (await ada.get("/account")).status == 200
        for path in ("/", "/admin/users", "/account", "/account/tokens"):
            assert (await admin.get(path)).location == PATH
        refused = await admin.get("/api/press/mine")
        assert (refused.status, refused.json["code"]) == (403, "second_factor_due")
        assert "Add one to continue." in (await admin.get(PATH)).text
        await add(admin)
        assert (await admin.get("/admin/users")).status == 200
