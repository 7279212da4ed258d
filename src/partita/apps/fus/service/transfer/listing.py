"""JSON: a list of sites, with the field names of the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from partita.apps.fus.service.transfer.rows import Entry, Row, unreadable

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
        fields = {name: each[name] for name in _FIELDS if each.get(name) is not None}
        if isinstance(fields.get("tags"), str):
            fields["tags"] = [tag for tag in fields["tags"].split(",") if tag.strip()]
        yield Row(number, fields)
