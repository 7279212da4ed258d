"""The summary of a proposal: what its other sections say first, in the order in which a funder asks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import zip_longest

from partita.apps.newsletter.service.editing.citations import cited
from partita.apps.newsletter.service.editing.comparing import normal
from partita.apps.newsletter.service.editing.lengths import word_count
from partita.apps.newsletter.service.proposing.budgets import budgets_in
from partita.apps.newsletter.service.proposing.frames import ProposalSection
from partita.apps.newsletter.service.proposing.kinds import Kind, kinds_of
from partita.apps.newsletter.service.proposing.units import leans
from partita.apps.newsletter.service.writing.spans import sentences_with_citations

_PARAGRAPHS: tuple[tuple[Kind, ...], ...] = (("need",), ("objectives", "method"), ("results", "budget"))
_OF_EACH = 3
"""So many sentences of a section at most."""
_LONGEST = 60
_NO_PROSE = re.compile(r"^\s*(?:\||#{1,6} |!\[|>|```|Table: )")
_ENTRY = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)])\s+")
_MARKS = re.compile(r"\s*\[\d{1,4}\](?!\()")
_TOTAL: Mapping[str, str] = {
    "en": "The budget comes to {total}.",
    "am": "ጠቅላላ በጀቱ {total} ነው።",
    "ar": "تبلغ الميزانية الإجمالية {total}.",
}
_NAMED = (
    r"(?:\b(?:USD|EUR|GBP|CHF|KES|ETB|UGX|TZS|RWF|SOS|SDG|EGP|US dollars|dollars|euros|pounds|birr|shillings|ብር"
    r"|دولار)\b|[$€£])"
)
_CURRENCY = re.compile(_NAMED)
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP"}
_SCALE = re.compile(
    rf"(?:{_NAMED}|\bin)\s*\(?(?P<after>millions?|thousands?|['’]?000s?)\b"
    rf"|(?P<before>\bmillions?|\bthousands?|['’]000s?)\s+(?:of\s+)?{_NAMED}",
    re.IGNORECASE,
)
"""A table in thousands or millions: `KES million`, `in thousands of euros`, `USD '000`."""


def is_summary(section: ProposalSection) -> bool:
    """Whether a section sums up the others."""
    return "summary" in kinds_of(section)


def summed_up(
    others: Iterable[tuple[ProposalSection, str]],
    room: int,
    known: Collection[int],
    *,
    language: str = "en",
    currency: str = "",
    told: str = "",
) -> str:
    """The first sentences of need, objectives, method and results, and what the budget comes to, in so many words
    (`room`): first one of each, then more. Nothing that is `told` in it already; only numbers that are `known`."""
    texts: dict[Kind, str] = {}
    for section, text in others:
        if text.strip() and not is_summary(section):
            for kind in kinds_of(section):
                texts.setdefault(kind, text)
    order = [kind for paragraph in _PARAGRAPHS for kind in paragraph]
    found: dict[Kind, list[str]] = {}
    for kind in order:
        own = _of_budget(texts.get(kind, ""), language, currency) if kind == "budget" else _said(texts.get(kind, ""))
        found[kind] = [_with_known(each, known) for each in own][:_OF_EACH]
    taken: dict[Kind, list[str]] = {kind: [] for kind in order}
    seen: set[str] = set()
    left = room
    for row in zip_longest(*(found[kind] for kind in order)):
        for kind, sentence in zip(order, row, strict=True):
            bare = normal(_MARKS.sub("", sentence or ""))
            if bare and bare not in seen and bare not in told and word_count(bare) <= left:
                seen.add(bare)
                taken[kind].append(sentence)
                left -= word_count(bare)
    return "\n\n".join(filter(None, (" ".join(_flat(taken, paragraph)) for paragraph in _PARAGRAPHS)))


def _flat(taken: Mapping[Kind, Sequence[str]], kinds: Iterable[Kind]) -> list[str]:
    return [sentence for kind in kinds for sentence in taken[kind]]


def _said(text: str) -> list[str]:
    """The sentences of a section that can stand alone, with their numbers; a list is one, behind its lead-in."""
    found: list[str] = []
    lead_in = ""
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.split("\n") if line.strip() and not _NO_PROSE.match(line)]
        entries = [_ENTRY.sub("", line).strip() for line in lines if _ENTRY.match(line)]
        if entries:
            found += _as_sentence(lead_in, entries)
            lead_in = ""
            continue
        spans = sentences_with_citations(" ".join(line.strip() for line in lines))
        lead_in = spans[-1][0] if spans and spans[-1][0].endswith((":", "፦")) else ""
        found += [
            " ".join((sentence, *(f"[{number}]" for number in numbers)))
            for sentence, numbers in spans
            if not leans(sentence) and not sentence.endswith((":", "፦")) and len(sentence.split()) <= _LONGEST
        ]
    return found


def _as_sentence(lead_in: str, entries: Sequence[str]) -> list[str]:
    """A list in one sentence, if it is short enough for that."""
    numbers = dict.fromkeys(number for entry in entries for number in cited(entry))
    bare = [_MARKS.sub("", entry).rstrip(" .;,።") for entry in entries]
    sentence = " ".join(filter(None, (lead_in, "; ".join(bare)))) + "."
    if not lead_in:
        sentence = sentence[:1].upper() + sentence[1:]
    short = len(sentence.split()) <= _LONGEST
    return [" ".join((sentence, *(f"[{number}]" for number in numbers)))] if short else []


def _of_budget(text: str, language: str, currency: str) -> list[str]:
    """What the first table with numbers comes to; without one, what the section says first."""
    budget = next(iter(budgets_in(text)), None)
    if budget is None or budget.total is None:
        return [each for each in _said(text) if re.search(r"\d", _MARKS.sub("", each))][:1]
    caption = next((line for line in text.split("\n") if line.startswith("Table: ")), "")
    labels = " ".join((*budget.head, caption))
    unit = _currency_of(labels) or currency or _currency_of(text)
    scale = _SCALE.search(labels)
    scaled = (scale["after"] or scale["before"]).lower() if scale is not None else ""
    total = budget.total * 1_000 if scaled and not scaled.startswith("m") else budget.total
    amount = f"{total:,.0f}" if total == total.to_integral_value() else f"{total:,}"
    amount += " million" if scaled.startswith("m") else ""
    sentence = _TOTAL.get(language, _TOTAL["en"]).format(total=" ".join(filter(None, (amount, unit))))
    return [" ".join((sentence, *(f"[{number}]" for number in cited(caption)[:1])))]


def _currency_of(text: str) -> str:
    """The currency that a text names; none if it names several."""
    named = {_SIGNS.get(name, name) for name in _CURRENCY.findall(text)}
    return named.pop() if len(named) == 1 else ""


def _with_known(sentence: str, known: Collection[int]) -> str:
    """A sentence without numbers that lead to no source."""
    return re.sub(r"\s*\[(\d{1,4})\](?!\()", lambda mark: mark[0] if int(mark[1]) in known else "", sentence)
