"""Desks: the next thing after each decision, and no place lost."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.desks import Desk
from partita.table import Page

names = st.lists(st.text(min_size=1, max_size=12), unique=True, min_size=1, max_size=30)


def _desk(items: list[str], size: int, url: str) -> Desk[str]:
    """What a route would make of a URL; a cursor is where its page begins."""
    asked = dict(parse_qsl(urlsplit(url).query))
    begin = int(asked.get("cursor", "0"))
    rest = items[begin : begin + size]
    following = str(begin + size) if begin + size < len(items) else None
    return Desk.of("/desk", Page(tuple(rest), following), str, at=asked.get("at", ""), cursor=asked.get("cursor"))


@given(names, st.integers(1, 10))
def test_the_way_from_one_to_the_next_passes_everything_once(items: list[str], size: int) -> None:
    desk, seen = _desk(items, size, "/desk"), []
    for _ in items:
        seen.append(desk.current)
        if desk.next_url:
            desk = _desk(items, size, desk.next_url)
    assert seen == items
    assert desk.next_url == ""
    assert desk.after_decision == "/desk"


@given(names, st.data())
def test_the_way_back_from_the_next_leads_here(items: list[str], data: st.DataObject) -> None:
    here = data.draw(st.sampled_from(items))
    desk = _desk(items, len(items), Desk.of("/desk", Page(tuple(items), None), str).url(here))
    assert desk.current == here
    if desk.next_url:
        after = _desk(items, len(items), desk.next_url)
        assert _desk(items, len(items), after.previous_url).current == here
    else:
        assert here == items[-1]


def test_what_does_not_wait_any_more_gives_way_to_the_first() -> None:
    desk = Desk.of("/desk", Page(("a", "b"), None), str, at="gone")
    assert desk.current == "a"
    assert desk.previous_url == ""


def test_something_from_elsewhere_can_be_open_and_the_queue_comes_after_it() -> None:
    desk = Desk("/desk", Page(("a", "b"), None), str, "elsewhere")
    assert (desk.open_key, desk.previous_url, desk.next_url) == ("elsewhere", "", "/desk?at=a")


@pytest.mark.parametrize("at", ["", "x"])
def test_an_empty_desk_has_nothing_open(at: str) -> None:
    nothing: Page[str] = Page((), None)
    desk = Desk.of("/desk", nothing, str, at=at)
    assert (desk.current, desk.open_key, desk.next_url, desk.after_decision) == (None, "", "", "/desk")
