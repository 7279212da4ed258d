"""What is delivered is known: a bill of materials from the locks, every licence listed, a reason for every package."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from tests.supply import OWN, ROOT, acceptable, delivered, licences, locked, sbom


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    return sbom()


def test_the_bill_is_cyclonedx(bill: dict[str, Any]) -> None:
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    assert bill["metadata"]["component"]["type"] == "application"
    for component in bill["components"]:
        assert component["type"] == "library"
        assert component["scope"] in ("required", "optional")
        assert re.fullmatch(r"pkg:(pypi|npm)/[a-z0-9.-]+@[0-9][\w.]*", component["purl"])
        assert component["hashes"], component["name"]
        for each in component["hashes"]:
            length = {"SHA-256": 64, "SHA-512": 128}[each["alg"]]
            assert re.fullmatch(rf"[0-9a-f]{{{length}}}", each["content"])
        assert component["licenses"][0]["expression"]
    assert json.loads(json.dumps(bill)) == bill
    assert sbom() == bill, "the same locks give the same bill"


def test_the_bill_holds_every_package_of_the_lock_and_who_needs_it(bill: dict[str, Any]) -> None:
    components = {each["name"]: each for each in bill["components"]}
    required = {name for name, each in components.items() if each["scope"] == "required" and "pypi" in each["purl"]}
    lock = locked("runtime.txt")
    assert required == set(lock)
    assert {name: components[name]["version"] for name in lock} == {name: lock[name].version for name in lock}
    text = (ROOT / "requirements" / "runtime.txt").read_text()
    hashes = [each["content"] for name in lock for each in components[name]["hashes"]]
    assert sorted(hashes) == sorted(re.findall(r"--hash=sha256:([0-9a-f]{64})", text))
    references = [each["ref"] for each in bill["dependencies"]]
    assert sorted(references) == sorted({*(each["bom-ref"] for each in components.values()), references[0]})
    needed = {ref for each in bill["dependencies"] for ref in each["dependsOn"]}
    assert needed == {each["bom-ref"] for each in components.values()}, "nothing is there for nobody"


def test_every_licence_is_listed_and_asks_no_more_than_ours() -> None:
    page = (ROOT / "docs" / "licences.md").read_text()
    assert page == licences(), "run make sbom"
    assert [package.name for package in delivered() if not acceptable(package.licence)] == []
    assert "| aiosignal | Apache-2.0 | aiohttp |" in page, "who needs it stands there in words"


@pytest.mark.parametrize(
    ("expression", "fine"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-2.0-or-later OR MPL-1.1", True),
        ("MIT AND GPL-3.0-only", False),
        ("MPL-2.0 AND (GPL-3.0-only OR MIT)", True),
        ("Proprietary", False),
    ],
)
def test_a_choice_is_enough_and_all_that_must_hold_holds(expression: str, fine: bool) -> None:
    assert acceptable(expression) is fine


def test_whatever_the_code_imports_is_asked_for_and_has_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[>;]", each)[0] for group in asked for each in group}
    brought = packages_distributions()
    imported = {brought[top][0].lower().replace("_", "-") for top in _imported()}
    assert imported - {"pydantic-core"} <= names  # pydantic's own half
    reasons = (ROOT / "docs" / "decisions" / "0006-dependencies.md").read_text()
    table = reasons.partition("| package | why it is here |")[2].partition("\n\n")[0]
    first_cells = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("|"))
    assert {name for name in names if not re.search(rf"(?<![\w-]){name}(?![\w-])", first_cells)} == set()


def _imported() -> set[str]:
    """Every package that some module of ours imports."""
    statement = re.compile(r"^ *(?:from (\w+)[\w.]* import |import (\w+))", re.MULTILINE)
    texts = (file.read_text() for file in (ROOT / "src" / "partita").rglob("*.py"))
    found = {name for text in texts for names in statement.findall(text) for name in names if name}
    return {top for top in found if top not in sys.stdlib_module_names and top != "partita"}


def test_what_only_comes_along_was_judged() -> None:
    page = (ROOT / "docs" / "decisions" / "0006-dependencies.md").read_text()
    along = {name for name, package in locked("runtime.txt").items() if OWN not in package.needed_by}
    assert {name for name in along if not re.search(rf"(?<![\w-]){name}(?![\w-])", page)} == set()


def test_locks_name_no_host() -> None:
    programs = ROOT / "tests" / "clients" / "node"
    for file in (
        *Path(ROOT / "requirements").glob("*.txt"),
        *(here / "package-lock.json" for here in (ROOT, programs)),
    ):
        text = file.read_text()
        assert "://" not in text, file
        assert '"resolved"' not in text, file
