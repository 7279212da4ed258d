"""Items as the original program writes them: what the document says of each type, and not an attribute more."""

from __future__ import annotations

from typing import Any

from partita.apps.fus.schema import FUS
from partita.dynamo import requests
from partita.dynamo.python_values import item_from_python
from partita.kit.kit import Kit
from partita.table.effects import Steps

Row = dict[str, Any]
NOW = "2026-01-26T10:30:00Z"


def site(site_id: str, url: str = "", *tags: str, **others: Any) -> list[Row]:
    """A site, and an item for each of its tags."""
    key = f"SITE#{site_id}"
    metadata = {
        "PK": key,
        "SK": "METADATA",
        "url": url or f"https://{site_id}.example.org/",
        "title": f"Über {site_id}",
        "description": "Where the old paths are.",
        "scrapedContent": "Old paths, and where they lead.",
        "tags": list(tags),
        "createdAt": NOW,
        "updatedAt": NOW,
        "entityType": "SITE",
        "entitySk": key,
        **others,
    }
    return [metadata, *({"PK": key, "SK": f"TAG#{tag}", "tag": tag, "siteId": key} for tag in tags)]


def rating(user_id: str, site_id: str, stars: int, **others: Any) -> Row:
    """Stars and a note."""
    key = f"SITE#{site_id}"
    said = {"stars": stars, "note": "To look at again", "updatedAt": NOW, "starRating": stars, "siteId": key}
    return {"PK": f"USER#{user_id}", "SK": key, **said, **others}


def comment(user_id: str, site_id: str, comment_id: str, body: str = "It knows our footpath.") -> Row:
    """A comment, which no index of the document holds."""
    key = f"SITE#{site_id}#COMMENT#{comment_id}"
    return {"PK": f"USER#{user_id}", "SK": key, "body": body, "createdAt": NOW, "updatedAt": NOW}


def group(name: str, *permissions: str, **others: Any) -> Row:
    """A group."""
    key = f"GROUP#{name}"
    times = {"createdAt": NOW, "updatedAt": NOW}
    said = {"name": name, "description": "They keep the paths.", "permissions": list(map(str, permissions)), **times}
    return {"PK": key, "SK": "METADATA", **said, "entityType": "GROUP", "entitySk": key, **others}


def membership(user_id: str, name: str) -> Row:
    """Somebody in a group."""
    said = {"groupName": name, "userId": user_id, "addedAt": "2026-01-26T10:30:01Z", "addedBy": "an-admin"}
    return {"PK": f"USER#{user_id}", "SK": f"MEMBERSHIP#{name}", **said}


async def write(kit: Kit, *rows: Row) -> None:
    """Put them into the table, past everything of ours."""
    for row in rows:
        await kit.store.run(_put(row))


def _put(row: Row) -> Steps[None]:
    yield requests.PutItem(table=FUS.name, item=item_from_python(row))
