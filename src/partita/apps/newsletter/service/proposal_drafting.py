"""*Draft from sources*: sections of a proposal written by the writer in use, as a step.

One section after the other, each from the passages that fit its purpose and the proposal's brief; a summary last, from
what the others say. What is finished is
kept, so that a run which is taken up again goes on. What people have written stays: of several sections only those
without text are written; one that is asked for by itself gets its draft below what is there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, as_stored
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Proposal, StepRun
from partita.apps.newsletter.service.calls import call_sources
from partita.apps.newsletter.service.drafting.made_words import instead_words
from partita.apps.newsletter.service.drafting.values import (
    citation_of,
    neighbours_of,
    places_beside,
    so_far_of,
    stored_citation,
    stored_made_with,
    stored_so_far,
)
from partita.apps.newsletter.service.drafting.watching import listened
from partita.apps.newsletter.service.editing.citations import carried_over, cited, unresolved
from partita.apps.newsletter.service.editing.comparing import normal
from partita.apps.newsletter.service.editing.lengths import word_count
from partita.apps.newsletter.service.generators.service import Generators
from partita.apps.newsletter.service.generators.values import SectionTask, WrittenSection
from partita.apps.newsletter.service.generators.writer import Listen, Writer
from partita.apps.newsletter.service.passages import Passages
from partita.apps.newsletter.service.proposals import OpenProposal, Proposals, SectionState, opened
from partita.apps.newsletter.service.proposing.assigning import Told, assigned, takes_evidence
from partita.apps.newsletter.service.proposing.kinds import kinds_of, told_of
from partita.apps.newsletter.service.proposing.purposes import (
    Subject,
    about,
    brief_of,
    chosen,
    fitting,
    purpose_words,
    question_of,
    words_for,
)
from partita.apps.newsletter.service.proposing.setting import set_tables, set_text
from partita.apps.newsletter.service.proposing.summing_up import is_summary, summed_up
from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.steps import Look, Step, Steps, Work
from partita.apps.newsletter.service.writing.values import Citation, Edition, Library, Passage, Section, SoFar, Story
from partita.kit.jobs import JobFailed
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict
from partita.table import ChangedMeanwhileError

_TRIES = 8
"""How often a result is put beside what somebody saves in the same moment."""
_FEWEST_WORDS = 20
_JUST_NOW = timedelta(seconds=60)
_TONE_PROFESSIONAL, _TONE_TECHNICAL = 85, 65
_HEADING = re.compile(r"^#{1,6} .*$\n*", re.MULTILINE)
_RUN_IN = re.compile(r"^\*\*[^*\n]+[.።]\*\* ", re.MULTILINE)
"""Headlines of the sources' sections: a proposal has headings of its own."""
ONLY_CALLS = (
    "All your files are filed as the call: {names}. Nothing of a call is told as your text. "
    "Remove what is your own there, and add it again as “Own document”."
)
NOTHING = (
    "Nothing in your files and sources is about this. Add a source, or describe the proposal under “Edit details”."
)


