"""JSON: a list of sites, with the field names of the API; or of bookmarks, with those of Pinboard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from partita.apps.fus.service.transfer.rows import Entry, Row
from partita.kit.imports import unreadable

_FIELDS = ("url", "title", "description", "tags", "createdAt")


def entry_object(entry: Entry) -> bytes:
    """A site as an object."""
    return orjson.dumps(
        {
            "url": entry.url,
            "title": entry.title,
            "description": entry.description,
            "tags": list(entry.tags),
            "createdAt": entry.created_at,
        }
    )


def objects(data: bytes) -> Iterator[Row]:
    """The sites in a file: a list, or an object that has one as `items` or `sites`."""
    try:
        content: Any = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise unreadable(f"This is not JSON: {error}.") from None
    if isinstance(content, dict):
        content = next((content[name] for name in ("items", "sites") if name in content), None)
    if not isinstance(content, list):
        raise unreadable("The file must contain a list of sites.")
    for number, each in enumerate(content, 1):
        if not isinstance(each, dict):
            yield Row(number, {}, "This is not an object with a url.")
            continue
        if "href" in each and "url" not in each:
            yield _pinboard(number, each)
            continue
        fields = {name: each[name] for name in _FIELDS if each.get(name) is not None}
        if isinstance(fields.get("tags"), str):
            fields["tags"] = [tag for tag in fields["tags"].split(",") if tag.strip()]
        yield Row(number, fields)


def _pinboard(number: int, each: dict[str, Any]) -> Row:
    """A bookmark of Pinboard: the title is its `description`, and spaces separate the tags. What is private there does
    not come into a catalog that everybody reads."""
    fields = {
        "url": each["href"],
        "title": each.get("description") or "",
        "description": each.get("extended") or "",
        "tags": str(each.get("tags") or "").replace(",", " ").split(),
        "createdAt": each.get("time") or None,
    }
    private = each.get("shared") == "no"
    return Row(number, fields, "It is private at Pinboard." if private else "")
