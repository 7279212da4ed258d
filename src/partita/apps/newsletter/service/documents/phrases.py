"""The words that a document adds to its text, in the edition's language."""

from __future__ import annotations

from collections.abc import Mapping
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
    comma: str
    """Between what is told of a source, with the space behind it."""
    semicolon: str
    """Between sections of a source, likewise."""
    read_online: str
    skip: str
    back: str
    """What leads from a source back to the text."""
    cited: str
    """What leads from the text to a source; `{number}`."""
    picture_missing: str
    number: str
    """Before the number of an issue."""
    some_sources: Mapping[str, str]
    """`{count}`: of how many sources a text was made. By form: one, two, few, many, other."""
    made_offline: str
    """`{sources}`: one of those above."""
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

    def sources_counted(self, count: int) -> str:
        """So many sources: Arabic has other words for two, for up to ten and for more."""
        last = count % 100
        form = {1: "one", 2: "two"}.get(count) or ("few" if 3 <= last <= 10 else "many" if last > 10 else "other")
        return self.some_sources.get(form, self.some_sources["other"]).format(count=count)


_ENGLISH = Phrases(
    in_this_issue="In this issue",
    contents="Contents",
    sources="Sources",
    page="p.",
    comma=", ",
    semicolon="; ",
    read_online="Read online",
    skip="Skip to the text",
    back="Back to the text",
    cited="Source {number}",
    picture_missing="Picture",
    number="No.",
    some_sources={"one": "1 source", "other": "{count} sources"},
    made_offline="Sentences from {sources}, by the offline writer.",
    made_by_model="Written by {model} from {sources}.",
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
    comma="፣ ",
    semicolon="፤ ",
    read_online="በመስመር ላይ ያንብቡ",
    skip="ወደ ጽሑፉ ይሂዱ",
    back="ወደ ጽሑፉ ይመለሱ",
    cited="ምንጭ {number}",
    picture_missing="ሥዕል",
    number="ቁጥር",
    some_sources={"one": "1 ምንጭ", "other": "{count} ምንጮች"},
    made_offline="ዓረፍተ ነገሮቹ ከ{sources} የተወሰዱ ናቸው።",
    made_by_model="በ{model} ከ{sources} የተጻፈ።",
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
    comma="، ",
    semicolon="؛ ",
    read_online="اقرأ على الإنترنت",
    skip="انتقل إلى النص",
    back="العودة إلى النص",
    cited="المصدر {number}",
    picture_missing="صورة",
    number="العدد",
    some_sources={
        "one": "مصدر واحد",
        "two": "مصدرين",
        "few": "{count} مصادر",
        "many": "{count} مصدرا",
        "other": "{count} مصدر",
    },
    made_offline="جمل من {sources}، بالكاتب غير المتصل.",
    made_by_model="كتبه {model} من {sources}.",
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
