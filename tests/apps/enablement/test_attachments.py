"""Attachments: sent to a link, attached by their sender, known by their content, swept if nobody wants them."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from partita.apps.enablement.inputs import Approval, Attachment, NewUpload, Retirement, Submission
from partita.apps.enablement.schema import Content, Proposal
from partita.apps.enablement.service.attachments import Upload
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound
from tests.apps.enablement.conftest import ADMIN, ANNA, CARL, CARLA, NOTE, VERA, Portal
from tests.kit.previews.samples import pdf

pytestmark = pytest.mark.anyio
PDF = pdf("Prices of Atlas")


async def send(
    portal: Portal, content_id: str, data: bytes = PDF, name: str = "prices.pdf", by: Viewer = CARLA
) -> Upload:
    """What a browser does: ask where to, and send it there."""
    begun = await portal.service.attachments.begin(by, content_id, NewUpload(file_name=name))
    await portal.kit.files.save(begun.row.s3_key, data, "application/octet-stream")
    return begun


async def attached(portal: Portal, content_id: str, data: bytes = PDF, name: str = "prices.pdf") -> Content | Proposal:
    begun = await send(portal, content_id, data, name)
    return await portal.service.attachments.attach(CARLA, content_id, Attachment(upload_id=begun.row.upload_id))


async def test_a_file_is_attached_with_what_its_content_says(portal: Portal) -> None:
    draft = await portal.draft()
    content = await attached(portal, draft.content_id, name="../../prices\u202e.exe")
    assert isinstance(content, Content)
    assert content.content_type == "application/pdf"
    assert content.size_bytes == len(PDF)
    assert content.file_name is not None
    assert not set("/\u202e") & set(content.file_name)
    assert content.s3_key is not None
    assert content.s3_key.startswith("enablement/files/")
    assert content.version == "0.2"


async def test_the_link_to_send_to_lasts_five_minutes_and_100_mb(portal: Portal) -> None:
    draft = await portal.draft()
    begun = await portal.service.attachments.begin(CARLA, draft.content_id, NewUpload(file_name="a.pdf"))
    assert "expires" in begun.form.url
    with pytest.raises(ValueError, match="less than or equal"):
        NewUpload(file_name="a.pdf", size_bytes=100_000_001)


async def test_nobody_else_sends_or_attaches(portal: Portal) -> None:
    draft = await portal.draft()
    with pytest.raises(NotFound):
        await portal.service.attachments.begin(CARL, draft.content_id, NewUpload(file_name="a.pdf"))
    begun = await send(portal, draft.content_id)
    with pytest.raises(NotFound):
        await portal.service.attachments.attach(ADMIN, draft.content_id, Attachment(upload_id=begun.row.upload_id))
    other = await portal.draft("Another")
    with pytest.raises(NotFound):
        await portal.service.attachments.attach(CARLA, other.content_id, Attachment(upload_id=begun.row.upload_id))


async def test_a_file_is_attached_once(portal: Portal) -> None:
    draft = await portal.draft()
    begun = await send(portal, draft.content_id)
    attachment = Attachment(upload_id=begun.row.upload_id)
    await portal.service.attachments.attach(CARLA, draft.content_id, attachment)
    with pytest.raises(NotFound):
        await portal.service.attachments.attach(CARLA, draft.content_id, attachment)


@pytest.mark.parametrize("data", [b"\x7fELF\x01\x02\x00\x00", b""])
async def test_what_nobody_knows_is_refused_and_deleted(portal: Portal, data: bytes) -> None:
    draft = await portal.draft()
    begun = await send(portal, draft.content_id, data, "prices.pdf")
    with pytest.raises(Invalid) as refused:
        await portal.service.attachments.attach(CARLA, draft.content_id, Attachment(upload_id=begun.row.upload_id))
    assert refused.value.errors[0].field == "file"
    assert not await portal.kit.files.exists(begun.row.s3_key)


async def test_what_has_not_arrived_is_not_attached(portal: Portal) -> None:
    draft = await portal.draft()
    begun = await portal.service.attachments.begin(CARLA, draft.content_id, NewUpload(file_name="a.pdf"))
    with pytest.raises(Conflict, match="not arrived"):
        await portal.service.attachments.attach(CARLA, draft.content_id, Attachment(upload_id=begun.row.upload_id))


async def test_what_is_not_attached_within_a_day_is_swept(portal: Portal) -> None:
    draft = await portal.draft()
    kept, left = await send(portal, draft.content_id), await send(portal, draft.content_id)
    await portal.service.attachments.attach(CARLA, draft.content_id, Attachment(upload_id=kept.row.upload_id))
    portal.clock.on(hours=23)
    await portal.service.clock.run_due()
    assert await portal.kit.files.exists(left.row.s3_key)
    portal.clock.on(hours=2)
    assert (await portal.service.clock.run_due())["done"] == 1
    assert not await portal.kit.files.exists(left.row.s3_key)
    assert await portal.kit.files.exists(kept.row.s3_key)
    with pytest.raises(NotFound):
        await portal.service.attachments.attach(CARLA, draft.content_id, Attachment(upload_id=left.row.upload_id))


async def test_released_content_gets_its_new_file_with_the_approval(portal: Portal) -> None:
    draft = await portal.draft()
    first = await attached(portal, draft.content_id)
    assert isinstance(first, Content)
    waiting = await portal.service.lifecycle.submit(CARLA, draft.content_id, Submission())
    assert isinstance(waiting, Content)
    released = await portal.service.lifecycle.approve(ANNA, draft.content_id, Approval(version=waiting.version))
    proposal = await attached(portal, draft.content_id, pdf("New"), "new.pdf")
    assert isinstance(proposal, Proposal)
    assert (await portal.service.changing.content(draft.content_id)).s3_key == released.s3_key
    submitted = await portal.service.lifecycle.submit(CARLA, draft.content_id, Submission(note=NOTE))
    await portal.service.lifecycle.approve(ANNA, draft.content_id, Approval(version=submitted.version))
    assert (await portal.service.changing.content(draft.content_id)).file_name == "new.pdf"


async def test_who_may_download_follows_the_role_table(portal: Portal) -> None:
    draft = await portal.draft()
    await attached(portal, draft.content_id)
    with pytest.raises(NotFound):
        await portal.service.attachments.download(VERA, draft.content_id)
    waiting = await portal.service.lifecycle.submit(CARLA, draft.content_id, Submission())
    assert isinstance(waiting, Content)
    await portal.service.lifecycle.approve(ANNA, draft.content_id, Approval(version=waiting.version))
    seen: list[tuple[Any, str]] = []

    async def count(viewer: Viewer, content: Content) -> None:
        seen.append((viewer.user_id, content.content_id))

    portal.service.attachments.on_download = count
    assert "prices.pdf" in await portal.service.attachments.download(VERA, draft.content_id)
    await portal.service.attachments.download(VERA, draft.content_id, counts=False)
    assert seen == [("vera", draft.content_id)]
    await portal.service.lifecycle.retire(ANNA, draft.content_id, Retirement(reason="It is no longer sold."))
    for viewer in (VERA, CARLA, ANNA):
        with pytest.raises(Forbidden):
            await portal.service.attachments.download(viewer, draft.content_id)
    assert await portal.service.attachments.download(ADMIN, draft.content_id)


async def test_content_without_a_file_has_nothing_to_download(portal: Portal) -> None:
    released = await portal.released()
    with pytest.raises(NotFound, match="no file"):
        await portal.service.attachments.download(VERA, released.content_id)


def an_archive(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return made.getvalue()
