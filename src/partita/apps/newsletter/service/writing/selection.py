"""Which sentences tell a story within its budget, and in which order (steps 5 and 6 of the extractive writer)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from partita.apps.newsletter.service.writing.candidates import Candidate, by_key, predecessor
from partita.apps.newsletter.service.writing.terms import alike

TOO_ALIKE = 0.55
"""Whatever is more like a sentence of the edition is not told again."""
_RELEVANCE = 0.7
_FOLLOWS = 0.06
"""What a sentence gains by following one that was chosen."""
_BEGINNING = 0.3
"""What the first sentence of a passage gains as the lead of a story."""
_MIDDLE = 0.12
"""What a sentence loses if nothing before it in its passage is told."""
_THE_SAME = 0.75
"""What is more alike says the same, and is not told again even if a headline needs it."""
_OVERSHOOT = 10
FEWEST = 2
_PARAGRAPH = 4


def choose(
    pool: Sequence[Candidate],
    judged: Mapping[tuple[str, int], float],
    budget: int,
    used: Iterable[frozenset[str]],
    leads: Sequence[Candidate] = (),
    must: Sequence[Candidate] = (),
) -> list[Candidate]:
    """The sentences that say most, each something else, in about as many words as the budget has.

    The best of `leads` is among them, and what `must` be told. What leans on the sentence before it comes only with
    that; nothing is like what the edition has already.
    """
    known = by_key(pool)
    told = list(used)
    chosen: dict[tuple[str, int], Candidate] = {}
    words = 0
    left = dict(known)
    for each in must:
        needed = [one for one in _bundle(each, known, chosen) or () if one.key not in chosen]
        if not any(_says_the_same(one, told) for one in needed):
            for one in needed:
                chosen[one.key] = one
                told.append(one.terms)
                words += one.words
                left.pop(one.key, None)
    fresh = [each for each in leads if each.key not in chosen and not _repeats(each, told)]
    if chosen and any(each.key in chosen for each in leads):
        fresh = []
    if fresh:
        lead = max(fresh, key=lambda each: judged[each.key] + _BEGINNING * (each.place == 0))
        chosen[lead.key] = lead
        told.append(lead.terms)
        words += lead.words
        left.pop(lead.key, None)
    while left and (words < budget - _OVERSHOOT or len(chosen) < FEWEST):
        best: tuple[float, list[Candidate]] | None = None
        for each in list(left.values()):
            bundle = _bundle(each, known, chosen)
            if bundle is None or _second_quote(bundle, chosen) or any(_repeats(one, told) for one in bundle):
                del left[each.key]
                continue
            length = sum(one.words for one in bundle)
            if words + length > budget + _OVERSHOOT and len(chosen) >= FEWEST:
                continue
            value = _value(each, bundle, judged, chosen)
            if best is None or value > best[0]:
                best = (value, bundle)
        if best is None:
            break
        for each in best[1]:
            chosen[each.key] = each
            told.append(each.terms)
            words += each.words
            left.pop(each.key, None)
    return list(chosen.values())


def _bundle(
    candidate: Candidate, known: Mapping[tuple[str, int], Candidate], chosen: Mapping[tuple[str, int], Candidate]
) -> list[Candidate] | None:
    """A sentence with those that it needs before it; None if one of them cannot be printed."""
    bundle = [candidate]
    first = candidate
    while first.loose or first.definite:
        if first.definite and not first.loose and _introduced(first, chosen.values()):
            break
        before = predecessor(first, known)
        if before is None:
            return None
        if before.key in chosen:
            break
        bundle.insert(0, before)
        first = before
        if len(bundle) > 3:
            return None
    return bundle


def _introduced(candidate: Candidate, chosen: Iterable[Candidate]) -> bool:
    """Whether an earlier sentence of the same source is told: it may have named what this one speaks of."""
    here = (candidate.passage.position, candidate.place)
    return any(
        each.passage.source_id == candidate.passage.source_id and (each.passage.position, each.place) < here
        for each in chosen
    )


def _second_quote(bundle: Sequence[Candidate], chosen: Mapping[tuple[str, int], Candidate]) -> bool:
    """One voice a story is enough."""
    return any(each.quote for each in bundle) and any(each.quote for each in chosen.values())


def _repeats(candidate: Candidate, told: Iterable[frozenset[str]]) -> bool:
    return any(alike(candidate.terms, each) > TOO_ALIKE for each in told)


def _says_the_same(candidate: Candidate, told: Iterable[frozenset[str]]) -> bool:
    return any(alike(candidate.terms, each) > _THE_SAME for each in told)


def _value(
    candidate: Candidate,
    bundle: Sequence[Candidate],
    judged: Mapping[tuple[str, int], float],
    chosen: Mapping[tuple[str, int], Candidate],
) -> float:
    score = sum(judged[each.key] for each in bundle) / len(bundle)
    likest = max((alike(candidate.terms, each.terms) for each in chosen.values()), default=0.0)
    follows = _FOLLOWS if (candidate.passage.id, candidate.place - 1) in chosen else 0.0
    begun = bundle[0].place == 0 or any(each.passage.id == candidate.passage.id for each in chosen.values())
    return _RELEVANCE * score - (1 - _RELEVANCE) * likest + follows - (0.0 if begun else _MIDDLE)


def ordered(
    chosen: Sequence[Candidate], judged: Mapping[tuple[str, int], float], references: Sequence[str] = ()
) -> list[Candidate]:
    """The sources in the story's order, each from its beginning on; a sentence that stands alone comes first."""
    if not chosen:
        return []
    places = {reference: place for place, reference in enumerate(references)}
    sources: dict[str, int] = {}
    for each in sorted(chosen, key=lambda each: places.get(each.passage.id, len(places))):
        sources.setdefault(each.passage.source_id, len(sources))
    in_order = sorted(
        chosen,
        key=lambda each: (
            sources[each.passage.source_id],
            each.passage.position,
            each.place,
        ),
    )
    if in_order[0].stands_alone:
        return in_order
    alone = [each for each in chosen if each.stands_alone]
    return _with_lead(in_order, max(alone, key=lambda each: judged[each.key])) if alone else in_order


