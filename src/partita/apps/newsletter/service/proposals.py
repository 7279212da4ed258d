"""Proposals: one item each, with sections, a checklist and files on a shelf of its own."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypeVar
from uuid import uuid4

import orjson
from pydantic import BaseModel, ConfigDict

from partita.apps.newsletter import formats, schema
from partita.apps.newsletter.inputs import (
    NewProposal,
    NewProposalSection,
    NewRequirement,
    ProposalEdit,
    ProposalSectionEdit,
    ProposalSectionText,
    RequirementEdit,
)
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Proposal, Share, TextVersion
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.bookkeeping import changed
from partita.apps.newsletter.service.draft import TextChanged
from partita.apps.newsletter.service.editing.citations import unresolved
from partita.apps.newsletter.service.editing.comparing import normal
from partita.apps.newsletter.service.editing.lengths import word_count
from partita.apps.newsletter.service.editing.sections import document
from partita.apps.newsletter.service.history import restored_texts
from partita.apps.newsletter.service.newsletters import CodeTaken, folded_words
from partita.apps.newsletter.service.proposing.budgets import Budget, budgets_in
from partita.apps.newsletter.service.proposing.frames import (
    MOST_SECTIONS,
    ProposalSection,
    read_sections,
    sections_of_frame,
    stored_sections,
)
from partita.apps.newsletter.service.proposing.page_limits import too_many_pages
from partita.apps.newsletter.service.proposing.requirements import (
    MOST_REQUIREMENTS,
    Requirement,
    read_requirements,
)
from partita.apps.newsletter.service.proposing.states import check_move, is_editable
from partita.apps.newsletter.service.versions import VersionSummary, revision_of_unkept
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import follow_page
from partita.kit.permissions import Viewer, authorize, refuse_withheld
from partita.kit.problems import Conflict, Forbidden, NotFound, TooLarge
from partita.store.store import AsyncStore
from partita.table import Delete, Page, Put, Query, Transaction, Update, Write
from partita.table.types import timestamp
from partita.table.versions import next_version

MAKING = Rule("newsletter-proposals", most=60, seconds=3600)
MOST_CHARACTERS = 200_000
MOST_METADATA = 60_000
_TRIES = 20
_TOUCHED_EVERY = timedelta(minutes=1)
_WINDOW_MINUTES = 10
_NAMED = 4
"""How many empty sections are named before the rest is counted."""
_THIN = 0.25
"""A section with less than this share of its words is hardly written."""
M = TypeVar("M", bound=BaseModel)
Sort = Literal["due", "touched", "created"]
FACTS = ("applicant", "funder", "call_url", "deadline", "amount", "currency", "language", "theme", "annex")


@dataclass(frozen=True, slots=True)
class SectionState:
    """A section with its text and what is open in it."""

    section: ProposalSection
    text: str
    words: int
    requirements: tuple[Requirement, ...]
    unresolved: tuple[int, ...] = ()
    """Numbers in it that lead to no source."""

    @property
    def key(self) -> str:
        return self.section.key

    @property
    def title(self) -> str:
        return self.section.title

    @property
    def over(self) -> int:
        """By how many words it is too long."""
        return max(0, self.words - self.section.limit) if self.section.limit else 0

    @property
    def thin(self) -> bool:
        """Whether it has a text that is far shorter than it should be; a table says much in few words."""
        return 0 < self.words < _THIN * self.section.limit and not self.budgets

    @property
    def open(self) -> int:
        """How many of its requirements are not ticked."""
        return sum(not each.done for each in self.requirements)

    @property
    def budgets(self) -> tuple[Budget, ...]:
        return budgets_in(self.text)


@dataclass(frozen=True, slots=True)
class OpenProposal:
    """A proposal with everything that its pages show."""

    proposal: Proposal
    sections: tuple[SectionState, ...]
    requirements: tuple[Requirement, ...]
    metadata: Mapping[str, Any]

    def one(self, key: str) -> SectionState:
        """A section by its key; refused if there is none."""
        for each in self.sections:
            if each.key == key:
                return each
        raise NotFound("This proposal has no such section.", code="no_such_section")

    @property
    def words(self) -> int:
        return sum(each.words for each in self.sections)

    @property
    def done(self) -> int:
        return sum(each.section.done for each in self.sections)

    @property
    def open_requirements(self) -> int:
        return sum(not each.done for each in self.requirements)

    @property
    def editable(self) -> bool:
        return is_editable(self.proposal.status)

    @property
    def deadline(self) -> str | None:
        return formats.deadline_of(self.metadata)

    @property
    def files(self) -> dict[str, list[dict[str, Any]]]:
        return files_of(self.proposal)

    @property
    def pages(self) -> int | None:
        """How many pages the PDF has that was made of this very text."""
        made = formats.as_plain(self.proposal.exports).get("pdf")
        current = isinstance(made, Mapping) and made.get("revision") == self.proposal.revision
        return int(made.get("pages") or 0) or None if current else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should be mended before it is sent."""
        found = []
        if self.open_requirements:
            found.append(f"{_count(self.open_requirements, 'requirement')} of the call not ticked.")
        for each in self.sections:
            if each.over:
                found.append(f"“{each.title}” has {each.over:,} words too many.")
            if each.thin:
                found.append(f"“{each.title}” has {each.words:,} of about {_count(each.section.limit, 'word')}.")
            found += [f"“{each.title}”: {fault}" for budget in each.budgets for fault in budget.faults]
        found += too_many_pages(self.requirements, self.words, self.pages)
        empty = [each.title for each in self.sections if not each.text.strip()]
        if empty:
            rest = f" and {len(empty) - _NAMED} more" if len(empty) > _NAMED else ""
            found.append(f"{_count(len(empty), 'section')} without text: {', '.join(empty[:_NAMED])}{rest}.")
        return tuple(found)


