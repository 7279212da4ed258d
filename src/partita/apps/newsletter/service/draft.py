"""The draft: reading it, and editing it apart from what was generated, on condition that nobody else was faster."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import DraftEdit, DraftReset, SectionEdit
from partita.apps.newsletter.schema import MOST_SECTIONS, Draft, HistoryAction, Newsletter, Proposal
from partita.apps.newsletter.service.access import Access, no_newsletter
from partita.apps.newsletter.service.bookkeeping import changed, is_touched, touch
from partita.apps.newsletter.service.draft_texts import Texts, generated_texts, texts_of, with_texts
from partita.apps.newsletter.service.editing.citations import cited, free_numbers, tidied, unresolved
from partita.apps.newsletter.service.editing.comparing import normal
from partita.apps.newsletter.service.editing.lengths import word_count
from partita.apps.newsletter.service.editing.paragraphs import Passage, compared, joined, paragraphs
from partita.apps.newsletter.service.editing.sections import document, section, split
from partita.apps.newsletter.service.versions import Versions
from partita.kit.clock import stamp
from partita.kit.inputs import StaleEdit
from partita.kit.kit import Kit
from partita.kit.lists import find, find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, NotFound, TooLarge
from partita.table import Transaction, Write

MOST_CHARACTERS = 200_000
"""The longest text of a newsletter."""
Quality = Callable[[Newsletter, Draft, Mapping[str, str]], Awaitable[dict[str, Any]]]
"""Makes the report card of a text."""


@dataclass(frozen=True, slots=True)
class SectionText:
    """A section as the editor shows it."""

    key: str
    heading: str
    text: str
    words: int
    edited: bool
    """Whether it is not as it was generated."""
    unresolved: tuple[int, ...]
    """Numbers in it that lead to no source."""

    @property
    def title(self) -> str:
        """Its heading, or a name for one without."""
        return self.heading or self.key.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class DraftText:
    """A draft with its sections as they are now."""

    newsletter: Newsletter
    draft: Draft
    texts: Texts
    generated: Texts
    sections: tuple[SectionText, ...] = field(default=())

    @property
    def left_out(self) -> tuple[SectionText, ...]:
        """Sections that were generated and that the person has removed."""
        return tuple(
            _shown(self.draft, key, text, self.generated)
            for key, text in self.generated.items()
            if key not in self.texts
        )

    def one(self, key: str) -> SectionText:
        """A section by its key; refused if there is none."""
        for each in (*self.sections, *self.left_out):
            if each.key == key:
                return each
        raise no_such_section(key)


class TextChanged(StaleEdit):
    """Somebody else has changed the text meanwhile; both texts are in it."""

    def __init__(self, draft: Draft | Proposal, mine: str, theirs: str, base: str | None) -> None:
        super().__init__(draft.revision)
        self.detail = "Somebody else has changed this text meanwhile. Both texts are kept: choose what to save."
        self.args = (self.detail,)
        self.errors = (FieldError("revision", self.detail),)
        self.updated_at = draft.updated_at
        self.mine = mine
        self.theirs = theirs
        self.base = base

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Both texts by paragraphs."""
        return compared(self.mine, self.theirs, self.base)

    @property
    def members(self) -> dict[str, Any]:
        return {"revision": self.current, "updated_at": self.updated_at, "mine": self.mine, "theirs": self.theirs}


