"""Known differences in PartiQL, to dynoxide alone: moto's server answers half of all statements with an error 500."""

from __future__ import annotations

import re

from tests.differential.compare import Difference
from tests.differential.engines import DYNOXIDE
from tests.differential.rules import CHOSEN, Rule, both_answer, differs, request_text

_UNREAD = ("Statement wasn't well formed", "UPDATE requires a WHERE clause")
_SHARED = ("Responses", "Errors")


def _cannot_read(it: Difference) -> bool:
    """It refuses the form of a statement, alone, in a batch or as the reason of a transaction."""
    if it.ours.code == "ValidationException":
        return False
    if it.theirs.message.startswith(_UNREAD):
        return True
    if both_answer(it, *_SHARED):
        ours, theirs = it.ours.members["Errors"], it.theirs.members["Errors"]
        return len(ours) == len(theirs) and any(
            one != other == "ValidationError" for one, other in zip(ours, theirs, strict=True)
        )
    if it.theirs.code != "TransactionCanceledException" or it.member not in ("outcome", "Reasons", "ReasonItems"):
        return False
    ours = it.ours.members.get("Reasons") or []
    theirs = it.theirs.members["Reasons"]
    return bool(theirs.count("ValidationError") > ours.count("ValidationError"))


def _unchecked(it: Difference) -> bool:
    if both_answer(it, *_SHARED):
        pairs = zip(it.ours.members["Errors"], it.theirs.members["Errors"], strict=False)
        return any(one == "ValidationError" != other for one, other in pairs)
    return it.ours.code == "ValidationException" and it.member in ("outcome", "code")


def _stops_early(it: Difference) -> bool:
    """Its reasons are ours up to the first that failed."""
    if it.member not in ("Reasons", "ReasonItems") or it.theirs.code != "TransactionCanceledException":
        return False
    ours, theirs = it.ours.members["Reasons"], it.theirs.members["Reasons"]
    failed = next((at for at, code in enumerate(theirs) if code != "None"), len(theirs))
    return len(ours) == len(theirs) and ours[: failed + 1] == theirs[: failed + 1]


STATEMENT_RULES: tuple[Rule, ...] = (
    differs(
        DYNOXIDE,
        "statements it cannot read",
        "set_add, set_delete, IS NULL, EXISTS, attribute_exists, values before attributes and parentheses around "
        "functions are documented for PartiQL, or accepted by AWS.",
        _cannot_read,
    ),
    differs(
        DYNOXIDE,
        "statements it does not check",
        "A SELECT in a transaction or a batch names the whole key; ORDER BY, overlapping alternatives, operand types, "
        "missing attributes, the number of parameters and of characters are checked.",
        _unchecked,
    ),
    differs(
        DYNOXIDE,
        "one parameter of a batch",
        "A parameter that is no number is a fault of its statement, not of the whole batch.",
        lambda it: (
            it.step.operation == "BatchExecuteStatement"
            and it.theirs.message.startswith("The parameter cannot be converted")
            and "ValidationError" in (it.ours.members.get("Errors") or ())
        ),
    ),
    differs(
        DYNOXIDE,
        "answers of writing transactions",
        "A transaction of writes has no responses.",
        lambda it: (
            it.step.operation == "ExecuteTransaction"
            and both_answer(it, *_SHARED)
            and it.ours.members["Responses"] == []
        ),
    ),
    differs(
        DYNOXIDE,
        "reasons after the first of a statement",
        "Every statement of a transaction has its reason; it stops at the first that failed.",
        _stops_early,
    ),
    differs(
        DYNOXIDE,
        "the item that failed a statement",
        "ReturnValuesOnConditionCheckFailure is ignored in statements.",
        lambda it: it.member == "Item" and it.ours.code == "ConditionalCheckFailedException",
    ),
    differs(
        DYNOXIDE,
        "what is not there in a statement",
        "A missing attribute differs from every value, in a FilterExpression and in WHERE.",
        lambda it: both_answer(it, "Items") and bool(re.search("<>|NOT", request_text(it))),
        CHOSEN,
    ),
    differs(
        DYNOXIDE,
        "a value before the attribute",
        "`1 <= a` is the same as `a >= 1`; it takes it for a missing attribute.",
        lambda it: (
            it.member in ("outcome", *_SHARED, "Reasons", "Items")
            and bool(re.search(r"(\?|[0-9']|>>|\]|\}|true|false|NULL) (=|<>|<=?|>=?) [\"a-z]", request_text(it)))
        ),
    ),
    differs(
        DYNOXIDE,
        "the cost of several queries",
        "IN on the partition key is a query for each value; it counts one read of all.",
        lambda it: both_answer(it, "ConsumedCapacity"),
        CHOSEN,
    ),
)
