"""Frames, requirements of a call, budgets, states: the pure parts of proposals."""

from __future__ import annotations

import time
from datetime import date
from decimal import Decimal
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.proposing.budgets import amount_of, budgets_in
from partita.apps.newsletter.service.proposing.frames import (
    FRAMES,
    Frame,
    ProposalSection,
    read_sections,
    sections_of_frame,
    sections_of_headings,
    stored_sections,
)
from partita.apps.newsletter.service.proposing.kinds import kinds_of
from partita.apps.newsletter.service.proposing.page_limits import page_limit, too_many_pages
from partita.apps.newsletter.service.proposing.requirements import (
    CallText,
    Requirement,
    group_of,
    offer_in,
    read_requirements,
    renewed,
    requirements_in,
)
from partita.apps.newsletter.service.proposing.states import STATUSES, check_move, next_states
from partita.apps.newsletter.service.proposing.sums import amounts_in
from partita.kit.problems import Conflict

CALL = [
    CallText("Introduction. The fund supports dryland farming. Do you have questions? Ask us.", 1, "s1"),
    CallText(
        "Applicants must be registered in a member state. The proposal shall not exceed 15 pages. Proposals must "
        "include a gender analysis. The deadline is 30 June 2031 at noon. Grants are at most USD 250,000 each. "
        "Proposals will be evaluated by relevance (40 points) and cost.",
        3,
        "s1",
    ),
    CallText("Proposals will be evaluated by relevance (40 points) and cost. Letters are welcome.", 4, "s1"),
]


@pytest.mark.parametrize(
    ("sentence", "group"),
    [
        ("Applicants must be registered in a member state.", "eligibility"),
        ("The proposal shall not exceed 15 pages.", "limits"),
        ("Proposals must include a gender analysis.", "content"),
        ("The deadline is 30 June 2031 at noon.", "dates"),
        ("Grants are at most USD 250,000 each.", "money"),
        ("Proposals will be evaluated by relevance (40 points).", "criteria"),
        ("The foundation pays at most 75 per cent of the total cost.", "money"),
        ("Consortia may have up to four partners.", "eligibility"),
        ("Each partner may send at most two letters.", "content"),
        ("Applicants must explain how patients are kept safe.", "content"),
        ("Applicants must have existed for three years.", "eligibility"),
        ("አመልካቾች ማመልከቻ ማስገባት አለባቸው።", "eligibility"),
        ("الموعد النهائي هو 30 يونيو 2031.", "dates"),
        ("يجب أن يتضمن المقترح ملخصا.", "content"),
        ("The fund supports dryland farming.", None),
    ],
)
def test_a_sentence_that_obliges_is_known_by_its_words(sentence: str, group: str | None) -> None:
    assert group_of(sentence) == group


def test_a_call_becomes_a_checklist_in_its_exact_words_with_pages() -> None:
    found = requirements_in(CALL)
    assert [(each.page, each.group) for each in found] == [
        (3, "eligibility"),
        (3, "limits"),
        (3, "content"),
        (3, "dates"),
        (3, "money"),
        (3, "criteria"),
    ]
    assert all(any(each.text in passage.text for passage in CALL) for each in found)
    offer = offer_in(found, date(2026, 3, 1))
    assert (offer.deadline, offer.amount, offer.currency) == ("2031-06-30", 250_000, "USD")


