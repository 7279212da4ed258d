"""Attacks on the suite as a whole, each of which once succeeded."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from partita.bootstrap import build
from partita.kit.accounts import Account
from partita.kit.accounts.schema import Session, sessions_of
from partita.kit.mail import Outbox
from partita.kit.permissions import Viewer
from partita.kit.schema import KeptMail
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.table import Update
from partita.table.types import timestamp
from partita.web.app import create_app
from partita.web.recognise import session_cookie
from tests.web.visitor import Answer, Visitor
from tests.web.walk import walk

pytestmark = pytest.mark.anyio
PASSWORD = "correct horse battery"


@dataclass(frozen=True, slots=True)
class World:
    suite: Suite
    app: FastAPI

    def visitor(self, address: str = "192.0.2.9") -> Visitor:
        return Visitor(self.app, self.suite.kit.settings.base_url, address=address)

    async def person(self, name: str, *roles: str) -> tuple[Account, Visitor]:
        accounts = self.suite.kit.accounts
        account = await accounts.registration.create(name, f"{name}@example.org", name.title(), PASSWORD)
        await self.roles(account, *roles)
        visitor = self.visitor()
        assert (await visitor.post("/sign-in", {"identity": name, "password": PASSWORD})).status == 303
        return account, visitor

    async def roles(self, account: Account, *roles: str) -> None:
        administration = self.suite.kit.accounts.administration
        await administration.set_roles(self.suite.kit.accounts.operator(), account.user_id, roles)

    async def viewer(self, visitor: Visitor) -> Viewer:
        token = visitor.cookies[session_cookie(self.suite.kit.settings)]
        return await self.suite.kit.accounts.recognition.from_session(token)

    async def settle(self) -> None:
        for _ in range(3):
            await self.suite.worker.drain()
            await self.suite.jobs.drain()

    async def mails(self) -> list[KeptMail]:
        await self.suite.kit.accounts.finish()
        await self.suite.kit.notifications.finish()
        assert isinstance(self.suite.kit.mail, Outbox)
        return list(await self.suite.kit.mail.page(limit=50))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    suite = build(Settings(data=tmp_path / "data", fetch=False, meaning=False, durability="off"))
    try:
        yield World(suite, create_app(suite))
    finally:
        await suite.close()


async def call(visitor: Visitor, method: str, path: str, content: Any = None) -> Answer:
    return await visitor.call(method, path, content, sec_fetch_site="same-origin")


SUBMISSION = {
    "submitter": {"firstName": "Ada", "lastName": "Lovelace", "companyEmail": "victim@elsewhere.example"},
    "resource": {
        "resourceName": "You won: claim it at https://evil.example/win",
        "resourceUrl": "https://foo.example.org/x",
        "usagePurpose": "Something long enough to be accepted here.",
        "category": "other",
        "tags": [],
    },
    "details": {
        "keyFeatures": ["Adds, subtracts and multiplies", "Keeps a thousand numbers", "Decides what to do next"],
        "useCases": ["Numbers of Bernoulli", "Tables without mistakes"],
        "learningResources": [],
    },
}


async def test_a_stranger_sends_nobody_a_link(world: World) -> None:
    assert (await world.visitor().call("POST", "/api/kelifax/resources", SUBMISSION)).status == 201
    await world.settle()
    (mail,) = [each for each in await world.mails() if each.to == "victim@elsewhere.example"]
    assert mail.subject.startswith("We have received “You won claim it at")
    for text in (mail.subject, mail.text, mail.html or ""):
        assert "evil.example" not in text


# -- rights that are lost


async def test_a_job_is_not_tried_again_by_who_may_no_longer_do_it(world: World) -> None:
    _, boss = await world.person("boss", "fus:admin")
    mallory, browser = await world.person("mallory", "fus:manager")
    for number in range(3):
        new = {"url": f"https://s{number}.example.org/", "title": f"S{number}", "tags": ["keep"], "fetch": False}
        assert (await call(boss, "POST", "/api/fus/sites", new)).status == 201
    begun = await call(browser, "POST", "/api/fus/batches", {"tag": "keep", "delete": True})
    job = begun.json["jobId"]
    assert (await call(browser, "DELETE", f"/api/jobs/{job}")).status == 200
    viewer = await world.viewer(browser)
    tokens = world.suite.kit.accounts.tokens
    stranger = (await tokens.create(viewer, "another system", ["kelifax:resource:like"], 1)).text
    refused = await world.visitor().call("POST", f"/api/jobs/{job}/retry", token=stranger)
    assert (refused.status, refused.json["code"]) == (403, "forbidden")
    assert (await world.visitor().call("DELETE", f"/api/jobs/{job}", token=stranger)).status == 403

    await world.roles(mallory)
    assert (await call(browser, "POST", f"/api/jobs/{job}/retry")).status == 403
    # Who looks after jobs may try it again; it still works for whoever began it.
    assert (await call((await world.person("root", "admin"))[1], "POST", f"/api/jobs/{job}/retry")).status == 200
    await world.settle()
    assert len((await call(boss, "GET", "/api/fus/sites")).json["items"]) == 3
    ended = await call(browser, "GET", f"/api/jobs/{job}")
    assert (ended.json["state"], ended.json["error"]) == (
        "failed",
        "Whoever started this is not allowed to do it any more.",
    )


async def test_what_waits_is_not_done_for_who_lost_the_right_meanwhile(world: World) -> None:
    _, boss = await world.person("boss", "fus:admin")
    mallory, browser = await world.person("mallory", "fus:manager")
    new = {"url": "https://s.example.org/", "title": "S", "tags": ["keep"], "fetch": False}
    await call(boss, "POST", "/api/fus/sites", new)
    await call(browser, "POST", "/api/fus/batches", {"tag": "keep", "delete": True})
    await world.roles(mallory)
    await world.settle()
    assert len((await call(boss, "GET", "/api/fus/sites")).json["items"]) == 1


async def test_a_suspension_does_not_end_by_leaving(world: World) -> None:
    _, boss = await world.person("boss", "admin")
    cara, browser = await world.person("cara")
    dan, other = await world.person("dan")
    mine = "/api/worthwatch/me/curator-application"
    statement = {"statement": "I have run a film club in Leeds for ten years, and write a note on every evening."}
    for who in (browser, other):
        assert (await call(who, "POST", mine, statement)).status < 300
    decide = "/api/worthwatch/curators"
    for user, decision in ((cara, "approve"), (cara, "suspend"), (dan, "decline")):
        answer = await call(boss, "POST", f"{decide}/{user.user_id}/{decision}", {"reason": "spam"})
        assert answer.status < 300, answer.text
    for who, code in ((browser, "suspended"), (other, "too_early")):
        assert (await call(who, "DELETE", "/api/worthwatch/me", {"keepLists": False})).status < 300
        await world.settle()
        assert (await call(who, "POST", mine, statement)).json["code"] == code
    left = (await call(browser, "GET", "/api/account/data")).text
    assert "film club" not in left
    assert (await call(boss, "POST", f"{decide}/{cara.user_id}/approve", {"reason": "sorry"})).status < 300


# -- sessions and mail


async def test_a_page_that_asks_by_itself_keeps_nobody_signed_in(world: World) -> None:
    boss, browser = await world.person("boss", "admin")
    kit = world.suite.kit
    (session,) = [each async for each in kit.store.stream(sessions_of(boss.user_id))]
    minutes = kit.settings.admin_idle_minutes

    async def ago(after: int) -> None:
        used_at = timestamp(kit.clock.now() - timedelta(minutes=after))
        await kit.store.write(Update(session.own_key, Session.used_at.set(used_at)))

    async def noted() -> bool:
        found = [each async for each in kit.store.stream(sessions_of(boss.user_id).consistently())]
        return bool(found[0].used_at > timestamp(kit.clock.now() - timedelta(minutes=1)))

    await ago(minutes - 1)
    for path in ("/notifications/unread", "/jobs/none/events", "/newsletter/editions/none/events"):
        assert (await browser.get(path)).status in (200, 404)
        assert not await noted(), path
    await ago(minutes + 1)
    assert (await browser.get("/notifications/unread")).status != 200
    assert (await browser.get("/admin/users")).location.startswith("/sign-in")
    await ago(minutes - 1)
    assert (await browser.get("/admin/users")).status == 200
    assert await noted()


async def test_who_reads_the_outbox_gets_no_link_of_somebody_with_more_rights(world: World) -> None:
    boss, browser = await world.person("boss", "admin")
    gus, reader = await world.person("gus")
    group = {"name": "mailroom", "description": "x", "permissions": ["house:outbox:read"]}
    assert (await call(browser, "POST", "/api/fus/groups", group)).status == 201
    assert (await call(browser, "PUT", f"/api/fus/groups/mailroom/members/{gus.user_id}")).status < 300
    await world.visitor().post("/account/forgotten", {"email": "boss@example.org"})
    (mail,) = [each for each in await world.mails() if each.subject == "Reset your password"]
    page = f"/admin/outbox/{mail.mail_id}"
    seen = await reader.get(page)
    assert "open this link within one hour" in seen.shown
    assert "token=" not in seen.text
    assert "token=" in (await browser.get(page)).text
    kit = world.suite.kit
    (session,) = [each async for each in kit.store.stream(sessions_of(boss.user_id))]
    before = timestamp(kit.clock.now() - timedelta(days=1))
    await kit.store.write(Update(session.own_key, Session.confirmed_at.set(before)))
    assert "token=" not in (await browser.get(page)).text  # asked for the password first


async def test_pages_with_addresses_or_tokens_are_kept_by_no_browser(world: World) -> None:
    boss, browser = await world.person("boss", "admin")
    visitor = world.visitor()
    made = (await visitor.call("POST", "/api/kelifax/resources", SUBMISSION)).json
    await visitor.post("/account/forgotten", {"email": "boss@example.org"})
    await world.settle()
    (mail,) = [each for each in await world.mails() if each.subject == "Reset your password"]
    (link,) = set(re.findall(r"/account/reset\?token=[\w.-]+", mail.text))
    named = {"user_id": boss.user_id, "slug": made["resourceSlug"], "mail_id": mail.mail_id}
    secret = [f"/kelifax/submissions/{made['submissionId']}{each}" for each in ("", "/edit", "/withdraw")]
    paths = {route.filled() for route in walk(world.app) if route.method == "GET" and not route.api}
    for name, value in named.items():
        paths |= {
            re.sub(rf"\{{{name}\}}", value, route.path)
            for route in walk(world.app)
            if route.method == "GET" and not route.api and re.findall(r"\{(\w+)", route.path) == [name]
        }
    # The form for a submission has one's own address in it, and what is typed there outlasts going back.
    shown, kept = list[str](), list[str]()
    for path in [*sorted(paths - {"/styleguide", "/kelifax/submit"}), *secret, link]:
        answer = await browser.get(path)
        found = "boss@example.org" in answer.text or "victim@elsewhere.example" in answer.text
        if answer.status == 200 and "html" in answer.headers.get("content-type", "") and (found or path == link):
            shown.append(path)
            if answer.headers["cache-control"] != "no-store":
                kept.append(path)
    assert kept == []
    assert len(shown) >= 8, shown
    for path in [*secret, link]:
        answer = await visitor.get(path)
        assert (answer.status, answer.headers["cache-control"]) == (200, "no-store"), path
        assert (answer.headers["referrer-policy"], answer.headers["x-robots-tag"]) == ("no-referrer", "noindex")
