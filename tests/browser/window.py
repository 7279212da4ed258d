"""A window of a browser in the hands of somebody; it notes whatever goes wrong in it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import ConsoleMessage, Dialog, Error, Locator, Page, Response, expect

from tests.browser.house import EVERYTHING, NARROW, WIDE, House, from_elsewhere

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
_TOLD_BY_THE_PAGE = "Failed to load resource: the server responded with a status of 4"
_SECONDS = 60.0
"""Longer than anything takes, on whatever machine: who waits for it waits for nothing else."""
_PAUSE = 100
_TIMES = 3
_LOOKS = 20
expect.set_options(timeout=_SECONDS * 1000)


@dataclass(slots=True)
class Window:
    """Somebody at a page."""

    page: Page
    house: House
    script: bool
    narrow: bool = False
    troubles: list[str] = field(default_factory=list)

    def open(self, path: str) -> Response:
        """Go to an address."""
        answer = self.page.goto(self.house.url + path, wait_until="domcontentloaded")
        assert answer is not None
        return answer

    @property
    def path(self) -> str:
        """Where we are."""
        return self.page.url.removeprefix(self.house.url)

    def at(self, place: str | re.Pattern[str]) -> None:
        """Wait until a page is there: that of a path, or of one in which a pattern is found."""
        expect(self.page).to_have_url(place if isinstance(place, re.Pattern) else self.house.url + place)
        self.whole()

    def whole(self) -> None:
        """Wait for the end of the page: what was looked for may stand in its first lines, before its script."""
        self.page.wait_for_load_state("domcontentloaded")

    @contextmanager
    def leaving(self) -> Iterator[None]:
        """What is done meanwhile leads to another page, which is there afterwards."""
        with self.page.expect_navigation(wait_until="domcontentloaded"):
            yield

    def click(self, thing: Locator) -> None:
        """Click on something of a whole page. Messages that are there already are known from those that follow."""
        thing.wait_for(state="attached")
        self.whole()
        with suppress(Error):  # a page that goes away has no messages to be mistaken for new ones
            self.page.evaluate(_MARK)
        thing.click()
        self.whole()

    def press(self, name: str | re.Pattern[str]) -> None:
        """Press a button of the page's content."""
        self.click(self.page.locator("#main").get_by_role("button", name=name, exact=isinstance(name, str)).first)

    def follow(self, name: str | re.Pattern[str]) -> None:
        """Follow a link of the page's content."""
        self.click(self.page.locator("#main").get_by_role("link", name=name, exact=isinstance(name, str)).first)

    def navigate(self, name: str) -> None:
        """Go to another page of the system, by the rail or the narrow window's menu."""
        if self.narrow:
            self.click(self.page.locator("summary").filter(has_text="Menu"))
        label = "Menu" if self.narrow else "Systems"
        links = self.page.get_by_role("navigation", name=label, exact=True)
        with self.leaving():
            self.click(links.get_by_role("link", name=name, exact=True))

    def fill(self, **fields: str) -> None:
        """Type into fields by their labels: `First_name="Ada"`."""
        for label, text in fields.items():
            box = self.field(label.replace("_", " "))
            box.wait_for(state="attached")
            self.whole()
            box.fill(text)

    def field(self, label: str) -> Any:
        return (
            self.page.locator("#main")
            .get_by_label(re.compile(rf"^{re.escape(label)}( optional| .*needed (?:for approval|to retire))?$"))
            .first
        )

    def confirm(self, link: str, does: str) -> None:
        """Destroy something: the question comes in a dialog, or without script on a page of its own."""
        self.follow(link)
        self.agree(does)

    def agree(self, does: str) -> None:
        """Answer the question."""
        if self.script:
            self.click(self.page.get_by_role("dialog").get_by_role("button", name=does, exact=True))
        else:
            self.press(does)

    def choose(self, label: str, option: str) -> None:
        """Choose in a filter that sends itself; without script a button does."""
        with self.leaving():
            self.page.locator("#main").get_by_label(label, exact=True).select_option(option)
            if not self.script:
                self.press("Show")

    def sees(self, *texts: str) -> None:
        """The page shows this."""
        for text in texts:
            expect(self.page.locator("body")).to_contain_text(text)
        self.whole()

    def sees_not(self, *texts: str) -> None:
        """The page, which must be the one that is meant, does not show this, or soon will not."""
        self.whole()
        for text in texts:
            expect(self.page.locator("#main")).not_to_contain_text(text)

    def text(self, selector: str) -> str:
        """What something on the page says, once it is there."""
        thing = self.page.locator(selector)
        expect(thing).to_be_visible()
        self.whole()
        return thing.inner_text()

    def told(self, text: str) -> None:
        """The message after something was done."""
        expect(self.page.locator(f".flash{_NEW}").filter(has_text=text).first).to_be_attached()
        self.whole()

    def wrong(self, label: str, message: str) -> None:
        """A message stands beside a field, and belongs to it for those who do not see it."""
        box = self.field(label)
        expect(box.and_(self.page.locator(f"[aria-invalid=true]{_NEW}"))).to_be_attached()
        self.whole()
        described = (box.get_attribute("aria-describedby") or "").split()
        assert described, f"{label} names no description"
        shown = " ".join(self.page.locator(f"[id='{name}']").inner_text() for name in described)
        assert message in shown, (label, shown)

    def until(self, path: str, seen: Callable[[], bool], seconds: float = _SECONDS) -> None:
        """Open a page again until it shows what follows a change."""
        until = time.monotonic() + seconds
        while True:
            with suppress_leaving():
                self.open(path.partition("#")[0])  # with its place on the page it would not be opened anew
                if seen():
                    return
            assert time.monotonic() < until, f"{path} did not show it in {seconds} seconds"
            self.page.wait_for_timeout(_PAUSE)  # what it waits for needs the processor too

    # -- what holds for every page

    def check(self) -> None:
        """Nothing hangs over, and nothing that axe complains about."""
        for left in reversed(range(_TIMES)):
            self.page.wait_for_load_state()  # a press may still lead to it
            try:
                self._look()
                return
            except Error as error:  # work that has ended shows its page anew
                if not left or "context was destroyed" not in error.message:
                    raise

    def _look(self) -> None:
        if self.script:
            assert self.overhang() == []
            assert self.complaints() == []
            assert self.lost() == []

    def lost(self) -> list[str]:
        """Links to places on the page that are not there."""
        found: list[str] = self.page.evaluate(_LEADS_NOWHERE)
        return found

    def overhang(self) -> list[str]:
        """What makes the page wider than its window."""
        for _ in range(_LOOKS):
            if not self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                return []
            self.page.wait_for_timeout(_PAUSE)  # a window that was made narrow is laid out anew
        found: list[str] = self.page.evaluate(_WIDER)
        return found or [f"{self.path} can be scrolled sideways"]

    def complaints(self, *rules: str) -> list[str]:
        """What axe finds, by all rules or by these."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(_axe())
        # To fetch stylesheets and films once more takes a quarter of its time, for a rule about films that start alone.
        options: dict[str, Any] = {"resultTypes": ["violations"], "preload": EVERYTHING}
        violations = self.page.evaluate(_RUN, options | ({"runOnly": list(rules)} if rules else {}))
        return [
            f"{self.path}: {rule['id']}: {node['html'][:200]}: {node['failureSummary']}"
            for rule in violations
            for node in rule["nodes"]
        ]

    def weight(self) -> int:
        """The bytes that came for this page, without pictures."""
        return int(self.page.evaluate(_WEIGHT))


_NEW = ":not([data-seen-before])"
_MARK = """() => document.querySelectorAll(".flash, [aria-invalid=true]")
    .forEach(each => each.setAttribute("data-seen-before", ""))"""
_RUN = "options => axe.run(document, options).then(told => told.violations)"
_LEADS_NOWHERE = """() => [...document.querySelectorAll("a[href^='#']")]
    .map(each => each.getAttribute("href")).filter(href => !document.getElementById(href.slice(1)))"""
_WIDER = """() => [...document.querySelectorAll("body *")]
    .filter(each => each.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
    .map(each => each.outerHTML.slice(0, 120))"""
_WEIGHT = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(each => each.initiatorType !== "img")
    .reduce((sum, each) => sum + (each.encodedBodySize || each.transferSize), 0)"""


@cache
def _axe() -> str:
    return AXE.read_text()


@contextmanager
def window(
    house: House,
    username: str | None = None,
    *,
    script: bool = True,
    narrow: bool = False,
    dark: bool = False,
) -> Iterator[Window]:
    """A new window, of somebody or of nobody; nothing may have gone wrong in it when it is closed."""
    context = house.browser.new_context(
        viewport=NARROW if narrow else WIDE,
        java_script_enabled=script,
        storage_state=house.keys[username] if username else None,
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
        has_touch=narrow,
        extra_http_headers=from_elsewhere(),
    )
    context.set_default_timeout(_SECONDS * 1000)
    found = Window(context.new_page(), house, script, narrow)
    _watch(found)
    try:
        yield found
        assert found.troubles == [], found.troubles
    finally:
        context.close()


@contextmanager
def suppress_leaving() -> Iterator[None]:
    """Nothing is seen while the page goes elsewhere by itself, as after an upload: whoever looks again sees it."""
    try:
        yield
    except Error as error:
        if "ERR_ABORTED" not in error.message and "context was destroyed" not in error.message:
            raise


def _watch(found: Window) -> None:
    def console(message: ConsoleMessage) -> None:
        # A form that is refused says so by its status, and the browser notes that.
        if message.type in ("error", "warning") and not message.text.startswith(_TOLD_BY_THE_PAGE):
            found.troubles.append(f"{found.page.url}: console: {message.text}")

    def dialog(shown: Dialog) -> None:
        found.troubles.append(f"{found.page.url}: {shown.type}: {shown.message}")
        if shown.type == "beforeunload":
            shown.accept()  # what was opened next would wait for a minute
        else:
            shown.dismiss()

    def answered(answer: Response) -> None:
        if answer.status >= 500:
            found.troubles.append(f"{answer.url}: {answer.status}")
        elif answer.status >= 400 and answer.request.resource_type != "document":
            found.troubles.append(f"{answer.url}: {answer.status} for {answer.request.resource_type}")

    found.page.on("console", console)
    found.page.on("pageerror", lambda error: found.troubles.append(f"{found.page.url}: {error}"))
    found.page.on("dialog", dialog)
    found.page.on("response", answered)
