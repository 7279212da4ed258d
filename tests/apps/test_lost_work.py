"""Nothing that somebody typed is lost, in any form of the suite: refused, sent too late, or sent after the session."""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

import pytest

from partita.bootstrap import build
from partita.kit.permissions import Access
from partita.kit.routes import keeps
from partita.kit.settings import Settings
from partita.store import Observation
from partita.web.app import create_app
from tests.web.conftest import PASSWORD, Person, Served
from tests.web.filled import filled
from tests.web.walk import walk

pytestmark = pytest.mark.anyio
_SKIPPED = re.compile(
    r"/(static|files|api|metrics|healthz|readyz|admin/outbox|fus/export/|fus/me/data/)|.*/design$|/sign-|/theme"
)
_WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
_ENDS_ONESELF = ("/sign-out", "/theme", "/suspend", "/end-access", "/account/password", "/end", "/roles", "/restore")
SHOWS_A_PAGE = {
    "/fus/import": "a report; each address is in the catalog once, so that sending it again adds nothing",
    "/kelifax/submit": "the next of three steps; nothing is saved before the last, which redirects",
}
"""Forms that are answered by a page although nothing is wrong, and why a reload does no harm."""


@dataclass(slots=True)
class Form:
    """A form of a page."""

    page: str
    action: str
    typed: list[str] = field(default_factory=list)
    """The names of its fields that take text of any length."""


@dataclass(frozen=True, slots=True)
class Lived:
    """A suite with something in it, and everything that can be sent there."""

    served: Served
    admin: Person
    forms: list[Form]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def lived(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Lived]:
    suite = build(Settings(data=tmp_path_factory.mktemp("lived"), fetch=False, systems=("kelifax", "fus")))
    served = Served(suite, create_app(suite))
    for system in suite.systems:
        if system.demo is not None:
            await system.demo()
    admin = await served.person("Admin", "admin")
    site = (await admin.get("/api/fus/sites?limit=1")).json["items"][0]["siteId"]
    await admin.post(f"/fus/sites/{site}/rating", {"stars": "4", "note": "Mine."})
    await admin.post(f"/fus/sites/{site}/comments", {"body": "My comment."})
    yield Lived(served, admin, await _forms(served, admin, ["/", f"/fus/sites/{site}"]))
    await suite.close()


async def test_the_forms_are_found(lived: Lived) -> None:
    actions = {
        re.sub(r"/[0-9a-z]{20,}[^/]*|/(?<=moderation/)[\w-]+|/(?<=groups/)[\w-]+", "/…", each.action)
        for each in lived.forms
        if each.typed
    }
    assert len(actions) >= 12, actions


async def test_a_refused_form_comes_back_with_everything_that_was_typed(
    lived: Lived, subtests: pytest.Subtests
) -> None:
    for form in lived.forms:
        if not form.typed or form.action == "/kelifax/submit":  # its steps have tests of their own
            continue
        with subtests.test(form.action):
            page = (await lived.admin.get(form.page)).text
            texts = {name: f"Typed {place} " + "very long " * 1100 for place, name in enumerate(form.typed)}
            answer = await lived.admin.post(form.action, _with(filled(page, form.action), texts))
            assert answer.status in (409, 413, 422), (answer.status, form)
            for text in texts.values():
                assert text.strip() in answer.shown


async def test_what_is_sent_after_the_session_is_shown_again_after_signing_in_and_never_saved_by_itself(
    lived: Lived, subtests: pytest.Subtests
) -> None:
    kept = 0
    browser = await lived.served.enter(lived.admin.account)
    session = browser.cookies["partita"]
    for form in lived.forms:
        if not form.typed or _is_public(lived, form.action):
            continue
        with subtests.test(form.action):
            page = (await browser.get(form.page)).text
            texts = {name: f"Typed {place} & <kept>" for place, name in enumerate(form.typed)}
            browser.cookies.pop("partita")
            late = await browser.post(form.action, _with(filled(page, form.action), texts))
            assert (late.status, late.location[:20]) == (303, "/sign-in?next=/kept/")
            assert "What you typed is kept" in (await browser.follow(late)).shown
            back = late.location.partition("next=")[2]
            browser.cookies["partita"] = session
            written = await _writes(lived, browser, back)
            assert written == []
            shown = await browser.get(back)
            assert shown.status == 200
            assert "not saved" in shown.shown
            for text in texts.values():
                assert text in shown.shown
            kept += 1
    assert kept >= 10


