"""People change their own name, address and password."""

from __future__ import annotations

import asyncio

import pytest

from partita.kit.accounts import Accounts, NewSession
from partita.kit.accounts.former_names import formerly
from partita.kit.mail import Outbox
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Forbidden, Invalid, SignInRequired, TooMany
from partita.store import EmbeddedStore
from partita.table import ChangedMeanwhileError, Put
from tests.kit.accounts.conftest import PASSWORD, confirm_address, enter, join
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio
NEW = "staple of the battery"


@pytest.fixture
async def ada(accounts: Accounts) -> Viewer:
    return await join(accounts, "ada")


async def test_a_name_is_changed(accounts: Accounts, ada: Viewer) -> None:
    assert (await accounts.profile.change_name(ada, " Countess of Lovelace ")).name == "Countess of Lovelace"
    assert (await accounts.people.get(ada.id)).name == "Countess of Lovelace"
    for bad in ("", " ", "x" * 81, "a\u202eb", "a\nb"):
        with pytest.raises(Invalid):
            await accounts.profile.change_name(ada, bad)


async def test_names_and_addresses_of_the_past_are_remembered_each_once(
    accounts: Accounts, house: EmbeddedStore, outbox: Outbox, ada: Viewer
) -> None:
    first = await accounts.people.get(ada.id)
    for name in ("Countess", "Countess", first.name, "Countess"):
        await accounts.profile.change_name(ada, name)
    names, others = await formerly(house.asynchronous, ada.id)
    assert (sorted(names), others) == (sorted(("Countess", first.name)), ())
    await accounts.addresses.change(ada, "countess@example.org", PASSWORD)
    await confirm_address(accounts, outbox, ada, "countess@example.org")
    names, others = await formerly(house.asynchronous, ada.id)
    assert (set(names), others) == ({"Countess", first.name, first.email}, ())
    assert first.email is not None
    eve = await accounts.registration.create("eve", first.email, "Eve", PASSWORD)
    names, others = await formerly(house.asynchronous, ada.id)
    assert (set(names), others) == ({"Countess", first.name}, (first.email,))
    assert await formerly(house.asynchronous, eve.user_id) == ((), ())


async def test_a_name_is_changed_at_most_twenty_times_a_day(accounts: Accounts, ada: Viewer, clock: HandClock) -> None:
    for number in range(20):
        await accounts.profile.change_name(ada, f"Ada {number}")
    with pytest.raises(TooMany):
        await accounts.profile.change_name(ada, "Ada again")
    await accounts.profile.change_name(ada, "Ada 19")  # it is that already
    clock.forward(days=1)
    await accounts.profile.change_name(ada, "Ada again")


async def test_another_password_ends_every_session_and_this_one_goes_on_under_a_new_token(
    accounts: Accounts, ada: Viewer
) -> None:
    others = [await accounts.sessions.sign_in("ada", PASSWORD) for _ in range(3)]
    this = await accounts.sessions.sign_in("ada", PASSWORD, user_agent="Firefox")
    new = await accounts.profile.change_password(await accounts.recognition.from_session(this.token), PASSWORD, NEW)
    for session in (*others, this):
        assert await accounts.recognition.from_session(session.token) is NOBODY
    viewer = await accounts.recognition.from_session(new.token)
    assert viewer.signed_in
    assert [session.session_id for session in await accounts.sessions.list(viewer)] == [viewer.session_id]
    with pytest.raises(SignInRequired):
        await accounts.sessions.sign_in("ada", PASSWORD)
    assert (await enter(accounts, "ada", NEW)).user_id == ada.user_id