class ProposalSummary(BaseModel):
    """A proposal as lists show it, without its texts."""

    model_config = ConfigDict(frozen=True)

    proposal_code: str
    title: str
    description: str
    status: str
    user_id: str
    user_name: str
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    revision: int

    @property
    def funder(self) -> str:
        return str(self.metadata.get("funder") or "")

    @property
    def deadline(self) -> str | None:
        return formats.deadline_of(self.metadata)

    @property
    def sections(self) -> int:
        return len(read_sections(self.metadata, {}))

    @property
    def done(self) -> int:
        return sum(each.done for each in read_sections(self.metadata, {}))

    @property
    def open_requirements(self) -> int:
        return sum(not each.done for each in read_requirements(formats.as_plain(self.metadata)))

    def has_words(self, words: Sequence[str]) -> bool:
        """Whether title, description, funder or code have all of them, as parts of words too."""
        text = " ".join((self.title, self.description, self.funder, self.proposal_code))
        folded = unicodedata.normalize("NFKC", text).casefold()
        return all(word in folded for word in words)

    def overdue(self, today: str) -> bool:
        """Whether its day is over and it was never sent."""
        return self.deadline is not None and self.deadline < today and is_editable(self.status)


class Proposals:
    """Everything about a proposal as one thing."""

    def __init__(self, kit: Kit, access: Access) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access

    def today(self) -> date:
        """The day by which deadlines are counted."""
        return self._kit.clock.now().date()

    # -- making

    async def create(
        self, viewer: Viewer, new: NewProposal, sections: Sequence[ProposalSection] | None = None
    ) -> Proposal:
        """A proposal with the sections of its frame, or with the given ones."""
        authorize(viewer, Letters.PROPOSE)
        await self._kit.limits.check(MAKING, viewer.id)
        account = await self._kit.accounts.people.find(viewer.id)
        now = timestamp(self._kit.clock.now())
        made = sections_of_frame(new.frame, new.language) if sections is None else tuple(sections)
        facts = {name: getattr(new, name) for name in FACTS}
        own = formats.as_stored(new.metadata)
        metadata = {**own, "frame": new.frame, "sections": stored_sections(made), **_stored_facts(facts)}
        _check_texts(new.text_inputs)
        proposal = Proposal(
            id=str(uuid4()),
            proposal_code=formats.proposal_code(self._kit.clock.now()),
            title=new.title,
            description=new.description,
            user_id=viewer.id,
            user_email=(account.email if account is not None else None) or "",
            user_name=viewer.name,
            text_inputs=dict(new.text_inputs),
            metadata=_bounded(metadata),
            created_at=now,
            updated_at=now,
            touched_at=now,
        )
        for _ in range(_TRIES):
            try:
                await self._store.write(Put(proposal).if_new().otherwise(CodeTaken()))
            except CodeTaken:
                code = formats.proposal_code(self._kit.clock.now())
                proposal = proposal.with_(Proposal.proposal_code(code))
            else:
                return proposal
        raise CodeTaken(f"{_TRIES} codes of today were taken one after the other")

    # -- reading

    async def read(self, viewer: Viewer, code: str, *, write: bool = False) -> OpenProposal:
        """A proposal that the viewer may read, or write."""
        return opened(await self._access.proposal(viewer, code, write=write))

    async def page(
        self,
        viewer: Viewer,
        sort: Sort = "touched",
        *,
        words: str = "",
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[ProposalSummary]:
        """The viewer's own: by deadline (those that have one), last edited or newest first; with words, those that have
        all of them. Texts are not read."""
        query = {
            "due": schema.proposals_due,
            "touched": schema.proposals_touched,
            "created": schema.proposals_of,
        }[sort](viewer.id)
        shown = query.shown_as(ProposalSummary)
        wanted = folded_words(words)
        if not wanted:
            return await self._store.page(shown, limit=limit, after=cursor)

        async def follow(some: Sequence[ProposalSummary]) -> list[ProposalSummary]:
            return [each for each in some if each.has_words(wanted)]

        return await follow_page(self._store, shown, follow, limit=limit, after=cursor)

    async def without_deadline(
        self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None
    ) -> Page[ProposalSummary]:
        """The viewer's own that nobody has given a deadline, last edited first."""
        query = schema.proposals_touched(viewer.id).where(Proposal.due_at.missing()).shown_as(ProposalSummary)
        return await self._store.page(query, limit=limit, after=cursor)

    async def shared(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[ProposalSummary]:
        """What others have shared with the viewer, newest share first; those that are gone are left out. Texts are not
        read."""
        query = shared_proposals(viewer.id)

        async def follow(shares: Sequence[Share]) -> list[ProposalSummary]:
            return await in_list(self._store, (share.code for share in shares), ProposalSummary)

        return await follow_page(self._store, query, follow, limit=limit, after=cursor)

    # -- changing

    async def edit(self, viewer: Viewer, code: str, edit: ProposalEdit) -> OpenProposal:
        """Change its facts."""

        def change(before: OpenProposal) -> Proposal:
            edit.check_revision(before.proposal.revision)
            changes = dict(edit.changes)
            own: dict[str, Any] = {name: changes.pop(name) for name in ("title", "description") if name in changes}
            texts, others = changes.pop("text_inputs", {}), formats.as_stored(changes.pop("metadata", {}))
            kept = {name: value for name, value in before.proposal.metadata.items() if name not in changes}
            metadata = {**kept, **others, **_stored_facts(changes)}
            after = before.proposal.model_copy(update={**own, "metadata": _bounded(metadata)})
            for key, text in texts.items():
                after = with_text(after, key, text)
            if len(opened(after).sections) > MOST_SECTIONS:
                raise TooLarge(f"At most {MOST_SECTIONS} sections.")
            return after

        return await self.change(viewer, code, change, keep="text_inputs" in edit.model_fields_set)

    async def save_section(self, viewer: Viewer, code: str, key: str, edit: ProposalSectionText) -> OpenProposal:
        """Replace the text of a section, unless somebody else has changed it since it was opened."""

        def change(before: OpenProposal) -> Proposal:
            theirs = before.one(key).text
            stale = edit.revision != before.proposal.revision
            seen = edit.base is not None and normal(edit.base) == normal(theirs)
            if stale and not seen and normal(edit.text) != normal(theirs):
                raise TextChanged(before.proposal, edit.text, theirs, edit.base)
            if normal(edit.text) == normal(theirs):
                return before.proposal
            return with_text(before.proposal, key, edit.text)

        return await self.change(viewer, code, change, keep=True)

    async def add_section(self, viewer: Viewer, code: str, new: NewProposalSection) -> str:
        """A section at the end; its key."""
        key = ""

        def change(before: OpenProposal) -> Proposal:
            nonlocal key
            if len(before.sections) >= MOST_SECTIONS:
                raise TooLarge(f"At most {MOST_SECTIONS} sections.")
            key = formats.section_key(new.title, [each.key for each in before.sections])
            added = ProposalSection(key, new.title, new.guidance, new.word_limit)
            return with_sections(before.proposal, [*(each.section for each in before.sections), added])

        await self.change(viewer, code, change)
        return key

    async def edit_section(self, viewer: Viewer, code: str, key: str, edit: ProposalSectionEdit) -> OpenProposal:
        """Rename, limit, tick or move a section."""

        def change(before: OpenProposal) -> Proposal:
            before.one(key)
            changes = dict(edit.changes)
            move = changes.pop("move", None)
            if "word_limit" in changes:
                changes["limit"] = changes.pop("word_limit")
            sections = [
                replace(each.section, **changes) if each.key == key else each.section for each in before.sections
            ]
            at = next(place for place, each in enumerate(sections) if each.key == key)
            other = at + {"up": -1, "down": 1}.get(move or "", 0)
            if 0 <= other < len(sections):
                sections[at], sections[other] = sections[other], sections[at]
            return with_sections(before.proposal, sections)

        return await self.change(viewer, code, change)

    async def remove_section(self, viewer: Viewer, code: str, key: str) -> OpenProposal:
        """Take a section out; its text stays in the history."""

        def change(before: OpenProposal) -> Proposal:
            before.one(key)
            left = [each.section for each in before.sections if each.key != key]
            texts = {name: text for name, text in before.proposal.text_inputs.items() if name != key}
            changed = with_sections(before.proposal, left)
            requirements = [
                replace(each, section="" if each.section == key else each.section) for each in before.requirements
            ]
            ways = {name: how for name, how in before.proposal.made_with.items() if name != key}
            return with_requirements(changed, requirements).model_copy(update={"text_inputs": texts, "made_with": ways})

        return await self.change(viewer, code, change, keep=True)

    async def set_status(self, viewer: Viewer, code: str, status: str) -> OpenProposal:
        """Take it a step further, or back."""

        def change(before: OpenProposal) -> Proposal:
            check_move(before.proposal.status, status)
            return before.proposal.model_copy(update={"status": status})

        return await self.change(viewer, code, change, always=True)

    # -- requirements

    async def add_requirement(self, viewer: Viewer, code: str, new: NewRequirement) -> OpenProposal:
        """A requirement that the call does not have in so many words."""

        def change(before: OpenProposal) -> Proposal:
            if len(before.requirements) >= MOST_REQUIREMENTS:
                raise TooLarge(f"At most {MOST_REQUIREMENTS} requirements.")
            if new.section:
                before.one(new.section)
            added = Requirement(f"own-{self._kit.ids.new()[-10:]}", new.text, None, "content", new.section)
            return with_requirements(before.proposal, [*before.requirements, added])

        return await self.change(viewer, code, change)

    async def edit_requirement(self, viewer: Viewer, code: str, wanted: str, edit: RequirementEdit) -> OpenProposal:
        """Tick a requirement, or tie it to a section."""

        def change(before: OpenProposal) -> Proposal:
            changes = edit.changes
            if changes.get("section"):
                before.one(changes["section"])
            if wanted not in {each.id for each in before.requirements}:
                raise NotFound("There is no such requirement.", code="no_such_requirement")
            rows = [replace(each, **changes) if each.id == wanted else each for each in before.requirements]
            return with_requirements(before.proposal, rows)

        return await self.change(viewer, code, change)

    async def remove_requirement(self, viewer: Viewer, code: str, wanted: str) -> OpenProposal:
        """A sentence that asks for nothing goes."""

        def change(before: OpenProposal) -> Proposal:
            return with_requirements(before.proposal, [each for each in before.requirements if each.id != wanted])

        return await self.change(viewer, code, change)

    # -- history

    async def history(
        self, viewer: Viewer, code: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[VersionSummary]:
        """The versions of its text, newest first, without their texts."""
        await self._access.proposal(viewer, code)
        return await self._store.page(schema.text_versions(code).shown_as(VersionSummary), limit=limit, after=cursor)

    async def version(self, viewer: Viewer, code: str, revision: int) -> TextVersion:
        """One version, whole."""
        await self._access.proposal(viewer, code)
        found = await self._store.get(schema.text_version(code, revision))
        if found is None:
            raise NotFound("There is no such version.", code="no_such_version")
        return found

    async def restore(self, viewer: Viewer, code: str, revision: int) -> OpenProposal:
        """Make the text what it was; what it is now stays in the history. Numbers cite what they cited then."""
        version = await self.version(viewer, code, revision)

        def change(before: OpenProposal) -> Proposal:
            then = {key: text if isinstance(text, str) else str(text) for key, text in version.sections.items()}
            texts, citations = restored_texts(then, version.citations, before.proposal.citations)
            return before.proposal.model_copy(update={"text_inputs": texts, "citations": citations})

        return await self.change(viewer, code, change, keep=True, restored=True)

    # -- writing

    async def change(
        self,
        viewer: Viewer,
        code: str,
        change: Callable[[OpenProposal], Proposal],
        *writes: Write,
        keep: bool = False,
        restored: bool = False,
        always: bool = False,
    ) -> OpenProposal:
        """Any change of a proposal, on condition that nobody was faster; `keep` notes the text in the history. What was
        submitted stays as it was, unless the change is one of status (`always`)."""

        async def attempt() -> OpenProposal:
            before = opened(await self._access.proposal(viewer, code, write=True))
            if not always and not before.editable:
                raise Conflict(
                    "It was submitted, so its text stays as it is. Archive it, or start a new one.", code="submitted"
                )
            after = change(before)
            if after == before.proposal and not writes:
                return before
            _check_texts(after.text_inputs)
            now = self._kit.clock.now()
            after = after.model_copy(update={"updated_at": timestamp(now), **_touched(before.proposal, now)})
            kept: Sequence[Write] = ()
            if keep:
                after, kept = await self._kept(viewer, before, after, "restored" if restored else "saved")
            else:
                after = next_version(after)
            await self._store.transact(Transaction(_saved(before.proposal, after), *kept, *writes))
            return opened(after)

        return await self._store.attempt(attempt)

    async def _kept(
        self, viewer: Viewer, before: OpenProposal, after: Proposal, action: Literal["saved", "restored", "generated"]
    ) -> tuple[Proposal, list[Write]]:
        """The proposal with its new revision, and the version that belongs to a change, in the place of the one of the
        same person and ten minutes. A text before it that no version has is kept under a revision of its own."""
        latest = await self._store.first(schema.text_versions(after.proposal_code).consistently())
        there = before.proposal
        texts = {key: str(text) for key, text in there.text_inputs.items()}
        unkept = revision_of_unkept(latest, there.revision, texts) if before.words else None
        after = after.with_(Proposal.revision((unkept or there.revision) + 1))
        new = _version(after, viewer, action)
        writes: list[Write] = [Put(new)]
        if unkept is not None:
            found = _version(there.with_(Proposal.revision(unkept)), None, "saved")
            writes.append(Put(found if latest is None else found.with_(TextVersion.by_name("another program"))))
        elif latest is not None and _same_sitting(latest, new):
            writes.append(Delete(schema.text_version(latest.code, latest.revision).key))
        return after, writes

    # -- deleting

    async def deletable(self, viewer: Viewer, code: str) -> OpenProposal:
        """A proposal that the viewer may delete."""
        found = opened(await self._access.proposal(viewer, code, write=True))
        if not self._access.owns(viewer, found.proposal):
            refuse_withheld(viewer, Letters.MANAGE)
            raise Forbidden("Only its owner can delete a proposal.")
        return found

    async def put_back(self, code: str, change: Callable[[OpenProposal], Proposal]) -> Write | None:
        """The write of a change that a step has made; None if the proposal is gone."""
        found = await self._store.get(schema.proposal(code).consistently())
        if found is None:
            return None
        after = change(opened(found)).model_copy(update={"updated_at": timestamp(self._kit.clock.now())})
        return _saved(found, after)

    async def drafted(
        self, viewer: Viewer, code: str, change: Callable[[OpenProposal], Proposal]
    ) -> tuple[Write, ...] | None:
        """The writes of texts that a step has written, with their version; None if the proposal is gone."""
        found = await self._store.get(schema.proposal(code).consistently())
        if found is None:
            return None
        before = opened(found)
        after = change(before)
        if after == found:
            return ()
        _check_texts(after.text_inputs)
        now = self._kit.clock.now()
        after = after.model_copy(update={"updated_at": timestamp(now), **_touched(found, now)})
        after, kept = await self._kept(viewer, before, after, "generated")
        return (_saved(found, after), *kept)


def shared_proposals(user_id: str) -> Query[Share]:
    """The shares of proposals, newest first."""
    return schema.shared_with(user_id).where(Share.code.begins_with("PROP-"))


async def in_list(store: AsyncStore, codes: Iterable[str], model: type[M]) -> list[M]:
    """What a list shows of some proposals, in their order; nothing else of them is read."""
    found = await asyncio.gather(*(store.first(schema.proposal_in_list(code).shown_as(model)) for code in codes))
    return [each for each in found if each is not None]


def opened(proposal: Proposal) -> OpenProposal:
    """A stored proposal, read."""
    metadata: Mapping[str, Any] = formats.as_plain(proposal.metadata)
    texts = {key: text if isinstance(text, str) else str(text) for key, text in proposal.text_inputs.items()}
    requirements = read_requirements(metadata)
    known = {int(each.get("n") or 0) for each in proposal.citations}
    sections = tuple(
        SectionState(
            section,
            texts.get(section.key, ""),
            word_count(texts.get(section.key, "")),
            tuple(each for each in requirements if each.section == section.key),
            unresolved(texts.get(section.key, ""), known),
        )
        for section in read_sections(metadata, texts)
    )
    return OpenProposal(proposal, sections, requirements, metadata)


def files_of(proposal: Proposal) -> dict[str, list[dict[str, Any]]]:
    """Its files by kind; of another program a file may be a plain text, its name."""
    found: dict[str, list[dict[str, Any]]] = {}
    for kind, listed in formats.as_plain(proposal.uploaded_files).items():
        entries = listed if isinstance(listed, list) else [listed]
        found[str(kind)] = [
            dict(each) if isinstance(each, Mapping) else {"name": str(each)} for each in entries if each
        ]
    return found


def with_text(proposal: Proposal, key: str, text: str) -> Proposal:
    """The proposal with another text of a section. Citations that no text has any more stay, and so do their numbers:
    a sentence that is cut, saved without and put back cites what it cited. Exports leave them out."""
    return proposal.model_copy(update={"text_inputs": {**proposal.text_inputs, key: text}})


def with_sections(proposal: Proposal, sections: Sequence[ProposalSection]) -> Proposal:
    """The proposal with other sections."""
    metadata = {**proposal.metadata, "sections": stored_sections(sections)}
    return proposal.model_copy(update={"metadata": _bounded(metadata)})


def with_requirements(proposal: Proposal, requirements: Sequence[Requirement], **more: Any) -> Proposal:
    """The proposal with another checklist."""
    metadata = {**proposal.metadata, "requirements": [each.stored() for each in requirements], **more}
    return proposal.model_copy(update={"metadata": _bounded(metadata)})


def _stored_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, date) else value for name, value in facts.items() if value != ""
    }


def _bounded(metadata: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in metadata.items() if value is not None}
    size = len(orjson.dumps(formats.as_plain(kept)))
    if size > MOST_METADATA:
        raise TooLarge(
            f"The facts, sections and requirements have {size:,} bytes together; {MOST_METADATA:,} are the most. "
            "Remove some requirements."
        )
    return kept


def _check_texts(texts: Mapping[str, Any]) -> None:
    size = sum(len(str(text)) for text in texts.values())
    if size > MOST_CHARACTERS:
        raise TooLarge(f"At most {MOST_CHARACTERS:,} characters; this text has {size:,}. Shorten it.")


def _touched(proposal: Proposal, now: datetime) -> dict[str, Any]:
    if proposal.touched_at is not None and proposal.touched_at > timestamp(now - _TOUCHED_EVERY):
        return {}
    return {"touched_at": timestamp(now)}


def _saved(before: Proposal, after: Proposal) -> Update[Proposal]:
    """The write of what was changed of a proposal; the desk's order and deadline follow."""
    return changed(before, after).knowing(Proposal.user_id(before.user_id))


def _version(
    proposal: Proposal, viewer: Viewer | None, action: Literal["saved", "restored", "generated"]
) -> TextVersion:
    texts = {key: str(text) for key, text in proposal.text_inputs.items()}
    return TextVersion(
        code=proposal.proposal_code,
        revision=proposal.revision,
        text=document("", texts.values()),
        sections=texts,
        citations=proposal.citations,
        by="" if viewer is None else viewer.id,
        by_name="" if viewer is None else viewer.name,
        action=action,
        words=sum(map(word_count, texts.values())),
        at=proposal.updated_at,
    )


def _same_sitting(latest: TextVersion, new: TextVersion) -> bool:
    """Whether two versions are of the same ten minutes of one person's editing."""
    same = latest.action == new.action == "saved" and latest.by == new.by and latest.revision != new.revision
    return same and _window(latest.at) == _window(new.at)


def _window(at: str) -> tuple[str, int]:
    moment = datetime.fromisoformat(at)
    return moment.strftime("%Y-%m-%dT%H"), moment.minute // _WINDOW_MINUTES


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
