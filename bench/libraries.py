"""The clients that are compared: each puts, gets and queries the same sites, as models where it has models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import aiodynamo.client
import aiodynamo.credentials
import aiodynamo.expressions
import aiohttp
import boto3
import pydynantic
import pydynox
import pydynox.attributes
import pynamodb.attributes
import pynamodb.models
from boto3.dynamodb.conditions import Key
from tests.serving import CREDENTIALS
from yarl import URL

from bench.sites import CATALOG, PAGE, TABLE, Site, all_sites, one_site, row, values
from partita.store import Store
from partita.store.dynamo import DynamoStore, fixed
from partita.table import Put

PARTITA = "Partita"
PARTITA_ASYNC = "Partita, async"
BOTO3 = "boto3 client"

_PK, _SK, _PREFIX = f"CATALOG#{CATALOG}", "SITE#000000", "SITE#"
_PLAIN = values(0)


@dataclass(frozen=True, slots=True)
class Library:
    """Three operations; where there is a loop they are coroutines."""

    put: Callable[[], Any]
    get: Callable[[], Any]
    query: Callable[[], Any]
    title: Callable[[Any], str] = lambda site: site.title
    """How a site's title is read: what comes back is looked at before anything is measured."""
    loop: asyncio.AbstractEventLoop | None = None


def libraries(url: str, loop: asyncio.AbstractEventLoop, stack: ExitStack) -> dict[str, Library]:
    """Everybody, connected to the same server."""
    store = DynamoStore(endpoint_url=url, region="us-east-1", credentials=fixed("any", "any"))
    stack.callback(store.close)
    stack.callback(lambda: loop.run_until_complete(store.dynamo.close_async()))
    return {
        PARTITA: partita(store),
        PARTITA_ASYNC: _partita_async(store, loop),
        "pydynox": _pydynox(url),
        "pydynox, async": _pydynox_async(url, loop),
        "aiodynamo, async": _aiodynamo(url, loop, stack),
        BOTO3: _boto3_client(url),
        "boto3 resource": _boto3_resource(url),
        "PynamoDB": _pynamodb(url),
        "pydynantic": _pydynantic(url),
    }


def partita(store: Store) -> Library:
    """Partita on any store."""
    return Library(
        put=lambda: store.write(Put(Site(**_PLAIN))),
        get=lambda: store.get(one_site()),
        query=lambda: store.page(all_sites(), limit=PAGE).items,
    )


def _partita_async(store: Store, loop: asyncio.AbstractEventLoop) -> Library:
    face = store.asynchronous

    async def query() -> Any:
        return (await face.page(all_sites(), limit=PAGE)).items

    return Library(
        put=lambda: face.write(Put(Site(**_PLAIN))), get=lambda: face.get(one_site()), query=query, loop=loop
    )


def _boto3_client(url: str) -> Library:
    client = boto3.Session(**CREDENTIALS).client("dynamodb", endpoint_url=url)
    wire = row(0)
    key = {"PK": {"S": _PK}, "SK": {"S": _SK}}
    condition = "PK = :pk AND begins_with(SK, :sk)"
    bound = {":pk": {"S": _PK}, ":sk": {"S": _PREFIX}}
    return Library(
        put=lambda: client.put_item(TableName=TABLE, Item=wire),
        get=lambda: client.get_item(TableName=TABLE, Key=key)["Item"],
        query=lambda: client.query(
            TableName=TABLE, KeyConditionExpression=condition, ExpressionAttributeValues=bound, Limit=PAGE
        )["Items"],
        title=lambda site: site["title"]["S"],
    )


def _boto3_resource(url: str) -> Library:
    table = boto3.Session(**CREDENTIALS).resource("dynamodb", endpoint_url=url).Table(TABLE)
    stored = {"PK": _PK, "SK": _SK, **_PLAIN}
    return Library(
        put=lambda: table.put_item(Item=stored),
        get=lambda: table.get_item(Key={"PK": _PK, "SK": _SK})["Item"],
        query=lambda: table.query(
            KeyConditionExpression=Key("PK").eq(_PK) & Key("SK").begins_with(_PREFIX), Limit=PAGE
        )["Items"],
        title=lambda site: site["title"],
    )


