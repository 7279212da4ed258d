"""A forgotten password is replaced by mail: a link that works once, within the hour, for whoever has the address."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from partita.kit.accounts import RESET_PATH, Accounts
from partita.kit.clock import RandomIds
from partita.kit.limits import Limits
from partita.kit.mail import Message, Outbox
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import BadRequest, Invalid, SignInRequired, TooMany, Unavailable
from partita.kit.settings import Settings
from partita.store import EmbeddedStore
from tests.kit.accounts.conftest import PASSWORD, confirm_address, enter, join, link_in, mails_to
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio
NEW = "staple of the battery"


@pytest.fixture
async def ada(accounts: Accounts) -> Viewer:
    return await join(accounts, "ada")


async def _link(accounts: Accounts, outbox: Outbox, email: str = "ada@example.org") -> str:
    await accounts.resets.request(email)
    await accounts.finish()
    (newest, *_) = await mails_to(accounts, outbox, email.strip().lower(), "Reset")
    assert f"https://partita.example.org{RESET_PATH}?" in newest.text
    return link_in(newest)


async def test_the_link_lets_its_owner_choose_a_password_and_ends_all_sessions_and_tokens(
    accounts: Accounts, outbox: Outbox, ada: Viewer
) -> None:
    session, robot = (
        await accounts.sessions.sign_in("ada", PASSWORD),
        await accounts.tokens.create(ada, "robot", [], 30),
    )
    token = await _link(accounts, outbox, " ADA@example.org")
    await accounts.resets.complete(token, NEW)
    assert await accounts.recognition.from_session(session.token) is NOBODY
    with pytest.raises(SignInRequired):
        await accounts.recognition.from_bearer(robot.text)
    assert len(await mails_to(accounts, outbox, "ada@example.org", "Your password was changed")) == 1
    assert (await enter(accounts, "ada", NEW)).user_id == ada.user_id
    with pytest.raises(SignInRequired):
        await accounts.sessions.sign_in("ada", PASSWORD)


async def test_a_link_works_once_even_for_many_at_once(accounts: Accounts, outbox: Outbox, ada: Viewer) -> None:
    token = await _link(accounts, outbox)
    tries = (accounts.resets.complete(token, f"{NEW} {number}") for number in range(8))
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    refused = [outcome for outcome in outcomes if isinstance(outcome, BadRequest)]
    assert len(refused) == 7
    assert {problem.code for problem in refused} == {"link_used"}
    with pytest.raises(BadRequest):
        await accounts.resets.complete(token, NEW)


async def test_a_link_ends_after_an_hour_and_with_a_newer_one(
    accounts: Accounts, outbox: Outbox, ada: Viewer, clock: HandClock
) -> None:
    first = await _link(accounts, outbox)
    clock.forward(minutes=1)
    second = await _link(accounts, outbox)
    with pytest.raises(BadRequest):
        await accounts.resets.check(first)
    with pytest.raises(BadRequest):
        await accounts.resets.complete(first, NEW)
    await accounts.resets.check(second)
    clock.forward(minutes=60)
    with pytest.raises(BadRequest):
        await accounts.resets.complete(second, NEW)


async def test_a_changed_password_or_address_ends_the_link(accounts: Accounts, outbox: Outbox, ada: Viewer) -> None:
    token = await _link(accounts, outbox)
    await accounts.addresses.change(ada, "countess@example.org", PASSWORD)
    await confirm_address(accounts, outbox, ada, "countess@example.org")
    with pytest.raises(BadRequest):
        await accounts.resets.complete(token, NEW)
    token = await _link(accounts, outbox, "countess@example.org")
    await accounts.profile.change_password(ada, PASSWORD, NEW)
    with pytest.raises(BadRequest):
        await accounts.resets.complete(token, f"{NEW}!")


async def test_a_password_that_is_not_good_enough_does_not_use_the_link_up(
    accounts: Accounts, outbox: Outbox, ada: Viewer
) -> None:
    token = await _link(accounts, outbox)
    with pytest.raises(Invalid) as refused:
        await accounts.resets.complete(token, "short")
    assert [error.field for error in refused.value.errors] == ["new"]
    await accounts.resets.complete(token, NEW)


async def test_an_address_that_nobody_has_gets_the_same_answer_and_no_mail(
    accounts: Accounts, outbox: Outbox, ada: Viewer
) -> None:
    for email in ("nobody@example.org", "", "ada", "#", "x" * 3000):
        await accounts.resets.request(email)
    await accounts.finish()
    assert len(await outbox.page()) == 0


async def test_only_a_digest_of_the_link_is_stored_beside_the_account(
    accounts: Accounts, outbox: Outbox, ada: Viewer, house: EmbeddedStore
) -> None:
    token = await _link(accounts, outbox)
    rows = str(house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"])
    assert token.rpartition(".")[2] not in rows


async def test_made_up_links_are_refused(accounts: Accounts, outbox: Outbox, ada: Viewer) -> None:
    token = await _link(accounts, outbox)
    owner, secret = token.split(".")
    session = await accounts.sessions.sign_in("ada", PASSWORD)
    for made_up in ("", "x", f"{owner}.{secret[::-1]}", f"{owner[::-1]}.{secret}", session.token):
        with pytest.raises(BadRequest):
            await accounts.resets.complete(made_up, NEW)


async def test_links_are_asked_for_three_times_an_hour_whoever_has_the_address(
    accounts: Accounts, outbox: Outbox, ada: Viewer
) -> None:
    for email in ("ada@example.org", "nobody@example.org"):
        for _ in range(3):
            await accounts.resets.request(email, address="192.0.2.1")
        with pytest.raises(TooMany):
            await accounts.resets.request(email, address="192.0.2.2")
    await accounts.finish()
    assert len(await outbox.page()) == 3


async def test_a_one_time_password_need_not_be_changed_again_after_a_reset(
    accounts: Accounts, outbox: Outbox, ada: Viewer
) -> None:
    await accounts.administration.set_password(accounts.operator(), ada.id)
    await accounts.resets.complete(await _link(accounts, outbox), NEW)
    assert not (await enter(accounts, "ada", NEW)).must_change_password


class Nowhere:
    """Mail that cannot be sent."""

    async def send(self, message: Message) -> None:
        raise Unavailable("The server is away.")


async def test_mail_that_cannot_be_sent_does_not_tell_who_has_an_account(
    accounts: Accounts, ada: Viewer, house: EmbeddedStore, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    store = house.asynchronous
    without = Accounts(
        store,
        clock=clock,
        ids=RandomIds(),
        settings=Settings(data=Path("unused")),
        limits=Limits(store, clock),
        mail=Nowhere(),
    )
    await without.resets.request("ada@example.org")
    await without.finish()
    assert "a reset link was not sent: The server is away." in caplog.text
