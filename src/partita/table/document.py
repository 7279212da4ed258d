"""A readable page per table: its keys, indexes, item types, item collections and access patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from partita.table.drawings import draw
from partita.table.errors import ModelError
from partita.table.examples import Examples
from partita.table.items import Item
from partita.table.patterns import Pattern
from partita.table.settings import table_variable
from partita.table.summary import cell, summary
from partita.table.tables import Index, KeyName, Table

_HEAD = """# Tables

Made from the schemas by `partita tables`; do not edit it by hand. *What stands together* shows example items under one
partition key, in their order.
"""


def document(table: Table, examples: Examples | None = None, *, level: int = 1) -> str:
    """The table as Markdown that reads well as it is."""
    examples = examples or Examples()
    sections = (_head(table), _indexes(table), _items(table), _drawings(table, examples), _patterns(table, examples))
    lines = (line for section in sections for line in section)
    return "\n".join("#" * (level - 1) + line if line.startswith("#") else line for line in lines)


def documents(tables: Iterable[Table], examples: Examples | None = None) -> str:
    """All tables on one page."""
    return "\n".join((_HEAD, *(document(table, examples, level=2) for table in tables)))


def _head(table: Table) -> Iterator[str]:
    yield from (f"# {table.name}", "")
    if table.purpose:
        yield from (table.purpose, "")
    facts = [f"Key: {_keys(table.keys)}.", f"`{table_variable(table.default_name)}` names it."]
    if table.shards > 1:
        facts.append(f"Spread over {table.shards} shards.")
    if table.ttl is not None:
        facts.append(f"Items expire by `{table.ttl}`.")
    facts.append("No stream." if table.stream is None else f"Stream: {table.stream.lower().replace('_', ' ')}.")
    yield from (" ".join(facts), "")


def _indexes(table: Table) -> Iterator[str]:
    if not table.indexes:
        return
    yield from ("## Indexes", "")
    rows = [(each.name, _keys(each.pk), _keys(each.sk), _holds(each), each.purpose) for each in table.indexes]
    yield from _table(("index", "partition key", "sort key", "holds", "use"), rows)


def _holds(index: Index) -> str:
    held = {"ALL": "all", "KEYS_ONLY": "keys", "INCLUDE": f"keys, {', '.join(index.include)}"}[index.projection]
    return f"{held}; {index.shards} shards" if index.shards > 1 else held


def _items(table: Table) -> Iterator[str]:
    yield from ("## Items", "")
    rows = []
    for kind in table.item_types:
        made = kind.__layout__
        keys = [f"`{each.text}`" for each in (made.pk, made.sk) if each is not None]
        rows.append((kind.__name__, *keys, ", ".join(_derived_attributes(kind))))
    yield from _table(("item", *(key.name for key in table.keys), "made of its fields"), rows)
    for kind in table.item_types:
        yield from (f"**{kind.__name__}**: {(kind.__doc__ or '').strip()} {_attributes(kind)}", "")


def _derived_attributes(kind: type[Item]) -> Iterator[str]:
    """What is made of a type's fields: by a template, as a copy, or by a function."""
    layout = kind.__layout__
    yield from (f"{name}=`{each.text}`" for name, each in layout.texts.items())
    for name, computed in layout.computed.items():
        yield f"{name}=`{computed.text}`" if computed.field is None else f"{name} ({computed.text})"


def _attributes(kind: type[Item]) -> str:
    names = ", ".join(f"`{name}`" for name in kind.__layout__.names.values())
    return f"Attributes: {names}." if names else ""


def _drawings(table: Table, examples: Examples) -> Iterator[str]:
    drawings = draw(table, examples)
    if drawings:
        yield from ("## What stands together", "")
    for drawing in drawings:
        yield from (f"**{cell(drawing.title)}**", "")
        yield from _table(drawing.heads, [tuple(map(cell, row)) for row in drawing.rows])


def _patterns(table: Table, examples: Examples) -> Iterator[str]:
    yield from ("## Access patterns", "")
    rows = []
    for pattern in table.patterns:
        name = pattern.name if pattern.documented else f"{pattern.name} (ours)"
        rows.append((cell(name), f"`{pattern.label}`", _request(pattern, examples)))
    yield from _table(("pattern", "function", "request"), rows)


def _request(pattern: Pattern, examples: Examples) -> str:
    """What a pattern sends. One that fails must not hide the others: `partita check` says more about it."""
    try:
        return summary(pattern.request(examples)).markdown()
    except ModelError as error:
        return f"**fails**: {cell(str(error))}"


def _keys(keys: Iterable[KeyName]) -> str:
    return " + ".join(f"`{key.name}` ({key.type})" for key in keys)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A Markdown table whose columns stand under each other."""
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads) - 1)]
    for row in (heads, [*("-" * width for width in widths), "---"], *rows):
        padded = [text.ljust(width) for text, width in zip(row[:-1], widths, strict=True)]
        yield "| " + " | ".join((*padded, row[-1])) + " |"
    yield ""
