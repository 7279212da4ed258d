"""Figures, names and quotations of a text: what must stand in a source if somebody else claims that it does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

CITATION = re.compile(r"\[(\d{1,4})\]")
_NUMBER = re.compile(r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,’']\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_QUOTED = re.compile(r"[“\"«]([^“”\"«»]{3,600})[”\"»]")
_ISO_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_MARKS = str.maketrans("", "", "*_`#>|")
_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = _MONTH_NAMES.split()
_UNIT_NAMES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TEN_NAMES = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS, _TENS = _UNIT_NAMES.split(), _TEN_NAMES.split()
_NUMBER_WORDS: dict[str, Decimal] = {
    **{word: Decimal(value) for value, word in enumerate(_UNITS)},
    **{word: Decimal(10 * value) for value, word in enumerate(_TENS, 2)},
    **{
        f"{ten}-{unit}": Decimal(10 * tens + units)
        for tens, ten in enumerate(_TENS, 2)
        for units, unit in enumerate(_UNITS[:10])
    },
    "dozen": Decimal(12),
    "half": Decimal(50),
    "twice": Decimal(2),
    "double": Decimal(2),
    "doubled": Decimal(2),
    "triple": Decimal(3),
    "tripled": Decimal(3),
}
_SCALES: dict[str, Decimal] = {
    **{word: Decimal(100) for word in ("hundred", "مائة", "مئة", "መቶ")},
    **{word: Decimal(1_000) for word in ("thousand", "ألف", "الف", "آلاف", "ሺህ", "ሺ")},
    **{word: Decimal(10**6) for word in ("million", "mn", "مليون", "ملايين", "ሚሊዮን", "ሚሊየን")},
    **{word: Decimal(10**9) for word in ("billion", "bn", "مليار", "بليون", "ቢሊዮን", "ቢሊየን")},
    "trillion": Decimal(10**12),
}
_VAGUE = frozenset({"dozens", "hundreds", "thousands", "millions", "billions", "trillions"})
_ENDINGS = ("s", "n", "an", "ian", "ns", "ans", "ians", "ese")
"""What may follow a name that the source has: Kenya, Kenyan, Kenyans."""
_STARTER_WORDS = """
a about above across after again against all along already also although among an and another any are around as at
away back based because been before behind being below beside between beyond both but by can common could despite
did do does down due during each either elsewhere enough even every everyone few fewer finally first for from
further given had half has have he hence her here his how however i if in indeed instead into is it its just last
later less like look many may meanwhile might more moreover most much near nearly neither never new next no nor
not nothing now of off often on once one only or other others our out over overall own part people per perhaps
rather read recent second see several she should since so some soon still such take taken than that the their them
then there these they third this those though three through throughout thus to today together too toward towards
two under until unless up upon was we well were what when where whether which while who whole whose why will with
within without would yet you your authors experts farmers findings households officials report researchers results
study team villages women men data evidence growth prices rain rainfall support training welcome thank enjoy dear
readers edition issue
"""
_STARTERS = frozenset(_STARTER_WORDS.split())
"""Words that begin sentences and are no names."""
_ORDINARY = re.compile(r"(?:ly|ing|ed|tion|tions|ment|ments|ity|ness|ers|ies|ful|ous|able|ible|ance|ence|ors)$")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a text knows: its numbers, its words, and itself without spaces and marks to find quotations in."""

    figures: frozenset[Decimal]
    words: frozenset[str]
    plain: str

    def __or__(self, other: Facts) -> Facts:
        return Facts(self.figures | other.figures, self.words | other.words, f"{self.plain}\n{other.plain}")


NOTHING = Facts(frozenset(), frozenset(), "")


def facts_of(*texts: str) -> Facts:
    """What texts know together. Days are also known by the names of their months."""
    joined = "\n".join(texts)
    figures = {reading for _, readings in _figures(joined) for reading in readings}
    words = {_folded(word) for word in _WORD.findall(joined)}
    words |= {part for word in words if "-" in word for part in word.split("-")}
    for day in _ISO_DAY.findall(joined):
        try:
            parsed = date.fromisoformat(day)
        except ValueError:
            continue
        words.add(_MONTHS[parsed.month - 1].casefold())
        figures |= {Decimal(parsed.year), Decimal(parsed.month), Decimal(parsed.day)}
    return Facts(frozenset(figures), frozenset(words), plain(joined))


def unknown_figures(sentence: str, known: Facts) -> list[str]:
    """The figures of a sentence that stand nowhere in what is known, as they are written."""
    bare = CITATION.sub(" ", sentence)
    missing = [written for written, readings in _figures(bare) if not readings & known.figures]
    vague = [word for word in _WORD.findall(bare) if _folded(word) in _VAGUE and _folded(word) not in known.words]
    return list(dict.fromkeys(missing + vague))


