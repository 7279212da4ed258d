"""The developer panel: the DynamoDB requests of a page.

It differs on every page, so it is built by hand: a template takes five times as long.
"""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup, escape

from partita.store.observe import Observation
from partita.web.calls import Calls
from partita.web.templates import milliseconds, plural, units

_SLOW_SECONDS = 0.05
_TABLE = """\
<div class="table-wrap" tabindex="0" role="region" aria-label="Requests that made this page">
<table class="table dense">
<thead><tr><th scope="col">Operation</th><th scope="col">Table</th><th scope="col">Index</th>\
<th scope="col" class="number">Items</th><th scope="col" class="number">Units</th>\
<th scope="col" class="number">ms</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>"""


def panel(calls: Calls, request_id: str, picture: Markup) -> str:
    """The panel of one request."""
    rows = "\n".join(map(_row, calls.calls))
    inside = _TABLE.format(rows=rows) if rows else '<p class="muted">This page made no requests to the tables.</p>'
    if calls.left_out:
        inside += f'\n<p class="muted">{calls.left_out} more requests are not listed.</p>'
    return f"""\
<details class="developer">
<summary>{picture}<strong>{plural(len(calls.calls), "request")} to the tables</strong>
<span>{_counted_units(calls.units)}</span><span>{milliseconds(calls.seconds)} ms</span></summary>
<div class="inside">
{inside}
<p class="muted">Request {escape(request_id)}</p>
</div>
</details>"""


def _counted_units(amount: float) -> str:
    text = units(amount)
    return f"{text} unit" if text == "1" else f"{text} units"


def _row(call: Observation) -> str:
    slow = " slow" if call.seconds > _SLOW_SECONDS else ""
    cells = _constant_cells(call.operation, call.tables, call.index, call.items, call.units, call.error)
    return f'{cells}<td class="number{slow}">{milliseconds(call.seconds)}</td></tr>'


@lru_cache(maxsize=1024)
def _constant_cells(
    operation: str, tables: tuple[str, ...], index: str | None, items: int, used: float, error: str | None
) -> str:
    """The cells that are the same for the same request; only the time differs."""
    failed, what = (' class="failed"', f"{operation} ({error})") if error else ("", operation)
    return (
        f"<tr{failed}><td>{escape(what)}</td><td>{escape(', '.join(tables))}</td><td>{escape(index or '–')}</td>"
        f'<td class="number">{items}</td><td class="number">{units(used)}</td>'
    )
