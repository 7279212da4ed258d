"""Sentences with the citations that they rest on."""

from __future__ import annotations

import re

from partita.apps.newsletter.service.reading.sentences import sentences

Span = tuple[str, tuple[int, ...]]
"""A sentence without its marks, and the numbers it rests on."""
_MARK = re.compile(r"\[(\d{1,4})\](?!\()")
_BEHIND_THE_STOP = re.compile(r"([.!?።؟…][\"'”’»)]*)((?:\s*\ue000\d+\ue001)+)")
_HELD = re.compile(r"\s*\ue000(\d+)\ue001")


def sentences_with_citations(text: str) -> list[Span]:
    """Each sentence rests on what is cited behind it, else on what is cited next in its paragraph, else before."""
    marked = _MARK.sub(lambda found: f"\ue000{found[1]}\ue001", text)
    # A citation behind the full stop belongs to the sentence before it.
    marked = _BEHIND_THE_STOP.sub(lambda found: f"{found[2]}{found[1]}", marked)
    each = []
    for sentence in sentences(marked):
        numbers = tuple(int(number) for number in _HELD.findall(sentence.text))
        each.append((_HELD.sub("", sentence.text), numbers))
    result: list[Span] = []
    following: tuple[int, ...] = ()
    for sentence_text, numbers in reversed(each):
        following = numbers or following
        result.append((sentence_text, following))
    result.reverse()
    last: tuple[int, ...] = ()
    for at, (sentence_text, numbers) in enumerate(result):
        result[at] = (sentence_text, numbers or last)
        last = numbers or last
    return result
