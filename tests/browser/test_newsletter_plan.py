"""Planning content and testing a search: with and without script, wide and narrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Mode
from tests.browser.house import House
from tests.browser.newsletter import AUTHOR, EN, desk_with

PLAN = f"/newsletter/editions/{EN}/plan"
LIVESTOCK = "Livestock & Animal Health"
TEXTS = {
    "Goats of Garissa": "Vaccination of 480,000 goats and cattle began in Garissa. Herders bring animals to camps."
    " Each team of three vaccinates about 900 animals a day. The veterinary service pays for the vaccine.",
    "Camels and pods": "Camels that received acacia pods gave more milk in the dry season. Herders collect the fodder."
    " Pasture was scarce in two districts, and livestock markets stayed open all year.",
}


@pytest.fixture(scope="module")
def desk(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with desk_with(chromium, tmp_path_factory.mktemp("plan"), after=_fill) as found:
        yield found


async def _fill(folder: Path) -> None:
    """Two sources, read in before anybody looks."""
    from partita.apps.newsletter.inputs import NewSource
    from partita.apps.newsletter.permissions import ROLES
    from partita.apps.newsletter.service import NewsletterService
    from partita.bootstrap import build
    from partita.kit.permissions import Viewer
    from partita.kit.settings import Settings

    suite = build(Settings(data=folder / "data", fetch=False))
    account = await suite.kit.accounts.people.by_username(AUTHOR)
    assert account is not None
    viewer = Viewer(account.user_id, AUTHOR, account.name, ROLES["author"], via="command")
    service = NewsletterService(suite.kit)
    for title, text in TEXTS.items():
        await service.sources.add(viewer, NewSource(title=title, text=text))
    await suite.jobs.drain()
    await suite.worker.drain()
    await suite.close()


def test_content_is_planned_in_every_window(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open(PLAN)
        olga.check()
        for box in olga.page.locator("input[name=selected_types]").all():
            box.set_checked(box.get_attribute("value") == LIVESTOCK)
        olga.click(olga.page.get_by_role("button", name="Find content"))
        expect(olga.page.locator(".passage-card")).to_have_count(2)
        expect(olga.page.locator(".passage-card mark").first).to_be_visible()
        olga.check()
        card = olga.page.locator(".passage-card", has_text="Camels")
        olga.click(card.get_by_role("button", name="Pin", exact=True))
        olga.told("Pinned")
        olga.click(olga.page.locator(".passage-card", has_text="Camels").get_by_role("button", name="Unpin"))
        olga.told("Undone")
        olga.click(olga.page.locator(".plan-words summary").first)
        olga.page.get_by_label("Your own search words").fill("goats")
        olga.click(olga.page.get_by_role("button", name="Save", exact=True))
        olga.told("Search words saved.")
        olga.page.get_by_label("Your own search words").fill("")
        olga.click(olga.page.get_by_role("button", name="Save", exact=True))
        olga.told("Search words saved.")


def test_a_search_says_why_in_every_window(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open("/newsletter/search")
        olga.page.get_by_label("Question or words").fill("goats vaccinated in Garissa")
        olga.click(olga.page.locator("main").get_by_role("button", name="Search"))
        olga.sees("Goats of Garissa", "Words")
        olga.check()
        olga.open("/newsletter/search?q=barber+of+the+opera")
        olga.sees("Nothing found")
        olga.check()
