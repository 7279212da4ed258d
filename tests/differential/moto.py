"""Where moto's server differs, and why: simplifications, mostly, that tests of applications seldom meet."""

from __future__ import annotations

import re

from tests.differential.checks import lacking
from tests.differential.compare import Difference
from tests.differential.engines import MOTO
from tests.differential.rules import (
    CHOSEN,
    Rule,
    both_answer,
    differs,
    lacks_and_passes,
    long_number,
    made_to_remove,
    members_by_text,
    narrow_local_index,
    no_last_page,
    odd_number,
    only_first_fault,
    other_truth,
    request_text,
    sizes_of_texts,
    table_first,
    told,
)


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


_NOT_MADE = "An update that only removes does not create the item it finds missing."
MOTO_RULES: tuple[Rule, ...] = (
    members_by_text(MOTO),
    differs(
        MOTO,
        "copies of sets",
        "SET copies a value; its copy of a set loses the members that the same update deletes from the first one.",
        lambda it: (
            it.seconded
            and it.member == "contents"
            and "DELETE" in request_text(it).upper()
            and re.search(r"'[SNB]S': \[\]", str(it.theirs.members["Contents"])) is not None
        ),
    ),
    differs(
        MOTO,
        "copies of maps and lists",
        "SET copies a value; its copy of a map or list loses what the same update removes from the first one. (A "
        "second engine has to agree with us for this rule to hold.)",
        lambda it: (
            it.seconded
            and it.member in ("contents", "Attributes")
            and bool(re.search(r"REMOVE [^']*(doc|arr)\S*[.\[]", request_text(it), re.IGNORECASE))
            and bool(
                re.search(r"SET [^']*(= *#?(doc|arr)|if_not_exists\(#?(doc|arr))", request_text(it), re.IGNORECASE)
            )
        ),
    ),
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
        lacks_and_passes,
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
        odd_number,
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
        no_last_page,
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
        "QueryFilter beside the key's conditions",
        "A filter is applied to the items that the key's conditions name; it looks at each by itself, and counts an "
        "item for each. (A second engine has to agree with us for this rule to hold.)",
        lambda it: "QueryFilter" in it.step.params and it.seconded and both_answer(it, "Scanned", "Count", "Items"),
    ),
    differs(
        MOTO,
        "elements of elements",
        "A projection may go into a list in a list, as in `arr[2][0]`; it finds nothing there. (A second engine has to "
        "agree with us for this rule to hold.)",
        lambda it: (
            both_answer(it, "Item", "Items", "Responses")
            and it.seconded
            and bool(re.search(r"'ProjectionExpression': '[^']*\]\[", request_text(it)))
        ),
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
        "A Put with an index key of a wrong type cancels a transaction.",
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
    table_first(MOTO),
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
        "values right after names",
        "`ADD tags:v` is a path and a value, as a colon begins a new word; it asks for a space. (A second engine has "
        "to agree with us for this rule to hold.)",
        lambda it: (
            it.ours.ok
            and it.seconded
            and it.theirs.message.startswith("Invalid UpdateExpression: Syntax error")
            and bool(re.search(r"'UpdateExpression': [^}]*\w:v\d", request_text(it)))
        ),
        CHOSEN,
    ),
    differs(
        MOTO,
        "sums of long numbers",
        "Sums are exact to 38 digits; it rounds to 28.",
        lambda it: it.ours.ok and it.theirs.ok and it.member in ("contents", "Attributes") and long_number(it),
    ),
    differs(
        MOTO,
        "operands in parentheses",
        "`(num) = (:v)` reads as `num = :v`; it does not take it.",
        lambda it: (
            it.ours.ok and bool(re.match(r"Bad Filter Expression: Bad comparison (num = \(|\))", it.theirs.message))
        ),
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
        "a refused update or batch leaves items",
        "It makes items before it finds the update, or another item of the batch, invalid.",
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
    differs(
        MOTO,
        "sizes of keys of an index that an item is not in",
        "A long partition key that is also an index's sort key matters only if the item is in that index.",
        lambda it: it.ours.ok and "Aggregated size of all range keys" in it.theirs.message,
        CHOSEN,
    ),
    sizes_of_texts(MOTO, "code points"),
    *lacking(MOTO),
    # The widest rule comes last, so that it takes only what no other explains.
    differs(
        MOTO,
        "what is not there in conditions",
        "A missing attribute equals nothing and differs from everything, in expressions and in legacy "
        "conditions; it compares it as None. "
        "(A second engine has to agree with us for this rule to hold.)",
        other_truth,
        CHOSEN,
    ),
)
