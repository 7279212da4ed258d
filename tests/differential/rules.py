"""What a known difference is made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tests.differential.compare import Difference
from tests.differential.engines import DYNOXIDE, MINISTACK, MOTO

Verdict = Literal["moto is wrong", "ministack is wrong", "dynoxide is wrong", "undocumented, we chose"]
Matcher = Callable[[Difference], bool]

CHOSEN: Verdict = "undocumented, we chose"
WRONG: dict[str, Verdict] = {
    MOTO: "moto is wrong",
    MINISTACK: "ministack is wrong",
    DYNOXIDE: "dynoxide is wrong",
}
_CONDITIONS = ("ConditionExpression", "FilterExpression", "Expected", "ScanFilter", "QueryFilter")
_LATER = ("ConditionalCheckFailedException", "TransactionCanceledException", "ResourceNotFoundException")


@dataclass(frozen=True)
class Rule:
    """One known difference: which it is, and why it is no fault of ours."""

    engine: str
    name: str
    why: str
    verdict: Verdict
    matches: Matcher

    def __str__(self) -> str:
        return f"{self.engine}: {self.name}"


def unchecked(engine: str, name: str, message: str, why: str, *operations: str, documented: bool = True) -> Rule:
    """We refuse with this message; the other engine runs the request, or refuses it for what it looks at first."""

    def matches(it: Difference) -> bool:
        if it.ours.code != "ValidationException" or not re.search(message, told(it)):
            return False
        return (it.theirs.ok or it.theirs.code in _LATER) and (not operations or it.step.operation in operations)

    return Rule(engine, name, why, WRONG[engine] if documented else CHOSEN, matches)


def members_by_text(engine: str) -> Rule:
    """Numbers in sets that are spelled in two ways; a second engine has to be with us."""

    def matches(it: Difference) -> bool:
        changed = it.seconded and it.step.operation == "UpdateItem" and it.member in ("contents", "Attributes")
        return changed and re.search(r"'NS': \[[^]]*\d\.\d*0'", request_text(it)) is not None

    why = "1.5 and 1.50 are one number: DELETE takes it out of a set and ADD does not add it, however it is spelled."
    return differs(engine, "members of sets by their text", why, matches)


def table_first(engine: str) -> Rule:
    """A request that could never run is refused here before a table is looked for."""
    return Rule(
        engine,
        "faults of a request for a table that is not there",
        "A request that could never run is refused as such, whatever tables there are; it looks for the table first.",
        CHOSEN,
        lambda it: it.ours.code == "ValidationException" and it.theirs.code == "ResourceNotFoundException",
    )


def condition_first(engine: str) -> Rule:
    """An update with a value that no key of an index can have is refused here before its condition is looked at."""
    return Rule(
        engine,
        "values of index keys before conditions",
        "A value that no key of an index can have is told whatever the item holds, as in a put or a transaction; it "
        "looks at the condition of an update first.",
        CHOSEN,
        lambda it: (
            it.step.operation == "UpdateItem"
            and it.theirs.code == "ConditionalCheckFailedException"
            and bool(re.search("Type mismatch for Index Key|update a secondary index key", it.ours.message))
        ),
    )


def made_to_remove(it: Difference) -> bool:
    """An update that only removes made an item there, which has nothing but its key."""
    if it.member == "contents":
        gaps = it.theirs.members["Contents"]
        return bool(gaps) and all(only_keys_more(gap) for gap in gaps)
    if not both_answer(it, "Attributes") or it.ours.members["Attributes"]:
        return False
    made = it.theirs.members["Attributes"] or {}
    return {name for name, value in made.items() if any(value.values())} <= {"pk", "sk"}


def only_keys_more(gap: Any) -> bool:
    """Contents that differ by items there that have nothing but their keys."""
    _, _, _, missing, _, extra = gap
    return not missing and all(isinstance(item, dict) and item.keys() <= {"pk", "sk"} for item in extra)


def lacks_and_passes(it: Difference) -> bool:
    """NOT_CONTAINS in Expected of an attribute that is not there: it fails here, and passes there."""
    failed = it.ours.code == "ConditionalCheckFailedException" and it.theirs.ok
    return failed and "NOT_CONTAINS" in str(it.step.params.get("Expected"))


def only_first_fault(it: Difference) -> bool:
    """A transaction whose first invalid action is our only reason, and that they judge further."""
    if it.member not in ("Reasons", "ReasonItems") or it.ours.code != "TransactionCanceledException":
        return False
    ours = it.ours.members["Reasons"]
    return sorted(set(ours)) == ["None", "ValidationError"] and ours.count("ValidationError") == 1


def told(it: Difference) -> str:
    """Our message, without the envelope that the writes of a single item have."""
    return re.sub("^1 validation error detected: (?!Value ('|null|at )|Failed)", "", it.ours.message)


def differs(engine: str, name: str, why: str, matches: Matcher, verdict: Verdict | None = None) -> Rule:
    """Any other difference."""
    return Rule(engine, name, why, verdict or WRONG[engine], matches)


def both_answer(it: Difference, *members: str) -> bool:
    return it.ours.ok and it.theirs.ok and it.member in members


def request_text(it: Difference) -> str:
    return str(it.step.params)


def index_of(it: Difference) -> Any:
    """The index a query or scan reads, if any."""
    name, of = it.step.params.get("IndexName"), str(it.step.params.get("TableName")).rpartition("/")[2]
    indexes = (index for table in it.tables if table.name == of for index in table.indexes)
    return next((index for index in indexes if index.name == name), None)


def narrow_local_index(it: Difference) -> bool:
    """A local index that does not hold all attributes."""
    index = index_of(it)
    return index is not None and index.local and not index.full


def has_sort_key(it: Difference) -> bool:
    return any(table.name == it.step.params.get("TableName") and len(table.keys) == 2 for table in it.tables)


def odd_number(it: Difference) -> bool:
    """A number in another spelling where keys are numbers; a second engine has to be with us."""
    return it.seconded and odd_text(it)


def odd_text(it: Difference) -> bool:
    """A number key that is not in its shortest spelling, in a table with a number for a key."""
    numeric = any(kind == "N" for table in it.tables for _, kind in table.keys)
    return numeric and any(f"'N': '{text}'" in request_text(it) for text in ("1.0", "2E0"))


def long_number(it: Difference) -> bool:
    return bool(re.search(r"\d{25}|E[+-]?\d\d", str(it.ours) + str(it.theirs) + request_text(it)))


def sizes_of_texts(engine: str, units: str) -> Rule:
    """Texts with letters beyond ASCII, shown or, if a second engine is with us, only looked at."""

    def matches(it: Difference) -> bool:
        return "size(" in request_text(it) and (it.seconded or not f"{it.ours}{it.theirs}".isascii())

    why = (
        f"size() of a string is 'the length of the string': UTF-16 units here, as AWS was seen to count; {units} there."
    )
    return differs(engine, "length of a string", why, matches, CHOSEN)


def no_last_page(it: Difference) -> bool:
    """It ends at the last item where DynamoDB has to look once more."""
    if it.step.operation not in ("Query", "Scan") or not both_answer(it, "Scanned", "Last", "ConsumedCapacity"):
        return False
    ours, theirs = it.ours.members["Scanned"], it.theirs.members["Scanned"]
    return bool(ours == [*theirs, 0])


def other_truth(it: Difference) -> bool:
    """A condition that holds for one and not for the other; a second engine has to be with us."""
    if not it.seconded or not any(member in request_text(it) for member in _CONDITIONS):
        return False
    if both_answer(it, "Items", "Count", "Order", "Scanned", "Last", "ConsumedCapacity"):
        return bool(it.ours.members["Count"] != it.theirs.members["Count"])
    failures = {"ConditionalCheckFailedException", "TransactionCanceledException"}
    if it.member in ("outcome", "code"):
        return bool({it.ours.code, it.theirs.code} & failures)
    return it.member in ("Reasons", "ReasonItems") and it.step.operation == "TransactWriteItems"


def static_fault_cancels(it: Difference) -> bool:
    if it.step.operation == "TransactWriteItems" and "ValidationError" in it.theirs.members.get("Reasons", []):
        return it.ours.code == "ValidationException"
    static = "^(Invalid (Condition|Update)Expression|ExpressionAttribute|Value provided in|The parameter|Input coll)"
    if it.member != "code" or it.step.operation != "TransactWriteItems" or not re.search(static, told(it)):
        return False
    return it.theirs.code == "TransactionCanceledException"


def in_indexes_alone(it: Difference) -> bool:
    """Contents that differ in indexes and not in tables."""
    return it.member == "contents" and all(gap[1] != "table" for gap in it.theirs.members["Contents"])


def no_validation_reason(it: Difference) -> bool:
    """A transaction's action that we find invalid, and they do not."""
    if it.step.operation != "TransactWriteItems" or it.ours.code != "TransactionCanceledException":
        return False
    ours = it.ours.members["Reasons"]
    theirs = it.theirs.members["Reasons"] if not it.theirs.ok else ["None"] * len(ours)
    if len(ours) != len(theirs) or it.member not in ("Reasons", "ReasonItems", "outcome"):
        return False
    found = ("None", "ConditionalCheckFailed")
    passed = [one == "ValidationError" and two in found for one, two in zip(ours, theirs, strict=True)]
    # An item comes with the condition that failed instead.
    both = zip(it.ours.members[it.member], it.theirs.members[it.member], strict=True) if it.member != "outcome" else ()
    return all(one == two or there for one, two, there in zip(ours, theirs, passed, strict=True)) and all(
        one == two or there for (one, two), there in zip(both, passed, strict=False)
    )
