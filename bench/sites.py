"""What the clients write and read: a site of a catalog, twelve attributes and a key, about 1 KB."""

from __future__ import annotations

from typing import Any

from partita.table import Attribute, Get, Item, Query, Table, attribute

TABLE = "bench-sites"
CATALOG = "main"
PAGE = 25
SITES = Table(TABLE, pk="PK", sk="SK")


class Site(Item, table=SITES, pk="CATALOG#{catalog}", sk="SITE#{site_id}"):
    """As Partita models it; the other libraries' models have the same fields."""

    catalog: Attribute[str]
    site_id: Attribute[str]
    url: Attribute[str]
    title: Attribute[str] = attribute(max_length=300)
    description: Attribute[str]
    content: Attribute[str]
    tags: Attribute[tuple[str, ...]]
    featured: Attribute[bool]
    created_at: Attribute[str]
    updated_at: Attribute[str]
    rating_count: Attribute[int] = attribute(ge=0)
    rating_sum: Attribute[int] = attribute(ge=0)


class Rating(Item, table=SITES, pk="USER#{user_id}", sk="SITE#{site_id}"):
    """Another type in the same table, so that rows have to be told apart."""

    user_id: Attribute[str]
    site_id: Attribute[str]
    stars: Attribute[int]


def values(number: int) -> dict[str, Any]:
    """One site's fields as plain values."""
    return {
        "catalog": CATALOG,
        "site_id": f"{number:06d}",
        "url": f"https://example.org/sites/{number:06d}",
        "title": f"Site {number}: notes on modelling with a single table",
        "description": "Patterns for keys, indexes and counters, with worked examples. " * 3,
        "content": "An item collection holds everything that is read together. " * 8,
        "tags": ["databases", "modelling", "python"],
        "featured": number % 2 == 0,
        "created_at": "2026-03-01T09:30:00.000000Z",
        "updated_at": "2026-03-02T18:05:00.000000Z",
        "rating_count": 12 + number,
        "rating_sum": 50 + number,
    }


def row(number: int) -> dict[str, Any]:
    """The same site as it is stored."""
    return Site(**values(number)).to_row()


def answers() -> dict[str, Any]:
    """What the canned server says to each operation."""
    rows = [row(number) for number in range(PAGE)]
    return {"PutItem": {}, "GetItem": {"Item": rows[0]}, "Query": {"Items": rows, "Count": PAGE, "ScannedCount": PAGE}}


def one_site() -> Get[Site]:
    return Site.get(Site.catalog(CATALOG), Site.site_id("000000"))


def all_sites() -> Query[Site]:
    return Site.query(Site.catalog(CATALOG))
