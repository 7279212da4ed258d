"""Browsing: every order with every narrowing, page by page, gives the whole list once."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path

import pytest

from partita.apps.fus import schema, system
from partita.apps.fus.formats import rating_rank, title_key
from partita.apps.fus.inputs import CommentInput, NewSite, RatingInput, likely_tags, wanted_tags
from partita.apps.fus.schema import FUS, Site, SiteTag, TagTotal, Total
from partita.apps.fus.service import FusService
from partita.apps.fus.service.bookkeeping import creation
from partita.apps.fus.service.catalog import Sort
from partita.apps.fus.service.sites import new_site
from partita.apps.fus.service.tagged import Mode
from partita.kit.kit import Kit
from partita.kit.problems import Invalid
from partita.store.observe import Observation
from partita.table import InvalidCursorError, Put, Transaction
from tests.apps.fus.conftest import MANAGES, READS, put
from tests.apps.house import kit_on, worker_of

pytestmark = pytest.mark.anyio
SORTS: tuple[Sort, ...] = ("newest", "rating", "title")


def _site(number: int, *tags: str, title: str = "", stars: tuple[int, int] | None = None) -> Site:
    said = NewSite(url=f"https://{number}.example.org", title=title or f"Site {number}", tags=tags)
    at = f"2026-01-01T00:00:00.{number:06}Z"
    site = new_site(said, f"{number:026}", at, None)
    if stars is None:
        return site
    count, total = stars
    return site.model_copy(
        update={"rating_count": count, "rating_sum": total, "rating_rank": rating_rank(count, total)}
    )


async def _all(service: FusService, *, limit: int = 7, **arguments: object) -> list[Site]:
    """The whole list, page by page; every page full but the last."""
    found: list[Site] = []
    cursor: str | None = None
    while True:
        page = await service.catalog.browse(limit=limit, cursor=cursor, **arguments)  # type: ignore[arg-type]
        found += [each.item for each in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return found
        assert len(page.items) == limit


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def many(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[FusService, Kit, list[Site]]]:
    """Three hundred sites: a tag that most have, some that some have, one that few have."""
    dice = random.Random(3)
    with kit_on(tmp_path_factory.mktemp("many"), FUS) as kit:
        sites = []
        for number in range(300):
            tags = [
                *(["most"] if number % 10 else []),
                *(["some"] if number % 3 == 0 else []),
                *(["few"] if number % 20 == 1 else []),
            ]
            rated = (dice.randint(1, 9), 0)
            stars = (rated[0], dice.randint(rated[0], rated[0] * 5)) if number % 4 else None
            title = f"{dice.choice('aÄbßCé')}{dice.choice('xyz')} {number % 40}"
            sites.append(_site(number, *tags, title=title, stars=stars))
        for site in sites:
            await kit.store.transact(Transaction(*creation(site)))
        yield FusService(kit), kit, sites


def _fitting(site: Site, tags: tuple[str, ...], mode: Mode) -> bool:
    return not tags or (set(tags) <= set(site.tags) if mode == "and" else bool(set(tags) & set(site.tags)))


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("mode", ["and", "or"])
@pytest.mark.parametrize(
    "tags",
    [
        (),
        ("most",),
        ("few",),
        ("most", "some"),
        ("some", "few"),
        ("most", "some", "few"),
        ("nothing",),
        ("few", "nothing"),
    ],
    ids=" ".join,
)
async def test_pages_together_are_the_whole_list_in_its_order(
    many: tuple[FusService, Kit, list[Site]], sort: Sort, mode: Mode, tags: tuple[str, ...]
) -> None:
    service, _, sites = many
    found = await _all(service, tags=tags, mode=mode, sort=sort)
    wanted = [site for site in sites if _fitting(site, tags, mode)]
    assert len(found) == len(wanted)
    assert {site.site_id for site in found} == {site.site_id for site in wanted}
    if sort == "newest":
        assert [site.site_id for site in found] == sorted((site.site_id for site in wanted), reverse=True)
    elif sort == "rating":
        ranks = [site.rank for site in found]
        assert ranks == sorted(ranks, reverse=True)
    else:
        keys = [title_key(site.title, site.site_id) for site in found]
        assert keys == sorted(keys)


async def test_a_list_says_how_many_there_are_where_that_is_known(many: tuple[FusService, Kit, list[Site]]) -> None:
    service, _, sites = many
    assert (await service.catalog.browse()).total == 300
    assert (await service.catalog.browse(tags=["most"])).total == sum("most" in site.tags for site in sites)
    assert (await service.catalog.browse(tags=["most", "some"], sort="title")).total is not None


async def test_what_a_list_shows_comes_without_the_text_of_the_page(many: tuple[FusService, Kit, list[Site]]) -> None:
    service, kit, _ = many
    seen: list[Observation] = []
    kit.tables.observe(seen.append)
    for sort in SORTS:
        assert len((await service.catalog.browse(sort=sort, limit=20)).items) == 20
    queries = [call for call in seen if call.operation == "Query"]
    assert [call.index for call in queries] == ["sitesByTime", "sitesByRating", "sitesByTitle"]
    assert not [call for call in seen if call.operation == "BatchGetItem"], "the index answers alone"


async def test_a_cursor_belongs_to_one_list(many: tuple[FusService, Kit, list[Site]]) -> None:
    service, _, _ = many
    lists: list[dict[str, object]] = [
        {"sort": "newest"},
        {"sort": "title"},
        {"tags": ["most"]},
        {"tags": ["most", "some"]},
        {"tags": ["most", "some"], "mode": "or"},
        {"tags": ["most"], "sort": "title"},
        {"tags": ["most"], "sort": "rating"},
        {"tags": ["some"], "sort": "rating"},
    ]
    cursors = [(await service.catalog.browse(limit=3, **each)).next_cursor for each in lists]  # type: ignore[arg-type]
    for place, arguments in enumerate(lists):
        for other, cursor in enumerate(cursors):
            assert cursor is not None
            if other != place:
                with pytest.raises(InvalidCursorError):
                    await service.catalog.browse(limit=3, cursor=cursor, **arguments)  # type: ignore[arg-type]
        with pytest.raises(InvalidCursorError):
            await service.catalog.browse(limit=3, cursor="nonsense", **arguments)  # type: ignore[arg-type]


async def test_the_order_of_tags_does_not_matter_to_a_cursor(many: tuple[FusService, Kit, list[Site]]) -> None:
    service, _, _ = many
    page = await service.catalog.browse(tags=["most", "some"], limit=3)
    rest = await service.catalog.browse(tags=["some", "most"], limit=3, cursor=page.next_cursor)
    assert rest.items[0].item.site_id < page.items[-1].item.site_id


async def test_a_page_of_all_tags_reads_little_of_five_thousand_sites(tmp_path: Path) -> None:
    """Newest, best rated and by title, with two tags; measured in read units."""
    with kit_on(tmp_path, FUS) as kit:
        service = FusService(kit)
        sites = [
            _site(
                number,
                *(["half"] if number % 2 else []),
                *(["tenth"] if number % 10 == 1 else []),
                stars=(1, 1 + number * 7919 % 11 % 5),
            )
            for number in range(5000)
        ]
        await kit.store.batch_write(Put(site) for site in sites)
        await kit.store.batch_write(Put(SiteTag(site_id=site.site_id, tag=tag)) for site in sites for tag in site.tags)
        totals = [Put(TagTotal(tag="half", count=2500)), Put(TagTotal(tag="tenth", count=500))]
        await kit.store.batch_write([*totals, Put(Total(of="sites", amount=5000))])
        allowed: tuple[tuple[Sort, float], ...] = (("newest", 25), ("rating", 40), ("title", 40))
        for sort, most in allowed:
            seen: list[Observation] = []
            kit.tables.observe(seen.append)
            page = await service.catalog.browse(tags=["half", "tenth"], sort=sort, limit=20)
            kit.tables.observers.remove(seen.append)
            units = sum(call.units for call in seen)
            assert len(page.items) == 20
            assert page.next_cursor is not None
            assert units <= most, (sort, units, [(call.operation, call.index, call.units) for call in seen])


async def test_words_find_sites_by_title_tags_host_and_description_with_what_matched_marked(
    service: FusService, kit: Kit
) -> None:
    worker = worker_of(kit, system.build(kit))
    earth = await put(service, "Natural Earth", url="https://naturalearthdata.example", tags=["maps"])
    other = await put(service, "Atlas", description="Every map of the earth", tags=["maps", "books"])
    await put(service, "Unrelated", tags=["earthworms", "books"])
    await worker.drain()
    page = await service.catalog.browse(text="earth")
    assert [each.item.site_id for each in page.items[:1]] == [earth.site_id]
    assert page.total == 3
    assert str(page.items[0].marks["title"]) == "Natural <mark>Earth</mark>"
    both = await service.catalog.browse(text="earth", tags=["maps", "books"])
    assert [each.item.site_id for each in both.items] == [other.site_id]
    any_of = await service.catalog.browse(text="earth", tags=["maps", "books"], mode="or")
    assert any_of.total == 3
    first = await service.catalog.browse(text="earth", limit=2)
    rest = await service.catalog.browse(text="earth", limit=2, cursor=first.next_cursor)
    assert len({each.item.site_id for each in (*first.items, *rest.items)}) == 3
    await service.sites.delete(MANAGES, earth.site_id)
    assert earth.site_id not in {each.item.site_id for each in (await service.catalog.browse(text="earth")).items}
    await worker.drain()
    assert (await service.catalog.browse(text="earth")).total == 2


async def test_words_find_sites_in_every_order(service: FusService, kit: Kit) -> None:
    worker = worker_of(kit, system.build(kit))
    best = await put(service, "Harbour harbour")
    rated = await put(service, "Zebra", description="A harbour and a long description of what else there is")
    newest = await put(service, "A quay", description="A harbour and a long description of what else there is")
    await service.ratings.rate(READS, rated.site_id, RatingInput(stars=5))
    await worker.drain()
    firsts: dict[Sort, Site] = {"best": best, "newest": newest, "rating": rated, "title": newest}
    for sort, first in firsts.items():
        found = await _all(service, text="harbour", sort=sort, limit=1)
        assert found[0].site_id == first.site_id, sort
        assert len({site.site_id for site in found}) == 3, sort


@pytest.mark.parametrize("mode", ["and", "or"])
@pytest.mark.parametrize("tags", [(), ("most",), ("most", "some"), ("few", "nothing")], ids=" ".join)
@pytest.mark.parametrize("text", ["", "x"])
async def test_the_number_beside_a_tag_is_how_many_sites_one_sees_with_it(
    many: tuple[FusService, Kit, list[Site]], mode: Mode, tags: tuple[str, ...], text: str
) -> None:
    service, kit, _ = many
    await worker_of(kit, system.build(kit)).drain()
    page = await service.catalog.browse(text=text, tags=tags, mode=mode, most_tags=40)
    assert {each.value for each in page.tags if each.chosen} == set(tags)
    for each in page.tags:
        if mode == "and":
            with_it = await _all(service, text=text, tags=tuple({*tags, each.value}), limit=50)
        else:  # what choosing it alone shows: the filter does not narrow its own counts
            with_it = await _all(service, text=text, tags=(each.value,), limit=50)
        assert each.count == len(with_it), each
    assert page.total == len(await _all(service, text=text, tags=tags, mode=mode, limit=50))


async def test_if_nothing_has_all_words_what_has_some_is_found_and_typing_errors_are_told(
    service: FusService, kit: Kit
) -> None:
    worker = worker_of(kit, system.build(kit))
    site = await put(service, "Lighthouses of the north", tags=["towers"])
    await worker.drain()
    some = await service.catalog.browse(text="lighthouses penguins")
    assert ([each.item.site_id for each in some], some.relaxed) == ([site.site_id], True)
    wrong = await service.catalog.browse(text="lihgthouses")
    assert (len(wrong), wrong.relaxed, wrong.suggestion) == (0, False, "lighthouses")
    right = await service.catalog.browse(text="lighthouses")
    assert (len(right), right.relaxed, right.suggestion) == (1, False, None)
    assert [each.value for each in await service.catalog.complete_tag("To")] == ["towers"]


async def test_comments_do_not_change_what_is_found(service: FusService, kit: Kit) -> None:
    worker = worker_of(kit, system.build(kit))
    site = await put(service, "Before")
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=5))
    await service.comments.write(READS, site.site_id, CommentInput(body="Unfindable"))
    await worker.drain()
    assert (await service.catalog.browse(text="before")).total == 1
    assert (await service.catalog.browse(text="unfindable")).total == 0


async def test_tags_are_listed_by_use_and_by_name_and_page(many: tuple[FusService, Kit, list[Site]]) -> None:
    service, kit, _ = many
    assert [total.tag for total in await service.catalog.popular_tags()] == ["most", "some", "few"]
    assert [total.tag for total in await service.catalog.tags()] == ["few", "most", "some"]
    assert [total.tag for total in await service.catalog.tags(start="s")] == ["some"]
    first = await service.catalog.popular_tags(limit=2)
    rest = await service.catalog.popular_tags(limit=2, cursor=first.next_cursor)
    assert [total.tag for total in (*first, *rest)] == ["most", "some", "few"]
    counted = {total.tag: total.count for total in await service.catalog.popular_tags()}
    for tag, count in counted.items():
        assert count == len([entry async for entry in kit.store.stream(schema.sites_with_tag(tag))])


def test_tags_of_a_request_are_read_in_any_spelling() -> None:
    assert wanted_tags(["Maps,open  data", " maps ", "", ","]) == ("maps", "open data")
    with pytest.raises(Invalid):
        wanted_tags(["x" * 41])
    with pytest.raises(Invalid):
        wanted_tags([str(number) for number in range(11)])
    assert likely_tags(["x" * 41, "Maps"]) == ("maps",)
    assert len(likely_tags([str(number) for number in range(50)])) == 10


async def test_a_tag_beside_the_list_says_how_many_sites_one_sees_with_it(kit: Kit, service: FusService) -> None:
    """Whatever is chosen and searched for, no tag leads to nothing, and each to as many sites as it says."""
    for number, tags in enumerate((["a"], ["a", "b"], ["b", "c"], ["a", "b", "c"], ["d"], [])):
        await put(service, f"Site {'even' if number % 2 == 0 else 'odd'}", tags=tags)
    await worker_of(kit, system.build(kit)).drain()
    modes: tuple[Mode, ...] = ("and", "or")
    chosen_tags: tuple[tuple[str, ...], ...] = ((), ("a",), ("b", "c"), ("a", "d"))
    for chosen, text, mode in product(chosen_tags, ("", "even"), modes):
        page = await service.catalog.browse(text=text, tags=chosen, mode=mode, most_tags=9)
        for each in page.tags:
            if each.chosen:
                continue
            more = await service.catalog.browse(text=text, tags=(*chosen, each.value), mode=mode, limit=50)
            having = [match for match in more if each.value in match.item.tags]
            assert len(having) == each.count > 0, (chosen, text, mode, each)
            if mode == "and":
                assert len(having) == len(more.items)
