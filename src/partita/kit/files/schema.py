"""Uploads that no item has claimed yet: each names its file, and when it expires, the file is deleted.

A table of its own, since the house's has no stream and must not have one: what follows changes keeps its checkpoints
there, and would follow itself for ever.
"""

from __future__ import annotations

from partita.table import Attribute, Get, Item, Table, access_pattern, camel_case, key_part
from partita.table.types import Timestamp

UPLOADS = Table(
    "partita-uploads",
    pk="PK",
    ttl="expiresAt",
    stream="OLD_IMAGE",
    purpose="Uploaded files that nothing names yet.",
)


class Upload(Item, table=UPLOADS, pk="UPLOAD#{name}", names=camel_case):
    """A file that was uploaded, or is on its way; gone once an item of a system names the file."""

    name: Attribute[str] = key_part()
    started_at: Attribute[Timestamp]
    expires_at: Attribute[int]


@access_pattern("An unclaimed upload", UPLOADS, documented=False, name="kelifax/logos/01.png")
def upload(name: str) -> Get[Upload]:
    return Upload.get(Upload.name(name)).consistently()
