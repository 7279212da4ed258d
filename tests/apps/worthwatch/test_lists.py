"""Lists go live, change and end together with their pointers, totals and counts; nothing hidden stays live."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ListEdit, NewList
from partita.apps.worthwatch.permissions import ROLES
from partita.apps.worthwatch.schema import Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.lists import list_version
from partita.apps.worthwatch.service.live import NotACurator
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Conflict, NotFound
from tests.apps.house import person
from tests.apps.worthwatch.conftest import add, curator, film, member, new_list, suspend

pytestmark = pytest.mark.anyio
TAGS = ("Noir", "trains", "1940s")


async def assert_live(kit: Kit, viewer: Viewer, *live: Watchlist, tags: Iterable[str] = TAGS) -> None:
    """These lists of a curator are live, and no others: in every place that says so."""
    ids = sorted(each.watchlist_id for each in live)
    feed = [each async for each in kit.store.stream(schema.live_lists())]
    assert sorted(each.watchlist_id for each in feed if each.curator_id == viewer.id) == ids
    popular = {each.watchlist_id async for each in kit.store.stream(schema.popular_lists())}
    assert popular == {each.watchlist_id for each in feed}
    pointers = [each.watchlist_id async for each in kit.store.stream(schema.live_lists_of(viewer.id))]
    assert sorted(pointers) == ids
    for tag in tags:
        tagged = [each.watchlist_id async for each in kit.store.stream(schema.live_lists_with_tag(tag.lower()))]
        total = await kit.store.get(schema.tag_total(tag.lower()))
        assert (sorted(tagged), total.count if total else 0) == (ids, len(ids))
    user = await kit.store.get(schema.user(viewer.id))
    assert user is not None
    assert (user.live_list_count or 0) == len(ids)


async def published(kit: Kit, service: WorthWatchService, viewer: Viewer) -> Watchlist:
    watchlist = await new_list(service, viewer, tags=TAGS)
    await add(service, viewer, watchlist, await film(service))
    return await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(is_public=True))


async def test_a_list_is_live_while_it_is_public_and_not_empty(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist = await new_list(service, viewer, tags=TAGS, is_public=True)
    await assert_live(kit, viewer)
    title = await film(service)
    await add(service, viewer, watchlist, title)
    live = await service.lists.own(viewer, watchlist.watchlist_id)
    await assert_live(kit, viewer, live)
    await service.items.remove(viewer, watchlist.watchlist_id, "MOVIE", title.movie_id)
    await assert_live(kit, viewer)
    item = await add(service, viewer, watchlist, title)
    again = await service.lists.own(viewer, watchlist.watchlist_id)
    assert again.published_at == live.published_at == item.live_since
    await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(is_public=False))
    await assert_live(kit, viewer)


async def test_tags_of_a_live_list_come_and_go_with_their_totals(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist = await published(kit, service, viewer)
    await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(tags=("NOIR", "night")))
    await assert_live(kit, viewer, watchlist, tags=("noir", "night"))
    await assert_live(kit, viewer, watchlist, tags=())
    gone = await kit.store.get(schema.tag_total("trains"))
    assert gone is not None
    assert gone.count == 0


async def test_deleting_a_live_list_ends_it_everywhere(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist = await published(kit, service, viewer)
    await service.lists.delete(viewer, watchlist.watchlist_id)
    await assert_live(kit, viewer)
    with pytest.raises(NotFound):
        await service.lists.own(viewer, watchlist.watchlist_id)


async def test_only_approved_curators_publish(kit: Kit, service: WorthWatchService) -> None:
    viewer = await member(kit)
    watchlist = await new_list(service, viewer, tags=TAGS)
    with pytest.raises(NotACurator):
        await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(is_public=True))
    await add(service, viewer, watchlist, await film(service))
    with pytest.raises(NotACurator):
        await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(is_public=True))
    with pytest.raises(NotACurator):
        await new_list(service, viewer, is_public=True)
    assert (await service.lists.create(viewer, NewList(title="Mine"))).is_public is False
    assert (await service.lists.create(await curator(kit), NewList(title="Everybody's"))).is_public is True
    await assert_live(kit, viewer)


async def test_publishing_against_suspending_leaves_nothing_hidden_live(kit: Kit, service: WorthWatchService) -> None:
    for _ in range(5):
        viewer = await curator(kit)
        drafts = [await new_list(service, viewer, tags=TAGS) for _ in range(8)]
        for each in drafts:
            await add(service, viewer, each, await film(service))

        async def publish(watchlist: Watchlist, viewer: Viewer = viewer) -> None:
            with suppress(NotACurator):
                await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(is_public=True))

        async def suspended(viewer: Viewer = viewer) -> None:
            await suspend(kit, viewer)
            # What follows the suspension finds every list that went live before it, since the pointers say so.
            pointers = [each async for each in kit.store.stream(schema.live_lists_of(viewer.id).consistently())]
            for each in pointers:
                await service.lists.set_hidden(each.watchlist_id, True)

        await asyncio.gather(*map(publish, drafts[:4]), suspended(), *map(publish, drafts[4:]))
        assert [each async for each in kit.store.stream(schema.live_lists_of(viewer.id))] == []
        await assert_live(kit, viewer, tags=())
        assert await kit.store.count(schema.live_lists()) == 0


async def test_a_suspended_curators_list_is_not_found_at_once_and_returns(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist = await published(kit, service, viewer)
    assert (await service.lists.visible(NOBODY, watchlist.watchlist_id)).watchlist.live
    await suspend(kit, viewer)
    with pytest.raises(NotFound):
        await service.lists.visible(NOBODY, watchlist.watchlist_id)
    assert await service.lists.set_hidden(watchlist.watchlist_id, True)
    assert not await service.lists.set_hidden(watchlist.watchlist_id, True)
    await assert_live(kit, viewer)
    assert (await service.lists.visible(viewer, watchlist.watchlist_id)).watchlist.hidden
    assert not await service.lists.set_hidden(watchlist.watchlist_id, False)


async def test_private_lists_exist_for_their_curator_alone(kit: Kit, service: WorthWatchService) -> None:
    viewer, other = await curator(kit), await curator(kit)
    moderator = person("moderator", *ROLES["moderator"])
    watchlist = await new_list(service, viewer)
    for somebody in (NOBODY, other, moderator):
        with pytest.raises(NotFound):
            await service.lists.visible(somebody, watchlist.watchlist_id)
    for somebody in (other, moderator):
        with pytest.raises(NotFound):
            await service.lists.edit(somebody, watchlist.watchlist_id, ListEdit(title="Mine"))
        with pytest.raises(NotFound):
            await service.lists.delete(somebody, watchlist.watchlist_id)


async def test_a_secret_link_ends_when_it_is_revoked_renewed_or_the_list_published(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer = await curator(kit)
    watchlist = await new_list(service, viewer)

    async def opens(secret: str | None) -> bool:
        try:
            await service.lists.by_secret(watchlist.watchlist_id, secret or "")
        except NotFound:
            return False
        return True

    first = (await service.lists.share(viewer, watchlist.watchlist_id)).secret_link
    assert await opens(first)
    second = (await service.lists.share(viewer, watchlist.watchlist_id)).secret_link
    assert (await opens(first), await opens(second), await opens("")) == (False, True, False)
    await service.lists.revoke(viewer, watchlist.watchlist_id)
    assert not await opens(second)
    third = (await service.lists.share(viewer, watchlist.watchlist_id)).secret_link
    await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(is_public=True))
    with pytest.raises(Conflict, match="needs no secret link"):
        await service.lists.share(viewer, watchlist.watchlist_id)
    await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(is_public=False))
    assert not await opens(third)


async def test_an_edit_of_an_old_version_is_refused_but_titles_do_not_make_it_old(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer = await curator(kit)
    watchlist = await new_list(service, viewer)
    seen = list_version(watchlist)
    await add(service, viewer, watchlist, await film(service))
    await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(title="Night trains", version=seen))
    with pytest.raises(Conflict, match="Somebody else"):
        await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(title="Day trains", version=seen))
