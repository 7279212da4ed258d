"""Finish: what to mend, every format with its file, the test mail, the read-online link."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from markupsafe import Markup
from starlette.responses import Response

from partita.apps.newsletter.api.exports import attachment, download
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import ExportFormat
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.documents import bands
from partita.apps.newsletter.service.documents.mail import CLIP_BYTES
from partita.apps.newsletter.service.exports import Card
from partita.kit.files.content import WEBP
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Problem
from partita.kit.routes import CurrentViewer, Routes

_FINISH = "/editions/{code}/finish"
_SOON = 1.2
"""Seconds to wait for a file that is made quickly, before the page says that it is being made."""


def _address(code: str) -> str:
    return f"/newsletter/editions/{code}/finish"


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    exports = service.exports

    async def shown(viewer: Viewer, code: str) -> dict[str, Any]:
        text = await service.draft.read(viewer, code)
        cards = await exports.cards(text)
        brand = await service.brand.current()
        return {
            "newsletter": text.newsletter,
            "text": text,
            "cards": cards,
            "running": any(card.look.is_open for card in cards),
            "may_write": await service.access.may_write(viewer, text.newsletter),
            "band": Markup(bands.svg(text.newsletter.newsletter_code, brand.colour)),
            "clipped": [card for card in cards if card.name == "email" and _size(card) > CLIP_BYTES],
        }

    @pages.get(_FINISH, Letters.WRITE)
    async def finish(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Export and send it."""
        newsletter = await service.access.newsletter(viewer, code)
        try:
            state = await shown(viewer, code)
        except Problem as missing:
            if missing.status != 409:
                raise
            return render(request, "newsletter/nothing_to_finish.html", newsletter=newsletter)
        return render(
            request,
            "newsletter/finish.html",
            **state,
            mend=await exports.to_mend(state["text"]),
            approval=await service.approval.of(viewer, code),
            link=service.links.address(newsletter),
            mail_is_kept=exports.mail_is_kept,
        )

    @pages.get(f"{_FINISH}/cards", Letters.WRITE)
    async def cards(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """The formats alone, for a page that waits for one of them."""
        return render(request, "newsletter/finish_cards.html", **await shown(viewer, code))

    @pages.post(f"{_FINISH}/{{format}}/make", Letters.WRITE)
    async def make(request: Request, viewer: CurrentViewer, code: str, format: ExportFormat) -> Response:
        """Make a file."""
        async with request.form() as sent:
            short = sent.get("short") == "true"
        look = await exports.start(viewer, code, format, short=short)
        if look.job is not None:
            await service.exports.soon(look.job, _SOON)
        return redirect(f"{_address(code)}#format-{format}")

    @pages.get(f"{_FINISH}/{{format}}/download", Letters.WRITE)
    async def get_file(viewer: CurrentViewer, code: str, format: ExportFormat) -> Response:
        """The file."""
        return download(*await exports.file(viewer, code, format))

    @pages.get(f"{_FINISH}/pdf/cover", Letters.WRITE)
    async def cover(viewer: CurrentViewer, code: str) -> Response:
        """The first page of the PDF; its address has the time when it was made."""
        headers = {"Content-Type": WEBP, "Cache-Control": "private, max-age=86400"}
        return Response(await exports.cover(viewer, code), headers=headers)

    @pages.get(f"{_FINISH}/pdf/pages/{{number}}", Letters.WRITE)
    async def page(viewer: CurrentViewer, code: str, number: int) -> Response:
        """A page of the PDF; its address has the time when it was made."""
        headers = {"Content-Type": WEBP, "Cache-Control": "private, max-age=86400"}
        return Response(await exports.page(viewer, code, number), headers=headers)

    @pages.get(f"{_FINISH}/draft.eml", Letters.WRITE)
    async def open_draft(viewer: CurrentViewer, code: str) -> Response:
        """The mail as it is now, as a draft for one's own mail program."""
        newsletter = await service.access.newsletter(viewer, code)
        made = await exports.draft_mail(viewer, code)
        return attachment(made.data, made.kind, f"{newsletter.title}.eml")

    @pages.post(f"{_FINISH}/test-mail", Letters.WRITE)
    async def test_mail(viewer: CurrentViewer, code: str) -> Response:
        """Send the mail to oneself."""
        try:
            sent_to = await exports.send_test(viewer, code)
        except Problem as refused:
            if refused.status == 404:
                raise
            return redirect(f"{_address(code)}#send", flash=refused.detail, kind="bad")
        told = f"Test mail sent to {sent_to}."
        if exports.mail_is_kept:
            told = f"Not sent: this site sends no mail. The test mail to {sent_to} is in the outbox."
        return redirect(f"{_address(code)}#send", flash=told, kind="info" if exports.mail_is_kept else "good")

    @pages.post(f"{_FINISH}/link", Letters.WRITE)
    async def make_link(viewer: CurrentViewer, code: str) -> Response:
        """Make the read-online link."""
        await service.links.make(viewer, code)
        return redirect(f"{_address(code)}#send", flash="Link created. Anyone who has it can read the newsletter.")

    @pages.get(f"{_FINISH}/link/revoke", Letters.WRITE)
    async def ask_to_revoke(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Ask before the link is revoked."""
        newsletter = await service.access.newsletter(viewer, code, write=True)
        return confirm(
            request,
            f"Revoke the link to “{newsletter.title}”?",
            "The link stops working, and mails that use it lose their pictures.",
            button="Revoke link",
            keep=f"{_address(code)}#send",
        )

    @pages.post(f"{_FINISH}/link/revoke", Letters.WRITE)
    async def revoke(viewer: CurrentViewer, code: str) -> Response:
        """Revoke the link."""
        await service.links.revoke(viewer, code)
        return redirect(f"{_address(code)}#send", flash="Link revoked.", kind="info")


def _size(card: Card) -> int:
    return int(card.made.get("file_size") or 0)