def test_reading_a_call_again_keeps_ticks_and_sections() -> None:
    sections = (
        ProposalSection("gender", "Gender and inclusion", "Who takes part"),
        ProposalSection("budget", "Budget"),
    )
    first = renewed((), requirements_in(CALL), sections)
    by_group = {each.group: each for each in first}
    assert (by_group["content"].section, by_group["money"].section) == ("gender", "budget")
    rows = [each.stored() | {"done": each.group == "limits", "section": "budget"} for each in first]
    ticked = read_requirements({"requirements": rows})
    again = renewed(ticked, requirements_in(CALL[:1]), sections)
    assert [each.group for each in again] == ["limits"]
    whole = renewed(ticked, requirements_in(CALL), sections)
    assert {(each.id, each.done, each.section) for each in whole} == {
        (each.id, each.done, each.section) for each in ticked
    }


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("A plan for maintenance after the end of the project is required.", "sustainability"),
        ("The summary must have no more than 250 words.", "executive_summary"),
        ("Proposals should include at least three indicators.", "results_and_indicators"),
        ("A budget table by year is required.", "budget"),
        ("A letter of the director shall be attached.", ""),
    ],
)
def test_a_requirement_goes_to_the_section_that_is_of_its_kind(text: str, section: str) -> None:
    (made,) = renewed((), requirements_in([CallText(text, 1)]), sections_of_frame("full_proposal"))
    assert made.section == section


def test_a_call_offers_its_ceiling_however_it_writes_thousands() -> None:
    call = [CallText("The total budget must not exceed 250.000 EUR per project. The own share must be 5.000 EUR.", 1)]
    assert offer_in(requirements_in(call), date(2031, 1, 1)).amount == 250_000


@given(st.lists(st.text(max_size=120), max_size=6))
def test_requirements_are_always_words_of_the_call_and_told_once(texts: list[str]) -> None:
    found = requirements_in([CallText(text, None) for text in texts])
    assert len({each.id for each in found}) == len(found)
    assert all(any(each.text in text for text in texts) for each in found)
    assert read_requirements({"requirements": [each.stored() for each in found]}) == found


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        ("up to USD 250,000", [(250_000, "USD")]),
        ("€1.5 million", [(1_500_000, "EUR")]),
        ("KES 300 000 each", [(300_000, "KES")]),
        ("50,000 EUR", [(50_000, "EUR")]),
        ("15 pages", []),
        ("250.000 EUR", [(250_000, "EUR")]),
        ("at most EUR 1.200.000.", [(1_200_000, "EUR")]),
        ("1 200 000 EUR", [(1_200_000, "EUR")]),
        ("EUR 250.000,50", [(250_000, "EUR")]),
        ("1,5 million EUR", [(1_500_000, "EUR")]),
        ("EUR 1.250 million", [(1_250_000, "EUR")]),
        ("CHF 1’200’000", [(1_200_000, "CHF")]),
        ("USD 250,000, 12 months", [(250_000, "USD")]),
        ("Lot 1: 250.000 EUR; lot 2: 300.000 EUR", [(250_000, "EUR"), (300_000, "EUR")]),
        ("1. EUR 250.000 2. EUR 300.000", [(250_000, "EUR"), (300_000, "EUR")]),
        ("USD 50,000, 100,000 or 150,000", [(50_000, "USD"), (100_000, "USD"), (150_000, "USD")]),
        ("between EUR 50.000 and 250.000", [(50_000, "EUR"), (250_000, "EUR")]),
        ("50,000 to 250,000 EUR", [(50_000, "EUR"), (250_000, "EUR")]),
        ("USD 1 to 2 million", [(1_000_000, "USD"), (2_000_000, "USD")]),
        ("USD 50,000 and 100,000 farmers", [(50_000, "USD")]),
        ("250,000 EUR 36 months", [(250_000, "EUR")]),
        ("250,000 US dollars", [(250_000, "USD")]),
        ("between 20,000 and 50,000 dollars", [(20_000, "USD"), (50_000, "USD")]),
        ("up to 1 million Kenyan shillings", [(1_000_000, "KES")]),
        ("5 000 000 XOF", [(5_000_000, "XOF")]),
        ("ብር 500,000", [(500_000, "ETB")]),
        ("٥٠٬٠٠٠ دولار", [(50_000, "USD")]),
        ("12 bikes 300 and an entrepreneur 5", []),
    ],
)
def test_sums_of_money_are_read_with_their_currency(text: str, sums: list[tuple[int, str]]) -> None:
    assert amounts_in(text) == sums


