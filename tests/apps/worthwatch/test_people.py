"""A profile is made at somebody's first own action, once for each email, and its email follows the account."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ProfileEdit, TitleInput
from partita.apps.worthwatch.schema import USER_EMAIL, WORTHWATCH, User
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.people import EmailNeeded, EmailTaken
from partita.kit.accounts import Account
from partita.kit.accounts.former_names import formerly
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY
from partita.kit.problems import Conflict, Invalid, TooMany
from partita.table import Put, Transaction, Update
from tests.apps.house import BAD_WEATHER, kit_on, person
from tests.apps.worthwatch.conftest import account, film, member

pytestmark = pytest.mark.anyio


async def test_the_first_own_action_makes_a_profile_and_looking_makes_none(
    kit: Kit, service: WorthWatchService
) -> None:
    somebody = await account(kit, "Ada")
    viewer = person(somebody.user_id)
    assert (await service.people.mine(viewer), await service.people.mine(NOBODY)) == (None, None)
    made = await asyncio.gather(*(service.people.me(viewer) for _ in range(20)))
    assert {(user.user_id, user.email, user.username) for user in made} == {
        (somebody.user_id, somebody.email, somebody.username)
    }
    assert await kit.store.count(schema.all_users()) == 1


async def test_of_fifty_equal_emails_one_has_it(kit: Kit) -> None:
    now = "2026-05-01T09:30:00.000000Z"

    async def claim(number: int) -> None:
        email = "Ada@Example.org" if number % 2 else "ada@example.ORG"
        user = User(user_id=f"u{number}", email=email, username="Ada", created_at=now, updated_at=now)
        guard = USER_EMAIL.otherwise(EmailTaken())
        await kit.store.transact(Transaction(Put(user).if_new(), *guard.claim(user)))

    results = await asyncio.gather(*map(claim, range(50)), return_exceptions=True)
    assert sum(isinstance(result, EmailTaken) for result in results) == 49
    assert await kit.store.count(schema.all_users()) == 1


async def test_of_fifty_sign_ups_with_one_address_in_bad_weather_one_has_an_account_and_a_profile(
    tmp_path: Path,
) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=BAD_WEATHER) as kit:
        service = WorthWatchService(kit)

        async def sign_up(number: int) -> User:
            made = await kit.accounts.registration.create(
                f"ada-{number}", "ada@example.org", "Ada", "correct horse battery"
            )
            return await service.people.me(person(made.user_id))

        results = await asyncio.gather(*map(sign_up, range(50)), return_exceptions=True)
        made = [each for each in results if isinstance(each, User)]
        assert len(made) == 1
        assert all(isinstance(each, Conflict | User) for each in results), results
        everybody = [each async for each in kit.store.stream(schema.all_users())]
        assert [(each.user_id, each.email.lower()) for each in everybody] == [(made[0].user_id, "ada@example.org")]


async def test_an_account_without_an_address_is_asked_for_one(kit: Kit, service: WorthWatchService) -> None:
    somebody = await account(kit, "Ada")
    await kit.store.write(Update(somebody.own_key, Account.email.remove()))
    with pytest.raises(EmailNeeded):
        await service.people.me(person(somebody.user_id))


async def test_the_email_follows_the_account_and_frees_the_old_one(kit: Kit, service: WorthWatchService) -> None:
    somebody = await account(kit, "Ada")
    before = await service.people.me(person(somebody.user_id))
    moved = somebody.with_(Account.email("new@example.org"))
    assert [await service.people.follow_account(moved) for _ in range(2)] == [True, False]
    after = await service.people.person(somebody.user_id)
    assert after.email == "new@example.org"
    assert await kit.store.get(schema.email_guard(before.email)) is None
    guard = await kit.store.get(schema.email_guard("new@example.org"))
    assert guard is not None
    assert guard.of_user == somebody.user_id
    other = await member(kit, email="taken@example.org")
    with pytest.raises(EmailTaken):
        await service.people.follow_account(somebody.with_(Account.email("TAKEN@example.org")))
    assert (await service.people.person(other.id)).email == "taken@example.org"


async def test_names_of_a_profile_are_remembered_and_change_at_most_twenty_times_a_day(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer = await member(kit)
    first = (await service.people.me(viewer)).username
    for number in range(20):
        await service.people.edit(viewer, ProfileEdit(username=f"Ada {number}", bio="Trains."))
    with pytest.raises(TooMany):
        await service.people.edit(viewer, ProfileEdit(username="Ada again"))
    await service.people.edit(viewer, ProfileEdit(username="Ada 19", bio="Ships."))  # the name is that already
    names, _ = await formerly(kit.store, viewer.id)
    assert set(names) == {first, *(f"Ada {number}" for number in range(19))}


async def test_a_profile_is_edited_field_by_field(kit: Kit, service: WorthWatchService) -> None:
    viewer, title = await member(kit), await film(service, "Alien", release_year=1979)
    favourites = (TitleInput(content_type="MOVIE", content_id=title.movie_id),)
    user = await service.people.edit(viewer, ProfileEdit(bio="Trains.", favourites=favourites, mail="weekly"))
    assert (user.bio, user.username, [each.title for each in user.favourites or ()]) == (
        "Trains.",
        viewer.name,
        ["Alien"],
    )
    (weekday,) = [day for day in range(7) if await kit.store.count(schema.digest_readers(day)) == 1]  # type: ignore[arg-type]
    await service.people.edit(viewer, ProfileEdit(mail="never"))
    assert await kit.store.count(schema.digest_readers(weekday)) == 0  # type: ignore[arg-type]
    with pytest.raises(Invalid, match="does not exist"):
        await service.people.edit(viewer, ProfileEdit(favourites=(TitleInput(content_type="SHOW", content_id="x"),)))