def _pynamodb(url: str) -> Library:
    text, number = pynamodb.attributes.UnicodeAttribute, pynamodb.attributes.NumberAttribute

    class PynamoSite(pynamodb.models.Model):
        class Meta:
            table_name = TABLE
            region = CREDENTIALS["region_name"]
            host = url
            aws_access_key_id = CREDENTIALS["aws_access_key_id"]
            aws_secret_access_key = CREDENTIALS["aws_secret_access_key"]

        pk = text(hash_key=True, attr_name="PK")
        sk = text(range_key=True, attr_name="SK")
        catalog = text()
        site_id = text()
        url = text()
        title = text()
        description = text()
        content = text()
        tags = pynamodb.attributes.ListAttribute(of=text)
        featured = pynamodb.attributes.BooleanAttribute()
        created_at = text()
        updated_at = text()
        rating_count = number()
        rating_sum = number()

    return Library(
        put=lambda: PynamoSite(_PK, _SK, **_PLAIN).save(),
        get=lambda: PynamoSite.get(_PK, _SK),
        query=lambda: list(PynamoSite.query(_PK, PynamoSite.sk.startswith(_PREFIX), limit=PAGE)),
    )


def _pydynantic(url: str) -> Library:
    client = boto3.Session(**CREDENTIALS).client("dynamodb", endpoint_url=url)
    sites = pydynantic.Table(TABLE, client=client)

    class PydynanticSite(pydynantic.Entity, table=sites, name="site"):
        catalog: str
        site_id: str
        url: str
        title: str
        description: str
        content: str
        tags: list[str]
        featured: bool
        created_at: str
        updated_at: str
        rating_count: int
        rating_sum: int

        class Meta:
            primary = pydynantic.key(pk="CATALOG#{catalog}", sk="SITE#{site_id}")

    return Library(
        put=lambda: PydynanticSite.put(PydynanticSite(**_PLAIN)),
        get=lambda: PydynanticSite.get(catalog=CATALOG, site_id="000000"),
        query=lambda: PydynanticSite.query.primary(catalog=CATALOG).begins_with(_PREFIX).limit(PAGE).all(),
    )


def _pydynox_site(url: str) -> Any:
    text, number = pydynox.attributes.StringAttribute, pydynox.attributes.NumberAttribute
    connected = pydynox.DynamoDBClient(
        region=CREDENTIALS["region_name"],
        access_key=CREDENTIALS["aws_access_key_id"],
        secret_key=CREDENTIALS["aws_secret_access_key"],
        endpoint_url=url,
    )

    class PydynoxSite(pydynox.Model):
        model_config = pydynox.ModelConfig(table=TABLE, client=connected)
        pk = text(partition_key=True, alias="PK", template="CATALOG#{catalog}")
        sk = text(sort_key=True, alias="SK", template="SITE#{site_id}")
        catalog = text()
        site_id = text()
        url = text()
        title = text()
        description = text()
        content = text()
        tags = pydynox.attributes.ListAttribute()
        featured = pydynox.attributes.BooleanAttribute()
        created_at = text()
        updated_at = text()
        rating_count = number()
        rating_sum = number()

    return PydynoxSite


def _pydynox(url: str) -> Library:
    site = _pydynox_site(url)
    return Library(
        put=lambda: site(**_PLAIN).sync_save(),
        get=lambda: site.sync_get(pk=_PK, sk=_SK),
        query=lambda: list(
            site.sync_query(partition_key=_PK, sort_key_condition=site.sk.begins_with(_PREFIX), limit=PAGE)
        ),
    )


def _pydynox_async(url: str, loop: asyncio.AbstractEventLoop) -> Library:
    site = _pydynox_site(url)

    async def query() -> Any:
        found = site.query(partition_key=_PK, sort_key_condition=site.sk.begins_with(_PREFIX), limit=PAGE)
        return [each async for each in found]

    return Library(put=lambda: site(**_PLAIN).save(), get=lambda: site.get(pk=_PK, sk=_SK), query=query, loop=loop)


def _aiodynamo(url: str, loop: asyncio.AbstractEventLoop, stack: ExitStack) -> Library:
    from aiodynamo.http.aiohttp import AIOHTTP

    async def connect() -> aiohttp.ClientSession:
        return aiohttp.ClientSession()

    session = loop.run_until_complete(connect())
    stack.callback(lambda: loop.run_until_complete(session.close()))
    key = aiodynamo.credentials.Key(CREDENTIALS["aws_access_key_id"], CREDENTIALS["aws_secret_access_key"])
    client = aiodynamo.client.Client(
        AIOHTTP(session),
        aiodynamo.credentials.StaticCredentials(key),
        CREDENTIALS["region_name"],
        endpoint=URL(url),
        numeric_type=int,
    )
    table = client.table(TABLE)
    stored = {"PK": _PK, "SK": _SK, **_PLAIN}

    async def query() -> Any:
        hash_key, range_key = aiodynamo.expressions.HashKey, aiodynamo.expressions.RangeKey
        condition = hash_key("PK", _PK) & range_key("SK").begins_with(_PREFIX)
        return (await table.query_single_page(condition, limit=PAGE)).items

    return Library(
        put=lambda: table.put_item(stored),
        get=lambda: table.get_item({"PK": _PK, "SK": _SK}),
        query=query,
        title=lambda site: site["title"],
        loop=loop,
    )
