"""The page of components shows every piece that pages are made of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from partita.web import templates
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio
_FOLDER = Path(templates.__file__).parent / "templates"
_MACROS = {file.stem: file.read_text() for file in sorted((_FOLDER / "macros").glob("*.html"))}
_ALIASES = re.compile(r'{% import "macros/(\w+)\.html" as (\w+)')
_NAMES = re.compile(r'{% from "macros/(\w+)\.html" import ([\w, ]+?)(?: with context)? %}')


def _called(text: str, own: str = "") -> set[tuple[str, str]]:
    """The macros that a template calls; in a file of macros, those beside them too."""
    called = {
        (file, name) for file, alias in _ALIASES.findall(text) for name in re.findall(rf"\b{alias}\.(\w+)\(", text)
    }
    for file, names in _NAMES.findall(text):
        called |= {(file, name) for name in re.split(r",\s*", names) if re.search(rf"\b{name}\(", text)}
    return called | {(own, name) for name in re.findall(r"(?<![.\w])(\w+)\(", text) if own}


def _bodies(file: str) -> dict[tuple[str, str], str]:
    """The macros of a file."""
    parts = re.split(r"{% macro (\w+)\(", _MACROS[file])
    return {
        (file, name): body.partition("{% endmacro %}")[0] for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_every_macro_is_shown_on_the_page_of_components() -> None:
    bodies = {key: body for file in _MACROS for key, body in _bodies(file).items()}
    imports = {file: "".join(re.findall(r"{% (?:from|import) .*? %}", text)) for file, text in _MACROS.items()}
    shown: set[tuple[str, str]] = set()
    # The frame is around every page, and so around this one.
    waiting = _called((_FOLDER / "styleguide.html").read_text()) | _called((_FOLDER / "base.html").read_text())
    while waiting:
        key = waiting.pop()
        if key in bodies and key not in shown:
            shown.add(key)
            waiting |= _called(imports[key[0]] + bodies[key], key[0])
    assert len(bodies) > 50
    assert sorted(bodies.keys() - shown) == []


async def test_it_has_what_the_design_names(visitor: Visitor) -> None:
    page = (await visitor.get("/_styleguide")).text
    for piece in (
        '<header class="page-head profile">',
        '<details class="drawer">',
        '<section class="facet"',
        '<article class="card">',
        'role="search"',
        "data-share=",
        '<p class="diff kept">',
    ):
        assert piece in page, piece
