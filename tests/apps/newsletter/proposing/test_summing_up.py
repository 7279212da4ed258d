"""A summary says what the other sections say: need, objectives, results and the total of the budget, in that order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.editing.citations import cited
from partita.apps.newsletter.service.editing.lengths import word_count
from partita.apps.newsletter.service.proposing.frames import ProposalSection, sections_of_frame
from partita.apps.newsletter.service.proposing.summing_up import summed_up

FULL = {each.key: each for each in sections_of_frame("full_proposal")}
TEXTS = {
    "budget": "| Cost | USD |\n| --- | --- |\n| Dams | 90,000 |\n| Staff | 60,000 |\n| Total | 150,000 |\n\n"
    "Table: Costs [4]",
    "results_and_indicators": "By 2028, 41,000 people drink from wells. [3]",
    "goal_and_objectives": "The objectives are:\n\n- to build 22 dams [2]\n- to train 60 committees [2]",
    "context_and_needs": "Sixty villages have no water in March. [1] This costs lives. Women walk far. [9]",
}


def _others(texts: dict[str, str]) -> list[tuple[ProposalSection, str]]:
    return [(FULL[key], text) for key, text in texts.items()]


def test_it_goes_from_the_need_to_the_total_whatever_the_order_of_sections() -> None:
    text = summed_up(_others(TEXTS), 300, {1, 2, 3, 4})
    assert text == (
        "Sixty villages have no water in March. [1] Women walk far.\n\n"
        "The objectives are: to build 22 dams; to train 60 committees. [2]\n\n"
        "By 2028, 41,000 people drink from wells. [3] The budget comes to 150,000 USD. [4]"
    )


YEARS = "| Item | 2027 | 2028 |\n|---|---|---|\n| Lorries | 222,000 | 0 |\n| Staff | 42,000 | 64,000 |\n"


@pytest.mark.parametrize(
    ("table", "total"),
    [
        (YEARS + "| Total | 264,000 | 64,000 |", "328,000"),
        (f"We ask for 300,000 euros.\n\n{YEARS}", "328,000 euros"),
        (YEARS.replace("2027", "2027 (EUR)").replace("2028", "2028 (EUR)"), "328,000 EUR"),
        ("| Item | KES million |\n|---|---|\n| Hives | 19.2 |\n| Coaching | 9.6 |", "28.8 million KES"),
        ("| Item | USD ’000 |\n|---|---|\n| Hives | 19.2 |\n| Coaching | 9.6 |", "28,800 USD"),
        ("| Item | Cost |\n|---|---|\n| A | 20 |\n| B | 9 |\n\nTable: In thousands of euros", "29,000 euros"),
        ("| Item | Cost (€) | Months |\n|---|---|---|\n| A | 2,000 | 12 |\n| B | 900 | 6 |", "2,900 EUR"),
        ("| Item | Year 1 | Year 2 | Total |\n|---|---|---|---|\n| A | 2 | 3 | 5 |\n| B | 1 | 1 | 2 |", "7"),
    ],
)
def test_the_budget_comes_to_all_its_years_in_its_own_unit(table: str, total: str) -> None:
    assert summed_up(_others({"budget": table}), 300, ()) == f"The budget comes to {total}."


def test_with_little_room_each_section_says_one_sentence_first() -> None:
    text = summed_up(_others(TEXTS), 33, {1, 2, 3, 4})
    assert "Women walk" not in text
    assert "150,000" in text


def test_what_it_says_already_is_not_said_again_and_empty_sections_say_nothing() -> None:
    told = "Sixty villages have no water in March."
    assert told not in summed_up(_others(TEXTS), 300, (), told=told)
    assert summed_up(_others(dict.fromkeys(TEXTS, " ")), 300, ()) == ""
    assert summed_up([(FULL["executive_summary"], "Nothing of its own.")], 300, ()) == ""


@given(
    st.dictionaries(st.sampled_from(sorted(FULL)), st.text(max_size=200) | st.sampled_from(sorted(TEXTS.values()))),
    st.integers(0, 80),
    st.sets(st.integers(1, 9)),
)
def test_it_keeps_within_its_words_and_cites_only_what_is_known(
    texts: dict[str, str], room: int, known: set[int]
) -> None:
    text = summed_up(_others(texts), room, known)
    assert word_count(text) <= room
    assert set(cited(text)) <= known
