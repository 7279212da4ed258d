"""A readable page per table: its keys, indexes, item types and access patterns."""

from __future__ import annotations

from collections.abc import Iterable

from partita.dynamo.wire import render
from partita.table.explain import filled
from partita.table.items import Item
from partita.table.tables import KeyName, Table


def document(table: Table) -> str:
    """The table as Markdown."""
    lines = [f"# {table.name}", "", table.purpose, "", f"Key: {_keys(table.keys)}.", ""]
    if table.indexes:
        lines += ["| index | partition key | sort key | projection | use |", "|---|---|---|---|---|"]
        for index in table.indexes:
            shown = f"{index.projection} {', '.join(index.include)}".strip()
            lines.append(f"| {index.name} | {_keys(index.pk)} | {_keys(index.sk)} | {shown} | {index.purpose} |")
        lines.append("")
    lines += ["## Items", "", *_items(table), ""]
    for kind in table.item_types:
        lines += [f"**{kind.__name__}**: {(kind.__doc__ or '').strip()} {_attributes(kind)}", ""]
    lines += ["## Access patterns", "", "| pattern | function | request |", "|---|---|---|"]
    for pattern in table.patterns:
        operation, wire = render(pattern.request().request())
        where = f" on {wire['IndexName']}" if "IndexName" in wire else ""
        condition = f": `{filled(wire, 'KeyConditionExpression')}`" if "KeyConditionExpression" in wire else ""
        name = pattern.name if pattern.documented else f"{pattern.name} (ours)"
        lines.append(f"| {name} | `{pattern.label}` | {operation}{where}{condition} |")
    return "\n".join(lines) + "\n"


def _keys(keys: Iterable[KeyName]) -> str:
    return " + ".join(f"`{key.name}` ({key.type})" for key in keys)


def _items(table: Table) -> list[str]:
    """The item collection drawn as a table: what stands under which key."""
    heads = ["item", *(key.name for key in table.keys), "derived"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for kind in table.item_types:
        made = kind.__layout__
        keys = [f"`{each.text}`" for each in (made.pk, made.sk) if each is not None]
        derived = ", ".join(f"{name}=`{each.text}`" for name, each in made.derived.items())
        lines.append("| " + " | ".join((kind.__name__, *keys, derived)) + " |")
    return lines


def _attributes(kind: type[Item]) -> str:
    names = ", ".join(f"`{name}`" for name in kind.__layout__.names.values())
    return f"Attributes: {names}." if names else ""
