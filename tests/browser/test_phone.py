"""On a phone what matters is in reach: little stands one under the other that fits beside each other."""

from __future__ import annotations

from playwright.sync_api import FloatRect, Locator, expect

from tests.browser.house import ADMIN, MEMBER, House
from tests.browser.sites import a_site
from tests.browser.window import window

MOST_LOOKED_AT = 12


def test_a_featured_card_is_a_row_that_leads_to_its_resource_wherever_it_is_touched(house: House) -> None:
    with window(house, narrow=True) as visitor:
        visitor.open("/kelifax")
        cards = visitor.page.locator(".folding > .card")
        assert all(_box(card)["height"] < 150 for card in cards.all())
        name = cards.nth(1).locator("h3").inner_text()
        visitor.check()
        with visitor.leaving():
            cards.nth(1).click(position={"x": 200, "y": 90})
        expect(visitor.page.locator("h1")).to_have_text(name)


def test_numbers_and_stars_stand_beside_each_other(house: House) -> None:
    with window(house, MEMBER, narrow=True) as member:
        member.open("/fus")
        assert _lines(member.page.locator(".stats > li")) == 1
        row = member.page.locator(".list > li", has=member.page.locator("form.rate")).first
        average, stars = _box(row.locator(".rating > :first-child")), _box(row.locator(".rating > form"))
        assert average["x"] + average["width"] <= stars["x"]
        assert stars["y"] < average["y"] + average["height"]
        member.check()


def test_bars_stand_in_even_lines_whether_they_lead_anywhere_or_not(house: House) -> None:
    with a_site(house, "bars") as path, window(house, MEMBER, narrow=True) as member:
        member.open(path)
        member.press("4 stars")
        member.told("Rating saved")
        member.open(path)
        rows = member.page.locator("table.bars tr")
        assert rows.locator("a").count() == 1
        assert {round(_box(row)["height"]) for row in rows.all()} == {40}
        member.check()


def test_both_ways_of_hearing_of_a_kind_are_set_in_one_line(house: House) -> None:
    with window(house, ADMIN, narrow=True) as ada:
        ada.open("/account/notifications")
        rows = ada.page.locator(".channels tbody tr")
        assert rows.count() > 20
        assert all(_lines(row.locator("td")) == 1 for row in rows.all())
        ada.check()


def test_what_else_can_be_done_with_content_stands_two_by_two(house: House) -> None:
    """Of whatever kind it is, and also if it is about to expire and has one button more."""
    with window(house, ADMIN, narrow=True) as ada:
        ada.open("/enablement?sort=newest")
        titles = ada.page.locator(".content-card h3 a")
        paths = [str(each.get_attribute("href")) for each in titles.all()]
        numbers = set()
        for path in paths[:MOST_LOOKED_AT]:
            ada.open(path)
            buttons = ada.page.locator(".first-of-all :is(a, button).wide:not(.primary, .quiet)")
            number = buttons.count()
            assert _lines(buttons) == (number + 1) // 2, path
            numbers.add(number)
        assert max(numbers) > 2
        ada.check()


def _box(thing: Locator) -> FloatRect:
    found = thing.bounding_box()
    assert found is not None
    return found


def _lines(things: Locator) -> int:
    """How many lines they stand in."""
    return len({round(_box(each)["y"]) for each in things.all()})
