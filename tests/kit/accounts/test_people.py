"""People are found by id, address and username; administrators see lists."""

from __future__ import annotations

import pytest

from partita.dynamo import requests
from partita.kit.accounts import ACCOUNTS, Accounts
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore
from partita.table import InvalidCursorError, Pattern
from partita.table.check import check
from tests.kit.accounts.conftest import PASSWORD, Clubs, join
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio


async def test_accounts_are_read_many_at_once(accounts: Accounts) -> None:
    people = [await join(accounts, f"person-{number}") for number in range(3)]
    found = await accounts.people.get_many([people[2].id, "nobody", people[0].id, people[2].id])
    assert {user_id: account.username for user_id, account in found.items()} == {
        people[2].id: "person-2",
        people[0].id: "person-0",
    }
    assert await accounts.people.get_many([]) == {}


async def test_an_account_is_found_by_address_and_username_however_they_are_spelt(accounts: Accounts) -> None:
    ada = await join(accounts, "ada")
    for found in (await accounts.people.by_email("ADA@example.org"), await accounts.people.by_username(" Ada")):
        assert found is not None
        assert found.user_id == ada.user_id
    assert await accounts.people.by_email("ada") is None
    assert await accounts.people.by_username("ada@example.org") is None
    assert await accounts.people.by_username("") is None


async def test_administrators_page_through_accounts_newest_first(accounts: Accounts, clock: HandClock) -> None:
    for number in range(7):
        await accounts.registration.create(f"person-{number}", f"person-{number}@example.org", "Person", PASSWORD)
        clock.forward(seconds=1)
    operator = accounts.operator()
    first = await accounts.people.list(operator, limit=5)
    rest = await accounts.people.list(operator, limit=5, cursor=first.next_cursor)
    assert [account.username for account in (*first, *rest)] == [f"person-{number}" for number in range(6, -1, -1)]
    with pytest.raises(InvalidCursorError):
        await accounts.people.search(operator, "person", cursor=first.next_cursor)


async def test_administrators_search_by_the_start_of_a_username_by_address_and_by_id(accounts: Accounts) -> None:
    for username in ("ada", "adam", "bob"):
        await join(accounts, username)
    operator = accounts.operator()

    async def found(text: str) -> list[str]:
        return [account.username for account in await accounts.people.search(operator, text)]

    assert await found("AD") == ["ada", "adam"]
    assert await found("") == ["ada", "adam", "bob"]
    assert await found("bob@example.org") == ["bob"]
    assert await found("nobody@example.org") == []
    bob = await accounts.people.by_username("bob")
    assert bob is not None
    assert await found(bob.user_id) == ["bob"]
    assert await found("zzz") == []


@pytest.mark.parametrize("pattern", [*ACCOUNTS.patterns, *HOUSE.patterns], ids=lambda pattern: pattern.label)
def test_a_pattern_is_a_request_that_runs_and_is_no_scan(
    pattern: Pattern, house: EmbeddedStore, accounts: Accounts
) -> None:
    request = pattern.request().request()
    assert isinstance(request, requests.GetItem | requests.Query)
    house.engine.execute(request)


def test_the_schemas_have_no_errors() -> None:
    import partita.kit.changes.schema  # these keep their items in the house's table
    import partita.kit.jobs.schema
    import partita.kit.notifications.schema  # noqa: F401

    assert [str(finding) for finding in check([ACCOUNTS, HOUSE]) if finding.level == "error"] == []


async def test_people_are_suggested_by_the_beginning_of_their_username(accounts: Accounts) -> None:
    for name in ("mara", "marc", "nora"):
        await join(accounts, name)
    assert [person.username for person in await accounts.people.suggest("MAR")] == ["mara", "marc"]
    assert [person.username for person in await accounts.people.suggest("mar", limit=1)] == ["mara"]
    for nothing in ("", "  ", "m*", "x@example.org"):
        assert await accounts.people.suggest(nothing) == ()


async def test_the_members_of_a_group_are_known_whichever_system_has_it(accounts: Accounts, clubs: Clubs) -> None:
    clubs.granted["ada"] = frozenset()
    assert await accounts.permissions.members_of("club") == ["ada"]
    assert await accounts.permissions.members_of("no such group") is None