async def test_signing_in_again_leads_to_what_was_typed(lived: Lived) -> None:
    ada = await lived.served.person("Ada")
    comments = next(form.action for form in lived.forms if form.action.endswith("/comments"))
    await ada.post("/sign-out")
    late = await ada.post(comments, {"body": "Typed before I was signed out."})
    page = await ada.follow(late)
    wrong = await ada.post("/sign-in", _with(filled(page.text, "/sign-in"), {"identity": "ada", "password": "wrong"}))
    assert wrong.status == 401
    identity = {"identity": ada.account.username, "password": PASSWORD}
    again = await ada.follow(await ada.post("/sign-in", _with(filled(wrong.text, "/sign-in"), identity)))
    assert ("body", "Typed before I was signed out.") in filled(again.text, comments)
    sent = await ada.post(comments, filled(again.text, comments))
    assert sent.status == 303
    posted = await ada.get(sent.location.partition("#")[0])
    assert "Typed before I was signed out." in posted.shown


async def test_what_was_typed_is_kept_for_the_person_who_typed_it(lived: Lived) -> None:
    ada, ben = await lived.served.person("Ada"), await lived.served.person("Ben")
    site = next(form.action for form in lived.forms if form.action.endswith("/comments"))
    session = ada.cookies.pop("partita")
    late = await ada.post(site, {"body": "Only for Ada."})
    path = late.location.partition("next=")[2]
    assert (await ben.get(path)).status == 404
    assert (await lived.served.visitor().get(path)).location == f"/sign-in?next={quote(path)}"
    ada.cookies["partita"] = session
    assert "Only for Ada." in (await ada.get(path)).shown


@pytest.mark.parametrize("letters", ["plain ", "ሰላም ለዓለም ", "سلام عليكم ", "😀 ", "50% & a=b+c;\n"])
async def test_as_much_is_kept_in_every_script(lived: Lived, letters: str) -> None:
    ada = await lived.served.person("Ada")
    comments = next(form.action for form in lived.forms if form.action.endswith("/comments"))
    body = (letters * 20_000)[:20_000]
    session = ada.cookies.pop("partita")
    late = await ada.post(comments, {"body": body})
    ada.cookies["partita"] = session
    again = await ada.get(late.location.partition("next=")[2])
    assert dict(filled(again.text, comments))["body"].split() == body.split()


async def test_nothing_is_kept_of_strangers_of_secrets_and_of_what_is_too_large(lived: Lived) -> None:
    ada = await lived.served.person("Ada")
    comments = next(form.action for form in lived.forms if form.action.endswith("/comments"))
    stranger = lived.served.visitor()
    assert "/kept/" not in (await stranger.post(comments, {"body": "Who am I?"})).location
    stranger.cookies["partita-person"] = ada.cookies["partita-person"][:-2] + "AA"
    assert "/kept/" not in (await stranger.post(comments, {"body": "Forged."})).location
    session = ada.cookies.pop("partita")
    assert "/kept/" not in (await ada.post(comments, {"body": "x" * 70_000})).location
    late = await ada.post("/account/email", {"email": "new@example.org", "password": "hunter2-hunter2"})
    ada.cookies["partita"] = session
    path = late.location.partition("next=")[2]
    shown = (await ada.get(path)).text
    assert "new@example.org" in shown
    assert "hunter2" not in shown


async def test_another_site_cannot_leave_a_form_for_somebody(lived: Lived) -> None:
    ada = await lived.served.person("Ada")
    ada.cookies.pop("partita")
    comments = next(form.action for form in lived.forms if form.action.endswith("/comments"))
    planted = await ada.post(comments, {"body": "Buy my rope."}, sec_fetch_site="cross-site")
    assert planted.status == 403


async def test_forms_are_not_kept_without_end(lived: Lived) -> None:
    ada = await lived.served.person("Ada")
    ada.cookies.pop("partita")
    comments = next(form.action for form in lived.forms if form.action.endswith("/comments"))
    places = [(await ada.post(comments, {"body": str(number)})).location for number in range(32)]
    assert sum("/kept/" in place for place in places) == 30