class ProposalDrafting:
    """The step that writes sections of proposals."""

    def __init__(
        self, kit: Kit, proposals: Proposals, passages: Passages, generators: Generators, steps: Steps
    ) -> None:
        self._kit = kit
        self._store = kit.store
        self._proposals = proposals
        self._passages = passages
        self._generators = generators
        self._steps = steps

    @property
    def step(self) -> Step:
        """The step, for `Steps.use`. Forty sections, each with two questions of three minutes at most."""
        return Step("proposal", self._run, self._ready, seconds=4 * 3600)

    async def start(self, viewer: Viewer, code: str, key: str = "", *, shared: bool | None = None) -> Look:
        """Write one section, or all that have no text. The common sources are used too if somebody asks for that
        (`shared`); if nobody says, only if the proposal has no files of its own."""
        there = await self._proposals.read(viewer, code, write=True)
        if key:
            there.one(key)
        wanted = not await self.has_own(there) if shared is None else shared
        inputs = {"key": key, "shared": wanted and viewer.may(Letters.READ_SOURCES)}
        return await self._steps.start(viewer, code, "proposal", inputs=inputs)

    async def has_own(self, there: OpenProposal) -> bool:
        """Whether the proposal has sources of its own beside the call."""
        calls = frozenset(call_sources(there.proposal))
        page = await self._store.page(schema.sources(there.proposal.proposal_code), limit=len(calls) + 1)
        return any(each.source_id not in calls for each in page)

    def just_written(self, run: StepRun | None) -> bool:
        """Whether a run has ended well in the last minute."""
        if run is None or run.state != "done" or run.finished_at is None:
            return False
        return self._kit.clock.now() - datetime.fromisoformat(run.finished_at) < _JUST_NOW

    async def _ready(self, code: str, inputs: Mapping[str, Any]) -> None:
        proposal = await find(self._store, schema.proposal, code)
        there = None if proposal is None else opened(proposal)
        if there is None or not there.editable:
            raise Conflict(
                "It was submitted, so its text stays as it is. Archive it, or start a new one.", code="submitted"
            )
        wanted = _wanted(there, str(inputs.get("key") or ""))
        if not wanted:
            words = "Every section has a text. Open one to have more written below it."
            raise Conflict(words if there.sections else "Add a section first.", code="nothing_to_write")
        if inputs.get("key") and words_for(wanted[0].section, wanted[0].words) < _FEWEST_WORDS:
            raise Conflict("The section is as long as it may be. Raise its limit, or shorten it.", code="section_full")
        sums_up = any(is_summary(each.section) and _summary(there, each, {}) for each in wanted)
        if not sums_up and not inputs.get("shared") and (words := await self._only_calls(there)):
            raise Conflict(words, code="only_calls")

    async def _only_calls(self, there: OpenProposal) -> str:
        """That there are files, and all of them are the call, in words; else nothing."""
        names = [str(each.get("name")) for each in there.files.get("call", ())]
        return ONLY_CALLS.format(names=", ".join(names)) if names and not await self.has_own(there) else ""

    async def _run(self, work: Work) -> None:
        proposal = await find(self._store, schema.proposal, work.subject)
        if proposal is None:
            raise JobFailed("The proposal was deleted meanwhile.")
        there = opened(proposal)
        key = str(work.inputs.get("key") or "")
        writer = await self._generators.writer_in_use()
        kept = _Kept.of(work.partial, {"key": key, "writer": writer.name, "brief": _brief(there)}, there)
        wanted = _wanted(there, key)
        told = await self._told(work, there, wanted)
        passages = {key: _passages_of(some) for key, some in told.items()}
        common = {each.source_id: each.title for some in passages.values() for each in some if not each.own}
        for state in sorted(wanted, key=lambda each: is_summary(each.section)):
            if state.key in kept.texts:
                continue
            done = len(kept.texts)
            library = await self._library(passages, state.key)
            if is_summary(state.section) and (text := _summary(there, state, kept.texts, kept.so_far)):
                kept.add(state, *_with_more(text, state, told[state.key], kept.so_far), library)
                await work.keep(kept.stored())
                continue
            text, so_far, made_with = await self._section(
                work, there, state, told[state.key], library, writer, kept.so_far, done, len(wanted)
            )
            kept.add(state, text, so_far, library, made_with)
            await work.keep(kept.stored())
        await work.progress("Checking", done=len(wanted), total=len(wanted))
        texts = {each: text for each, text in kept.texts.items() if text}
        if not texts:
            raise JobFailed(await self._only_calls(there) or NOTHING)
        known = {each.n for each in kept.so_far.citations}
        wrong = next((number for text in texts.values() for number in unresolved(text, known)), None)
        if wrong is not None:
            raise JobFailed(f"The writer cited [{wrong}], which is no source. Try again; nothing was changed.")
        instead = instead_words({each: how for each, how in kept.made_with.items() if each in texts})
        notes = (_shared_words(work, texts, kept, common), instead, await self._only_calls(there))
        await self._finish(work, key, texts, kept, notes)

    async def _told(
        self, work: Work, there: OpenProposal, wanted: Sequence[SectionState]
    ) -> dict[str, tuple[Told, ...]]:
        """What each section tells: of the proposal's files but the call, and of common sources that fit its brief."""
        brief = _brief(there)
        calls = frozenset(call_sources(there.proposal))
        own = await self._passages.private(there.proposal.proposal_code)
        language = str(there.metadata.get("language") or "en")
        private = about(brief, [each for each in own if each.source_id not in calls], language)
        usable = {each.id: each for each in private}
        subject = Subject.of(there.proposal.title, there.proposal.description, private)
        background = [each for each in wanted if takes_evidence(kinds_of(each.section))]
        for done, state in enumerate(background if work.inputs.get("shared") else ()):
            await work.progress("Searching", done=done, total=len(background), message=state.title)
            demands = [each.text for each in state.requirements]
            found = await self._passages.candidates(question_of(state.section, brief, demands))
            clear = [each for each in found.passages if subject.clearly_of(each, found.statistics)]
            judged = await work.in_thread(fitting, state.section, brief, demands, clear, found.statistics)
            usable |= {each.id: each for each in chosen(judged) if each.language == language}
        # All sections take part, so that no section tells what belongs to another.
        sections = [each.section for each in there.sections]
        room = {each.key: words_for(each.section, each.words) for each in wanted}
        texts = [each.text for state in there.sections for each in sentences(state.text)]
        year = self._kit.clock.now().year
        asked = str(work.inputs.get("key") or "")
        choose = partial(assigned, room=room, year=year, asked=asked)
        return await work.in_thread(choose, sections, usable.values(), texts)

    async def _section(
        self,
        work: Work,
        there: OpenProposal,
        state: SectionState,
        told: Sequence[Told],
        library: Library,
        writer: Writer,
        so_far: SoFar,
        done: int,
        total: int,
    ) -> tuple[str, SoFar, dict[str, Any]]:
        """The draft of one section, without headings, and how it was made; empty if nothing fits."""
        section = state.section
        words = words_for(section, state.words)
        if not told or words < _FEWEST_WORDS:
            return "", so_far, {}
        text, made_with = "", {}
        if library.passages:
            story = Story(
                title=section.title,
                gist=f"{section.guidance} {purpose_words(section)}".strip(),
                references=tuple(library.passages),
                words=words,
                note=f"This is a section of a proposal. {_brief(there)}"[:2000],
            )
            asked = Section(section.key, section.title, (story,), words=words)
            edition = _edition(there, self._kit.clock.now().date())
            task = SectionTask(edition, asked, library, so_far, (asked,), tuple(told))

            def begin(listen: Listen) -> Awaitable[WrittenSection]:
                return writer.section(task, listen)

            written = await listened(work, begin, section.title, done, total)
            text = _RUN_IN.sub("", _HEADING.sub("", written.draft.markdown)).strip()
            so_far = written.draft.so_far if text else so_far
            made_with = stored_made_with(written.made_with)
        tables, so_far = set_tables(told, so_far, section)
        return "\n\n".join(filter(None, (text, tables))), so_far, made_with

    async def _library(self, passages: Mapping[str, Sequence[Passage]], key: str) -> Library:
        """The passages of a section, and those beside them that no other section is written from."""
        own = passages[key]
        places = places_beside(own)
        chunks = await self._store.batch_get(schema.chunks_at(places)) if places else []
        taken = {each.id for some in passages.values() for each in some}
        beside = {
            each: tuple(near for near in some if near.id not in taken)
            for each, some in neighbours_of(own, chunks).items()
        }
        return Library({each.id: each for each in own}, beside)

    async def _finish(self, work: Work, key: str, texts: Mapping[str, str], kept: _Kept, notes: Iterable[str]) -> None:
        """All texts in one transaction, beside whatever people have saved meanwhile."""
        for left in range(_TRIES, 0, -1):
            written: list[str] = []
            empty: list[str] = []

            def change(before: OpenProposal, written: list[str] = written, empty: list[str] = empty) -> Proposal:
                empty[:] = [_missing(each) for each in _wanted(before, "") if kept.texts.get(each.key) == ""]
                return _with_texts(before, key, texts, kept, written)

            person = await self._kit.accounts.people.find(work.requested_by)
            viewer = Viewer(user_id=work.requested_by, name="" if person is None else person.name)
            writes = await self._proposals.drafted(viewer, work.subject, change)
            if writes is None:
                raise JobFailed("The proposal was deleted meanwhile.")
            count = len(written)
            told = f"{count} section{'' if count == 1 else 's'} written from your sources."
            if len(texts) > count:
                told += " Those that somebody has written meanwhile were left alone."
            if empty:
                told += f" The sources say nothing about: {'; '.join(empty)}."
            told = " ".join(filter(None, (told, *notes)))
            path = f"/newsletter/proposals/{work.subject}" + (f"?section={key}" if key else "")
            try:
                return await work.finish(*writes, message=told, path=path)
            except ChangedMeanwhileError:
                if left == 1:
                    raise
        return None


