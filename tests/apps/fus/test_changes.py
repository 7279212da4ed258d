"""What follows changes: told twice, told late, or interrupted, it ends the same."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from partita.apps.fus import schema, system
from partita.apps.fus.formats import rating_rank, title_key
from partita.apps.fus.inputs import CommentInput, NewGroup, RatingInput, SiteEdit
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import FUS, Site, SiteTag, TagTotal
from partita.apps.fus.service import FusService
from partita.apps.fus.service.adoption import adopt_site
from partita.apps.fus.service.removal import finish_site
from partita.apps.fus.service.sites import AlreadyThere
from partita.dynamo.errors import ThroughputExceededError
from partita.dynamo.requests import PutItem
from partita.kit.changes import Change
from partita.kit.kit import Kit
from partita.store import EmbeddedStore
from partita.store.observe import Observation
from partita.store.streams import records, shards
from partita.table import Item
from partita.table.changes import change_of
from tests.apps.fus.conftest import MANAGES, POLICY, READS, account, adopt_everything, member, put
from tests.apps.house import BAD_WEATHER, kit_on, person, worker_of

pytestmark = pytest.mark.anyio
ADMIN = person("admin", *POLICY.known)


async def _everything(kit: Kit) -> dict[str, object]:
    """All that is in the table, by key."""
    assert isinstance(kit.tables, EmbeddedStore)
    while True:
        try:
            response = kit.tables.engine.call("Scan", {"TableName": FUS.name})
            break
        except ThroughputExceededError:  # the weather is bad for us too
            pass
    return {f"{row['PK']['S']} {row['SK']['S']}": row for row in response["Items"]}


async def _changes(kit: Kit) -> list[Change]:
    """Every change of the table since it was made."""
    assert isinstance(kit.tables, EmbeddedStore)
    call = kit.tables.engine.call_async
    found: list[Change] = []
    for shard in await shards(call, FUS):
        iterator: str | None = None
        sequence = ""
        while True:
            batch = await records(call, shard, sequence, iterator, limit=1000)
            found += [change_of(FUS, record) for record in batch.records]
            if not batch.records:
                break
            sequence, iterator = batch.records[-1]["dynamodb"]["SequenceNumber"], batch.iterator
    return found


async def _some_life(service: FusService, kit: Kit) -> None:
    sites = [await put(service, f"Site {number}", tags=["a", f"t{number}"]) for number in range(4)]
    for site in sites:
        for stars in (5, 3):
            await service.ratings.rate(member(), site.site_id, RatingInput(stars=stars))
        await service.comments.write(READS, site.site_id, CommentInput(body="Good"))
    await service.sites.edit(MANAGES, sites[0].site_id, SiteEdit(title="Another", tags=("b",)))
    await service.sites.delete(MANAGES, sites[1].site_id)
    await service.groups.create(ADMIN, NewGroup(name="gone", permissions=(Fus.EDIT,)))
    await service.groups.add_member(ADMIN, "gone", (await account(kit, "Ada")).user_id)
    await service.groups.delete(ADMIN, "gone")


async def test_every_change_told_again_changes_nothing(service: FusService, kit: Kit) -> None:
    await _some_life(service, kit)
    built = system.build(kit)
    await worker_of(kit, built).drain()
    before = await _everything(kit)
    found = [each.item.site_id for each in (await service.catalog.browse(text="site")).items]
    for change in await _changes(kit):
        for handler in built.changes:
            await handler.run(change)
    assert await _everything(kit) == before
    assert [each.item.site_id for each in (await service.catalog.browse(text="site")).items] == found
    assert not [key for key in before if "REMOVAL" in key or "MEMBERSHIP" in key]


async def test_in_bad_weather_everything_follows_all_the_same(tmp_path: Path) -> None:
    with kit_on(tmp_path, FUS, faults=BAD_WEATHER) as kit:
        kit.accounts.use(POLICY)
        service = FusService(kit)
        await _some_life(service, kit)
        await worker_of(kit, system.build(kit)).drain()
        for each in (await service.catalog.browse()).items:
            site = await service.sites.site(each.item.site_id)
            assert site.rating_rank == rating_rank(2, 8)
        assert (await service.catalog.browse(text="site")).total == 3, "one by its address alone"
        left = await _everything(kit)
        assert not [key for key in left if "REMOVAL" in key or "MEMBERSHIP" in key]


async def test_a_removal_that_was_interrupted_goes_on_where_it_was(service: FusService, kit: Kit) -> None:
    site = await put(service)
    people = [member() for _ in range(250)]
    await asyncio.gather(*(service.ratings.rate(who, site.site_id, RatingInput(stars=4)) for who in people))
    await service.sites.delete(MANAGES, site.site_id)
    removal = await kit.store.get(schema.removal(site.site_id))
    assert removal is not None
    working = asyncio.create_task(finish_site(kit.store, removal))

    def interrupt(call: Observation) -> None:
        if call.operation == "BatchWriteItem":
            working.cancel()

    kit.tables.observe(interrupt)
    with pytest.raises(asyncio.CancelledError):
        await working
    left = [rating async for rating in kit.store.stream(schema.ratings_of(site.site_id, 4))]
    assert 0 < len(left) < 250
    assert await kit.store.get(schema.removal(site.site_id)) is not None
    await worker_of(kit, system.build(kit)).drain()
    assert [rating async for rating in kit.store.stream(schema.ratings_of(site.site_id, 4))] == []
    assert await kit.store.get(schema.removal(site.site_id)) is None


# ---- sites that another program wrote


def _foreign(site_id: str, url: str, *tags: str, **fields: object) -> list[Item]:
    """As the document has it: no index of ours, no guard, no totals."""
    now = "2026-01-01T00:00:00Z"
    made = {
        "site_id": site_id,
        "url": url,
        "title": f"Über {site_id}",
        "tags": tags,
        "created_at": now,
        "updated_at": now,
    }
    return [Site.model_validate({**made, **fields}), *(SiteTag(site_id=site_id, tag=tag) for tag in tags)]


async def _write(kit: Kit, *items: Item) -> None:
    for item in items:
        made = {"timeline", "titleKey"} if isinstance(item, Site) else ()
        row = {name: value for name, value in item.to_row().items() if name not in made}
        await kit.store.transport.send_async(PutItem(table=schema.FUS.name, item=row))


async def test_a_site_of_another_program_is_taken_in_by_its_change(service: FusService, kit: Kit) -> None:
    await _write(kit, *_foreign("1", "https://old.example.org", "maps", "old"))
    assert (await service.catalog.browse()).items == ()
    worker = worker_of(kit, system.build(kit))
    await worker.drain()
    (each,) = (await service.catalog.browse()).items
    assert (each.item.site_id, (await service.catalog.browse()).total) == ("1", 1)
    assert (await service.catalog.browse(tags=["maps", "old"])).items[0].item.title == "Über 1"
    assert (await service.sites.site("1")).title_key == title_key("Über 1", "1") == "uber 1#1"
    with pytest.raises(AlreadyThere):
        await put(service, url="https://old.example.org/")
    await service.sites.delete(MANAGES, "1")
    await worker.drain()
    assert await service.sites.total() == 0
    assert await kit.store.get(TagTotal.get(TagTotal.tag("maps"))) is None


async def test_sites_that_were_there_before_are_taken_in_once(service: FusService, kit: Kit) -> None:
    await put(service, "Ours", url="https://ours.example.org", tags=["maps"])
    await _write(
        kit,
        *_foreign("1", "https://one.example.org", "maps", rating_count=2, rating_sum=9),
        *_foreign("2", "https://two.example.org"),
        *_foreign("3", "https://ours.example.org/"),
    )
    done = await adopt_everything(kit)
    assert done.adopted["site"] == 2
    (refused,) = done.refused
    assert "SITE#3" in refused
    assert "another site has its address https://ours.example.org/" in refused
    assert (await adopt_everything(kit)).adopted["site"] == 0
    assert await service.sites.total() == 3
    assert (await service.catalog.browse(tags=["maps"])).total == 2
    assert (await service.catalog.browse(sort="rating")).items[0].item.site_id == "1"


async def test_of_many_who_take_a_site_in_one_does(service: FusService, kit: Kit) -> None:
    site, *tags = _foreign("1", "https://one.example.org", "maps")
    assert isinstance(site, Site)
    await _write(kit, site, *tags)
    adopted = await asyncio.gather(*(adopt_site(kit.store, site) for _ in range(10)))
    assert sum(adopted) == 1
    assert await service.sites.total() == 1
    assert (await service.catalog.browse(tags=["maps"])).total == 1


async def test_a_site_of_another_program_can_be_edited_and_deleted_at_once(service: FusService, kit: Kit) -> None:
    await put(service, url="https://ours.example.org")
    await _write(
        kit,
        *_foreign("1", "https://one.example.org", "maps"),
        *_foreign("2", "https://ours.example.org", "old"),
    )
    edited = await service.sites.edit(MANAGES, "1", SiteEdit(tags=("new",)))
    assert edited.tags == ("new",)
    assert (await service.catalog.browse(tags=["new"])).total == 1
    with pytest.raises(AlreadyThere):
        await service.sites.edit(MANAGES, "2", SiteEdit(title="Twice"))
    await service.sites.delete(MANAGES, "2")
    await worker_of(kit, system.build(kit)).drain()
    assert await service.sites.total() == 2
    assert [entry async for entry in kit.store.stream(schema.sites_with_tag("old"))] == []
