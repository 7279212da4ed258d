"""A one-time password: whoever changes it comes to where they wanted to go, and nowhere else."""

from __future__ import annotations

import pytest

from tests.web.conftest import Served
from tests.web.filled import filled

pytestmark = pytest.mark.anyio


async def test_a_one_time_password_leads_on_to_where_somebody_wanted_to_go(served: Served) -> None:
    accounts = served.suite.kit.accounts
    known = await served.account("Cleo", "press:editor")
    once = await accounts.administration.set_password(accounts.operator(), known.user_id)
    cleo = served.visitor()
    entered = await cleo.post("/sign-in", {"identity": known.username, "password": once, "next": "/press/desk?a=1"})
    assert entered.location == "/account/password?next=%2Fpress%2Fdesk%3Fa%3D1"
    form = dict(filled((await cleo.get(entered.location)).text, "/account/password"))
    wrong = await cleo.post("/account/password", {**form, "old": "wrong", "new": "my very own password"})
    form = dict(filled(wrong.text, "/account/password"))
    done = await cleo.post("/account/password", {**form, "old": once, "new": "my very own password"})
    assert done.location == "/press/desk?a=1"
    away = {"old": "my very own password", "new": "another of my own", "next": "//evil.example"}
    assert (await cleo.post("/account/password", away)).location == "/account"
