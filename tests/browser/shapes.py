"""Shapes of letters on pages: elements of the same kind, in elements of the same kinds, have the same colours."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.browser.window import Window

MARKED = "[data-new-shape]"
_FREE = ("id", "href", "src", "srcset", "for", "name", "value", "alt", "title", "action", "datetime", "placeholder")
_SHAPES = """free => {
    const own = (each) => each.tagName + [...each.attributes]
        .filter(({ name }) => !free.includes(name) && !/^(data|hx)-|^aria-(label|describedby|controls)/.test(name))
        .map(({ name, value }) => `[${name}=${value}]`).sort().join("");
    const shape = (each) => each === document.body ? "" : `${shape(each.parentElement)} ${own(each)}`;
    const written = (each) => [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    window.letters = [...document.body.querySelectorAll("*")].filter((each) => written(each) || "value" in each);
    return window.letters.map(shape);
}"""
_MARK = "([numbers, mark]) => numbers.forEach((number) => window.letters[number].setAttribute(mark, ''))"


@dataclass(slots=True)
class Shapes:
    """Those that were seen."""

    seen: set[str] = field(default_factory=set)

    def mark_new(self, shown: Window) -> int:
        """Mark one element of every shape that was on no page before; their number."""
        shapes: list[str] = shown.page.evaluate(_SHAPES, _FREE)
        new = {shape: number for number, shape in enumerate(shapes) if shape not in self.seen}
        if new:
            shown.page.evaluate(_MARK, [list(new.values()), MARKED.strip("[]")])
        self.seen |= new.keys()
        return len(new)
