"""What pages say of themselves: one address, a line that describes them, and data that cannot become markup."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from partita.kit.sharing import Head, absolute, address
from partita.kit.sharing.structured import rating, structured_data, thing

START = '<script type="application/ld+json">'
END = "</script>"


@given(st.text(max_size=1000))
def test_a_description_is_one_line_of_at_most_two_hundred_characters(text: str) -> None:
    summary = Head("/", text).summary
    assert len(summary) <= 200
    assert summary == " ".join(summary.split())
    assert len(text) > 200 or summary == " ".join(text.split())


def test_a_long_description_ends_with_a_word() -> None:
    summary = Head("/", "word " * 100).summary
    assert summary.endswith("word …")


def test_an_address_has_only_the_parameters_with_a_value_in_one_order() -> None:
    assert address("/fus", {"q": "", "tags": ("b", "", "a"), "sort": None}) == "/fus?tags=b&tags=a"
    assert address("/fus", {}) == "/fus"
    assert absolute("https://example.org", "/fus?tags=a%2Fb&c=ü") == "https://example.org/fus?tags=a%2Fb&c=%C3%BC"


@given(st.dictionaries(st.text(min_size=1), st.text() | st.integers() | st.lists(st.text())))
def test_no_text_ends_the_element_that_it_is_in_and_every_text_comes_back(properties: dict[str, Any]) -> None:
    element = str(structured_data(properties))
    inside = element.removeprefix(START).removesuffix(END)
    assert element == f"{START}{inside}{END}"
    assert not set("<>&") & set(inside)
    assert json.loads(inside) == {"@context": "https://schema.org", **properties}


def test_what_has_no_value_is_left_out() -> None:
    assert thing("WebSite", name="One", url="", keywords=[], about=None) == {"@type": "WebSite", "name": "One"}
    assert rating(None, 0) is None
    assert rating(4.5, 2) == {
        "@type": "AggregateRating",
        "ratingValue": 4.5,
        "ratingCount": 2,
        "bestRating": 5,
        "worstRating": 1,
    }
