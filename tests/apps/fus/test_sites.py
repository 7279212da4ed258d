"""The catalog's entries: what they need, that an address is there once, and what changes together."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import ValidationError

from partita.apps.fus import schema, system
from partita.apps.fus.inputs import CommentInput, NewSite, RatingInput, SiteEdit
from partita.apps.fus.schema import FUS, SiteTag, TagTotal
from partita.apps.fus.service import FusService
from partita.apps.fus.service.sites import AlreadyThere
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.kit.problems import BadRequest, Conflict, NotFound, TooMany
from partita.store.observe import Observation
from tests.apps.fus.conftest import MANAGES, READS, manager, member, put
from tests.apps.house import BAD_WEATHER, kit_on, worker_of

pytestmark = pytest.mark.anyio


async def _tags(kit: Kit) -> dict[str, int]:
    return {total.tag: total.count async for total in kit.store.stream(schema.all_tags()) if total.count}


async def test_a_site_is_stored_as_the_document_says(service: FusService, kit: Kit) -> None:
    site = await put(service, "Example", url="https://Example.org/", description="Of everything", tags=["JavaScript"])
    row = (await service.sites.site(site.site_id)).to_row()
    assert row["PK"] == row["entitySk"] == {"S": f"SITE#{site.site_id}"}
    assert row["SK"] == {"S": "METADATA"}
    assert (row["entityType"], row["url"]) == ({"S": "SITE"}, {"S": "https://Example.org/"})
    assert row["tags"] == {"L": [{"S": "javascript"}]}
    entry = await kit.store.get(SiteTag.get(SiteTag.site_id(site.site_id), SiteTag.tag("javascript")))
    assert entry is not None
    assert entry.to_row() == {
        "PK": {"S": f"SITE#{site.site_id}"},
        "SK": {"S": "TAG#javascript"},
        "tag": {"S": "javascript"},
        "siteId": {"S": f"SITE#{site.site_id}"},
    }


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"url": "javascript:alert(1)"}, "url"),
        ({"url": "ftp://example.org"}, "url"),
        ({"url": "https://user:secret@example.org"}, "url"),
        ({"url": "https://localhost"}, "url"),
        ({"title": "x" * 301}, "title"),
        ({"description": "x" * 2001}, "description"),
        ({"tags": [str(number) for number in range(21)]}, "tags"),
        ({"tags": ["x" * 41]}, "tags"),
        ({"tags": ["a,b"]}, "tags"),
        ({"tags": [" "]}, "tags"),
        ({"color": "red"}, "color"),
    ],
)
def test_what_is_no_site_is_refused_by_the_field_that_is_wrong(fields: dict[str, object], wrong: str) -> None:
    with pytest.raises(ValidationError) as refused:
        NewSite.model_validate({"url": "https://example.org", **fields})
    assert {str(error["loc"][0]) for error in refused.value.errors()} == {wrong}


async def test_tags_are_lower_case_each_once_and_in_their_order(service: FusService) -> None:
    site = await put(service, tags=["Maps", "open  Data", "maps ", "ÉCOLE", "e\u0301cole"])
    assert site.tags == ("maps", "open data", "école")


async def test_without_a_title_the_host_is_the_title_and_nothing_was_fetched(service: FusService) -> None:
    site = await service.sites.add(manager(), NewSite(url="https://www.maps.example.org/x"))
    assert site.title == "maps.example.org"
    assert site.fetched_at is None
    assert site.fetch_note == "Fetching pages is switched off."


async def test_an_address_is_in_the_catalog_once_however_it_is_spelled(service: FusService) -> None:
    site = await put(service, "First", url="https://example.org/a/")
    with pytest.raises(AlreadyThere, match="already, as “First”") as refused:
        await put(service, "Second", url="HTTP://EXAMPLE.org:80/a?utm_source=x#part")
    assert (refused.value.code, refused.value.site_id) == ("url_taken", site.site_id)
    assert [error.field for error in refused.value.errors] == ["url"]
    assert await service.sites.total() == 1


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_of_fifty_who_add_one_address_at_once_one_wins(tmp_path: Path, weather: FaultPlan | None) -> None:
    with kit_on(tmp_path, FUS, faults=weather) as kit:
        service = FusService(kit)

        async def add(number: int) -> str:
            new = NewSite(url=f"https://example.org/?utm_campaign={number}", tags=("maps",), fetch=False)
            try:
                return (await service.sites.add(manager(), new)).site_id
            except AlreadyThere:
                return ""

        winners = [made for made in await asyncio.gather(*map(add, range(50))) if made]
        assert len(winners) == 1
        assert await service.sites.total() == 1
        assert await _tags(kit) == {"maps": 1}
        assert [entry.site_id async for entry in kit.store.stream(schema.sites_with_tag("maps"))] == winners


async def test_an_edit_writes_what_differs_and_exactly_the_tags_that_come_and_go(service: FusService, kit: Kit) -> None:
    site = await put(service, tags=["a", "b", "c"])
    seen: list[Observation] = []
    kit.tables.observe(seen.append)
    after = await service.sites.edit(MANAGES, site.site_id, SiteEdit(tags=("b", "c", "d")))
    (write,) = [call for call in seen if call.operation == "TransactWriteItems"]
    assert write.items == 6  # the site, one tag and its total that come, one and its total that go, the entry
    assert after.tags == ("b", "c", "d")
    assert [entry.tag async for entry in kit.store.stream(schema.tags_of(site.site_id))] == ["b", "c", "d"]
    assert await _tags(kit) == {"b": 1, "c": 1, "d": 1}
    assert (await service.sites.site(site.site_id)).tags == after.tags


async def test_an_edit_leaves_what_it_does_not_name(service: FusService) -> None:
    site = await put(service, "Before", description="Kept", tags=["kept"])
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=4))
    await service.sites.edit(MANAGES, site.site_id, SiteEdit(title="After"))
    found = await service.sites.site(site.site_id)
    assert (found.title, found.description, found.tags, found.rating_count) == ("After", "Kept", ("kept",), 1)
    assert found.title_key == f"after#{site.site_id}"
    assert found.created_at == site.created_at < found.updated_at


async def test_an_edit_that_changes_nothing_writes_nothing(service: FusService, kit: Kit) -> None:
    site = await put(service, "Same", tags=["a"])
    seen: list[Observation] = []
    kit.tables.observe(seen.append)
    assert await service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Same", tags=("a",))) == site
    assert not [call for call in seen if call.operation == "TransactWriteItems"]
    with pytest.raises(BadRequest):
        await service.sites.edit(MANAGES, site.site_id, SiteEdit())


async def test_whoever_edits_what_somebody_changed_meanwhile_is_told(service: FusService) -> None:
    site = await put(service, "Before")
    await service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Between"))
    with pytest.raises(Conflict, match="Somebody else has changed this") as refused:
        await service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Late", revision=site.revision))
    assert refused.value.code == "changed_meanwhile"
    assert (await service.sites.site(site.site_id)).title == "Between"


async def test_an_address_moves_with_its_site_and_is_free_afterwards(service: FusService) -> None:
    first, second = await put(service, url="https://one.example.org"), await put(service, url="https://two.example.org")
    with pytest.raises(AlreadyThere):
        await service.sites.edit(MANAGES, first.site_id, SiteEdit(url="https://two.example.org/"))
    await service.sites.edit(MANAGES, first.site_id, SiteEdit(url="https://three.example.org"))
    await service.sites.edit(MANAGES, second.site_id, SiteEdit(url="https://one.example.org"))
    assert (await service.sites.site(second.site_id)).url == "https://one.example.org"


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_tags_and_totals_agree_after_many_edits_at_once(tmp_path: Path, weather: FaultPlan | None) -> None:
    with kit_on(tmp_path, FUS, faults=weather) as kit:
        service = FusService(kit)
        sites = [await put(service, tags=["a"]) for _ in range(3)]
        words = ("a", "b", "c", "d", "e")

        async def edit(number: int) -> None:
            site = sites[number % 3]
            chosen = tuple(word for place, word in enumerate(words) if number >> place & 1)
            await service.sites.edit(MANAGES, site.site_id, SiteEdit(tags=chosen))

        await asyncio.gather(*map(edit, range(1, 25)))
        kept = [set((await service.sites.site(site.site_id)).tags) for site in sites]
        counted = {word: sum(word in tags for tags in kept) for word in words}
        assert await _tags(kit) == {word: count for word, count in counted.items() if count}
        for word in words:
            found = [entry async for entry in kit.store.stream(schema.sites_with_tag(word))]
            assert len(found) == counted[word]


async def test_a_deleted_site_is_gone_at_once_with_its_address_and_tags(service: FusService, kit: Kit) -> None:
    site = await put(service, "Gone", url="https://gone.example.org", tags=["a"])
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=4))
    await service.sites.delete(MANAGES, site.site_id)
    with pytest.raises(NotFound):
        await service.sites.site(site.site_id)
    with pytest.raises(NotFound):
        await service.ratings.rate(member(), site.site_id, RatingInput(stars=4))
    assert await service.sites.total() == 0
    assert await _tags(kit) == {}
    assert (await service.catalog.browse()).items == (await service.catalog.browse(tags=["a"])).items == ()
    again = await put(service, url="https://gone.example.org")
    assert again.site_id != site.site_id


async def test_deleting_takes_ratings_and_comments_along_in_batches(service: FusService, kit: Kit) -> None:
    worker = worker_of(kit, system.build(kit))
    gone, kept = await put(service, tags=["a", "b"]), await put(service, tags=["a"])
    people = [member() for _ in range(130)]
    for site in (gone, kept):
        await asyncio.gather(
            *(
                service.ratings.rate(who, site.site_id, RatingInput(stars=1 + place % 5))
                for place, who in enumerate(people)
            )
        )
        for who in people[:5]:
            await service.comments.write(who, site.site_id, CommentInput(body="Good"))
    await service.sites.delete(MANAGES, gone.site_id)
    await worker.drain()
    assert await kit.store.get(schema.removal(gone.site_id)) is None
    for stars in range(1, 6):
        assert [rating async for rating in kit.store.stream(schema.ratings_of(gone.site_id, stars))] == []
        assert len([rating async for rating in kit.store.stream(schema.ratings_of(kept.site_id, stars))]) == 26
    assert [comment async for comment in kit.store.stream(schema.comments_of(gone.site_id))] == []
    assert len([comment async for comment in kit.store.stream(schema.comments_of(kept.site_id))]) == 5
    assert await kit.store.get(TagTotal.get(TagTotal.tag("b"))) is None, "a tag that nothing has is no tag"
    assert await _tags(kit) == {"a": 1}


async def test_adding_is_limited(service: FusService) -> None:
    busy = manager()
    for number in range(120):
        await service.sites.add(busy, NewSite(url=f"https://{number}.busy.example.org", fetch=False))
    with pytest.raises(TooMany):
        await service.sites.add(busy, NewSite(url="https://more.busy.example.org", fetch=False))


@pytest.mark.parametrize("site_id", ["nothing", "a#b", "", "x" * 3000, "\u0000"])
async def test_an_id_that_nothing_has_finds_nothing(service: FusService, site_id: str) -> None:
    with pytest.raises(NotFound):
        await service.sites.site(site_id)
