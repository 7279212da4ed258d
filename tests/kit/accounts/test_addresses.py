"""An address counts when its owner has opened the link that came there; until then it is nothing but typed."""

from __future__ import annotations

import asyncio
import time

import pytest

from partita.kit.accounts import Accounts
from partita.kit.mail import Outbox
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import BadRequest, Conflict, Invalid, SignInRequired, TooMany
from partita.store import EmbeddedStore
from tests.kit.accounts.conftest import PASSWORD, confirm_address, enter, join, link_in, mails_to
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ada(accounts: Accounts) -> Viewer:
    return await join(accounts, "ada")


async def _sign_up(accounts: Accounts, username: str, email: str) -> Viewer:
    await accounts.registration.sign_up(username, email, username.title(), PASSWORD)
    return await enter(accounts, username)


async def test_whoever_signs_up_with_somebody_elses_address_gets_nothing_of_theirs(
    accounts: Accounts, outbox: Outbox
) -> None:
    eve = await _sign_up(accounts, "eve", "victim@example.org")
    assert (await accounts.people.get(eve.id)).email is None
    assert await accounts.people.by_email("victim@example.org") is None, "nobody takes Eve for the owner"
    await accounts.resets.request("victim@example.org")
    assert await mails_to(accounts, outbox, "victim@example.org", "Reset") == []
    await join(accounts, "victim")  # whose address it is gets it, though Eve has typed it first
    with pytest.raises(Conflict) as refused:
        await confirm_address(accounts, outbox, eve, "victim@example.org")
    assert refused.value.code == "email_taken"


async def test_signing_up_with_a_known_address_is_answered_as_with_an_unknown_one_and_its_owner_is_told(
    accounts: Accounts, outbox: Outbox, ada: Viewer
) -> None:
    known = await accounts.registration.sign_up("eve", "ada@example.org", "Eve", PASSWORD)
    unknown = await accounts.registration.sign_up("bob", "bob@example.org", "Bob", PASSWORD)
    same = {"user_id", "username", "name", "created_at", "updated_at"}
    assert known.model_dump(exclude=same) == unknown.model_dump(exclude=same)
    assert await accounts.addresses.pending(known.user_id) == "ada@example.org"
    (told,) = await mails_to(accounts, outbox, "ada@example.org")
    assert told.subject == "You already have an account"
    assert "token=" not in told.text, "Ada cannot give her address away by a click"
    assert "eve" not in f"{told.text}{told.html}".lower()
    assert (await accounts.people.get(ada.id)).email == "ada@example.org"


async def test_whether_an_address_is_known_does_not_show_in_the_time(accounts: Accounts, ada: Viewer) -> None:
    async def seconds(number: int, email: str) -> float:
        begun = time.process_time()
        await accounts.registration.sign_up(f"somebody-{number}-{email[0]}", email, "Somebody", PASSWORD)
        return time.process_time() - begun

    # In turn, and the least of each: what it takes when nothing else runs.
    pairs = [
        (await seconds(each, "ada@example.org"), await seconds(each, f"x{each}@example.org")) for each in range(10)
    ]
    known, unknown = map(min, zip(*pairs, strict=True))
    assert 0.5 < known / unknown < 2


async def test_an_address_is_confirmed_by_its_link_once(accounts: Accounts, outbox: Outbox) -> None:
    bob = await _sign_up(accounts, "bob", "Bob@Example.org")
    (mail,) = await mails_to(accounts, outbox, "bob@example.org")
    token = link_in(mail)
    assert await accounts.addresses.check(bob, token) == "bob@example.org"
    assert (await accounts.addresses.confirm(bob, token)).email == "bob@example.org"
    assert (await enter(accounts, "BOB@example.org")).user_id == bob.user_id
    assert await accounts.addresses.pending(bob.id) is None
    with pytest.raises(BadRequest):
        await accounts.addresses.confirm(bob, token)
    assert len(await mails_to(accounts, outbox, "bob@example.org")) == 1, "there was no address before to be told"


async def test_a_link_is_opened_by_its_own_account_alone(accounts: Accounts, outbox: Outbox, ada: Viewer) -> None:
    eve = await _sign_up(accounts, "eve", "victim@example.org")
    (mail,) = await mails_to(accounts, outbox, "victim@example.org")
    token = link_in(mail)
    for act in (accounts.addresses.check, accounts.addresses.confirm):
        with pytest.raises(BadRequest):
            await act(ada, token)
        with pytest.raises(SignInRequired):
            await act(NOBODY, token)
    assert (await accounts.people.get(eve.id)).email is None


