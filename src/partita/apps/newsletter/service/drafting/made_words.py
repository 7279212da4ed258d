"""How texts were made, for people: by whom, with how many tokens, and what the offline writer did instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from partita.apps.newsletter.formats import as_plain


def draft_words(made_with: Mapping[str, Any], sources: int) -> str:
    """How the text of a newsletter was made."""
    made = _ways(made_with.values())
    told = _count(sources, "source")
    words = f"Written by {', '.join(_models(made))} from {told}." if _models(made) else ""
    if not words and sources:
        words = f"Written by the offline writer with sentences from {told}."
    return _joined(words, _instead(made), _tokens(made))


def outline_words(made_with: Mapping[str, Any]) -> str:
    """How an outline was made; nothing about one that the offline writer made as it should."""
    made = _ways([made_with])
    words = f"Outline by {', '.join(_models(made))}." if _models(made) else ""
    failed = [f"The offline writer made the outline instead of a model: {each}" for each in _reasons(made)]
    return _joined(words, *failed, _tokens(made))


def section_words(made_with: Mapping[str, Any]) -> str:
    """How a section of a proposal was drafted; nothing about one that the offline writer drafted as it should."""
    made = _ways([made_with])
    words = f"Drafted by {', '.join(_models(made))}." if _models(made) else ""
    failed = [f"The offline writer drafted this section instead of a model: {each}" for each in _reasons(made)]
    return _joined(words, *failed, _tokens(made))


def instead_words(made_with: Mapping[str, Any]) -> str:
    """How many sections the offline writer has written instead of a model, and why; nothing if none."""
    return _instead(_ways(made_with.values()))


def _ways(made_with: Any) -> list[dict[str, Any]]:
    return [as_plain(each) for each in made_with if isinstance(each, Mapping)]


def _models(made: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({str(each["model"]) for each in made if each.get("model")})


def _reasons(made: Sequence[Mapping[str, Any]]) -> list[str]:
    fallbacks = [each.get("fallback") for each in made]
    return [str(each.get("reason") or "") for each in fallbacks if isinstance(each, Mapping)]


def _instead(made: Sequence[Mapping[str, Any]]) -> str:
    reasons = _reasons(made)
    if not reasons:
        return ""
    count = "1 section is" if len(reasons) == 1 else f"{len(reasons)} sections are"
    return f"{count} written by the offline writer instead of a model: {reasons[0]}"


def _tokens(made: Sequence[Mapping[str, Any]]) -> str:
    """What a model has read and written for it, also if its answer was not used."""
    counted = [each["tokens"] for each in made if isinstance(each.get("tokens"), Mapping)]
    total = sum(int(each.get("read") or 0) + int(each.get("written") or 0) for each in counted)
    if not total:
        return ""
    about = "About " if any(each.get("estimated") for each in counted) else ""
    return f"{about}{_count(total, 'token')} used."


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
