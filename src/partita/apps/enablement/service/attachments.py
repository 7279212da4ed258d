"""Attachments: a file is sent to a link of its own, attached by whoever sent it, and swept after a day otherwise."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.formats import Due, due_key, moment_of, today_of
from partita.apps.enablement.inputs import Attachment, NewUpload
from partita.apps.enablement.permissions import Action, Enablement, Part
from partita.apps.enablement.schema import FILE_FIELDS, Content, PortalUpload, Proposal
from partita.apps.enablement.service.access import parts_of, permits
from partita.apps.enablement.service.changing import Changing
from partita.apps.enablement.service.clock import SWEEP
from partita.apps.enablement.service.content import OWN_ID, Contents
from partita.apps.enablement.service.files import ATTACHMENTS
from partita.apps.enablement.service.texts import Texts
from partita.kit.files import MOST_UPLOAD, FileInfo, UploadForm, download_name, kind_of
from partita.kit.files.content import TEXT
from partita.kit.files.schema import Upload as FileUpload
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find, find_or
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, FieldError, Forbidden, Invalid, NotFound
from partita.kit.sharing.addresses import absolute
from partita.table import ChangedMeanwhileError, Delete, Put, Write
from partita.table.types import timestamp

UPLOADING = Rule("enablement-upload", most=600, seconds=3600)
UPLOAD_SECONDS = 300
DOWNLOAD_SECONDS = 1800
"""A link works at least so long and at most twice as long, an hour, so that it is the same for a while; and never after
the moment at which its content is closed."""
SWEPT_AFTER = timedelta(days=1)
CSV = "text/csv"
_UNKNOWN = "application/octet-stream"
_KNOWN = "a PDF, Word, PowerPoint or Excel file, picture, MP4 or WebM film, ZIP archive, CSV or text"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that may be sent, and where to."""

    row: PortalUpload
    form: UploadForm


