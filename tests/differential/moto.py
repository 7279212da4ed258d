"""Where moto's server differs, and why: simplifications, mostly, that tests of applications seldom meet."""

from __future__ import annotations

import re

from tests.differential.compare import Difference
from tests.differential.engines import MOTO
from tests.differential.rules import (
    CHOSEN,
    Rule,
    both_answer,
    differs,
    made_to_remove,
    narrow_local_index,
    only_first_fault,
    request_text,
    told,
    unchecked,
)

_CONDITIONS = ("ConditionExpression", "FilterExpression", "Expected", "ScanFilter", "QueryFilter")


def _no_last_page(it: Difference) -> bool:
    """It ends at the last item where DynamoDB has to look once more."""
    if it.step.operation not in ("Query", "Scan") or not both_answer(it, "Scanned", "Last", "ConsumedCapacity"):
        return False
    ours, theirs = it.ours.members["Scanned"], it.theirs.members["Scanned"]
    return bool(ours == [*theirs, 0])


def _whole_item(it: Difference) -> bool:
    """It answers with whole items where attributes were chosen."""
    if "AttributesToGet" not in request_text(it) and it.step.operation != "TransactGetItems":
        return False
    return both_answer(it, "Item", "Items", "Order", "Responses")


def _limit_counts_matches(it: Difference) -> bool:
    """The same items in other pages."""
    if not both_answer(it, "Scanned", "Last", "ConsumedCapacity") or "Limit" not in it.step.params:
        return False
    return sum(it.ours.members["Scanned"]) == sum(it.theirs.members["Scanned"]) and "Filter" in request_text(it)


def _odd_number(it: Difference) -> bool:
    """A number key that is not in its shortest spelling, in a table with a number for a key."""
    numeric = any(kind == "N" for table in it.tables for _, kind in table.keys)
    return numeric and it.seconded and any(f"'N': '{text}'" in request_text(it) for text in ("1.0", "2E0"))


def _long_number(it: Difference) -> bool:
    return bool(re.search(r"\d{25}|E[+-]?\d\d", str(it.ours) + str(it.theirs) + request_text(it)))


def _named_after_python(it: Difference) -> bool:
    if it.theirs.code != "TransactionCanceledException":
        return False
    known = {
        "None",
        "ConditionalCheckFailed",
        "ValidationError",
        "ItemCollectionSizeLimitExceeded",
        "TransactionConflict",
    }
    return bool(set(it.theirs.members["Reasons"]) - known)


def _refused_whole(it: Difference) -> bool:
    return (
        it.step.operation == "TransactWriteItems"
        and it.ours.code == "TransactionCanceledException"
        and "ValidationError" in it.ours.members["Reasons"]
        and it.theirs.code == "ValidationException"
    )


def _other_truth(it: Difference) -> bool:
    """A condition that holds for one and not for the other; a second engine has to be with us."""
    if not it.seconded or not any(member in request_text(it) for member in _CONDITIONS):
        return False
    if both_answer(it, "Items", "Count", "Order", "Scanned", "Last", "ConsumedCapacity"):
        return bool(it.ours.members["Count"] != it.theirs.members["Count"])
    failures = {"ConditionalCheckFailedException", "TransactionCanceledException"}
    if it.member in ("outcome", "code"):
        return bool({it.ours.code, it.theirs.code} & failures)
    return it.member in ("Reasons", "ReasonItems") and it.step.operation == "TransactWriteItems"


# What DynamoDB does, by its error messages, though its documentation does not say so; and the order of its checks.
_UNDOCUMENTED = {
    "bounds of BETWEEN",
    "an operand compared with itself",
    "empty values in key conditions",
    "a start outside the query",
    "redundant parentheses",
    "repeated names",
    "changes of the key",
    "operand types",
    "ConditionalOperator for one condition",
}

