"""The rows of a CSV file with content: read, checked one by one, and kept with what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from pydantic import ValidationError

from partita.apps.enablement.formats import folded
from partita.apps.enablement.inputs import MOST_IMPORT_ROWS, ImportRow, NewContent
from partita.apps.enablement.schema import Products
from partita.apps.enablement.service.checks import check_dates
from partita.apps.enablement.service.products import NO_PRODUCTS, unknown_product
from partita.kit.files import download_name
from partita.kit.imports import unreadable
from partita.kit.messages import field_errors
from partita.kit.problems import FieldError, Invalid
from partita.kit.spreadsheets import SheetRow, line, packed, rows

MOST_BYTES = 2_000_000
_MOST_NAMED, _LONGEST_NAME = 8, 60
"""Of names of columns that are unknown, a refusal repeats so many, and so much of each."""
COLUMNS = tuple(ImportRow.model_fields)
"""The columns that a file can have; only `title` is needed."""
_PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A row, and what is wrong with it."""

    number: int
    """Its line in the file."""
    cells: dict[str, str]
    """Column → what stands there, as it was sent."""
    problem: str = ""

    @property
    def is_good(self) -> bool:
        return not self.problem

    @property
    def title(self) -> str:
        return self.cells.get("title", "").strip()

    @property
    def file_name(self) -> str:
        """The file that belongs to it; empty if none does."""
        name = self.cells.get("file_name", "").strip()
        return download_name(name) if name else ""

    @property
    def file_key(self) -> str:
        """The file's name as it is compared: people's computers spell names in different ways."""
        return folded(self.file_name)

    @property
    def content(self) -> NewContent:
        """The draft that it becomes."""
        return _content(ImportRow.model_validate(self.cells))


def read_rows(data: bytes, products: Products = NO_PRODUCTS) -> tuple[CheckedRow, ...]:
    """The rows of a file, checked; `Invalid` if it is refused whole."""
    if packed(data):
        kind = "an Excel file" if b"xl/" in data else "not a CSV file"
        raise unreadable(f"This is {kind}: save it as CSV, and choose that file.")
    if len(data) > MOST_BYTES:
        raise unreadable(f"A file can have at most {MOST_BYTES // 1_000_000} MB. Split it.")
    sheet = rows(data)
    first = next(sheet, None)
    if first is None:
        raise unreadable("The file is empty.")
    names = _names(first)
    found: list[CheckedRow] = []
    for row in sheet:
        if len(found) == MOST_IMPORT_ROWS:
            raise unreadable(f"A file can have at most {MOST_IMPORT_ROWS} rows. Split it.")
        found.append(_checked(row, names, products))
    if not found:
        raise unreadable("There is no row below the names of the columns.")
    return tuple(_each_file_once(found))


def _names(first: SheetRow) -> list[str]:
    names = ["_".join(cell.lower().split()) for cell in first.cells]
    names = ["" if name == _PROBLEM else name for name in names]  # a file of ours that was corrected
    unknown = [name for name in names if name and name not in COLUMNS]
    if "title" not in names or unknown:
        few = [name[:_LONGEST_NAME] for name in unknown[:_MOST_NAMED]] + ["others"] * (len(unknown) > _MOST_NAMED)
        wrong = f" It has {', '.join(few)}." if unknown else ""
        raise unreadable(f"The first line must name the columns, at least title: {', '.join(COLUMNS)}.{wrong}")
    if len(set(filter(None, names))) != len(list(filter(None, names))):
        raise unreadable("The first line names a column twice.")
    return names


def _checked(row: SheetRow, names: Sequence[str], products: Products) -> CheckedRow:
    cells = {name: cell for name, cell in zip(names, row.cells, strict=False) if name}
    if row.problem:
        return CheckedRow(row.number, cells, row.problem)
    if len(row.cells) > len(names):
        return CheckedRow(
            row.number, cells, "It has more cells than there are columns. Put texts with commas in quotes."
        )
    try:
        content = _content(ImportRow.model_validate(cells))
        check_dates(content)
        if unknown := unknown_product(products, content.product_suite):
            raise Invalid(FieldError("suite", unknown))
    except ValidationError as error:
        return CheckedRow(row.number, cells, _words(field_errors(error)))
    except Invalid as refused:
        return CheckedRow(row.number, cells, _words(refused.errors))
    return CheckedRow(row.number, cells)


def _content(row: ImportRow) -> NewContent:
    return NewContent(
        title=row.title,
        summary=row.summary,
        product_suite=row.suite,
        product_concept=row.concept,
        tags=row.tags,
        audience_role=row.audience,
        review_due_date=row.review_date,
        expiry_date=row.expiry_date,
    )


def _each_file_once(found: Sequence[CheckedRow]) -> Iterator[CheckedRow]:
    """A file belongs to one row: whoever attaches it has it alone."""
    first: dict[str, int] = {}
    for row in found:
        taken = first.setdefault(row.file_key, row.number) if row.is_good and row.file_name else row.number
        yield row if taken == row.number else replace(row, problem=f"file_name: Line {taken} has this file already.")


def _words(errors: Sequence[FieldError]) -> str:
    return "; ".join(f"{each.field.partition('.')[0]}: {each.message}" for each in errors)


# As they are kept, and as they are given back
def to_json(checked: Sequence[CheckedRow]) -> bytes:
    """The rows as they are kept in a file."""
    return orjson.dumps([{"number": row.number, "cells": row.cells, "problem": row.problem} for row in checked])


def from_json(data: bytes) -> tuple[CheckedRow, ...]:
    """The rows that were kept."""
    stored: list[dict[str, Any]] = orjson.loads(data)
    return tuple(CheckedRow(row["number"], row["cells"], row["problem"]) for row in stored)


def bad_rows_csv(bad: Sequence[CheckedRow]) -> str:
    """Rows to be corrected and sent again: as they came, with the reason in a last column, which is then not read."""
    names = [name for name in COLUMNS if any(name in row.cells for row in bad)] or ["title"]
    lines = [line([row.cells.get(name, "") for name in names] + [row.problem]) for row in bad]
    return "\ufeff" + line([*names, _PROBLEM]) + "".join(lines)
