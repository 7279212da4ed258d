"""What a list with a search box shows beside its rows."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request

from partita.kit.search import FacetValue, SearchPage
from partita.web.assets import Assets
from partita.web.templates import environment

VALUES = (FacetValue("open source", 1200, chosen=True), FacetValue("<b>", 3))


def _made(call: str, query: str, **context: Any) -> str:
    request = Request({"type": "http", "path": "/books", "query_string": query.encode(), "headers": []})
    source = f'{{% import "macros/search.html" as found with context %}}{{{{ found.{call} }}}}'
    made: str = environment(Assets(packages=()), ()).from_string(source).render(request=request, **context)
    return made


def _links(page: str) -> list[str]:
    return re.findall(r'href="(.*?)"', page)


def test_a_facet_of_many_values_adds_and_drops_one_and_keeps_the_rest() -> None:
    made = _made('facet("Tags", "tag", values, many=true)', "q=maps&tag=open+source&cursor=x&sort=-year", values=VALUES)
    assert _links(made) == [
        "/books?q=maps&amp;sort=-year",
        "/books?q=maps&amp;sort=-year&amp;tag=open+source&amp;tag=%3Cb%3E",
    ]
    assert made.count('aria-current="true"') == 1
    assert "1,200" in made
    assert "<b>" not in made


def test_a_facet_of_one_value_changes_it() -> None:
    made = _made('facet("Shelf", "shelf", values)', "shelf=open+source", values=VALUES)
    assert _links(made) == ["/books", "/books?shelf=%3Cb%3E"]
    assert _made('facet("Shelf", "shelf", ())', "").strip() == ""


def test_a_search_box_keeps_what_the_list_is_narrowed_by() -> None:
    made = _made('kept(["tag", "sort"])', "q=maps&tag=a&tag=%22b%22&cursor=x")
    assert re.findall(r'name="(\w+)" value="(.*?)"', made) == [("tag", "a"), ("tag", "&#34;b&#34;")]


def test_a_search_says_what_was_meant_and_that_words_are_missing() -> None:
    page = SearchPage((), None, 0, relaxed=True, suggestion="café <x>")
    made = _made("notes(page)", "q=caffe&tag=a&cursor=x", page=page)
    assert _links(made) == ["/books?tag=a&amp;q=caf%C3%A9+%3Cx%3E"]
    assert ">café &lt;x&gt;</a>?" in made
    assert "Nothing has all of these words." in made
    assert _made("notes(page)", "", page=SearchPage((), None, 0)).strip() == ""


def test_completions_are_options() -> None:
    assert _made("options(values)", "", values=VALUES) == (
        '<option value="open source">1,200</option><option value="&lt;b&gt;">3</option>'
    )