@given(
    st.lists(st.integers(10_000, 10**9), min_size=1, max_size=5),
    st.sampled_from(",. \u00a0\u202f’"),
    st.sampled_from(("EUR {}", "{} EUR", "€{}", "{} €", "EUR\u00a0{}")),
    st.sampled_from(("{}", "lot 1: {}", "up to {} for 36 months", "{}, 12 months", "({})", "{}.")),
)
def test_however_a_sum_is_written_it_is_the_same_sum(values: list[int], mark: str, written: str, around: str) -> None:
    numbers = [f"{value:,}".replace(",", mark) for value in values]
    expected = [(value, "EUR") for value in values]
    for number, wanted in zip(numbers, expected, strict=True):
        assert amounts_in(around.format(written.format(number))) == [wanted]
    assert amounts_in("; ".join(written.format(number) for number in numbers)) == expected
    assert amounts_in(written.format("; ".join(numbers))) == expected


@given(st.text(alphabet="0123456789 .,’-–USDEURmillion€$;and\n", max_size=400))
def test_any_text_has_sums_that_are_whole_numbers(text: str) -> None:
    assert all(amount >= 0 and currency for amount, currency in amounts_in(text))


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("The proposal must not exceed ten pages.", 10),
        ("Proposals shall be no more than 15 A4 pages in Arial 11.", 15),
        ("Applications: 8 pages maximum.", 8),
        ("CVs of at most two pages each must be attached.", None),
        ("The summary must not be longer than one page.", None),
        ("Proposals must include a page on gender.", None),
        ("يجب ألا يتجاوز المقترح 12 صفحة.", 12),
        ("المقترح لا يتجاوز 12 صفحة.", 12),
    ],
)
def test_the_pages_that_a_call_allows_are_read(text: str, limit: int | None) -> None:
    assert page_limit([Requirement("r", text, None, "limits")]) == limit


@given(st.integers(1, 40), st.integers(0, 20_000), st.none() | st.integers(1, 60))
def test_pages_are_too_many_if_and_only_if_they_are_more_than_the_call_allows(
    limit: int, words: int, pages: int | None
) -> None:
    wanted = [Requirement("r", f"The proposal must not exceed {limit} pages.", None, "limits")]
    warned = too_many_pages(wanted, words, pages)
    assert bool(warned) == (pages > limit if pages is not None else -(-words // 420) + 1 > limit)
    assert too_many_pages([], words, pages) == []


TABLE = """| Item | Quantity | Unit cost | Cost |
|---|---|---|---|
| Staff | 2 | 1,000 | {staff} |
| Travel | 3 | 200 | 600 |
| **Total** | | | {total} |"""


def test_a_budget_that_adds_up_has_no_faults() -> None:
    (budget,) = budgets_in(f"Our costs:\n\n{TABLE.format(staff='2,000', total='**2,600**')}\n\nThat is all.")
    assert (budget.total, budget.faults) == (Decimal(2600), ())


def test_what_does_not_add_up_is_said() -> None:
    (budget,) = budgets_in(TABLE.format(staff="2,100", total="2,600"))
    assert budget.faults == (
        "“Cost” comes to 2,700, and the table says 2,600.",
        "“Staff”: 2 × 1,000 is 2,000, not 2,100.",
    )
    (without,) = budgets_in("| Item | USD |\n|---|---|\n| A | 100 |\n| B | 50 |")
    assert without.faults == ("The table has no line for the total, which is 150.",)
    assert budgets_in("| Name | Role |\n|---|---|\n| Ada | Lead |") == ()


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("1,200.50", "1200.50"),
        ("USD 300", "300"),
        ("12 000", "12000"),
        ("1.200,50", "1200.50"),
        ("-5", "-5"),
        ("12,5", "12.5"),
        ("12.000", "12000"),
        ("EUR 1.200.000", "1200000"),
        ("1’200", "1200"),
        ("1\u202f200", "1200"),
        ("٢٥٠٬٠٠٠", "250000"),
        ("0.125", "0.125"),
        ("12.50", "12.50"),
    ],
)
def test_numbers_are_read_as_people_write_them(written: str, amount: str) -> None:
    assert amount_of(written) == Decimal(amount)
    assert amount_of("twelve") is None


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=8))
def test_a_total_is_right_if_and_only_if_it_is_the_sum(costs: list[int]) -> None:
    lines = "\n".join(f"| Line {n} | {cost:,} |" for n, cost in enumerate(costs))
    for total in (sum(costs), sum(costs) + 1):
        (budget,) = budgets_in(f"| Item | USD |\n|---|---|\n{lines}\n| Total | {total:,} |")
        assert (budget.faults == ()) == (total == sum(costs))


