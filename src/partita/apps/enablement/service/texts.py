"""The texts of content: Markdown files that `s3_uri` names. Every state of a text has a file of its own."""

from __future__ import annotations

from typing import Any

from partita.apps.enablement.formats import LOCAL_BUCKET, file_at, uri_of
from partita.kit.files.schema import Upload
from partita.kit.kit import Kit
from partita.kit.problems import Conflict, NotFound
from partita.table import Delete

TEXTS = "enablement/texts"
"""The folder of texts in the file store."""
_MARKDOWN = "text/plain"


class Texts:
    """Keeps and loads texts."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    @property
    def bucket(self) -> str:
        """Where our files are, as the document's attributes say it."""
        return self._kit.settings.s3_bucket or LOCAL_BUCKET if self._kit.settings.files == "s3" else LOCAL_BUCKET

    async def keep(self, text: str) -> tuple[str, Delete[Upload]]:
        """Keep a text: its `s3_uri`, and the write that claims it in the transaction of the row that names it. Without
        that it is deleted after a day."""
        name = await self._kit.uploads.keep(TEXTS, text.encode(), _MARKDOWN)
        lost = Conflict("The text was not kept long enough. Send it again.", code="text_not_kept")
        return uri_of(self.bucket, name), self._kit.uploads.claim(name).otherwise(lost)

    async def discard(self, uri: str) -> None:
        """Forget a text that no row names."""
        name = file_at(uri, self.bucket)
        if name is not None:
            await self._kit.uploads.discard(name)

    async def load(self, source: Any) -> str:
        """The text of a content item, a proposal's fields or a version's; empty without one, or if another program
        keeps it where we cannot read."""
        name = file_at(source.s3_uri, self.bucket)
        if name is None:
            return ""
        try:
            stored = await self._kit.files.load(name)
        except NotFound:
            return ""
        return stored.data.decode("utf-8", "replace")
