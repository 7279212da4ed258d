"""What a pattern sends and costs, and what there is to know about it, without running it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from partita.dynamo.requests import Scan
from partita.dynamo.wire import render
from partita.table.check import check
from partita.table.cost import cost
from partita.table.examples import Examples
from partita.table.findings import Finding
from partita.table.patterns import Pattern
from partita.table.queries import Query
from partita.table.summary import filled, summary

_PAGE = 25
_LINE = 110


def explain(pattern: Pattern, examples: Examples | None = None, *, items: int = _PAGE) -> str:
    """A pattern's request, index, key condition, cost and warnings, as text."""
    examples = examples or Examples()
    request = pattern.request(examples)
    short = summary(request)
    lines = [f"{pattern.label}{_readable(pattern)}", f"  {pattern.name}"]
    lines += [f"  the document: {words}" for words in pattern.wordings if words != pattern.name]
    if not pattern.documented:
        lines.append("  not in the document")
    lines.append(f"  {short.operation} on {pattern.table.name}" + (f", index {short.index}" if short.index else ""))
    if short.more:
        lines.append(f"  {', '.join(short.more)}")
    if short.change:
        lines.append(f"  {short.change}")
    if short.condition:
        lines.append(f"  where {short.condition}")
    sent = _sent(request, items)
    if "FilterExpression" in sent:
        lines.append(f"  keeping {filled(sent, 'FilterExpression')}")
    whole = isinstance(request, Scan)
    lines.append(f"  costs {'as much as the whole table' if whole else cost(request, examples, items=items)}")
    lines += [f"  {line}" for finding in _about(pattern, request, examples) for line in str(finding).splitlines()]
    return "\n".join((*lines, "", f"    {_laid_out(sent, 4)}"))


def _laid_out(value: Any, indent: int) -> str:
    """JSON with what is short on one line."""
    short = json.dumps(value, ensure_ascii=False)
    if len(short) + indent <= _LINE or not isinstance(value, dict | list) or not value:
        return short
    deeper = " " * (indent + 2)
    pairs = value.items() if isinstance(value, dict) else ((None, each) for each in value)
    inner = [
        deeper + ("" if name is None else f"{json.dumps(name)}: ") + _laid_out(each, indent + 2) for name, each in pairs
    ]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(inner) + "\n" + " " * indent + closing


def _sent(request: Any, items: int) -> dict[str, Any]:
    """The request as DynamoDB gets it; of a list, the first one, with a row more than wanted to see where it ends."""
    if isinstance(request, Scan):
        return render(request)[1]
    _, wire = render(request.request(limit=items + 1) if isinstance(request, Query) else request.request())
    return wire


def _about(pattern: Pattern, request: Any, examples: Examples) -> Iterator[Finding]:
    """The findings about the pattern itself, its index and the types of its items."""
    subjects = {pattern.function.__name__}
    if isinstance(request, Query):
        subjects.update(kind.__name__ for kind in request.item_types)
        if request.index is not None:
            subjects.add(request.index.name)
    for finding in check([pattern.table], examples):
        if finding.subject in subjects and finding.code != "large-item":
            yield finding


def _readable(pattern: Pattern) -> str:
    """The signature as people write it: without the names of modules, and without the quotes of late annotations."""
    unquoted = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(pattern.signature))
    return re.sub(r"\b(?:[a-z_]\w*\.)+", "", unquoted)