SUBTOTALS = (
    "Subtotal",
    "Sub-total {}",
    "**Subtotal {}**",
    "{} subtotal",
    "Total {}",
    "{} total",
    "Total",
    "1.4 Total {}",
)
TOTALS = ("Total", "**Grand total**", "TOTAL (USD)", "Total project costs", "Total budget")


@given(
    st.lists(st.lists(st.integers(1, 10**6), min_size=1, max_size=4), min_size=1, max_size=4),
    st.sampled_from(SUBTOTALS),
    st.sampled_from(TOTALS),
    st.booleans(),
    st.integers(0, 3),
)
def test_subtotals_are_no_lines_and_are_checked_themselves(
    groups: list[list[int]], named: str, total: str, headed: bool, wrong: int
) -> None:
    rows: list[str] = []
    for number, group in enumerate(groups):
        name = f"group {'abcd'[number]}"
        if headed:
            rows.append(f"| **{name}** | |")
        rows += [f"| Item {n} | {cost:,} |" for n, cost in enumerate(group)]
        rows.append(f"| {named.format(name)} | {sum(group) + 10**8 * (number == wrong):,} |")
    whole = sum(map(sum, groups))
    (budget,) = budgets_in("\n".join(("| Item | USD |", "|---|---|", *rows, f"| {total} | {whole:,} |")))
    assert budget.total == whole
    assert len(budget.faults) == (wrong < len(groups)), budget.faults


def test_a_subtotal_may_be_of_all_lines_above_it_or_of_those_below() -> None:
    head = "| No. | Item | USD | Share |\n|---|---|---|---|\n"
    rows = ("| | Total staff | 30 | 75% |", "| 1 | Ada | 10 | |", "| 2 | Ben | 20 | |", "| 3 | Fuel | 5 | |")
    more = ("| | Total direct costs | 35 | 88% |", "| 4 | Overheads | 5 | 12% |", "| | Total | 40 | 100% |")
    (budget,) = budgets_in(head + "\n".join((*rows[:3], "| Travel | | | |", rows[3], *more)))
    assert (budget.total, budget.faults) == (Decimal(40), ())


@pytest.mark.parametrize(
    "filled", [" " * 20_000, ". " * 10_000, " :" * 10_000, "(" * 20_000, "1," * 10_000, "*" * 20_000]
)
def test_a_table_with_long_cells_is_looked_at_as_soon_as_one_with_short_ones(filled: str) -> None:
    cell = f"a{filled}b"
    begun = process_time()
    (budget,) = budgets_in(f"| Item | Cost |\n|---|---|\n| {cell} | 5 |\n| Subtotal {cell} | 6 |\n| Total | 7 |")
    assert process_time() - begun < 2
    assert len(budget.faults) == 2
    assert all(len(fault) < 400 for fault in budget.faults)


def test_numbers_far_apart_are_no_list_and_are_read_as_soon() -> None:
    begun = process_time()
    assert amounts_in("USD 100,000" + " " * 40_000 + "200,000") == [(100_000, "USD")]
    assert process_time() - begun < 2
    assert amounts_in("USD 100,000,  or up to   200,000") == [(100_000, "USD"), (200_000, "USD")]


