"""What the checks let through and what they do not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.generators.checks import Ground, faults
from partita.apps.newsletter.service.generators.finishing import tidied, to_last_sentence
from partita.apps.newsletter.service.writing.spans import sentences_with_citations
from partita.apps.newsletter.service.writing.values import Passage

GOATS = Passage("chunk-1", "s1", "Goats gave 12 litres in Kenya. Prices fell to 40 shillings after the rain.", "Goats")
CAMELS = Passage("chunk-2", "s2", "Camels gave 30 litres in Somalia. Herders walked for nine days.", "Camels")
GROUND = Ground({1: GOATS, 2: CAMELS}, 20, headings=())


def test_a_sentence_rests_on_the_next_citation_of_its_paragraph() -> None:
    assert (
        faults("Goats gave 12 litres in Kenya. Prices fell to 40 shillings after the rain came at last. [1]", GROUND)
        == ()
    )
    wrong = faults("Goats gave 12 litres in Kenya. Herders walked for nine days to sell the milk they had. [2]", GROUND)
    assert any("12" in each for each in wrong)
    assert any("Kenya" in each for each in wrong)


def test_a_sentence_behind_the_last_citation_rests_on_it() -> None:
    text = "Goats gave 12 litres in Kenya. [1] Prices fell to 40 shillings after the rain came at last."
    assert faults(text, GROUND) == ()


def test_each_sentence_has_its_own_citations() -> None:
    text = "Goats gave 12 litres [1]. Camels gave 30 litres. [2] Nobody counted."
    assert [numbers for _, numbers in sentences_with_citations(text)] == [(1,), (2,), (2,)]


def test_entries_of_a_list_cite() -> None:
    text = "- Goats gave 12 litres in Kenya before prices fell. [1]\n- Camels gave 30 litres in Somalia for nine days."
    assert any("cites no source" in each for each in faults(text, GROUND))
    assert faults(text + " [2]", GROUND) == ()


def test_what_was_told_before_is_not_told_again() -> None:
    text = "Goats gave 12 litres in Kenya. Prices fell to 40 shillings after the rain came at last. [1]"
    ground = replace(GROUND, told=("Goats gave 12 litres in Kenya.",))
    assert any("said before" in each for each in faults(text, ground))


def test_an_opening_needs_no_citation_but_invents_nothing() -> None:
    ground = Ground({}, 12, given="Herders’ Weekly\n3 stories\nGoats give more milk", uncited=frozenset({""}))
    assert faults("Welcome to Herders’ Weekly. This week goats give more milk, in 3 stories.", ground) == ()
    assert faults("Welcome to Herders’ Weekly. This week 7 goats of Kenya give more milk.", ground) != ()


def test_an_arabic_section_is_arabic() -> None:
    passage = replace(GOATS, text="أنتجت الماعز ١٢ لترا في كينيا بعد المطر وانخفضت الأسعار إلى ٤٠ شلنا.")
    ground = Ground({1: passage}, 15, language="ar")
    assert faults("أنتجت الماعز 12 لترا في كينيا بعد المطر، وانخفضت الأسعار هناك إلى 40 شلنا. [1]", ground) == ()
    assert faults("Goats gave 12 litres, and prices fell to 40 shillings there after it. [1]", ground) != ()


@pytest.mark.parametrize("text", ["", "   ", "### Only a heading", "[1]", "---"])
def test_nothing_is_no_section(text: str) -> None:
    assert faults(text, GROUND) != ()


@given(st.text(max_size=400))
def test_anything_can_be_checked(text: str) -> None:
    faults(tidied(text), GROUND)
    assert tidied(tidied(text)) == tidied(text)


@given(st.text(alphabet="ab .!?[1]\n", max_size=200))
def test_what_is_cut_ends_where_a_sentence_ends(text: str) -> None:
    cut = to_last_sentence(text)
    assert text.startswith(cut)
    assert cut == "" or cut.rstrip("[1] \n")[-1:] in (".", "!", "?", "]") or cut[-1] == "]"
    assert to_last_sentence(cut) == cut


def test_citations_are_written_one_way() -> None:
    assert tidied("It rose [1, 2].\n\nIt fell[3] .") == "It rose. [1][2]\n\nIt fell. [3]"
    assert tidied("```markdown\nIt rose [1].\n```") == "It rose. [1]"
    assert tidied("It rose【1】 and fell.") == "It rose [1] and fell."
