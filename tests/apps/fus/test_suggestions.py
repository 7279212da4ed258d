"""Members suggest sites, those who may add sites decide once, and both are told."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.fus import schema, system
from partita.apps.fus.inputs import DeclineInput, NewSite, NewSuggestion, RatingInput
from partita.apps.fus.permissions import MANAGER, MEMBERS
from partita.apps.fus.schema import FUS, SuggestedUrl, Suggestion
from partita.apps.fus.service import FusService
from partita.apps.fus.service.sites import AlreadyThere
from partita.apps.fus.service.suggestions import AlreadySuggested
from partita.kit.accounts import Account
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound, Problem
from tests.apps.fus.conftest import account, manager, member, put
from tests.apps.house import kit_on, replay, worker_of

pytestmark = pytest.mark.anyio
NO = DeclineInput(answer="It is a shop.")


def new(number: int = 1, **fields: object) -> NewSuggestion:
    return NewSuggestion.model_validate({"url": f"https://{number}.example.org", "title": f"Site {number}", **fields})


def site_of(made: Suggestion, **fields: object) -> NewSite:
    return NewSite.model_validate({"url": made.url, "title": made.title, "tags": made.tags, "fetch": False, **fields})


async def test_an_accepted_suggestion_is_a_site_in_the_name_of_whoever_suggested_it(service: FusService) -> None:
    somebody = member()
    made = await service.suggestions.suggest(somebody, new(tags=["Maps"]))
    (waiting,) = await service.suggestions.waiting()
    assert (waiting.suggestion, waiting.by.name) == (made, "Deleted account")
    site = await service.suggestions.accept(manager(), made.name, site_of(made, title="Better title"))
    assert (site.title, site.tags, site.added_by) == ("Better title", ("maps",), somebody.id)
    (mine,) = await service.suggestions.mine(somebody)
    assert (mine.status, mine.became) == ("accepted", site.site_id)
    assert not (await service.suggestions.waiting()).items
    assert await service.sites.total() == 1


async def test_an_address_is_suggested_once_and_not_if_it_is_in_the_catalog(service: FusService) -> None:
    await put(service, "There", url="https://there.example.org")
    with pytest.raises(AlreadyThere, match="as “There”"):
        await service.suggestions.suggest(member(), new(url="https://THERE.example.org/#x"))
    tries = (service.suggestions.suggest(member(), new(7)) for _ in range(4))
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sorted(isinstance(result, AlreadySuggested) for result in results) == [False, True, True, True]
    (waiting,) = await service.suggestions.waiting()
    await service.suggestions.decline(manager(), waiting.suggestion.name, NO)
    again = await service.suggestions.suggest(member(), new(7))
    assert again.waits, "a declined one may be suggested again"


async def test_of_several_decisions_at_once_one_counts(service: FusService) -> None:
    somebody = member()
    made = await service.suggestions.suggest(somebody, new())
    results = await asyncio.gather(
        service.suggestions.accept(manager(), made.name, site_of(made)),
        service.suggestions.accept(manager(), made.name, site_of(made)),
        service.suggestions.decline(manager(), made.name, NO),
        service.suggestions.withdraw(somebody, made.suggestion_id),
        return_exceptions=True,
    )
    assert sum(not isinstance(result, Exception) for result in results) == 1
    assert all(isinstance(result, Conflict | NotFound) for result in results if isinstance(result, Exception)), results
    with pytest.raises((Conflict, NotFound)):
        await service.suggestions.decline(manager(), made.name, NO)


async def test_nobody_withdraws_what_others_suggested_and_strange_names_are_not_found(service: FusService) -> None:
    made = await service.suggestions.suggest(member(), new())
    with pytest.raises(NotFound):
        await service.suggestions.withdraw(member(), made.suggestion_id)
    for name in ("", "x", "a.b", "." * 3, "x" * 3000 + ".y"):
        with pytest.raises(NotFound):
            await service.suggestions.find(name)


async def test_a_decision_is_taken_back_by_whoever_made_it_unless_the_site_is_in_use(service: FusService) -> None:
    somebody, decider = member(), manager()
    made = await service.suggestions.suggest(somebody, new())
    await service.suggestions.decline(decider, made.name, NO)
    with pytest.raises(Conflict):
        await service.suggestions.reopen(manager(), made.name)
    await service.suggestions.reopen(decider, made.name)
    (waiting,) = await service.suggestions.waiting()
    assert (waiting.suggestion.answer, waiting.suggestion.decided_by) == ("", None)
    with pytest.raises(AlreadySuggested):
        await service.suggestions.suggest(member(), new())
    with pytest.raises(Conflict, match="or it waits"):
        await service.suggestions.reopen(decider, made.name)

    site = await service.suggestions.accept(decider, made.name, site_of(made))
    await service.suggestions.reopen(decider, made.name)
    with pytest.raises(NotFound):
        await service.sites.site(site.site_id)
    assert await service.sites.total() == 0

    site = await service.suggestions.accept(decider, made.name, site_of(made))
    await service.ratings.rate(member(), site.site_id, RatingInput(stars=5))
    with pytest.raises(Conflict, match="cannot be undone"):
        await service.suggestions.reopen(decider, made.name)
    assert (await service.sites.site(site.site_id)).number_of_ratings == 1
    assert not (await service.suggestions.waiting()).items

    declined = await service.suggestions.suggest(somebody, new(2))
    await service.suggestions.decline(decider, declined.name, NO)
    await service.suggestions.suggest(member(), new(2))
    with pytest.raises(AlreadySuggested):
        await service.suggestions.reopen(decider, declined.name)


STEPS = st.lists(
    st.tuples(st.sampled_from(["suggest", "accept", "decline", "withdraw", "reopen"]), st.integers(0, 2)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
async def test_whatever_happens_the_queue_is_what_waits_and_each_address_is_guarded_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    with kit_on(tmp_path_factory.mktemp("suggested"), FUS) as kit:
        service, somebody, decider = FusService(kit), member(), manager()
        latest: dict[int, Suggestion] = {}
        for step, number in steps:
            try:
                if step == "suggest":
                    latest[number] = await service.suggestions.suggest(somebody, new(number))
                elif number in latest:
                    made = latest[number]
                    if step == "accept":
                        await service.suggestions.accept(decider, made.name, site_of(made))
                    elif step == "decline":
                        await service.suggestions.decline(decider, made.name, NO)
                    elif step == "reopen":
                        await service.suggestions.reopen(decider, made.name)
                    else:
                        await service.suggestions.withdraw(somebody, made.suggestion_id)
            except Problem:
                pass
        stored = [each async for each in kit.store.stream(schema.my_suggestions(somebody.id))]
        waiting = {each.suggestion.url for each in await service.suggestions.waiting()}
        assert waiting == {each.url for each in stored if each.status == "waiting"}
        guards = {guard.url async for guard in kit.store.scan_whole_table(SuggestedUrl)}
        assert guards == waiting
        sites = {match.item.url for match in await service.catalog.browse()}
        assert sites == {each.url for each in stored if each.status == "accepted"}


def _as(somebody: Account, *permissions: str) -> Viewer:
    granted = frozenset(map(str, (*MEMBERS, *permissions)))
    return Viewer(user_id=somebody.user_id, username=somebody.username, permissions=granted, via="session")


async def test_those_who_may_add_sites_hear_of_suggestions_and_members_of_decisions_each_once(
    kit: Kit, service: FusService
) -> None:
    built = system.build(kit)
    kit.notifications.use(built.notifications)
    decider, ada = await account(kit, "Decider"), await account(kit, "Ada")
    await kit.accounts.administration.set_roles(kit.accounts.operator(), decider.user_id, ("fus:manager",))
    made = [await service.suggestions.suggest(_as(ada), new(number)) for number in range(3)]
    await service.suggestions.withdraw(_as(ada), made[2].suggestion_id)

    async def settle() -> None:
        await worker_of(kit, built).drain()
        await replay(kit, built, "fus.notifications")

    await settle()
    (told,) = await kit.notifications.page(_as(decider, *MANAGER))
    assert (told.words.title, told.link) == ("2 sites were suggested for the catalog", "/fus/suggestions")
    site = await service.suggestions.accept(_as(decider), made[0].name, site_of(made[0]))
    await service.suggestions.decline(_as(decider), made[1].name, NO)
    await settle()
    declined, accepted = await kit.notifications.page(_as(ada))
    assert accepted.words.title == "“Site 0”, which you suggested, is in the catalog now"
    assert accepted.link == f"/fus/sites/{site.site_id}"
    assert (declined.words.title, declined.words.text) == ("“Site 1”, which you suggested, was declined", NO.answer)
    await service.suggestions.reopen(_as(decider), made[1].name)
    await settle()
    assert len((await kit.notifications.page(_as(ada))).items) == 2
    await service.suggestions.decline(_as(decider), made[1].name, DeclineInput(answer="Still a shop."))
    await settle()
    again = (await kit.notifications.page(_as(ada))).items[0]
    assert again.words.text == "Still a shop.", "another decision is told again"
