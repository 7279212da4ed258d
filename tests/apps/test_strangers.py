"""What belongs to others: somebody with an account and no role sends everything that members may send to the addresses
of other people's things, in all systems. Of what others own, only counts may change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
import orjson
import pytest
from fastapi import FastAPI

from partita.bootstrap import build
from partita.kit.permissions import Access
from partita.kit.schema import HOUSE
from partita.kit.settings import Settings
from partita.kit.suite import Suite, policy_of
from partita.table import Item
from partita.web.app import create_app
from tests.demo_folder import MOST_SECONDS, copy_demo
from tests.web.visitor import Visitor
from tests.web.walk import Walked, walk

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(MOST_SECONDS + 300)]

PASSWORD = "correct horse battery"
TRIES = 1
"""So many things of a kind are tried for each route."""
TYPED = {
    **dict.fromkeys(("title", "name", "text", "note", "reason", "comment", "message"), "Changed by a stranger"),
    **dict.fromkeys(("on", "confirm", "remove", "agree"), "true"),
    **dict.fromkeys(("rating", "place", "position"), "1"),
}
"""What forms of any kind might take."""
CHOICES = {"kind": "film", "content_type": "MOVIE", "what": "list", "store": "house"}
ALIASES = {"comment_id": "name"}
"""Names of parameters that items have another word for."""
IDENTIFIER = re.compile(r"[0-9a-z]{26}|[0-9a-f]{8}-[0-9a-f-]{27}")
Body = dict[str, Any]
Rows = Mapping[tuple[str, bytes], str]
"""Tables and keys, and the items as JSON."""


@dataclass(frozen=True, slots=True)
class Place:
    """A route with the things that its address names."""

    route: Walked
    path: str


async def test_a_member_changes_nothing_of_others_but_counts_and_a_suspended_one_nothing(tmp_path: Path) -> None:
    copy_demo(tmp_path / "data")
    suite = build(Settings(data=tmp_path / "data", fetch=False))
    try:
        app = create_app(suite)
        stranger_id, stranger = await enter(suite, app, "mallory")
        suspended_id, suspended = await enter(suite, app, "sammy")
        await enter(suite, app, "victim")
        accounts = suite.kit.accounts
        await accounts.administration.suspend(accounts.operator(), suspended_id)
        before = stored(suite.kit.settings.data)
        theirs = {stranger_id, suspended_id}
        others = list(typed({key: body for key, body in before.items() if not any(each in body for each in theirs)}))
        wanted = list(places(suite, app, others))
        assert len({place.route.path for place in wanted}) > 75, "the walk has lost its way"
        examples = example_bodies(app)
        for number, place in enumerate(wanted):
            answer = await send(stranger, place, examples)
            assert answer.status < 500, (place, answer.text)
            if number % 4 == 0:
                refused = await send(suspended, place, examples)
                assert refused.status >= 400 or refused.location.startswith("/sign-in"), place
        after = stored(suite.kit.settings.data)
    finally:
        await suite.close()
    assert list(trespasses(before, after, stranger_id)) == []
    assert sum(stranger_id in body for body in after.values()) > 20, "nothing was done at all"


WORKING = ("newsletter:author", "enablement:contributor")
"""Roles whose holders write things of their own, and nothing of each other's."""


async def test_somebody_with_the_same_working_role_changes_nothing_of_others_but_counts(tmp_path: Path) -> None:
    copy_demo(tmp_path / "data")
    suite = build(Settings(data=tmp_path / "data", fetch=False))
    try:
        app = create_app(suite)
        stranger_id, stranger = await enter(suite, app, "mallory", *WORKING)
        before = stored(suite.kit.settings.data)
        others = list(typed({key: body for key, body in before.items() if stranger_id not in body}))
        granted = policy_of(suite.systems).granted(WORKING) - policy_of(suite.systems).members
        wanted = list(places(suite, app, others, granted))
        assert len({place.route.path for place in wanted}) > 40, "the walk has lost its way"
        examples = example_bodies(app)
        for place in wanted:
            answer = await send(stranger, place, examples)
            assert answer.status < 500, (place, answer.text)
        after = stored(suite.kit.settings.data)
    finally:
        await suite.close()
    assert list(trespasses(before, after, stranger_id, strictly=True)) == []


async def test_a_reader_of_a_share_changes_nothing_of_it(tmp_path: Path) -> None:
    suite = build(Settings(data=tmp_path / "data", fetch=False, meaning=False, durability="off"))
    try:
        app = create_app(suite)
        _, alice = await enter(suite, app, "alice", "newsletter:author")
        reader_id, rita = await enter(suite, app, "rita", "newsletter:author")
        same = {"sec_fetch_site": "same-origin"}
        made = await alice.call("POST", "/api/newsletter/newsletters", {"title": "May"}, **same)
        code = made.json["newsletterCode"]
        shares = f"/api/newsletter/newsletters/{code}/shares"
        assert (await alice.call("POST", shares, {"to": "rita", "role": "reader"}, **same)).status < 300
        examples = example_bodies(app)
        before = stored(suite.kit.settings.data)
        sent = 0
        for route in walk(app):
            if not route.mutates or not re.match(r"/(api/)?newsletter/(editions|newsletters)/\{code\}", route.path):
                continue
            path = route.path.replace("{code}", code).replace("{step}", "outline").replace("{user_id}", reader_id)
            answer = await send(rita, Place(route, re.sub(r"\{\w+(:\w+)?\}", "1", path)), examples)
            assert answer.status < 500, (path, answer.text)
            sent += 1
        assert sent > 40, "the walk has lost its way"
        after = stored(suite.kit.settings.data)
    finally:
        await suite.close()
    touched = {
        key: body for key, body in after.items() if before.get(key, body) != body and reader_id not in before[key]
    }
    gone = [body for key, body in before.items() if key not in after and reader_id not in body]
    assert [body for key, body in touched.items() if key[0] != HOUSE.name and code in body] == []
    assert [body for body in gone if code in body] == []


