"""API tokens: shown once, stored as a digest, and never more than their owner may do."""

from __future__ import annotations

import asyncio

import pytest

from partita.kit.accounts import Accounts
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound, SignInRequired
from partita.store import EmbeddedStore, Observation
from tests.kit.accounts.conftest import PASSWORD, Clubs, Press, enter, join
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ada(accounts: Accounts) -> Viewer:
    return await join(accounts, "ada", "press:editor")


async def test_a_token_acts_for_its_owner_within_its_scopes(accounts: Accounts, ada: Viewer) -> None:
    made = await accounts.tokens.create(ada, " importer ", [Press.WRITE], 30)
    assert made.text.startswith("pat_")
    viewer = await accounts.recognition.from_bearer(made.text)
    assert (viewer.user_id, viewer.username, viewer.via, viewer.session_id) == (ada.user_id, "ada", "token", None)
    assert viewer.permissions == {Press.WRITE}
    assert made.token.name == "importer"


async def test_a_token_loses_what_its_owner_loses(accounts: Accounts, ada: Viewer, clubs: Clubs) -> None:
    made = await accounts.tokens.create(ada, "importer", [Press.WRITE, Press.READ], 30)
    await accounts.administration.set_roles(accounts.operator(), ada.id, [])
    assert (await accounts.recognition.from_bearer(made.text)).permissions == {Press.READ}
    clubs.granted[ada.id] = frozenset({Press.WRITE, Press.APPROVE})
    assert (await accounts.recognition.from_bearer(made.text)).permissions == {Press.READ, Press.WRITE}


async def test_what_a_token_lacks_is_told_apart_from_what_its_owner_lacks(accounts: Accounts, ada: Viewer) -> None:
    made = await accounts.tokens.create(ada, "reader", [], 30)
    viewer = await accounts.recognition.from_bearer(made.text)
    with pytest.raises(
        Forbidden,
        match=r"This token lacks the permission “Write articles” \(press:article:write\), which you have\. .* create "
        r"another token with it on your account page",
    ):
        authorize(viewer, Press.WRITE)
    await accounts.administration.set_roles(accounts.operator(), ada.id, [])
    viewer = await accounts.recognition.from_bearer(made.text)
    said = r"which neither this token nor you have\. Ask an .* create another token with it on"
    with pytest.raises(Forbidden, match=said):
        authorize(viewer, Press.WRITE)


async def test_a_token_works_again_when_its_owner_has_the_permission_again(accounts: Accounts, ada: Viewer) -> None:
    made = await accounts.tokens.create(ada, "writer", [Press.WRITE], 30)
    await accounts.administration.set_roles(accounts.operator(), ada.id, [])
    with pytest.raises(Forbidden, match=r"which you have no longer\. .* this token works again when you have it"):
        authorize(await accounts.recognition.from_bearer(made.text), Press.WRITE)
    await accounts.administration.set_roles(accounts.operator(), ada.id, ["press:editor"])
    authorize(await accounts.recognition.from_bearer(made.text), Press.WRITE)


