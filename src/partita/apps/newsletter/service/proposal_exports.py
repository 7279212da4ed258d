"""A proposal as a document: cover, numbered sections, sources, and the checklist as an annex."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.schema import ExportFormat, Proposal
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.brand import Brands
from partita.apps.newsletter.service.documents.by_source import by_source
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.exports import FORMATS
from partita.apps.newsletter.service.documents.model import Block, Document, Table, plain
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.apps.newsletter.service.documents.proposal_phrases import ProposalPhrases, proposal_phrases
from partita.apps.newsletter.service.documents.reading import read_blocks
from partita.apps.newsletter.service.editions import source_keys, source_of
from partita.apps.newsletter.service.exports import Exports, Material
from partita.apps.newsletter.service.proposals import OpenProposal, opened
from partita.apps.newsletter.service.proposing.budgets import amount_of
from partita.apps.newsletter.service.proposing.requirements import GROUPS
from partita.apps.newsletter.service.steps import Look
from partita.kit.files import StoredFile
from partita.kit.jobs import JobFailed
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.table import Update, Write

PROPOSAL_FORMATS: tuple[ExportFormat, ...] = ("docx", "pdf", "html", "md")


class ProposalExports:
    """Makes files of proposals through the step that makes those of newsletters."""

    def __init__(self, kit: Kit, access: Access, brands: Brands, exports: Exports) -> None:
        self._kit = kit
        self._access = access
        self._brands = brands
        self._exports = exports
        exports.use("PROP", self._load)

    async def start(self, viewer: Viewer, code: str, wanted: ExportFormat) -> Look:
        """Make a file."""
        if wanted not in PROPOSAL_FORMATS:
            raise NotFound("A proposal is exported as Word, PDF, web page or Markdown.", code="no_such_format")
        return await self._exports.start(viewer, code, wanted)

    async def file(self, viewer: Viewer, code: str, wanted: ExportFormat) -> tuple[StoredFile, str]:
        """The file, and the name to save it under."""
        proposal = await self._access.proposal(viewer, code)
        made = as_plain(proposal.exports).get(wanted)
        if not isinstance(made, dict) or not made.get("s3_key"):
            raise NotFound("This format has not been made yet.", code="not_made")
        return await self._kit.files.load(str(made["s3_key"])), f"{proposal.title}.{FORMATS[wanted].ending}"

    async def _load(self, code: str, wanted: ExportFormat) -> Material:
        proposal = await find(self._kit.store, schema.proposal, code)
        if proposal is None:
            raise JobFailed("The proposal was deleted meanwhile.")
        there = opened(proposal)
        theme: Any = there.metadata.get("theme")
        edition = Edition(
            document=document_of(there),
            theme_name=theme if theme in ("journal", "bulletin", "field", "letter") else "journal",
            # A sign-off such as "Until next week" is for a newsletter's readers.
            brand=replace(await self._brands.for_editions(), sign_off=""),
        )

        def noted(made: dict[str, Any]) -> Write:
            made = {**made, "warnings": [*there.warnings, *made.get("warnings", ())][:20]}
            if proposal.exports:
                return Update(proposal.own_key, Proposal.exports[wanted].set(made))
            return Update(proposal.own_key, Proposal.exports.set({wanted: made})).unless_changed(
                proposal, Proposal.exports
            )

        return Material(edition, proposal.revision, f"proposals/{code}", noted, marks=False)


def document_of(there: OpenProposal) -> Document:
    """The proposal as every format sees it."""
    proposal, metadata = there.proposal, there.metadata
    language = str(metadata.get("language") or "en")
    parts = [f"# {_one_line(each.title)}\n\n{_lowered(each.text)}" for each in there.sections if each.text.strip()]
    words = proposal_phrases(language)
    if there.requirements and there.metadata.get("annex") != "no":
        parts.append(_checklist(there, words))
    amount = metadata.get("amount")
    facts = [
        (words.applicant, str(metadata.get("applicant") or proposal.user_name)),
        (words.funder, str(metadata.get("funder") or "")),
        (words.call, str(metadata.get("call_url") or "")),
        (words.amount, f"{int(amount):,} {metadata.get('currency') or ''}".strip() if amount else ""),
        (words.deadline, phrases(language).day(there.deadline or "")),
    ]
    written = Document(
        title=proposal.title,
        blocks=tuple(map(numbers_right, read_blocks("\n\n".join(parts), language))),
        sources=tuple(source_of(each) for each in as_plain(proposal.citations)),
        language=language,
        code=proposal.proposal_code,
        date=proposal.updated_at[:10],
        facts=tuple((label, value) for label, value in facts if value),
        numbered=True,
    )
    return by_source(written, source_keys(proposal.citations))


def numbers_right(block: Block) -> Block:
    """Columns that are mostly numbers stand below each other, unless somebody has aligned them."""
    if not isinstance(block, Table) or not block.rows:
        return block
    alignments = list(block.alignments)
    for column, alignment in enumerate(block.alignments):
        cells = [plain(row[column]).strip() for row in block.rows]
        numbers = sum(amount_of(cell) is not None for cell in cells)
        if not alignment and numbers and numbers * 2 > sum(bool(cell) for cell in cells):
            alignments[column] = "right"
    return replace(block, alignments=tuple(alignments))


def _checklist(there: OpenProposal, words: ProposalPhrases) -> str:
    """The annex: every requirement in its words, where it stands in the call, and where it is answered."""
    titles = {each.key: each.title for each in there.sections}
    listed = [each for group in GROUPS for each in there.requirements if each.group == group]
    paged = any(each.page is not None for each in listed)  # else the table has no such column
    heads = (words.requirement, *((words.page,) if paged else ()), words.answered_in, words.done)
    lines = [f"# {words.annex}", "", f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for each in listed:
        page = (str(each.page) if each.page is not None else "",) if paged else ()
        done = words.ticked if each.done else words.unticked
        lines.append(f"| {' | '.join((_cell(each.text), *page, _cell(titles.get(each.section, '')), done))} |")
    return "\n".join(lines)


def _lowered(text: str) -> str:
    """Headings of a section's text are below the section's own, whether they begin with one `#` or with two."""
    return re.sub("^##?(?=#* )", "###", text, flags=re.MULTILINE)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _one_line(text).replace("|", "/").replace("[", "\\[")
