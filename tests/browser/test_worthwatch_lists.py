"""Lists of WorthWatch as people read and write them: with script, without, and on a narrow screen."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import Mode
from tests.browser.house import MEMBER, House
from tests.browser.window import Window, window

CURATOR = "adabrandvold"


def test_a_visitor_opens_a_list_and_looks_at_it_in_another_order(house: House, mode: Mode) -> None:
    with mode.window(house) as visitor:
        visitor.open("/worthwatch")
        visitor.sees("Tonight I have", "Today’s list", "New", "Popular", "Tags", "Curators")
        visitor.check()
        name = visitor.page.locator(".list-card .name a").first
        title = name.inner_text()
        with visitor.leaving():
            visitor.click(name)
        visitor.sees(title)
        expect(visitor.page.locator(".posters .tile, .title-row").first).to_be_attached()
        visitor.check()
        visitor.choose("Sort", "title")
        visitor.at(re.compile("sort=title"))
        visitor.follow("Rows")
        visitor.at(re.compile("view=rows"))
        visitor.at(re.compile("sort=title"))
        expect(visitor.page.locator(".title-row .name a").nth(5)).to_be_visible()
        visitor.check()
        visitor.open("/worthwatch")
        visitor.click(visitor.page.locator("a.chip").first)
        visitor.sees("Lists about")
        visitor.check()
        assert visitor.open("/worthwatch/lists/nothing/here").status == 404


def test_a_first_visit_loads_at_most_150_kb(house: House) -> None:
    for place in ("/worthwatch", "/worthwatch/tonight", None):
        with window(house) as visitor:
            if place is None:
                visitor.open("/worthwatch")
                place = visitor.page.locator(".featured .name a").get_attribute("href") or ""
        with window(house) as visitor:
            visitor.open(place)
            visitor.page.wait_for_load_state()
            loaded = visitor.page.evaluate(
                "performance.getEntries().reduce((all, each) => all + (each.transferSize || 0), 0)"
            )
            assert 20_000 < loaded <= 150_000, (place, loaded)


def test_a_curator_writes_a_list_reorders_it_and_publishes_it(house: House, mode: Mode) -> None:
    with mode.window(house, house.demo_person(CURATOR)) as ada, window(house) as visitor:
        ada.open("/worthwatch/me/lists")
        ada.follow("New list")
        ada.fill(Title=f"Written in one go {mode.number}")
        ada.press("Go on to the titles")
        ada.sees("Add the first title")
        ada.check()
        for words in ("metrop", "akira", "vertigo"):
            _add(ada, words)
        _is_ordered(ada, ["Metropolis", "Akira", "Vertigo"])
        _note(ada, "Akira", "Loud, & better than you remember.")
        _move(ada, "Vertigo", 1)
        _is_ordered(ada, ["Vertigo", "Metropolis", "Akira"])
        ada.check()
        _remove_and_undo(ada, "Akira")
        _is_ordered(ada, ["Vertigo", "Metropolis", "Akira"])
        ada.page.reload()
        _is_ordered(ada, ["Vertigo", "Metropolis", "Akira"])
        expect(_row(ada, "Akira").get_by_label("Note on Akira")).to_have_value("Loud, & better than you remember.")
        edit = ada.path.partition("#")[0]
        ada.press("Publish")
        ada.told("Published")
        path = ada.path
        assert visitor.open(path).status == 200
        visitor.sees(f"Written in one go {mode.number}")
        ada.open(edit)
        ada.press("Take back")
        ada.told("Taken back")
        assert visitor.open(path).status == 404
        ada.open(edit)
        _open_facts(ada)
        ada.confirm("Delete this list", "Delete the list")
        ada.told("deleted")


def test_a_member_shares_a_private_list_by_a_link_and_ends_it(house: House, mode: Mode) -> None:
    with mode.window(house, MEMBER) as mina, window(house, narrow=True) as visitor:
        mina.open("/worthwatch/lists/new")
        mina.fill(Title=f"For Otto {mode.number}")
        mina.press("Go on to the titles")
        _add(mina, "akira")
        mina.page.reload()
        assert mina.page.get_by_role("button", name="Publish").count() == 0, "members do not publish"
        edit = mina.path.partition("#")[0]
        mina.press("Share by link")
        mina.told("Whoever has the link")
        _open_facts(mina)
        link = mina.text(".secret code")
        path = link.removeprefix(house.url)
        assert path.startswith("/worthwatch/shared/")
        assert visitor.open(path).status == 200
        visitor.sees(f"For Otto {mode.number}", "Whoever has this link")
        assert visitor.page.locator("meta[name=robots]").get_attribute("content") == "noindex"
        visitor.check()
        mina.press("End the link")
        mina.told("The link has ended")
        assert visitor.open(path).status == 404
        mina.open(edit)


def test_enter_adds_only_what_was_found_for_what_is_typed(house: House) -> None:
    with window(house, house.demo_person(CURATOR)) as ada:
        ada.open("/worthwatch/lists/new")
        ada.fill(Title="Typed quickly")
        ada.press("Go on to the titles")
        field = _adding(ada)
        field.press_sequentially("akira")
        expect(_chosen(ada, "akira")).to_be_visible()
        slow: list[Route] = []
        ada.page.route("**/find?*", lambda route: slow.append(route))
        field.press("ControlOrMeta+a")
        with ada.page.expect_request(re.compile(r"/find\?.*metrop\b")):
            field.press_sequentially("metrop")
        field.press("Enter")  # Akira is still in sight
        expect(ada.page.locator(".edit-row")).to_have_count(0)
        expect(field).to_have_value("metrop")
        for each in slow:
            each.continue_()
        expect(_chosen(ada, "metrop")).to_contain_text("Metropolis")
        ada.page.unroute("**/find?*")
        field.press("Enter")
        _is_ordered(ada, ["Metropolis"])
        field.press_sequentially("metropolis")  # there already: no other title is meant
        expect(ada.page.locator("#add-options[data-found-for='metropolis'] [aria-selected=true]")).to_contain_text(
            "On the list"
        )
        field.press("Enter")
        _is_ordered(ada, ["Metropolis"])
        ada.check()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_editor_is_sound_on_a_phone_with_script(house: House, dark: bool) -> None:
    """Its rows, the menu of a row, the facts behind their tab, and the message that offers to undo."""
    with window(house, house.demo_person(CURATOR), narrow=True, dark=dark) as ada:
        ada.open("/worthwatch/lists/new")
        ada.fill(Title="On a phone")
        ada.press("Go on to the titles")
        ada.sees("Add the first title")
        ada.check()
        for words in ("metrop", "akira", "vertigo"):
            _add(ada, words)
        ada.check()
        first = _order(ada)[0]
        row = _row(ada, first)
        row.locator("details.menu > summary").first.click()
        ada.check()
        small = ada.page.evaluate(
            """() => [...document.querySelectorAll(".edit-row button, .edit-row summary")]
                .map(each => each.getBoundingClientRect())
                .filter(each => each.height > 0 && each.width > 1 && each.height < 40).length"""
        )
        assert small == 0, "buttons that are hard to press"
        row.get_by_role("button", name=re.compile("^Remove")).click()
        expect(ada.page.locator(".toasts")).to_contain_text("Undo")
        ada.check()
        _open_facts(ada)
        ada.check()


def test_titles_move_under_a_finger_and_the_page_stays_where_it_is(house: House) -> None:
    with window(house, house.demo_person(CURATOR), narrow=True) as ada:
        ada.open("/worthwatch/lists/new")
        ada.fill(Title="Moved by a finger")
        ada.press("Go on to the titles")
        for words in ("metrop", "akira", "vertigo", "caligari"):
            _add(ada, words)
        names = ["Metropolis", "Akira", "Vertigo", "The Cabinet of Dr. Caligari"]
        _is_ordered(ada, names)
        before = ada.page.evaluate("scrollY")
        with ada.page.expect_response(lambda answer: answer.url.endswith("/move")) as saved:
            _drag_by_touch(ada, "Metropolis", "Vertigo")
        assert saved.value.ok
        _is_ordered(ada, ["Akira", "Vertigo", "Metropolis", names[3]])
        assert abs(ada.page.evaluate("scrollY") - before) < 300, "the finger moves the row, not the page"
        expect(ada.page.locator(".lifted")).to_have_count(0)
        with ada.page.expect_response(lambda answer: answer.url.endswith("/move")):
            _drag_by_touch(ada, names[3], "Akira")
        ada.page.reload()
        _is_ordered(ada, [names[3], "Akira", "Vertigo", "Metropolis"])
        _drag_by_touch(ada, "Akira", "Metropolis", ends="touchCancel")
        _is_ordered(ada, [names[3], "Akira", "Vertigo", "Metropolis"])
        ada.check()


def test_a_finger_that_rests_at_the_edge_takes_a_title_further_down_than_the_screen(house: House) -> None:
    with window(house, house.demo_person(CURATOR), narrow=True) as ada:
        ada.open("/worthwatch/me/lists")
        ada.click(ada.page.locator(".list-card", has_text="Cities that never shut up").get_by_role("link", name="Edit"))
        expect(ada.page.locator(".edit-row")).to_have_count(30)
        before = _order(ada)
        handle = ada.page.locator("[data-handle]").first
        handle.scroll_into_view_if_needed()
        box, height = handle.bounding_box(), ada.page.evaluate("innerHeight")
        assert box is not None
        finger = _finger(ada, box["x"] + box["width"] / 2)
        finger("touchStart", box["y"] + 10)
        finger("touchMove", height / 2)
        finger("touchMove", height - 20)
        expect(ada.page.locator("[data-moved]")).to_have_text(re.compile(", (1[2-9]|2[0-9]|30) of 30$"))
        finger("touchCancel")
        expect(ada.page.locator("[data-moved]")).to_have_text(re.compile("^Put back: .*, 1 of 30$"))
        _is_ordered(ada, before)


def test_titles_move_by_keys_and_by_drag_and_escape_puts_them_back(house: House) -> None:
    with window(house, house.demo_person(CURATOR)) as ada:
        ada.open("/worthwatch/lists/new")
        ada.fill(Title="By hand")
        ada.press("Go on to the titles")
        for words in ("metrop", "akira", "vertigo", "amelie"):
            _add(ada, words)
        first = _order(ada)
        keys = ada.page.keyboard
        handle = _row(ada, first[3]).get_by_role("button", name=f"Move {first[3]}")
        handle.focus()
        keys.press("Space")
        keys.press("ArrowUp")
        keys.press("ArrowUp")
        expect(ada.page.locator("[data-moved]")).to_have_text(f"{first[3]}, 2 of 4")
        keys.press("Escape")
        _is_ordered(ada, first)
        keys.press("Space")
        keys.press("ArrowUp")
        with ada.page.expect_response(re.compile("/move$")):
            keys.press("Space")
        moved = [first[0], first[1], first[3], first[2]]
        _is_ordered(ada, moved)
        expect(handle).to_be_focused()
        _drag(ada, moved[0], moved[3])
        _is_ordered(ada, [*moved[1:], moved[0]])
        ada.page.reload()
        _is_ordered(ada, [*moved[1:], moved[0]])


def test_a_note_that_another_window_has_changed_shows_both_texts(house: House) -> None:
    curator = house.demo_person(CURATOR)
    with window(house, curator) as one, window(house, curator) as other:
        one.open("/worthwatch/lists/new")
        one.fill(Title="Twice")
        one.press("Go on to the titles")
        _add(one, "akira")
        other.open(one.path)
        _note(other, "Akira", "From the other window.")
        field = _row(one, "Akira").get_by_label("Note on Akira")
        field.fill("From this window.")
        field.blur()
        one.sees("changed in another window", "From the other window.")
        expect(field).to_have_value("From this window.")
        with one.page.expect_response(re.compile("/items/MOVIE/")):
            one.press("Keep mine")
        other.page.reload()
        expect(_row(other, "Akira").get_by_label("Note on Akira")).to_have_value("From this window.")
        refusals = [each for each in one.troubles if each.endswith(": 409 for fetch")]
        assert len(refusals) == 1, one.troubles
        one.troubles.remove(refusals[0])


def _open_facts(shown: Window) -> None:
    """In a narrow window they are behind a button, unless the address leads into them."""
    drawer = shown.page.locator(".editor-facts > details")
    drawer.wait_for(state="attached")
    shown.whole()
    if shown.narrow and drawer.get_attribute("open") is None:
        drawer.locator("> summary").click()


def _row(shown: Window, title: str) -> Locator:
    return shown.page.locator(f".edit-row[data-title='{title}']")


def _order(shown: Window) -> list[str]:
    return [str(each.get_attribute("data-title")) for each in shown.page.locator(".edit-row").all()]


def _is_ordered(shown: Window, titles: list[str]) -> None:
    """The rows stand, or soon will, in this order."""
    rows = shown.page.locator(".edit-row")
    expect(rows).to_have_count(len(titles))
    for number, title in enumerate(titles):
        expect(rows.nth(number)).to_have_attribute("data-title", title)


def _add(shown: Window, words: str) -> None:
    """Three letters, Enter, the next; without script, find it and press Add."""
    field = _adding(shown)
    before = len(_order(shown))
    field.fill("")
    if shown.script:
        field.press_sequentially(words)
        expect(_chosen(shown, words)).to_be_visible()
        field.press("Enter")
        expect(field).to_be_focused()
        expect(field).to_have_value("")
    else:
        field.fill(words)
        shown.press("Find")
        shown.click(shown.page.locator(".found").get_by_role("button", name=re.compile("^Add ")).first)
        shown.told("added")
    expect(shown.page.locator(".edit-row")).to_have_count(before + 1)


def _adding(shown: Window) -> Locator:
    """The field for titles to add, on a whole page."""
    field = shown.page.get_by_label("Add a title")
    expect(field).to_be_visible()
    shown.whole()
    return field


def _chosen(shown: Window, words: str) -> Locator:
    """The title that Enter would add, of those that were found for what is typed."""
    return shown.page.locator(f"#add-options[data-found-for='{words}'] [aria-selected=true][data-id]")


def _note(shown: Window, title: str, text: str) -> None:
    row = _row(shown, title)
    row.get_by_label(f"Note on {title}").fill(text)
    if shown.script:
        row.get_by_label(f"Note on {title}").blur()
        expect(row.locator(".said")).to_have_text("Saved")
    else:
        shown.click(row.get_by_role("button", name="Save note"))
        shown.told(f"Note on {title} saved")


def _move(shown: Window, title: str, place: int) -> None:
    row = _row(shown, title)
    row.get_by_label(f"Place of {title}").fill(str(place))
    if shown.script:
        with shown.page.expect_response(re.compile("/move$")):
            row.get_by_label(f"Place of {title}").press("Enter")
    else:
        shown.click(row.get_by_role("button", name=f"Move {title}"))
        shown.told("moved")


def _remove_and_undo(shown: Window, title: str) -> None:
    count = len(_order(shown))
    row = _row(shown, title)
    row.locator("summary").click()
    shown.click(row.get_by_role("button", name="Remove"))
    expect(shown.page.locator(".edit-row")).to_have_count(count - 1)
    shown.told(f"{title} removed")
    shown.click(shown.page.get_by_role("button", name="Undo"))
    expect(shown.page.locator(".edit-row")).to_have_count(count)
    shown.told(f"{title} is back")


def _drag(shown: Window, title: str, onto: str) -> None:
    box = _row(shown, title).locator("[data-handle]").bounding_box()
    goal = _row(shown, onto).bounding_box()
    assert box is not None
    assert goal is not None
    mouse = shown.page.mouse
    mouse.move(box["x"] + 8, box["y"] + 8)
    mouse.down()
    for step in range(1, 13):
        mouse.move(box["x"] + 8, box["y"] + (goal["y"] + goal["height"] - box["y"]) * step / 12)
    with shown.page.expect_response(re.compile("/move$")):
        mouse.up()


def _drag_by_touch(shown: Window, title: str, onto: str, *, ends: str = "touchEnd") -> None:
    """Put a finger on the handle of a row, and take it to another row."""
    handle = _row(shown, title).locator("[data-handle]")
    handle.scroll_into_view_if_needed()
    box, goal = handle.bounding_box(), _row(shown, onto).bounding_box()
    assert box is not None
    assert goal is not None
    start = box["y"] + box["height"] / 2
    end = goal["y"] + (goal["height"] - 4 if goal["y"] > box["y"] else 4)
    finger = _finger(shown, box["x"] + box["width"] / 2)
    finger("touchStart", start)
    for step in range(1, 13):
        finger("touchMove", start + (end - start) * step / 12)
    finger(ends)


def _finger(shown: Window, x: float) -> Callable[..., None]:
    """A finger that goes up and down at one place of the screen."""
    session = shown.page.context.new_cdp_session(shown.page)

    def touch(kind: str, *places: float) -> None:
        points = [{"x": x, "y": y} for y in places]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    return touch
