"""People change their own name, address and password."""

from __future__ import annotations

import asyncio

import pytest

from partita.kit.accounts import Accounts, NewSession
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Conflict, Forbidden, Invalid, SignInRequired
from partita.store import EmbeddedStore
from partita.table import ChangedMeanwhileError, Put
from tests.kit.accounts.conftest import PASSWORD, enter, join

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


async def test_another_address_is_taken_and_the_old_one_is_free_at_once(accounts: Accounts, ada: Viewer) -> None:
    await accounts.profile.change_email(ada, "Countess@Example.org", PASSWORD)
    assert await accounts.people.by_email("ada@example.org") is None
    assert (await enter(accounts, "countess@example.org")).user_id == ada.user_id
    await accounts.registration.sign_up("other", "ada@example.org", "Other", PASSWORD)
    with pytest.raises(Conflict) as refused:
        await accounts.profile.change_email(ada, "ada@example.org", PASSWORD)
    assert [error.field for error in refused.value.errors] == ["email"]
    assert (await accounts.people.get(ada.id)).email == "countess@example.org"
    assert (await enter(accounts, "countess@example.org")).user_id == ada.user_id


async def test_the_same_address_spelt_otherwise_is_no_change(accounts: Accounts, ada: Viewer) -> None:
    assert (await accounts.profile.change_email(ada, "ADA@example.org", PASSWORD)).email == "ada@example.org"


async def test_of_many_that_move_to_one_address_at_once_one_gets_it(accounts: Accounts, house: EmbeddedStore) -> None:
    people = [await join(accounts, f"person-{number}") for number in range(10)]
    moves = (accounts.profile.change_email(person, "wanted@example.org", PASSWORD) for person in people)
    outcomes = await asyncio.gather(*moves, return_exceptions=True)
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 9
    rows = house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"]
    guards = {row["PK"]["S"]: row["ofUser"]["S"] for row in rows if row["PK"]["S"].startswith("EMAIL#")}
    held = {f"EMAIL#{row['email']['S']}": row["PK"]["S"][5:] for row in rows if row["SK"]["S"] == "ACCOUNT"}
    assert guards == held


async def test_one_account_that_moves_to_many_addresses_at_once_keeps_one(
    accounts: Accounts, ada: Viewer, house: EmbeddedStore
) -> None:
    moves = (accounts.profile.change_email(ada, f"ada-{number}@example.org", PASSWORD) for number in range(8))
    outcomes = await asyncio.gather(*moves, return_exceptions=True)
    assert {type(outcome).__name__ for outcome in outcomes} <= {"Account", "ChangedMeanwhileError"}
    rows = house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"]
    (guard,) = [row["PK"]["S"] for row in rows if row["PK"]["S"].startswith("EMAIL#")]
    assert guard == f"EMAIL#{(await accounts.people.get(ada.id)).email}"


async def test_an_address_is_changed_only_with_the_password(accounts: Accounts, ada: Viewer) -> None:
    with pytest.raises(Invalid) as refused:
        await accounts.profile.change_email(ada, "eve@example.org", "wrong horse battery")
    assert refused.value.code == "wrong_password"
    assert await accounts.people.by_email("eve@example.org") is None


async def test_another_password_ends_every_other_session_and_keeps_this_one(accounts: Accounts, ada: Viewer) -> None:
    others = [await accounts.sessions.sign_in("ada", PASSWORD) for _ in range(3)]
    this = await accounts.sessions.sign_in("ada", PASSWORD)
    await accounts.profile.change_password(await accounts.recognition.from_session(this.token), PASSWORD, NEW)
    assert [await accounts.recognition.from_session(session.token) for session in others] == [NOBODY] * 3
    viewer = await accounts.recognition.from_session(this.token)
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
    assert {type(outcome).__name__ for outcome in outcomes} <= {"NewSession", "SignInRequired", "NoneType"}
    for session in sessions:
        assert await accounts.recognition.from_session(session.token) is NOBODY


async def test_a_session_of_the_old_password_that_is_written_late_is_over_from_the_start(
    accounts: Accounts, ada: Viewer, house: EmbeddedStore
) -> None:
    late = await accounts.sessions.sign_in("ada", PASSWORD)
    (written, _) = await accounts.sessions.list(ada)
    await accounts.profile.change_password(ada, PASSWORD, NEW)
    house.write(Put(written).if_new())
    assert await accounts.recognition.from_session(late.token) is NOBODY
    assert [session.session_id for session in await accounts.sessions.list(ada)] == [ada.session_id]


async def test_of_two_changes_of_the_password_at_once_one_goes_through(accounts: Accounts, ada: Viewer) -> None:
    outcomes = await asyncio.gather(
        accounts.profile.change_password(ada, PASSWORD, NEW),
        accounts.profile.change_password(ada, PASSWORD, f"{NEW}!"),
        return_exceptions=True,
    )
    assert sum(outcome is None for outcome in outcomes) == 1
    assert sum(isinstance(outcome, ChangedMeanwhileError | Invalid) for outcome in outcomes) == 1


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
            await accounts.profile.change_email(viewer, "robot@example.org", PASSWORD)
        with pytest.raises(refusal):
            await accounts.profile.change_password(viewer, PASSWORD, NEW)
        with pytest.raises(refusal):
            await accounts.sessions.list(viewer)
        with pytest.raises(refusal):
            await accounts.tokens.create(viewer, "another", [], 1)
