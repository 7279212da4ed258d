"""Where ministack differs, and why: it checks little, and reads PartiQL by patterns."""

from __future__ import annotations

import re

from tests.differential.checks import lacking
from tests.differential.compare import Difference
from tests.differential.engines import MINISTACK
from tests.differential.rules import (
    CHOSEN,
    Rule,
    both_answer,
    condition_first,
    differs,
    has_sort_key,
    index_of,
    lacks_and_passes,
    long_number,
    made_to_remove,
    members_by_text,
    narrow_local_index,
    no_validation_reason,
    odd_number,
    odd_text,
    only_first_fault,
    only_keys_more,
    other_truth,
    request_text,
    sizes_of_texts,
    static_fault_cancels,
    table_first,
    unchecked,
)


def _left_out(it: Difference) -> bool:
    """An item of which nothing is projected is missing there."""
    if it.step.operation != "BatchGetItem" or not both_answer(it, "Responses"):
        return False
    ours, theirs = it.ours.members["Responses"], it.theirs.members["Responses"]
    return all([item for item in ours[name] if item] == theirs.get(name) for name in ours)


def _other_reasons(it: Difference) -> bool:
    """Reasons that differ where one of the two finds an action invalid."""
    if it.member != "Reasons" or it.ours.code != it.theirs.code:
        return False
    pairs = zip(it.ours.members["Reasons"], it.theirs.members["Reasons"], strict=False)
    return "ValidationError" in {code for pair in pairs if pair[0] != pair[1] for code in pair}


def _other_index(it: Difference) -> bool:
    """Items of an index, alone or as a query or scan finds them; then a second engine has to be with us."""
    if it.member == "contents":
        # A transaction may make an item only to remove from it as well.
        removes = bool(re.search("REMOVE|DELETE", request_text(it), re.IGNORECASE))
        gaps = it.theirs.members["Contents"]
        return all(gap[1] != "table" or (removes and only_keys_more(gap)) for gap in gaps)
    read = both_answer(it, "Items", "Count", "Scanned", "Last", "Order")
    index = index_of(it)
    # Others put what an index cannot hold into one that is made late, too.
    return read and index is not None and (it.seconded or index.name.startswith("late-"))


def _unmet_by_all(it: Difference) -> bool:
    """A legacy filter with OR that lets fewer items through there."""
    legacy = "QueryFilter" in it.step.params or "ScanFilter" in it.step.params
    if (
        not legacy
        or it.step.params.get("ConditionalOperator") != "OR"
        or not both_answer(it, "Items", "Count", "Order")
    ):
        return False
    ours, theirs = it.ours.members, it.theirs.members
    fewer = all(item in (ours["Items"] or ()) for item in theirs["Items"] or ())
    return bool(ours["Scanned"] == theirs["Scanned"] and ours["Count"] > theirs["Count"] and fewer)


def _untouched_index_key(it: Difference) -> bool:
    """It refuses an update because of what the item had before its index was made."""
    found = re.search(r"Type mismatch for Index Key (\w+) |Condition parameter type does not match", it.theirs.message)
    if not (found and it.ours.ok and it.seconded and it.step.operation == "UpdateItem"):
        return False
    later = {
        name
        for table in it.tables
        for index in table.indexes
        if index.name.startswith("late-")
        for name, _ in index.keys
    }
    untouched = {name for name in later if name not in request_text(it)}
    return bool({found[1]} & untouched if found[1] else untouched)


_MADE = (
    *("types of index keys", "types in key conditions", "types of keys", "empty values in key conditions"),
    *("redundant parentheses", "repeated keys", "one item twice in a transaction"),
)
"""What it checks as DynamoDB does."""

