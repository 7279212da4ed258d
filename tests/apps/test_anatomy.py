"""Every system has the same furniture in the same places; docs/architecture.md says which."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import partita.apps

APPS = Path(partita.apps.__file__).parent
ARCHITECTURE = (Path(__file__).parents[2] / "docs/architecture.md").read_text()
SYSTEMS = sorted(folder.name for folder in APPS.iterdir() if (folder / "system.py").exists())

DESIGN_ONLY = {"enablement"}
"""Systems that have their tables, perhaps a service, and no pages yet."""
ALWAYS = {"__init__.py", "personal_data.py", "schema.py", "system.py"}
FURNITURE = ALWAYS | {
    *("formats.py", "inputs.py", "permissions.py", "service", "api", "pages", "templates", "changes.py", "search.py"),
    "demo",
}
IF_NEEDED = {"examples.py", "migration", "static"}
OTHER_NOUNS = {
    "enablement/pages/editor": "the form of content",
    "kelifax/pages/wizard": "the three steps of submissions",
    "worthwatch/api/search": "finding, by the name that people know",
    "worthwatch/pages/search": "finding, by the name that people know",
}
"""Files of API and pages that are no noun of the service, and what they are."""


def _names(folder: Path) -> set[str]:
    """Files and folders; a folder that only holds what Python compiled is none. A schema of several tables may be a
    package, which is one piece of furniture as well."""
    return {
        "schema.py" if entry.name == "schema" else entry.name
        for entry in folder.iterdir()
        if entry.is_file() or any(file.suffix != ".pyc" for file in entry.rglob("*") if file.is_file())
    }


def _nouns(folder: Path) -> set[str]:
    return {name.removesuffix(".py") for name in _names(folder) if name != "__init__.py"}


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_top_level_of_every_system_has_the_same_names(system: str) -> None:
    expected = ALWAYS if system in DESIGN_ONLY else FURNITURE
    assert expected <= _names(APPS / system) <= FURNITURE | IF_NEEDED


@pytest.mark.parametrize("system", sorted(set(SYSTEMS) - DESIGN_ONLY))
@pytest.mark.parametrize("layer", ["api", "pages"])
def test_api_and_pages_have_the_nouns_of_the_service(system: str, layer: str) -> None:
    strange = _nouns(APPS / system / layer) - _nouns(APPS / system / "service")
    assert {f"{system}/{layer}/{noun}" for noun in strange} <= set(OTHER_NOUNS)


def test_every_exception_is_there() -> None:
    assert all((APPS / f"{name}.py").exists() for name in OTHER_NOUNS)


@pytest.mark.parametrize("system", sorted(set(SYSTEMS) - DESIGN_ONLY))
@pytest.mark.parametrize("layer", ["api", "pages"])
def test_api_and_pages_run_no_requests(system: str, layer: str) -> None:
    for file in (APPS / system / layer).glob("*.py"):
        imported = {
            node.module or "" for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)
        }
        assert not {name for name in imported if name.startswith(("partita.store", "partita.engine"))}, file
        assert not re.search(r"\bkit\.(store|tables)\b", file.read_text()), file


@pytest.mark.parametrize("system", SYSTEMS)
def test_static_files_are_named_after_the_system(system: str) -> None:
    folder = APPS / system / "static"
    styles_and_scripts = {file.name for file in folder.rglob("*") if file.suffix != ".svg"}
    assert styles_and_scripts <= {f"{system}.css", f"{system}.js"}
    assert styles_and_scripts or not folder.exists()


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_schema_is_imported_as_one_however_many_files_it_has(system: str) -> None:
    package = APPS / system / "schema"
    for file in (APPS / system).rglob("*.py"):
        if package not in file.parents:
            assert f"{system}.schema." not in file.read_text(), file


@pytest.mark.parametrize("name", sorted(FURNITURE | IF_NEEDED - {"__init__.py"}))
def test_every_piece_of_furniture_is_explained(name: str) -> None:
    if name != "__init__.py":
        assert f"`{name.removesuffix('/')}" in ARCHITECTURE
