"""A desk as moderators use it: by keys, without script, with a thumb; and the start page that leads there."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, MEMBER, MODERATOR, House
from tests.browser.sites import a_site
from tests.browser.window import Window, window

_TITLE = "#open-title"
_TOUCHED = """() => [...document.querySelectorAll(".list > li :is(a, button), .drawer > summary, .filters select")]
    .filter(each => each.checkVisibility())
    .map(each => {
        each.scrollIntoView({block: "center"});
        const box = each.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const reach = (by) => {
            const hit = document.elementFromPoint(x, y + by);
            return hit && (hit === each || each.contains(hit) || hit.contains(each));
        };
        return [each.outerHTML.slice(0, 80), reach(-19) && reach(19)];
    })
    .filter(([, reached]) => !reached).map(([text]) => text)"""


def _opens(shown: Window, title: str) -> None:
    """This is what is to be decided on."""
    expect(shown.page.locator(_TITLE)).to_have_text(title, use_inner_text=True)


def _opens_another(shown: Window, title: str) -> None:
    expect(shown.page.locator(_TITLE)).not_to_have_text(title, use_inner_text=True)


def test_submissions_are_decided_by_the_keyboard(house: House) -> None:
    with window(house, MODERATOR) as moderator:
        moderator.open("/kelifax/moderation")
        moderator.sees("next", "previous", "approve", "reject")
        keys = moderator.page.keyboard
        first = moderator.text(_TITLE)
        _press(moderator, "j")
        _opens_another(moderator, first)
        second = moderator.text(_TITLE)
        _press(moderator, "k")
        _opens(moderator, first)
        _press(moderator, "a")
        moderator.told(f"“{first}” approved.")
        _opens(moderator, second)
        _press(moderator, "u")
        moderator.told(f"“{first}” is back in the queue.")
        _opens(moderator, first)
        moderator.check()
        _press(moderator, "j")
        keys.press("r")
        expect(moderator.field("Reason to reject")).to_be_focused()
        keys.type("a jar of keys")  # those of the desk do nothing while somebody types
        expect(moderator.field("Reason to reject")).to_have_value("a jar of keys")
        with moderator.leaving():
            keys.press("Control+Enter")
        moderator.told(f"“{second}” rejected.")
        _press(moderator, "u")
        _opens(moderator, second)


def test_whoever_does_not_want_the_keys_turns_them_off(house: House) -> None:
    with window(house, MODERATOR) as moderator:
        moderator.open("/kelifax/moderation")
        first = moderator.text(_TITLE)
        _press(moderator, "j")
        _opens_another(moderator, first)
        second = moderator.text(_TITLE)
        _press(moderator, "k")
        _opens(moderator, first)
        moderator.press("Turn keys off")
        moderator.page.keyboard.press("j")
        moderator.open("/kelifax/moderation")
        moderator.page.keyboard.press("j")
        moderator.press("Turn keys on")
        _press(moderator, "j")
        _opens(moderator, second)  # one step from the first: those before did not count


def test_the_start_page_leads_to_what_waits_and_a_decision_to_the_next(house: House, mode: Mode) -> None:
    with mode.window(house, MODERATOR) as moderator:
        moderator.open("/")
        moderator.sees("Hello, Moa Moderator", "Submissions to review")
        moderator.check()
        moderator.click(moderator.page.locator(".stats a", has_text="Submissions to review"))
        moderator.at("/kelifax/moderation")
        first = moderator.text(_TITLE)
        moderator.follow("Next")
        _opens_another(moderator, first)
        moderator.page.go_back()
        _opens(moderator, first)
        moderator.press("Approve")
        moderator.told(f"“{first}” approved.")
        _opens_another(moderator, first)
        moderator.check()
        moderator.press("Undo")
        moderator.told("is back in the queue")
        _opens(moderator, first)


def test_cards_of_systems_leave_no_hole_in_the_start_page(house: House) -> None:
    with window(house, ADMIN) as ada:
        ada.open("/")
        boxes = [box for each in ada.page.locator(".systems > .entry").all() if (box := each.bounding_box())]
        ends: dict[float, float] = {}
        for box in boxes:
            ends[box["x"]] = max(ends.get(box["x"], 0), box["y"] + box["height"])
        assert len(ends) == 2
        assert max(ends.values()) - min(ends.values()) < min(box["height"] for box in boxes), "no card fits in there"


def test_members_and_visitors_see_their_own_start_page(house: House, mode: Mode) -> None:
    with mode.window(house, MEMBER) as member:
        member.open("/")
        member.sees("Hello, Mina Member")
        member.sees_not("Submissions to review")
        member.check()
    with mode.window(house) as visitor:
        visitor.open("/")
        visitor.check()
        visitor.click(visitor.page.locator(".headlines a").first)
        visitor.sees("Visit the site")


def test_everything_in_a_list_can_be_touched_with_a_thumb(house: House) -> None:
    without_tags = a_site(house, "for-thumbs")
    with without_tags as page, house.program(MEMBER) as program, window(house, MEMBER, narrow=True) as member:
        assert program.post(f"{page}/comments", form={"body": "One link more."}).ok
        for path in ("/kelifax/resources", "/fus"):
            member.open(path)
            assert member.page.evaluate(_TOUCHED) == []
            assert member.overhang() == []


def _press(shown: Window, key: str) -> None:
    with shown.leaving():
        shown.page.keyboard.press(key)
