"""Script runs but htmx is missing: pages that show progress load themselves again, unless somebody types."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from tests.browser.house import House
from tests.browser.window import window

_ASKING = '<p id="asking" hx-get="/" hx-trigger="load delay:1s">Loaded {}</p><form><input name="words"></form></main>'


_MORE_THAN_ONCE = re.compile(r"^Loaded ([3-9]|\d\d)$")


def _asks_again(page: Page) -> list[str]:
    """The start page, without htmx and with a part that asks again after a second; how often it was loaded."""
    loads: list[str] = []

    def asking(route: Route) -> None:
        loads.append(route.request.url)
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("</main>", _ASKING.format(len(loads))))

    page.route("**/vendor/htmx.min.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.route(lambda url: url.rstrip("/").count("/") == 2, asking)
    return loads


def test_progress_moves_without_htmx(house: House) -> None:
    with window(house) as visitor:
        _asks_again(visitor.page)
        visitor.open("/")
        expect(visitor.page.locator("#asking")).to_have_text(_MORE_THAN_ONCE)


def test_a_page_in_which_somebody_types_is_not_loaded_again(house: House) -> None:
    with window(house) as visitor:
        visitor.page.clock.install()
        loads = _asks_again(visitor.page)
        visitor.open("/")
        visitor.page.locator("[name=words]").fill("Half a sent")
        visitor.page.clock.run_for(5000)
        # Whatever was asked for in these seconds has been asked for before this.
        assert visitor.page.evaluate("() => fetch('/healthz').then(answer => answer.status)") == 200
        assert len(loads) == 1
        expect(visitor.page.locator("[name=words]")).to_have_value("Half a sent")
        visitor.open("/")
        visitor.page.clock.run_for(1500)
        expect(visitor.page.locator("#asking")).to_have_text(_MORE_THAN_ONCE)
