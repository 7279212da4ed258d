"""Taking one's data out and erasing one's account, with a browser and over the API."""

from __future__ import annotations

import pytest

from partita.kit.accounts.schema import Session, sessions_of
from partita.kit.permissions import ADMIN
from partita.table import Update
from tests.web.conftest import PASSWORD, Served

pytestmark = pytest.mark.anyio


async def test_somebody_takes_their_data_out_and_is_erased(served: Served) -> None:
    ada = await served.person("Ada")
    other = await served.enter(ada.account)
    assert "Download my data" in (await ada.get("/account/data")).shown
    told = (await ada.get("/account/erase")).shown
    assert "You cannot undo this." in told
    assert "Mail, Forms that are kept" in told  # what belongs to them by their address goes too
    assert "For one more day, whoever runs Partita can still bring back what was erased." in told
    assert "Backups that were made before keep it until they are deleted." in told
    assert "Goes: Account, Password, Sessions" in " ".join(
        told.replace("<strong>", "").replace("</strong>", "").split()
    )
    sent = await ada.get("/api/account/data")
    assert sent.headers["cache-control"] == "no-store"
    document = sent.json
    assert document["person"]["username"] == ada.account.username
    assert {"Account", "Password", "Session"} <= {entry["kind"] for entry in document["items"]}
    gone = await ada.post("/account/erase")
    assert gone.location == "/"
    assert (await other.get("/account")).status == 303  # signed out everywhere, at once
    refused = await served.visitor().post("/sign-in", {"identity": ada.account.username, "password": PASSWORD})
    assert refused.status != 303


async def test_erasing_needs_the_password_again(served: Served) -> None:
    ben = await served.person("Ben")
    session = await served.suite.kit.store.first(sessions_of(ben.account.user_id))
    assert session is not None
    await served.suite.kit.store.write(Update(session.own_key, Session.confirmed_at.remove()))
    assert (await ben.post("/account/erase")).location.startswith("/account/confirm")
    assert (await ben.ask("DELETE", "/api/account", headers={"sec-fetch-site": "same-origin"})).status == 403
    assert (await ben.get("/api/account/data")).status == 403
    assert (await ben.get("/account")).status == 200


async def test_administrators_do_it_for_others_and_nobody_else(served: Served) -> None:
    boss, cleo, dan = await served.person("Boss", ADMIN), await served.person("Cleo"), await served.account("Dan")
    assert (await cleo.get(f"/api/account/of/{dan.user_id}/data")).status == 403
    assert (await cleo.post(f"/admin/users/{dan.user_id}/erase")).status == 403
    assert (await boss.get(f"/api/account/of/{dan.user_id}/data")).json["person"]["name"] == "Dan"
    assert (await boss.get(f"/admin/users/{dan.user_id}/data")).json["person"]["name"] == "Dan"
    for page in (f"/admin/users/{dan.user_id}", f"/admin/users/{dan.user_id}/erase"):
        assert (
            "For one more day, whoever runs Partita can still bring back what was erased."
            in (await boss.get(page)).text
        )
    assert "Erase Dan?" in (await boss.get(f"/admin/users/{dan.user_id}/erase")).shown
    done = await boss.ask("DELETE", f"/api/account/of/{dan.user_id}", headers={"sec-fetch-site": "same-origin"})
    assert (done.status, done.json["erasing"]) == (202, True)
    assert (await boss.post(f"/admin/users/{cleo.account.user_id}/erase")).location == "/admin/users"
