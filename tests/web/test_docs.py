"""The guide to the web keeps up with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from partita.kit import problems
from partita.kit.problems import Problem
from partita.web import errors, recognise, templates
from partita.web.assets import Assets

GUIDE = (Path(__file__).parents[2] / "docs/web.md").read_text()
KINDS = sorted(
    {
        kind
        for module in (problems, errors, recognise)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Problem)
    },
    key=lambda kind: (kind.status, kind.code, kind.__name__),
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_problem_is_in_the_table(kind: type[Problem]) -> None:
    assert f"| {kind.status} | `{kind.code}` |" in GUIDE


def test_every_code_that_the_web_gives_itself_is_in_the_table() -> None:
    folder = Path(errors.__file__).parent
    given = {code for file in folder.rglob("*.py") for code in re.findall(r'code="(\w+)"', file.read_text())}
    assert given
    assert {code for code in given if f"`{code}`" not in GUIDE} == set()


PIECES = {"described", "label_of", "legend_of", "hint_of", "error_of", "choice_of", "another"}
"""What fields are made of."""


@pytest.mark.parametrize(
    "file", ["forms", "page", "faces", "people", "sharing", "history", "lists", "stars", "desk", "timeline"]
)
def test_every_macro_is_named(file: str) -> None:
    source = (Path(templates.__file__).parent / f"templates/macros/{file}.html").read_text()
    (row,) = [line for line in GUIDE.splitlines() if line.startswith(f"| `macros/{file}.html`")]
    assert {name for name in re.findall(r"{% macro (\w+)", source) if f"`{name}`" not in row} - PIECES == set()


def test_every_function_of_templates_is_named() -> None:
    ours = set(templates.environment(Assets(packages=()), ()).globals) - {"range", "dict", "lipsum", "cycler", "joiner"}
    assert {name for name in ours - {"namespace"} if f"`{name}" not in GUIDE} == set()


def test_every_middleware_is_in_the_table() -> None:
    folder = Path(errors.__file__).parent / "middleware"
    classes = {
        name for file in folder.glob("*.py") for name in re.findall(r"^class (\w+):", file.read_text(), re.MULTILINE)
    }
    assert {name for name in classes if f"| `{name}` |" not in GUIDE} == set()


@pytest.mark.parametrize("file", ["forms", "page", "faces", "sharing", "history", "lists", "stars", "desk", "timeline"])
def test_the_parameters_of_every_macro_are_listed(file: str) -> None:
    source = (Path(templates.__file__).parent / f"templates/macros/{file}.html").read_text()
    for signature in re.findall(r"{%-? macro (\w+\(.*?\)) -?%}", source):
        if signature.partition("(")[0] not in PIECES:
            assert f"    {signature}\n" in GUIDE