async def test_a_link_ends_after_three_days_and_with_a_newer_one(
    accounts: Accounts, outbox: Outbox, clock: HandClock
) -> None:
    bob = await _sign_up(accounts, "bob", "bob@example.org")
    (mail,) = await mails_to(accounts, outbox, "bob@example.org")
    first = link_in(mail)
    clock.forward(minutes=1)
    await accounts.addresses.send_again(bob)
    second, _ = [link_in(each) for each in await mails_to(accounts, outbox, "bob@example.org")]
    with pytest.raises(BadRequest):
        await accounts.addresses.confirm(bob, first)
    clock.forward(days=3)
    with pytest.raises(BadRequest):
        await accounts.addresses.confirm(bob, second)
    assert await accounts.addresses.pending(bob.id) is None


async def test_made_up_links_are_refused(accounts: Accounts, outbox: Outbox) -> None:
    bob = await _sign_up(accounts, "bob", "bob@example.org")
    (mail,) = await mails_to(accounts, outbox, "bob@example.org")
    owner, secret = link_in(mail).split(".")
    for made_up in ("", "x", f"{owner}.{secret[::-1]}", f"{owner}.x.{secret}", f"{owner}.{secret}\n"):
        with pytest.raises(BadRequest):
            await accounts.addresses.confirm(bob, made_up)


async def test_another_address_counts_when_it_is_confirmed_and_the_old_one_is_told(
    accounts: Accounts, outbox: Outbox, ada: Viewer
) -> None:
    await accounts.addresses.change(ada, "Countess@Example.org", PASSWORD)
    assert (await accounts.people.get(ada.id)).email == "ada@example.org"
    with pytest.raises(SignInRequired):
        await accounts.sessions.sign_in("countess@example.org", PASSWORD)
    await confirm_address(accounts, outbox, ada, "countess@example.org")
    assert (await enter(accounts, "countess@example.org")).user_id == ada.user_id
    assert await accounts.people.by_email("ada@example.org") is None, "it is free at once"
    (told,) = await mails_to(accounts, outbox, "ada@example.org")
    assert told.subject == "Your email address was changed"
    assert "countess@example.org" in told.text


async def test_an_address_is_changed_only_with_the_password(accounts: Accounts, ada: Viewer) -> None:
    with pytest.raises(Invalid) as refused:
        await accounts.addresses.change(ada, "eve@example.org", "wrong horse battery")
    assert refused.value.code == "wrong_password"
    assert await accounts.addresses.pending(ada.id) is None


async def test_the_same_address_spelt_otherwise_is_no_change(accounts: Accounts, outbox: Outbox, ada: Viewer) -> None:
    assert await accounts.addresses.change(ada, "ADA@example.org", PASSWORD) is None
    assert await accounts.addresses.pending(ada.id) is None
    assert await mails_to(accounts, outbox, "ada@example.org") == []


async def test_of_many_that_confirm_one_address_at_once_one_gets_it(
    accounts: Accounts, outbox: Outbox, house: EmbeddedStore, clock: HandClock
) -> None:
    people = []
    for number in range(6):
        people.append(await _sign_up(accounts, f"person-{number}", "wanted@example.org"))
        await accounts.finish()
        clock.forward(hours=1)  # an address gets three links an hour
    links = {
        link_in(each).partition(".")[0]: link_in(each)
        for each in await mails_to(accounts, outbox, "wanted@example.org")
    }
    tries = (accounts.addresses.confirm(person, links[person.id]) for person in people)
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 5
    rows = house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"]
    guards = [row["ofUser"]["S"] for row in rows if row["PK"]["S"] == "EMAIL#wanted@example.org"]
    held = [row["PK"]["S"][5:] for row in rows if row["SK"]["S"] == "ACCOUNT" and row.get("email", {}).get("S")]
    assert len(guards) == 1
    assert guards == held


async def test_nobodys_mailbox_is_filled_by_others(accounts: Accounts, outbox: Outbox, ada: Viewer) -> None:
    for number in range(8):
        await _sign_up(accounts, f"eve-{number}", "victim@example.org")
    assert len(await mails_to(accounts, outbox, "victim@example.org")) == 3
    for _ in range(10):
        await accounts.addresses.change(ada, "other@example.org", PASSWORD)
    with pytest.raises(TooMany):
        await accounts.addresses.change(ada, "other@example.org", PASSWORD)


async def test_only_a_digest_of_the_link_is_stored_beside_the_account(
    accounts: Accounts, outbox: Outbox, house: EmbeddedStore
) -> None:
    await _sign_up(accounts, "bob", "bob@example.org")
    (mail,) = await mails_to(accounts, outbox, "bob@example.org")
    rows = str(house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"])
    assert link_in(mail).rpartition(".")[2] not in rows
    queued = str(
        [row for row in house.engine.call("Scan", {"TableName": "partita-house"})["Items"] if "QUEUE" in str(row["PK"])]
    )
    assert link_in(mail) not in queued
