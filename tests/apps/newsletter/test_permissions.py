"""Who may do what: every route of the system is walked by visitors, by people without a role, and by strangers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from partita.apps.newsletter.inputs import NewNewsletter, TopicsEdit
from partita.apps.newsletter.permissions import AUTHOR, EDITOR, ROLES, Letters
from partita.kit.permissions import Access
from tests.apps.newsletter.served import ServedLetters, Somebody, served_in
from tests.web.visitor import Answer
from tests.web.walk import Walked, walk

pytestmark = pytest.mark.anyio

PUBLIC = {"/newsletter/read/{secret}", "/newsletter/styles/{theme}.css"}
"""What everybody may open who has a secret, and how it looks."""


@pytest.fixture
def served(tmp_path: Path) -> Any:
    with served_in(tmp_path) as desk:
        yield desk


def routes(served: ServedLetters) -> list[Walked]:
    own = ("/newsletter", "/api/newsletter")
    return [each for each in walk(served.app) if each.path.startswith(own) and not each.path.endswith("/design")]


def filled(path: str, code: str) -> str:
    """A path of a newsletter that exists, whatever else it names."""
    path = path.replace("{code}", code)
    while "{" in path:
        before, _, rest = path.partition("{")
        name, _, after = rest.partition("}")
        value = {"step": "retrieval", "n": "1", "revision": "1", "format": "pdf", "theme": "journal"}.get(name, "x1")
        path = f"{before}{value}{after}"
    return path


async def knock(somebody: Somebody, route: Walked, code: str) -> Answer:
    """Use a route as its page or a program would, with nothing in the form."""
    path = filled(route.path, code)
    if route.path.startswith("/api/"):
        return await somebody.call(route.method, path, {} if route.mutates else None, token=somebody.token)
    return await (somebody.post(path, {}) if route.mutates else somebody.get(path))


async def test_roles_grant_what_the_system_says() -> None:
    assert ROLES["author"] == AUTHOR < EDITOR < ROLES["admin"] == frozenset(map(str, Letters))
    assert str(Letters.APPROVE) in EDITOR - AUTHOR
    assert str(Letters.MANAGE) not in EDITOR


async def test_no_route_is_open_to_visitors(served: ServedLetters) -> None:
    visitor = served.visitor()
    for route in routes(served):
        if route.permission == Access.PUBLIC:
            assert any(route.path.startswith(each.partition("{")[0]) for each in PUBLIC), route.path
            continue
        answer = await knock(visitor, route, "NL-20260101-AAAA")
        assert answer.status in (303, 401), (route, answer.status)


async def test_somebody_without_a_role_gets_nothing_but_what_this_is(served: ServedLetters) -> None:
    nobody = await served.person("", "Nora")
    desk = await nobody.get("/newsletter")
    assert desk.status == 200
    assert "Ask an administrator" in desk.text
    for route in routes(served):
        if route.permission in (Access.PUBLIC, Access.SIGNED_IN):
            continue
        answer = await knock(nobody, route, "NL-20260101-AAAA")
        assert answer.status == 403, (route, answer.status)


async def test_a_stranger_with_a_role_finds_nothing_of_somebody_elses_newsletter(served: ServedLetters) -> None:
    owner, stranger = await served.person("author", "Owner"), await served.person("editor", "Stranger")
    made = await served.service.newsletters.create(owner.viewer, NewNewsletter(title="Secret edition"))
    code = made.newsletter_code
    await served.service.topics.edit(owner.viewer, code, TopicsEdit(selected_types=("Policy Updates",)))
    before = await served.service.newsletters.full(owner.viewer, code)
    for route in routes(served):
        if "{code}" not in route.path or "proposal" in route.path:
            continue
        answer = await knock(stranger, route, code)
        if answer.status == 303:  # a form without anything in it leads back to its page
            answer = await stranger.follow(answer)
        # What cannot be read at all is refused before anybody looks for the newsletter.
        assert answer.status in (400, 403, 404, 422), (route, answer.status, answer.text[:300])
        assert "Secret edition" not in answer.text
    assert await served.service.newsletters.full(owner.viewer, code) == before