class Attachments:
    """The one file of a content item."""

    def __init__(self, kit: Kit, changing: Changing, contents: Contents, texts: Texts) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing
        self._contents = contents
        self._texts = texts
        self.on_download: Callable[[Viewer, Content], Awaitable[object]] | None = None
        """Called with every download that counts; whoever records events sets it."""

    async def begin(self, viewer: Viewer, content_id: str, new: NewUpload, *, then: str | None = None) -> Upload:
        """Let somebody send a file within five minutes. `then` is the page to which a browser without script returns;
        `{upload_id}` in it is filled in."""
        await self._may_send(viewer, content_id)
        await self._kit.limits.check(UPLOADING, viewer.id)
        now = self._changing.now()
        upload_id = self._kit.ids.new()
        due = now + SWEPT_AFTER
        row = PortalUpload(
            upload_id=upload_id,
            of_content=content_id,
            uploaded_by=viewer.id,
            begun_at=timestamp(now),
            file_name=download_name(new.file_name),
            content_type=_UNKNOWN,
            s3_bucket=self._texts.bucket,
            # What a file is shows when it has arrived; a new key each time, so that nothing is ever replaced.
            s3_key=f"{ATTACHMENTS}/{upload_id.lower()}",
            due_day=today_of(due),
            due_key=due_key(SWEEP, timestamp(due), upload_id),
        )
        await self._store.write(Put(row).if_new())
        onward = None if then is None else self._address(then.format(upload_id=upload_id))
        form = self._kit.files.upload_form(
            row.s3_key, _UNKNOWN, most_bytes=MOST_UPLOAD, seconds=UPLOAD_SECONDS, then=onward
        )
        return Upload(row, form)

    async def arrived(self, viewer: Viewer, content_id: str, upload_id: str) -> PortalUpload:
        """A file that the viewer has sent for this item and not attached yet."""
        missing = NotFound(
            "There is no such upload; it may be attached already, or older than a day.", code="no_upload"
        )
        row = await find_or(missing, self._store, schema.upload, upload_id)
        if row.of_content != content_id or row.uploaded_by != viewer.user_id:
            raise missing
        return row

    async def attach(self, viewer: Viewer, content_id: str, attachment: Attachment) -> Content | Proposal:
        """Make a file that has arrived the attachment of a draft, or of the proposal to change what is approved."""
        await self._changing.allowed(viewer, content_id, Action.EDIT)
        fields, claims = await self.claim(viewer, content_id, attachment)
        return await self._contents.change_fields(viewer, content_id, fields, version=attachment.version, writes=claims)

    async def claim(
        self, viewer: Viewer, content_id: str, attachment: Attachment
    ) -> tuple[dict[str, Any], tuple[Write, ...]]:
        """The fields of a file that has arrived, and the writes that claim it for the row that will name it."""
        row = await self.arrived(viewer, content_id, attachment.upload_id)
        info, copy = await self._settled(row)
        if info is None:
            raise Conflict("The file has not arrived. Send it again.", code="not_arrived")
        name = download_name(attachment.file_name or row.file_name)
        kind = kind_of(await self._kit.files.start(info.name))
        if kind is None or not 0 < info.size <= MOST_UPLOAD:
            await self.give_up(row)
            raise Invalid(FieldError("file", _refusal(info.size)))
        gone = Conflict("This file was attached already, or was not attached within a day.", code="no_upload")
        fields = {
            "file_name": name,
            "content_type": type_of(kind, name),
            "size_bytes": info.size,
            "s3_bucket": row.s3_bucket,
            "s3_key": info.name,
            "uploaded_at": timestamp(self._changing.now()),
        }
        return fields, (Delete(row.own_key).if_there().otherwise(gone), *(each.otherwise(gone) for each in copy))

    async def _settled(self, row: PortalUpload) -> tuple[FileInfo | None, tuple[Delete[FileUpload], ...]]:
        """The file that has arrived, where its sender cannot replace it, and what claims it there. If that is a copy,
        it and what was sent expire by themselves: the one unless it is claimed, the other when its link has ended."""
        files, uploads = self._kit.files, self._kit.uploads
        if files.origin is None:
            return await files.settled(row.s3_key, row.s3_key), ()
        copy = f"{ATTACHMENTS}/{self._kit.ids.new().lower()}"
        await uploads.expire(copy)
        await uploads.expire(row.s3_key)
        return await files.settled(row.s3_key, copy), (uploads.claim(copy),)

    def _address(self, path: str) -> str:
        """A page of ours, complete if the files are kept elsewhere."""
        return path if self._kit.files.origin is None else absolute(self._kit.settings.base_url, path)

    async def _may_send(self, viewer: Viewer, content_id: str) -> None:
        """Whether somebody may send a file: for what they may edit, or for a draft that they are about to make."""
        if not OWN_ID.fullmatch(content_id) or await find(self._store, schema.content, content_id) is not None:
            await self._changing.allowed(viewer, content_id, Action.EDIT)
        else:
            authorize(viewer, Enablement.WRITE)

    async def detach(self, viewer: Viewer, content_id: str, *, version: str | None = None) -> Content | Proposal:
        """Take the file away."""
        return await self._contents.change_fields(viewer, content_id, dict.fromkeys(FILE_FIELDS), version=version)

    async def download(self, viewer: Viewer, content_id: str, *, counts: bool = True) -> str:
        """A link to the file that ends. Whoever follows one from a page downloads it, which counts."""
        content = await self._changing.allowed(viewer, content_id, Action.DOWNLOAD)
        link = self.link(viewer, content, download=True)
        if counts and self.on_download is not None:
            await self.on_download(viewer, content)
        return link

    async def media(self, viewer: Viewer, content_id: str) -> str:
        """A link to a film, to play it on its page: the file itself, so for whoever may download it."""
        content = await self._changing.allowed(viewer, content_id, Action.DOWNLOAD)
        return self.link(viewer, content, download=False)

    def link(self, viewer: Viewer, content: Content, *, download: bool) -> str:
        """A link to a file, for somebody who may have it now; it works while they would still get it."""
        if content.s3_key is None or content.s3_bucket != self._texts.bucket:
            raise NotFound(f"“{content.title}” has no file that can be downloaded here.", code="no_file")
        called = download_name(content.file_name or content.title) if download else None
        closes = moment_of(content.expires_at or "") if content.closes else None
        open_still = closes is not None and closes > self._changing.now()  # otherwise it is for administrators
        return self._kit.files.url(
            content.s3_key,
            seconds=DOWNLOAD_SECONDS,
            download_as=called,
            until=closes if open_still else None,
            played_as=None if download else content.content_type,
            claim=_claim(viewer, content),
        )

    async def may_follow(self, name: str, claim: str) -> None:
        """Whether a link still leads to its file: the item has it, and is in a state in which whoever got the link may
        download it. They count as what they were then; who owns it and whose account is closed is asked anew."""
        content_id, user_id, *parts = json.loads(claim)
        content, account = await asyncio.gather(
            find(self._store, schema.content, content_id), self._kit.accounts.people.find(user_id)
        )
        if content is not None and content.s3_key == name and not (account is not None and account.suspended):
            if content.owner_user_id != user_id:
                parts = [part for part in parts if part != Part.OWNER]
            if permits(parts, content, Action.DOWNLOAD, self._changing.now()):
                return
        raise Forbidden("This link no longer works. Open the content's page again.", code="link_expired")

    async def give_up(self, row: PortalUpload) -> bool:
        """Delete an upload; whether it was still there. The row goes first: what is attached has none any more."""
        try:
            await self._store.write(Delete(row.own_key).if_there().otherwise(ChangedMeanwhileError("The upload")))
        except ChangedMeanwhileError:
            return False
        await self._kit.files.delete(row.s3_key)
        return True

    async def sweep(self, row: PortalUpload, due: Due) -> bool:
        """What the clock does with an upload that nobody has attached within a day."""
        return await self.give_up(row)


def _claim(viewer: Viewer, content: Content) -> str:
    """What is in a link: the item, and who got it."""
    return json.dumps([content.content_id, viewer.id, *sorted(parts_of(viewer, content))])


def _refusal(size: int) -> str:
    if size == 0:
        return "The file is empty. Choose another one."
    if size > MOST_UPLOAD:
        return f"At most {MOST_UPLOAD // 1_000_000} MB; this file has {size / 1_000_000:.1f} MB."
    return f"This is no file that we know, whatever its name says. Choose {_KNOWN}."


def type_of(kind: str, name: str) -> str:
    """The content type of a file: what its content says, and of texts that are tables, what their name says."""
    return CSV if kind == TEXT and name.lower().endswith(".csv") else kind