def _summary(there: OpenProposal, state: SectionState, new: Mapping[str, str], so_far: SoFar | None = None) -> str:
    """A section that sums up the others: what is there, and what this run has written."""
    room = words_for(state.section, state.words)
    known = {int(each.get("n") or 0) for each in there.proposal.citations} if so_far is None else _numbers(so_far)
    others = [
        (each.section, each.text if each.text.strip() else new.get(each.key, ""))
        for each in there.sections
        if each.key != state.key
    ]
    return summed_up(
        others,
        room if room >= _FEWEST_WORDS else 0,
        known,
        language=str(there.metadata.get("language") or "en"),
        currency=str(there.metadata.get("currency") or ""),
        told=normal(state.text),
    )


def _numbers(so_far: SoFar) -> frozenset[int]:
    return frozenset(each.n for each in so_far.citations)


def _with_more(text: str, state: SectionState, told: Sequence[Told], so_far: SoFar) -> tuple[str, SoFar]:
    """A summary, and below it what the sources say in short themselves, as far as there is room."""
    left = words_for(state.section, state.words) - word_count(text)
    fitting_ones: list[Told] = []
    for each in told:
        if not each.is_table and each.words <= left:
            fitting_ones.append(each)
            left -= each.words
    more, so_far = set_text(fitting_ones, so_far)
    return "\n\n".join(filter(None, (text, more))), so_far


