"""`python -m bench newsletter`: documents in and out, finding passages, and how well questions are answered."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from tests.apps.newsletter.writing.questions import Measured as Answered
from tests.apps.newsletter.writing.questions import (
    Question,
    fourth_questions,
    fresh_questions,
    later_questions,
    model,
    paraphrased_questions,
    questions,
    third_questions,
)

from bench import documents, reading
from bench import passages as passages_bench
from bench.documents import Exported
from bench.passages import PassagesResult
from bench.reading import Read
from partita.apps.newsletter.demo.library import sources

ROUNDS = 3


@dataclass(frozen=True, slots=True)
class NewsletterResult:
    """What a run has measured."""

    read: list[Read]
    pdf: list[Exported]
    docx: list[Exported]
    megabytes: float
    answered: dict[str, tuple[Answered, Answered | None]]
    """By words, and by what they mean too."""
    passages: PassagesResult


def compare(progress: Callable[[str], None], *, short: bool = False) -> NewsletterResult:
    """Measure all of it."""
    return asyncio.run(_documents(progress, short=short))


async def _documents(progress: Callable[[str], None], *, short: bool) -> NewsletterResult:
    read = await (reading.measure(5, 1) if short else reading.measure())
    progress(f"read in: {', '.join(f'{each.name} {each.seconds:.2f} s' for each in read)}")
    edition = documents.edition_of(2 if short else documents.STORIES)
    rounds = 1 if short else ROUNDS
    await documents.measure(edition, "docx")  # the first one loads what all of them need
    pdf = [await documents.measure(edition, "pdf") for _ in range(rounds)]
    docx = [await documents.measure(edition, "docx") for _ in range(rounds)]
    megabytes = documents.megabytes_of_setting(2 if short else documents.STORIES)
    progress(f"exported: {pdf[0].pages} pages")
    answered = {name: _answered(some) for name, some in _questions().items()}
    progress("questions asked")
    count = 500 if short else passages_bench.COUNT
    passages = await asyncio.to_thread(passages_bench.compare, progress, count)
    return NewsletterResult(read, pdf, docx, megabytes, answered, passages)


def _questions() -> dict[str, list[Question]]:
    other = paraphrased_questions()
    english, foreign = ([each for each in other if (each.language == "en") is wanted] for wanted in (True, False))
    return {
        "in the sources' words, open": [each for each in questions() if not each.apart],
        "in the sources' words, kept apart": [each for each in questions() if each.apart],
        "in other words, English, open": [each for each in english if not each.apart],
        "in other words, English, open, of a later round": list(later_questions()),
        "in other words, English, open, of a third round": list(third_questions()),
        "in other words, English, kept apart": [each for each in english if each.apart],
        "in other words, Amharic and Arabic, open": [each for each in foreign if not each.apart],
        "in other words, Amharic and Arabic, kept apart": [each for each in foreign if each.apart],
        "in other words, the twenty of an earlier round": list(fresh_questions()),
        "in anybody's words, by somebody who knew nothing of the search, kept apart": _answered_in(english=True),
        "the same, in English and answered in Amharic or Arabic": _answered_in(english=False),
    }


def _answered_in(*, english: bool) -> list[Question]:
    """Those of another hand; the language that counts is the one of the source."""
    foreign = {each.slug for each in sources() if each.language != "en"}
    return [each for each in fourth_questions() if (each.source not in foreign) is english]


def _answered(some: list[Question]) -> tuple[Answered, Answered | None]:
    return Answered.of(some), None if model() is None else Answered.of(some, meaning=True)


def section(result: NewsletterResult) -> list[str]:
    """What there is to say of a run."""
    pdf_in, text_in = result.read
    pages = result.pdf[0].pages
    pdf, docx = (statistics.median(each.seconds for each in some) for some in (result.pdf, result.docx))
    lines = [
        "## The newsletter's documents",
        "",
        "| what | wanted | measured |",
        "|---|---|---|",
        f"| a PDF of {pdf_in.pages} pages read in | ≥ 50 pages a second | {pdf_in.pages / pdf_in.seconds:,.0f} |",
        f"| Markdown read in | | {text_in.words / text_in.seconds:,.0f} words a second |",
        f"| a PDF of {pages} pages made | < 3 s | {pdf:.2f} s, {pages / pdf:.1f} pages a second |",
        f"| the same as DOCX | < 1 s | {docx:.2f} s, {pages / docx:,.0f} pages a second |",
        f"| memory of the process that sets the PDF | < 300 MB | {result.megabytes:.0f} MB |",
        "",
        "How well questions about the demo's sources find the passage that answers them (wanted: recall@5 ≥ 0.9, mean",
        "reciprocal rank ≥ 0.75), by words alone, and by words and meaning. Ranking is never changed to suit those",
        "that are kept apart.",
        "",
        "| questions | number | recall@5: words | and meaning | MRR: words | and meaning | nothing found, rightly |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, (words, both) in result.answered.items():
        best = both or words
        nothing = f"{best.nothing_found} of {best.unanswered}" if best.unanswered else ""
        recall = f"{words.recall:.2f} | {'' if both is None else f'{both.recall:.2f}'}"
        rank = f"{words.reciprocal_rank:.2f} | {'' if both is None else f'{both.reciprocal_rank:.2f}'}"
        lines.append(f"| {name} | {words.count} | {recall} | {rank} | {nothing} |")
    return [*lines, "", *passages_bench.section(result.passages)]
