"""What people write from right to left is read so, on pages that are written from left to right."""

from __future__ import annotations

from playwright.sync_api import Locator

from tests.browser.house import MANAGER, House
from tests.browser.sites import a_site
from tests.browser.window import window

TITLE = "أطلس العقد (2)!"
URL = "https://lost.example/directions"
TEXT = "يشرح كيف تُربط العقد، مع صور من GitHub و 12 مثالا!"


def test_arabic_ends_at_the_left_and_english_at_the_right(house: House) -> None:
    with a_site(house, TITLE, url=URL, description=TEXT) as path, window(house, MANAGER) as manager:
        for narrow in (False, True):
            manager.page.set_viewport_size({"width": 390 if narrow else 1280, "height": 900})
            manager.open(path)
            assert _reads_from_the_right(manager.page.locator("h1"))
            assert _reads_from_the_right(manager.page.get_by_text(TEXT).first)
            manager.open("/fus?sort=newest")
            row = manager.page.locator(".list > li", has=manager.page.get_by_role("link", name=TITLE))
            assert _reads_from_the_right(row.locator("h3 a"))
            assert _reads_from_the_right(row.locator("p"))
            assert _starts(row.locator("h3 a")) - _starts(row.locator("h3")) < 2, "beside its face"
            english = manager.page.locator(".list > li h3 a").filter(has_text="a").last
            assert not _reads_from_the_right(english)
            manager.check()


def test_fields_are_typed_in_the_direction_of_their_letters(house: House) -> None:
    with a_site(house, TITLE, url=URL, description=TEXT) as path, window(house, MANAGER) as manager:
        manager.open(f"{path}/edit")
        for label in ("Title", "Description"):
            field = manager.field(label)
            assert field.evaluate("each => getComputedStyle(each).unicodeBidi") == "plaintext"
        manager.check()


def test_lists_begin_at_their_points_also_in_what_is_written_from_right_to_left(house: House) -> None:
    with window(house) as visitor:
        visitor.open("/fus")
        for direction, side in (("ltr", "left"), ("rtl", "right")):
            for words in (TEXT, "A list in Latin letters"):
                assert visitor.page.evaluate(_SIDE_OF_AN_ENTRY, [direction, words]) == side


def _starts(thing: Locator) -> float:
    box = thing.bounding_box()
    assert box is not None
    return box["x"]


def _reads_from_the_right(thing: Locator) -> bool:
    """Whether the first character of a text stands to the right of the last one of that line."""
    found: bool = thing.evaluate(_FIRST_AND_LAST)
    return found


_FIRST_AND_LAST = """thing => {
    const walker = document.createTreeWalker(thing, NodeFilter.SHOW_TEXT);
    const text = walker.nextNode();
    const at = (place) => {
        const range = document.createRange();
        range.setStart(text, place);
        range.setEnd(text, place + 1);
        return range.getBoundingClientRect();
    };
    const first = at(0);
    let last = first;
    for (let place = 1; place < text.length && at(place).top < first.bottom - 4; place += 1) last = at(place);
    return first.left > last.left;
}"""

_SIDE_OF_AN_ENTRY = """([direction, words]) => {
    const prose = Object.assign(document.createElement("div"), { className: "prose", dir: direction });
    const entry = document.createElement("li");
    entry.textContent = words;
    prose.append(document.createElement("ul"));
    prose.firstChild.append(entry);
    document.querySelector("main").append(prose);
    const side = getComputedStyle(entry).textAlign;
    prose.remove();
    return side;
}"""
