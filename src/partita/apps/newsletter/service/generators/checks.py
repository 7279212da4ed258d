"""Whether a text that a model wrote may be shown: what it cites, claims and contains, against what it was given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from partita.apps.newsletter.service.generators.finishing import without_citations
from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.writing.facts import (
    Facts,
    citations_in,
    facts_of,
    plain,
    unknown_figures,
    unknown_names,
    unknown_quotes,
)
from partita.apps.newsletter.service.writing.spans import sentences_with_citations
from partita.apps.newsletter.service.writing.values import Passage

_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
_FORBIDDEN = {
    "html_block": "HTML",
    "html_inline": "HTML",
    "link_open": "a link",
    "image": "an image",
    "fence": "a block of code",
    "code_block": "a block of code",
    "code_inline": "code",
}
ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}:[/\\]{2}|\bwww\.|\b(?:javascript|data|mailto|vbscript):|[\w.+-]+@[\w-]+\.\w+"
    r"|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|int|edu|gov|info|biz|io|ai|app|dev|co|me|ly|gl|xyz|top|site|online|link|click|eu|uk|us|ke|et|ug|tz|rw|so|sd|dj|er|za|ru|cn)\b",
    re.IGNORECASE,
)
TAG = re.compile(r"<\s*[a-z!/?]|&(?:lt|#0*60|#x0*3c);?\s*[a-z!/?]", re.IGNORECASE)
_BRACKETS = re.compile(r"\[(?!\d{1,4}\])")
_SCRIPTS = {"am": re.compile(r"[\u1200-\u139f\u2d80-\u2ddf]"), "ar": re.compile(r"[\u0600-\u06ff\u0750-\u077f]")}
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_MOST_TOLD = 12
_TOLERANCE = 0.25
_LEAST_MARGIN = 12
"""Words by which a text may always miss its length: of forty, a quarter is half a sentence."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a text may rest on, and what it should be like."""

    passages: Mapping[int, Passage]
    words: int
    language: str = "en"
    headings: tuple[str, ...] = ()
    """The headings it must have, in this order, and no others."""
    given: str = ""
    """What we told the writer ourselves: titles, region, counts."""
    uncited: frozenset[str] = frozenset()
    """Headings under which nothing needs a citation; "" is what comes before the first."""
    told: tuple[str, ...] = ()
    """Sentences of other sections, not to be repeated."""
    shortest: float = 1 - _TOLERANCE
    longest: float = 1 + _TOLERANCE
    secret: str = ""
    """The mark of the fences around sources: whoever repeats it repeats the question."""
    known: dict[int, Facts] = field(default_factory=dict, compare=False)

    def facts(self, number: int) -> Facts:
        """What a passage says, with what is known about its source."""
        if number not in self.known:
            passage = self.passages[number]
            about = (passage.title, passage.heading, passage.publisher, passage.published or "")
            self.known[number] = facts_of(passage.text, *about)
        return self.known[number]


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, an entry of a list, or a table."""

    text: str
    heading: str


def faults(text: str, ground: Ground) -> tuple[str, ...]:
    """What is wrong with a text, each in a sentence that says what to do; nothing if it may be shown."""
    env: dict[str, object] = {}
    tokens = _MARKDOWN.parse(text, env)
    blocks, headings = _blocks(tokens)
    found = [
        *_markup(text, tokens, bool(env.get("references")), ground),
        *_headings(headings, ground),
        *_numbers(text, ground),
        *_length(text, ground),
        *_language(text, ground),
    ]
    given = facts_of(ground.given, *ground.headings)
    for block in blocks:
        found += _claims(block, ground, given)
    if not blocks:
        found.append("There is no text.")
    found += _repeats(blocks, ground)
    return tuple(dict.fromkeys(found))[:_MOST_TOLD]


def _markup(text: str, tokens: list[Token], references: bool, ground: Ground) -> list[str]:
    kinds = {token.type for token in _all(tokens)}
    found = [f"It contains {word}: leave it out." for kind, word in _FORBIDDEN.items() if kind in kinds]
    if references or ADDRESS.search(text):
        found.append("It contains a link or an address: leave it out.")
    if TAG.search(text):
        found.append("It contains HTML: leave it out.")
    if _BRACKETS.search(text):
        found.append("Write citations as [1], and nothing else in square brackets.")
    if ground.secret and ground.secret in text:
        found.append("It repeats the marks around the sources: leave them out.")
    return found


def _headings(headings: list[str], ground: Ground) -> list[str]:
    expected = {plain(heading): heading for heading in ground.headings}
    found = [
        f"The heading “{heading}” was not given: leave it out."
        for heading in headings
        if plain(heading) not in expected
    ]
    present = [plain(heading) for heading in headings if plain(heading) in expected]
    found += [f"The heading “{heading}” is missing." for key, heading in expected.items() if key not in present]
    if not found and present != list(expected):
        found.append("The headings must come once each, in the order in which they were given.")
    return found


def _numbers(text: str, ground: Ground) -> list[str]:
    wrong = sorted({number for number in citations_in(text) if number not in ground.passages})
    return [f"There is no source [{number}]." for number in wrong]


def _length(text: str, ground: Ground) -> list[str]:
    count = word_count(without_citations(_without_headings(text)))
    least = min(ground.words * ground.shortest, ground.words - _LEAST_MARGIN)
    most = max(ground.words * ground.longest, ground.words + _LEAST_MARGIN)
    if least <= count <= most:
        return []
    wish = "Write more" if count < least else "Write less"
    return [f"It has {count} words, and {ground.words} are wanted. {wish}."]


def _language(text: str, ground: Ground) -> list[str]:
    script = _SCRIPTS.get(ground.language, _LATIN)
    letters = sum(map(str.isalpha, text))
    if letters and len(script.findall(text)) < 0.5 * letters:
        return ["It is not in the language of the newsletter."]
    return []


def _claims(block: _Block, ground: Ground, given: Facts) -> list[str]:
    """A sentence rests on what is cited behind it, else on what is cited next in its paragraph, else before."""
    cited = [number for number in citations_in(block.text) if number in ground.passages]
    short = f"“{_short(block.text)}”"
    if not cited and plain(block.heading) not in {plain(each) for each in ground.uncited}:
        return [f"The paragraph {short} cites no source."]
    found = []
    spans = sentences_with_citations(block.text)
    for sentence, numbers in spans:
        known = given
        for number in numbers or tuple(cited):
            if number in ground.passages:
                known |= ground.facts(number)
        where = f"the sources cited by “{_short(sentence)}”" if cited else "what was given"
        found += [f"The figure {figure} is not in {where}." for figure in unknown_figures(sentence, known)]
        found += [f"The name {name} is not in {where}." for name in unknown_names(sentence, known)]
        found += [f"“{_short(quote)}” is no quotation from {where}." for quote in unknown_quotes(sentence, known)]
    everything = given
    for number in cited:
        everything |= ground.facts(number)
    found += [
        f"“{_short(quote)}” is no quotation from its sources." for quote in unknown_quotes(block.text, everything)
    ]
    return found


def _repeats(blocks: list[_Block], ground: Ground) -> list[str]:
    told = {plain(each) for each in ground.told}
    found, here = [], set[str]()
    for block in blocks:
        for sentence, _ in sentences_with_citations(block.text):
            key = plain(sentence)
            if len(key.split()) >= 6 and (key in told or key in here):
                found.append(f"“{_short(sentence)}” has been said before: leave it out.")
            here.add(key)
    return found


def _blocks(tokens: list[Token]) -> tuple[list[_Block], list[str]]:
    blocks: list[_Block] = []
    headings: list[str] = []
    cells: list[str] = []
    heading, inside_heading, inside_table = "", False, False
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            inside_heading = token.type == "heading_open"
        elif token.type in ("table_open", "table_close"):
            inside_table = token.type == "table_open"
            if not inside_table:
                blocks.append(_Block(". ".join(cells), heading))
                cells = []
        elif token.type == "inline" and inside_heading:
            heading = token.content.strip()
            headings.append(heading)
        elif token.type == "inline" and inside_table:
            cells.append(token.content)
        elif token.type == "inline":
            blocks.append(_Block(" ".join(token.content.split()), heading))
    return blocks, headings


def _all(tokens: list[Token]) -> list[Token]:
    return [each for token in tokens for each in (token, *(token.children or ()))]


def _without_headings(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))


def _short(text: str) -> str:
    words = without_citations(text).split()
    return " ".join(words[:9]) + ("…" if len(words) > 9 else "")
