"""The next step for a name that is not there: the one that was probably meant, or all there are."""

from __future__ import annotations

from collections.abc import Iterable

_TELLING = 3


def instead_of(name: str, choices: Iterable[str]) -> str:
    """`did you mean tool_id?`, or what there is."""
    names = list(choices)
    meant = nearest(name, names)
    if meant is not None:
        return f"did you mean {meant}?"
    return f"there is {', '.join(names)}" if names else "there is none"


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """The one of the choices that was probably meant; None if it could be any."""
    from difflib import get_close_matches  # only for who is wrong

    folded = {each.lower(): each for each in choices}
    wanted = name.lower()
    close = get_close_matches(wanted, folded, n=1, cutoff=0.7)
    close = close or [each for each in folded if _holds(each, wanted) or _holds(wanted, each)]
    return folded[close[0]] if close else None


def _holds(longer: str, shorter: str) -> bool:
    """Whether a name is a part of another; `of` is one of `offset` by chance."""
    return len(shorter) >= _TELLING and shorter in longer
