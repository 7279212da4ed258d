"""Making a model's answer tidy before it is looked at, and ending it where a sentence ends."""

from __future__ import annotations

import re

from partita.apps.newsletter.service.writing.facts import CITATION

_FENCE = re.compile(r"\A\s*```[a-z]*\n(.*)\n```\s*\Z", re.DOTALL)
_SEVERAL = re.compile(r"[\[【]\s*(\d{1,4}(?:\s*[,;،]\s*\d{1,4})*)\s*[\]】]")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069\ufeff]")
_SPACED = re.compile(r"[ \t]+(?=(?:\[\d{1,4}\])+[.!?።؟])")
_BEFORE_END = re.compile(r"((?:\[\d{1,4}\])+)[ \t]*([.!?።؟])(?=\s|\Z)")
_END = re.compile(r"[.!?።؟…][\"'”’»)\]]*(?:\s*(?:\[\d{1,4}\])+)?(?=\s|\Z)")


def tidied(answer: str) -> str:
    """Markdown as we write it: no fence around it, no invisible characters, `[1, 2]` as `[1][2]`, behind the full stop
    as in ours."""
    text = answer.replace("\r\n", "\n")
    fenced = _FENCE.match(text)
    text = _INVISIBLE.sub("", fenced[1] if fenced else text)
    text = _SEVERAL.sub(lambda found: "".join(f"[{int(n)}]" for n in re.findall(r"\d+", found[1])), text)
    text = _BEFORE_END.sub(r"\2 \1", _SPACED.sub("", text))
    text = re.sub(r"(?<=\S)[ \t]*((?:\[\d{1,4}\])+)", r" \1", text)
    text = re.sub(r"[ \t]+\n", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def to_last_sentence(text: str) -> str:
    """The text up to its last whole sentence; nothing if there is none."""
    ends = [found.end() for found in _END.finditer(text)]
    return text[: ends[-1]].rstrip() if ends else ""


def without_citations(text: str) -> str:
    """The text alone."""
    return re.sub(r"[ \t]+([.,;:!?።؟])", r"\1", CITATION.sub("", text)).strip()


def renumbered(text: str, numbers: dict[int, int]) -> str:
    """The text with its citations under other numbers."""
    return CITATION.sub(lambda found: f"[{numbers[int(found[1])]}]", text)
