"""Write: what is typed is saved, survives everything, and never replaces somebody else's text unseen."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Mode
from tests.browser.house import EVERYTHING, House
from tests.browser.keyboard import Keyboard
from tests.browser.newsletter import AR, AUTHOR, COLLEAGUE, EN, LONG, READER, STRANGER, TEXTS, desk_with
from tests.browser.window import window

WRITE = f"/newsletter/editions/{EN}/write"
SECTION = f"{WRITE}?section=conclusion"


@pytest.fixture(scope="module")
def desk(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with desk_with(chromium, tmp_path_factory.mktemp("writing")) as found:
        yield found


def _stored(desk: House, key: str, code: str = EN) -> str:
    """A section as it is saved."""
    with desk.program(AUTHOR) as olga:
        draft = olga.get(f"/api/newsletter/newsletters/{code}/draft").json()
    return next(str(each["text"]) for each in draft["current_sections"] if each["key"] == key)


def _put(desk: House, username: str, key: str, text: str) -> None:
    """Save a section as another window would."""
    with desk.program(username) as somebody:
        draft = somebody.get(f"/api/newsletter/newsletters/{EN}/draft").json()
        body = {"text": text, "revision": draft["revision"]}
        answer = somebody.put(f"/api/newsletter/newsletters/{EN}/draft/sections/{key}", data=body)
        assert answer.ok, answer.text()


def test_what_is_typed_is_saved_by_itself(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(SECTION)
        field = olga.page.locator("textarea[name=text]")
        field.fill("## Conclusion\n\nGoodbye until next week.")
        olga.sees("Not saved yet")
        expect(olga.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d\d:\d\d"))
        assert _stored(desk, "conclusion") == "## Conclusion\n\nGoodbye until next week."
        expect(olga.page.locator("[data-section-words]")).to_have_text("5")
        olga.open(SECTION)
        expect(field).to_have_value("## Conclusion\n\nGoodbye until next week.")
        olga.check()


def test_a_section_has_a_form_of_its_own(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open(f"{WRITE}?section=introduction")
        olga.page.locator("textarea[name=text]").fill(f"Welcome, reader {mode.number}.")
        olga.press(re.compile("Save and go to next"))
        expect(olga.page).to_have_url(re.compile("section=research_findings"))
        assert _stored(desk, "introduction") == f"Welcome, reader {mode.number}."
        olga.check()


def test_keys_for_bold_links_lists_and_the_next_section(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(f"{WRITE}?section=market_access")
        field = olga.page.locator("textarea[name=text]")
        field.fill("Maize fell")
        field.press("Control+a")
        field.press("Control+b")
        expect(field).to_have_value("**Maize fell**")
        field.press("Control+b")
        expect(field).to_have_value("Maize fell")
        field.press("End")
        field.press("Enter")
        field.press_sequentially("- one")
        field.press("Enter")
        field.press_sequentially("two")
        field.press("Enter")
        field.press("Enter")
        expect(field).to_have_value("Maize fell\n- one\n- two\n")
        field.fill("a report")
        field.press("Control+a")
        field.press("Control+k")
        expect(field).to_have_value("[a report](https://)")
        field.fill("## Market Access & Trade\n\nMaize fell [3].")
        field.press("Escape")
        expect(olga.page.locator(".writing-sections a[aria-current]")).to_be_focused()
        field.focus()
        field.press("Control+Enter")
        expect(olga.page).to_have_url(re.compile("section=conclusion"))
        assert _stored(desk, "market_access") == "## Market Access & Trade\n\nMaize fell [3]."


def test_a_section_is_chosen_written_and_saved_by_the_keyboard_alone(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(WRITE)
        keys = Keyboard(olga)
        keys.to("Edit\nMarket Access & Trade", "Enter")
        expect(olga.page).to_have_url(re.compile("section=market_access"))
        field = olga.page.locator("textarea[name=text]")
        expect(field).to_be_focused()
        olga.page.keyboard.press("Control+a")
        olga.page.keyboard.type("## Market Access & Trade\n\nBy keyboard [3].")
        keys.to("Save")
        olga.page.keyboard.press("Enter")
        expect(olga.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved"))
        assert _stored(desk, "market_access") == "## Market Access & Trade\n\nBy keyboard [3]."


def test_typing_survives_a_broken_connection(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(SECTION)
        state = olga.page.locator("[data-saved]")
        olga.page.context.set_offline(True)
        field = olga.page.locator("textarea[name=text]")
        field.fill("Typed without a connection.")
        expect(state).to_contain_text("Not saved: no connection, kept in this browser")
        olga.page.context.set_offline(False)
        expect(state).to_have_text(re.compile(r"^Saved \d\d:\d\d"))
        assert _stored(desk, "conclusion") == "Typed without a connection."
        # The browser is closed before the connection is back.
        olga.page.context.set_offline(True)
        field.fill("Typed, then closed.")
        expect(state).to_contain_text("kept in this browser")
        olga.page.goto("about:blank")
        olga.page.context.set_offline(False)
        olga.open(SECTION)
        expect(field).to_have_value("Typed, then closed.")
        expect(state).to_have_text(re.compile(r"^Saved \d\d:\d\d"))
        assert _stored(desk, "conclusion") == "Typed, then closed."
        olga.page.wait_for_function("() => !Object.keys(localStorage).some(each => each.startsWith('text:'))")
        olga.troubles[:] = [each for each in olga.troubles if "ERR_INTERNET_DISCONNECTED" not in each]


def test_two_windows_and_one_section(desk: House, mode: Mode) -> None:
    begun = "## Conclusion\n\nFirst.\n\nSecond."
    _put(desk, AUTHOR, "conclusion", begun)
    with mode.window(desk, AUTHOR) as olga:
        olga.open(SECTION)
        _put(desk, COLLEAGUE, "conclusion", "## Conclusion\n\nFirst of Ed's.\n\nSecond.")
        olga.page.locator("textarea[name=text]").fill("## Conclusion\n\nFirst of mine.\n\nSecond.\n\nThird.")
        if mode.script:
            olga.sees("Not saved: somebody else has changed this section.")
            olga.press("Compare and choose")
        else:
            olga.press("Save")
        olga.sees(
            "Somebody else changed this section",
            "First of Ed's.",
            "First of mine.",
            "You and somebody else changed this",
        )
        olga.check()
        olga.page.get_by_role("radio", name=re.compile("^Both")).first.check()
        olga.press("Save selection")
        olga.told("Saved")
        assert _stored(desk, "conclusion") == "## Conclusion\n\nFirst of mine.\n\nFirst of Ed's.\n\nSecond.\n\nThird."
        olga.troubles[:] = [each for each in olga.troubles if ": 409 for fetch" not in each]


def test_theirs_can_be_taken_whole(desk: House) -> None:
    _put(desk, AUTHOR, "conclusion", "Begun.")
    with window(desk, AUTHOR, script=False) as olga:
        olga.open(SECTION)
        _put(desk, COLLEAGUE, "conclusion", "Ed's.")
        olga.page.locator("textarea[name=text]").fill("Mine.")
        olga.press("Save")
        olga.press("Keep all of theirs")
        expect(olga.page.locator("textarea[name=text]")).to_have_value("Ed's.")


def test_two_windows_with_two_sections_do_not_meet(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(SECTION)
        _put(desk, COLLEAGUE, "introduction", "Ed's introduction.")
        olga.page.locator("textarea[name=text]").fill("Olga's conclusion.")
        expect(olga.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved"))
        assert _stored(desk, "conclusion") == "Olga's conclusion."
        assert _stored(desk, "introduction") == "Ed's introduction."


def test_a_number_opens_its_passage_with_the_sentence_marked(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open(f"{WRITE}?section=introduction")
        olga.click(olga.page.locator(".as-printed a.cite", has_text="[1]").first)
        marked = olga.page.locator(".passage mark")
        expect(marked.first).to_contain_text("Sorghum yields in Turkana rose by 12 percent")
        expect(olga.page.locator(".passage")).to_contain_text("page 12")
        olga.check()


def test_a_click_on_a_number_in_the_field_opens_it_too(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(f"{WRITE}?section=research_findings")
        field = olga.page.locator("textarea[name=text]")
        field.fill("Rain [1] and [9].")
        field.evaluate("each => each.setSelectionRange(7, 7)")
        field.dispatch_event("click")
        expect(olga.page.locator(".passage")).to_contain_text("Dryland cereals")
        expect(olga.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved"))
        olga.open(f"{WRITE}?section=research_findings")
        olga.sees("[9] has no source")


def test_what_is_to_be_mended_is_selected_in_its_section(desk: House) -> None:
    _put(desk, AUTHOR, "conclusion", "## Conclusion\n\nSee you in\nMarch. Goodbye.")
    with window(desk, AUTHOR) as olga:
        olga.open(f"{WRITE}?section=conclusion&place=See+you+in+March.#editor")
        field = olga.page.locator("textarea[name=text]")
        expect(field).to_be_focused()
        chosen = field.evaluate("each => each.value.slice(each.selectionStart, each.selectionEnd)")
        assert chosen == "See you in\nMarch."
        olga.sees("Look at: See you in March.")
        olga.check()


def test_pasted_html_becomes_markdown(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(SECTION)
        field = olga.page.locator("textarea[name=text]")
        field.fill("")
        field.focus()
        olga.page.evaluate(
            """html => {
                const clipboardData = new DataTransfer();
                clipboardData.setData("text/html", html);
                clipboardData.setData("text/plain", "It rained. one two");
                const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
                document.activeElement.dispatchEvent(paste);
            }""",
            "<p>It <b>rained</b>.</p><ul><li>one</li><li>two</li></ul><script>x</script>",
        )
        expect(field).to_have_value("It **rained**.\n\n- one\n- two")


def test_a_table_and_a_picture(desk: House) -> None:
    drawn = io.BytesIO()
    Image.new("RGB", (320, 200), "#1b6e8c").save(drawn, "PNG")
    with window(desk, AUTHOR) as olga:
        olga.open(SECTION)
        field = olga.page.locator("textarea[name=text]")
        field.fill("")
        olga.press("Table")
        dialog = olga.page.get_by_role("dialog")
        dialog.get_by_label("Columns").fill("2")
        dialog.get_by_label("Rows").fill("1")
        dialog.get_by_role("button", name="Insert").click()
        expect(field).to_have_value("| Head 1 | Head 2 |\n| --- | --- |\n|   |   |\n\n")
        olga.press("Picture")
        dialog.get_by_label(re.compile("^Picture")).set_input_files(
            {"name": "field.png", "mimeType": "image/png", "buffer": drawn.getvalue()}
        )
        dialog.get_by_label(re.compile("What it shows")).fill("A field")
        dialog.get_by_role("button", name="Add picture").click()
        expect(field).to_have_value(re.compile(r"!\[A field\]\(images/\w+\.png\)"))
        expect(olga.page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved"))
        olga.open(f"{WRITE}?section=introduction")
        picture = olga.page.locator(".as-printed img[alt='A field']")
        expect(picture).to_be_visible()
        expect(picture).to_have_js_property("naturalWidth", 320)


def test_a_picture_without_script_goes_to_the_end(desk: House) -> None:
    drawn = io.BytesIO()
    Image.new("RGB", (320, 200), "#8c1b1b").save(drawn, "JPEG")
    _put(desk, AUTHOR, "conclusion", "The end.")
    with window(desk, AUTHOR, script=False) as olga:
        olga.open(SECTION)
        olga.click(olga.page.get_by_text("Add a picture"))
        olga.field("Picture").set_input_files({"name": "a.jpg", "mimeType": "image/jpeg", "buffer": drawn.getvalue()})
        olga.fill(What_it_shows="A red field", Caption="Red")
        olga.press("Add picture")
        olga.told("Picture added")
        assert re.fullmatch(r'The end\.\n\n!\[A red field\]\(images/\w+\.jpg "Red"\)', _stored(desk, "conclusion")), (
            _stored(desk, "conclusion")
        )


def test_the_preview_follows_the_typing(desk: House) -> None:
    with window(desk, AUTHOR) as olga:
        olga.open(SECTION)
        olga.click(olga.page.get_by_role("link", name="Side by side"))
        expect(olga.page.locator(".editor-look")).to_be_visible()
        times = []
        for number in range(6):
            milliseconds = olga.page.evaluate(
                """word => new Promise(done => {
                    const field = document.querySelector("textarea[name=text]");
                    const look = document.querySelector("[data-look]");
                    const begun = performance.now();
                    new MutationObserver((_, observer) => {
                        if (!look.textContent.includes(word)) return;
                        observer.disconnect();
                        done(performance.now() - begun);
                    }).observe(look, { childList: true, subtree: true });
                    field.value = `## End\\n\\n${word}`;
                    field.dispatchEvent(new Event("input", { bubbles: true }));
                })""",
                f"word{number}",
            )
            times.append(milliseconds)
        if EVERYTHING:  # alone on its machine
            assert sorted(times)[len(times) // 2] < 300, times
        olga.click(olga.page.get_by_role("link", name="Preview"))
        expect(olga.page.locator("textarea[name=text]")).to_have_count(0)
        olga.sees("word5")
        olga.check()


def test_on_a_phone_there_is_a_jump_menu_and_a_sheet(desk: House) -> None:
    with window(desk, AUTHOR, narrow=True) as olga:
        olga.open(f"{WRITE}?section=introduction")
        olga.click(olga.page.locator(".jump summary"))
        olga.click(olga.page.locator(".jump").get_by_role("link", name=re.compile("Market Access")))
        expect(olga.page).to_have_url(re.compile("section=market_access"))
        handle = olga.page.get_by_role("button", name="Sources, report card, notes")
        expect(olga.page.locator("#panel-body")).to_be_hidden()
        handle.click()
        expect(olga.page.locator("#panel-body")).to_be_visible()
        olga.click(olga.page.get_by_role("link", name="Report card"))
        expect(olga.page.locator("[data-panel=report]")).to_be_visible()
        small = olga.page.evaluate(
            """() => [...document.querySelectorAll(".writing button, .writing nav a")]
                .map(each => [each.textContent.trim(), each.getBoundingClientRect()])
                .filter(([, box]) => box.height && box.height < 40).map(([name]) => name)"""
        )
        assert small == []
        olga.check()


def test_history_compares_by_words_and_restores(desk: House, mode: Mode) -> None:
    _put(desk, AUTHOR, "conclusion", "Thank you for reading.")
    _put(desk, COLLEAGUE, "conclusion", "Thank you for writing.")
    with mode.window(desk, AUTHOR) as olga:
        olga.open(f"/newsletter/editions/{EN}/history")
        olga.check()
        olga.click(olga.page.locator("#main").get_by_role("link", name="Edited").first)
        expect(olga.page.locator("del").first).to_contain_text("reading")
        expect(olga.page.locator("ins").first).to_contain_text("writing")
        olga.check()
        olga.open(f"/newsletter/editions/{EN}/history")
        olga.click(olga.page.locator("#main").get_by_role("link", name=re.compile("^Restore the version")).first)
        olga.agree("Restore")
        olga.told("Restored")
        assert _stored(desk, "conclusion") == "Thank you for reading."


def test_back_to_the_generated_text(desk: House, mode: Mode) -> None:
    _put(desk, AUTHOR, "conclusion", f"Mine {mode.number}.")
    with mode.window(desk, AUTHOR) as olga:
        olga.open(SECTION)
        olga.confirm("Back to the generated text", "Go back")
        olga.told("Back to the generated text")
        assert _stored(desk, "conclusion").startswith("## Conclusion\n\nThank you for reading. Write to us")


def test_readers_read_and_strangers_find_nothing(desk: House) -> None:
    _put(desk, AUTHOR, "conclusion", TEXTS["conclusion"])
    with window(desk, READER) as ria:
        ria.open(WRITE)
        ria.sees("Weekly Research Digest", "Conclusion")
        expect(ria.page.locator("textarea")).to_have_count(0)
        ria.check()
    with window(desk, STRANGER) as stan:
        assert stan.open(WRITE).status == 404


@pytest.mark.parametrize("code", [AR, LONG])
@pytest.mark.parametrize("narrow", [False, True])
def test_other_editions_fit_the_page(desk: House, code: str, narrow: bool) -> None:
    with window(desk, AUTHOR, narrow=narrow) as olga:
        olga.open(f"/newsletter/editions/{code}/write")
        olga.check()
        olga.open(f"/newsletter/editions/{code}/write?view=beside")
        olga.check()