def unknown_names(sentence: str, known: Facts) -> list[str]:
    """The names of a sentence that stand nowhere in what is known. Only scripts with capitals show them."""
    bare = CITATION.sub(" ", sentence).translate(_MARKS)
    missing = []
    for found in _WORD.finditer(bare):
        word = found[0]
        if not any(map(str.isupper, word)) or word in ("I", "A") or _is_known(word, known):
            continue
        begins = not re.search(r"[^\W_]", bare[: found.start()]) or bare[: found.start()].rstrip()[-1:] in (
            "“",
            '"',
            ":",
        )
        folded = _folded(word)
        if begins and word[1:].islower() and (folded in _STARTERS or _ORDINARY.search(folded)):
            continue
        if folded in _STARTERS and word[1:].islower() and begins:
            continue
        missing.append(word)
    return list(dict.fromkeys(missing))


def unknown_quotes(text: str, known: Facts) -> list[str]:
    """What is said to be quoted and is not."""
    quoted = [each.strip() for each in _QUOTED.findall(CITATION.sub(" ", text))]
    return [each for each in quoted if len(each.split()) >= 3 and plain(each).strip(" .,;:!?") not in known.plain]


def citations_in(text: str) -> list[int]:
    """The numbers in square brackets, in order."""
    return [int(number) for number in CITATION.findall(text)]


def plain(text: str) -> str:
    """A text without what differs between two ways to write the same: case, kinds of quotes and spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("‘", "'")
    return " ".join(folded.split())


def _is_known(word: str, known: Facts) -> bool:
    folded = _folded(word)
    parts = folded.split("-") if "-" in folded else [folded]
    return folded in known.words or all(_same_name(part, known.words) for part in parts)


def _same_name(word: str, words: Iterable[str]) -> bool:
    given = words if isinstance(words, frozenset) else frozenset(words)
    if word in given or any(word + ending in given for ending in _ENDINGS):
        return True
    return any(word.endswith(ending) and word[: -len(ending)] in given for ending in _ENDINGS)


def _folded(word: str) -> str:
    folded = unicodedata.normalize("NFKC", word).casefold().replace("’", "'")
    return folded.removesuffix("'s").removesuffix("'")


def _figures(text: str) -> list[tuple[str, frozenset[Decimal]]]:
    """Each figure as it is written, with the values it may have."""
    ascii_digits = "".join(_digit(character) for character in text)
    found: list[tuple[str, frozenset[Decimal]]] = []
    for match in _NUMBER.finditer(ascii_digits):
        scale, word = _scale(ascii_digits, match.end())
        found.append((f"{match[0]}{word}", frozenset(value * scale for value in _readings(match[0]))))
    for match in _WORD.finditer(ascii_digits):
        value = _NUMBER_WORDS.get(_folded(match[0]))
        if value is None or value <= 1:  # "one" is mostly no number
            continue
        scale, word = _scale(ascii_digits, match.end())
        readings = {value * scale, *((Decimal("0.5"), Decimal(2)) if match[0].lower() == "half" else ())}
        found.append((f"{match[0]}{word}", frozenset(readings)))
    return found


def _scale(text: str, end: int) -> tuple[Decimal, str]:
    """What follows a number and makes it larger: `million`."""
    following = re.compile(r"[ \u00a0\u202f-]{0,2}([^\W\d_]+)").match(text, end)
    scale = None if following is None else _SCALES.get(following[1].casefold())
    return (Decimal(1), "") if scale is None or following is None else (scale, f" {following[1]}")


def _readings(number: str) -> frozenset[Decimal]:
    """The values that a number may have: commas and points part thousands here, and decimals there."""
    digits = re.sub(r"[ \u00a0\u202f’']", "", number)
    readings = set()
    for thousands, decimals in ((",", "."), (".", ",")):
        whole, _, fraction = digits.partition(decimals)
        groups = whole.split(thousands)
        if decimals in fraction or thousands in fraction:
            continue
        if len(groups) > 1 and not (1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])):
            continue
        readings.add(Decimal(f"{''.join(groups)}.{fraction or 0}").normalize())
    # A day or a version, 12.3.2026: all of it, or nothing.
    return frozenset(readings) or frozenset(Decimal(part) for part in re.split(r"[.,]", digits) if part)


def _digit(character: str) -> str:
    value = unicodedata.decimal(character, None)
    if value is not None:
        return str(value)
    return {"٫": ".", "٬": ","}.get(character, character)
