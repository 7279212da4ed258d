"""An address and a username belong to one account, whoever asks for them at the same moment."""

from __future__ import annotations

import asyncio

import pytest

from partita.kit.accounts import Account, Accounts
from partita.kit.mail import Outbox
from partita.kit.problems import Conflict, Forbidden, Invalid, SignInRequired, TooMany
from partita.kit.settings import Settings
from partita.store import EmbeddedStore
from tests.kit.accounts.conftest import ADMIN, PASSWORD, POLICY, Made, confirm_address, enter, join

pytestmark = pytest.mark.anyio


async def test_a_new_account_can_sign_in_by_username_and_by_address_once_it_is_confirmed(
    accounts: Accounts, outbox: Outbox
) -> None:
    made = await accounts.registration.sign_up(" Ada ", "Ada@Example.ORG", " Ada Lovelace ", PASSWORD)
    assert (made.username, made.email, made.name) == ("ada", None, "Ada Lovelace")
    ada = await enter(accounts, "ADA ")
    with pytest.raises(SignInRequired):
        await accounts.sessions.sign_in("ada@example.org", PASSWORD)
    await confirm_address(accounts, outbox, ada, "ada@example.org")
    for identity in ("ada", "ADA@example.org "):
        assert (await enter(accounts, identity)).user_id == made.user_id


@pytest.mark.parametrize("same", ["email", "username"])
async def test_of_fifty_accounts_made_at_once_with_the_same_one_gets_in(
    accounts: Accounts, house: EmbeddedStore, same: str
) -> None:
    def create(number: int) -> asyncio.Future[Account]:
        username, email = (
            (f"ada-{number}", "ada@example.org") if same == "email" else ("ada", f"ada-{number}@example.org")
        )
        return asyncio.ensure_future(accounts.registration.create(username, email, "Ada", PASSWORD))

    outcomes = await asyncio.gather(*map(create, range(50)), return_exceptions=True)
    winners = [outcome for outcome in outcomes if isinstance(outcome, Account)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
    assert (len(winners), len(refused)) == (1, 49)
    assert {problem.code for problem in refused} == {f"{same}_taken"}
    rows = house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"]
    assert len(rows) == 4  # the account, its password, and two guards: the others left nothing


async def test_of_fifty_that_sign_up_at_once_for_a_username_one_gets_in(
    accounts: Accounts, house: EmbeddedStore
) -> None:
    tries = (
        accounts.registration.sign_up("ADA" if number % 2 else "ada", f"{number}@example.org", "Ada", PASSWORD)
        for number in range(50)
    )
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, Account) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 49
    rows = house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"]
    assert len(rows) == 4  # the account, its password, its pending address and the guard of its username


async def test_an_administrator_is_told_all_that_is_taken_at_once(accounts: Accounts) -> None:
    await join(accounts, "ada")
    with pytest.raises(Conflict) as refused:
        await accounts.administration.create_account(accounts.operator(), "ada", "ada@example.org", "Ada")
    assert [error.field for error in refused.value.errors] == ["username", "email"]


@pytest.mark.parametrize(
    "name", ["https://evil.example", "Win at evil.example", "www.evil", "a@evil.example", "evil．com"]
)
async def test_a_name_that_mail_programs_make_a_link_of_is_refused(accounts: Accounts, name: str) -> None:
    with pytest.raises(Invalid) as refused:
        await accounts.registration.sign_up("eve", "victim@example.org", name, PASSWORD)
    assert [error.field for error in refused.value.errors] == ["name"]


async def test_every_bad_field_is_named_at_once(accounts: Accounts) -> None:
    with pytest.raises(Invalid) as refused:
        await accounts.registration.sign_up("a_", "ada", "", "short")
    said = {error.field: error.message for error in refused.value.errors}
    assert said == {
        "username": "At least 3 characters; this has 2.",
        "email": "An email address must have an @-sign.",
        "name": "Please fill this in.",
        "password": "At least 12 characters; this has 5.",
    }


@pytest.mark.parametrize("username", ["-ada", "ada-", "ada_l", "ädä", "a" * 31, "admin", "ROOT", "a da"])
async def test_a_username_has_a_form_and_is_not_the_houses_own(accounts: Accounts, username: str) -> None:
    with pytest.raises(Invalid) as refused:
        await accounts.registration.sign_up(username, "ada@example.org", "Ada", PASSWORD)
    assert [error.field for error in refused.value.errors] == ["username"]


@pytest.mark.parametrize(
    "password",
    ["password1234", "PASSWORD1234", "aaaaaaaaaaaa", "ada-lovelace", "Ada@Example.org", "Ada Lovelace!", "x" * 129],
)
async def test_a_password_that_anybody_would_try_is_refused(accounts: Accounts, password: str) -> None:
    with pytest.raises(Invalid) as refused:
        await accounts.registration.sign_up("ada-lovelace", "ada@example.org", "Ada Lovelace!", password)
    assert [error.field for error in refused.value.errors] == ["password"]
    assert password not in str(refused.value)


async def test_signing_up_can_be_closed_and_administrators_still_make_accounts(
    make_accounts: Made, settings: Settings
) -> None:
    accounts = make_accounts(settings.model_copy(update={"sign_up": False}))
    with pytest.raises(Forbidden, match="Sign-up is closed"):
        await accounts.registration.sign_up("ada", "ada@example.org", "Ada", PASSWORD)
    made = await accounts.administration.create_account(accounts.operator(), "ada", "ada@example.org", "Ada")
    assert (await enter(accounts, "ada", made.password)).must_change_password


async def test_one_place_makes_twenty_accounts_an_hour(accounts: Accounts) -> None:
    for number in range(20):
        await accounts.registration.sign_up(
            f"ada-{number}", f"ada-{number}@example.org", "Ada", PASSWORD, address="192.0.2.1"
        )
    with pytest.raises(TooMany):
        await accounts.registration.sign_up("late", "late@example.org", "Late", PASSWORD, address="192.0.2.1")
    await accounts.registration.sign_up("other", "other@example.org", "Other", PASSWORD, address="192.0.2.2")


async def test_the_first_start_makes_one_administrator_with_a_password_that_must_be_changed(
    accounts: Accounts, make_accounts: Made, settings: Settings
) -> None:
    processes = [accounts, make_accounts(settings), make_accounts(settings)]
    passwords = await asyncio.gather(*(each.registration.ensure_admin() for each in processes))
    (password,) = [each for each in passwords if each is not None]
    assert await accounts.registration.ensure_admin() is None
    viewer = await enter(accounts, "admin", password)
    assert viewer.must_change_password
    assert viewer.permissions == frozenset()
    await accounts.profile.change_password(viewer, password, PASSWORD)
    after = await enter(accounts, "admin")
    assert not after.must_change_password
    assert after.permissions == POLICY.known
    assert (await accounts.people.get(after.id)).roles == {ADMIN}
    with pytest.raises(SignInRequired):
        await accounts.sessions.sign_in("admin", password)