def _with_lead(in_order: list[Candidate], lead: Candidate) -> list[Candidate]:
    """A sentence that stands alone comes first, together with those that lean on it."""
    place = in_order.index(lead)
    end = place + 1
    while end < len(in_order) and in_order[end].loose and in_order[end].passage.id == lead.passage.id:
        end += 1
    return [*in_order[place:end], *in_order[:place], *in_order[end:]]


def paragraphs(in_order: Sequence[Candidate]) -> list[list[Candidate]]:
    """Paragraphs of two to four sentences, parted where the passage changes if that leaves none alone."""
    runs: list[list[Candidate]] = []
    for each in in_order:
        if runs and runs[-1][-1].passage.id == each.passage.id:
            runs[-1].append(each)
        else:
            runs.append([each])
    made: list[list[Candidate]] = []
    for run in runs:
        parts = _parted(run)
        if len(parts) > 1 and len(parts[-1]) == 1:
            parts[-2:] = [parts[-2] + parts[-1]]
        if (made and len(parts[0]) == 1 and len(made[-1]) < _PARAGRAPH) or (
            made and len(made[-1]) == 1 and len(parts[0]) < _PARAGRAPH
        ):
            made[-1] += parts.pop(0)
        made += parts
    return made


def _parted(run: list[Candidate]) -> list[list[Candidate]]:
    """A run cut into paragraphs, never before a sentence that leans on the one before it."""
    if len(run) <= _PARAGRAPH:
        return [run]
    for place in sorted(range(2, min(len(run) - 1, _PARAGRAPH + 1)), key=lambda at: abs(at - len(run) / 2)):
        if not run[place].loose:
            return [run[:place], *_parted(run[place:])]
    return [run[:_PARAGRAPH], *_parted(run[_PARAGRAPH:])]
