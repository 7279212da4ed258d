"""An outline as a model gives it: read, checked, and put into the frame that we made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from partita.apps.newsletter.service.generators.checks import ADDRESS, TAG
from partita.apps.newsletter.service.writing.facts import NOTHING, facts_of, plain, unknown_figures, unknown_names
from partita.apps.newsletter.service.writing.values import Passage, Section, Story

_JSON = re.compile(r"\{.*\}", re.DOTALL)
_MARKUP = re.compile(r"[\[\]<>#*`|]")
_LONGEST_TITLE = 75
_LONGEST_GIST = 300


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PlannedStory(_Part):
    """A story as the model plans it."""

    title: str = Field(min_length=1, max_length=200)
    gist: str = Field(default="", max_length=1000)
    passages: tuple[int, ...] = Field(min_length=1, max_length=20)


class PlannedSection(_Part):
    """The stories of a topic."""

    topic: str
    stories: tuple[PlannedStory, ...] = Field(max_length=40)


class PlannedOutline(_Part):
    """All of it."""

    sections: tuple[PlannedSection, ...] = Field(min_length=1, max_length=20)


def read_outline(text: str) -> PlannedOutline:
    """The outline in an answer, which may have words around it."""
    found = _JSON.search(text)
    return PlannedOutline.model_validate_json(found[0] if found else "")


def outline_faults(
    text: str, topics: Mapping[str, tuple[int, ...]], passages: Mapping[int, Passage], most: int, secret: str
) -> tuple[str, ...]:
    """What is wrong with an outline."""
    try:
        outline = read_outline(text)
    except (ValidationError, ValueError):
        return ("The answer is not JSON of the form that was asked for.",)
    found = [
        f"“{section.topic}” is no topic of this newsletter."
        for section in outline.sections
        if section.topic not in topics
    ]
    stories = [story for section in outline.sections for story in section.stories]
    if len({section.topic for section in outline.sections}) != len(outline.sections):
        found.append("A topic appears twice.")
    if not 1 <= len(stories) <= most:
        found.append(f"There are {len(stories)} stories, and at least one and at most {most} are wanted.")
    used: set[int] = set()
    titles: set[str] = set()
    for section in outline.sections:
        for story in section.stories:
            found += _wrong(story, topics.get(section.topic, ()), passages, secret)
            twice = used & set(story.passages)
            found += [f"Passage [{number}] is in two stories." for number in sorted(twice)]
            used |= set(story.passages)
            if plain(story.title) in titles:
                found.append(f"Two stories are called “{story.title}”.")
            titles.add(plain(story.title))
    return tuple(dict.fromkeys(found))[:12]


def with_stories(
    frame: tuple[Section, ...], outline: PlannedOutline, passages: Mapping[int, Passage]
) -> tuple[Section, ...]:
    """The frame with the model's stories; a topic that it left out keeps ours."""
    planned = {section.topic: section.stories for section in outline.sections if section.stories}
    return tuple(
        _planned(section, planned[section.topic], passages) if section.topic in planned else section
        for section in frame
    )


def _planned(section: Section, stories: tuple[PlannedStory, ...], passages: Mapping[int, Passage]) -> Section:
    ours = {each: story for story in section.stories for each in story.references}
    budget = section.words or sum(story.words for story in section.stories)
    made = []
    for planned in stories:
        references = tuple(passages[number].id for number in dict.fromkeys(planned.passages))
        like = next((ours[each] for each in references if each in ours), section.stories[0])
        words = max(40, round(budget / len(stories)))
        made.append(
            Story(
                title=" ".join(planned.title.split()),
                gist=" ".join(planned.gist.split()),
                references=references,
                words=words,
                shape=like.shape,
            )
        )
    return replace(section, stories=tuple(made))


def _wrong(story: PlannedStory, own: tuple[int, ...], passages: Mapping[int, Passage], secret: str) -> list[str]:
    words, title = f"{story.title}\n{story.gist}", f"“{story.title[:80]}”"
    found = [
        f"Passage [{number}] is not one of the topic of {title}." for number in story.passages if number not in own
    ]
    if len(story.title) > _LONGEST_TITLE or not 3 <= len(story.title.split()) <= 14:
        found.append(f"The title {title} must have 4 to 12 words and at most {_LONGEST_TITLE} characters.")
    if len(story.gist) > _LONGEST_GIST:
        found.append(f"The gist of {title} is longer than a sentence.")
    if _MARKUP.search(words) or ADDRESS.search(words) or TAG.search(words) or (secret and secret in words):
        found.append(f"{title} contains markup or an address: leave it out.")
    known = NOTHING
    for number in story.passages:
        if number in passages:
            passage = passages[number]
            known |= facts_of(passage.text, passage.title, passage.heading, passage.publisher, passage.published or "")
    found += [f"The figure {figure} of {title} is not in its passages." for figure in unknown_figures(words, known)]
    # Titles may have capitals everywhere: each word is looked at as if it began a sentence.
    names = [name for word in story.title.split() for name in unknown_names(word, known)]
    names += unknown_names(story.gist, known)
    found += [f"The name {name} of {title} is not in its passages." for name in dict.fromkeys(names)]
    return found
