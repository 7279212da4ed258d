"""A schema of one's own is found by file or by module, and what is wrong with it is said with its line."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.table import SchemaError
from partita.table.source import tables_in

SCHEMA = """
from partita.table import Attribute, Item, Table
{table} = Table("{table}-table", pk="id")
class Thing(Item, table={table}):
    id: Attribute[str]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder; whatever is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_file_is_read_for_its_tables(folder: Path) -> None:
    (folder / "own_sheds.py").write_text(SCHEMA.format(table="SHEDS"))
    (table,) = tables_in("own_sheds.py")
    assert table.name == "SHEDS-table"
    assert [kind.__name__ for kind in table.item_types] == ["Thing"]


def test_a_module_is_read_for_its_tables(folder: Path) -> None:
    (folder / "own_shop").mkdir()
    (folder / "own_shop" / "schema.py").write_text(SCHEMA.format(table="SHOP"))
    assert [table.name for table in tables_in("own_shop.schema")] == ["SHOP-table"]


def test_a_file_in_a_package_may_import_its_neighbours_and_shows_their_tables_once(folder: Path) -> None:
    package = folder / "own_package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "first.py").write_text(SCHEMA.format(table="FIRST"))
    (package / "schema.py").write_text(SCHEMA.format(table="SECOND") + "from .first import FIRST\nAGAIN = FIRST\n")
    assert [table.name for table in tables_in("own_package/schema.py")] == ["SECOND-table", "FIRST-table"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("own_nothing.py", r"^There is no file own_nothing.py in .*: give the path of your schema"),
        ("own_folder/schema.toml", r"own_folder/schema.toml is no Python file: give a file"),
        ("own_folder/", r"own_folder/ is no Python file"),
        ("own_nothing.schema", r"There is no module own_nothing.schema in .*: give a file"),
        ("json.py", r"json.py has the name of another module \(.*json.__init__.py\): give it another one"),
        ("own_empty.py", r'own_empty.py has no table: .*Table\("name", pk="PK"\)'),
        ("own_mistake.py", r"^own_mistake.py, line 6: Other: the template 'A#\{b\}' names b"),
        ("own_syntax.py", r"^own_syntax.py, line 2: "),
        ("own_import.py", r"^own_import.py, line 1: ModuleNotFoundError: No module named 'own_nowhere'"),
    ],
)
def test_what_is_wrong_with_a_schema_is_said_with_its_line(folder: Path, source: str, said: str) -> None:
    (folder / "json.py").touch()
    (folder / "own_empty.py").touch()
    mistake = SCHEMA.format(table="WRONG") + 'class Other(Item, table=WRONG, pk="A#{b}"): pass\n'
    (folder / "own_mistake.py").write_text(mistake)
    (folder / "own_syntax.py").write_text("right = 1\nwrong =\n")
    (folder / "own_import.py").write_text("import own_nowhere\n")
    with pytest.raises(SchemaError, match=said):
        tables_in(source)
