"""A form that the server fills in further, such as with what a page says, while somebody goes on typing."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.browser.house import MANAGER, House
from tests.browser.window import window

_ASKS = """() => {
    const form = document.querySelector("#site-form form");
    const button = document.createElement("button");
    Object.assign(button, { name: "go", value: "preview", textContent: "Look" });
    const asks = { post: "/fus/sites/new", include: "closest form", target: "#site-form", select: "#site-form" };
    for (const [name, value] of Object.entries(asks)) button.setAttribute(`hx-${name}`, value);
    button.setAttribute("hx-swap", "outerHTML");
    form.prepend(button);
    htmx.process(form);
}"""


def test_what_an_answer_fills_in_stays_and_so_does_what_was_typed_meanwhile(house: House) -> None:
    """Pages are not fetched here: the test writes what they say into the answer."""
    held: list[Route] = []
    with window(house, MANAGER) as manager:
        manager.open("/fus/sites/new")
        manager.page.evaluate(_ASKS)
        manager.page.route("**/fus/sites/new", lambda route: held.append(route))
        manager.fill(Address="https://filled.example", Title="Typed before")
        with manager.page.expect_request("**/fus/sites/new"):
            manager.press("Look")
        manager.fill(Tags="typed, meanwhile")
        answer = held[0].fetch()
        held[0].fulfill(response=answer, body=answer.text().replace("</textarea>", "What the page says.</textarea>", 1))
        expect(manager.field("Description")).to_have_value("What the page says.")
        expect(manager.field("Title")).to_have_value("Typed before")
        expect(manager.field("Tags")).to_have_value("typed, meanwhile")
        manager.page.unroute_all()
        manager.open("/fus")
        manager.open("/fus/sites/new")
        expect(manager.field("Description")).to_have_value("What the page says.")
