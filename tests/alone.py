"""A Python that has only some packages: the others are there, and are not found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CORE = ("apsw", "httptools", "orjson", "pydantic", "typing_extensions")
THEIRS = ("annotated_types", "pydantic_core", "typing_inspection")
"""What pydantic itself stands on."""

PROGRAM = """
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Attribute, Item, Put, Table, key_part
SHELF = Table("shelf", pk="PK")
class Book(Item, table=SHELF, pk="BOOK#{isbn}"):
    isbn: Attribute[str] = key_part()
    title: Attribute[str]
with Engine.temporary() as engine:
    store = EmbeddedStore(engine)
    store.create(SHELF)
    store.write(Put(Book(isbn="1", title="Emma")))
    print(store.get(Book.get(Book.isbn("1"))).title)
"""
"""What a reader writes first."""

_ONLY = """
import sys

class Only:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        known = top in FOUND or top in sys.stdlib_module_names or top.startswith("_sysconfigdata")
        if not known and path is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

FOUND = {found!r}
sys.meta_path.insert(0, Only())
"""


def python_with(
    packages: tuple[str, ...], program: str, *arguments: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program that finds the standard library, partita and some packages."""
    found = {"partita", *packages}
    command = [sys.executable, "-c", _ONLY.replace("{found!r}", repr(found)) + program, *arguments]
    hidden = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "COVERAGE"))}
    return subprocess.run(command, cwd=folder, env=hidden, capture_output=True, text=True, timeout=60)
