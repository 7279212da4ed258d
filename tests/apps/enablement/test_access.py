"""Who may do what in which state: every cell of the role table, for everybody."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from partita.apps.enablement.permissions import CONTRIBUTOR, ROLES, Action, Enablement, State, members, role_table
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service.access import Verdict, require, state_of, verdict, visible_to
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Conflict, Forbidden, NotFound
from tests.apps.enablement.conftest import ADMIN, ANNA, CARL, CARLA, VERA
from tests.apps.house import person

DOCS = Path(__file__).parents[3] / "docs/enablement.md"
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
STATES: dict[State, dict[str, Any]] = {
    State.DRAFT: {"status": "Draft", "version": "1.4"},
    State.SCHEDULED: {
        "status": "Approved",
        "version": "1.0",
        "approval_state": "scheduled",
        "submitted_at": "2026-03-01T00:00:00Z",
        "effective_date": "2026-03-09",
    },
    State.RELEASED: {"status": "Approved", "version": "1.0", "released_at": "2026-03-01T00:00:00Z"},
    State.SOFT_EXPIRED: {"status": "Expired", "version": "1.1", "expiry_policy": None},
    State.HARD_EXPIRED: {"status": "Expired", "version": "1.1", "expiry_policy": "hard_expire"},
    State.RETIRED: {"status": "Deprecated", "version": "1.1"},
}
PEOPLE: dict[str, Viewer] = {"V": VERA, "C": CARL, "O": CARLA, "A": ANNA, "X": ADMIN}
"""Viewer, another contributor, owner, approver, administrator."""
WORDS = {"—": "-", "V": "VCOAX", "O A X; V: short page": "OAX/VC", "O if never approved, X": "X"}
"""A cell of the document → for each state who is allowed, `/` who gets a short page; `-` is nobody, whoever asks. (The
drafts here were approved once.)"""


def _documented() -> dict[Action, str]:
    """The role table as it stands in the document: what is promised, not what the code says."""
    table = DOCS.read_text().partition("<!-- role table -->")[2].partition("<!-- end -->")[0]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n") if line]
    assert head == ["action", *State]
    return {Action(name): " ".join(WORDS.get(cell, cell.replace(" ", "")) for cell in cells) for name, *cells in rows}


EXPECTED = _documented()
UNKNOWN_TO = {State.DRAFT: "VC", State.SCHEDULED: "VC"}
CELLS = [
    (action, state, letter, cell)
    for action, cells in EXPECTED.items()
    for state, cell in zip(State, cells.split(), strict=True)
    for letter in PEOPLE
]


def _content(state: State, **changes: Any) -> Content:
    values = {**STATES[state], **changes}
    return Content(content_id="c1", title="T", owner_user_id="carla", last_updated="2026-03-01T00:00:00Z", **values)


@pytest.mark.parametrize(("action", "state", "letter", "cell"), CELLS)
def test_the_role_table(action: Action, state: State, letter: str, cell: str) -> None:
    allowed, _, short = cell.partition("/")
    if letter in UNKNOWN_TO.get(state, ""):
        expected = Verdict.HIDDEN
    elif cell == "-":
        expected = Verdict.CONFLICT
    elif letter in allowed:
        expected = Verdict.ALLOWED
    else:
        expected = Verdict.SHORT if letter in short else Verdict.FORBIDDEN
    assert verdict(PEOPLE[letter], _content(state), action, NOW) is expected


def test_every_action_and_state_is_in_the_table() -> None:
    assert set(EXPECTED) == set(Action)


def test_the_documents_table_is_the_one_in_the_code() -> None:
    assert role_table() in DOCS.read_text()


def test_an_owner_deletes_what_was_never_approved() -> None:
    assert verdict(CARLA, _content(State.DRAFT, version="0.7"), Action.DELETE, NOW) is Verdict.ALLOWED
    assert verdict(CARLA, _content(State.DRAFT, version="1.0"), Action.DELETE, NOW) is Verdict.FORBIDDEN


@pytest.mark.parametrize("state", State)
def test_nobody_sees_anything_without_the_role_if_the_setting_asks_for_it(state: State) -> None:
    stranger = person("stranger", *members("role"))
    assert visible_to(stranger, _content(state), NOW).page == "none"
    assert not visible_to(NOBODY, _content(state), NOW).listed


def test_everybody_with_an_account_is_a_viewer_unless_the_setting_says_otherwise() -> None:
    assert members("everybody") == {Enablement.READ}
    assert members("role") == frozenset()
    assert [len(ROLES[role]) for role in ("viewer", "contributor", "approver", "admin")] == [1, 2, 3, 4]


def test_an_owner_who_may_no_longer_write_is_a_viewer() -> None:
    former = person("carla", Enablement.READ)
    assert verdict(former, _content(State.DRAFT), Action.READ, NOW) is Verdict.HIDDEN
    assert verdict(person("carla", *CONTRIBUTOR), _content(State.DRAFT), Action.READ, NOW) is Verdict.ALLOWED


def test_a_refusal_says_whom_to_ask() -> None:
    with pytest.raises(Forbidden, match="Ask its owner or an administrator"):
        require(CARL, _content(State.RELEASED), Action.EDIT, NOW)
    with pytest.raises(Conflict, match="in the state “Retired”"):
        require(ADMIN, _content(State.RETIRED), Action.EDIT, NOW)
    with pytest.raises(NotFound, match="There is no content"):
        require(VERA, _content(State.DRAFT), Action.EDIT, NOW)


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"expiry_date": "2026-03-02"}, State.RELEASED),
        ({"expiry_date": "2026-03-01"}, State.SOFT_EXPIRED),
        ({"expiry_date": "2026-03-02T12:00:00Z", "expiry_policy": "hard_expire"}, State.HARD_EXPIRED),
        ({"expiry_date": "2026-03-02T12:00:01Z"}, State.RELEASED),
        ({"expiry_date": "whenever"}, State.RELEASED),
        ({"effective_date": "2026-03-03"}, State.SCHEDULED),
        ({"effective_date": "2026-03-02"}, State.RELEASED),
    ],
)
def test_a_row_of_another_program_is_in_the_state_that_its_dates_say(changes: dict[str, Any], state: State) -> None:
    assert state_of(_content(State.RELEASED, released_at=None, **changes), NOW) is state


def test_a_viewer_sees_the_short_page_of_what_is_retired_and_nothing_else() -> None:
    seen = visible_to(VERA, _content(State.RETIRED), NOW)
    assert (seen.listed, seen.page, seen.download, seen.change_notes, seen.history) == (
        *(False, "short", False, False, False),
    )


@pytest.mark.parametrize("state", list(STATES))
@pytest.mark.parametrize("letter", list(PEOPLE))
def test_a_token_that_lacks_what_its_owner_has_is_told_so_and_not_whom_to_ask(state: State, letter: str) -> None:
    person, content = PEOPLE[letter], _content(state)
    for action in Action:
        for lacking in person.permissions:
            token = replace(
                person, via="token", permissions=person.permissions - {lacking}, withheld=frozenset({lacking})
            )
            if verdict(person, content, action, NOW) is not Verdict.ALLOWED:
                continue
            if verdict(token, content, action, NOW) is Verdict.FORBIDDEN:
                with pytest.raises(Forbidden, match=rf"This token lacks the permission .*{lacking}.* create another"):
                    require(token, content, action, NOW)
