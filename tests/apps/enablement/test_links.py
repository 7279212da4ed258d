"""Links to files: whatever happens to an item, a link made before works as long as its holder would get a new one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from partita.apps.enablement.inputs import Retirement, Transfer, Validity
from tests.apps.enablement.conftest import NOTE, TABLES, TestClock
from tests.apps.enablement.served import ServedPortal, Somebody, serve
from tests.apps.house import kit_on
from tests.kit.previews.samples import pdf

pytestmark = pytest.mark.anyio
ROLES = {
    "viewer": "",
    "contributor": "contributor",
    "owner": "contributor",
    "approver": "approver",
    "admin": "admin",
}


@dataclass(frozen=True, slots=True)
class World:
    portal: ServedPortal
    clock: TestClock
    people: dict[str, Somebody]

    async def released(self) -> str:
        draft = await self.portal.draft(self.people["owner"])
        await self.portal.attach(self.people["owner"], draft.content_id, pdf("Prices"), "prices.pdf")
        await self.portal.release(self.people["owner"], self.people["approver"], draft.content_id)
        return draft.content_id

    async def link(self, who: str, content_id: str) -> str | None:
        """The link that somebody gets, if they get one."""
        answer = await self.people[who].get(f"/enablement/content/{content_id}/download")
        return answer.location if answer.status == 302 else None


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    clock = TestClock()
    with kit_on(tmp_path_factory.mktemp("links"), *TABLES, clock=clock) as kit:
        portal = serve(kit)
        people = {name: await portal.person(role, f"Link-{name}") for name, role in ROLES.items()}
        yield World(portal, clock, people)


async def _draft(world: World, content_id: str) -> None:
    """Back to a draft, by way of its expiry."""
    await world.portal.service.lifecycle.expire(world.people["approver"].viewer, content_id)
    await world.portal.service.lifecycle.renew(world.people["owner"].viewer, content_id)


async def _retire(world: World, content_id: str) -> None:
    await world.portal.service.lifecycle.retire(
        world.people["approver"].viewer, content_id, Retirement(reason="No longer sold.")
    )


async def _retire_and_reinstate(world: World, content_id: str) -> None:
    await _retire(world, content_id)
    await world.portal.service.lifecycle.reinstate(world.people["approver"].viewer, content_id)


async def _expire(world: World, content_id: str) -> None:
    await world.portal.service.lifecycle.expire(world.people["approver"].viewer, content_id)


async def _close(world: World, content_id: str) -> None:
    approver = world.people["approver"].viewer
    await world.portal.service.lifecycle.plan(approver, content_id, Validity(expiry_policy="hard_expire"))
    await world.portal.service.lifecycle.expire(approver, content_id)


async def _end_by_itself(world: World, content_id: str) -> None:
    """Its validity is shortened, and nobody has come by since then, not even the clock."""
    ends = Validity(expiry_date=(world.clock.at.isoformat().replace("+00:00", "Z")), expiry_policy="hard_expire")
    await world.portal.service.lifecycle.plan(world.people["approver"].viewer, content_id, ends)
    world.clock.on(seconds=1)


async def _delete(world: World, content_id: str) -> None:
    await world.portal.service.removals.delete(world.people["admin"].viewer, content_id)


async def _new_file(world: World, content_id: str) -> None:
    await world.portal.attach(world.people["owner"], content_id, pdf("New prices"), "prices.pdf")
    await world.portal.release(world.people["owner"], world.people["approver"], content_id, NOTE)


async def _only_proposed(world: World, content_id: str) -> None:
    await world.portal.attach(world.people["owner"], content_id, pdf("New prices"), "prices.pdf")


async def _hand_over_draft(world: World, content_id: str) -> None:
    await _draft(world, content_id)
    heir = Transfer(to=world.people["contributor"].viewer.username)
    await world.portal.service.lifecycle.hand_over(world.people["owner"].viewer, content_id, heir)


@pytest.mark.parametrize(
    ("change", "still"),
    [
        (_retire, {"admin"}),
        (_retire_and_reinstate, set(ROLES)),
        (_expire, set(ROLES)),
        (_close, {"admin"}),
        (_end_by_itself, {"admin"}),
        (_draft, {"owner", "approver", "admin"}),
        (_hand_over_draft, {"approver", "admin"}),
        (_delete, set()),
        (_new_file, set()),
        (_only_proposed, set(ROLES)),
    ],
)
async def test_a_link_works_for_whom_a_new_one_would(
    world: World, change: Callable[[World, str], Awaitable[None]], still: set[str]
) -> None:
    content_id = await world.released()
    links = {who: str(await world.link(who, content_id)) for who in ROLES}
    for who, link in links.items():
        answer = await world.people[who].get(link)
        assert (answer.status, answer.headers["cache-control"]) == (200, "private, no-cache")
    await change(world, content_id)
    working = set()
    for who, link in links.items():
        for asking in (world.people[who], world.portal.visitor()):  # a link is what it says, whoever follows it
            for headers in ({}, {"range": "bytes=0-3"}, {"if_none_match": "*"}):
                answer = await asking.get(link, **headers)
                if answer.status in (200, 206, 304):
                    working.add(who)
                else:
                    assert answer.status in (403, 404)
                    assert b"%PDF" not in answer.body
    assert working == still
    for who in still:
        anew = await world.link(who, content_id)
        assert anew is None or urlsplit(anew).path == urlsplit(links[who]).path
    if change is not _hand_over_draft:
        for who in set(ROLES) - still:
            anew = await world.link(who, content_id)
            assert anew is None or urlsplit(anew).path != urlsplit(links[who]).path


async def test_a_link_says_itself_what_it_is_for(world: World) -> None:
    content_id = await world.released()
    link = str(await world.link("viewer", content_id))
    more = link.replace("V%22", "X%22")
    assert more != link
    assert (await world.people["admin"].get(more)).status == 403
    content = await world.portal.service.content.item(content_id)
    without = world.portal.kit.files.url(str(content.s3_key))  # as they were before links were checked
    answer = await world.people["admin"].get(without)
    assert answer.status == 403
    assert "Open the page again" in answer.shown


async def test_a_link_of_somebody_who_was_suspended_ends(world: World) -> None:
    content_id = await world.released()
    somebody = await world.portal.person("", "Link-leaver")
    link = (await somebody.get(f"/enablement/content/{content_id}/download")).location
    assert (await somebody.get(link)).status == 200
    administration = world.portal.kit.accounts.administration
    await administration.suspend(world.portal.kit.accounts.operator(), somebody.viewer.id)
    assert (await world.people["admin"].get(link)).status == 403