class Drafts:
    """The text of newsletters."""

    def __init__(self, kit: Kit, access: Access, versions: Versions, quality: Quality) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access
        self._versions = versions
        self._quality = quality

    async def read(self, viewer: Viewer, code: str) -> DraftText:
        """The text of a newsletter that the viewer may read; refused if there is none yet."""
        return await self._read(await self._access.newsletter(viewer, code))

    async def stored(self, code: str) -> DraftText:
        """The text of a newsletter, for work that was started by somebody who may do so."""
        return await self._read(await find_or(no_newsletter(), self._store, schema.newsletter, code))

    async def of(self, newsletter: Newsletter) -> DraftText:
        """The text of a newsletter that was found otherwise, such as by a secret link."""
        return await self._read(newsletter)

    async def save_section(self, viewer: Viewer, code: str, key: str, edit: SectionEdit) -> DraftText:
        """Replace the text of a section; an empty one leaves it out of the edition."""

        def change(before: DraftText) -> tuple[Draft, Texts]:
            current = before.one(key)
            theirs = before.texts.get(key, "")
            self._check(before.draft, edit, edit.text, theirs, edit.base)
            if normal(edit.text) == normal(theirs):
                return before.draft, before.texts
            texts = before.texts if current.key in before.texts else _back_in(before.texts, before.generated, key)
            return before.draft, {**texts, key: edit.text}

        return await self._change(viewer, code, "saved", change)

    async def save_whole(self, viewer: Viewer, code: str, edit: DraftEdit) -> DraftText:
        """Replace the whole text; its sections are told apart by their headings."""

        def change(before: DraftText) -> tuple[Draft, Texts]:
            theirs = document(before.newsletter.title, before.texts.values())
            self._check(before.draft, edit, edit.user_edits, theirs, edit.base)
            return before.draft, split(edit.user_edits, {**before.generated, **before.texts})

        return await self._change(viewer, code, "saved", change)

    async def reset(self, viewer: Viewer, code: str, reset: DraftReset) -> DraftText:
        """Back to what was generated: one section, or all of them. What was there is kept in the history."""

        def change(before: DraftText) -> tuple[Draft, Texts]:
            if reset.revision is not None and reset.revision != before.draft.revision:
                raise StaleEdit(before.draft.revision)
            if reset.section is None:
                return before.draft, before.generated
            if reset.section in before.generated:
                texts = _back_in(before.texts, before.generated, reset.section)
                return before.draft, {**texts, reset.section: before.generated[reset.section]}
            before.one(reset.section)
            return before.draft, {key: text for key, text in before.texts.items() if key != reset.section}

        return await self._change(viewer, code, "reset", change)

    async def tidy_numbers(self, viewer: Viewer, code: str) -> DraftText:
        """Count the citations from 1 in the order of reading; every number means what it meant before."""

        def change(before: DraftText) -> tuple[Draft, Texts]:
            known = {int(each["n"]): each for each in before.draft.citations}
            tidy = tidied([*before.texts.values(), *before.generated.values()], known)
            count = len(before.texts)
            texts = dict(zip(before.texts, tidy.texts[:count], strict=True))
            generated = dict(zip(before.generated, tidy.texts[count:], strict=True))
            citations = sorted(
                ({**each, "n": tidy.numbers[number]} for number, each in known.items()), key=lambda each: int(each["n"])
            )
            draft = before.draft.with_(
                Draft.sections(generated),
                Draft.generated_content(document(before.newsletter.title, generated.values())),
                Draft.citations(tuple(citations)),
            )
            return draft, texts

        return await self._change(viewer, code, "saved", change)

    async def cite(
        self, viewer: Viewer, code: str, citation: Mapping[str, Any], *, section: str = "", sentence: str = ""
    ) -> int:
        """The number of a passage in this draft, a new one if it was not cited; `quote` is what is used of it. A
        sentence is put at the end of its section with that number."""
        number = 0

        def change(before: DraftText) -> tuple[Draft, Texts]:
            nonlocal number
            taken = [each for text in before.texts.values() for each in cited(text)]
            number, citations = with_citation(before.draft.citations, citation, taken)
            texts = before.texts
            if section:
                parts = paragraphs(before.one(section).text)
                texts = {**texts, section: joined([*parts, f"{sentence} [{number}]"])}
            return before.draft.with_(Draft.citations(citations)), texts

        await self._change(viewer, code, "saved", change)
        return number

    async def change(
        self,
        viewer: Viewer,
        code: str,
        action: HistoryAction,
        change: Callable[[DraftText], tuple[Draft, Texts]],
        *writes: Write,
    ) -> DraftText:
        """Any other change of a draft, such as a picture whose claim is among the `writes`."""
        return await self._change(viewer, code, action, change, *writes)

    async def _read(self, newsletter: Newsletter) -> DraftText:
        draft = await find(self._store, schema.draft, newsletter.newsletter_code)
        if draft is None or not (draft.sections or draft.generated_content or draft.user_edits):
            raise no_draft()
        outline = await find(self._store, schema.outline, newsletter.newsletter_code)
        order = [str(each.get("key", "")) for each in outline.sections] if outline is not None else []
        return _opened(newsletter, draft, order)

    async def _change(
        self,
        viewer: Viewer,
        code: str,
        action: HistoryAction,
        change: Callable[[DraftText], tuple[Draft, Texts]],
        *writes: Write,
    ) -> DraftText:
        newsletter = await self._access.newsletter(viewer, code, write=True)

        async def attempt() -> DraftText:
            before = await self._read(newsletter)
            draft, texts = change(before)
            if draft is before.draft and texts == before.texts:
                return before
            _check_size(texts)
            now = stamp(self._kit.clock)
            after = with_texts(draft, newsletter.title, texts, now)
            after = after.with_(Draft.quality(await self._quality(newsletter, after, texts)))
            after, kept = await self._versions.entries(viewer, before.draft, before.texts, after, texts, action, now)
            save = changed(before.draft, after).when(Draft.updated_at.equals(before.draft.updated_at))
            moment = self._kit.clock.now()
            touched = () if is_touched(newsletter, moment) else (touch(newsletter, moment),)
            await self._store.transact(Transaction(save, *kept, *touched, *writes))
            return _opened(newsletter, after, list(before.generated))

        return await self._store.attempt(attempt)

    def _check(self, draft: Draft, edit: SectionEdit | DraftEdit, mine: str, theirs: str, base: str | None) -> None:
        """Refuse an edit of another revision, unless nobody has changed this very text since it was opened."""
        stale = edit.revision != draft.revision or (edit.updated_at not in (None, draft.updated_at))
        seen = base is not None and normal(base) == normal(theirs)
        if stale and not seen and normal(mine) != normal(theirs):
            raise TextChanged(draft, mine, theirs, base)


