"""Where dynoxide differs, and why."""

from __future__ import annotations

import re
from typing import Any

from tests.differential.compare import Difference
from tests.differential.engines import DYNOXIDE
from tests.differential.outcomes import DIED
from tests.differential.rules import (
    CHOSEN,
    Rule,
    both_answer,
    condition_first,
    differs,
    has_sort_key,
    lacks_and_passes,
    made_to_remove,
    members_by_text,
    narrow_local_index,
    no_validation_reason,
    only_first_fault,
    request_text,
    static_fault_cancels,
    table_first,
    unchecked,
)

_WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")


def _start_not_excluded(it: Difference) -> bool:
    """A query of a table without sort key that starts after, and ends with, its only item."""
    if it.step.operation != "Query" or not (it.ours.ok and it.theirs.ok) or has_sort_key(it):
        return False
    return "endless" in it.theirs.members["Scanned"] or "ExclusiveStartKey" in it.step.params


def _key_of_the_absent(it: Difference) -> bool:
    """Old values of an item that was not there: the key alone."""
    if not both_answer(it, "Attributes") or it.ours.members["Attributes"]:
        return False
    return set(it.theirs.members["Attributes"] or {}) <= {"pk", "sk"}


def _transactional_projection(it: Difference) -> bool:
    if it.step.operation != "TransactGetItems" or not both_answer(it, "Responses"):
        return False
    return all(
        one == two or (two and two.keys() - (one or {}).keys() <= {"pk", "sk"})
        for one, two in zip(it.ours.members["Responses"], it.theirs.members["Responses"], strict=True)
    )


def _cost_of_what_it_made(it: Difference) -> bool:
    """An update that only removes, from an item that is not there and whose key alone costs more than one unit."""
    params = it.step.params
    if it.step.operation != "UpdateItem" or not both_answer(it, "ConsumedCapacity") or len(str(params["Key"])) < 1000:
        return False
    if updates := params.get("AttributeUpdates"):
        return all(update.get("Action") == "DELETE" for update in updates.values())
    return not re.search(r"\b(SET|ADD)\b", params.get("UpdateExpression", "SET"), re.IGNORECASE)


def _cost_of_what_is_not_in_it(it: Difference) -> bool:
    """Writes that cost more there, by a unit each for an index that was made after the item."""
    if it.step.operation not in _WRITES or not both_answer(it, "ConsumedCapacity"):
        return False
    ours, theirs = it.ours.members["ConsumedCapacity"], it.theirs.members["ConsumedCapacity"]
    if it.step.operation != "BatchWriteItem":
        return _costs_more_by_late_indexes(it, ours, theirs, 1)
    items = {name: len(requests) for name, requests in it.step.params["RequestItems"].items()}
    return len(ours) == len(theirs) and all(
        one == other or _costs_more_by_late_indexes(it, one, other, items[one["TableName"]])
        for one, other in zip(ours, theirs, strict=True)
    )


def _costs_more_by_late_indexes(it: Difference, ours: dict[str, Any], theirs: dict[str, Any], most: int) -> bool:
    indexes = [index.name for table in it.tables if table.name == ours["TableName"] for index in table.indexes]
    later = {name for name in indexes if name.startswith("late-")}
    if "Table" not in ours:
        return bool(0 < theirs["CapacityUnits"] - ours["CapacityUnits"] <= most * len(later))
    here, there = (each.get("GlobalSecondaryIndexes", {}) for each in (ours, theirs))
    early = {name for name in here if name not in later}
    return there.keys() - here.keys() <= later and all(there.get(name) == here[name] for name in early)


def _invalid(it: Difference) -> bool:
    return it.theirs.code == "ValidationException" or "ValidationError" in it.theirs.members.get("Reasons", [])


# What DynamoDB does, by its error messages, though its documentation does not say so; and the order of its checks.
_UNDOCUMENTED = {
    "removal below what is not there",
    "order of what has none",
    "bounds of BETWEEN",
    "an operand compared with itself",
    "a start outside the query",
    "empty values in key conditions",
    "changes of the key",
    "a name and a position of the same attribute",
    "placeholders after the condition",
    "expressions for a missing table",
    "expressions of spaces",
    "operators after the condition",
    "actions and operators by name",
    "ConditionalOperator for one condition",
}

