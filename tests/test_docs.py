"""The documentation keeps up with the code."""

import inspect
import re
from pathlib import Path

import pytest

from partita.bootstrap import SYSTEMS
from partita.dynamo import errors
from partita.dynamo.errors import DynamoError
from partita.dynamo.parse import ITEM_OPERATIONS
from partita.dynamo.partiql.requests import STATEMENT_OPERATIONS
from partita.engine import FormatError
from partita.engine.door import refusals
from partita.engine.operations import TABLE_OPERATIONS
from partita.store import answers
from partita.store.migrate import errors as migration_errors
from partita.table import errors as model_errors

DOCS = Path(__file__).parent.parent / "docs"
ERRORS = [
    error
    for error in (*vars(errors).values(), *vars(refusals).values(), *vars(answers).values(), FormatError)
    if inspect.isclass(error) and issubclass(error, DynamoError) and error is not DynamoError
]
ERRORS = list(dict.fromkeys(ERRORS))
MODEL_ERRORS = [
    error
    for error in {**vars(model_errors), **vars(migration_errors)}.values()
    if inspect.isclass(error) and issubclass(error, Exception)
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_error_has_a_section_that_says_why_and_what_to_do(error: type[DynamoError]) -> None:
    text = (DOCS / "errors.md").read_text()
    assert f"\n## {error.__name__}\n" in text
    assert re.search(rf"^\| \[{error.__name__}\]\(#{error.__name__.lower()}\) \| {error.code} \|", text, re.MULTILINE)


@pytest.mark.parametrize("error", MODEL_ERRORS, ids=lambda error: error.__name__)
def test_every_error_of_the_modelling_layer_has_a_section(error: type[Exception]) -> None:
    assert f"\n## {error.__name__}\n" in (DOCS / "errors.md").read_text()


def test_no_section_describes_an_error_that_is_gone() -> None:
    sections = re.findall(r"^## (\w+)$", (DOCS / "errors.md").read_text(), re.MULTILINE)
    assert set(sections) == {error.__name__ for error in (*ERRORS, *MODEL_ERRORS)}


@pytest.mark.parametrize("operation", sorted(ITEM_OPERATIONS | TABLE_OPERATIONS))
def test_every_operation_is_listed_in_the_engines_guide(operation: str) -> None:
    assert re.search(rf"\b{operation}\b", (DOCS / "engine.md").read_text())


def test_the_page_of_operations_knows_ours() -> None:
    rows = re.findall(r"^\| (\w+) \| ([^|]+) \|", (DOCS / "compatibility.md").read_text(), re.MULTILINE)
    ours = {name for name, mark in rows if mark != "–"} - {"operation"}
    assert ours == ITEM_OPERATIONS | TABLE_OPERATIONS | STATEMENT_OPERATIONS


def test_every_decision_is_listed_and_every_listed_decision_is_there() -> None:
    listed = set(re.findall(r"\((\d{4}-[\w-]+\.md)\)", (DOCS / "decisions" / "README.md").read_text()))
    assert listed == {page.name for page in (DOCS / "decisions").glob("[0-9]*.md")}


def test_the_page_of_notifications_says_of_every_system_who_is_told_of_what() -> None:
    table = (DOCS / "notifications.md").read_text().partition("## Who is told of what")[2]
    assert {name.lower() for name in re.findall(r"^\| (\w+) \|", table, re.MULTILINE)} == set(SYSTEMS)


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*DOCS.rglob("*.md"), DOCS.parent / "README.md", *(DOCS.parent / "examples").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[\w-]+)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
