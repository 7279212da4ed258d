"""Comments: who may say, change and remove what, and that a site knows how many it has."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import ValidationError

from partita.apps.fus import schema
from partita.apps.fus.formats import comment_parts
from partita.apps.fus.inputs import CommentEdit, CommentInput
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.apps.fus.service.comments import CommentWithAuthor
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.kit.problems import Forbidden, NotFound, TooMany
from tests.apps.fus.conftest import MANAGES, READS, account, as_viewer, member, put
from tests.apps.house import BAD_WEATHER, kit_on, person

pytestmark = pytest.mark.anyio
GOOD = CommentInput(body="Good for maps")


async def test_a_comment_is_stored_as_the_document_says(service: FusService, kit: Kit) -> None:
    site = await put(service)
    said = await service.comments.write(READS, site.site_id, GOOD)
    row = said.comment.to_row()
    assert row["PK"] == {"S": f"USER#{READS.id}"}
    assert row["SK"] == {"S": f"SITE#{site.site_id}#COMMENT#{said.comment.comment_id}"}
    assert row["body"] == {"S": "Good for maps"}
    assert row["createdAt"] == row["updatedAt"]
    assert await kit.store.get(schema.comment(READS.id, site.site_id, said.comment.comment_id)) == said.comment


@pytest.mark.parametrize("body", ["", "  \n ", "x" * 5001, None, 7])
def test_a_comment_has_one_to_five_thousand_characters(body: object) -> None:
    with pytest.raises(ValidationError):
        CommentInput.model_validate({"body": body})
    assert CommentInput(body="x" * 5000).body


async def test_comments_of_a_site_are_told_in_order_with_names_page_by_page(service: FusService, kit: Kit) -> None:
    ada = await as_viewer(kit, await account(kit, "Ada"))
    site, other = await put(service), await put(service)
    bodies = [f"Comment {number}" for number in range(5)]
    for body in bodies:
        await service.comments.write(ada, site.site_id, CommentInput(body=body))
    await service.comments.write(ada, other.site_id, GOOD)
    found: list[CommentWithAuthor] = []
    cursor: str | None = None
    while True:
        page = await service.comments.of_site(site.site_id, limit=2, cursor=cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert [said.comment.body for said in found] == bodies
    assert {said.author.name for said in found} == {"Ada"}
    newest = await service.comments.of_site(site.site_id, newest_first=True)
    assert [said.comment.body for said in newest.items] == bodies[::-1]
    assert (await service.sites.site(site.site_id)).comment_count == 5


async def test_whoever_has_no_account_any_more_stays_somebody(service: FusService) -> None:
    site = await put(service)
    said = await service.comments.write(member(), site.site_id, GOOD)
    assert (said.author.name, said.author.username) == ("Deleted account", "")


async def test_only_the_author_changes_a_comment(service: FusService) -> None:
    site = await put(service)
    said = await service.comments.write(READS, site.site_id, GOOD)
    name = said.comment.name
    after = await service.comments.edit(READS, site.site_id, name, CommentEdit(body="Better"))
    assert after.comment.body == "Better"
    assert after.comment.created_at < after.comment.updated_at
    for other in (member(), MANAGES):
        with pytest.raises(Forbidden):
            await service.comments.edit(other, site.site_id, name, CommentEdit(body="Worse"))
    assert (await service.comments.comment(site.site_id, name)).comment.body == "Better"


async def test_a_comment_is_removed_by_its_author_or_a_moderator(service: FusService) -> None:
    site = await put(service)
    for remover in (READS, person("moderator", Fus.MODERATE)):
        said = await service.comments.write(READS, site.site_id, GOOD)
        name = said.comment.name
        with pytest.raises(Forbidden):
            await service.comments.delete(member(), site.site_id, name)
        await service.comments.delete(remover, site.site_id, name)
        with pytest.raises(NotFound):
            await service.comments.delete(remover, site.site_id, name)
    assert (await service.sites.site(site.site_id)).comment_count == 0


async def test_a_site_that_is_gone_takes_no_comment(service: FusService, kit: Kit) -> None:
    site = await put(service)
    await service.sites.delete(MANAGES, site.site_id)
    with pytest.raises(NotFound):
        await service.comments.write(READS, site.site_id, GOOD)
    assert [comment async for comment in kit.store.stream(schema.comments_of(site.site_id))] == []


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_thirty_comments_at_once_are_thirty_comments(tmp_path: Path, weather: FaultPlan | None) -> None:
    with kit_on(tmp_path, FUS, faults=weather) as kit:
        service = FusService(kit)
        site = await put(service)
        said = await asyncio.gather(*(service.comments.write(member(), site.site_id, GOOD) for _ in range(30)))
        removals = [service.comments.delete(MANAGES, site.site_id, each.comment.name) for each in said[:10]]
        await asyncio.gather(*removals)
        left = [comment async for comment in kit.store.stream(schema.comments_of(site.site_id))]
        assert (await service.sites.site(site.site_id)).comment_count == len(left) == 20


async def test_my_comments_are_newest_first_with_their_sites(service: FusService) -> None:
    sites = [await put(service) for _ in range(3)]
    for site in (*sites, sites[0]):
        await service.comments.write(READS, site.site_id, CommentInput(body=site.title))
    page = await service.comments.mine(READS, limit=3)
    rest = await service.comments.mine(READS, limit=3, cursor=page.next_cursor)
    found = [each.site.site_id for each in (*page.items, *rest.items)]
    assert found == [sites[place].site_id for place in (0, 2, 1, 0)]


async def test_commenting_is_limited(service: FusService) -> None:
    site, busy = await put(service), member()
    for _ in range(30):
        await service.comments.write(busy, site.site_id, GOOD)
    with pytest.raises(TooMany):
        await service.comments.write(busy, site.site_id, GOOD)


@pytest.mark.parametrize("name", ["", ".", "a.", ".b", "nothing", "a.b.c", "a#b.c", "x" * 3000 + ".c"])
async def test_what_is_no_id_of_a_comment_finds_nothing(service: FusService, name: str) -> None:
    site = await put(service)
    with pytest.raises(NotFound):
        await service.comments.comment(site.site_id, name)


async def test_an_id_of_a_comment_tells_author_and_comment_apart(service: FusService) -> None:
    site = await put(service)
    said = await service.comments.write(person("x.y-z", Fus.COMMENT), site.site_id, GOOD)
    assert comment_parts(said.comment.name) == ("x.y-z", said.comment.comment_id)
