"""Administrators manage accounts, and never reach further than their own permissions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from partita.kit.accounts import Account, Accounts
from partita.kit.permissions import NOBODY, House, Reason, Viewer
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound, SignInRequired
from partita.table import ChangedMeanwhileError
from tests.kit.accounts.conftest import ADMIN, PASSWORD, POLICY, Clubs, Press, enter, join
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio


async def test_a_one_time_password_ends_after_a_week(accounts: Accounts, clock: HandClock) -> None:
    """What was written on a note is worth nothing when the note is found."""
    made = await accounts.administration.create_account(accounts.operator(), "ada", "ada@example.org", "Ada")
    clock.forward(days=6, hours=23)
    assert (await enter(accounts, "ada", made.password)).must_change_password
    clock.forward(hours=1)
    with pytest.raises(SignInRequired) as refused:
        await accounts.sessions.sign_in("ada", made.password)
    assert refused.value.code == "one_time_password_expired"
    with pytest.raises(SignInRequired) as refused:
        await accounts.sessions.sign_in("ada", "wrong horse battery")
    assert refused.value.code == "wrong_password"
    again = await accounts.administration.set_password(accounts.operator(), made.account.user_id)
    assert (await enter(accounts, "ada", again)).must_change_password


@pytest.fixture
async def root(accounts: Accounts) -> Viewer:
    return await join(accounts, "boss", ADMIN)


@pytest.fixture
async def chief(accounts: Accounts) -> Viewer:
    """May manage users, and holds all of one system but not all of the house."""
    return await join(accounts, "chief", "press:chief")


@pytest.fixture
async def ada(accounts: Accounts) -> Viewer:
    return await join(accounts, "ada")


async def test_roles_and_groups_grant_permissions(accounts: Accounts, ada: Viewer, clubs: Clubs) -> None:
    assert ada.permissions == {Press.READ}
    await accounts.administration.set_roles(accounts.operator(), ada.id, ["press:editor"])
    assert (await enter(accounts, "ada")).permissions == {Press.READ, Press.WRITE, Press.APPROVE}
    clubs.granted[ada.id] = frozenset({House.READ_OUTBOX, "unknown:to:everybody"})
    assert (await enter(accounts, "ada")).permissions == {*Press, House.READ_OUTBOX}


async def test_the_administrator_of_the_suite_holds_everything(root: Viewer) -> None:
    assert root.permissions == POLICY.known


async def test_nobody_gives_a_role_whose_permissions_they_do_not_hold(
    accounts: Accounts, chief: Viewer, ada: Viewer
) -> None:
    after = await accounts.administration.set_roles(chief, ada.id, ["press:editor", "press:chief"])
    assert after.roles == {"press:editor", "press:chief"}
    for roles in ([ADMIN], ["press:editor", ADMIN]):
        with pytest.raises(Forbidden, match="you lack some of its permissions"):
            await accounts.administration.set_roles(chief, ada.id, roles)
    assert (await accounts.people.get(ada.id)).roles == {"press:editor", "press:chief"}


async def test_nobody_takes_a_role_whose_permissions_they_do_not_hold(
    accounts: Accounts, chief: Viewer, root: Viewer
) -> None:
    with pytest.raises(Forbidden):
        await accounts.administration.set_roles(chief, root.id, [])
    assert (await accounts.people.get(root.id)).roles == {ADMIN}


async def test_nobody_locks_the_administrators_out_by_giving_up_the_role(accounts: Accounts, root: Viewer) -> None:
    with pytest.raises(Forbidden, match="Ask another administrator"):
        await accounts.administration.set_roles(root, root.id, ["press:editor"])
    assert (await accounts.administration.set_roles(root, root.id, [ADMIN, "press:editor"])).roles == {
        ADMIN,
        "press:editor",
    }


async def test_a_role_that_is_not_there_is_named_with_those_there_are(
    accounts: Accounts, root: Viewer, ada: Viewer
) -> None:
    with pytest.raises(Invalid) as refused:
        await accounts.administration.set_roles(root, ada.id, ["press:janitor"])
    assert refused.value.errors[0].message == (
        "There is no role press:janitor. The roles are admin, press:chief, press:editor."
    )


class Meeting:
    """Grants nothing, and keeps whoever asks until so many have asked."""

    def __init__(self, people: int) -> None:
        self._barrier = asyncio.Barrier(people)

    async def permissions_of(self, user_id: str) -> frozenset[str]:
        await self._barrier.wait()
        return frozenset()

    async def reasons_for(self, user_id: str) -> list[Reason]:
        return []

    async def holders(self, permission: str) -> list[str]:
        return []

    async def members_of(self, group: str) -> list[str] | None:
        return None

    async def groups_named(self, start: str, limit: int) -> list[str]:
        return []


async def test_of_two_changes_of_roles_at_once_none_is_lost_unseen(
    accounts: Accounts, root: Viewer, ada: Viewer
) -> None:
    accounts.use(POLICY, (Meeting(2),))  # both have read the account before either writes
    changes = [accounts.administration.set_roles(root, ada.id, [role]) for role in ("press:editor", "press:chief")]
    outcomes = await asyncio.gather(*changes, return_exceptions=True)
    (done,) = [outcome for outcome in outcomes if isinstance(outcome, Account)]
    assert sum(isinstance(outcome, ChangedMeanwhileError) for outcome in outcomes) == 1
    assert (await accounts.people.get(ada.id)).roles == done.roles


async def test_managing_somebody_who_may_more_is_refused(
    accounts: Accounts, chief: Viewer, root: Viewer, ada: Viewer, clubs: Clubs
) -> None:
    """Else to set their password would be to become them."""
    clubs.granted[ada.id] = frozenset({House.READ_METRICS})
    for person in (root, ada):
        for manage in (
            accounts.administration.set_password,
            accounts.administration.revoke_access,
            accounts.administration.suspend,
            accounts.administration.restore,
        ):
            with pytest.raises(Forbidden, match="has permissions that you do not have"):
                await manage(chief, person.id)


async def test_everything_here_needs_the_permission(accounts: Accounts, ada: Viewer) -> None:
    acts: list[Callable[[Viewer], Awaitable[object]]] = [
        lambda viewer: accounts.people.list(viewer),
        lambda viewer: accounts.people.search(viewer, "a"),
        lambda viewer: accounts.administration.create_account(viewer, "eve", "eve@example.org", "Eve"),
        lambda viewer: accounts.administration.set_password(viewer, ada.id),
        lambda viewer: accounts.administration.set_roles(viewer, ada.id, []),
        lambda viewer: accounts.administration.revoke_access(viewer, ada.id),
        lambda viewer: accounts.administration.suspend(viewer, ada.id),
        lambda viewer: accounts.administration.restore(viewer, ada.id),
    ]
    for act in acts:
        with pytest.raises(Forbidden):
            await act(ada)
        with pytest.raises(SignInRequired):
            await act(NOBODY)


async def test_an_account_is_made_for_somebody_with_a_password_to_change(accounts: Accounts, chief: Viewer) -> None:
    made = await accounts.administration.create_account(chief, "eve", "eve@example.org", "Eve", roles=["press:editor"])
    assert made.password not in repr(made)
    eve = await enter(accounts, "eve", made.password)
    assert (eve.must_change_password, eve.permissions) == (True, frozenset())
    await accounts.profile.change_password(eve, made.password, PASSWORD)
    assert (await enter(accounts, "eve")).permissions == set(Press)
    with pytest.raises(Conflict):
        await accounts.administration.create_account(chief, "eve", "other@example.org", "Eve")
    with pytest.raises(Forbidden):
        await accounts.administration.create_account(chief, "bob", "bob@example.org", "Bob", roles=[ADMIN])
    assert await accounts.people.by_username("bob") is None


async def test_a_password_that_is_set_must_be_changed_and_ends_all_sessions_and_tokens(
    accounts: Accounts, root: Viewer, ada: Viewer
) -> None:
    session = await accounts.sessions.sign_in("ada", PASSWORD)
    token = await accounts.tokens.create(ada, "of whoever had the account", [], 1)
    assert await accounts.administration.set_password(root, ada.id, "chosen by the boss") == "chosen by the boss"
    assert await accounts.recognition.from_session(session.token) is NOBODY
    with pytest.raises(SignInRequired):
        await accounts.recognition.from_bearer(token.text)
    assert (await enter(accounts, "ada", "chosen by the boss")).must_change_password
    with pytest.raises(Invalid):
        await accounts.administration.set_password(root, ada.id, "short")
    random = await accounts.administration.set_password(root, ada.id)
    assert (await enter(accounts, "ada", random)).must_change_password


async def test_revoking_ends_all_sessions_and_tokens_and_leaves_the_password(
    accounts: Accounts, root: Viewer, ada: Viewer
) -> None:
    sessions = [await accounts.sessions.sign_in("ada", PASSWORD) for _ in range(3)]
    token = await accounts.tokens.create(ada, "robot", [], 30)
    await accounts.administration.revoke_access(root, ada.id)
    for session in sessions:
        assert await accounts.recognition.from_session(session.token) is NOBODY
    with pytest.raises(SignInRequired):
        await accounts.recognition.from_bearer(token.text)
    assert len(await accounts.sessions.list(await enter(accounts, "ada"))) == 1


async def test_administrators_do_not_suspend_themselves(accounts: Accounts, root: Viewer) -> None:
    with pytest.raises(Forbidden, match="your own account"):
        await accounts.administration.suspend(root, root.id)


@pytest.mark.parametrize("strange", ["nobody", "", "x" * 3000, "a#b", "\ud800", "\n", "é" * 60])
async def test_somebody_who_is_not_there_is_not_found(accounts: Accounts, root: Viewer, strange: str) -> None:
    for look in (
        accounts.people.get(strange),
        accounts.administration.set_roles(root, strange, []),
        accounts.sessions.revoke(root, strange),
        accounts.tokens.revoke(root, strange),
        accounts.administration.access_of(root, strange),
    ):
        with pytest.raises(NotFound):
            await look
    assert await accounts.people.get_many([strange]) == {}
    assert await accounts.people.by_username(strange) is None
    assert await accounts.people.by_email(f"{strange}@") is None
    assert len(await accounts.people.search(root, strange)) == (strange in ("", "\n"))


async def test_administrators_see_where_somebody_is_signed_in(accounts: Accounts, root: Viewer, ada: Viewer) -> None:
    await accounts.tokens.create(ada, "robot", [], 30)
    sessions, tokens = await accounts.administration.access_of(root, ada.id)
    assert [session.session_id for session in sessions] == [ada.session_id]
    assert [token.name for token in tokens] == ["robot"]
    assert await accounts.permissions.of(await accounts.people.get(ada.id)) == ada.permissions
    with pytest.raises(Forbidden):
        await accounts.administration.access_of(ada, root.id)


async def test_what_somebody_may_do_is_told_apart_by_what_grants_it(
    accounts: Accounts, ada: Viewer, clubs: Clubs
) -> None:
    clubs.granted[ada.id] = frozenset({House.READ_METRICS, "nobody:knows:this"})
    person = await accounts.administration.set_roles(accounts.operator(), ada.id, ["press:editor"])
    reasons = await accounts.permissions.reasons_for(person)
    assert {reason.by: reason.permissions for reason in reasons} == {
        "Every account": {Press.READ},
        "Role press:editor": {Press.WRITE, Press.APPROVE},
        "The club": {House.READ_METRICS},
    }
    together = frozenset[str]().union(*(reason.permissions for reason in reasons))
    assert together == await accounts.permissions.of(person)
