"""The steps in which writers work: outline, draft, and one section of a draft."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, as_stored
from partita.apps.newsletter.schema import Draft, Newsletter, Outline, Topics
from partita.apps.newsletter.service.bookkeeping import changed, draft_settings
from partita.apps.newsletter.service.draft import Quality
from partita.apps.newsletter.service.draft_texts import Texts, generated_texts, texts_of, version_of, with_texts
from partita.apps.newsletter.service.drafting.made_words import outline_words
from partita.apps.newsletter.service.drafting.own_stories import (
    asked_by,
    is_own_without_sources,
    own_sources,
    with_own_sources,
)
from partita.apps.newsletter.service.drafting.values import (
    citation_of,
    edition_of,
    matches_of,
    neighbours_of,
    places_beside,
    proposed,
    sections_of,
    so_far_of,
    stored_citation,
    stored_made_with,
    stored_so_far,
    without_dropped,
)
from partita.apps.newsletter.service.drafting.watching import listened, watched
from partita.apps.newsletter.service.editing.citations import unresolved
from partita.apps.newsletter.service.editing.sections import document
from partita.apps.newsletter.service.generators.service import Generators
from partita.apps.newsletter.service.generators.values import OutlineTask, SectionTask, WrittenSection
from partita.apps.newsletter.service.generators.writer import Listen
from partita.apps.newsletter.service.outline import Outlines, plan_of
from partita.apps.newsletter.service.passages import Passages
from partita.apps.newsletter.service.readiness import Readiness
from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.steps import Step, Work
from partita.apps.newsletter.service.versions import Entry, Versions
from partita.apps.newsletter.service.writing.extractive import writing_order
from partita.apps.newsletter.service.writing.values import Library, Passage, Section, SoFar
from partita.kit.jobs import JobFailed
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.table import ChangedMeanwhileError, Put
from partita.table.types import timestamp
from partita.table.versions import next_version

_TRIES = 8
"""How often a result is put beside what somebody saves in the same moment."""
_DOCUMENTED = (Draft.user_edits, Draft.has_user_edits, Draft.word_count, Draft.estimated_read_time)
"""What every draft has in the document, edited or not."""


class Drafting:
    """Lets writers work, and stores what they made in one transaction."""

    def __init__(
        self,
        kit: Kit,
        outlines: Outlines,
        versions: Versions,
        generators: Generators,
        readiness: Readiness,
        quality: Quality,
        passages: Passages,
    ) -> None:
        self._kit = kit
        self._store = kit.store
        self._outlines = outlines
        self._versions = versions
        self._generators = generators
        self._readiness = readiness
        self._quality = quality
        self._passages = passages

    def steps(self) -> tuple[Step, ...]:
        """The steps, for `Steps.use`."""
        return (
            Step("outline", self.outline, self._readiness.outline),
            # Forty sections, each with two questions of three minutes at most.
            Step("draft", self.draft, self._readiness.draft, seconds=4 * 3600),
            Step("section", self.section, self._readiness.section),
        )

    # -- the outline

    async def outline(self, work: Work) -> None:
        """Stories from what was found; what a person did to the outline before is kept."""
        newsletter, topics = await self._newsletter(work), await self._topics(work)
        await work.progress("Making the outline", done=0, total=1)
        edition = edition_of(newsletter, self._kit.clock.now().date())
        matches = matches_of(topics, newsletter.language)
        writer = await self._generators.writer_for(newsletter)
        made = await watched(work, writer.outline(OutlineTask(edition, matches)), "Making the outline", 0, 1)
        stories = sum(len(section.stories) for section in made.sections if section.topic)
        if not stories:
            raise JobFailed("Nothing was found that a story could be made of. Add sources, or choose other topics.")

        async def finish() -> None:
            how = stored_made_with(made.made_with)
            write = await self._outlines.generated(newsletter, topics, proposed(made.sections), how)
            words = f"Outline made: {stories} {'story' if stories == 1 else 'stories'}. {outline_words(how)}".rstrip()
            await work.finish(write, message=words, path=f"/newsletter/editions/{work.subject}/outline")

        await self._beside_edits(finish)

    # -- the draft

    async def draft(self, work: Work) -> None:
        """One section after the other. What is finished is kept, so that a run which is taken up again goes on."""
        newsletter, topics, outline = await self._all(work)
        edition = edition_of(newsletter, self._kit.clock.now().date())
        told = without_dropped(plan_of(outline), topics.excluded)
        sections, library = await self._material(newsletter, topics, sections_of(told, edition))
        if not sections:
            raise JobFailed("Every passage of the outline is excluded. Regenerate the outline.")
        writer = await self._generators.writer_for(newsletter)
        made_from = {
            "outline": outline.revision,
            "retrieved": topics.retrieval_completed_at or "",
            "writer": writer.name,
        }
        made_from |= as_stored(draft_settings(newsletter, topics))
        kept = _Kept.of(work.partial, made_from)
        order = writing_order(sections)
        for section in order:
            if section.key in kept.texts:
                continue
            done = len(kept.texts)
            task = SectionTask(edition, section, library, kept.so_far, sections)

            def begin(listen: Listen, task: SectionTask = task) -> Awaitable[WrittenSection]:
                return writer.section(task, listen)

            written = await listened(work, begin, section.name, done, len(order))
            kept.add(section, written)
            await work.keep(kept.stored())
        await work.progress("Checking", done=len(order), total=len(order))
        texts = {section.key: kept.texts[section.key] for section in sections if kept.texts[section.key].strip()}
        _check_citations(texts, kept.so_far)
        citations = tuple(
            as_stored(stored_citation(each, library.passages.get(each.chunk_id))) for each in kept.so_far.citations
        )

        async def finish() -> None:
            before = await self._draft(work)
            now = timestamp(self._kit.clock.now())
            generated = before.model_copy(
                update={
                    "sections": texts,
                    "generated_content": document(newsletter.title, texts.values()),
                    "citations": citations,
                    "made_with": as_stored(kept.made_with),
                    "outline_revision": outline.revision,
                    "settings": as_stored(draft_settings(newsletter, topics)),
                    "draft_status": "completed",
                    "draft_completed_at": now,
                    "draft_error": None,
                    "generated_at": now,
                }
            )
            await self._finish(work, newsletter, before, generated, texts, sections)

        await self._beside_edits(finish)

    # -- one section

    async def section(self, work: Work) -> None:
        """One section anew; the others, and what a person wrote in them, stay as they are."""
        newsletter, topics, outline = await self._all(work)
        key = str(work.inputs.get("key", ""))
        edition = edition_of(newsletter, self._kit.clock.now().date())
        told = without_dropped(plan_of(outline), topics.excluded)
        sections, library = await self._material(newsletter, topics, sections_of(told, edition))
        section = next((each for each in sections if each.key == key), None)
        if section is None:
            raise JobFailed("The outline has nothing for this section. Add an item to it first.")
        writer = await self._generators.writer_for(newsletter)
        there = await self._draft(work)
        others = [text for name, text in texts_of(there, [each.key for each in sections]).items() if name != key]
        told_already = tuple(sentence.text for text in others for sentence in sentences(text))
        so_far = SoFar(tuple(citation_of(each) for each in there.citations), told_already)
        task = SectionTask(edition, section, library, so_far, sections)
        written = await listened(work, lambda listen: writer.section(task, listen), section.name, 0, 1)
        text = written.draft.markdown
        if not text.strip():
            raise JobFailed(
                "The sources of this section hold nothing that could be told. Choose other passages for it."
            )
        _check_citations({key: text}, written.draft.so_far)

        async def finish() -> None:
            before = await self._draft(work)
            if before.citations != there.citations:
                raise _Renumbered
            order = [each.key for each in sections]
            generated_before = {**generated_texts(before, order), key: text}
            generated = {
                each: generated_before[each] for each in (*order, *generated_before) if each in generated_before
            }
            texts = {**texts_of(before, order), key: text}
            texts = {each: texts[each] for each in (*order, *texts) if each in texts}
            after = before.model_copy(
                update={
                    "sections": generated,
                    "generated_content": document(newsletter.title, generated.values()),
                    "citations": _with_citations(before, written.draft.so_far, library),
                    "made_with": {**before.made_with, key: as_stored(stored_made_with(written.made_with))},
                }
            )
            await self._finish(work, newsletter, before, after, texts, sections)

        await self._beside_edits(finish)

    # -- storing

    async def _finish(
        self,
        work: Work,
        newsletter: Newsletter,
        before: Draft,
        generated: Draft,
        texts: Texts,
        sections: tuple[Section, ...],
    ) -> None:
        """The draft, its version for the history, and the end of the run: all of it or nothing."""
        now = timestamp(self._kit.clock.now())
        after = with_texts(generated, newsletter.title, texts, now)
        after = after.with_(Draft.quality(as_stored(await self._quality(newsletter, after, texts))))
        order = [section.key for section in sections]
        after, kept = await self._history(work, before, texts_of(before, order), after, texts, now)
        save = changed(before, after, *_DOCUMENTED).when(Draft.updated_at.equals(before.updated_at))
        save = save.with_actions(*save.actions, Draft.exports.set_if_missing({}))
        count = len({str(each.get("source_id")) for each in after.citations})
        words = f"{after.word_count:,} words from {count} {'source' if count == 1 else 'sources'}."
        path = f"/newsletter/editions/{work.subject}/write"
        await work.finish(save, *kept, message=words, path=path)

    async def _history(
        self, work: Work, before: Draft, texts_before: Texts, after: Draft, texts: Texts, now: str
    ) -> tuple[Draft, list[Entry]]:
        person = await self._kit.accounts.people.find(work.requested_by)
        name = "" if person is None else person.name
        if not texts_before:
            after = next_version(after)
            new = version_of(after, texts, "generated", by=work.requested_by, by_name=name, at=now)
            return after, [Put(new).if_new()]
        viewer = Viewer(user_id=work.requested_by, name=name)
        return await self._versions.entries(viewer, before, texts_before, after, texts, "generated", now)

    async def _beside_edits(self, finish: Callable[[], Awaitable[None]]) -> None:
        """Store a result; if somebody saves in the same moment, beside what they saved."""
        for left in range(_TRIES, 0, -1):
            try:
                return await finish()
            except ChangedMeanwhileError:
                if left == 1:
                    raise
        return None

    # -- reading

    async def _all(self, work: Work) -> tuple[Newsletter, Topics, Outline]:
        newsletter, topics = await self._newsletter(work), await self._topics(work)
        return newsletter, topics, await self._outlines.of(newsletter)

    async def _newsletter(self, work: Work) -> Newsletter:
        found = await find(self._store, schema.newsletter, work.subject)
        if found is None:
            raise JobFailed("The newsletter was deleted meanwhile.")
        return found

    async def _topics(self, work: Work) -> Topics:
        found = await find(self._store, schema.topics, work.subject)
        return found or Topics(newsletter_code=work.subject, updated_at=timestamp(self._kit.clock.now()))

    async def _draft(self, work: Work) -> Draft:
        found = await find(self._store, schema.draft, work.subject)
        if found is None:
            raise JobFailed("The newsletter was deleted meanwhile.")
        return found

    async def _material(
        self, newsletter: Newsletter, topics: Topics, sections: tuple[Section, ...]
    ) -> tuple[tuple[Section, ...], Library]:
        """The sections with what they refer to; the passages that they refer to, and those beside them. Stories of a
        person for which they chose none refer to what a search for their words finds."""
        found = {match.passage.id: match.passage for match in matches_of(topics, newsletter.language)}
        own = [story for section in sections for story in section.stories if is_own_without_sources(story)]
        private = await self._passages.private(newsletter.newsletter_code) if own else ()
        answers: dict[str, tuple[Passage, ...]] = {}
        for story in own:
            query = asked_by(story.title, story.gist, story.note)
            candidates = await self._passages.candidates(query, source_ids=topics.source_ids, private=private)
            answers[story.id] = await asyncio.to_thread(
                own_sources, newsletter.language, query, candidates, topics.excluded
            )
        found |= {each.id: each for some in answers.values() for each in some}
        sections = with_own_sources(sections, answers)
        wanted = {each for section in sections for story in section.stories for each in story.references}
        passages = {each: found[each] for each in found if each in wanted}
        places = places_beside(passages.values())
        chunks = await self._store.batch_get(schema.chunks_at(places)) if places else []
        return sections, Library(passages, neighbours_of(passages.values(), chunks, topics.excluded))


class _Renumbered(Exception):
    """Somebody has cited or renumbered something meanwhile: the section must be written with the new numbers."""


class _Kept:
    """What is finished of a draft."""

    def __init__(self, made_from: Mapping[str, Any]) -> None:
        self._made_from = dict(made_from)
        self.texts: dict[str, str] = {}
        self.made_with: dict[str, Any] = {}
        self.so_far = SoFar()

    @staticmethod
    def of(partial: Mapping[str, Any], made_from: Mapping[str, Any]) -> _Kept:
        """What an earlier attempt kept, unless it was made from something else."""
        kept = _Kept(made_from)
        if partial.get("made_from") == kept.stored()["made_from"]:
            kept.texts = dict(partial["sections"])
            kept.made_with = dict(partial["made_with"])
            kept.so_far = so_far_of(partial["so_far"])
        return kept

    def add(self, section: Section, written: WrittenSection) -> None:
        self.texts[section.key] = written.draft.markdown
        self.made_with[section.key] = stored_made_with(written.made_with)
        self.so_far = written.draft.so_far

    def stored(self) -> dict[str, Any]:
        return {
            "made_from": _plain(self._made_from),
            "sections": self.texts,
            "made_with": self.made_with,
            "so_far": stored_so_far(self.so_far),
        }


def _plain(value: Any) -> Any:
    """As it comes back from the table: lists for tuples, numbers as numbers."""
    return as_plain(as_stored(value))


def _check_citations(texts: Mapping[str, str], so_far: SoFar) -> None:
    """A draft with a citation that leads nowhere is never stored, whoever wrote it."""
    known = {each.n for each in so_far.citations}
    wrong = sorted({number for text in texts.values() for number in unresolved(text, known)})
    if wrong:
        raise JobFailed(f"The writer cited [{wrong[0]}], which is no source. Try again; nothing was changed.")


def _with_citations(before: Draft, so_far: SoFar, library: Library) -> tuple[dict[str, Any], ...]:
    """The citations of the draft and the new ones; quotes grow."""
    there = {int(each["n"]): each for each in before.citations}
    merged = []
    for each in so_far.citations:
        new = as_stored(stored_citation(each, library.passages.get(each.chunk_id)))
        merged.append({**there.get(each.n, {}), **new})
    return tuple(merged)