async def enter(suite: Suite, app: FastAPI, name: str, *roles: str) -> tuple[str, Visitor]:
    accounts = suite.kit.accounts
    made = await accounts.registration.create(name, f"{name}@example.org", name, PASSWORD)
    if roles:
        await accounts.administration.set_roles(accounts.operator(), made.user_id, roles)
    visitor = Visitor(app, suite.kit.settings.base_url)
    assert (await visitor.post("/sign-in", {"identity": name, "password": PASSWORD})).status == 303
    return made.user_id, visitor


def places(
    suite: Suite, app: FastAPI, others: Sequence[Item], allowed: frozenset[str] = frozenset()
) -> Iterator[Place]:
    """Every route that members may use to change something that its address names, with things of others; or those for
    which one of these permissions is enough."""
    allowed = allowed or policy_of(suite.systems).members | {str(Access.SIGNED_IN)}
    for route in walk(app):
        names = re.findall(r"\{(\w+)", route.path)
        if not route.mutates or not names or route.permission not in allowed:
            continue
        found: dict[str, None] = {}
        for item in others:
            at = {name: value for name in names if (value := value_of(item, name))}
            if len(at) == len(set(names)):
                path = route.path
                for name, value in at.items():
                    path = re.sub(rf"\{{{name}(:\w+)?\}}", quote(value, safe=""), path)
                found[path] = None
            if len(found) == TRIES:
                break
        yield from (Place(route, path) for path in found)


@cache
def names_of(kind: type[Item]) -> frozenset[str]:
    return frozenset(kind.__attributes__) | frozenset(dir(kind))


def value_of(item: Item, name: str) -> str:
    for each in {name, ALIASES.get(name, name)} & names_of(type(item)):
        if isinstance(value := getattr(item, each), str) and value:
            return value
    return CHOICES.get(name, "")


def typed(rows: Rows) -> Iterator[Item]:
    """Some items of every shape, as their types read them."""
    kinds: dict[str, list[type[Item]]] = {}
    for kind in _below(Item):
        if hasattr(kind, "__table__"):
            kinds.setdefault(kind.__table__.name, []).append(kind)
    shapes: Counter[tuple[str, ...]] = Counter()
    for (table, _), text in rows.items():
        body = orjson.loads(text)
        shape = (table, *sorted(body))
        shapes[shape] += 1
        if shapes[shape] <= TRIES:
            yield from (kind.from_row(body) for kind in kinds.get(table, ()) if kind.owns(body))


def _below(kind: type[Item]) -> set[type[Item]]:
    return {each for below in kind.__subclasses__() for each in (below, *_below(below))}


async def send(who: Visitor, place: Place, examples: Mapping[tuple[str, str], Any]) -> Any:
    if place.route.path.startswith("/api/"):
        content = examples.get((place.route.method, place.route.path))
        return await who.call(place.route.method, place.path, content, sec_fetch_site="same-origin")
    return await who.post(place.path, TYPED)


def example_bodies(app: FastAPI) -> dict[tuple[str, str], Any]:
    """The example of its documentation for each operation that takes JSON."""
    described = app.openapi()
    found: dict[tuple[str, str], Any] = {}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body is None:
                continue
            for schema in (body["schema"], *body["schema"].get("anyOf", ())):
                if "$ref" in schema:
                    model = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
                    found[method.upper(), path] = model.get("example") or (model.get("examples") or [{}])[0]
    return found


def trespasses(
    before: Rows, after: Rows, stranger_id: str, *, strictly: bool = False
) -> Iterator[tuple[str, str | None, str | None]]:
    """What is gone, or changed in more than numbers, or is new and belongs neither to the stranger nor a new thing. In
    what others own, `strictly` not even the stranger's name may be written."""
    old = {each for body in before.values() for each in IDENTIFIER.findall(body)}
    for key in {*before, *after}:
        was, now = before.get(key), after.get(key)
        named = was or now or "" if strictly else (was or "") + (now or "")
        if was == now or stranger_id in named:
            continue
        if was is None and key[0] == HOUSE.name:
            continue  # limits, forms that are kept, notices: nobody's
        if was is None or now is None:
            wrong = now is None or set(IDENTIFIER.findall(now)) <= old
        else:
            wrong = any(set(value) != {"N"} for value in differences(orjson.loads(was), orjson.loads(now)))
        if wrong:
            yield key[0], was, now


def differences(was: Body, now: Body) -> Iterator[Body]:
    for name in {*was, *now}:
        if was.get(name) != now.get(name):
            yield from (value for value in (was.get(name), now.get(name)) if value is not None)


def stored(data: Path) -> dict[tuple[str, bytes], str]:
    """Every item of every table."""
    connection = apsw.Connection(str(data / "partita.sqlite3"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        tables: list[Any] = connection.execute("SELECT id, name FROM tables").fetchall()
        return {
            (name, key): body.decode()
            for number, name in tables
            for key, body in list[Any](connection.execute(f"SELECT key, body FROM items_{number}"))
        }
    finally:
        connection.close()