_NOT_MADE = "An update that only removes does not create the item it finds missing."
DYNOXIDE_RULES: tuple[Rule, ...] = (
    condition_first(DYNOXIDE),
    differs(
        DYNOXIDE,
        "reads of an index that was made late",
        "Items whose index key is empty are not written to a new index, so that nobody finds them there.",
        lambda it: (
            it.step.params.get("IndexName", "").startswith("late-")
            and both_answer(it, "Items", "Count", "Scanned", "Last", "Order", "ConsumedCapacity")
        ),
    ),
    table_first(DYNOXIDE),
    differs(
        DYNOXIDE,
        "letters beyond ASCII in an expression kill it",
        "A name such as `#é` is a syntax error.",
        lambda it: it.theirs.code == DIED and "é" in request_text(it),
    ),
    differs(
        DYNOXIDE,
        "a query by partition key alone never ends",
        (
            "On a table without sort key ExclusiveStartKey is not excluded: a page that ends with the only "
            "item is followed by itself."
        ),
        _start_not_excluded,
    ),
    differs(DYNOXIDE, "items made only to remove from them", _NOT_MADE, made_to_remove),
    differs(
        DYNOXIDE,
        "the cost of items made only to remove from them",
        "What is not created does not cost what it would weigh.",
        _cost_of_what_it_made,
    ),
    differs(
        DYNOXIDE,
        "the cost of items that an index cannot hold",
        "An item with a key that a later index cannot have is not in that index, so nothing is deleted from it.",
        _cost_of_what_is_not_in_it,
    ),
    differs(
        DYNOXIDE,
        "NOT_CONTAINS of what is not there",
        "A missing attribute fails NOT_CONTAINS in Expected; it passes there.",
        lacks_and_passes,
        CHOSEN,
    ),
    differs(
        DYNOXIDE,
        "the first fault of a transaction",
        "All actions are validated before any condition is looked at, and the first invalid one is the only reason.",
        only_first_fault,
        CHOSEN,
    ),
    differs(
        DYNOXIDE,
        "old values of an item that was not there",
        "ALL_OLD is the item as it appeared before the update, and before there was none. It returns the key.",
        _key_of_the_absent,
    ),
    differs(
        DYNOXIDE,
        "projections in TransactGetItems",
        "It adds the key to what was asked for: 'if the requested item has no projected attributes, the corresponding "
        "ItemResponse object is an empty Map'.",
        _transactional_projection,
    ),
    differs(
        DYNOXIDE,
        "what a local index does not hold",
        "A query or scan of a local index that asks for attributes the index does not hold reads them from the "
        "table; it does not "
        "always, its filters do not see them, and its scans count capacity for the table instead of the index.",
        lambda it: (
            (narrow_local_index(it) and both_answer(it, "Items", "Count", "Order", "ConsumedCapacity"))
            or (it.step.params.get("IndexName") == "local-0" and both_answer(it, "ConsumedCapacity"))
        ),
    ),
    differs(
        DYNOXIDE,
        "faults of expressions in a transaction",
        "A request that could never run is refused as a whole with ValidationException before any action is "
        "looked at; it cancels "
        "the transaction. The documentation names both answers without saying which is when.",
        static_fault_cancels,
        CHOSEN,
    ),
    differs(
        DYNOXIDE,
        "invalid updates in a transaction",
        "REMOVE below what is not there and changes of key attributes are no reason for it to cancel a "
        "transaction, or only "
        "after the condition.",
        lambda it: no_validation_reason(it) and "'UpdateExpression'" in request_text(it),
    ),
    differs(
        DYNOXIDE,
        "the key's conditions in either order",
        (
            "The order of the terms of a key condition does not matter; it takes the first equality for the "
            "partition key's."
        ),
        lambda it: it.ours.ok and it.theirs.message.startswith("Query condition missed key schema element"),
    ),
    differs(
        DYNOXIDE,
        "a missing table beside a fault in another",
        "All tables of a batch are looked for before their items are looked at; it takes table by table, in any order.",
        lambda it: (
            it.step.operation in ("BatchWriteItem", "BatchGetItem")
            and it.member == "code"
            and it.ours.code == "ResourceNotFoundException"
            and it.theirs.code == "ValidationException"
            and len(it.step.params["RequestItems"]) > 1
        ),
        CHOSEN,
    ),
    differs(
        DYNOXIDE,
        "positions beyond the end of a list",
        "SET or ADD of a position beyond the end of a list appends; it fills the gap with NULL.",
        lambda it: (
            it.ours.ok
            and (it.theirs.ok or it.member == "contents")
            and bool(re.search(r"UpdateExpression': '[^']*\[", request_text(it)))
            and "NULL" in str(it.theirs)
        ),
    ),
    differs(
        DYNOXIDE,
        "capacity of a projected item",
        "A read is charged by the size of the item, not by that of what is projected.",
        lambda it: (
            both_answer(it, "ConsumedCapacity")
            and ("ProjectionExpression" in request_text(it) or "AttributesToGet" in request_text(it))
        ),
    ),
    differs(
        DYNOXIDE,
        "capacity of a scan",
        "A scan of a new table on demand is one of four partitions, each rounded up; it rounds once.",
        lambda it: it.step.operation == "Scan" and both_answer(it, "ConsumedCapacity"),
        CHOSEN,
    ),
    differs(
        DYNOXIDE,
        "operands in parentheses",
        "`(num) = (:v)` reads as `num = :v`; it does not take it.",
        lambda it: (
            (bool(re.search(r"\(num\)|= \(:v0\)", request_text(it))) and _invalid(it))
            or it.theirs.message.endswith("Expected operand, got (")
        ),
        CHOSEN,
    ),
    differs(
        DYNOXIDE,
        "values of list elements",
        "UPDATED_OLD and UPDATED_NEW return 'only the updated attributes': of a list, the elements that were removed "
        "or set; it returns the whole list where one is removed or appended.",
        lambda it: (
            both_answer(it, "Attributes")
            and str(it.step.params.get("ReturnValues")).startswith("UPDATED_")
            and "[" in str(it.step.params.get("UpdateExpression"))
        ),
        CHOSEN,
    ),
    differs(
        DYNOXIDE,
        "REMOVE as a name",
        "REMOVE is not among the reserved words, so it may name an attribute.",
        lambda it: it.ours.ok and it.theirs.message.endswith("got REMOVE"),
    ),
    members_by_text(DYNOXIDE),
    differs(
        DYNOXIDE,
        "negative numbers",
        "A Limit or Segment below its minimum is a ValidationException, not a SerializationException.",
        lambda it: it.theirs.code == "SerializationException" and "expected usize" in it.theirs.message,
    ),
    differs(
        DYNOXIDE,
        "sets in legacy conditions",
        "A set without members, or with one twice, is refused in Expected as everywhere; it looks at the condition.",
        lambda it: (
            "Expected" in it.step.params
            and it.ours.code == "ValidationException"
            and bool(
                re.search(
                    "set  may not be empty|Binary sets should not be empty|Input collection .*contains duplicates",
                    it.ours.message,
                )
            )
            and it.theirs.code in (None, "ConditionalCheckFailedException")
        ),
    ),
    differs(
        DYNOXIDE,
        "a member of a set in another spelling",
        "3 and 3.0 are one number, which ADD does not add again; it refuses the update.",
        lambda it: (
            it.ours.ok
            and it.theirs.message == "Input collection contains duplicates"
            and bool(re.search(r"'NS': \[[^]]*(\.\d*0|[eE])", request_text(it)))
        ),
    ),
    unchecked(
        DYNOXIDE,
        "invalid updates and values in a transaction pass",
        (
            "^Invalid UpdateExpression: (Incorrect operand|Two document paths)|"
            "^ExpressionAttributeValues contains invalid|^ExpressionAttribute(Names|Values) can only be specified"
        ),
        (
            "ADD and DELETE take numbers and sets, paths must not overlap, values must be such, and placeholders need "
            "an expression; in a transaction it does not look."
        ),
        "TransactWriteItems",
    ),
    *(
        unchecked(DYNOXIDE, name, message, why, documented=name not in _UNDOCUMENTED)
        for name, message, why in [
            (
                "projection of what a global index lacks",
                "^One or more .* Global secondary index .* does not project",
                "'You can only request attributes that are projected into the index': it answers without them.",
            ),
            (
                "removal below what is not there",
                "^The document path provided in the update expression is invalid for update",
                (
                    "REMOVE of a path whose parent is missing is invalid for update, as SET is; it removes "
                    "nothing and goes on."
                ),
            ),
            (
                "order of what has none",
                "Incorrect operand type for operator or function; operator or function: (<|>|BETWEEN|begins_with)",
                (
                    "Comparisons take strings, numbers and binaries, begins_with strings and binaries; it "
                    "takes all types and finds nothing."
                ),
            ),
            (
                "type names",
                "Invalid attribute type name found|operator or function: attribute_type, operand type",
                "attribute_type takes one of ten names as a string; it takes any operand and finds nothing.",
            ),
            (
                "bounds of BETWEEN",
                "The BETWEEN (operator requires|condition was provided a range)",
                "An upper bound below the lower one, or of another type, is refused by DynamoDB; it finds nothing.",
            ),
            (
                "an operand compared with itself",
                "The first operand must be distinct from the remaining operands",
                "DynamoDB refuses it.",
            ),
            (
                "a start outside the query",
                "The provided (exclusive start|starting) key (is outside|does not|is invalid)|cannot be restarted",
                "ExclusiveStartKey must lie within the key condition; it answers with an empty page.",
            ),
            (
                "empty values in key conditions",
                "The AttributeValue for a key attribute cannot contain an empty",
                "A key attribute cannot be empty, so neither can what it is compared with; it finds nothing.",
            ),
            (
                "types in key conditions",
                "Condition parameter type does not match schema type",
                "A key condition's value must have the key's type; it finds nothing.",
            ),
            (
                "changes of the key",
                "Cannot update attribute .* This attribute is part of the key",
                "An update that names a key attribute is refused before its condition is looked at.",
            ),
            (
                "table names by length",
                "^TableName must be at least 3 characters long",
                "A name that cannot be one is refused as such; it looks for the table.",
            ),
            (
                "types in legacy conditions",
                (
                    "ComparisonOperator .* is not valid for .* AttributeValue type|AttributeValueList must be of same "
                    "type|AttributeValueList can only be used with a ComparisonOperator"
                ),
                "Each comparison operator names the types it takes; it evaluates Expected without looking.",
            ),
            (
                "numbers in legacy conditions",
                (
                    "^(Attempting to store more than 38|Number (over|under)flow|The parameter cannot be "
                    "converted)|Input collection .*contains duplicates|An number set  may not be empty"
                ),
                "A number that cannot be is refused in Expected as everywhere.",
            ),
            (
                "AttributesToGet and Select",
                "^Cannot specify the AttributesToGet when choosing to get",
                (
                    "Select other than SPECIFIC_ATTRIBUTES excludes a list of attributes; it checks "
                    "ProjectionExpression only."
                ),
            ),
            (
                "ConditionalOperator for one condition",
                "ConditionalOperator can(not| only) be used",
                "It takes more than one condition to combine.",
            ),
            (
                "a name and a position of the same attribute",
                "Two document paths conflict with each other",
                "`arr[0]` and `arr.x` cannot both be; it checks for overlaps only.",
            ),
            (
                "functions in any case",
                "Invalid function name; function: (Size|ATTRIBUTE_EXISTS)",
                "Function names are case-sensitive.",
            ),
            (
                "empty attribute names",
                "Empty attribute name",
                "Attribute names are at least one character long, inside maps as well.",
            ),
            (
                "capacity of an index",
                "ProvisionedThroughput (must be|is not) specified for index",
                "Each global index of a provisioned table needs its own throughput.",
            ),
            ("streams without a view", "UpdateViewType is required", "An enabled stream needs a view type."),
            (
                "placeholders after the condition",
                (
                    "^Value provided in ExpressionAttribute|^ExpressionAttributeValues contains invalid "
                    "value|^ExpressionAttribute(Names|Values) contains invalid key|expression is not defined|"
                    "path is not defined"
                ),
                (
                    "A request with unused or undefined placeholders is refused before anything is read; it "
                    "evaluates the condition first."
                ),
            ),
            (
                "expressions for a missing table",
                "^Invalid ProjectionExpression: |is not an indexable operation",
                "An expression or key condition that could never be is refused before the table is looked for.",
            ),
            (
                "operators after the condition",
                "The expression contains too many operators",
                (
                    "A request with more than 300 operators is refused before anything is read; it evaluates "
                    "the condition."
                ),
            ),
            (
                "sizes of index keys",
                "Aggregated size of all range keys has exceeded",
                "A sort key of an index has at most 1024 bytes, also where it is the partition key of the table.",
            ),
            (
                "two requests in one of a batch",
                "^Supplied AttributeValue has more than one datatypes set",
                "An entry of a BatchWriteItem is a put or a deletion; it takes one and forgets the other.",
            ),
            (
                "repeated keys",
                "^Provided list of item keys contains duplicates",
                "1 and 1.0 are the same key; in BatchGetItem it compares texts.",
            ),
            (
                "expressions of spaces",
                "^Invalid UpdateExpression: The expression can not be empty",
                "Spaces are no expression.",
            ),
            (
                "NULL that is not true",
                "Null attribute value types must have the value of true",
                "NULL takes true only, inside maps and lists of a condition as well.",
            ),
            (
                "actions and operators by name",
                "(member.action|conditionalOperator)' failed to satisfy constraint: Member must satisfy enum value set",
                "An unknown action or operator is refused before the condition is looked at.",
            ),
            (
                "ConditionalOperator beside expressions",
                "^Can not use both .* Non-expression parameters: {ConditionalOperator}",
                "ConditionalOperator is a legacy parameter and does not go with expressions.",
            ),
            (
                "an empty AttributesToGet",
                "attributesToGet' failed to satisfy constraint: Member must have length greater than or equal to 1",
                "The list has at least one name.",
            ),
        ]
    ),
)
