"""Hands on the keyboard alone: Tab, Enter, arrows and letters; what has the focus must show it."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import expect

from tests.browser.window import Window

_MOST_STEPS = 80
_FOCUSED = """() => {
    const at = document.activeElement;
    if (!at || at === document.body) return ["", true];
    const style = getComputedStyle(at);
    const label = at.labels && at.labels.length ? at.labels[0].innerText : "";
    const name = at.getAttribute("aria-label") || label || at.innerText || "";
    const shown = style.outlineStyle !== "none" || style.boxShadow !== "none" || at.tagName === "MAIN";
    return [name.trim().replace(/\\s+optional$/, ""), shown];
}"""


@dataclass(frozen=True, slots=True)
class Keyboard:
    """Goes through a page step by step."""

    window: Window

    def to(self, name: str, press: str = "") -> None:
        """Tab until something of this name has the focus; then press a key that leads somewhere, if any."""
        passed = []
        self.window.whole()
        for _ in range(_MOST_STEPS):
            found, shown = self.window.page.evaluate(_FOCUSED)
            if found == name:
                break
            passed.append(found)
            assert shown, f"nobody sees that {found!r} has the focus"
            self.window.page.keyboard.press("Tab")
        else:
            raise AssertionError(f"Tab never came to {name!r}, but to {passed}")
        assert shown, f"nobody sees that {name!r} has the focus"
        if press:
            self._press(press)

    def type(self, name: str, text: str, press: str = "") -> None:
        """Type into a field."""
        self.to(name)
        self.window.page.keyboard.type(text)
        if press:
            self._press(press)

    def choose(self, name: str, option: str) -> None:
        """Choose in a list by the first letters of an option."""
        self.to(name)
        self.window.page.keyboard.type(option)
        expect(self.window.page.locator(":focus option:checked")).to_have_text(option)

    def _press(self, key: str) -> None:
        with self.window.page.expect_navigation():
            self.window.page.keyboard.press(key)
