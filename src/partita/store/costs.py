"""The page of access patterns: what the documents ask for, which function answers, and what it was measured to cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from partita.store.measure import PAGE, Measured, Measurement
from partita.table.patterns import Pattern
from partita.table.summary import cell, summary

_SYSTEMS = f"""# Access patterns

Made from the schemas by `partita patterns`; do not edit it by hand. Every access pattern of the design documents is
here, in the document's own words, with the function that answers it, what is sent, and what it was measured to cost on
the embedded engine, which counts capacity units as DynamoDB does.

A list is read a page of {PAGE} at a time. Units are read units, eventually consistent, unless they are marked as write
units. *Item* is the size of one item in bytes: made like the document's example, or from the types of its fields where
the document has none, with texts a tenth of the longest they may be. The numbers at the end say how many items were
stored: in that list, or beside the one that is looked up.

No pattern of the five systems is a scan, and no page costs more because the table has grown. The tests check both with
the code that made this page.
"""

_OWN = f"""# Access patterns

Made from the schema by `partita patterns`: every access pattern with the function that answers it, what is sent, and
what it was measured to cost on the embedded engine, which counts capacity units as DynamoDB does.

A list is read a page of {PAGE} at a time. Units are read units, eventually consistent, unless they are marked as write
units. *Item* is the size of one item in bytes: an example made from the types of its fields, with texts a tenth of the
longest they may be. The numbers at the end say how many items were stored: in that list, or beside the one that is
looked up.
"""


def costs(
    measured: Mapping[str, Sequence[Measurement]], failed: Sequence[tuple[Pattern, str]] = (), *, own: bool = False
) -> str:
    """The page, from the measurements of each system; `own` for a schema that is not one of the five systems'."""
    lines = [_OWN if own else _SYSTEMS]
    for system, measurements in measured.items():
        lines += [f"## {system}", ""]
        documented = [each for each in measurements if each.pattern.documented]
        added = [each for each in measurements if not each.pattern.documented]
        if documented:
            quoted = any(each.pattern.wordings != (each.pattern.name,) for each in documented)
            lines += [*_table("the document says" if quoted else "pattern", documented), ""]
        if added:
            lines += ["Added, to solve what the document leaves open:", "", *_table("pattern", added), ""]
    if failed:
        lines += ["## Not measured", "", "These patterns fail; `partita check` says more about each.", ""]
        lines += ["| pattern | function | why |", "|---|---|---|"]
        lines += [f"| {cell(each.name)} | `{each.label}` | {cell(why)} |" for each, why in failed]
        lines.append("")
    return "\n".join(lines)


def _table(first: str, measurements: Sequence[Measurement]) -> Iterable[str]:
    counts = [f"{wanted:,}" for wanted in measurements[0].stored]
    heads = [first, "function", "request", "item", *counts]
    yield "| " + " | ".join(heads) + " |"
    yield "|---|---|---|" + "---:|" * (len(heads) - 3)
    for each in measurements:
        yield "| " + " | ".join(cells(each)) + " |"


def cells(each: Measurement) -> list[str]:
    """The cells of a pattern's row."""
    pattern = each.pattern
    said = "<br>".join(map(cell, pattern.wordings or (pattern.name,)))
    units = [_units(wanted, step) for wanted, step in zip(each.stored, each.steps, strict=True)]
    return [said, f"`{pattern.label}`", summary(each.request).markdown(), f"{each.item_bytes:,}", *units]


def _units(wanted: int, step: Measured) -> str:
    """What it cost; a list that cannot be as long as that says how long it was."""
    text = f"{step.units:g}" + (" write" if step.kind == "write" else "")
    return text if step.stored == wanted else f"{text} ({step.stored} {'item' if step.stored == 1 else 'items'})"