_NOT_MADE = "An update that only removes does not create the item it finds missing."
MOTO_RULES: tuple[Rule, ...] = (
    differs(
        MOTO,
        "answers 500",
        "An internal error is never DynamoDB's answer to a request, right or wrong.",
        lambda it: it.theirs.crashed,
    ),
    differs(
        MOTO,
        "contents that cannot be read",
        "An index over an attribute that holds another type, or a large number, cannot be scanned any more.",
        lambda it: it.member == "contents" and "cannot be read" in str(it.theirs.members["Contents"]),
    ),
    differs(MOTO, "items made only to remove from them", _NOT_MADE, made_to_remove),
    differs(
        MOTO,
        "NOT_CONTAINS of what is not there",
        "A missing attribute fails NOT_CONTAINS in Expected; it passes there.",
        lambda it: (
            it.ours.code == "ConditionalCheckFailedException"
            and it.theirs.ok
            and "NOT_CONTAINS" in str(it.step.params.get("Expected"))
        ),
        CHOSEN,
    ),
    differs(
        MOTO,
        "the first fault of a transaction",
        "All actions are validated before any condition is looked at, and the first invalid one is the only reason.",
        only_first_fault,
        CHOSEN,
    ),
    differs(
        MOTO,
        "removal from an item that is not there",
        "REMOVE of a nested path does nothing if the whole item is missing; it is an error to it.",
        lambda it: it.ours.ok and it.theirs.message.startswith("The document path provided in the update expression"),
        CHOSEN,
    ),
    differs(
        MOTO,
        "numbers in keys by their text",
        (
            "1, 1.0 and 1E0 are the same key; it keeps an item for each. (A second engine has to agree with us "
            "for this rule to hold.)"
        ),
        _odd_number,
    ),
    differs(
        MOTO,
        "Limit counts what a filter lets through",
        "Limit is 'the maximum number of items to evaluate (not necessarily the number of matching items)'.",
        _limit_counts_matches,
    ),
    differs(
        MOTO,
        "what a local index does not hold",
        (
            "A query or scan of a local index that asks for attributes the index does not hold reads them from "
            "the table; it does not."
        ),
        lambda it: narrow_local_index(it) and both_answer(it, "Items", "Count", "Order"),
    ),
    differs(
        MOTO,
        "values in AttributeUpdates",
        "It stores binaries, booleans and NULL as strings, and a set without members where the last was "
        "deleted. (A second "
        "engine has to agree with us for this rule to hold.)",
        lambda it: "AttributeUpdates" in it.step.params and it.seconded and it.member in ("Attributes", "contents"),
    ),
    differs(
        MOTO,
        "no last empty page",
        "A page that ends because of Limit has a LastEvaluatedKey, also after the last item: 'if "
        "LastEvaluatedKey is not empty, it does "
        "not necessarily mean that there is more data'.",
        _no_last_page,
    ),
    differs(
        MOTO,
        "capacity is not counted",
        "It answers with a constant, also where nobody asked.",
        lambda it: both_answer(it, "ConsumedCapacity"),
    ),
    differs(
        MOTO,
        "numbers as they were written",
        "DynamoDB has one spelling for a number (`1E2` becomes `100`); it stores the text.",
        lambda it: it.member == "spelling",
    ),
    differs(
        MOTO,
        "attributes are not chosen",
        "AttributesToGet, and projections of nested attributes in TransactGetItems, are ignored: the item comes whole.",
        _whole_item,
    ),
    differs(
        MOTO,
        "Expected of DeleteItem is ignored",
        "It deletes whatever is there.",
        lambda it: (
            it.step.operation == "DeleteItem"
            and "Expected" in it.step.params
            and it.member == "outcome"
            and it.theirs.ok
        ),
    ),
    differs(
        MOTO,
        "the item that failed Expected",
        "ReturnValuesOnConditionCheckFailure is ignored with Expected.",
        lambda it: it.member == "Item" and "Expected" in it.step.params and it.theirs.members["Item"] is None,
    ),
    differs(
        MOTO,
        "updated values",
        "UPDATED_NEW and UPDATED_OLD return the attributes the update names, old or new; it compares the items "
        "before and after, adds the "
        "key of a new item and leaves out what the update did not change.",
        lambda it: both_answer(it, "Attributes") and str(it.step.params.get("ReturnValues")).startswith("UPDATED_"),
    ),
    differs(
        MOTO,
        "reasons named after Python's errors",
        "A cancellation reason is one of a few documented codes, not AssertionError.",
        _named_after_python,
    ),
    differs(
        MOTO,
        "invalid updates refuse a transaction whole",
        "'The document path provided in the update expression is invalid for update' and the like are "
        "cancellation reasons "
        "(ValidationError) of a transaction.",
        _refused_whole,
    ),
    differs(
        MOTO,
        "changes of the key in a transaction",
        (
            "An update that names a key attribute is invalid whether its condition holds or not; it looks at "
            "the condition first."
        ),
        lambda it: (
            it.member in ("Reasons", "ReasonItems")
            and "ValidationError" in it.ours.members["Reasons"]
            and "UpdateExpression" in request_text(it)
            and it.theirs.code == "TransactionCanceledException"
        ),
        CHOSEN,
    ),
    differs(
        MOTO,
        "types of index keys in a transaction",
        "A Put with an empty index key, or one of a wrong type, cancels a transaction.",
        lambda it: (
            it.ours.code == "TransactionCanceledException"
            and it.theirs.ok
            and "ValidationError" in it.ours.members["Reasons"]
        ),
    ),
    differs(
        MOTO,
        "placeholders of nested projections",
        "`#arr[0]` uses `#arr`; it says it is unused.",
        lambda it: (
            it.ours.code in (None, "ResourceNotFoundException")
            and it.theirs.message.startswith("Value provided in ExpressionAttributeNames unused")
        ),
    ),
    differs(
        MOTO,
        "a value before the key in a key condition",
        "`:low < sk` is the same as `sk > :low`.",
        lambda it: it.ours.ok and "Multiple attribute names used in one condition" in it.theirs.message,
    ),
    differs(
        MOTO,
        "a key condition in parentheses or in another order",
        "The order of the terms of a key condition does not matter, nor do parentheses.",
        lambda it: it.ours.ok and it.theirs.message.startswith("Query condition missed key schema element"),
    ),
    differs(
        MOTO,
        "size of what is not there",
        "size() of a missing attribute makes a condition false, not the request invalid.",
        lambda it: (
            "size(" in request_text(it)
            and it.theirs.message.startswith("Bad Filter Expression: Invalid attribute name")
        ),
        CHOSEN,
    ),
    differs(
        MOTO,
        "indexes that are not there",
        "A missing index is a ValidationException, a missing table a ResourceNotFoundException.",
        lambda it: (
            it.ours.message.startswith("The table does not have the specified index")
            and it.theirs.message.startswith("Invalid index: ")
        ),
    ),
    differs(
        MOTO,
        "the same key in two tables of a batch",
        "Keys have to differ within a table; it looks at all tables together.",
        lambda it: it.ours.ok and it.theirs.message == "Provided list of item keys contains duplicates",
    ),
    differs(
        MOTO,
        "if_not_exists in if_not_exists",
        "The value of if_not_exists may be another function.",
        lambda it: (
            it.ours.ok
            and it.theirs.message.startswith("Invalid UpdateExpression: Syntax error")
            and request_text(it).count("if_not_exists") > 1
        ),
        CHOSEN,
    ),
    differs(
        MOTO,
        "sums of long numbers",
        "Sums are exact to 38 digits; it rounds to 28.",
        lambda it: it.ours.ok and it.theirs.ok and it.member in ("contents", "Attributes") and _long_number(it),
    ),
    differs(
        MOTO,
        "operands in parentheses",
        "`(num) = :v` reads as `num = :v`; it does not take it.",
        lambda it: it.ours.ok and it.theirs.message.startswith("Bad Filter Expression: Bad comparison )"),
        CHOSEN,
    ),
    differs(
        MOTO,
        "filters it cannot read",
        "contains() with operands of some types, with a size() beside it, is a 'Bad Filter Expression' to it. "
        "(A second engine has "
        "to agree with us for this rule to hold.)",
        lambda it: (
            it.ours.ok and it.seconded and it.theirs.message == "Bad Filter Expression: Invalid filter expression"
        ),
    ),
    differs(
        MOTO,
        "NOT NOT",
        "A condition may be negated twice.",
        lambda it: it.ours.ok and "Bad NOT expression" in it.theirs.message,
    ),
    differs(
        MOTO,
        "Expected with OR",
        "ConditionalOperator OR lets one condition suffice; it asks for all.",
        lambda it: (
            it.step.params.get("ConditionalOperator") == "OR"
            and it.ours.ok
            and it.theirs.code == "ConditionalCheckFailedException"
        ),
    ),
    differs(
        MOTO,
        "updates before conditions",
        "A condition is looked at before the update is tried; it finds fault with the update's paths first.",
        lambda it: (
            it.ours.code == "ConditionalCheckFailedException"
            and it.theirs.message.startswith("The document path provided")
        ),
        CHOSEN,
    ),
    differs(
        MOTO,
        "a refused update leaves an item",
        "It makes the item before it finds the update invalid.",
        lambda it: it.member == "contents" and it.ours.code == it.theirs.code == "ValidationException",
    ),
    differs(
        MOTO,
        "updates after conditions",
        "An update expression that could never run is refused before the condition is looked at.",
        lambda it: (
            it.member == "code"
            and told(it).startswith("Invalid UpdateExpression: ")
            and it.theirs.code in ("ConditionalCheckFailedException", "TransactionCanceledException")
        ),
        CHOSEN,
    ),
    *(
        unchecked(MOTO, name, message, why, documented=name not in _UNDOCUMENTED)
        for name, message, why in [
            (
                "projection of what a global index lacks",
                "^One or more .* Global secondary index .* does not project",
                "'You can only request attributes that are projected into the index': it answers without them.",
            ),
            (
                "paths through what is neither map nor list",
                "^The document path provided in the update expression is invalid for update",
                "It walks into sets as if they were maps.",
            ),
            (
                "operand types",
                "^Invalid .*Expression: Incorrect operand type for operator or function",
                "Operators and functions name the types they take; it takes all and finds nothing.",
            ),
            (
                "type names",
                "^Invalid .*Expression: Invalid attribute type name found",
                "attribute_type takes one of ten names; it takes any and finds nothing.",
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
                "types of index keys",
                "Type mismatch for Index Key|A value specified for a secondary index key is not supported",
                "An attribute that is an index's key must have the key's type and not be empty.",
            ),
            (
                "types in key conditions",
                "Condition parameter type does not match schema type",
                "A key condition's value must have the key's type; it finds nothing.",
            ),
            (
                "empty values in key conditions",
                "The AttributeValue for a key attribute cannot contain an empty",
                "A key attribute cannot be empty, so neither can what it is compared with.",
            ),
            (
                "types of keys",
                "^The provided key element does not match the schema",
                "A key's attributes are those of the schema.",
            ),
            (
                "sizes of keys",
                (
                    "(hash|range) keys has exceeded the size limit|Size of (hash|range)key has "
                    "exceeded|Aggregated size of all"
                ),
                "A partition key has at most 2048 bytes, a sort key 1024.",
            ),
            (
                "filters on the key",
                "^Filter Expression can only contain non-primary key attributes",
                "A query's filter cannot contain its key attributes.",
            ),
            (
                "starting keys",
                "^The provided starting key is invalid",
                "ExclusiveStartKey has the attributes and types of the key.",
            ),
            (
                "projections",
                "^Invalid ProjectionExpression: (Syntax|Two doc|Attribute name is|The expression|An expr)",
                "It splits the text at commas, and finds nothing.",
            ),
            ("redundant parentheses", "The expression has redundant parentheses", "`((a))` is refused."),
            ("repeated names", "Duplicate value in attribute name", "AttributesToGet names each attribute once."),
            (
                "repeated keys",
                "Provided list of item keys contains duplicates",
                "1 and 1.0 are the same key; it compares texts.",
            ),
            (
                "key schemas",
                "^Invalid KeySchema|Both the Hash Key and|Duplicate index name|is not an indexable operation",
                "One HASH, then at most one RANGE; each index with a name of its own; and not every operator on them.",
            ),
            (
                "documented lengths, names and values",
                r"^\d+ validation errors? detected: Value .* failed to satisfy constraint|requestItems parameter is",
                "The model names lengths, patterns and permitted values of its members; it checks few.",
            ),
            (
                "table names by length",
                "^TableName must be at least 3 characters long",
                "It looks for the table, or makes it.",
            ),
            (
                "size of expressions",
                "Expression size has exceeded the maximum allowed size|contains too many operators",
                "An expression has at most 4 KB and 300 operators.",
            ),
            (
                "a start outside the query",
                "The provided (exclusive start|starting) key (is outside|does not|is invalid)|cannot be restarted",
                "ExclusiveStartKey must lie within the key condition.",
            ),
            (
                "numbers",
                (
                    "The parameter cannot be converted to a numeric value|more than 38 significant "
                    "digits|Number (over|under)flow"
                ),
                "38 digits, 1E-130 to 9.99E+125, in decimal notation.",
            ),
            (
                "sets",
                "Input collection .*contains duplicates|set  may not be empty|Binary sets should not be empty",
                "A set has members, each once.",
            ),
            (
                "values of no type, or of two",
                "Supplied AttributeValue (is empty|has more than one)",
                "A value has one type.",
            ),
            (
                "NULL that is not true",
                "Null attribute value types must have the value of true",
                "NULL takes true only.",
            ),
            ("nesting", "Nesting Levels have exceeded supported limits", "32 levels."),
            (
                "empty attribute names",
                "Empty attribute name",
                "Attribute names are at least one character long.",
            ),
            (
                "old and new parameters together",
                "^Can not use both expression and non-expression parameters",
                "They exclude each other.",
            ),
            (
                "ConditionalOperator for one condition",
                "ConditionalOperator can(not| only) be used",
                "It takes more than one condition to combine.",
            ),
            (
                "legacy updates",
                "(ADD action is not supported|DELETE action with value is not supported|Only DELETE action is allowed)",
                "ADD takes numbers and sets, DELETE sets, and PUT a value.",
            ),
            (
                "legacy conditions",
                (
                    "ComparisonOperator .* is not valid for|Invalid number of argument|when Exists is|with a "
                    "ComparisonOperator|cannot be used together|must be of same type"
                ),
                "Each comparison operator names number and types of its operands.",
            ),
            (
                "changes of the key",
                "Cannot update attribute .* This attribute is part of the key",
                "It looks at the condition first.",
            ),
            (
                "placeholders",
                (
                    "^ExpressionAttribute(Names|Values) (must not be empty|can only be)|^Value provided in "
                    "ExpressionAttribute|is not defined; attribute"
                ),
                "Placeholders must be there when used, and used when there.",
            ),
            (
                "syntax",
                "^Invalid (Condition|Filter|KeyCondition)Expression: Syntax error",
                "There are no literals in expressions, and no negative positions; it takes both for names.",
            ),
            (
                "capacity of an index",
                "ProvisionedThroughput (must be|is not) specified for index",
                "Each global index of a provisioned table needs its own throughput.",
            ),
            (
                "projections of indexes",
                "ProjectionType is .*NonKeyAttributes|Unknown ProjectionType",
                "There are three types, and named attributes go with INCLUDE only.",
            ),
            (
                "streams without a view",
                "UpdateViewType (is required|should not be specified)",
                "An enabled stream needs a view type, and only an enabled one has it.",
            ),
            (
                "one item twice in a transaction",
                "Transaction request cannot include multiple operations on one item",
                "1 and 1.0 are the same key; it compares texts.",
            ),
        ]
    ),
    # The widest rule comes last, so that it takes only what no other explains.
    differs(
        MOTO,
        "what is not there in conditions",
        "A missing attribute equals nothing and differs from everything, in expressions and in legacy "
        "conditions; it compares it as None. "
        "(A second engine has to agree with us for this rule to hold.)",
        _other_truth,
        CHOSEN,
    ),
)