Stored = tuple[dict[str, Any], ...]


def with_citation(citations: Stored, citation: Mapping[str, Any], taken: Iterable[int] = ()) -> tuple[int, Stored]:
    """The number of a passage, and the citations with it; what is used of a passage grows. A new one is none
    that texts cite (`taken`), also if that leads nowhere."""
    for place, each in enumerate(citations):
        if each.get("chunk_id") == citation["chunk_id"]:
            used = dict.fromkeys((*str(each.get("quote", "")).split("\n"), *str(citation["quote"]).split("\n")))
            grown = {**each, "quote": "\n".join(line for line in used if line)}
            return int(each["n"]), (*citations[:place], grown, *citations[place + 1 :])
    number = next(free_numbers((int(each["n"]) for each in citations), taken))
    return number, (*citations, {**citation, "n": number})


def no_draft() -> Conflict:
    """The refusal of everything that needs a text."""
    return Conflict("There is no draft yet. Write one first.", code="step_not_ready")


def no_such_section(key: str) -> NotFound:
    """The refusal of a section that the draft does not have."""
    return NotFound(f"This draft has no section {key[:80]}.", code="no_such_section")


def _opened(newsletter: Newsletter, draft: Draft, outline: list[str]) -> DraftText:
    texts, generated = texts_of(draft, outline), generated_texts(draft, outline)
    shown = tuple(_shown(draft, key, text, generated) for key, text in texts.items())
    return DraftText(newsletter, draft, texts, generated, shown)


def _shown(draft: Draft, key: str, text: str, generated: Mapping[str, str]) -> SectionText:
    known = {int(each["n"]) for each in draft.citations}
    return SectionText(
        key,
        section(key, text).heading,
        text,
        word_count(text),
        normal(text) != normal(generated.get(key, "")),
        unresolved(text, known),
    )


def _back_in(texts: Texts, generated: Texts, key: str) -> Texts:
    """The texts with a section at the place that it was generated at."""
    if key in texts:
        return texts
    order = list(generated)
    before = [each for each in order[: order.index(key)] if each in texts]
    place = list(texts).index(before[-1]) + 1 if before else 0
    pairs = list(texts.items())
    return dict([*pairs[:place], (key, generated[key]), *pairs[place:]])


def _check_size(texts: Mapping[str, str]) -> None:
    size = sum(map(len, texts.values()))
    if size > MOST_CHARACTERS:
        raise TooLarge(f"At most {MOST_CHARACTERS:,} characters; this text has {size:,}. Shorten it.")
    if len(texts) > MOST_SECTIONS:
        raise TooLarge(f"At most {MOST_SECTIONS} sections; this text has {len(texts)}.")
