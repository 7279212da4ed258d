"""Reading schemas for trouble before the tables have it: every finding has a code, says why, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from partita.table import check_indexes, check_items, check_patterns
from partita.table.examples import Examples
from partita.table.findings import CODES, Finding
from partita.table.settings import misspelt
from partita.table.tables import Table


def check(
    tables: Iterable[Table], examples: Examples | None = None, *, environment: Mapping[str, str] | None = None
) -> Iterator[Finding]:
    """Everything worth saying about some tables and the settings meant for them; what is accepted says so."""
    tables = list(tables)
    for table in tables:
        yield from _with_acceptances(table, list(_findings(table, examples or Examples())))
    for variable, meant in misspelt(tables, environment or {}):
        yield Finding("unknown-setting", variable, variable, "names no table and no index: it changes nothing", meant)


def _findings(table: Table, examples: Examples) -> Iterator[Finding]:
    for rules in (check_indexes.findings, check_items.findings, check_patterns.findings):
        yield from rules(table, examples)


def _with_acceptances(table: Table, findings: list[Finding]) -> Iterator[Finding]:
    """The findings, with the reason if the schema accepts them; and acceptances of nothing that was found."""
    reasons = {(each.code, each.subject): each.reason for each in table.accepted}
    for finding in findings:
        yield replace(finding, accepted=reasons.get((finding.code, finding.subject)))
    for code, subject in reasons:
        if any((finding.code, finding.subject) == (code, subject) for finding in findings):
            continue
        what = "is not found" if code in CODES else "is not a code of `partita check`"
        yield Finding(
            "nothing-to-accept",
            f"{table.name}: {code} of {subject}",
            subject,
            f"the schema accepts it, and it {what}",
            "Take it out of accept(…).",
        )
