"""Exports: the edition as a file in every format, made by a step, kept under the document's key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, as_stored
from partita.apps.newsletter.schema import Draft, ExportFormat, Newsletter
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.documents.edition import Edition, Export
from partita.apps.newsletter.service.documents.eml import mail_draft
from partita.apps.newsletter.service.documents.exports import FORMAT_TYPES, FORMATS, FormatFacts, export
from partita.apps.newsletter.service.documents.mail import mail_edition
from partita.apps.newsletter.service.documents.plain_text import plain_text
from partita.apps.newsletter.service.draft import Drafts, DraftText
from partita.apps.newsletter.service.editions import Editions
from partita.apps.newsletter.service.files import pages_of
from partita.apps.newsletter.service.mending import Mend, to_mend
from partita.apps.newsletter.service.readiness import Readiness
from partita.apps.newsletter.service.steps import Look, Step, Steps, Work
from partita.kit.clock import stamp
from partita.kit.files import StoredFile
from partita.kit.files.content import WEBP
from partita.kit.jobs import Job, JobFailed
from partita.kit.jobs.child import ChildError, ChildMemoryError, ChildTimeoutError
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.mail import Message
from partita.kit.permissions import Viewer
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.thumbnails import page_pictures, thumbnail_of
from partita.kit.problems import Conflict, NotFound
from partita.table import Update, Write

TEST_MAILS = Rule("newsletter-test-mail", most=20, seconds=3600)
_SECONDS = 240.0
_COVER_WIDTH = 228
_MOST_NOTES = 100
_PAGE_WIDTH = 900
_MOST_PAGES = 40
"""Of how many pages of a PDF there are pictures."""


@dataclass(frozen=True, slots=True)
class Material:
    """What an export is made of, and the write that notes it."""

    edition: Edition
    revision: int
    folder: str
    """`newsletters/NL-…`: where its files are."""
    noted: Callable[[dict[str, Any]], Write]
    """The write that stores what is known of the file under its format."""
    marks: bool = True
    """Whether the subject becomes `exported`."""
    pages: tuple[str, ...] = ()
    """The pictures of pages that the last PDF has."""


class Loader(Protocol):
    """Reads a subject (a newsletter, a proposal) for an export."""

    def __call__(self, code: str, wanted: ExportFormat) -> Awaitable[Material]: ...


@dataclass(frozen=True, slots=True)
class Card:
    """A format on the page Finish."""

    facts: FormatFacts
    look: Look
    made: Mapping[str, Any] = field(default_factory=dict)
    behind: int = 0
    """How many edits have been saved since it was made."""
    main: bool = False
    """Whether it is the format that the configuration asks for."""

    @property
    def name(self) -> ExportFormat:
        return self.facts.name

    @property
    def step(self) -> str:
        return f"export-{self.facts.name}"


class Exports:
    """Makes files of editions, and finds them again."""

    def __init__(
        self, kit: Kit, access: Access, drafts: Drafts, editions: Editions, steps: Steps, readiness: Readiness
    ) -> None:
        self._kit = kit
        self._access = access
        self._drafts = drafts
        self._editions = editions
        self._steps = steps
        self._readiness = readiness
        self._loaders: dict[str, Loader] = {"NL": self._newsletter}

    def use(self, prefix: str, loader: Loader) -> None:
        """Let subjects of another kind be exported: `PROP` for proposals."""
        self._loaders[prefix] = loader

    def step(self) -> Step:
        """The step for all formats."""
        return Step("export", self._run, ready=self._ready, seconds=_SECONDS, limited=False)

    # -- looking

    async def cards(self, text: DraftText) -> tuple[Card, ...]:
        """Every format, the one that the configuration asks for first."""
        newsletter, draft = text.newsletter, text.draft
        looks = await self._steps.looks(newsletter.newsletter_code)
        wanted = FORMAT_TYPES[newsletter.format_type]
        made = as_plain(draft.exports)
        cards = [
            Card(
                facts,
                looks[f"export-{name}"],  # type: ignore[index]
                made.get(name) if isinstance(made.get(name), dict) else {},
                max(0, draft.revision - int((made.get(name) or {}).get("revision") or draft.revision)),
                name == wanted,
            )
            for name, facts in FORMATS.items()
        ]
        return tuple(sorted(cards, key=lambda card: not card.main))

    async def one(self, viewer: Viewer, code: str, wanted: ExportFormat) -> Card:
        """A format of a newsletter that the viewer may read."""
        text = await self._drafts.read(viewer, code)
        return next(card for card in await self.cards(text) if card.name == wanted)

    async def file(self, viewer: Viewer, code: str, wanted: ExportFormat) -> tuple[StoredFile, str]:
        """The file, and the name to save it under."""
        text = await self._drafts.read(viewer, code)
        made = as_plain(text.draft.exports).get(wanted)
        if not isinstance(made, dict) or not made.get("s3_key"):
            raise NotFound("This format has not been made yet.", code="not_made")
        file = await self._kit.files.load(str(made["s3_key"]))
        newsletter = text.newsletter
        name = " ".join(part for part in (newsletter.title, newsletter.issue_label) if part)
        mail = " (mail)" if wanted == "email" else ""
        return file, f"{name}{mail}.{FORMATS[wanted].ending}"

    async def cover(self, viewer: Viewer, code: str) -> bytes:
        """The first page of the PDF, as a small picture."""
        file, _ = await self.file(viewer, code, "pdf")
        return (await thumbnail_of(file.data, width=_COVER_WIDTH, height=2 * _COVER_WIDTH)).data

    async def page(self, viewer: Viewer, code: str, number: int) -> bytes:
        """A picture of a page of the PDF, as it was when the PDF was made."""
        text = await self._drafts.read(viewer, code)
        names = pages_of(as_plain(text.draft.exports).get("pdf"))
        if not 1 <= number <= len(names):
            raise NotFound("There is no picture of this page.", code="no_such_page")
        return (await self._kit.files.load(names[number - 1])).data

    async def to_mend(self, text: DraftText) -> tuple[Mend, ...]:
        """What should be mended before it goes out, each with the place where that is done."""
        query = schema.notes_on(text.newsletter.newsletter_code)
        notes = (await self._kit.store.page(query, limit=_MOST_NOTES)).items
        return to_mend(text, await self._editions.of(text, pictures=False), notes)

    # -- making

    async def start(self, viewer: Viewer, code: str, wanted: ExportFormat, *, short: bool = False) -> Look:
        """Make a file; while one is being made, that one is waited for."""
        inputs = {"key": wanted, **({"short": True} if short else {})}
        return await self._steps.start(viewer, code, f"export-{wanted}", inputs=inputs)  # type: ignore[arg-type]

    async def soon(self, job: Job, seconds: float) -> None:
        """Wait for a file that is made quickly."""
        await self._kit.jobs.ended_within(job, seconds)

    @property
    def mail_is_kept(self) -> bool:
        """Whether this site sends no mail and keeps it for administrators instead."""
        return self._kit.settings.mail == "outbox"

    async def send_test(self, viewer: Viewer, code: str) -> str:
        """Send the mail to whoever asks, or keep it if this site sends none; and say to whom it is addressed."""
        text = await self._drafts.read(viewer, code)
        account = await self._kit.accounts.people.find(viewer.id)
        if account is None or not account.email:
            raise Conflict("Your account has no email address. Add one to your profile first.", code="no_email")
        await self._kit.limits.check(TEST_MAILS, viewer.id)
        edition = await self._editions.of(text)
        message = Message(
            to=account.email,
            subject=f"Test: {edition.document.title}",
            text=plain_text(edition),
            html=mail_edition(edition).data.decode(),
        )
        await self._kit.mail.send(message)
        return account.email

    async def draft_mail(self, viewer: Viewer, code: str) -> Export:
        """The mail as a draft for one's own mail program, made at once."""
        edition = await self._editions.of(await self._drafts.read(viewer, code))
        return mail_draft(edition)

    async def _ready(self, code: str, inputs: Mapping[str, Any]) -> None:
        if code.startswith("NL-"):
            await self._readiness.export(code, inputs)

    async def _run(self, work: Work) -> None:
        wanted: Any = work.step.removeprefix("export-")
        facts = FORMATS[wanted]
        await work.progress("Reading the text", done=0, total=3)
        material = await self._loaders[work.subject.partition("-")[0]](work.subject, wanted)
        await work.progress(f"Setting the {facts.title}", done=1, total=3)
        try:
            made = await export(material.edition, wanted, short=bool(work.inputs.get("short")))
        except ChildTimeoutError as error:
            raise JobFailed("The edition takes too long to set. Make it shorter, or its pictures smaller.") from error
        except ChildMemoryError as error:
            raise JobFailed("The edition needs too much memory. Make its pictures smaller.") from error
        except ChildError as error:
            raise RuntimeError(f"The {facts.title} could not be made: {error}") from error
        await work.progress("Keeping the file", done=2, total=3)
        key = f"{material.folder}/{facts.file}"
        await self._kit.files.save(key, made.data, made.kind)
        pages = await self._page_pictures(material.folder, made.data) if wanted == "pdf" and material.marks else ()
        noted = {
            "s3_key": key,
            "generated_at": stamp(self._kit.clock),
            "file_size": len(made.data),
            "revision": material.revision,
            "theme": material.edition.theme_name,
            "warnings": list(made.warnings),
            **({"pages": made.pages} if made.pages is not None else {}),
            **({"page_keys": list(pages)} if pages else {}),
        }
        marked = (Newsletter.status.set("exported"),) if material.marks else ()
        await work.finish(material.noted(as_stored(noted)), message=f"{facts.title} made.", metadata=marked)
        for name in material.pages if wanted == "pdf" else ():
            if name not in pages:
                await self._kit.files.delete(name)

    async def _page_pictures(self, folder: str, pdf: bytes) -> tuple[str, ...]:
        """Pictures of the pages of a PDF, for whoever looks at it beside the text; their names."""
        try:
            pictures = await page_pictures(pdf, width=_PAGE_WIDTH, most=_MOST_PAGES)
        except PreviewRefused:
            return ()  # the file is there all the same
        names = tuple(f"{folder}/pages/{number}.webp" for number in range(1, len(pictures) + 1))
        for name, picture in zip(names, pictures, strict=True):
            await self._kit.files.save(name, picture, WEBP)
        return names

    async def _newsletter(self, code: str, wanted: ExportFormat) -> Material:
        text = await self._drafts.stored(code)
        draft = text.draft

        if not draft.exports:  # several formats may be made at once, and each writes its own entry of the map
            await self._kit.store.write(Update(draft.own_key, Draft.exports.set_if_missing({})))

        def noted(made: dict[str, Any]) -> Write:
            return Update(draft.own_key, Draft.exports[wanted].set(made))

        pages = pages_of(as_plain(draft.exports).get("pdf"))
        return Material(await self._editions.of(text), draft.revision, f"newsletters/{code}", noted, pages=pages)