@pytest.mark.parametrize(
    ("name", "scopes", "days", "field", "said"),
    [
        ("", [], 1, "name", "Please fill this in."),
        ("x" * 101, [], 1, "name", "At most 100 characters; this has 101."),
        ("x", [], 0, "days", "At least 1."),
        ("x", [], 367, "days", "At most 366."),
        ("x", ["press:article:burn"], 1, "scopes", "There is no permission press:article:burn."),
        ("x", ["house:users:manage"], 1, "scopes", "You do not have the permission house:users:manage yourself."),
    ],
)
async def test_a_bad_token_is_not_made(
    accounts: Accounts, ada: Viewer, name: str, scopes: list[str], days: int, field: str, said: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await accounts.tokens.create(ada, name, scopes, days)
    assert [(error.field, error.message) for error in refused.value.errors] == [(field, said)]
    assert await accounts.tokens.list(ada) == ()


async def test_the_text_is_stored_nowhere_and_shown_in_no_list(
    accounts: Accounts, ada: Viewer, house: EmbeddedStore
) -> None:
    made = await accounts.tokens.create(ada, "importer", [], 30)
    rows = str(house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"])
    assert made.text.rpartition(".")[2] not in rows
    shown = repr(made) + repr(await accounts.tokens.list(ada))
    assert made.text not in shown
    assert "digest" not in shown


async def test_tokens_end_with_their_days_and_when_they_are_revoked(
    accounts: Accounts, ada: Viewer, clock: HandClock
) -> None:
    short = await accounts.tokens.create(ada, "short", [], 1)
    long = await accounts.tokens.create(ada, "long", [], 3)
    names = {token.name for token in await accounts.tokens.list(ada)}
    assert names == {"long", "short"}  # made in one moment: in any order
    clock.forward(days=1)
    assert [token.name for token in await accounts.tokens.list(ada)] == ["long"]
    with pytest.raises(SignInRequired) as refused:
        await accounts.recognition.from_bearer(short.text)
    assert refused.value.code == "invalid_token"
    await accounts.tokens.revoke(ada, long.token.token_id)
    with pytest.raises(SignInRequired):
        await accounts.recognition.from_bearer(long.text)
    with pytest.raises(NotFound):
        await accounts.tokens.revoke(ada, long.token.token_id)


async def test_a_token_is_revoked_by_its_owner_alone(accounts: Accounts, ada: Viewer) -> None:
    made = await accounts.tokens.create(ada, "importer", [], 30)
    with pytest.raises(NotFound):
        await accounts.tokens.revoke(await join(accounts, "eve"), made.token.token_id)
    assert (await accounts.recognition.from_bearer(made.text)).signed_in


async def test_when_a_token_was_used_is_written_once_in_a_while(
    accounts: Accounts, ada: Viewer, house: EmbeddedStore, clock: HandClock
) -> None:
    made = await accounts.tokens.create(ada, "importer", [], 30)
    await accounts.finish()
    assert made.token.used_at is None
    seen: list[Observation] = []
    house.observe(seen.append)
    for _ in range(10):
        await accounts.recognition.from_bearer(made.text)
    assert sorted(each.operation for each in seen) == ["BatchGetItem"] * 10 + ["UpdateItem"]
    (token,) = await accounts.tokens.list(ada)
    assert token.used_at is not None
    clock.forward(minutes=5)
    await accounts.recognition.from_bearer(made.text)
    (later,) = await accounts.tokens.list(ada)
    assert later.used_at is not None
    assert later.used_at > token.used_at


async def test_many_requests_with_one_new_token_at_once_are_all_let_in(accounts: Accounts, ada: Viewer) -> None:
    made = await accounts.tokens.create(ada, "importer", [Press.WRITE], 30)
    viewers = await asyncio.gather(*(accounts.recognition.from_bearer(made.text) for _ in range(20)))
    assert {viewer.user_id for viewer in viewers} == {ada.user_id}


async def test_anything_but_the_very_token_is_refused(accounts: Accounts, ada: Viewer) -> None:
    made = await accounts.tokens.create(ada, "importer", [], 30)
    session = await accounts.sessions.sign_in("ada", PASSWORD)
    owner, which, secret = made.text.removeprefix("pat_").split(".")
    for text in (
        "",
        "pat_",
        f"pat_{owner}.{which}.{secret[::-1]}",
        f"pat_{owner}.{secret}",
        f"{owner}.{which}.{secret}",
        f"pat_{session.token}",
        session.token,
        "a.b.c",
    ):
        with pytest.raises(SignInRequired) as refused:
            await accounts.recognition.from_bearer(text)
        assert refused.value.code == "invalid_token"
    assert not (await accounts.recognition.from_session(made.text)).signed_in


async def test_there_is_an_end_to_tokens(accounts: Accounts, ada: Viewer) -> None:
    for number in range(50):
        await accounts.tokens.create(ada, f"token {number}", [], 30)
    with pytest.raises(Conflict) as refused:
        await accounts.tokens.create(ada, "one more", [], 30)
    assert refused.value.code == "too_many_tokens"


async def test_a_one_time_password_makes_no_tokens_and_ends_those_there_are(accounts: Accounts, ada: Viewer) -> None:
    made = await accounts.tokens.create(ada, "importer", [Press.WRITE], 30)
    password = await accounts.administration.set_password(accounts.operator(), ada.id)
    waiting = await enter(accounts, "ada", password)
    with pytest.raises(Forbidden) as refused:
        await accounts.tokens.create(waiting, "importer", [], 30)
    assert refused.value.code == "change_the_password_first"
    await accounts.profile.change_password(waiting, password, "staple of the battery")
    with pytest.raises(SignInRequired):
        await accounts.recognition.from_bearer(made.text)


async def test_a_suspended_owners_token_is_refused(accounts: Accounts, ada: Viewer) -> None:
    made = await accounts.tokens.create(ada, "importer", [], 30)
    await accounts.administration.suspend(accounts.operator(), ada.id)
    with pytest.raises(Forbidden, match="suspended"):
        await accounts.recognition.from_bearer(made.text)
