"""Language, day and structure of texts."""

from __future__ import annotations

import textwrap
import time
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.newsletter.service.reading.dates import dates_in, published_of
from partita.apps.newsletter.service.reading.languages import declared, language_of
from partita.apps.newsletter.service.reading.plain_text import front_matter, is_markdown, markdown_blocks, text_blocks
from partita.kit.previews.blocks import Block, markdown_of

TODAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Published on 12 March 2026 in Nairobi", "2026-03-12"),
        ("March 12, 2026", "2026-03-12"),
        ("Sept. 3rd, 2025", "2025-09-03"),
        ("2026-03-12T10:00:00Z", "2026-03-12"),
        ("am 5/3/2026", "2026-03-05"),
        ("on 3/25/2026", "2026-03-25"),
        ("12 مارس ٢٠٢٦", "2026-03-12"),
        ("12 كانون الثاني 2026", "2026-01-12"),
        ("መጋቢት 3 ቀን 2018 ዓ.ም.", "2026-03-12"),
        ("ማርች 12 ቀን 2026", "2026-03-12"),
        ("le 14 juillet 2025", "2025-07-14"),
        ("May 2025", "2025-05-01"),
        ("45/45/2026 and then 1 June 2026", "2026-06-01"),
        ("It takes place on 3 December 2031; written 1 June 2026", "2026-06-01"),
        ("nothing of the kind, 2026", None),
    ],
)
def test_the_first_date_of_a_text_that_is_not_in_the_future_is_its_day(text: str, day: str | None) -> None:
    assert published_of("", text, TODAY) == day


@pytest.mark.parametrize(
    ("told", "day"),
    [("D:20260105101500+03'00'", "2026-01-05"), ("2025-11", "2025-11-01"), ("2024-06-05T08:00:00Z", "2024-06-05")],
)
def test_what_a_file_tells_comes_before_its_text(told: str, day: str) -> None:
    assert published_of(told, "1 January 2020", TODAY) == day
    assert published_of("nonsense", "1 January 2020", TODAY) == "2020-01-01"


STATEMENTS = (
    "Published {}",
    "Published on {}",
    "Published: {}",
    "First published online {}",
    "Date of publication: {}",
    "By Halima Guyo | Published {} | Nairobi",
    "(Issued {})",
    "Posted on Monday, {}",
    "Publié le {}",
    "تاريخ النشر: {}",
    "የታተመበት ቀን፦ {}",
    "Prepared by the Village Reading Trust, {}",
    "Prepared by Dr. A. Guyo and J. Otieno (Reading Trust), {}",
    "A van for twelve villages. Prepared by Reading Trust — {}",
    "Written by Halima Guyo on behalf of the Trust, {} in Kitui",
    "Prepared on {}",
    "Dated {}",
    "Préparé par la fondation, le {}",
    "إعداد: مؤسسة القراءة، {}",
)
NOT_OF_ITSELF = (
    "The study, published on {}, found little.",
    "Kenya published rules on {}.",
    "Updated {}",
    "Valid until {}",
    "The plan prepared by the ministry, {}, was dropped.",
    "Prepared by the ministry. It met on {}.",
    "Applications submitted by partners after {} are late.",
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, str, date]:
    """A document that states its day somewhere among other days, what its file tells, and the day."""
    day, made, *others = draw(st.lists(st.dates(date(1950, 1, 1), TODAY), min_size=4, max_size=6, unique=True))
    written = draw(
        st.sampled_from((day.isoformat(), f"{day.day} {day:%B} {day.year}", f"{day:%b} {day.day}, {day.year}"))
    )
    lines = [draw(st.sampled_from(NOT_OF_ITSELF)).format(each.isoformat()) for each in others]
    lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(STATEMENTS)).format(written))
    told = draw(st.sampled_from((f"D:{made:%Y%m%d}101500", made.isoformat(), "")))
    return told, "\n".join(lines), day


@given(documents())
@settings(max_examples=60)
def test_the_day_that_a_text_states_comes_before_what_its_file_tells_and_other_days(
    document: tuple[str, str, date],
) -> None:
    told, text, day = document
    assert published_of(told, text, TODAY) == day.isoformat()


@given(st.dates(date(1950, 1, 1), TODAY), st.dates(date(1950, 1, 1), TODAY), st.sampled_from(NOT_OF_ITSELF))
@settings(max_examples=40)
def test_days_of_something_else_come_after_what_a_file_tells(made: date, other: date, line: str) -> None:
    assert published_of(made.isoformat(), line.format(other.isoformat()), TODAY) == made.isoformat()


def test_a_stated_day_in_the_future_is_an_announcement() -> None:
    assert published_of("2026-03-01", "Published: 1 January 2031", TODAY) == "2026-03-01"


@given(st.dates(date(1901, 1, 1), date(2099, 12, 31)))
def test_every_day_is_read_as_it_is_written(day: date) -> None:
    months = "January February March April May June July August September October November December"
    name = months.split()[day.month - 1]
    for written in (day.isoformat(), f"{day.day} {name} {day.year}", f"{name[:3]} {day.day}, {day.year}"):
        assert list(dates_in(written)) == [day]


