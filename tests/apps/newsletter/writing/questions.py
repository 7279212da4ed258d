"""The questions by which retrieval is measured, and the passages of the demo's sources that answer them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from partita.apps.newsletter.demo.library import sources
from partita.apps.newsletter.search import meant_by, sentences_of, worded
from partita.apps.newsletter.service.reading.chunks import chunks_of
from partita.apps.newsletter.service.writing.retrieval import QUESTION_FLOOR, Query, Statistics, meant, relevance
from partita.apps.newsletter.service.writing.values import Passage
from partita.kit.meaning import model_folder
from partita.kit.search.making import make
from partita.kit.search.nearest import Made, Meant, Unmade, likest_sentences, together, word_by_word

if TYPE_CHECKING:
    from partita.kit.meaning.encoder import MiniLM

TODAY = date(2026, 11, 16)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and words of the passage that answers it."""

    language: str
    text: str
    source: str
    words: str
    apart: bool
    """Whether it is kept apart: only measured, never looked at."""


@cache
def questions() -> tuple[Question, ...]:
    return tuple(replace(each, apart=number % 3 == 2) for number, each in enumerate(_read("questions.txt")))


@cache
def fresh_questions() -> tuple[Question, ...]:
    """Questions in other words than the sources', written before they were first asked; all are kept apart."""
    return tuple(_read("fresh_questions.txt"))


@cache
def paraphrased_questions() -> tuple[Question, ...]:
    """Questions in other words than the sources'; a hash of its words decides which of them are kept apart."""
    return tuple(
        replace(each, apart=sha256(each.text.encode()).digest()[0] % 2 == 1)
        for each in _read("paraphrased_questions.txt")
    )


@cache
def later_questions() -> tuple[Question, ...]:
    """Questions in other words than the sources', none of them kept apart: by these the weight of sentences was
    chosen."""
    return tuple(replace(each, apart=False) for each in _read("later_questions.txt"))


@cache
def third_questions() -> tuple[Question, ...]:
    """The same of another round: by these and the other open ones it was chosen how passages and sentences are
    compared."""
    return tuple(replace(each, apart=False) for each in _read("third_questions.txt"))


@cache
def fourth_questions() -> tuple[Question, ...]:
    """Questions of somebody who had read the sources and knew nothing of the search; all are kept apart."""
    return tuple(_read("fourth_questions.txt"))


def _read(name: str) -> list[Question]:
    lines = (Path(__file__).parent / name).read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line and not line.startswith("#")]
    return [Question(language, text, source, words, True) for language, text, source, words in rows]


@cache
def passages() -> tuple[Passage, ...]:
    """All passages of the demo's sources, as reading in makes them; reference lists are not searched."""
    return tuple(
        Passage(
            chunk.chunk_id,
            source.slug,
            chunk.text,
            source.title,
            chunk.heading,
            chunk.page,
            chunk.position,
            source.published(TODAY).isoformat(),
            source.language,
            source.head["url"],
            source.head["publisher"],
            chunk.kind,
        )
        for source in sources()
        for chunk in chunks_of(source.slug, source.blocks(TODAY))
        if chunk.kind != "references"
    )


@cache
def labelled() -> tuple[tuple[Passage, str], ...]:
    """Passages with the topic that they are about; copies are left out."""
    topics = {
        (source.slug, heading): topic
        for source in sources()
        if "twin_of" not in source.head
        for heading, topic, _ in source.sections(TODAY)
        if topic
    }
    return tuple((each, topics[key]) for each in passages() if (key := (each.source_id, each.heading)) in topics)


@cache
def statistics() -> Statistics:
    return Statistics.of(passages())


@cache
def model() -> MiniLM | None:
    """The model that understands other words, if it is installed."""
    folder = model_folder()
    if folder is None:
        return None
    from partita.kit.meaning.encoder import MiniLM

    return MiniLM(folder)


@cache
def vectors() -> dict[str, Made]:
    """What passages, their sentences and their words mean: those that the model understands, and no copies, which take
    one place with what they copy."""
    understood = model()
    if understood is None:
        return {}
    copies = {source.slug for source in sources() if "twin_of" in source.head}
    made = {}
    for each in passages():
        if each.source_id not in copies and understood.understands(each.text):
            fields = {"title": each.title, "heading": each.heading, "text": each.text}
            of = Unmade(0, (), meant_by(fields), sentences_of(fields), worded(fields))
            made[each.id] = make(understood, of)
    return made


def likenesses(text: str) -> dict[str, float]:
    """How alike the passages are to a question by what they mean."""
    understood = model()
    if understood is None or not understood.understands(text):
        return {}
    asked = Meant(understood.vector((text,)), understood.words(text))
    all_made = vectors()
    # Every vector is that of one sentence here: the likest one of a document with one sentence is this one.
    whole = likest_sentences(asked, [each.vector for each in all_made.values()])
    sentences = likest_sentences(asked, [each.sentences for each in all_made.values()])
    words = word_by_word(asked, [each.pieces for each in all_made.values()])
    return {name: together(*parts) for name, *parts in zip(all_made, whole, sentences, words, strict=True)}


def ranked(question: Question, *, meaning: bool = False) -> list[tuple[float, Passage]]:
    """What is found for a question, best first, by its words or by what it means too; copies count as what they
    copy."""
    query = Query.of_text(question.text)
    if meaning:
        query = replace(query, likeness=meant(likenesses(question.text)))
    found = []
    for each in passages():
        words, likeness = relevance(query, each, statistics())[0], query.meaning_of(each)
        if words >= QUESTION_FLOOR or likeness:
            found.append((max(words, likeness), each))
    return sorted(found, key=lambda each: -each[0])


def place(question: Question, *, meaning: bool = False) -> int | None:
    """At which place the right passage comes, from 1; copies of one passage take one place."""
    seen: list[str] = []
    for _, passage in ranked(question, meaning=meaning):
        if question.words in passage.text:
            return len(seen) + 1
        if passage.heading not in seen:
            seen.append(passage.heading)
    return None


@dataclass(frozen=True, slots=True)
class Measured:
    """How well a set of questions is answered."""

    count: int
    recall: float
    """The share whose right passage is among the first five."""
    reciprocal_rank: float
    unanswered: int
    nothing_found: int

    @staticmethod
    def of(some: Iterable[Question], *, meaning: bool = False) -> Measured:
        given = list(some)
        asked = [each for each in given if each.source]
        places = [place(each, meaning=meaning) for each in asked]
        none = [each for each in given if not each.source]
        return Measured(
            len(asked),
            sum(1 for each in places if each and each <= 5) / len(asked),
            sum(1 / each for each in places if each) / len(asked),
            len(none),
            sum(1 for each in none if not ranked(each, meaning=meaning)),
        )
