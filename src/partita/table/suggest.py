"""The next step for a name that is not there: the one that was probably meant, or all there are."""

from __future__ import annotations

from collections.abc import Iterable


def instead_of(name: str, choices: Iterable[str]) -> str:
    """`did you mean tool_id?`, or what there is."""
    from difflib import get_close_matches  # only for who is wrong

    names = list(choices)
    close = get_close_matches(name, names, n=1, cutoff=0.7)
    close = close or [each for each in names if name and (name in each or each in name)]
    if close:
        return f"did you mean {close[0]}?"
    return f"there is {', '.join(names)}" if names else "there is none"
