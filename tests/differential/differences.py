"""Every known difference to the other engines. DynamoDB's documentation decides who is right."""

from __future__ import annotations

from tests.differential.compare import Difference
from tests.differential.dynoxide import DYNOXIDE_RULES
from tests.differential.ministack import MINISTACK_RULES
from tests.differential.moto import MOTO_RULES
from tests.differential.rules import Rule
from tests.differential.statement_rules import STATEMENT_RULES
from tests.differential.table_rules import TABLE_RULES

_ITEM_RULES = (*MOTO_RULES, *MINISTACK_RULES, *DYNOXIDE_RULES)
RULES: tuple[Rule, ...] = (*_ITEM_RULES, *TABLE_RULES, *STATEMENT_RULES)
STATEMENTS = ("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")


def explain(difference: Difference) -> Rule | None:
    """The rule that explains a difference, if any does."""
    operation = difference.step.operation
    rules = STATEMENT_RULES if operation in STATEMENTS else TABLE_RULES if operation == "UpdateTable" else _ITEM_RULES
    for rule in rules:
        if rule.engine == difference.engine and rule.matches(difference):
            return rule
    return None


def document() -> str:
    """The rules as a page of the documentation."""
    lines = [
        "# Differences to other engines",
        "",
        (
            "`python -m tests.differential` sends the same generated requests, among them statements and changes of "
            "tables, to this engine, to moto's server, to ministack and to dynoxide, and"
        ),
        (
            "compares every answer and, after each sequence, all contents of tables and indexes. DynamoDB's "
            "documentation decides who"
        ),
        (
            "is right; what it does not say is marked as our choice. A difference that is not in this list "
            "fails the test. This page is"
        ),
        "made by `python -m tests.differential --document`.",
    ]
    for engine in dict.fromkeys(rule.engine for rule in RULES):
        lines += ["", f"## {engine}", "", "| what | why | verdict |", "|---|---|---|"]
        rows = [rule for rule in RULES if rule.engine == engine]
        lines += [f"| {rule.name} | {_cell(rule.why)} | {rule.verdict} |" for rule in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
