"""How many pages a call allows, and whether a proposal has more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from partita.apps.newsletter.service.proposing.requirements import Requirement

_NUMBERS = {
    name: number
    for number, name in enumerate(
        (
            *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
            *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
        ),
        1,
    )
} | {"twenty-five": 25, "thirty": 30, "forty": 40, "fifty": 50}
_NUMBER = rf"(\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_LIMIT = re.compile(
    rf"\b(?:at most|no more than|not (?:be )?(?:exceed|longer than|more than)|maximum(?: of)?|max\.?|up to|limited to"
    rf"|within)\b[^.;]{{0,30}}?\b{_NUMBER}\s+(?:A4\s+|printed\s+|single\s+)?pages?\b"
    rf"|\b{_NUMBER}\s+pages?\s+(?:max|maximum|or (?:less|fewer)|at most)\b"
    r"|(?:لا (?:يتجاوز|تتجاوز|يزيد)\D{0,30})(\d{1,3})\s*صفح|(\d{1,3})\s*ገጽ.{0,12}አይበልጥ",
    re.IGNORECASE,
)
_OF_A_PART = re.compile(
    r"\b(CVs?|curricul\w+|annex\w*|appendi\w+|attachments?|letters?|summary|abstract|cover|budget|section|logframe)\b",
    re.IGNORECASE,
)
_WORDS_A_PAGE = 420
_COVER = 1


def page_limit(requirements: Iterable[Requirement]) -> int | None:
    """How many pages the whole proposal may have, as the call says; None if it says nothing."""
    for each in requirements:
        found = _LIMIT.search(each.text)
        if found is not None and not _OF_A_PART.search(each.text):
            number = next(filter(None, found.groups()))
            return _NUMBERS.get(number.lower()) or int(number)
    return None


def too_many_pages(requirements: Iterable[Requirement], words: int, pages: int | None) -> list[str]:
    """A warning if there are more pages than the call allows: those of the PDF if there is one of this text, else about
    as many as its words take."""
    limit = page_limit(requirements)
    if limit is None:
        return []
    allowed = "1 page" if limit == 1 else f"{limit} pages"
    if pages is not None:
        return [f"The call allows {allowed}, and the PDF has {pages} with its cover."] if pages > limit else []
    about = -(-words // _WORDS_A_PAGE) + _COVER
    if about <= limit:
        return []
    return [f"The call allows {allowed}, and {words:,} words take about {about}. Create the PDF to see."]
