"""A draft as one document and as sections."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.formats import section_key
from partita.apps.newsletter.service.editing.sections import document, in_order, section, split

WORDS = st.sampled_from(["Rain", "Maize prices", "የአየር ንብረት", "الأسعار", "Rain, again"])
BODIES = st.lists(
    st.sampled_from(["It rained.", "### More\n\nText [1].", "```\n## no heading\n```", "- a\n- b"]), max_size=3
).map("\n\n".join)
DRAFTS = st.lists(st.tuples(WORDS, BODIES), max_size=5, unique_by=lambda pair: pair[0]).map(
    lambda pairs: {section_key(heading, ()): f"## {heading}\n\n{body}".strip() for heading, body in pairs}
)


@given(DRAFTS, st.sampled_from(["", "Weekly digest"]))
def test_a_document_splits_into_the_sections_it_was_made_of(texts: dict[str, str], title: str) -> None:
    assert split(document(title, texts.values()), texts) == texts


@given(DRAFTS)
def test_the_order_is_that_of_the_document(texts: dict[str, str]) -> None:
    whole = document("Weekly", texts.values())
    shuffled = dict(sorted(texts.items(), reverse=True))
    assert in_order(shuffled, whole) == tuple(texts)


def test_an_introduction_without_heading_is_a_section_too() -> None:
    texts = {"introduction": "Welcome.", "news": "## News\n\nRain."}
    assert split(document("Weekly", texts.values()), texts) == texts
    assert section("introduction", texts["introduction"]).heading == ""
    assert section("news", texts["news"]).body == "Rain."


def test_a_section_whose_heading_was_changed_is_known_by_its_place() -> None:
    known = {"a": "## A\n\n1", "b": "## B\n\n2", "c": "## C\n\n3"}
    found = split("# T\n\n## A\n\n1\n\n## Better\n\n2\n\n## C\n\n3", known)
    assert list(found) == ["a", "b", "c"]
    assert found["b"] == "## Better\n\n2"


def test_a_section_that_was_added_gets_a_key_of_its_own() -> None:
    found = split("## A\n\n1\n\n## A\n\n2\n\n## Ethiopia: rain\n\n3", {"a": "## A\n\n1"})
    assert found == {"a": "## A\n\n1", "a_2": "## A\n\n2", "ethiopia_rain": "## Ethiopia: rain\n\n3"}


def test_sections_that_the_document_lacks_follow_the_outline() -> None:
    assert in_order({"x": "gone", "y": "gone too", "a": "## A"}, "## A", ["y", "x"]) == ("a", "y", "x")


@given(st.text(max_size=200), DRAFTS)
def test_whatever_is_split_loses_nothing(whole: str, known: dict[str, str]) -> None:
    found = split(whole, known)
    text = "".join(whole.split())
    assert "".join("".join(found.values()).split()) in text
