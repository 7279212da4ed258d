"""A schema of one's own: a Python file or a module, imported for the tables it declares."""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path
from types import ModuleType

from partita.table.errors import ModelError, SchemaError
from partita.table.tables import Table


def tables_in(source: str) -> tuple[Table, ...]:
    """Every table that a file (`lending.py`) or a module (`shop.schema`) declares or imports."""
    folder, name = _located(source)
    module = _imported(source, folder, name)
    tables = tuple(dict.fromkeys(value for value in vars(module).values() if isinstance(value, Table)))
    if not tables:
        raise SchemaError(f'{source} has no table: write one at its top level, as in NAME = Table("name", pk="PK")')
    return tables


def _located(source: str) -> tuple[Path, str]:
    """The folder to import from, and the module's full name; a file inside packages is one of their modules."""
    if not source.endswith(".py") and "/" not in source:
        return Path.cwd(), source
    file = Path(source).resolve()
    if file.suffix == ".py" and not file.exists():
        raise SchemaError(f"There is no file {source} in {Path.cwd()}: give the path of your schema, as in lending.py")
    if not file.is_file() or file.suffix != ".py":
        raise SchemaError(f"{source} is no Python file: give a file, as in lending.py, or a module, as in shop.schema")
    names, folder = [file.stem], file.parent
    while (folder / "__init__.py").exists():
        names, folder = [folder.name, *names], folder.parent
    return folder, ".".join(names)


def _imported(source: str, folder: Path, name: str) -> ModuleType:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))  # so that the schema can import its neighbours, as when it is run
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise SchemaError(f"There is no module {name} in {folder}: give a file, as in lending.py") from None
        raise SchemaError(_why(folder, error)) from error
    except Exception as error:
        raise SchemaError(_why(folder, error)) from error
    if source.endswith(".py") and Path(module.__file__ or "").resolve() != Path(source).resolve():
        raise SchemaError(f"{source} has the name of another module ({module.__file__}): give it another one")
    return module


def _why(folder: Path, error: Exception) -> str:
    """What went wrong and on which line of the schema, for people who wrote it a moment ago."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f"{Path(error.filename).name}, line {error.lineno}: {error.msg}"
    said = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.is_relative_to(folder) and not {"site-packages", "partita"} & set(file.relative_to(folder).parts):
            return f"{file.relative_to(folder)}, line {frame.lineno}: {said}"
    return said