@given(st.text())
def test_no_text_is_too_strange_for_dates_and_languages(text: str) -> None:
    published_of(text, text, TODAY)
    language_of(text)
    declared(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The yields of maize rose in the north and the prices fell.", "en"),
        ("Les rendements du maïs ont augmenté dans le nord et les prix ont baissé.", "fr"),
        ("Mavuno ya mahindi yaliongezeka katika kaskazini na bei ya chakula ni nafuu kwa watu.", "sw"),
        ("የበቆሎ ምርት በሰሜን ጨምሯል እና ዋጋው ቀንሷል ነው።", "am"),
        ("ارتفع إنتاج الذرة في الشمال وانخفضت الأسعار بعد المطر.", "ar"),
        ("12 34 — 56", None),
    ],
)
def test_the_language_is_known_by_script_and_common_words(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_markdown_is_read_with_its_structure() -> None:
    text = (
        "---\ntitle: A brief\ndate: 2026-03-01\n---\n# Rains\n\nThe *long* rains\ncame **late** ([FAO](https://x.org)).\n\n"
        "- one\n- two\n  goes on\n  - deeper\n\n| Market | KES |\n|---|---:|\n| Nairobi | 4,100 |\n\n"
        "Table: Prices of *maize*\n\n"
        "Title\n=====\n\n> quoted\n\n"
        "```\ncode\n```\n"
    )
    facts, body = front_matter(text)
    assert facts == {"title": "A brief", "date": "2026-03-01"}
    assert is_markdown(body)
    assert markdown_blocks(body) == [
        Block("heading", "Rains", 1),
        Block("paragraph", "The long rains came late (FAO)."),
        Block("item", "one"),
        Block("item", "two goes on"),
        Block("item", "deeper", 2),
        Block("caption", "Prices of maize"),
        Block("table", "Market | KES\nNairobi | 4,100"),
        Block("heading", "Title", 1),
        Block("paragraph", "quoted"),
        Block("paragraph", "code"),
    ]


_PLAIN = (
    st.text(st.sampled_from("abc DEF. ነው مع"), min_size=1, max_size=40)
    .map(lambda t: " ".join(t.split()))
    .filter(lambda t: t and t[0].isalpha())
)


@given(st.lists(st.tuples(st.sampled_from(["heading", "paragraph", "item"]), _PLAIN), max_size=8))
def test_blocks_written_as_markdown_are_read_again(made: list[tuple[str, str]]) -> None:
    blocks = [Block(kind, text) for kind, text in made]  # type: ignore[arg-type]
    assert markdown_blocks(markdown_of(blocks)) == blocks


def test_lines_of_plain_text_that_were_broken_to_fit_are_one_paragraph() -> None:
    wrapped = (
        "The long rains came late this year, and many farmers\nplanted again in May when the second rains began.\n\n"
    )
    assert text_blocks(wrapped + "Nairobi\nKisumu\nMombasa\n\n- a\n- b") == [
        Block("paragraph", wrapped.strip().replace("\n", " ")),
        Block("paragraph", "Nairobi\nKisumu\nMombasa"),
        Block("item", "a"),
        Block("item", "b"),
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "[a](",
        "**a",
        "*",
        "`",
        "|-",
        "| ",
        "# ",
        "#" + " " * 50,
        "- ",
        "-" * 20 + "x",
        "> ",
        "\\",
        "<http://",
        "(",
        ". ",
        "A.",
    ],
)
def test_what_is_made_to_keep_us_busy_takes_time_in_proportion(piece: str) -> None:
    text = piece * (200_000 // len(piece)) + "x"
    begun = time.process_time()
    markdown_blocks(text)
    text_blocks(text)
    language_of(text)
    published_of("", text, TODAY)
    assert time.process_time() - begun < 3


PROSE = "The fund pays half of the cost of schemes that water fields of the members, up to a limit."


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_short_line_above_prose_is_its_heading(between: str) -> None:
    text = f"Small grants\n\nWho can apply{between}{PROSE}\n\nHow to apply{between}{PROSE}"
    assert text_blocks(text) == [
        Block("heading", "Small grants"),
        Block("heading", "Who can apply", 2),
        Block("paragraph", PROSE),
        Block("heading", "How to apply", 2),
        Block("paragraph", PROSE),
    ]


@given(st.lists(st.sampled_from(["who", "pays", "half", "Fund", "of", "the", "cost"]), min_size=12, max_size=60))
def test_prose_that_was_broken_to_fit_has_no_heading(words: list[str]) -> None:
    wrapped = textwrap.fill(" ".join(words) + ".", 40)
    assert [each.kind for each in text_blocks(wrapped)] == ["paragraph"]


@given(st.text(alphabet="aB .\n", max_size=200))
def test_no_letter_of_a_plain_text_is_lost(text: str) -> None:
    assert "".join(each.text for each in text_blocks(text)).split() or not text.split()
    assert sorted("".join("".join(each.text for each in text_blocks(text)).split())) == sorted("".join(text.split()))
