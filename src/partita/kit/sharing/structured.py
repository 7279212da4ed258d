"""JSON-LD: what a page is about, in the words of schema.org. Only what the page says and what we know is true."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

_ESCAPES = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}


def thing(kind: str, **properties: Any) -> dict[str, Any]:
    """A thing of schema.org; properties without a value are left out."""
    return {"@type": kind, **{name: value for name, value in properties.items() if value not in (None, "", (), [])}}


def rating(average: float | None, count: int, *, most: int = 5) -> dict[str, Any] | None:
    """The average of people's stars; None if nobody gave any."""
    if average is None or not count:
        return None
    return thing("AggregateRating", ratingValue=average, ratingCount=count, bestRating=most, worstRating=1)


def structured_data(value: Mapping[str, Any]) -> Markup:
    """The element for a page. It is data, which our policy allows, since browsers run nothing of this type; no text in
    it can end the element."""
    text = json.dumps({"@context": "https://schema.org", **value}, ensure_ascii=False, separators=(",", ":"))
    return Markup('<script type="application/ld+json">{}</script>').format(Markup(text.translate(_ESCAPES)))
