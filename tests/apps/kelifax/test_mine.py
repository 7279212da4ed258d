"""One's own lists: each number is the length of the list that it leads to, and pages of a list are the whole of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from partita.apps.kelifax.permissions import MEMBERS
from partita.apps.kelifax.schema import CATEGORIES, STATUSES, Category
from partita.apps.kelifax.service import KelifaxService, mine
from partita.apps.kelifax.service.mine import MyResources
from partita.kit.kit import Kit
from tests.apps.house import person
from tests.apps.kelifax.conftest import MOD, submission
from tests.apps.kelifax.served import serve

pytestmark = pytest.mark.anyio
MIA, OTHER = person("mia", *MEMBERS), person("other", *MEMBERS)
OF: tuple[Category, ...] = ("design", "ai", "design", "learning", "design")


async def _fill(service: KelifaxService) -> None:
    """Five of Mia's: two wait, two are approved, one is rejected. She saved what is approved, also somebody else's."""
    for number, category in enumerate(OF):
        form = submission(f"Mine {number}", f"https://mine-{number}.example.org", resource__category=category)
        await service.submissions.submit(form, "x", MIA.id)
    other = submission("Theirs", "https://theirs.example.org", resource__category="ai")
    await service.submissions.submit(other, "x", OTHER.id)
    for slug in ("mine-0", "mine-1", "theirs"):
        await service.moderation.approve(MOD, slug)
        await service.liked.save(MIA, slug)
    await service.moderation.reject(MOD, "mine-2", "It is a copy.")


def _slugs(page: MyResources) -> list[str]:
    return [each.resource_slug for each in page]


async def test_each_number_is_the_length_of_the_list_behind_it(service: KelifaxService) -> None:
    await _fill(service)
    own = await service.mine.submissions(MIA)
    assert _slugs(own) == [f"mine-{number}" for number in reversed(range(5))]
    assert (own.of_all, dict(own.counts)) == (5, {"pending": 2, "approved": 2, "rejected": 1})
    by_status = {each: await service.mine.submissions(MIA, each) for each in STATUSES}
    assert {each: len(page.items) for each, page in by_status.items()} == dict(own.counts)
    assert _slugs(by_status["rejected"]) == ["mine-2"]
    saved = await service.mine.saved(MIA)
    assert _slugs(saved) == ["theirs", "mine-1", "mine-0"]
    assert (saved.of_all, dict(saved.counts)) == (3, {"design": 1, "ai": 2})
    for category in CATEGORIES:
        narrowed = await service.mine.saved(MIA, category)
        assert (len(narrowed.items), narrowed.total) == (saved.counts.get(category, 0),) * 2
    assert not (await service.mine.submissions(OTHER, "rejected")).items


async def _walked(read: Callable[[str | None], Awaitable[MyResources]]) -> list[str]:
    page = await read(None)
    found = _slugs(page)
    while page.next_cursor is not None:
        page = await read(page.next_cursor)
        found += _slugs(page)
    return found


@pytest.mark.parametrize("counted", [2, 300])
@pytest.mark.parametrize("limit", [1, 2, 20])
async def test_pages_of_a_list_are_the_whole_of_it(
    service: KelifaxService, monkeypatch: pytest.MonkeyPatch, counted: int, limit: int
) -> None:
    """However few are counted: only what is narrowed has that bound."""
    await _fill(service)
    monkeypatch.setattr(mine, "MOST", counted)
    own = service.mine
    everything = await _walked(lambda cursor: own.submissions(MIA, limit=limit, cursor=cursor))
    assert everything == [f"mine-{number}" for number in reversed(range(5))]
    assert await _walked(lambda cursor: own.saved(MIA, limit=limit, cursor=cursor)) == ["theirs", "mine-1", "mine-0"]
    waiting = await _walked(lambda cursor: own.submissions(MIA, "pending", limit=limit, cursor=cursor))
    assert waiting == ["mine-4", "mine-3"]


async def test_the_pages_have_the_numbers_and_say_so_if_a_list_is_empty(kit: Kit) -> None:
    kelifax = serve(kit)
    account = await kit.accounts.registration.create("mia", "mia@example.org", "Mia Loom", "correct horse battery")
    session = await kit.accounts.sessions.sign_in("mia", "correct horse battery", user_agent="Test/1.0")
    mia = kelifax.visitor()
    mia.cookies["partita"] = session.token
    await kelifax.service.submissions.submit(submission("Only One"), "x", account.user_id)
    shown = (await mia.get("/kelifax/submissions")).shown
    assert "Only One" in shown
    assert 'href="/kelifax/submissions?status=pending"' in shown
    assert "None is rejected" in (await mia.get("/kelifax/submissions?status=rejected")).shown
    assert "Only One" in (await mia.get("/kelifax/submissions?status=odd")).shown
    await kelifax.service.moderation.approve(MOD, "only-one")
    await mia.post("/kelifax/resources/only-one/saved", {"on": "true"})
    assert 'href="/kelifax/saved?category=development"' in (await mia.get("/kelifax/saved")).shown
    assert "Nothing saved in Design" in (await mia.get("/kelifax/saved?category=design")).shown
