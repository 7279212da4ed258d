"""The words that a document adds to its text, in the edition's language."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words of one language."""

    in_this_issue: str
    contents: str
    sources: str
    page: str
    """Before the number of a page of a source."""
    read_online: str
    skip: str
    back: str
    """What leads from a source back to the text."""
    cited: str
    """What leads from the text to a source; `{number}`."""
    picture_missing: str
    number: str
    """Before the number of an issue."""
    made_offline: str
    """`{sources}`: of how many sources the text was made."""
    made_by_model: str
    """`{sources}`, `{model}`."""
    months: tuple[str, ...]

    def day(self, written: str) -> str:
        """A day such as `2026-11-16` in words; another text as it is."""
        try:
            day = date.fromisoformat(written[:10])
        except ValueError:
            return written
        return f"{day.day} {self.months[day.month - 1]} {day.year}"


_ENGLISH = Phrases(
    in_this_issue="In this issue",
    contents="Contents",
    sources="Sources",
    page="p.",
    read_online="Read online",
    skip="Skip to the text",
    back="Back to the text",
    cited="Source {number}",
    picture_missing="Picture",
    number="No.",
    made_offline="Sentences from {sources} sources, by the offline writer.",
    made_by_model="Written by {model} from {sources} sources.",
    months=(
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
)
_AMHARIC = Phrases(
    in_this_issue="በዚህ እትም",
    contents="ማውጫ",
    sources="ምንጮች",
    page="ገጽ",
    read_online="በመስመር ላይ ያንብቡ",
    skip="ወደ ጽሑፉ ይሂዱ",
    back="ወደ ጽሑፉ ይመለሱ",
    cited="ምንጭ {number}",
    picture_missing="ሥዕል",
    number="ቁጥር",
    made_offline="ዓረፍተ ነገሮቹ ከ{sources} ምንጮች የተወሰዱ ናቸው።",
    made_by_model="በ{model} ከ{sources} ምንጮች የተጻፈ።",
    months=(
        "ጃንዋሪ",
        "ፌብሩዋሪ",
        "ማርች",
        "ኤፕሪል",
        "ሜይ",
        "ጁን",
        "ጁላይ",
        "ኦገስት",
        "ሴፕቴምበር",
        "ኦክቶበር",
        "ኖቬምበር",
        "ዲሴምበር",
    ),
)
_ARABIC = Phrases(
    in_this_issue="في هذا العدد",
    contents="المحتويات",
    sources="المصادر",
    page="ص.",
    read_online="اقرأ على الإنترنت",
    skip="انتقل إلى النص",
    back="العودة إلى النص",
    cited="المصدر {number}",
    picture_missing="صورة",
    number="العدد",
    made_offline="جمل من {sources} مصادر، بالكاتب غير المتصل.",
    made_by_model="كتبه {model} من {sources} مصادر.",
    months=(
        "يناير",
        "فبراير",
        "مارس",
        "أبريل",
        "مايو",
        "يونيو",
        "يوليو",
        "أغسطس",
        "سبتمبر",
        "أكتوبر",
        "نوفمبر",
        "ديسمبر",
    ),
)
_BOOKS = {"en": _ENGLISH, "am": _AMHARIC, "ar": _ARABIC}


def phrases(language: str) -> Phrases:
    """The words of a language; English where there are none yet."""
    return _BOOKS.get(language, _ENGLISH)
