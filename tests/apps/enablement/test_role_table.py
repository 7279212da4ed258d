"""The role table through the API: every action that it has, for everybody, in every state."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from partita.apps.enablement.inputs import Approval, ContentEdit, MustReadRequest, Reason, Retirement, Submission
from partita.apps.enablement.permissions import Action, Enablement, State
from partita.apps.enablement.schema import Content
from partita.kit.problems import Conflict
from tests.apps.enablement.conftest import NOTE, TABLES
from tests.apps.enablement.served import ServedPortal, Somebody, serve
from tests.apps.enablement.test_access import EXPECTED, UNKNOWN_TO
from tests.apps.house import kit_on
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio
LETTERS = "VCOAX"
"""Viewer, another contributor, owner, approver, administrator."""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@dataclass(frozen=True)
class World:
    portal: ServedPortal
    people: dict[str, Somebody]

    async def content(self, state: State, *, pending: bool, file: bool = False) -> Content:
        """Content of the owner in a state; with something to decide on, if the state allows it, or with a file."""
        owner, approver = self.people["O"].viewer, self.people["Z"].viewer
        lifecycle = self.portal.service.lifecycle
        policy = "hard_expire" if state is State.HARD_EXPIRED else None
        draft = await self.portal.draft(self.people["O"], expiry_policy=policy)
        if file:
            await self.portal.attach(self.people["O"], draft.content_id, b"country,price\nFR,100\n", "prices.csv")
        if state is State.DRAFT and not pending:
            return draft
        content = await lifecycle.submit(owner, draft.content_id, Submission())
        assert isinstance(content, Content)
        if state is State.DRAFT:
            return content
        later = (datetime.now(UTC) + timedelta(days=9)).date().isoformat() if state is State.SCHEDULED else None
        approval = Approval(version=content.version, release_on=later)
        content = await lifecycle.approve(approver, content.content_id, approval)
        if state in (State.SOFT_EXPIRED, State.HARD_EXPIRED):
            return await lifecycle.expire(approver, content.content_id, Reason())
        if state is State.RETIRED:
            return await lifecycle.retire(approver, content.content_id, Retirement(reason="Old."))
        if pending:
            await self.portal.service.content.edit(owner, content.content_id, ContentEdit(summary="New prices."))
            await lifecycle.submit(owner, content.content_id, Submission(note=NOTE))
        return content


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    with kit_on(tmp_path_factory.mktemp("roles"), *TABLES) as kit:
        portal = serve(kit)
        roles = {"V": "", "C": "contributor", "O": "contributor", "A": "approver", "X": "admin", "Z": "approver"}
        people = {letter: await portal.person(role, f"Role-{letter}") for letter, role in roles.items()}
        yield World(portal, people)


Ask = Callable[[World, Somebody, Content], Awaitable[Answer]]


def _post(path: str, body: Any = None) -> Ask:
    async def ask(_world: World, who: Somebody, content: Content) -> Answer:
        return await who.api("POST", f"/content/{content.content_id}/{path}", body)

    return ask


def _get(path: str = "") -> Ask:
    async def ask(_world: World, who: Somebody, content: Content) -> Answer:
        return await who.api("GET", f"/content/{content.content_id}{path}")

    return ask


def _put(path: str, body: Any) -> Ask:
    async def ask(_world: World, who: Somebody, content: Content) -> Answer:
        return await who.api("PUT", path.format(content.content_id), body)

    return ask


async def _approve(world: World, who: Somebody, content: Content) -> Answer:
    proposal = await world.portal.service.changing.proposal(content.content_id)
    version = content.version if proposal is None else proposal.version
    return await who.api("POST", f"/content/{content.content_id}/approve", {"version": version, "note": NOTE})


def _delete(path: str) -> Ask:
    async def ask(_world: World, who: Somebody, content: Content) -> Answer:
        return await who.api("DELETE", path.format(content.content_id))

    return ask


async def _ask_to_read(world: World, who: Somebody, content: Content) -> Answer:
    request = {"read_by": "2099-01-31", "usernames": [world.people["V"].viewer.username]}
    return await who.api("PUT", f"/content/{content.content_id}/must-read", request)


async def _asked(world: World, content: Content) -> None:
    """Somebody must read it, if anybody can be asked."""
    with suppress(Conflict):
        request = MustReadRequest(read_by="2099-01-31", usernames=(world.people["V"].viewer.username or "",))
        await world.portal.service.reading.ask(world.people["Z"].viewer, content.content_id, request)


async def _remind(world: World, who: Somebody, content: Content) -> Answer:
    await _asked(world, content)
    return await who.api("POST", f"/content/{content.content_id}/must-read/remind")


async def _withdraw_asking(world: World, who: Somebody, content: Content) -> Answer:
    await _asked(world, content)
    return await who.api("DELETE", f"/content/{content.content_id}/must-read")


ACTIONS: list[tuple[Action, str, Ask, Enablement]] = [
    (Action.READ, "read", _get(), Enablement.READ),
    (Action.DOWNLOAD, "download", _get("/download"), Enablement.READ),
    (Action.CHANGE_NOTES, "versions", _get("/versions"), Enablement.READ),
    (Action.HISTORY, "history", _get("/history"), Enablement.READ),
    (Action.EDIT, "edit", _put("/content/{}", {"summary": "Other prices."}), Enablement.WRITE),
    (Action.COMMENT, "comment", _post("comments", {"comment": "Really?"}), Enablement.READ),
    (Action.DECIDE, "request changes", _post("request-changes", {"comment": "More."}), Enablement.APPROVE),
    (Action.DECIDE, "approve", _approve, Enablement.APPROVE),
    (Action.PLAN, "validity", _put("/content/{}/validity", {"expiry_date": "2099-01-01"}), Enablement.APPROVE),
    (Action.PLAN, "expire", _post("expire", {}), Enablement.APPROVE),
    (Action.PLAN, "deprecate", _post("deprecate", {"reason": "Old."}), Enablement.APPROVE),
    (Action.CONFIRM, "confirm", _post("confirm"), Enablement.WRITE),
    (Action.RENEW, "renew", _post("renew"), Enablement.WRITE),
    (Action.REINSTATE, "reinstate", _post("reinstate"), Enablement.APPROVE),
    (Action.RESPOND, "follow", _put("/follows/content/{}", None), Enablement.READ),
    (Action.RESPOND, "vote", _put("/content/{}/vote", {"helped": True}), Enablement.READ),
    (Action.RESPOND, "report", _post("reports", {"text": "The price is from last year."}), Enablement.READ),
    (Action.RESPOND, "have read", _post("read"), Enablement.READ),
    (Action.ASK, "ask to read", _ask_to_read, Enablement.APPROVE),
    (Action.ASK, "remind", _remind, Enablement.APPROVE),
    (Action.ASK, "ask no more", _withdraw_asking, Enablement.APPROVE),
    (Action.SEE_READERS, "readers", _get("/readers"), Enablement.READ),
    (Action.SEE_READERS, "readers as a table", _get("/readers.csv"), Enablement.READ),
    (Action.DELETE, "delete", _delete("/content/{}"), Enablement.WRITE),
    (Action.HAND_OVER, "transfer", _post("transfer", {"to": "role-c"}), Enablement.WRITE),
]
CELLS = [
    pytest.param(action, ask, needs, state, cell, id=f"{name}-{state}")
    for action, name, ask, needs in ACTIONS
    for state, cell in zip(State, EXPECTED[action].split(), strict=True)
]


@pytest.mark.parametrize(("action", "ask", "needs", "state", "cell"), CELLS)
async def test_the_api_keeps_to_the_role_table(
    world: World, action: Action, ask: Ask, needs: Enablement, state: State, cell: str
) -> None:
    allowed = cell.partition("/")[0]
    if action is Action.DELETE and state is State.DRAFT:
        allowed += "O"  # this one was never approved
    pending = action is Action.DECIDE
    file = action is Action.DOWNLOAD
    content = await world.content(state, pending=pending, file=file)
    statuses: dict[str, int] = {}
    expected: dict[str, int | str] = {}
    for letter in LETTERS:
        who = world.people[letter]
        if letter in allowed:
            mine = await world.content(state, pending=pending, file=file)
            statuses[letter] = (await ask(world, who, mine)).status // 100
            expected[letter] = 3 if file else 2
            continue
        statuses[letter] = (await ask(world, who, content)).status
        if not who.viewer.may(needs):
            expected[letter] = 403  # whatever the item is: the route itself is closed to them
        elif letter in UNKNOWN_TO.get(state, ""):
            expected[letter] = 404
        else:
            expected[letter] = 409 if cell == "-" else 403
    assert statuses == expected


async def test_lists_and_search_have_only_what_somebody_may_find(world: World) -> None:
    contents = {state: await world.content(state, pending=False) for state in State}
    owner = world.people["O"].viewer.id
    for letter in LETTERS:
        found: set[str] = set()
        cursor = ""
        while True:
            answer = (await world.people[letter].api("GET", f"/content?owner={owner}&limit=100{cursor}")).json
            found |= {item["content_id"] for item in answer["items"]}
            if answer["next_cursor"] is None:
                break
            cursor = f"&cursor={answer['next_cursor']}"
        for state, cell in zip(State, EXPECTED[Action.FIND].split(), strict=True):
            assert (contents[state].content_id in found) == (letter in cell), (letter, state)


async def test_nobody_decides_on_their_own_work_but_administrators(world: World) -> None:
    people = world.people
    for letter, status in (("A", 403), ("X", 200)):
        draft = await world.portal.draft(people[letter])
        answer = await people[letter].api("POST", f"/content/{draft.content_id}/approve", {"version": draft.version})
        assert answer.status == status
        if status == 403:
            assert answer.json["code"] == "own_work"
            assert (await _approve(world, people["Z"], draft)).status == 200


async def test_an_approval_names_the_version_it_saw(world: World) -> None:
    content = await world.content(State.DRAFT, pending=True)
    await world.portal.service.content.edit(
        world.people["O"].viewer, content.content_id, ContentEdit(summary="Changed meanwhile.")
    )
    answer = await world.people["A"].api("POST", f"/content/{content.content_id}/approve", {"version": content.version})
    assert (answer.status, answer.json["code"]) == (409, "changed_meanwhile")


async def test_without_signing_in_there_is_nothing(world: World) -> None:
    content = await world.content(State.RELEASED, pending=False)
    visitor = world.portal.visitor()
    for path in ("/queue", "/review", "/notifications", "/subscriptions", "/follows", f"/content/{content.content_id}"):
        assert (await visitor.api("GET", path)).status == 401, path
