"""Addresses as they are given to others: complete, and one for each page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import quote, urlencode

Parameter = str | Iterable[str] | None

_SAFE = "/:@!$&'()*+,;=~-._%?#[]"


def address(path: str, parameters: Mapping[str, Parameter] | None = None) -> str:
    """A path with the parameters that have a value; in this order, so that a page has one address."""
    pairs: list[tuple[str, str]] = []
    for name, value in (parameters or {}).items():
        values = (value,) if isinstance(value, str) else (value or ())
        pairs += [(name, each) for each in values if each]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def absolute(base_url: str, path: str) -> str:
    """The complete URL of a path of ours, in ASCII; `base_url` is the setting, never what a request says of itself."""
    return f"{base_url}{quote(path, safe=_SAFE)}"
