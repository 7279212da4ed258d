"""Files that no row names any more: texts and attachments that an edit replaced or a proposal brought in vain."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.formats import file_at, major_of
from partita.apps.enablement.schema import Content, PortalUpload, Proposal, Version
from partita.apps.enablement.service.texts import Texts
from partita.kit.kit import Kit
from partita.kit.lists import find

FOLDER = "enablement"
ATTACHMENTS = f"{FOLDER}/files"
"""The folder of attachments in the file store."""
PREVIEWS = f"{FOLDER}/previews"
"""The folder of what was made of them: a folder for each, whose name the attachment's tells."""
_PARTS = ("cover.webp", "text.txt", "rows.json", *(f"{number}.webp" for number in range(1, 21)))
_AT_ONCE = 100


def preview_name(key: str, part: str) -> str:
    """The name of a file that was made of an attachment: its cover, the picture of a page, its text."""
    return f"{PREVIEWS}/{key.rpartition('/')[2].partition('.')[0]}/{part}"


def previews_of(key: str) -> tuple[str, ...]:
    """Everything that may have been made of an attachment."""
    return tuple(preview_name(key, part) for part in _PARTS) if key.startswith(f"{ATTACHMENTS}/") else ()


class PortalFiles:
    """Which files rows name, and deleting those that none does."""

    def __init__(self, kit: Kit, texts: Texts) -> None:
        self._kit = kit
        self._store = kit.store
        self._texts = texts

    def named_by(self, source: Any) -> frozenset[str]:
        """The text and the attachment that a content item or its fields name, if they are ours."""
        bucket = self._texts.bucket
        names = {file_at(source.s3_uri, bucket), source.s3_key if source.s3_bucket == bucket else None}
        return frozenset(name for name in names if name is not None and name.startswith(f"{FOLDER}/"))

    async def delete_replaced(self, before: Content, after: Content | None) -> None:
        """Delete what an edit replaced, unless the last approved version has it. What a deleted item leaves behind, its
        removal deletes."""
        if after is None:
            return
        gone = self.named_by(before) - self.named_by(after)
        if gone and before.major:
            kept = await self._store.get(schema.version_of(before.content_id, before.major).consistently())
            gone -= frozenset() if kept is None else self.named_by(kept.fields)
        await self._delete(gone)

    async def delete_proposed(self, before: Proposal, after: Proposal | None) -> None:
        """Delete what a proposal brought and no longer names, unless it was merged."""
        gone = self.named_by(before.fields) - (frozenset() if after is None else self.named_by(after.fields))
        if not gone:
            return
        content = await find(self._store, schema.content, before.of_content)
        if content is None:
            await self._delete(gone)  # its removal deletes the same
            return
        gone -= self.named_by(content)
        # Merged long ago, it may be in any version since; a handler may be late.
        majors = range(major_of(before.based_on), content.major + 1)
        for first in range(max(majors.start, 1), majors.stop, _AT_ONCE):
            some = tuple(range(first, min(first + _AT_ONCE, majors.stop)))
            found = await self._store.batch_get(schema.versions_of(before.of_content, some).keys, consistent=True)
            gone = gone.difference(*(self.named_by(each.fields) for each in found if each is not None))
        await self._delete(gone)

    async def _delete(self, names: frozenset[str]) -> None:
        for name in names:
            await self._kit.files.delete(name)
            for made in previews_of(name):
                await self._kit.files.delete(made)

    async def named(self) -> AsyncIterator[str]:
        """Every text and attachment that a row names, for the sweep."""
        async for row in self._store.scan_whole_table(Content, Proposal, Version):
            for name in self.named_by(row.fields if isinstance(row, Proposal | Version) else row):
                yield name

    async def named_previews(self) -> AsyncIterator[str]:
        """Everything that may have been made of the attachments that rows name, for the sweep."""
        async for name in self.named():
            for made in previews_of(name):
                yield made

    async def named_attachments(self) -> AsyncIterator[str]:
        """Every attachment, also those that wait to be attached. Those are read first: attaching moves a name from one
        row to another, and whoever looks in this order sees it in at least one of them."""
        async for upload in self._store.scan_whole_table(PortalUpload):
            yield upload.s3_key
        async for name in self.named():
            yield name
