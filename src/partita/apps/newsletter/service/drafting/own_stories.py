"""A person's own stories: if they have chosen no passages, what answers their words is what the story is told from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from partita.apps.newsletter.service.passages import Candidates
from partita.apps.newsletter.service.writing.retrieval import QUESTION_FLOOR, Query, relevance
from partita.apps.newsletter.service.writing.terms import speaks
from partita.apps.newsletter.service.writing.values import Passage, Section, Story

_MOST = 3
_OWN_SHELF = 0.6
"""What passages of the newsletter's own shelf need of the floor: somebody has put them there for it."""

_ALIKE = 0.36
"""How alike in meaning a passage must be: a wrong source is worse for a story than none."""


def is_own_without_sources(story: Story) -> bool:
    """Whether a story is a person's and refers to nothing yet."""
    return story.source == "user" and not story.references and story.shape not in ("opening", "dates", "closing")


def asked_by(title: str, gist: str, note: str) -> Query:
    """What a story asks the sources."""
    return Query.of_text(f"{title} {gist} {note}")


def own_sources(language: str, query: Query, found: Candidates, dropped: Collection[str] = ()) -> tuple[Passage, ...]:
    """The passages that answer a story's title, gist and note, best first; none that a person has dropped."""
    query = replace(query, likeness={name: each for name, each in found.likeness.items() if each >= _ALIKE})
    judged = [
        (max(relevance(query, each, found.statistics)[0], query.meaning_of(each)), each)
        for each in found.passages
        if each.kind == "text" and each.id not in dropped
    ]
    good = [
        (score, each)
        for score, each in judged
        if score >= QUESTION_FLOOR * (_OWN_SHELF if each.own else 1.0)
        and (each.language == language or speaks(each.text, language))
    ]
    return tuple(each for _, each in sorted(good, key=lambda pair: (-pair[0], pair[1].id))[:_MOST])


def with_own_sources(sections: tuple[Section, ...], answers: Mapping[str, tuple[Passage, ...]]) -> tuple[Section, ...]:
    """The sections whose own stories refer to what was found for them."""
    return tuple(
        replace(
            section,
            stories=tuple(
                replace(story, references=tuple(each.id for each in answers.get(story.id, ())))
                if is_own_without_sources(story)
                else story
                for story in section.stories
            ),
        )
        for section in sections
    )
