"""Citations in Markdown: `[3]` names the third entry of the draft's own list of passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

_CODE = re.compile(
    r"^(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^\1[`~]*+[ \t]*+$|\Z)|(?<!`)(`++).+?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE
)
_CITATION = re.compile(r"(?<!\\)((?:\\\\)*)\[([1-9]\d{0,2})\](?!\()")


@dataclass(frozen=True, slots=True)
class Tidy:
    """Texts whose citations count from 1 in the order of reading."""

    texts: tuple[str, ...]
    numbers: Mapping[int, int]
    """Old number → new number, of the citations that there are."""


def cited(text: str) -> tuple[int, ...]:
    """The numbers that a text cites, in its order, each as often as it is there; code is no text."""
    return tuple(int(found[2]) for found in _CITATION.finditer(_without_code(text)))


def unresolved(text: str, known: Collection[int]) -> tuple[int, ...]:
    """The numbers that a text cites and that mean nothing, once each."""
    return tuple(dict.fromkeys(number for number in cited(text) if number not in known))


def renumbered(text: str, number: Callable[[int], int]) -> str:
    """The text with other numbers."""
    plain = _without_code(text)
    pieces: list[str] = []
    at = 0
    for found in _CITATION.finditer(plain):
        pieces += [text[at : found.end(1)], f"[{number(int(found[2]))}]"]
        at = found.end()
    return "".join((*pieces, text[at:]))


def tidied(texts: Sequence[str], known: Collection[int]) -> Tidy:
    """The texts with the numbers 1, 2, 3 … in the order in which they are first cited.

    A number that means nothing gets one that means nothing either. Citations that no text uses come last.
    """
    used = dict.fromkeys(number for text in texts for number in cited(text))
    order = [number for number in used if number in known]
    order += [number for number in sorted(known) if number not in used]
    numbers = {old: new for new, old in enumerate(order, start=1)}
    unknown = {old: new for new, old in enumerate((each for each in used if each not in known), start=len(numbers) + 1)}
    every = {**numbers, **unknown}
    return Tidy(tuple(renumbered(text, lambda old: every[old]) for text in texts), numbers)


def carried_over(
    texts: Iterable[str], own: Mapping[int, str], there: Mapping[int, str], taken: Iterable[int] = ()
) -> tuple[tuple[str, ...], Mapping[int, int]]:
    """Texts of another list of citations, with numbers of this one.

    `own` and `there` are number → what it cites. Returned are the texts, and the numbers of the other list → new
    numbers of those that this one lacks. What meant nothing there means nothing here. New numbers are beyond those of
    this list, and none is `taken`, such as by a text that cites it though it leads nowhere.
    """
    kept = tuple(texts)
    numbers_of = {what: number for number, what in sorted(own.items(), reverse=True)}
    free = free_numbers(own, taken)
    mapping: dict[int, int] = {}
    added: dict[int, int] = {}
    used = dict.fromkeys(number for text in kept for number in cited(text))
    for number in used:
        if number in there and there[number] in numbers_of:
            mapping[number] = numbers_of[there[number]]
        elif number in there:
            mapping[number] = added[number] = numbers_of[there[number]] = next(free)
    for number in used:
        if number not in there:
            mapping[number] = next(free)
    return tuple(renumbered(text, lambda old: mapping[old]) for text in kept), added


def free_numbers(own: Iterable[int], taken: Iterable[int] = ()) -> Iterator[int]:
    """Numbers for new citations, beyond all of a list and none of those that are taken otherwise."""
    others = frozenset(taken)
    return (number for number in count(max(own, default=0) + 1) if number not in others)


def _without_code(text: str) -> str:
    """The text with blanks where code is, so that places stay the same."""
    return _CODE.sub(lambda found: " " * len(found[0]), text) if "`" in text or "~~~" in text else text