async def test_whoever_signs_in_with_the_old_password_while_it_changes_is_not_signed_in_afterwards(
    accounts: Accounts, ada: Viewer
) -> None:
    tries = [accounts.sessions.sign_in("ada", PASSWORD, address=f"192.0.2.{number}") for number in range(12)]
    change = accounts.profile.change_password(ada, PASSWORD, NEW)
    outcomes = await asyncio.gather(*tries[:6], change, *tries[6:], return_exceptions=True)
    sessions = [outcome for outcome in outcomes if isinstance(outcome, NewSession)]
    assert {type(outcome).__name__ for outcome in outcomes} <= {"NewSession", "SignInRequired"}
    for session in sessions:
        known = await accounts.recognition.from_session(session.token)
        assert known.signed_in == (session is outcomes[6]), "only the session of whoever changed it goes on"


async def test_a_session_of_the_old_password_that_is_written_late_is_over_from_the_start(
    accounts: Accounts, ada: Viewer, house: EmbeddedStore
) -> None:
    late = await accounts.sessions.sign_in("ada", PASSWORD)
    (written, _) = await accounts.sessions.list(ada)
    new = await accounts.recognition.from_session((await accounts.profile.change_password(ada, PASSWORD, NEW)).token)
    house.write(Put(written).if_new())
    assert await accounts.recognition.from_session(late.token) is NOBODY
    assert [session.session_id for session in await accounts.sessions.list(new)] == [new.session_id]


async def test_of_two_changes_of_the_password_at_once_one_goes_through(accounts: Accounts, ada: Viewer) -> None:
    outcomes = await asyncio.gather(
        accounts.profile.change_password(ada, PASSWORD, NEW),
        accounts.profile.change_password(ada, PASSWORD, f"{NEW}!"),
        return_exceptions=True,
    )
    assert sum(isinstance(outcome, NewSession) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, ChangedMeanwhileError | Invalid | SignInRequired) for outcome in outcomes) == 1


async def test_tokens_stay_unless_whoever_changes_the_password_revokes_them(accounts: Accounts, ada: Viewer) -> None:
    token = await accounts.tokens.create(ada, "robot", [], 30)
    new = await accounts.profile.change_password(ada, PASSWORD, NEW)
    assert (await accounts.recognition.from_bearer(token.text)).signed_in
    ada = await accounts.recognition.from_session(new.token)
    await accounts.profile.change_password(ada, NEW, f"{NEW}!", revoke_tokens=True)
    with pytest.raises(SignInRequired):
        await accounts.recognition.from_bearer(token.text)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("wrong horse battery", NEW, "old"),
        (PASSWORD, "short", "new"),
        (PASSWORD, "ada@example.org", "new"),
        (PASSWORD, PASSWORD, "new"),
    ],
)
async def test_a_change_of_the_password_says_which_field_is_wrong(
    accounts: Accounts, ada: Viewer, old: str, new: str, field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await accounts.profile.change_password(ada, old, new)
    assert [error.field for error in refused.value.errors] == [field]
    assert (await enter(accounts, "ada")).user_id == ada.user_id


async def test_a_session_that_ended_meanwhile_changes_nothing(accounts: Accounts, ada: Viewer) -> None:
    await accounts.sessions.sign_out(ada)
    with pytest.raises(SignInRequired):
        await accounts.profile.change_password(ada, PASSWORD, NEW)
    assert (await enter(accounts, "ada")).user_id == ada.user_id


async def test_programs_and_nobody_change_no_accounts(accounts: Accounts, ada: Viewer) -> None:
    token = await accounts.tokens.create(ada, "robot", [], 1)
    robot = await accounts.recognition.from_bearer(token.text)
    for viewer, refusal in ((robot, Forbidden), (NOBODY, SignInRequired)):
        with pytest.raises(refusal):
            await accounts.profile.change_name(viewer, "Robot")
        with pytest.raises(refusal):
            await accounts.addresses.change(viewer, "robot@example.org", PASSWORD)
        with pytest.raises(refusal):
            await accounts.profile.change_password(viewer, PASSWORD, NEW)
        with pytest.raises(refusal):
            await accounts.sessions.list(viewer)
        with pytest.raises(refusal):
            await accounts.tokens.create(viewer, "another", [], 1)
