"""Other sentences: what the sources still have to say is offered, and put into the text with its citation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Mode
from tests.browser.house import House
from tests.browser.keyboard import Keyboard
from tests.browser.newsletter import AUTHOR, desk_with
from tests.browser.window import Window, window

_FIELD = ".markdown-field"
KEY = "research_findings"
BY_KEYBOARD, PLACES, OFFLINE = "By keyboard", "Places", "Offline"
_TITLES = (*(f"Story {mode}" for mode in range(1, 5)), BY_KEYBOARD, PLACES, OFFLINE)


@pytest.fixture(scope="module")
def desk(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with desk_with(chromium, tmp_path_factory.mktemp("sentences"), after=_fill) as found:
        yield found


async def _fill(folder: Path) -> None:
    """Editions with drafts, made by the writer from what was found, and a section cut down to its first paragraph."""
    from partita.apps.newsletter.inputs import NewNewsletter, SectionEdit
    from partita.apps.newsletter.permissions import ROLES
    from partita.apps.newsletter.service import NewsletterService
    from partita.bootstrap import build
    from partita.kit.permissions import Viewer
    from partita.kit.settings import Settings
    from tests.apps.newsletter.found import find_content

    suite = build(Settings(data=folder / "data", fetch=False))
    account = await suite.kit.accounts.people.by_username(AUTHOR)
    assert account is not None
    olga = Viewer(account.user_id, AUTHOR, account.name, ROLES["author"], via="command")
    service = NewsletterService(suite.kit)
    for title in _TITLES:
        made = await service.newsletters.create(olga, NewNewsletter(title=title, length_preference="short"))
        await find_content(suite.kit, service, olga, made.newsletter_code)
        for step in ("outline", "draft"):
            await service.steps.start(olga, made.newsletter_code, step)
            await suite.jobs.drain()
        made_of = await service.draft.read(olga, made.newsletter_code)
        shorter = "\n\n".join(made_of.texts[KEY].split("\n\n")[:3])
        edit = SectionEdit(text=shorter, revision=made_of.draft.revision)
        await service.draft.save_section(olga, made.newsletter_code, KEY, edit)
    await suite.close()


def _write(desk: House, title: str) -> str:
    with desk.program(AUTHOR) as olga:
        found = olga.get("/api/newsletter/newsletters?limit=50").json()["items"]
    code = next(each["newsletterCode"] for each in found if each["title"] == title)
    return f"/newsletter/editions/{code}/write"


def _draft(desk: House, write: str) -> dict[str, Any]:
    with desk.program(AUTHOR) as olga:
        found: dict[str, Any] = olga.get(f"/api/newsletter/newsletters/{write.split('/')[3]}/draft").json()
    return found


def _text(desk: House, write: str) -> str:
    return next(str(each["text"]) for each in _draft(desk, write)["current_sections"] if each["key"] == KEY)


def _offered(shown: Window) -> Locator:
    return shown.page.locator(".sentence")


def _open_panel(shown: Window) -> None:
    if shown.script and shown.narrow:
        shown.page.get_by_role("button", name="Sources, report card, notes").click()


def _words(sentence: Locator) -> str:
    return sentence.locator("p").first.inner_text().rpartition("[")[0].strip()


def test_a_sentence_is_offered_and_put_in_with_its_citation(desk: House, mode: Mode) -> None:
    write = _write(desk, f"Story {mode.number}")
    before = _text(desk, write)
    with mode.window(desk, AUTHOR) as olga:
        olga.open(f"{write}?section={KEY}#editor")
        _open_panel(olga)
        olga.click(olga.page.get_by_role("link", name="Suggest sentences"))
        sentence = _offered(olga).first
        expect(sentence).to_be_visible()
        olga.check()
        words = _words(sentence)
        assert words not in before
        olga.click(sentence.get_by_role("button", name="Insert"))
        if mode.script:
            expect(olga.page.locator(_FIELD)).to_have_value(re.compile(re.escape(words)))
            expect(olga.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d\d:\d\d"))
            expect(olga.page.locator(_FIELD)).to_be_in_viewport()
        else:
            olga.told("Sentence added at the end of the section.")
        # What was there is there as it was, the heading too: the sentence is a paragraph below.
        found = re.fullmatch(rf"{re.escape(before)}\n\n{re.escape(words)} \[(\d+)\]", _text(desk, write))
        assert found, _text(desk, write)
        number = int(found[1])
        citation = next(each for each in _draft(desk, write)["citations"] if each["n"] == number)
        assert words in citation["quote"]
        # Its number leads to its words, and it is offered no more.
        _open_panel(olga)
        expect(olga.page.locator(".sentence p").filter(has_text=words)).to_have_count(0)
        olga.click(olga.page.locator(f".cited a:has-text('[{number}]')"))
        expect(olga.page.locator(".passage mark").filter(has_text=words.split(".")[0]).first).to_be_visible()
        olga.check()
        # The text from before these minutes of editing is in the history.
        olga.open(f"{write.removesuffix('/write')}/history")
        olga.click(olga.page.locator("#main").get_by_role("link", name=re.compile("^Restore the version")).first)
        olga.agree("Restore")
        olga.told("Restored")
        assert _text(desk, write) == _draft(desk, write)["sections"][KEY]


def test_a_sentence_is_chosen_put_in_and_taken_back_by_the_keyboard_alone(desk: House) -> None:
    write = _write(desk, BY_KEYBOARD)
    with window(desk, AUTHOR) as olga:
        olga.open(f"{write}?section={KEY}")
        field = olga.page.locator(_FIELD)
        before = field.input_value()
        keys = Keyboard(olga)
        keys.to("Suggest sentences")
        olga.page.keyboard.press("Enter")
        expect(olga.page.locator("[data-sentences]")).to_be_focused()
        words = _words(_offered(olga).first)
        keys.to("Insert")
        expect(olga.page.locator(":focus")).to_have_accessible_description(re.compile(re.escape(words)))
        olga.page.keyboard.press("Enter")
        expect(field).to_be_focused()
        expect(field).to_have_value(re.compile(rf"{re.escape(words)} \[\d+\]$"))
        olga.page.keyboard.type(" And mine.")
        expect(field).to_have_value(re.compile(rf"{re.escape(words)} \[\d+\] And mine\.$"))
        for _ in range(20):
            if field.input_value() == before:
                break
            olga.page.keyboard.press("Control+z")
        expect(field).to_have_value(before)
        expect(olga.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved"))
        assert _text(desk, write) == before


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Head|ing\n\nOne. [1]", "## Heading\n\nNEW\n\nOne. [1]"),
        ("## Heading\n\nOne [|1]. Two.", "## Heading\n\nOne [1]. NEW Two."),
        ("A year has 1.8 dry mon|ths, says No. 12, e.g. now. [1] [2] Two.", None),
        ("First.| [1]\n\nSecond.", "First. [1] NEW\n\nSecond."),
        ("First. [1] |Second.", "First. [1] NEW Second."),
        ("First.\n\n|Second.", "First.\n\nNEW Second."),
        ("First.\n|\nSecond.", "First.\n\nNEW\n\nSecond."),
        ("See you in\nMar|ch. Goodbye.", "See you in\nMarch. NEW Goodbye."),
        ("- **12 %** mo|re [1]\n- two", "- **12 %** more [1] NEW\n- two"),
        ("> “We kept| seed.”\n> [2]\n\nSecond.", "> “We kept seed.”\n> [2]\n\nNEW\n\nSecond."),
        ("| a | b |\n| --- | --- |\n| 1 |· 2 |\n\nSecond.", "| a | b |\n| --- | --- |\n| 1 | 2 |\n\nNEW\n\nSecond."),
        ("Without an e|nd", "Without an end NEW"),
        ("ዝናብ ዘ|ነበ። በጋ ነው።", "ዝናብ ዘነበ። NEW በጋ ነው።"),
    ],
)
def test_a_sentence_goes_behind_the_one_in_which_the_cursor_is(desk: House, text: str, expected: str | None) -> None:
    """No heading, number, quotation or table is torn apart. `|`, or `·` where a table has that, is the cursor."""
    cursor = "·" if "·" in text else "|"
    at, plain = text.index(cursor), text.replace(cursor, "", 1)
    expected = expected or "A year has 1.8 dry months, says No. 12, e.g. now. [1] [2] NEW Two."
    with window(desk, AUTHOR) as olga:
        olga.open(f"{_write(desk, PLACES)}?section={KEY}")
        olga.click(olga.page.get_by_role("link", name="Suggest sentences"))
        words = _words(_offered(olga).first)
        field = olga.page.locator(_FIELD)
        field.fill(plain)
        field.evaluate("(field, at) => field.setSelectionRange(at, at)", at)
        olga.click(_offered(olga).first.get_by_role("button", name="Insert"))
        expect(field).to_have_value(re.compile(re.escape(words)))
        assert re.sub(rf"{re.escape(words)} \[\d+\]", "NEW", field.input_value()) == expected
        expect(olga.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved"))


def test_what_was_just_typed_is_not_offered(desk: House) -> None:
    write = _write(desk, PLACES)
    with window(desk, AUTHOR) as olga:
        olga.open(f"{write}?section={KEY}")
        olga.page.locator(_FIELD).fill("## Research Findings")
        olga.click(olga.page.get_by_role("link", name="Suggest sentences"))
        words = _words(_offered(olga).first)
        olga.open(f"{write}?section={KEY}")
        olga.page.locator(_FIELD).fill(f"## Research Findings\n\n{words}")
        olga.click(olga.page.get_by_role("link", name="Suggest sentences"))
        expect(_offered(olga).first).to_be_visible()
        expect(_offered(olga).locator("p").filter(has_text=words)).to_have_count(0)


def test_without_a_connection_the_page_stays(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(f"{_write(desk, OFFLINE)}?section={KEY}")
        olga.page.context.set_offline(True)
        olga.page.get_by_role("link", name="Suggest sentences").click()
        olga.sees("No connection: the sources cannot be searched now")
        olga.page.context.set_offline(False)
        olga.click(olga.page.get_by_role("link", name="Suggest sentences"))
        expect(_offered(olga).first).to_be_visible()
        olga.troubles[:] = [each for each in olga.troubles if "ERR_INTERNET_DISCONNECTED" not in each]
