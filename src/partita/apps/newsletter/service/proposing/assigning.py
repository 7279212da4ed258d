"""Which section tells what: every unit of the sources goes to the section whose kind it is of, or to none.

Sentences of the proposal's own files can be told anywhere. What the common sources tell is of other projects: it can be
evidence of the need, and no section of what we want, do, reach, spend, or are. A section that sums up gets what sources
say in short; the rest of it is what the other sections say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from partita.apps.newsletter.service.proposing.cues import LEAST, best_of, cued_for, scores_of, table_scores
from partita.apps.newsletter.service.proposing.frames import ProposalSection
from partita.apps.newsletter.service.proposing.kinds import Kind, kinds_of
from partita.apps.newsletter.service.proposing.units import Unit, together, units_of
from partita.apps.newsletter.service.writing.repeats import Earlier
from partita.apps.newsletter.service.writing.terms import terms
from partita.apps.newsletter.service.writing.values import Passage

EVIDENCE: frozenset[Kind] = frozenset(("need",))
"""Where facts of the world belong, whoever has found them."""
_OF_OTHERS = 0.8
"""What sentences of the common sources count if there are too many."""
_INSTEAD: dict[Kind, Kind] = {"plan": "method"}
"""Where something is told if a proposal has no section for it."""
_THE_SAME = 0.75
_MOST_TABLES = 2


@dataclass(frozen=True, slots=True)
class Told:
    """Units that are told together in a section, and how well they fit."""

    units: tuple[Unit, ...]
    score: float

    @property
    def words(self) -> int:
        return sum(each.words for each in self.units)

    @property
    def is_table(self) -> bool:
        return self.units[0].shape == "table"

    @property
    def order(self) -> tuple[str, int, int]:
        return self.units[0].order


def assigned(
    sections: Sequence[ProposalSection],
    passages: Iterable[Passage],
    told: Iterable[str] = (),
    *,
    room: Mapping[str, int],
    year: int,
    asked: str = "",
) -> dict[str, tuple[Told, ...]]:
    """What each section tells, in the order of the sources and within its words (`room`); nothing is told twice, and
    nothing that is `told` already. If one section is `asked` for and nothing fits it best, it gets what fits it too."""
    kinds = {each.key: kinds_of(each) for each in sections}
    units = units_of(passages)
    words = {id(each): each.terms for each in units}
    there = [frozenset(terms(each)) for each in told]
    known = Earlier((*there, *words.values()), _THE_SAME)
    for each in there:
        known.add(each)
    by_section: dict[str, list[Told]] = {each.key: [] for each in sections}
    second_best: list[Told] = []
    for whole in together(units):
        # What leans on a sentence goes only as long as nothing between them is told already.
        run = tuple(takewhile(lambda unit: known.alike(words[id(unit)]) is None, whole))
        if not run:
            continue
        for unit in run:
            if unit.shape != "table":
                known.add(words[id(unit)])
        home = _home(run, sections, kinds, year)
        if home is not None:
            key, found = home
            by_section[key].append(found)
            fits = _judged(run[0], sections, kinds, year).get(asked, 0.0) if asked and key != asked else 0.0
            if fits >= LEAST:
                second_best.append(Told(found.units, fits))
    if asked:
        by_section[asked] = by_section[asked] or second_best
    chosen = {key: _within(found, room.get(key, 0)) for key, found in by_section.items()}
    return {key: _in_order(found) for key, found in chosen.items()}


def _home(
    run: Sequence[Unit],
    sections: Sequence[ProposalSection],
    kinds: Mapping[str, tuple[Kind, ...]],
    year: int,
) -> tuple[str, Told] | None:
    """The section that tells a run of units, and those of the run that belong there."""
    first = _judged(run[0], sections, kinds, year)
    key = max(first, key=lambda each: first[each], default=None)
    if key is not None and first[key] < LEAST and len(run) > 1:
        # A sentence that says little opens what the next one says.
        second = _judged(run[1], sections, kinds, year)
        key = max(second, key=lambda each: second[each])
        first = {**first, key: second[key]}
    if key is None or first[key] < LEAST or not _may_tell(run[0], kinds[key]):
        return None
    kept = [run[0]]
    for unit in run[1:]:
        if not _may_tell(unit, kinds[key]):
            break
        judged = _judged(unit, sections, kinds, year)
        best = max(judged, key=lambda each: judged[each])
        # What leans on a sentence goes with it if it has something of the kind itself, and is not more of another.
        if (best != key and judged[best] > judged[key] + LEAST) or not cued_for(unit.text, kinds[key]):
            break
        kept.append(unit)
    return key, Told(tuple(kept), first[key] * (1.0 if run[0].passage.own else _OF_OTHERS))


def _judged(
    unit: Unit,
    sections: Sequence[ProposalSection],
    kinds: Mapping[str, tuple[Kind, ...]],
    year: int,
) -> dict[str, float]:
    """How well a unit fits each section."""
    passage = unit.passage
    if unit.shape == "table":
        scores = table_scores(unit.rows, unit.caption, passage.heading)
    else:
        scores = scores_of(unit.text, passage.heading, passage.title, year)
    present = {kind for some in kinds.values() for kind in some}
    for kind, other in _INSTEAD.items():
        if kind not in present and scores.get(kind, 0.0) >= LEAST and unit.shape != "table":
            scores[other] = max(scores.get(other, 0.0), scores[kind])
    if not passage.own:
        best = max(scores.values(), default=0.0)
        evidence = unit.shape != "table" and best_of(scores, EVIDENCE) >= best
        scores = {kind: value for kind, value in scores.items() if evidence and kind in EVIDENCE}
    absent = max((value for kind, value in scores.items() if kind not in present), default=0.0)
    judged: dict[str, float] = {}
    for section in sections:
        own = kinds[section.key]
        value = best_of(scores, own) if own else _by_words(section, unit)
        if not _may_tell(unit, own):
            value = 0.0
        # What clearly is of a kind that the proposal has no section for belongs to none.
        judged[section.key] = value if value + LEAST > absent else 0.0
    return judged


def _may_tell(unit: Unit, kinds: Sequence[Kind]) -> bool:
    """Whether a section of these kinds may tell a unit."""
    return unit.passage.own or takes_evidence(kinds)


def takes_evidence(kinds: Sequence[Kind]) -> bool:
    """Whether a section of these kinds may tell what the common sources say."""
    return bool(kinds) and EVIDENCE.issuperset(kinds)


def _by_words(section: ProposalSection, unit: Unit) -> float:
    """For a section whose kind nobody knows: how many words of its title a unit or its heading has."""
    wanted = frozenset(terms(section.title))
    if not wanted:
        return 0.0
    here = unit.terms | frozenset(terms(unit.passage.heading))
    return 2.0 * len(wanted & here) / len(wanted)


def _within(found: Sequence[Told], room: int) -> list[Told]:
    """Tables first, then the best that fits into the words left."""
    chosen: list[Told] = []
    words = 0
    tables = 0
    for each in sorted(found, key=lambda each: (not each.is_table, -each.score, each.order)):
        if words + each.words > room or (each.is_table and tables == _MOST_TABLES):
            continue
        tables += each.is_table
        words += each.words
        chosen.append(each)
    return chosen


def _in_order(found: Sequence[Told]) -> tuple[Told, ...]:
    """The source that tells most first, each from its beginning on; tables last."""
    weight: dict[str, float] = {}
    for each in found:
        weight[each.order[0]] = weight.get(each.order[0], 0.0) + each.score
    return tuple(sorted(found, key=lambda each: (each.is_table, -weight[each.order[0]], each.order)))
