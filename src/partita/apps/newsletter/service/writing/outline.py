"""From passages to an outline: stories as clusters, headlines, gists and budgets of words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from partita.apps.newsletter.formats import section_key, topic_id
from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.writing.announcements import announcements
from partita.apps.newsletter.service.writing.candidates import Candidate, candidates, is_generic
from partita.apps.newsletter.service.writing.headlines import untold
from partita.apps.newsletter.service.writing.phrases import book
from partita.apps.newsletter.service.writing.ranking import scores
from partita.apps.newsletter.service.writing.retrieval import Match
from partita.apps.newsletter.service.writing.terms import Vector, alike, cosine, terms, vectors
from partita.apps.newsletter.service.writing.topics import topic
from partita.apps.newsletter.service.writing.values import Edition, Length, Section, Shape, Story

STORIES: Mapping[Length, tuple[int, int]] = {"short": (3, 5), "mixed": (6, 10), "long": (12, 18)}
_TOGETHER = 0.3
_SAME_SOURCE = 0.3
"""How much more alike passages of one source are taken to be."""
_THINGS: frozenset[Shape] = frozenset({"opportunity", "event", "publication"})
"""Of these each passage with a heading of its own is another thing, even in one source."""
_MOST_IN_CLUSTER = 4
_SOURCE_AGAIN = 0.5
"""What a story counts if another one is told from its source already."""
_FURTHER_SOURCE = 0.1
_FRAME = 0.10
"""The share of words for opening and closing."""
_GREETING_WORDS, _CLOSING_WORDS, _DATE_WORDS = 38, 48, 16
"""About what our own phrases take."""
_HEADLINE_WORDS = (4, 12)
_HEADLINE_CHARACTERS = 75
_HEADLINES_ALIKE = 0.6
_MOST_DATES = 6
_FEWEST_DATES = 2
_FEWEST_SENTENCES = 2
_FILLED = 0.85
"""The share of an edition that stories should be able to fill."""
_USABLE = 0.85
"""How much of a passage's text can usually be told."""

