"""The document's contract: its program reads whatever ours writes, by the requests that the document has."""

from __future__ import annotations

import json
from typing import Any

import pytest

from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import RESOURCES
from partita.apps.kelifax.service import KelifaxService
from partita.dynamo.python_values import item_from_python, item_to_python
from partita.kit.kit import Kit
from partita.store import EmbeddedStore
from tests.apps.house import person
from tests.apps.kelifax import original
from tests.apps.kelifax.conftest import MOD, approved, submission

pytestmark = pytest.mark.anyio
DOCUMENTED = original.resource("any")
TYPES = {name: next(iter(value)) for name, value in item_from_python(DOCUMENTED).items()}


def _asked(kit: Kit, operation: str, **request: Any) -> list[dict[str, Any]]:
    """What a program gets that knows the document alone."""
    assert isinstance(kit.tables, EmbeddedStore)
    answer = kit.tables.engine.call(operation, {"TableName": RESOURCES.name, **request})
    found: list[dict[str, Any]] = answer["Items"] if "Items" in answer else [answer["Item"]]
    return found


def _by_status(kit: Kit, status: str, since: str = "") -> list[dict[str, Any]]:
    condition = "resourceStatus = :status" + (" AND createdAt > :since" if since else "")
    values = {":status": {"S": status}, **({":since": {"S": since}} if since else {})}
    return _asked(
        kit,
        "Query",
        IndexName="ResourceStatusIndex",
        KeyConditionExpression=condition,
        ExpressionAttributeValues=values,
        ScanIndexForward=False,
    )


def _by_category(kit: Kit, category: str) -> list[dict[str, Any]]:
    return _asked(
        kit,
        "Query",
        IndexName="CategoryIndex",
        KeyConditionExpression="category = :category",
        FilterExpression="resourceStatus = :status",
        ExpressionAttributeValues={":category": {"S": category}, ":status": {"S": "approved"}},
        ScanIndexForward=False,
    )


def _slugs(items: list[dict[str, Any]]) -> list[str]:
    return [item["resourceSlug"]["S"] for item in items]


async def _lived(service: KelifaxService) -> None:
    """Resources that everything has happened to that can."""
    await service.submissions.submit(submission("Waits", "https://waits.example.org"), "x")
    await service.submissions.submit(submission("Refused", "https://refused.example.org"), "x")
    await service.moderation.reject(MOD, "refused", "It is a copy.")
    await approved(service, "First", resource__tags=[], details__learningResources=[])
    await approved(service, "Then", resource__licence="open-source", resource__pricing="free")
    await service.moderation.feature(MOD, "then", featured=True)
    await service.moderation.edit(MOD, "then", ResourceEdit(tags=["looms", "cards"], category="design"))
    await service.views.count("then", 3)
    await service.views.add_waiting()
    await service.liked.upvote(person("fan"), "then")


async def test_its_lists_find_what_we_wrote_with_every_attribute_in_its_type(kit: Kit, service: KelifaxService) -> None:
    await _lived(service)
    lists = {status: _by_status(kit, status) for status in ("pending", "approved", "rejected")}
    assert {status: _slugs(items) for status, items in lists.items()} == {
        "pending": ["waits"],
        "approved": ["then", "first"],
        "rejected": ["refused"],
    }
    assert _slugs(_by_status(kit, "pending", "2025-10-01")) == ["waits"]
    assert _by_status(kit, "pending", "2999") == []
    assert _slugs(_by_category(kit, "design")) == ["then"]
    assert _slugs(_by_category(kit, "development")) == ["first"]
    for item in (*(each for items in lists.values() for each in items), *_by_category(kit, "design")):
        assert {name: next(iter(item[name])) for name in DOCUMENTED} == TYPES
        (whole,) = _asked(kit, "GetItem", Key={"resourceSlug": item["resourceSlug"]})
        assert item == whole, "its indexes hold all of a resource"


async def test_its_functions_read_back_what_the_form_said(kit: Kit, service: KelifaxService) -> None:
    await _lived(service)
    (row,) = _asked(kit, "GetItem", Key={"resourceSlug": {"S": "then"}})
    item = item_to_python(row)
    details = submission().details
    assert item["tags"].split(",") == ["looms", "cards"]
    assert item["keyFeatures"].split("|") == details.key_features
    assert item["useCases"].split("|") == details.use_cases
    learning = [json.loads(each) for each in item["learningResources"].split("|") if each]
    assert learning == [each.model_dump() for each in details.learning_resources]
    assert (item["viewCount"], item["featured"], item["submittedAt"]) == (3, True, item["createdAt"])
    assert item["submitterDomain"] == item["submitterEmail"].split("@")[1]
    words = {":word": {"S": "looms"}}
    found = _asked(kit, "Scan", FilterExpression="contains(searchText, :word)", ExpressionAttributeValues=words)
    assert _slugs(found) == ["then"]


async def test_what_is_beside_resources_in_the_table_is_in_none_of_its_lists(kit: Kit, service: KelifaxService) -> None:
    """Guards, tags, totals, logs, marks and views are ours: a program that knows resources never meets them."""
    await _lived(service)
    every = _asked(kit, "Scan")
    beside = [item for item in every if "#" in item["resourceSlug"]["S"]]
    assert len(beside) == len(every) - 4
    assert not [item for item in beside if "resourceStatus" in item or "category" in item]