def _shared_words(work: Work, texts: Mapping[str, str], kept: _Kept, common: Mapping[str, str]) -> str:
    """Which common sources the new texts cite, if they were asked for."""
    if not work.inputs.get("shared"):
        return ""
    numbers = {number for text in texts.values() for number in cited(text)}
    used = dict.fromkeys(
        common[each.source_id] for each in kept.so_far.citations if each.n in numbers and each.source_id in common
    )
    if not used:
        return "No shared source was used."
    return f"Shared sources used: {', '.join(f'“{title}”' for title in used)}."


def _missing(state: SectionState) -> str:
    """A section that stays empty, with what a source would have to tell for it."""
    lacks = told_of(state.section)
    return f"{state.title} ({lacks})" if lacks else state.title


def _wanted(there: OpenProposal, key: str) -> tuple[SectionState, ...]:
    """The section that was asked for, or all without a text."""
    if key:
        return tuple(each for each in there.sections if each.key == key)
    return tuple(each for each in there.sections if not each.text.strip())


def _passages_of(told: Iterable[Told]) -> tuple[Passage, ...]:
    """The passages whose sentences a section tells, those with the most first."""
    units = [unit for each in told if not each.is_table for unit in each.units]
    counted = Counter(piece.passage.id for unit in units for piece in unit.pieces)
    known = {piece.passage.id: piece.passage for unit in units for piece in unit.pieces}
    return tuple(known[each] for each, _ in counted.most_common())


def _brief(there: OpenProposal) -> str:
    return brief_of(there.proposal.title, there.proposal.description, (each.text for each in there.sections))


def _edition(there: OpenProposal, today: date) -> Edition:
    language: Any = there.metadata.get("language")
    return Edition(
        title=there.proposal.title,
        today=today,
        tone_professional=_TONE_PROFESSIONAL,
        tone_technical=_TONE_TECHNICAL,
        frequency="custom",
        language=language if language in ("en", "am", "ar") else "en",
    )


