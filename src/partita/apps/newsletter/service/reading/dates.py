"""When something was published: as its text states, else as its file tells, else the first date in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

_EARLIEST = date(1900, 1, 1)
_SEEN = 20_000


def _list(words: str) -> list[str]:
    return words.split()


_ENGLISH = _list("january february march april may june july august september october november december")
_SHORT = {name[:3]: number for number, name in enumerate(_ENGLISH, 1)} | {"sept": 9}
_FRENCH = _list("janvier février mars avril mai juin juillet août septembre octobre novembre décembre")
_ARABIC = _list("يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر")
_LEVANT = _list("كانون_الثاني شباط آذار نيسان أيار حزيران تموز آب أيلول تشرين_الأول تشرين_الثاني كانون_الأول")
_AMHARIC = _list("ጃንዋሪ ፌብሩዋሪ ማርች ኤፕሪል ሜይ ጁን ጁላይ ኦገስት ሴፕቴምበር ኦክቶበር ኖቬምበር ዲሴምበር")
_ETHIOPIAN = _list("መስከረም ጥቅምት ኅዳር ታኅሣሥ ጥር የካቲት መጋቢት ሚያዝያ ግንቦት ሰኔ ሐምሌ ነሐሴ ጳጉሜ")
_ETHIOPIAN_SPELLINGS = {"ህዳር": 3, "ታህሳስ": 4, "ታኅሳስ": 4, "ሚያዚያ": 8, "ሀምሌ": 11, "ነሀሴ": 12, "ጳጉሜን": 13}

_MONTHS: dict[str, int] = {
    **_SHORT,
    **{name: number for names in (_ENGLISH, _FRENCH, _ARABIC, _AMHARIC) for number, name in enumerate(names, 1)},
    **{name.replace("_", " "): number for number, name in enumerate(_LEVANT, 1)},
    "إبريل": 4,
}
_ETHIOPIAN_MONTHS = {name: number for number, name in enumerate(_ETHIOPIAN, 1)} | _ETHIOPIAN_SPELLINGS

_NAME = "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True))
_ETHIOPIAN_NAME = "|".join(sorted(map(re.escape, _ETHIOPIAN_MONTHS), key=len, reverse=True))
_DATE = re.compile(
    rf"""
    (?<!\d)(?P<y1>(?:19|20)\d\d)[-/.](?P<m1>\d{{1,2}})[-/.](?P<d1>\d{{1,2}})(?!\d)
    | (?<!\d)(?P<d2>\d{{1,2}})(?:st|nd|rd|th|er)?\.?\s+(?:of\s+)?(?P<n2>{_NAME})\.?,?\s+(?P<y2>(?:19|20)\d\d)(?!\d)
    | (?<!\w)(?P<n3>{_NAME})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*ቀን)?,?\s+(?P<y3>(?:19|20)\d\d)(?!\d)
    | (?<!\d)(?P<d4>\d{{1,2}})[/.](?P<m4>\d{{1,2}})[/.](?P<y4>(?:19|20)\d\d)(?!\d)
    | (?P<n5>{_ETHIOPIAN_NAME})\s+(?P<d5>\d{{1,2}})(?:\s*ቀን)?(?:[,፣]|\s)\s*(?P<y5>(?:19|20)\d\d)(?:\s*ዓ\s*[./]\s*ም)?
    | (?<!\w)(?P<n6>{_NAME})\.?,?\s+(?P<y6>(?:19|20)\d\d)(?!\d)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STATED = re.compile(
    r"""
    (?: ^ | [|·•—–;(] ) [^\w\n]{0,8}
    (?: (?:first|originally)[ ] )?
    (?: published | publication[ ]date | date[ ]of[ ]publication | issued | date[ ]of[ ]issue | released | posted
      | prepared | written | compiled | dated | report[ ]date | date[ ]of[ ](?:the[ ]|this[ ])?report
      | publié(?:e)? | date[ ]de[ ]publication
      | تاريخ[ ]النشر | نشر | نُشر | تاريخ[ ]الإصدار | صدر
      | የታተመበት[ ]ቀን | የወጣበት[ ]ቀን | የታተመው )
    (?: [ ](?:online[ ]on|online|on|in|le|في)\b )?
    [ \t]*[:：፦፡–—-]?[ \t]* (?: \w{3,9}day,?[ ] )?
    (?= \w )
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""Where a text states when it was published: in a line of its own, or in a part of one; in the midst of a sentence it
may be about something else."""
_BY_SOMEBODY = re.compile(
    rf"""
    (?: ^ | [|·•—–;(] | [.!?]\s ) [^\w\n]{{0,8}}
    (?: (?:prepared|written|compiled|drafted|authored|submitted)[ ]by | préparé[ ]par | rédigé[ ]par | établi[ ]par
      | إعداد | أعده | أعدته | ያዘጋጀው )
    [ :：፦]+ (?: [^\n|;!?.\d] | (?<=\bDr|\bMr|\bMs)\. | (?<=\b[A-Z])\. ){{2,120}}?
    [ \t]*[,،፣|·•—–(:-][ \t]* (?: (?:on|in|le|في)[ ] )? (?: \w{{3,9}}day,?[ ] )?
    (?= {_DATE.pattern} )
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""Who wrote a text, and then the day: “Prepared by the Reading Trust, 14 March 2026”."""
_PDF = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")
_ARABIC_DIGITS = {0x660 + digit: str(digit) for digit in range(10)} | {0x6F0 + digit: str(digit) for digit in range(10)}


def published_of(told: str, text: str, today: date) -> str | None:
    """The day as `2026-03-12`. What is in the future announces something, so it is no day of publishing."""
    seen = text[:_SEEN]
    for found in (*stated_in(seen), *_of_metadata(told), *dates_in(seen)):
        if _EARLIEST <= found <= today + timedelta(days=1):
            return found.isoformat()
    return None


def stated_in(text: str) -> Iterable[date]:
    """The days on which a text says that it was published. A file's own date is often that of its last copy."""
    plain = text.translate(_ARABIC_DIGITS)
    statements = (*_STATED.finditer(plain), *_BY_SOMEBODY.finditer(plain))
    for statement in sorted(statements, key=lambda each: each.end()):
        match = _DATE.match(plain, statement.end())
        found = None if match is None else _date(match)
        if found is not None:
            yield found


def dates_in(text: str) -> Iterable[date]:
    """The dates in a text in order. Of a month alone it is the first; 3/4/2026 is in April."""
    for match in _DATE.finditer(text.translate(_ARABIC_DIGITS)):
        found = _date(match)
        if found is not None:
            yield found


def date_spans(text: str) -> list[tuple[int, int]]:
    """Where the dates of a text stand."""
    return [match.span() for match in _DATE.finditer(text.translate(_ARABIC_DIGITS))]


def without_dates(text: str) -> str:
    """What a text says beside dates."""
    return _DATE.sub(" ", text.translate(_ARABIC_DIGITS))


def _of_metadata(told: str) -> Iterable[date]:
    pdf = _PDF.match(told)
    if pdf:
        made = _built(int(pdf[1]), int(pdf[2] or 1), int(pdf[3] or 1))
        return [made] if made else []
    return list(dates_in(told[:60]))[:1] or ([found] if (found := _year_and_month(told)) else [])


def _year_and_month(told: str) -> date | None:
    match = re.match(r"((?:19|20)\d\d)(?:-(\d{2}))?$", told.strip())
    return _built(int(match[1]), int(match[2] or 1), 1) if match else None


def _date(match: re.Match[str]) -> date | None:
    got = match.groupdict()
    if got["y1"]:
        return _built(int(got["y1"]), int(got["m1"]), int(got["d1"]))
    for number in ("2", "3"):
        if got["y" + number]:
            return _built(int(got["y" + number]), _month(got["n" + number]), int(got["d" + number]))
    if got["y4"]:
        day, month = int(got["d4"]), int(got["m4"])
        day, month = (month, day) if month > 12 >= day else (day, month)
        return _built(int(got["y4"]), month, day)
    if got["y5"]:
        return _ethiopian(int(got["y5"]), _ETHIOPIAN_MONTHS[got["n5"]], int(got["d5"]))
    return _built(int(got["y6"]), _month(got["n6"]), 1)


def _month(name: str) -> int:
    return _MONTHS.get(name.lower()) or _MONTHS[name]


def _ethiopian(year: int, month: int, day: int) -> date | None:
    """A day of the Ethiopian calendar, whose year begins seven or eight years later, on 11 or 12 September."""
    if not (1 <= day <= 30 and 1 <= month <= 13):
        return None
    # 1 Meskerem of the year 1 is day 2796 of the proleptic Gregorian calendar.
    return date.fromordinal(2796 + 365 * (year - 1) + year // 4 + 30 * (month - 1) + day - 1)


def _built(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
