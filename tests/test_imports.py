"""No module of the modelling layer imports itself by way of others, and no package does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import partita

ROOT = Path(partita.__file__).parent.parent
PACKAGES = ("dynamo", "engine", "table", "store", "kit", "apps", "web")


def _modules(package: str) -> dict[str, Path]:
    files = (ROOT / package.replace(".", "/")).rglob("*.py")
    return {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What the code below a node imports, also inside functions: modules, with the name that is taken out of them."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        branches: list[ast.stmt] = node.body if isinstance(node.test, ast.UnaryOp) else node.orelse
        for each in branches:
            yield from _imports(each)
        return
    if isinstance(node, ast.Import):
        yield from ((each.name, "") for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.module is not None, "imports are absolute"
        yield from ((node.module, each.name) for each in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _imports(child)


def _graph(modules: dict[str, Path]) -> dict[str, set[str]]:
    """Module → modules it imports, of those that are given."""
    graph: dict[str, set[str]] = {}
    for name, file in modules.items():
        imported = {
            submodule if (submodule := f"{module}.{member}") in modules else module
            for module, member in _imports(ast.parse(file.read_text()))
        }
        graph[name] = imported & modules.keys()
    return graph


def _cycle(graph: dict[str, set[str]]) -> str:
    """A cycle of a graph, as `a → b → a`; nothing if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " → ".join(reversed(error.args[1]))
    return ""


@pytest.mark.parametrize("package", ["dynamo", "engine", "table", "store"])
def test_the_modules_of_a_package_import_each_other_in_one_direction(package: str) -> None:
    graph = _graph(_modules(f"partita.{package}"))
    assert len(graph) > 10
    assert _cycle(graph) == ""


def test_the_packages_import_each_other_in_one_direction() -> None:
    modules = {name: file for package in PACKAGES for name, file in _modules(f"partita.{package}").items()}
    packages: dict[str, set[str]] = {package: set() for package in PACKAGES}
    for name, imported in _graph(modules).items():
        package = name.split(".")[1]
        packages[package] |= {other.split(".")[1] for other in imported} - {package}
    assert packages["store"] >= {"dynamo", "table"}
    assert _cycle(packages) == ""


def test_a_cycle_is_found_and_named(tmp_path: Path) -> None:
    texts = {
        "a": "def late():\n    from b import value",
        "b": "import c",
        "c": "import a",
        "d": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import e\nelse:\n    import a",
        "e": "import d",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    graph = _graph({name: tmp_path / name for name in texts})
    assert graph == {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"d"}}
    assert _cycle(graph) in ("a → b → c → a", "b → c → a → b", "c → a → b → c")
    assert _cycle({"d": {"a"}, "e": {"d"}}) == ""
