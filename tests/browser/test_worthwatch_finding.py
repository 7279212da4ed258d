"""Finding, bringing in, and the catalog of WorthWatch: with script, without, and on a narrow screen."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, MEMBER, House
from tests.browser.places import Place
from tests.browser.screenshots import keep

LIST = (
    "Letterboxd list export v7\nDate,Name,Tags,URL,Description\n2026-02-14,Shelf,,u,\n\n"
    "Position,Name,Year,URL,Description\n"
    "1,Cold War,2018,u,On a train\n2,The Lives of Others,2007,u,\n3,Nowhere to be found,1950,u,\n"
)


def test_a_visitor_searches_with_filters_and_without_words(house: House, mode: Mode) -> None:
    with mode.window(house) as visitor:
        visitor.open("/worthwatch/search?q=night")
        visitor.sees("Results for “night”", "Lists", "Films")
        visitor.check()
        keep(visitor, Place("/worthwatch/search-all", "/worthwatch/search-all", None), narrow=mode.narrow)
        visitor.open("/worthwatch/search?show=films")
        before = visitor.page.locator(".tile").count()
        assert before == 24
        if mode.narrow:
            visitor.click(visitor.page.get_by_text("Filter", exact=True).first)
        visitor.click(visitor.page.get_by_role("link", name=re.compile("^Crime")).first)
        visitor.at(re.compile("genre=Crime"))
        visitor.check()
        keep(visitor, Place("/worthwatch/search", "/worthwatch/search", None), narrow=mode.narrow)
        visitor.choose("Sort", "year")
        visitor.at(re.compile("genre=Crime"))
        visitor.open("/worthwatch/search?show=films&genre=Crime&decade=1920s&length=90&q=zzzz")
        visitor.sees("Nothing found", "Any decade")
        visitor.check()


def test_somebody_finds_three_candidates_and_takes_one(house: House, mode: Mode) -> None:
    with mode.window(house, MEMBER) as mina:
        mina.open("/worthwatch/tonight")
        mina.follow("Two hours")
        mina.at(re.compile("minutes=120"))
        picks = mina.page.locator(".pick h2")
        expect(picks).to_have_count(3)
        mina.check()
        keep(mina, Place("/worthwatch/tonight", "/worthwatch/tonight", MEMBER), narrow=mode.narrow)
        first = picks.all_inner_texts()
        mina.page.reload()
        expect(picks).to_have_text(first, use_inner_text=True)
        mina.follow("Show others")
        mina.at(re.compile("skip=3"))
        expect(picks.first).to_be_visible()
        assert not set(picks.all_inner_texts()) & set(first)
        mina.follow("Back to the first ones")
        expect(picks).to_have_text(first, use_inner_text=True)
        mina.press(re.compile(f"^Not for me.*{re.escape(first[0])}"))
        mina.told("put aside")
        expect(mina.page.locator(".pick h2").filter(has_text=re.compile(f"^{re.escape(first[0])}$"))).to_have_count(0)
        mina.press(re.compile(f"^This one.*{re.escape(first[1])}"))
        mina.told("is on To watch")
        mina.open("/worthwatch/to-watch")
        expect(mina.page.locator(".tile img").first).to_have_attribute("alt", re.compile(re.escape(first[1])))


def test_a_member_brings_a_list_and_checks_every_match(house: House, mode: Mode) -> None:
    with mode.window(house, MEMBER) as mina:
        mina.open("/worthwatch/import")
        mina.check()
        mina.page.get_by_label("File").set_input_files(
            {"name": f"shelf-{mode.number}.csv", "mimeType": "text/csv", "buffer": LIST.encode()}
        )
        mina.press("Review matches")
        mina.sees("Please check", "The Lives of Others")
        here = mina.path.partition("?")[0]
        mina.check()
        keep(mina, Place("/worthwatch/import-review", "/worthwatch/import-review", MEMBER), narrow=mode.narrow)
        mina.page.locator(".candidate input[type=radio]").first.check(force=True)
        mina.press("Save choices")
        mina.sees("Add 2 titles")
        mina.press("Add 2 titles")
        expect(mina.page.get_by_role("button", name="Add 2 titles")).to_have_count(0)
        mina.until(here, lambda: "See the list" in mina.page.content())
        mina.sees("Added", "Not found", "See the list")
        mina.check()
        mina.follow("See the list")
        expect(mina.page.locator("#main").get_by_role("link", name=re.compile("^Cold War"))).to_have_count(1)


def test_a_librarian_looks_at_two_titles_and_merges_them(house: House, mode: Mode) -> None:
    with mode.window(house, ADMIN) as ada:
        ada.open("/worthwatch/catalog")
        ada.check()
        keep(ada, Place("/worthwatch/catalog", "/worthwatch/catalog", ADMIN), narrow=mode.narrow)
        ada.open("/worthwatch/titles/new?kind=film")
        name = f"Merged in a browser {mode.number}"
        ada.fill(Title=name)
        ada.press("Add to the catalog")
        ada.at(re.compile("/titles/film/"))
        title = ada.path
        found = re.search(r"/titles/film/([^/?]+)", title)
        assert found is not None
        ada.open(f"/worthwatch/catalog/film/{found[1]}")
        ada.check()
        ada.follow("Merge into another")
        ada.fill(**{"Find the other title": "metropolis"})
        ada.press("Find")
        ada.click(ada.page.get_by_role("link", name=re.compile("^Compare with Metropolis")).first)
        ada.sees("This one goes", "This one stays")
        ada.check()
        keep(ada, Place("/worthwatch/merge", "/worthwatch/merge", ADMIN), narrow=mode.narrow)
        ada.press(re.compile("Merge into Metropolis"))
        expect(ada.page.get_by_role("button", name=re.compile("Merge into"))).to_have_count(0)
        ada.open(title)
        assert "metropolis" in ada.path.lower()
        ada.sees("Metropolis")
