"""Exports over HTTP: making them, what is known of them, the files, and the test mail."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.newsletter.api.steps import StepView, accepted, step_view
from partita.apps.newsletter.inputs import NewExport
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import ExportFormat
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.documents.eml import EML
from partita.apps.newsletter.service.exports import Card
from partita.kit.answers import Json
from partita.kit.files import StoredFile
from partita.kit.files.content import DOCX
from partita.kit.files.headers import safe_headers
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_EXPORTS = "/newsletters/{code}/exports"
_BYTES = {"schema": {"type": "string", "format": "binary"}}
_KINDS = ("application/pdf", DOCX, "text/html", EML, "text/markdown")
FILE: dict[int | str, dict[str, Any]] = {200: {"description": "The file.", "content": dict.fromkeys(_KINDS, _BYTES)}}


class ExportView(View):
    """A format of a newsletter."""

    model_config = ConfigDict(alias_generator=None)

    format: str
    s3_key: str | None = Field(description="Where the file is kept; null before it was made.")
    generated_at: str | None
    file_size: int | None
    revision: int | None = Field(description="The revision of the draft that it shows.")
    theme: str | None
    pages: int | None
    warnings: list[str]
    behind: int = Field(description="How many edits have been saved since it was made.")
    step: StepView


class SentView(View):
    """Where a test mail went."""

    model_config = ConfigDict(alias_generator=None)

    sent_to: str
    kept: bool = Field(description="True if this site sends no mail: it is in the outbox, for administrators to read.")


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    exports = service.exports

    @api.post(_EXPORTS, Letters.WRITE, status_code=202, response_model=StepView, refuses=[403, 404, 409, 422, 429])
    async def make_export(viewer: CurrentViewer, code: str, wanted: NewExport) -> Json:
        """Make a file of the edition as it is now."""
        look = await exports.start(viewer, code, wanted.format, short=wanted.short)
        return accepted(code, step_view(look))

    @api.get(_EXPORTS, Letters.WRITE, response_model=list[ExportView], refuses=[404, 409])
    async def list_exports(viewer: CurrentViewer, code: str) -> Json:
        """Every format, made or not; the one that the configuration asks for first."""
        text = await service.draft.read(viewer, code)
        return Json([_view(card) for card in await exports.cards(text)])

    @api.get(f"{_EXPORTS}/{{format}}", Letters.WRITE, response_model=ExportView, refuses=[404, 409, 422])
    async def get_export(viewer: CurrentViewer, code: str, format: ExportFormat) -> Json:
        """What is known of a format."""
        return Json(_view(await exports.one(viewer, code, format)))

    @api.get(
        f"{_EXPORTS}/{{format}}/file",
        Letters.WRITE,
        response_class=Response,
        responses=FILE,
        refuses=[404, 409, 422],
    )
    async def get_export_file(viewer: CurrentViewer, code: str, format: ExportFormat) -> Response:
        """The file."""
        return download(*await exports.file(viewer, code, format))

    @api.post("/newsletters/{code}/test-mail", Letters.WRITE, response_model=SentView, refuses=[404, 409, 429, 503])
    async def send_test_mail(viewer: CurrentViewer, code: str) -> Json:
        """Send the mail to your own address."""
        return Json({"sent_to": await exports.send_test(viewer, code), "kept": exports.mail_is_kept})


def download(file: StoredFile, name: str) -> Response:
    """A file to save. Nobody keeps a copy: the same address has another file after the next export."""
    return attachment(file.data, file.content_type, name)


def attachment(data: bytes, kind: str, name: str) -> Response:
    """Something to save under a name."""
    headers = safe_headers(kind, download_as=name) | {"Content-Type": kind, "Cache-Control": "private, no-store"}
    return Response(data, headers=headers)


def _view(card: Card) -> dict[str, Any]:
    made = {name: card.made.get(name) for name in ("s3_key", "generated_at", "file_size", "revision", "theme", "pages")}
    return {
        "format": card.name,
        **made,
        "warnings": list(card.made.get("warnings") or ()),
        "behind": card.behind,
        "step": step_view(card.look),
    }
