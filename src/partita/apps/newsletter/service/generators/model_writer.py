"""A writer with a model: asks, checks, lets it repair once, and hands over to the extractive writer if that fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from partita.apps.newsletter.service.generators.checks import Ground, faults
from partita.apps.newsletter.service.generators.citing import cited_in, draft_of
from partita.apps.newsletter.service.generators.fences import new_mark
from partita.apps.newsletter.service.generators.finishing import tidied, to_last_sentence, without_citations
from partita.apps.newsletter.service.generators.models import Conversation, Message, Model
from partita.apps.newsletter.service.generators.outlines import outline_faults, read_outline, with_stories
from partita.apps.newsletter.service.generators.prompts import (
    GO_ON,
    Prompt,
    PromptName,
    default_prompt,
    opening_request,
    outline_request,
    outline_system,
    repair_request,
    rewrite_request,
    rewrite_system,
    section_request,
    section_system,
)
from partita.apps.newsletter.service.generators.values import (
    MadeWith,
    OutlineTask,
    RewriteTask,
    SectionTask,
    Tokens,
    Wish,
    WrittenOutline,
    WrittenSection,
    WrittenText,
)
from partita.apps.newsletter.service.generators.writer import Listen, Writer, WriterFailed
from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.writing.facts import citations_in
from partita.apps.newsletter.service.writing.values import Passage

_TOKENS_A_WORD = {"en": 2.0, "am": 8.0, "ar": 4.0}
_LEAST_WORDS = 40
_FROM_SOURCES = 0.7
"""No longer than this share of what its sources say: who must fill lines invents."""
_REWRITE_LENGTHS: Mapping[Wish, tuple[float, float]] = {
    "shorter": (0.3, 0.9),
    "simpler": (0.6, 1.35),
    "more formal": (0.7, 1.35),
}


@dataclass
class _Spent:
    """What an answer has cost so far."""

    begun: float
    tokens: Tokens = field(default_factory=Tokens)
    calls: int = 0


@dataclass(frozen=True, slots=True)
class ModelWriter:
    """Writes with a model. `instead` writes what the model could not."""

    writing: Model
    instead: Writer
    prompts: Mapping[PromptName, Prompt]

    @property
    def name(self) -> str:
        return self.writing.service

    @property
    def model(self) -> str:
        return self.writing.name

    async def section(self, task: SectionTask, listen: Listen | None = None) -> WrittenSection:
        """A section; what the model wrote only if nothing is wrong with it. A list of dates needs no model."""
        if any(story.shape == "dates" for story in task.section.stories):
            return await self.instead.section(task, listen)
        spent = _Spent(time.monotonic())
        try:
            return await self._section(task, listen, spent)
        except WriterFailed as failed:
            other = await self.instead.section(task)
            return replace(other, made_with=self._handed_over("section", other.made_with, spent, failed))

    async def outline(self, task: OutlineTask) -> WrittenOutline:
        """An outline: the stories are the model's, the frame and the budgets are ours."""
        spent = _Spent(time.monotonic())
        frame = await self.instead.outline(task)
        try:
            return await self._outline(task, frame, spent)
        except WriterFailed as failed:
            return replace(frame, made_with=self._handed_over("outline", frame.made_with, spent, failed))

    async def rewrite(self, task: RewriteTask, listen: Listen | None = None) -> WrittenText:
        """The same in other words; refused if it does not succeed, since the text that is there is the better one."""
        spent = _Spent(time.monotonic())
        mark = new_mark()
        cited = citations_in(task.text)
        count = word_count(without_citations(task.text))
        shortest, longest = _REWRITE_LENGTHS[task.wish]
        words = round(count * (0.6 if task.wish == "shorter" else 1.0))
        passages = {number: passage for number, passage in task.passages.items() if number in cited}
        ground = Ground(
            passages,
            count,
            language=task.edition.language,
            headings=_headings(task.text),
            given=f"{task.text}\n{task.edition.title}\n{task.edition.region}",
            uncited=frozenset() if cited else frozenset({"", *_headings(task.text)}),
            shortest=shortest,
            longest=longest,
            secret=mark,
        )
        asked = Conversation(
            rewrite_system(self._prompt("rewrite"), task.edition, mark),
            (Message("user", rewrite_request(task.text, task.wish, words, passages, mark)),),
            self._most_tokens(task.edition.language, count),
        )

        def check(text: str) -> tuple[str, ...]:
            missing = sorted(set(cited) - set(citations_in(text)))
            return (*faults(text, ground), *(f"The citation [{number}] is missing." for number in missing))

        text = await self._answer(asked, check, tidied, listen, spent)
        return WrittenText(text, self._made_with("rewrite", spent))

    async def _section(self, task: SectionTask, listen: Listen | None, spent: _Spent) -> WrittenSection:
        mark = new_mark()
        section, edition = task.section, task.edition
        passages = cited_in(section, task.library)
        numbers = {passage.id: number for number, passage in passages.items()}
        given = _given(task)
        if passages:
            available = sum(word_count(passage.text) for passage in passages.values())
            words = max(_LEAST_WORDS, min(section.words, round(available * _FROM_SOURCES)))
            request = section_request(section, numbers, passages, words, mark)
            headings = tuple(story.title for story in section.stories)
            bare = frozenset(
                story.title for story in section.stories if not any(each in numbers for each in story.references)
            )
        else:
            words = max(_LEAST_WORDS, section.words)
            request = opening_request(section, given, words, mark)
            headings, bare = (), frozenset({""})
        ground = Ground(
            passages,
            words,
            language=edition.language,
            headings=headings,
            given=given,
            uncited=bare,
            told=task.so_far.sentences,
            secret=mark,
        )
        asked = Conversation(
            section_system(self._prompt("section"), edition, mark, cites=bool(passages)),
            (Message("user", request),),
            self._most_tokens(edition.language, words),
        )
        text = await self._answer(asked, lambda answer: faults(answer, ground), tidied, listen, spent)
        draft = draft_of(task, text, passages, short_of=max(0, section.words - words))
        return WrittenSection(draft, self._made_with("section", spent))

    async def _outline(self, task: OutlineTask, frame: WrittenOutline, spent: _Spent) -> WrittenOutline:
        mark = new_mark()
        passages: dict[int, Passage] = {}
        topics: dict[str, tuple[int, ...]] = {}
        for number, match in enumerate(task.matches, 1):
            passages[number] = match.passage
            topics[match.topic] = (*topics.get(match.topic, ()), number)
        most = sum(len(section.stories) for section in frame.sections if section.topic)
        if not passages or not most:
            raise WriterFailed("Nothing was found that an outline could be made of.")
        asked = Conversation(
            outline_system(self._prompt("outline"), task.edition, mark),
            (Message("user", outline_request(topics, passages, most, mark)),),
            self._most_tokens(task.edition.language, 60 * most),
        )

        def check(text: str) -> tuple[str, ...]:
            return outline_faults(text, topics, passages, most, mark)

        text = await self._answer(asked, check, str.strip, None, spent)
        sections = with_stories(frame.sections, read_outline(text), passages)
        return WrittenOutline(sections, self._made_with("outline", spent))

    async def _answer(
        self,
        asked: Conversation,
        check: Callable[[str], tuple[str, ...]],
        tidy: Callable[[str], str],
        listen: Listen | None,
        spent: _Spent,
    ) -> str:
        """An answer without faults, or `WriterFailed`; faults may be repaired once."""
        text = tidy(await self._complete(asked, listen, spent))
        wrong = check(text)
        if wrong:
            text = tidy(await self._complete(asked.followed_by(text or "…", repair_request(wrong)), listen, spent))
            wrong = check(text)
        if wrong:
            more = f" ({len(wrong) - 1} more)" if len(wrong) > 1 else ""
            raise WriterFailed(f"What the model wrote did not pass the checks: {wrong[0]}{more}")
        return text

    async def _complete(self, asked: Conversation, listen: Listen | None, spent: _Spent) -> str:
        """One text; if it is cut by length the model goes on once, and then it ends with a whole sentence."""
        first = await self.writing.complete(asked, listen)
        spent.tokens, spent.calls = spent.tokens + first.tokens, spent.calls + 1
        if first.stopped == "filtered":
            raise WriterFailed("The model's own filter stopped the answer.")
        if first.stopped == "end":
            return first.text
        more = await self.writing.complete(asked.followed_by(first.text, GO_ON), None)
        spent.tokens, spent.calls = spent.tokens + more.tokens, spent.calls + 1
        if more.stopped == "filtered":
            raise WriterFailed("The model's own filter stopped the answer.")
        joined = first.text + more.text
        return joined if more.stopped == "end" else to_last_sentence(joined)

    def _prompt(self, name: PromptName) -> Prompt:
        return self.prompts.get(name) or default_prompt(name)

    def _most_tokens(self, language: str, words: int) -> int:
        return round(words * 1.3 * _TOKENS_A_WORD.get(language, 4.0)) + 200

    def _made_with(self, prompt: PromptName, spent: _Spent) -> MadeWith:
        seconds = round(time.monotonic() - spent.begun, 2)
        return MadeWith(self.name, self.model, self._prompt(prompt).version, spent.tokens, seconds, spent.calls)

    def _handed_over(self, prompt: PromptName, other: MadeWith, spent: _Spent, failed: WriterFailed) -> MadeWith:
        """The tokens were spent all the same."""
        tried = self._made_with(prompt, spent)
        return replace(
            other,
            prompt_version=tried.prompt_version,
            tokens=tried.tokens,
            seconds=tried.seconds,
            calls=tried.calls,
            instead_of=self.name,
            reason=str(failed),
        )


def _given(task: SectionTask) -> str:
    """What we say ourselves: titles, region, day, and the headlines with how many there are."""
    headlines = [story.title for section in task.outline if section.topic for story in section.stories]
    own = [f"{story.title}\n{story.gist}\n{story.note}" for story in task.section.stories if not story.references]
    edition = task.edition
    facts = [edition.title, edition.region, edition.issue_label, edition.today.isoformat(), task.section.name]
    if any(story.references for story in task.section.stories):
        return "\n".join((*facts, *own))
    counts = [f"{len(headlines)} stories", f"{sum(bool(section.topic) for section in task.outline)} sections"]
    names = [section.name for section in task.outline]
    return "\n".join((*facts, *counts, *names, *headlines, *own))


def _headings(text: str) -> tuple[str, ...]:
    return tuple(line.lstrip("# ").strip() for line in text.split("\n") if line.startswith("#"))
