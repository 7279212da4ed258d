"""The document's contract: its program reads whatever ours writes, by the requests that the document has; and ours
keeps every attribute of what it wrote."""

from __future__ import annotations

from typing import Any

import pytest

from partita.apps.fus.inputs import CommentInput, NewGroup, RatingInput
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.dynamo.python_values import item_from_python
from partita.kit.kit import Kit
from partita.store import EmbeddedStore
from tests.apps.fus import original
from tests.apps.fus.conftest import account, adopt_everything, member, put
from tests.apps.fus.original import Row
from tests.apps.house import person

pytestmark = pytest.mark.anyio
ADMIN = person("admin", *map(str, Fus))


def _get(kit: Kit, pk: str, sk: str) -> dict[str, Any]:
    assert isinstance(kit.tables, EmbeddedStore)
    key = {"PK": {"S": pk}, "SK": {"S": sk}}
    item: dict[str, Any] = kit.tables.engine.call("GetItem", {"TableName": FUS.name, "Key": key})["Item"]
    return item


def _query(kit: Kit, index: str = "", begins: str = "", **equals: Any) -> list[dict[str, Any]]:
    """A query with one attribute, on an index or the table; with the beginning of the sort key, if that is given."""
    assert isinstance(kit.tables, EmbeddedStore)
    ((name, value),) = equals.items()
    condition, values = f"{name} = :it", {":it": {"N": str(value)} if isinstance(value, int) else {"S": value}}
    if begins:
        condition, values = f"{condition} AND begins_with(SK, :begins)", {**values, ":begins": {"S": begins}}
    request = {"KeyConditionExpression": condition, "ExpressionAttributeValues": values}
    if index:
        request["IndexName"] = index
    items: list[dict[str, Any]] = kit.tables.engine.call("Query", {"TableName": FUS.name, **request})["Items"]
    return items


def _as_documented(item: dict[str, Any], documented: Row) -> None:
    """It has every attribute of the document, each in its type."""
    types = {name: next(iter(value)) for name, value in item_from_python(documented).items()}
    assert {name: next(iter(item[name])) for name in documented} == types


async def test_its_requests_find_what_we_wrote_with_every_attribute_in_its_type(kit: Kit, service: FusService) -> None:
    ada, viewer = await account(kit, "Ada"), member()
    site = await put(service, "Maps", description="Of everything", tags=["maps"])
    other = await put(service, "Birds", tags=["birds"])
    await service.ratings.rate(viewer, site.site_id, RatingInput(stars=5, note="Mine"))
    await service.ratings.rate(viewer, other.site_id, RatingInput(stars=2))
    said = await service.comments.write(viewer, site.site_id, CommentInput(body="It has a map."))
    await service.groups.create(ADMIN, NewGroup(name="editors", permissions=(Fus.EDIT,)))
    await service.groups.add_member(ADMIN, "editors", ada.user_id)
    key, mine = f"SITE#{site.site_id}", f"USER#{viewer.id}"

    metadata, tag = original.site("any", "", "maps")
    _as_documented(_get(kit, key, "METADATA"), metadata)
    listed = {each["PK"]["S"]: each for each in _query(kit, "byEntity", entityType="SITE")}
    assert listed.keys() == {key, f"SITE#{other.site_id}"}
    assert listed[key] == _get(kit, key, "METADATA"), "its index holds all of a site"
    (tagged,) = _query(kit, "byTag", tag="maps")
    _as_documented(tagged, tag)
    assert tagged["siteId"] == {"S": key}

    rating = _get(kit, mine, key)
    _as_documented(rating, original.rating("any", "any", 5))
    assert _query(kit, "byStars", starRating=5) == [rating]
    assert rating in _query(kit, PK=mine, begins="SITE#")
    comment = _get(kit, mine, f"{key}#COMMENT#{said.comment.comment_id}")
    _as_documented(comment, original.comment("any", "any", "any"))

    _as_documented(_get(kit, "GROUP#editors", "METADATA"), original.group("any", "fus:site:edit"))
    assert _query(kit, "byEntity", entityType="GROUP") == [_get(kit, "GROUP#editors", "METADATA")]
    (membership,) = _query(kit, "byGroup", groupName="editors")
    _as_documented(membership, original.membership("any", "any"))
    assert _query(kit, PK=f"USER#{ada.user_id}", begins="MEMBERSHIP#") == [membership]


async def test_everything_that_it_wrote_keeps_every_attribute_when_it_is_adopted(kit: Kit) -> None:
    rows = [
        *original.site("1", "", "maps", colour="blue"),
        original.rating("u", "1", 4, colour="blue"),
        original.comment("u", "1", "c"),
        original.group("editors", "fus:site:edit", colour="blue"),
        original.membership("u", "editors"),
    ]
    await original.write(kit, *rows)
    report = await adopt_everything(kit)
    assert not report.unreadable
    for row in rows:
        stored = _get(kit, row["PK"], row["SK"])
        assert {name: stored.get(name) for name in row} == item_from_python(row), row["SK"]