def _with_texts(before: OpenProposal, key: str, texts: Mapping[str, str], kept: _Kept, written: list[str]) -> Proposal:
    """The proposal with drafts in the sections that still want them; numbers are those of its own list."""
    current = {each.key: each for each in before.sections}
    wanted = {
        each: text
        for each, text in texts.items()
        if each in current and (key or not current[each].text.strip()) and normal(text) not in current[each].text
    }
    written[:] = wanted
    stored = [dict(as_plain(each)) for each in before.proposal.citations]
    own = {int(each["n"]): str(each.get("chunk_id")) for each in stored}
    there = {each.n: each.chunk_id for each in kept.so_far.citations}
    taken = [number for text in before.proposal.text_inputs.values() for number in cited(str(text))]
    renumbered, added = carried_over(wanted.values(), own, there, taken)
    by_chunk = {each.chunk_id: each for each in kept.so_far.citations}
    for each in stored:
        new = by_chunk.get(str(each.get("chunk_id")))
        if new is not None:
            lines = dict.fromkeys((*str(each.get("quote") or "").split("\n"), *new.quote.split("\n")))
            each["quote"] = "\n".join(filter(None, lines))
    by_number = {each.n: each for each in kept.so_far.citations}
    stored += [{**kept.stored_citation(by_number[old]), "n": new} for old, new in added.items()]
    all_texts = dict(before.proposal.text_inputs)
    for name, text in zip(wanted, renumbered, strict=True):
        all_texts[name] = "\n\n".join(filter(None, (current[name].text.rstrip(), text)))
    ways = {each: how for each, how in before.proposal.made_with.items() if each in current and each not in wanted}
    ways |= as_stored({each: how for each, how in kept.made_with.items() if each in wanted and how})
    update = {"text_inputs": all_texts, "citations": tuple(as_stored(stored)), "made_with": ways}
    return before.proposal.model_copy(update=update)


class _Kept:
    """What a run has finished: texts, what they cite, and where that is."""

    def __init__(
        self, made_from: Mapping[str, Any], texts: dict[str, str], so_far: SoFar, positions: dict[str, int]
    ) -> None:
        self._made_from = dict(made_from)
        self.texts = texts
        self.made_with: dict[str, Any] = {}
        self.so_far = so_far
        self._positions = positions

    @staticmethod
    def of(partial: Mapping[str, Any], made_from: Mapping[str, Any], there: OpenProposal) -> _Kept:
        """What an earlier attempt has kept, if it wrote the same thing; else the beginning."""
        if partial and partial.get("made_from") == dict(made_from):
            texts, positions = dict(partial["texts"]), dict(partial["positions"])
            kept = _Kept(made_from, texts, so_far_of(partial["so_far"]), positions)
            kept.made_with = dict(partial.get("made_with") or {})
            return kept
        told = tuple(each.text for state in there.sections for each in sentences(state.text))
        known = tuple(citation_of(each) for each in there.proposal.citations)
        return _Kept(made_from, {}, SoFar(known, told), {})

    def add(
        self,
        state: SectionState,
        text: str,
        so_far: SoFar,
        library: Library,
        made_with: Mapping[str, Any] | None = None,
    ) -> None:
        self.texts[state.key] = text
        self.made_with[state.key] = dict(made_with or {})
        # What a section could not use is not for the next one: each has a limit of its own.
        self.so_far = SoFar(so_far.citations, so_far.sentences, 0, so_far.acronyms)
        near = (each for some in library.neighbours.values() for each in some)
        self._positions |= {each.id: each.position for each in (*library.passages.values(), *near)}

    def stored(self) -> dict[str, Any]:
        return {
            "made_from": self._made_from,
            "texts": self.texts,
            "made_with": self.made_with,
            "so_far": stored_so_far(self.so_far),
            "positions": self._positions,
        }

    def stored_citation(self, citation: Citation) -> dict[str, Any]:
        """A citation as the proposal keeps it."""
        values = stored_citation(citation, None)
        position = self._positions.get(citation.chunk_id)
        return values if position is None else {**values, "position": position}