async def test_every_form_that_somebody_has_to_be_signed_in_for_is_kept(lived: Lived) -> None:
    reading = re.compile(r"\b(submitted|edited|save_or_preview|save_or_again)\(")
    for route in _routes(lived):
        if "POST" in route.methods and (route.openapi_extra or {}).get("x-permission") != Access.PUBLIC:
            reads = bool(reading.search(inspect.getsource(route.endpoint)))
            secret = route.path in ("/account/password", "/account/confirm", "/account/second-factor/add")
            assert (keeps(route) is not None) == (reads and not secret), route.path


async def test_every_button_redirects_so_that_a_reload_repeats_nothing(lived: Lived, subtests: pytest.Subtests) -> None:
    """Last, since it presses all of them."""
    pressed = 0
    for form in sorted(lived.forms, key=lambda each: each.action.endswith(("/delete", "/remove"))):
        if form.action.endswith(_ENDS_ONESELF):
            continue
        with subtests.test(form.action):
            opened = await lived.admin.get(form.page)
            if opened.status != 200 or f'action="{form.action}"' not in opened.text:
                continue  # another button has removed it
            answer = await lived.admin.post(form.action, filled(opened.text, form.action))
            assert answer.status >= 300 or form.action in SHOWS_A_PAGE, (answer.status, form)
            pressed += answer.status == 303
    assert pressed >= 12


async def _writes(lived: Lived, browser: Person, path: str) -> list[str]:
    """What opening a page writes."""
    seen: list[Observation] = []
    lived.served.suite.kit.tables.observe(seen.append)
    await browser.get(path)
    return [f"{each.operation} {each.tables}" for each in seen if each.operation in _WRITES]


def _is_public(lived: Lived, path: str) -> bool:
    for route in _routes(lived):
        if "POST" in route.methods and route.path_regex.match(path.partition("?")[0]):
            return (route.openapi_extra or {}).get("x-permission") == Access.PUBLIC
    raise AssertionError(path)


def _routes(lived: Lived) -> list[Any]:
    from fastapi.routing import APIRoute, iter_route_contexts

    originals = (each.original_route for each in iter_route_contexts(lived.served.app.routes))
    return [route for route in originals if isinstance(route, APIRoute) and not route.path.startswith("/api/")]


def _with(fields: list[tuple[str, str]], typed: dict[str, str]) -> list[tuple[str, str]]:
    kept = [(name, value) for name, value in fields if name not in typed]
    return [*kept, *typed.items()]


async def _forms(served: Served, somebody: Person, start: list[str]) -> list[Form]:
    """The forms of one page of every route."""
    patterns = [
        (route.path, re.compile(re.sub(r"\{\w+(:path)?\}", "[^/]+", route.path)))
        for route in walk(served.app)
        if route.method == "GET"
    ]
    waiting, seen, found = list(start), set[str](), dict[str, Form]()
    while waiting:
        path = waiting.pop(0)
        plain = path.partition("?")[0]
        route = next((name for name, pattern in patterns if pattern.fullmatch(plain)), None)
        if route is None or route in seen or _SKIPPED.match(plain):
            continue
        answer = await somebody.get(path)
        if answer.status != 200 or "text/html" not in answer.headers["content-type"]:
            continue
        seen.add(route)
        reader = _Reader(path)
        reader.feed(answer.text)
        waiting += reader.links
        for form in reader.forms:
            found.setdefault(form.action, form)
    return list(found.values())


class _Reader(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.links: list[str] = []
        self.forms: list[Form] = []
        self._form: Form | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "a" and known.get("href", "").startswith("/"):
            self.links.append(known["href"].partition("#")[0])
        elif tag == "form" and known.get("method") == "post":
            self._form = Form(self.page, known["action"])
            self.forms.append(self._form)
        elif self._form is not None and tag in ("textarea", "input") and known.get("name"):
            text = tag == "textarea" or known.get("type", "text") in ("text", "url", "email")
            name = known["name"]
            if text and "hidden" not in known and name not in self._form.typed and not re.search(r"\.\d", name):
                self._form.typed.append(name)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
