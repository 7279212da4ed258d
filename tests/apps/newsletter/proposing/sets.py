"""Sets of sources from which a proposal is drafted, each sentence with the sections it belongs into.

A line is a label and a sentence. `need!` must be told in the section about the need; `need` may be; `need/results` in
either; `.` must be told nowhere. A label with `@` is that of the table below it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from partita.apps.newsletter.service.proposing.frames import ProposalSection, sections_of_frame, sections_of_headings

SETS = ("fish", "seed", "floods", "water_ar", "goats_am", "bees", "clinic")
SECTIONS = {
    "Summary": "summary",
    "Executive summary": "summary",
    "Background and problem": "need",
    "Context and needs": "need",
    "Objectives": "objectives",
    "Goal and objectives": "objectives",
    "Approach": "method",
    "Activities and method": "method",
    "Expected results": "results",
    "Results and indicators": "results",
    "Monitoring, evaluation and learning": "monitoring",
    "Risks": "risks",
    "Sustainability": "sustainability",
    "Gender and inclusion": "gender",
    "Partners and experience": "team",
    "Organisation and team": "team",
    "Work plan": "plan",
    "Budget": "budget",
    "الخلفية والاحتياجات": "need",
    "الأهداف": "objectives",
    "الأنشطة والمنهجية": "method",
    "خطة العمل": "plan",
    "الميزانية": "budget",
    "فريق العمل": "team",
    "الاستدامة": "sustainability",
    "المتابعة والتقييم": "monitoring",
    "ችግሩ": "need",
    "ዓላማ": "objectives",
    "ተግባራት": "method",
    "የሥራ ዕቅድ": "plan",
    "በጀት": "budget",
    "ቡድን": "team",
}
_INSTEAD = {"plan": "method"}
"""Where else something may be told if a proposal has no section for it."""
_LINE = re.compile(r"(@?)([a-z/.]+)(!?) (.*)")


@dataclass(frozen=True)
class Labelled:
    """A sentence, an entry of a list, or a table (its rows)."""

    text: str
    labels: frozenset[str]
    must: bool


@dataclass(frozen=True)
class SourceSet:
    """Three sources and what is in them."""

    name: str
    title: str
    language: str
    sections: tuple[ProposalSection, ...]
    documents: tuple[tuple[str, str], ...]
    """Title and Markdown of each."""
    labelled: tuple[Labelled, ...]

    def kind(self, key: str) -> str:
        """What a section is about."""
        return SECTIONS[next(each.title for each in self.sections if each.key == key)]


@dataclass(frozen=True)
class Score:
    """How good a draft is."""

    placed: int
    wrong: tuple[str, ...]
    missed: tuple[str, ...]
    must: int

    @property
    def precision(self) -> float:
        return 1 - len(self.wrong) / self.placed if self.placed else 0.0

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / self.must


def load(name: str) -> SourceSet:
    """A set by its name."""
    head, *documents = Path(__file__).with_name(f"{name}.txt").read_text("utf-8").split("\n=== ")
    facts = dict(line.split(": ", 1) for line in head.strip().split("\n"))
    if "frame" in facts:
        sections = sections_of_frame("full_proposal" if facts["frame"] == "full_proposal" else "concept_note")
    else:
        sections = sections_of_headings(facts["sections"].split("; "))
    labelled: list[Labelled] = []
    made = tuple(_document(each, labelled) for each in documents)
    return SourceSet(name, facts["title"], facts.get("language", "en"), sections, made, tuple(labelled))


def _document(text: str, labelled: list[Labelled]) -> tuple[str, str]:
    title, *lines = text.split("\n")
    written: list[str] = []
    table: tuple[frozenset[str], bool] | None = None
    rows: list[str] = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            if not rows:
                written += ["", line, re.sub(r"[^|]+", "---", line)]
            else:
                written.append(line)
            rows.append(line)
            continue
        if rows and table:
            labelled.append(Labelled("\n".join(rows), *table))
            written.append("")
            rows = []
        found = None if line.startswith("#") else _LINE.fullmatch(line)
        if found is None:
            written += ["", line, ""] if line else [""]
            continue
        labels, must = frozenset(found[2].split("/")) - {"."}, bool(found[3])
        if found[1]:
            table = labels, must
            continue
        labelled.append(Labelled(found[4].removeprefix("- "), labels, must))
        if found[4].startswith("- ") and not written[-1].startswith("- "):
            written.append("")
        written.append(found[4])
    return title, "\n".join(written)


def judged(given: SourceSet, texts: Mapping[str, str]) -> Score:
    """How many sentences of a draft are in the right section, and which that must be told are not told there."""
    kinds = {given.kind(key): " ".join(text.split()) for key, text in texts.items() if text}
    known = {SECTIONS[each.title] for each in given.sections}
    placed, wrong, missed, must = 0, [], [], 0
    for each in given.labelled:
        right = each.labels | {_INSTEAD[label] for label in each.labels - known if label in _INSTEAD}
        told = {kind for kind, text in kinds.items() if _is_in(each.text, text)}
        placed += len(told)
        allowed = right | ({"summary"} if right else set())
        wrong += [f"{kind}: {each.text}" for kind in told - allowed]
        if each.must and each.labels & known:
            must += 1
            if not told & allowed:
                missed.append(f"{'/'.join(sorted(each.labels))}: {each.text}")
    return Score(placed, tuple(wrong), tuple(missed), must)


def _is_in(wanted: str, text: str) -> bool:
    if not wanted.startswith("|"):
        return " ".join(wanted.split()).removeprefix("However, ").casefold() in text.casefold()
    cells = [cell.strip() for cell in wanted.split("\n")[1].strip("|").split("|")]
    return re.search(r"\|\s*" + r"\s*\|\s*".join(map(re.escape, cells)) + r"\s*\|", text) is not None