_BARE_DOCUMENT = re.compile(
    r"\breprint(?:ed)?\b|^(?:[\w’'-]+ ){0,4}(?:bulletin|circular|newsletter|minutes|press release|fact ?sheet)\b"
    r"\s*(?:$|[,(–-]|no\b|\d|of\b|for\b)",
    re.IGNORECASE,
)
"""What names a document and not what it says."""
_PLANNED = re.compile(r"\b(?:will|shall|(?:is|are) (?:to|due|planned|scheduled|expected|set to))\b")
_CLAUSE_END = re.compile(
    r"(?:,|;|፤|፣|،) |(?= on \d{1,2} [A-Z][a-z]+ \d{4})"
    r"|(?= (?:because|since|after|although|while|whereas|so that|which|where|compared with|until)\b)"
)
_LISTED = re.compile(r", (?!and\b|or\b|but\b|\w+ing\b)(?:[^,]{1,40}|.*,),? (?:and|or|as well as) ")
"""A comma that parts the entries of a list: the first one alone says something else."""
_SUBORDINATE = re.compile(r"(?:After|Although|As|Because|Before|If|Once|Since|Though|Unless|Until|When|Where|While)\b")
_PREPOSITION = re.compile(r"(?:According|Among|At|By|During|For|From|In|Of|On|Under|With|Within|Without)\b")
_LEAD_IN_WORDS = 6
_NEGATION = re.compile(r"\b(not|no|never|without|nor|neither|لم|لا|لن|ليس)\b|አል\w+ም\b", re.IGNORECASE)
_OPEN_END = re.compile(
    r"\b(of|in|on|at|to|for|with|by|from|and|or|the|a|an|than|that|its|about|between|\d[\d,.]*)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Passages that tell one story."""

    topic: str
    matches: tuple[Match, ...]

    @property
    def score(self) -> float:
        """Of its strongest passage, with a bonus for each further source."""
        sources = {each.passage.source_id for each in self.matches}
        best = max(each.score for each in self.matches)
        return best * (1 + _FURTHER_SOURCE * (len(sources) - 1))

    @property
    def pinned(self) -> bool:
        return any(each.pinned for each in self.matches)


def make_outline(edition: Edition, matches: Sequence[Match]) -> tuple[Section, ...]:
    """The sections of an edition: opening, a section per topic that has stories, dates ahead, closing."""
    labels = tuple(dict.fromkeys(each.topic for each in matches))
    found = (each for label in labels for each in clusters(matches, label))
    chosen = _chosen(edition, [each for each in found if _tellable(edition, each)])
    headlined = _headlined(edition, chosen)
    names = book(edition.language).names
    opening = Story(names["welcome"], shape="opening", source="ai_generated", words=_opening_words(edition, headlined))
    closing = replace(opening, title=names["closing"], shape="closing", words=_CLOSING_WORDS)
    ahead = dates_ahead(edition, (each for cluster in chosen for each in cluster.matches))[:_MOST_DATES]
    ahead = ahead if len(ahead) >= _FEWEST_DATES else []
    framed = opening.words + closing.words + _DATE_WORDS * len(ahead)
    stories = _with_budgets(edition, chosen, headlined, framed)
    sections = [Section("introduction", names["introduction"], (opening,), words=opening.words)]
    taken = {"introduction", "conclusion", "coming_up"}
    for label in labels:
        told = tuple(story for cluster, story in zip(chosen, stories, strict=True) if cluster.topic == label)
        if told:
            name = names.get(topic_id(label), label)
            key = section_key(label, taken)
            taken.add(key)
            sections.append(Section(key, name, told, label, sum(each.words for each in told)))
    if ahead:
        references = tuple(dict.fromkeys(match.passage.id for match in ahead))
        noted = Story(names["dates_item"], "", references, _DATE_WORDS * len(ahead), "dates", source="ai_generated")
        sections.append(Section("coming_up", names["dates"], (noted,), words=noted.words))
    sections.append(Section("conclusion", names["conclusion"], (closing,), words=closing.words))
    return tuple(sections)


# -- clusters


def clusters(matches: Sequence[Match], label: str) -> list[Cluster]:
    """The stories of a topic: passages that are alike, by average link, strongest first."""
    found = [each for each in matches if each.topic == label]
    made = vectors([terms(f"{each.passage.heading} {each.passage.text}") for each in found])
    groups: list[list[int]] = [[place] for place in range(len(found))]
    while True:
        best, pair = _TOGETHER, None
        for one in range(len(groups)):
            for other in range(one + 1, len(groups)):
                if len(groups[one]) + len(groups[other]) <= _MOST_IN_CLUSTER:
                    likeness = _average(found, made, groups[one], groups[other])
                    if likeness >= best:
                        best, pair = likeness, (one, other)
        if pair is None:
            break
        groups[pair[0]] += groups.pop(pair[1])
    grouped = [Cluster(label, _in_reading_order([found[place] for place in group])) for group in groups]
    return sorted(grouped, key=lambda each: (not each.pinned, -each.score))


def _in_reading_order(group: Sequence[Match]) -> tuple[Match, ...]:
    """The strongest source first, each source from its beginning on: what comes first there is what matters."""
    strength: dict[str, float] = {}
    for each in group:
        strength[each.passage.source_id] = max(each.score, strength.get(each.passage.source_id, 0.0))
    return tuple(
        sorted(
            group, key=lambda each: (-strength[each.passage.source_id], each.passage.source_id, each.passage.position)
        )
    )


def _average(found: Sequence[Match], made: Sequence[Vector], one: Sequence[int], other: Sequence[int]) -> float:
    total = sum(cosine(made[a], made[b]) + _bond(found[a], found[b]) for a in one for b in other)
    return total / (len(one) * len(other))


def _bond(one: Match, other: Match) -> float:
    """What belonging to one source adds to the likeness of two passages."""
    if one.passage.source_id != other.passage.source_id:
        return 0.0
    known = topic(one.topic)
    if known is not None and known.shape in _THINGS:
        later = max(one.passage, other.passage, key=lambda each: each.position)
        return _SAME_SOURCE if is_generic(later.heading) else -1.0
    return _SAME_SOURCE


def _tellable(edition: Edition, cluster: Cluster) -> bool:
    """Whether its passages have sentences that can be printed."""
    return len(candidates((each.passage for each in cluster.matches), edition)) >= _FEWEST_SENTENCES


def _chosen(edition: Edition, found: Sequence[Cluster]) -> list[Cluster]:
    """As many stories as the length has room for: the best of each topic first, then the strongest; a story from a
    source that has one already counts less. There are more only if those could not fill the edition."""
    most = STORIES[edition.length][1]
    picked: list[Cluster] = []
    used: Counter[str] = Counter()

    strongest: dict[str, float] = {}
    for each in found:
        strongest[each.topic] = max(each.score, strongest.get(each.topic, 0.01))

    def strength(cluster: Cluster) -> tuple[bool, float]:
        again = max(used[each.passage.source_id] for each in cluster.matches)
        relative = cluster.score / strongest[cluster.topic]
        return cluster.pinned, (cluster.score + relative) * _SOURCE_AGAIN**again

    def pick(cluster: Cluster) -> None:
        picked.append(cluster)
        used.update({each.passage.source_id for each in cluster.matches})

    by_topic: dict[str, list[Cluster]] = {}
    for each in found:
        by_topic.setdefault(each.topic, []).append(each)
    leading = sorted(by_topic.values(), key=lambda each: strength(each[0]), reverse=True)
    for each_topic in leading[:most]:
        pick(max(each_topic, key=strength))
    left = [each for each in found if each not in picked]
    while left and (len(picked) < most or sum(map(_room, picked)) < _FILLED * edition.words):
        pick(best := max(left, key=strength))
        left.remove(best)
    return [each for each in found if each in picked]


# -- budgets


def _room(cluster: Cluster) -> float:
    """How many words a story's passages can fill."""
    return _USABLE * sum(word_count(each.passage.text) for each in cluster.matches)


def _opening_words(edition: Edition, stories: Sequence[Story]) -> int:
    """About a twentieth of the words, or what the list of contents takes."""
    listed = sum(word_count(each.title) for each in stories) if edition.length != "short" else 0
    return max(round(edition.words * _FRAME / 2), _GREETING_WORDS + listed)


def _with_budgets(edition: Edition, chosen: Sequence[Cluster], stories: Sequence[Story], framed: int) -> list[Story]:
    """The words of an edition parted by the root of the scores; no story gets more than its passages can fill."""
    headings = sum(word_count(each.title) for each in stories) + 3 * len({each.topic for each in chosen})
    left = float(edition.words - framed - headings)
    rooms = [_room(cluster) for cluster in chosen]
    roots = [math.sqrt(max(cluster.score, 0.01)) for cluster in chosen]
    given = [0.0] * len(chosen)
    open_places = set(range(len(chosen)))
    while open_places and left > 1:
        share = left / sum(roots[place] for place in open_places)
        full = {place for place in open_places if given[place] + share * roots[place] >= rooms[place]}
        for place in full or open_places:
            more = rooms[place] - given[place] if place in full else share * roots[place]
            given[place] += more
            left -= more
        open_places -= full or open_places
    if chosen and left > 1:  # what the passages cannot fill, their neighbours may
        total = sum(given)
        given = [each + left * each / total for each in given] if total else given
    return [replace(story, words=max(30, round(words))) for story, words in zip(stories, given, strict=True)]


# -- headlines and gists


def _headlined(edition: Edition, chosen: Sequence[Cluster]) -> list[Story]:
    stories: list[Story] = []
    taken: list[frozenset[str]] = []
    for cluster in chosen:
        pool = candidates((each.passage for each in cluster.matches), edition)
        ranked = _ranked(edition, cluster, pool)
        title = headline(cluster, ranked, taken)
        taken.append(frozenset(terms(title)))
        gist = next((each.text for each in ranked if each.stands_alone), ranked[0].text if ranked else "")
        known = topic(cluster.topic)
        references = tuple(each.passage.id for each in cluster.matches)
        stories.append(Story(title, gist, references, shape=known.shape if known else "news"))
    return stories


def _ranked(edition: Edition, cluster: Cluster, pool: Sequence[Candidate]) -> list[Candidate]:
    subject = " ".join((cluster.matches[0].passage.heading, cluster.matches[0].passage.title))
    judged = scores(pool, subject, edition)
    order = sorted(range(len(pool)), key=lambda place: -judged[place])
    return [pool[place] for place in order]


def headline(cluster: Cluster, ranked: Sequence[Candidate], taken: Iterable[frozenset[str]]) -> str:
    """The first wording of 4 to 12 words that no other story has and whose figures and names the sentences tell: a
    heading, a title, a main clause, key phrases."""
    others = tuple(taken)
    text = " ".join(each.text for each in ranked)
    for wording in _wordings(cluster, ranked):
        apart = all(alike(frozenset(terms(wording)), each) < _HEADLINES_ALIKE for each in others)
        if fits(wording) and apart and not untold(wording, text):
            return wording
    passage = cluster.matches[0].passage
    best = " ".join(ranked[0].text.split()[: _HEADLINE_WORDS[1] - 2]) if ranked else ""
    for wording in (passage.heading, passage.title):
        if wording and not untold(wording, text):
            return wording[:_HEADLINE_CHARACTERS].strip()
    return f"{best[: _HEADLINE_CHARACTERS - 1].strip(' ,;:.')}…" if best else cluster.topic


def _wordings(cluster: Cluster, ranked: Sequence[Candidate]) -> Iterable[str]:
    headings = [
        match.passage.heading.strip().rstrip(".") if not is_generic(match.passage.heading) else ""
        for match in cluster.matches
    ]
    title = cluster.matches[0].passage.title.strip().rstrip(".")
    known = topic(cluster.topic)
    publication = known is not None and known.shape == "publication"
    bare = [each for each in (headings[0], title) if not publication and _BARE_DOCUMENT.search(each)]
    yield from (each for each in (headings[0], title) if each not in bare)
    alone = [each for each in ranked if each.stands_alone and each.passage.id == cluster.matches[0].passage.id]
    first = min(alone, key=lambda each: each.place, default=None)
    places = {match.passage.id: place for place, match in enumerate(cluster.matches)}
    things = known is not None and known.shape in _THINGS
    # What a source tells first matters most; what happened comes before what is planned.
    others = sorted(
        (each for each in ranked if each.stands_alone),
        key=lambda each: (not things and bool(_PLANNED.search(each.text)), places[each.passage.id], each.place),
    )
    for each in (*((first,) if first else ()), *others):
        clause = main_clause(each.text)
        if clause:
            yield clause
    yield from bare
    # What another passage is about is not what the story begins with.
    yield from headings[1:]
    if len(cluster.matches[0].passage.heading.split()) > 1:
        yield f"{cluster.matches[0].passage.title}: {cluster.matches[0].passage.heading}"


def main_clause(sentence: str) -> str | None:
    """The longest beginning of a sentence that says something whole in a headline's length: it ends with a clause,
    keeps every "not", and parts no number from its unit."""
    text = re.sub(r"\s*\([^()]*\)", "", sentence).rstrip(".!።").strip()
    if fits(text):
        return text
    for end in reversed([match.start() for match in _CLAUSE_END.finditer(text)]):
        begun, rest = text[:end], text[end:]
        if (
            fits(begun)
            and not _leads_in(begun, rest)
            and not _LISTED.match(rest)
            and not _NEGATION.search(rest)
            and not _OPEN_END.search(begun)
        ):
            return begun
    return None


def _leads_in(begun: str, rest: str) -> bool:
    """Whether what stands before a comma only leads to what is said: Before the quay was built, In March 2026."""
    return rest.startswith(",") and bool(
        _SUBORDINATE.match(begun) or (_PREPOSITION.match(begun) and len(begun.split()) <= _LEAD_IN_WORDS)
    )


def fits(text: str) -> bool:
    """Whether a text has a headline's length."""
    fewest, most = _HEADLINE_WORDS
    fewest -= not text.isascii() and not re.search("[A-Za-z]{3}", text)  # Amharic and Arabic join small words to others
    return fewest <= len(text.split()) <= most and len(text) <= _HEADLINE_CHARACTERS


# -- dates ahead


def dates_ahead(edition: Edition, matches: Iterable[Match]) -> list[Match]:
    """Passages that announce something, soonest first."""
    found = {}
    for match in matches:
        days = [each.first for each in announcements(edition, match.passage.text)]
        if days:
            found[match.passage.id] = (min(days), match)
    return [match for _, match in sorted(found.values(), key=lambda each: (each[0], each[1].passage.id))]