@pytest.mark.parametrize(
    "rows",
    [
        ["Activity | Year 1 | Year 2", "Training | spring | first quarter", "Dams | 9 dams | 13 dams", "Taps | 9 | 13"],
        ["Activity | First month | Last month", "Training | 1 | 3", "Dams | 2 | 9"],
        ["Step | Begin", "Survey | 2026", "Report | 2027"],
    ],
)
def test_a_plan_of_work_is_no_budget(rows: list[str]) -> None:
    table = "\n".join(f"| {row} |" for row in (rows[0], "--- | " * rows[0].count("|") + "---", *rows[1:]))
    assert budgets_in(table) == ()
    assert budgets_in(table.replace("Activity", "Cost in USD").replace("Step", "Cost in USD")) != ()


@given(st.lists(st.tuples(*[st.integers(1, 10**6)] * 3), min_size=1, max_size=5), st.booleans(), st.booleans())
def test_a_budget_by_years_comes_to_all_its_years(
    rows: list[tuple[int, int, int]], whole: bool, quantity: bool
) -> None:
    head = [*(("Quantity",) if quantity else ()), "2027", "2028", "2029", *(("Total",) if whole else ())]
    lines = [
        " | ".join(map(str, ("Item", *((7,) if quantity else ()), *row, *((sum(row),) if whole else ()))))
        for row in rows
    ]
    table = "\n".join(f"| {line} |" for line in (" | ".join(("What", *head)), "---|" * (len(head) + 1), *lines))
    (budget,) = budgets_in(table)
    assert budget.total == sum(map(sum, rows))


def test_every_frame_has_sections_with_keys_of_their_own() -> None:
    for name, frame in FRAMES.items():
        sections = sections_of_frame(name)
        assert len({each.key for each in sections}) == len(frame.sections)
        assert read_sections({"sections": stored_sections(sections)}, {}) == sections
    assert [each.key for each in sections_of_headings(["Aims", "Aims", " ", "ዓላማ"])] == ["aims", "aims_2", "ዓላማ"]


def test_texts_of_another_program_are_sections_too() -> None:
    found = read_sections({"sections": "nonsense"}, {"problem_statement": "It is dry.", "aims": "x"})
    assert [(each.key, each.title) for each in found] == [("problem_statement", "Problem statement"), ("aims", "Aims")]


def test_states_go_where_they_may() -> None:
    assert next_states("draft") == ("in_review", "archived")
    assert next_states("ready") == ("submitted", "draft", "archived")
    assert next_states("archived") == ()
    assert next_states("whatever they wrote") == ("draft", "archived")
    for status in STATUSES:
        for wanted in STATUSES:
            if wanted in next_states(status):
                check_move(status, wanted)
            else:
                with pytest.raises(Conflict):
                    check_move(status, wanted)


@pytest.mark.parametrize("language", ["am", "ar"])
@pytest.mark.parametrize("frame", [each for each in FRAMES if each != "document"])
def test_sections_of_a_frame_tell_the_same_in_every_language(frame: Frame, language: str) -> None:
    english, other = sections_of_frame(frame), sections_of_frame(frame, language)
    assert [each.key for each in other] == [each.key for each in english]
    assert [set(kinds_of(each)) for each in other] == [set(kinds_of(each)) for each in english]
    assert not any(ours.title == theirs.title for ours, theirs in zip(other, english, strict=True))


def test_a_table_of_subtotals_is_checked_in_time_in_proportion_to_its_length() -> None:
    table = "| Line | Cost |\n| --- | --- |\n| Seed | 1 |\n" + "| Subtotal | 1 |\n" * 40_000
    begun = time.process_time()
    (budget,) = budgets_in(table)
    assert budget.total == 1
    assert time.process_time() - begun < 5
