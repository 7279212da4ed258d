"""What is dangerous needs the password or a code of the last minutes: a stolen or forgotten session is not enough."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from partita.kit.accounts import Accounts
from partita.kit.permissions import NOBODY, ConfirmationRequired, Viewer, require_confirmation
from partita.kit.problems import Invalid, TooMany
from tests.kit.accounts.conftest import PASSWORD, enter, join
from tests.kit.accounts.test_second_factor import add
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio

Act = Callable[[Accounts, Viewer, str], Awaitable[object]]
DANGEROUS: dict[str, Act] = {
    "create a token": lambda accounts, viewer, _: accounts.tokens.create(viewer, "robot", [], 1),
    "begin a second factor": lambda accounts, viewer, _: accounts.second_factors.begin(viewer),
    "create an account": lambda accounts, viewer, _: accounts.administration.create_account(
        viewer, "new", "new@example.org", "New"
    ),
    "set roles": lambda accounts, viewer, other: accounts.administration.set_roles(viewer, other, ["press:editor"]),
    "set a password": lambda accounts, viewer, other: accounts.administration.set_password(viewer, other),
    "end access": lambda accounts, viewer, other: accounts.administration.revoke_access(viewer, other),
    "suspend": lambda accounts, viewer, other: accounts.administration.suspend(viewer, other),
    "restore": lambda accounts, viewer, other: accounts.administration.restore(viewer, other),
    "remove a second factor": lambda accounts, viewer, other: accounts.administration.remove_second_factor(
        viewer, other
    ),
}


@pytest.mark.parametrize("act", DANGEROUS.values(), ids=DANGEROUS.keys())
async def test_a_session_alone_is_not_enough(accounts: Accounts, clock: HandClock, act: Act) -> None:
    bob = await join(accounts, "bob")
    await join(accounts, "grace", "admin")
    session = await accounts.sessions.sign_in("grace", PASSWORD)
    clock.forward(minutes=9, seconds=59)
    await act(accounts, await accounts.recognition.from_session(session.token), bob.id)
    clock.forward(seconds=1)
    stale = await accounts.recognition.from_session(session.token)
    with pytest.raises(ConfirmationRequired):
        await act(accounts, stale, bob.id)
    new = await accounts.confirmations.confirm(stale, password=PASSWORD)
    fresh = await accounts.recognition.from_session(new.token)
    require_confirmation(fresh)


async def test_confirming_goes_on_under_a_new_token(accounts: Accounts, clock: HandClock) -> None:
    """Whoever copied the cookie before has nothing then."""
    await join(accounts, "ada")
    session = await accounts.sessions.sign_in("ada", PASSWORD, user_agent="Firefox")
    other = await accounts.sessions.sign_in("ada", PASSWORD)
    viewer = await accounts.recognition.from_session(session.token)
    new = await accounts.confirmations.confirm(viewer, password=PASSWORD)
    assert await accounts.recognition.from_session(session.token) is NOBODY
    after = await accounts.recognition.from_session(new.token)
    assert after.user_id == viewer.user_id
    assert (await accounts.recognition.from_session(other.token)).signed_in
    agents = {each.session_id: each.user_agent for each in await accounts.sessions.list(after)}
    assert agents[str(after.session_id)] == "Firefox"


async def test_ten_wrong_passwords_and_then_not_for_a_while(accounts: Accounts, clock: HandClock) -> None:
    viewer = await join(accounts, "ada")
    for _ in range(10):
        with pytest.raises(Invalid):
            await accounts.confirmations.confirm(viewer, password="wrong horse battery")
    with pytest.raises(TooMany):
        await accounts.confirmations.confirm(viewer, password=PASSWORD)
    clock.forward(minutes=15)
    await accounts.confirmations.confirm(viewer, password=PASSWORD)


async def test_with_a_second_factor_the_password_does_not_do(accounts: Accounts, clock: HandClock) -> None:
    viewer = await join(accounts, "ada")
    app, _ = await add(accounts, viewer, clock)
    assert await accounts.confirmations.needs_code(viewer)
    with pytest.raises(Invalid):
        await accounts.confirmations.confirm(viewer, password=PASSWORD)
    code = app.code()
    new = await accounts.confirmations.confirm(viewer, code=code)
    again = await accounts.recognition.from_session(new.token)
    with pytest.raises(Invalid):
        await accounts.confirmations.confirm(again, code=code)


async def test_programs_and_commands_are_not_asked(accounts: Accounts) -> None:
    viewer = await join(accounts, "ada")
    token = await accounts.tokens.create(viewer, "robot", [], 1)
    for each in (accounts.operator(), await accounts.recognition.from_bearer(token.text)):
        require_confirmation(each)
    assert (await enter(accounts, "ada")).confirmed, "who has just signed in has just shown who they are"
