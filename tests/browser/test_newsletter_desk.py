"""The desk, configuring and the outline: with and without script, wide and narrow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Mode
from tests.browser.house import House
from tests.browser.newsletter import AR, AUTHOR, EN, STRANGER, desk_with
from tests.browser.window import window

OUTLINE = f"/newsletter/editions/{EN}/outline"


@pytest.fixture(scope="module")
def desk(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("desk")
    with desk_with(chromium, folder, after=_fill) as found:
        yield found


async def _fill(folder: Path) -> None:
    """An outline for Olga's English edition, and a failed step for her Arabic one."""
    from partita.apps.newsletter import schema
    from partita.apps.newsletter.schema import StepRun
    from partita.apps.newsletter.service import NewsletterService
    from partita.apps.newsletter.service.outlining import NewSection, NewStory
    from partita.bootstrap import build
    from partita.kit.settings import Settings
    from partita.table import Put

    suite = build(Settings(data=folder / "data", fetch=False))
    store, service = suite.kit.store, NewsletterService(suite.kit)
    newsletter, topics = await store.get(schema.newsletter(EN)), await store.get(schema.topics(EN))
    assert newsletter is not None
    assert topics is not None
    proposed = [
        NewSection("Introduction", "", (NewStory("Welcome", source="ai_generated", words=40),), 40),
        NewSection(
            "Research Findings",
            "Research Findings",
            (
                NewStory("Sorghum that needs less rain", "Yields rose.", references=("chunk-1",), words=200),
                NewStory("Seed that keeps", "Farmers kept seed.", references=("chunk-2",), words=100),
            ),
            300,
        ),
        NewSection("Conclusion", "", (NewStory("Goodbye", source="ai_generated", words=40),), 40),
    ]
    await store.write(await service.outline.generated(newsletter, topics, proposed))  # type: ignore[arg-type]
    failed = StepRun(
        subject=AR,
        step="outline",
        run_id="gone",
        state="failed",
        requested_by=newsletter.user_id,
        requested_at=newsletter.created_at,
        error="The writer did not answer. Try again.",
    )
    await store.write(Put(failed))
    for code in (EN, AR):
        await service.desk.follow(code)
    await suite.close()


def test_the_desk_goes_on_where_somebody_was(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open("/newsletter")
        olga.sees("Continue", "Weekly Research Digest", "Needs you", "A step failed")
        olga.check()
        olga.click(olga.page.locator(".covers").get_by_role("link", name=re.compile("^Open Weekly")))
        expect(olga.page).to_have_url(re.compile(rf"/editions/{EN}/write"))


def test_an_empty_desk_shows_a_sample_and_two_ways(desk: House, mode: Mode) -> None:
    with mode.window(desk, STRANGER) as stan:
        stan.open("/newsletter")
        stan.sees("No newsletters yet")
        stan.check()
        stan.follow("Browse a sample")
        stan.sees("Lowland Field Notes", "Sorghum that needs less rain")
        stan.check()
        stan.open("/newsletter")
        stan.click(stan.page.locator(".empty").get_by_role("link", name="New newsletter"))
        expect(stan.page.get_by_role("heading", name="New newsletter")).to_be_visible()
        stan.check()


def test_a_slider_is_heard_in_the_sample(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open("/newsletter/new")
        sample = olga.page.locator("#sample .text")
        before = sample.inner_text()
        olga.page.get_by_label("Long").check()
        expect(sample).not_to_have_text(before, use_inner_text=True)
        tone = olga.page.locator("input[name=tone_technical]")
        tone.fill("100")
        expect(olga.page.locator("output").nth(1)).to_have_text("100")
        olga.check()


def test_configuring_keeps_what_was_typed_and_says_what_is_wrong(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open(f"/newsletter/editions/{EN}/configure")
        olga.page.locator("input[name=geographic_focus]").fill("Turkana")
        olga.page.locator("input[name=title]").fill("Weekly Research Digest")
        with olga.leaving():
            olga.press("Save")
        expect(olga.page.locator("input[name=geographic_focus]")).to_have_value("Turkana")
        olga.check()


def test_an_outline_is_edited_in_every_window(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open(OUTLINE)
        olga.sees("words planned", "Research Findings")
        olga.check()
        olga.click(olga.page.locator("#section-3 .add-item summary"))
        form = olga.page.locator("#section-3 .add-item form")
        form.get_by_label("Title").fill(f"Contacts {mode.number}")
        olga.click(form.get_by_role("button", name="Add story"))
        olga.told("Story added.")
        olga.check()
        item = olga.page.locator(".item-below" if mode.narrow else ".item-side")
        item.get_by_label("Headline").fill(f"Who to ask {mode.number}")
        olga.click(item.get_by_role("button", name="Save story"))
        olga.told("Saved.")
        olga.click(olga.page.get_by_role("button", name=re.compile(f"Move Who to ask {mode.number} up")))
        olga.told("Moved.")
        olga.click(olga.page.get_by_role("button", name=re.compile(f"Turn Who to ask {mode.number} off")))
        olga.told("Turned off")
        olga.open(f"{OUTLINE}?item={_newest(desk)}")
        olga.click(item.get_by_role("link", name="Remove", exact=True))
        olga.agree("Remove story")
        olga.told("Removed.")


def _newest(desk: House) -> str:
    with desk.program(AUTHOR) as olga:
        outline = olga.get(f"/api/newsletter/newsletters/{EN}/outline").json()
    return str(
        max(
            (item["id"] for section in outline["sections"] for item in section["items"] if "custom" in item["id"]),
            key=lambda each: int(each.rpartition("-")[2]),
        )
    )


def test_items_are_dragged(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(OUTLINE)
        olga.page.drag_and_drop("#item-2-2", "#item-2-1")
        olga.told("Moved.")
        titles = olga.page.locator("#section-2 .outline-title")
        expect(titles).to_have_text(["Seed that keeps", "Sorghum that needs less rain"], use_inner_text=True)


def test_a_failed_step_says_why_and_offers_another_try(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open(f"/newsletter/editions/{AR}/outline")
        olga.sees("The writer did not answer.", "Try again", "Nothing you had before was changed")
        olga.check()


def test_deleting_asks_and_says_what_is_lost(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open("/newsletter/new")
        olga.page.locator("input[name=title]").fill(f"To be deleted {mode.number}")
        with olga.leaving():
            olga.press("Plan content")
        olga.open("/newsletter")
        olga.click(olga.page.locator(".covers").get_by_role("link", name=f"Delete To be deleted {mode.number}"))
        olga.sees("What will be deleted")
        olga.check()
        olga.press("Delete newsletter")
        olga.told("was deleted")
        olga.sees_not(f"Open To be deleted {mode.number}")
