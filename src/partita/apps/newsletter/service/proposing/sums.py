"""Sums of money as people of many countries write them: USD 250,000; 250.000 EUR; EUR 1 200 000,50; €1.5 million."""

from __future__ import annotations

import re
from itertools import pairwise

_LETTER = r"[^\W\d_]"
_WORDS = {
    r"(?:US|U\.S\.|United States)\s?dollars?": "USD",
    r"Kenyan?\sshillings?": "KES",
    r"Uganda(?:n)?\sshillings?": "UGX",
    r"Tanzanian?\sshillings?": "TZS",
    r"(?:Ethiopian\s)?birr": "ETB",
    r"Swiss\sfrancs?": "CHF",
    r"pounds?\ssterling": "GBP",
    "dollars?": "USD",
    "ብር": "ETB",
    "ዶላር": "USD",
    "ዩሮ": "EUR",
    r"دولارا?(?:\sأمريكيا?)?": "USD",
    "يورو": "EUR",
}
MONEY = (
    rf"(?<!{_LETTER})(?:USD|US\$|EUR(?:os?)?|€|GBP|£|\$|KES|KSh\.?|ETB|UGX|TZS|RWF|SDG|SOS|CHF|XOF|XAF|ZAR|NGN|GHS|INR"
    rf"|{'|'.join(_WORDS)})(?!{_LETTER})"
)
_CURRENCIES = {"$": "USD", "US$": "USD", "€": "EUR", "EURO": "EUR", "EUROS": "EUR", "£": "GBP", "KSH": "KES"}
_GROUPED = r"\d{1,3}(?P<%s>[ \u00a0\u202f,.٬'’])\d{3}(?:(?P=%s)\d{3})*(?!\d)(?:[.,٫]\d{1,2}(?!\d))?"
_SUM = re.compile(
    rf"(?:(?P<before>{MONEY})\s?)?(?<![\d.,٬٫])"
    rf"(?P<number>{_GROUPED % ('mark', 'mark')}|\d+(?:[.,٫]\d+)?)"
    rf"(?:\s?(?P<unit>millions?|mio|mn|m|billions?|bn|thousand|k)(?!{_LETTER}))?(?:[.,][-–])?"
    rf"(?(before)|(?:\s?(?P<after>{MONEY})(?!\s?(?:\d{{3,}}|{_GROUPED % ('next', 'next')})))?)",
    re.IGNORECASE,
)
_LONGEST = 30
_APART = 40
"""So many characters may stand between two numbers of a list."""
_UNITS = {"m": 10**6, "b": 10**9, "t": 1_000, "k": 1_000}
_LIST = re.compile(r"\s*[,;/]\s*|\s*,?\s*(?:and|or)\s+(?:up to\s+)?", re.IGNORECASE)
_RANGE = re.compile(r"\s*[-–—]\s*|\s+(?:to|or|and)\s+(?:up to\s+)?", re.IGNORECASE)
_ENDS = re.compile(
    rf"\s*(?:$|[.,;:)\]!?/–—-]|\n|{MONEY}|(?:or|and|to|for|per|in|over|each|respectively|depending|are|is|will|can|may|shall"
    r"|must|with|within|as|at|of|under|a year)\b)",
    re.IGNORECASE,
)
"""What may follow a number without a currency for it to be money, as in `USD 50,000, 100,000 or 150,000 for`; what
follows `100,000 farmers` counts farmers."""


def amounts_in(text: str) -> list[tuple[int, str]]:
    """Sums of money with their currency; that of a list or a range stands for all its numbers."""
    found = [match for match in _SUM.finditer(text) if len(match["number"]) <= _LONGEST]
    currencies = [_currency(match) for match in found]
    units = [match["unit"] or "" for match in found]
    pairs = list(pairwise(range(len(found))))
    for one, two in pairs:
        alone = currencies[one] and not currencies[two] and not found[one]["after"]
        if alone and _belong(text, found[one], found[two]) and _ENDS.match(text, found[two].end()):
            currencies[two] = currencies[one]
            units[one] = units[one] or _shared_unit(found[one], found[two])
    for one, two in reversed(pairs):
        alone = currencies[two] and not currencies[one] and not found[two]["before"]
        if alone and _belong(text, found[one], found[two]):
            currencies[one] = currencies[two]
            units[one] = _shared_unit(found[one], found[two])
    return [
        (round(_value(match, unit) * (_UNITS[unit[0].lower()] if unit else 1)), currency)
        for match, unit, currency in zip(found, units, currencies, strict=True)
        if currency
    ]


def _currency(match: re.Match[str]) -> str:
    written = match["before"] or match["after"] or ""
    mark = written.upper().rstrip(".")
    for words, currency in _WORDS.items():
        if re.fullmatch(words, written, re.IGNORECASE):
            return currency
    return _CURRENCIES.get(mark, mark)


def _belong(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """Whether two numbers are of one list or range. Short ones without a unit may be years and counts, so that they
    are of ranges only."""
    if second.start() - first.end() > _APART:
        return False
    between = text[first.end() : second.start()]
    large = all(match["mark"] or match["unit"] or len(match["number"]) >= 5 for match in (first, second))
    return bool((large and _LIST.fullmatch(between)) or _RANGE.fullmatch(between))


def _shared_unit(first: re.Match[str], second: re.Match[str]) -> str:
    """The unit of the second number, if it is the first one's too: 1 to 2 million."""
    unit = second["unit"] or ""
    return first["unit"] or (unit if _value(first) < _value(second, unit) < 1_000 else "")


def _value(match: re.Match[str], unit: str = "") -> float:
    number, mark = match["number"], match["mark"]
    in_millions = mark == "." and bool(unit) and number.count(".") == 1 and "," not in number  # 1.250 million
    if mark and not in_millions and not number.startswith("0"):
        number = number.replace(mark, "")
    return float(re.sub(r"[,٫]", ".", number))
