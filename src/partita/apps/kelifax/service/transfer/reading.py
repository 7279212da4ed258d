"""Reading a file with resources: its rows, checked one by one, always the same ones for the same file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import orjson
from pydantic import Field, ValidationError

from partita.apps.kelifax.formats import slug_or_digest, split_features, split_learning
from partita.apps.kelifax.inputs import Description, FewFeatures, FewUseCases, LearningResources
from partita.apps.kelifax.service.transfer.markdown_list import from_markdown
from partita.apps.kelifax.service.transfer.writing import COLUMNS
from partita.kit.fetcher.charsets import text_of
from partita.kit.imports import unreadable
from partita.kit.messages import field_errors
from partita.kit.problems import TooLarge
from partita.kit.spreadsheets import rows as sheet_rows
from partita.kit.urls import same_page

Format = Literal["csv", "json", "md"]

MOST_BYTES = 2_000_000
MOST_ENTRIES = 500
_LABELS = {
    "resourceName": "Name",
    "resourceUrl": "Address",
    "usagePurpose": "Purpose",
    "category": "Category",
    "tags": "Tags",
    "licence": "Licence",
    "pricing": "Price",
    "keyFeatures": "Key features",
    "useCases": "Use cases",
    "learningResources": "Learning resources",
}
"""As the form calls what the API names."""


class ImportedResource(Description):
    """A resource in a file: what the form asks for, but lists may be short."""

    key_features: FewFeatures = Field(default=[])
    use_cases: FewUseCases = Field(default=[])
    learning_resources: LearningResources = Field(default=[])


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that was checked: its resource, or why there is none."""

    row: int
    """The line, or the place in the list, counted from 1."""
    name: str
    resource: ImportedResource | None = None
    problem: str = ""
    address: str = ""
    """The normalised address, by which resources are compared."""
    same_as: int | None = None
    """The earlier row with the same address."""


def read_candidates(data: bytes, format: Format | None, category: str) -> list[Candidate]:
    """The rows of a file; what names no category gets this one. `Invalid` or `TooLarge` if it is refused whole."""
    if len(data) > MOST_BYTES:
        raise TooLarge(f"A file can have at most {MOST_BYTES // 1_000_000} MB. Split it.")
    read = {"csv": _from_csv, "json": _from_json, "md": from_markdown}[format or format_of(data)]
    first_with: dict[str, int] = {}
    candidates = [
        _candidate(number, fields, category, first_with) for number, fields in islice(read(data), MOST_ENTRIES + 1)
    ]
    if len(candidates) > MOST_ENTRIES:
        raise TooLarge(f"A file can have at most {MOST_ENTRIES:,} entries. Split it.")
    if not candidates:
        raise unreadable("There is no resource in this file.")
    return candidates


def format_of(data: bytes) -> Format:
    """The format of a file, recognised by what is in it."""
    start = data[:200].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"[", b"{")):
        return "json"
    first_line = text_of(data[:2000]).lstrip("\ufeff").partition("\n")[0]
    return "csv" if "resourceurl" in first_line.lower() else "md"


Fields = Mapping[str, Any] | str
"""The fields of a row, or why it cannot be read."""


def _from_csv(data: bytes) -> Iterator[tuple[int, Fields]]:
    names: list[str] | None = None
    spelled = {name.lower(): name for name in COLUMNS}
    for row in sheet_rows(data):
        if row.problem:
            yield row.number, row.problem
        elif names is None:
            names = [spelled.get(cell.strip().lower(), "") for cell in row.cells]
            if not {"resourceName", "resourceUrl"} <= set(names):
                raise unreadable(f"The first line must name the columns: {', '.join(COLUMNS)}.")
        else:
            yield row.number, _from_cells({name: cell for name, cell in zip(names, row.cells, strict=False) if name})


def _from_cells(cells: Mapping[str, str]) -> Mapping[str, Any]:
    """A row of a spreadsheet, with its lists read."""
    learning = cells.get("learningResources", "").strip()
    readable = split_learning(learning)
    unread = len([part for part in learning.split("|") if part]) - len(readable)
    return {
        **cells,
        "tags": [tag for tag in cells.get("tags", "").split(",") if tag.strip()],
        "keyFeatures": [each for each in split_features(cells.get("keyFeatures", "")) if each.strip()],
        "useCases": [each for each in split_features(cells.get("useCases", "")) if each.strip()],
        "learningResources": [each.model_dump() for each in readable] + [{}] * unread,
    }


def _from_json(data: bytes) -> Iterator[tuple[int, Fields]]:
    try:
        content: Any = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise unreadable(f"This is not JSON: {error}.") from None
    if isinstance(content, dict):
        content = next((content[name] for name in ("items", "resources") if name in content), None)
    if not isinstance(content, list):
        raise unreadable("The file must contain a list of resources.")
    for number, each in enumerate(content, 1):
        yield number, each if isinstance(each, dict) else "This is not an object with a resourceUrl."


def _candidate(number: int, fields: Fields, category: str, first_with: dict[str, int]) -> Candidate:
    if isinstance(fields, str):
        return Candidate(number, "", problem=fields)
    name = str(fields.get("resourceName") or fields.get("resourceUrl") or "")
    known = {key: fields[key] for key in COLUMNS if fields.get(key) not in (None, "")}
    try:
        resource = ImportedResource.model_validate({"category": category, **known})
    except ValidationError as error:
        return Candidate(
            number, name, problem=" ".join(f"{_label(each.field)}: {each.message}" for each in field_errors(error))
        )
    if not slug_or_digest(resource.resource_name):
        return Candidate(number, name, problem="Name: Use at least one letter or digit.")
    address = same_page(resource.resource_url)
    first = first_with.setdefault(address, number)
    return Candidate(number, name, resource, address=address, same_as=first if first != number else None)


def _label(field: str) -> str:
    """A field as the form calls it: `Purpose`, `Key features 2`."""
    name, _, inside = field.partition(".")
    place = inside.partition(".")[0]
    return _LABELS.get(name, name) + (f" {int(place) + 1}" if place.isdecimal() else "")
