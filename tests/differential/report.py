"""What was counted, as text."""

from __future__ import annotations

from tests.differential.differences import RULES
from tests.differential.play import Tally


def report(tally: Tally) -> str:
    """Requests, agreements per engine, differences per rule."""
    headings = ("compared", "same", "explained", "unexplained", "contents", "other message")
    lines = [
        f"{tally.requests} requests, {tally.refused} of them refused, {len(tally.unexplained)} unexplained differences",
        "",
        "engine    " + "".join(f"{heading:>15}" for heading in headings),
    ]
    for engine in tally.compared:
        explained = sum(count for name, count in tally.rules.items() if name.startswith(f"{engine}: "))
        missing = sum(each.engine == engine for each in tally.unexplained)
        figures = (
            tally.compared[engine],
            tally.agreed[engine],
            explained,
            missing,
            tally.states[engine],
            tally.other_message[engine],
        )
        lines.append(f"{engine:<10}" + "".join(f"{figure:>15}" for figure in figures))
    lines += ["", "differences per rule (a request may differ in several members)"]
    verdicts = {str(rule): rule.verdict for rule in RULES}
    lines += [f"{count:>7}  {name} ({verdicts[name]})" for name, count in tally.rules.most_common()]
    return "\n".join(lines)