MINISTACK_RULES: tuple[Rule, ...] = (
    members_by_text(MINISTACK),
    differs(
        MINISTACK,
        "numbers as they were written",
        "DynamoDB has one spelling for a number (`1E-130` is written out); it stores the text.",
        lambda it: it.member == "spelling",
    ),
    differs(
        MINISTACK,
        "answers 500",
        "An internal error is never DynamoDB's answer to a request, right or wrong.",
        lambda it: it.theirs.crashed,
    ),
    differs(
        MINISTACK,
        "items made only to remove from them",
        "An update that only removes does not create the item it finds missing.",
        made_to_remove,
    ),
    differs(
        MINISTACK,
        "the first fault of a transaction",
        "All actions are validated before any condition is looked at, and the first invalid one is the only reason.",
        only_first_fault,
        CHOSEN,
    ),
    differs(
        MINISTACK,
        "numbers in keys by their text",
        "1, 1.0 and 1E0 are the same key; it keeps an item for each. (A second engine has to agree with us for this "
        "rule to hold.)",
        # dynoxide, the other one that knows, differs in these reads of its own accord.
        lambda it: (
            odd_number(it)
            or (it.step.operation == "Query" and not has_sort_key(it) and odd_text(it))
            or (it.step.operation == "TransactGetItems" and odd_text(it))
            or (it.ours.message == "Provided list of item keys contains duplicates" and it.theirs.ok and odd_text(it))
        ),
    ),
    differs(
        MINISTACK,
        "what a local index does not hold",
        "A query or scan of a local index that asks for attributes the index does not hold reads them from the table; "
        "it does not.",
        lambda it: narrow_local_index(it) and both_answer(it, "Items", "Count", "Order", "Scanned", "Last"),
    ),
    differs(
        MINISTACK,
        "NOT_CONTAINS of what is not there",
        "A missing attribute fails NOT_CONTAINS in Expected; it passes there.",
        lacks_and_passes,
        CHOSEN,
    ),
    differs(
        MINISTACK,
        "legacy filters with OR",
        "ConditionalOperator OR lets one condition of QueryFilter or ScanFilter suffice; it asks for all.",
        _unmet_by_all,
    ),
    differs(
        MINISTACK,
        "updates of items that an index cannot hold",
        "An item that was there before an index, with a key that the index cannot have, stays in the table, and may be "
        "updated in its other attributes; it refuses every update. (A second engine has to agree with us for this rule "
        "to hold.)",
        _untouched_index_key,
        CHOSEN,
    ),
    differs(
        MINISTACK,
        "the item that failed a condition",
        "ReturnValuesOnConditionCheckFailure gives the item; it forgets it where IN meets values of several types.",
        lambda it: it.member == "Item" and it.ours.code == "ConditionalCheckFailedException" and it.seconded,
    ),
    differs(
        MINISTACK,
        "operands of other types",
        "begins_with takes strings and binaries, and finds nothing where the attribute is of another type; it refuses "
        "that. (A second engine has to agree with us for this rule to hold.)",
        lambda it: it.ours.ok and it.seconded and "Incorrect operand type" in it.theirs.message,
        CHOSEN,
    ),
    differs(
        MINISTACK,
        "starting keys it gave itself",
        "A LastEvaluatedKey is an ExclusiveStartKey; it refuses its own for an index.",
        lambda it: it.ours.ok and it.theirs.message.startswith("The provided starting key is invalid"),
    ),
    differs(
        MINISTACK,
        "sizes of keys in a transaction",
        "A Put with a key that is too long, and maybe of a wrong type as well, cancels a transaction; it refuses the "
        "request.",
        lambda it: (
            it.ours.code == "TransactionCanceledException"
            and "ValidationError" in it.ours.members["Reasons"]
            and bool(re.search("Aggregated size of all (range|hash) keys has exceeded", it.theirs.message))
        ),
        CHOSEN,
    ),
    differs(
        MINISTACK,
        "empty keys of a wrong type in a transaction",
        "A key that is empty and of a wrong type cancels a transaction, for its type; it refuses the request.",
        lambda it: (
            it.ours.code == "TransactionCanceledException"
            and "ValidationError" in it.ours.members["Reasons"]
            and "for a key attribute cannot contain an empty" in it.theirs.message
        ),
        CHOSEN,
    ),
    unchecked(
        MINISTACK,
        "empty keys of indexes in a transaction",
        "^One or more parameter values are not valid. A value specified for a secondary index key is not supported",
        "A key of an index is not empty, in a transaction too.",
        "TransactWriteItems",
    ),
    differs(
        MINISTACK,
        "sums of long numbers",
        "Sums are exact to 38 digits; it rounds to 28, and then the largest number overflows.",
        lambda it: (
            long_number(it)
            and (
                it.member in ("contents", "Attributes")
                or it.theirs.message.startswith("The parameter cannot be")
                or (it.ours.ok and it.theirs.message.startswith("Number overflow"))
            )
        ),
    ),
    differs(
        MINISTACK,
        "positions beyond the end of a list",
        "SET of a position beyond the end of a list appends; it fills the gap with NULL. (A second engine has to agree "
        "with us for this rule to hold.)",
        lambda it: (
            it.ours.ok
            and it.seconded
            and it.member in ("contents", "Attributes")
            and bool(re.search(r"\[\d\] *=", request_text(it)))
            and str(it.theirs).count('"NULL"') > str(it.ours).count('"NULL"')
        ),
    ),
    differs(
        MINISTACK,
        "binaries that begin with others in KeyConditions",
        "BEGINS_WITH takes strings and binaries; it finds no binaries.",
        lambda it: (
            both_answer(it, "Items", "Count", "Scanned", "Last", "Order")
            and bool(
                re.search("'BEGINS_WITH', 'AttributeValueList': \\[{'B'", str(it.step.params.get("KeyConditions")))
            )
        ),
    ),
    sizes_of_texts(MINISTACK, "bytes"),
    differs(
        MINISTACK,
        "operands in parentheses",
        "`(num) = (:v)` reads as `num = :v`; it finds something else.",
        lambda it: bool(re.search(r"\(num\)|= \(:v0\)|=\(", request_text(it))),
        CHOSEN,
    ),
    differs(
        MINISTACK,
        "lists in AttributeUpdates",
        "ADD appends to a list.",
        lambda it: "Action ADD is only supported for" in it.theirs.message,
        CHOSEN,
    ),
    differs(
        MINISTACK,
        "updated values",
        "UPDATED_NEW and UPDATED_OLD return the attributes the update names; it leaves out those that DELETE changed.",
        lambda it: both_answer(it, "Attributes") and str(it.step.params.get("ReturnValues")).startswith("UPDATED_"),
    ),
    differs(
        MINISTACK,
        "invalid actions beside unmet conditions",
        "Each action of a transaction has its reason, an unmet condition before an update that cannot be; it finds one "
        "reason, or none.",
        lambda it: no_validation_reason(it) or _other_reasons(it),
    ),
    differs(
        MINISTACK,
        "invalid actions of a transaction",
        "Changes of a key, index keys of a wrong type and paths that cannot be cancel a transaction; it does not look.",
        lambda it: (
            it.ours.code == "TransactionCanceledException"
            and it.theirs.ok
            and "ValidationError" in it.ours.members["Reasons"]
        ),
    ),
    differs(
        MINISTACK,
        "capacity is not counted",
        "It answers with a constant, or with the number of items.",
        lambda it: both_answer(it, "ConsumedCapacity"),
    ),
    differs(
        MINISTACK,
        "items without the whole key of an index",
        "An index holds the items that have its whole key, of its types; it asks for the partition key alone, and may "
        "not find its way among values of several types.",
        _other_index,
    ),
    differs(
        MINISTACK,
        "empty projections in BatchGetItem",
        "An item that has none of what is asked for is an empty one, as AWS was seen to answer; it leaves it out.",
        _left_out,
    ),
    differs(
        MINISTACK,
        "faults of expressions in a transaction",
        "A request that could never run is refused as a whole with ValidationException before any action is looked "
        "at; it cancels the transaction. The documentation names both answers without saying which is when.",
        static_fault_cancels,
        CHOSEN,
    ),
    condition_first(MINISTACK),
    table_first(MINISTACK),
    *lacking(MINISTACK, _MADE),
    *(
        unchecked(MINISTACK, name, message, why)
        for name, message, why in [
            (
                "forms of updates",
                "^Invalid UpdateExpression: |^An operand in the update expression has",
                "An update has each section once, paths that do not overlap, and values of the types they need.",
            ),
            (
                "empty lists and entries",
                "^One or more parameter values were invalid: List of |^TransactItems can only contain one of",
                "A list of indexes is not empty, and an entry of a transaction has an action.",
            ),
            (
                "what Select excludes",
                "when choosing to get|can be used only when Querying using an IndexName|Select type ",
                "Select and the list of attributes have to mean the same.",
            ),
        ]
    ),
    differs(
        MINISTACK,
        "what is not there in conditions",
        "A missing attribute equals nothing and differs from everything. (A second engine has to agree with us for "
        "this rule to hold.)",
        other_truth,
        CHOSEN,
    ),
)
