"""What a headline claims, and whether the text under it tells that: every number, name and day."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from partita.apps.newsletter.service.writing.candidates import Candidate
from partita.apps.newsletter.service.writing.facts import facts_of, unknown_figures, unknown_names

_FIRST_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")


def untold(title: str, text: str) -> tuple[str, ...]:
    """The figures and names of a headline that a text does not have, as the headline writes them.

    The first word has a capital whatever it is: it counts as a name only if it cannot be an ordinary word.
    """
    known = facts_of(text)
    missing = [*unknown_figures(title, known), *unknown_names(title, known)]
    first = _FIRST_WORD.match(title)
    if first is not None and first[0] in missing and first[0][1:].islower() and not _is_name(first[0], text):
        missing.remove(first[0])
    return tuple(missing)


def _is_name(word: str, text: str) -> bool:
    """Whether a text uses a word as a name: within a sentence, and always with a capital."""
    within = re.search(rf"(?<=[\w,;] ){re.escape(word)}\b", text)
    return within is not None and re.search(rf"\b{re.escape(word.lower())}\b", text) is None


def telling(
    title: str, pool: Sequence[Candidate], judged: Mapping[tuple[str, int], float], text: str = ""
) -> list[Candidate]:
    """The sentences that tell what a headline claims and a text does not: as few as can be, the better ones first."""
    chosen: list[Candidate] = []
    missing = untold(title, text)
    while missing:
        gains = [
            (len(missing) - len(untold(title, f"{text} {each.text}")), judged.get(each.key, 0.0), place)
            for place, each in enumerate(pool)
        ]
        best = max(gains, key=lambda each: (each[0], each[1], -each[2]), default=None)
        if best is None or best[0] <= 0:
            break
        chosen.append(pool[best[2]])
        text = f"{text} {pool[best[2]].text}"
        missing = untold(title, text)
    return chosen
