"""Known differences in PartiQL."""

from __future__ import annotations

import re

from tests.differential.compare import Difference
from tests.differential.engines import DYNOXIDE, MINISTACK, MOTO
from tests.differential.outcomes import unordered
from tests.differential.rules import CHOSEN, Rule, both_answer, differs, in_indexes_alone, long_number, request_text

_UNREAD = (
    *("Statement wasn't well formed", "UPDATE requires a WHERE clause", "Could not parse", "Cannot parse PartiQL"),
    *("Unsupported PartiQL", "Invalid SET assignment"),
)
_SHARED = ("Responses", "Errors", "Failed")
_ODD = r"\b(1\.0|2E0)\b"
"""Numbers that are keys in another spelling."""

_OF_ITEMS = {None, "DuplicateItem", "ConditionalCheckFailed"}
"""What a write in a batch is told by whether its item is there."""

_REFUSALS = re.compile(
    "^(Validation failed in TransactStatements.*?: )?("
    "Incorrect operand type|Strongly consistent read is not|Overlapping conditions|Where clause does not|"
    "Read and write requests together|ExecuteTransaction API does not|The provided expression refers to an attribute|"
    "Must have |Key attribute|Number of parameters|The BETWEEN operator|Select statements within|Number overflow|"
    "Number underflow|"
    "The parameter cannot be converted|Transaction request cannot|Provided list of item keys|Invalid attribute type|"
    "The table does not have the specified index|Attempting to store more|Input collection|Supplied AttributeValue|"
    "IN operator must|Statement wasn't well formed|The first operand must be|1 validation error detected: Value|"
    "The provided key element|RETURNING clause is not|EXISTS\\(\\)|Nesting Levels|Null attribute value types|"
    "The document path provided|An operand in the update|Item size|Only RETURNING ALL OLD|Empty attribute name|"
    "One or more parameter values (are not valid. (The AttributeValue for a key|A value specified for a secondary)|"
    "were invalid: (Type mismatch for|Input collection|.*does not project|.*set  may not|.*should not be empty|"
    "Null attribute|Missing the key|Cannot update|Size of|Aggregated|Empty attribute|Number of|.*has exceeded)))"
)
"""What a statement is refused for; a refusal in other words is not taken for a check that others lack."""


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
    if it.step.operation == "ExecuteTransaction" and "ValidationError" in it.ours.members.get("Reasons", ()):
        return it.theirs.ok or it.theirs.code == "TransactionCanceledException"
    refused = it.ours.code == "ValidationException" and bool(_REFUSALS.search(it.ours.message))
    return refused and it.member in ("outcome", "code")


def _stops_early(it: Difference) -> bool:
    """Its reasons are ours up to the first that failed."""
    if it.member not in ("Reasons", "ReasonItems") or it.theirs.code != "TransactionCanceledException":
        return False
    ours, theirs = it.ours.members["Reasons"], it.theirs.members["Reasons"]
    failed = next((at for at, code in enumerate(theirs) if code != "None"), len(theirs))
    return len(ours) == len(theirs) and ours[: failed + 1] == theirs[: failed + 1]


def _item_is_missing(it: Difference) -> bool:
    """It leaves out the item that failed a statement, alone or in a batch."""
    if it.member == "Item":
        return it.ours.code == "ConditionalCheckFailedException"
    return both_answer(it, "Failed") and not any(it.theirs.members["Failed"])


def _same_number(it: Difference) -> bool:
    """A number for a key, which this statement or an earlier one may have spelled in another way."""
    numeric = any(kind == "N" for table in it.tables for _, kind in table.keys)
    if not numeric:
        return False
    reasons = {it.theirs.code, *it.theirs.members.get("Reasons", ())}
    missed = reasons <= {"TransactionCanceledException", "ConditionalCheckFailedException", "None"}
    odd = re.search(_ODD, request_text(it)) is not None
    if it.ours.ok and missed and odd:
        return True
    if odd and both_answer(it, "Errors"):
        ours, theirs = it.ours.members["Errors"], it.theirs.members["Errors"]
        pairs = zip(ours, theirs, strict=False)
        if len(ours) == len(theirs) and all(one == other or {one, other} <= _OF_ITEMS for one, other in pairs):
            return True
    return it.seconded and it.member in ("outcome", "code", "contents", "Items", "Reasons", *_SHARED)


def _simple(engine: str) -> tuple[Rule, ...]:
    """What two engines that have only a part of PartiQL share."""
    return (
        differs(
            engine,
            "statements answered with 500",
            "An internal error is never DynamoDB's answer to a request, right or wrong.",
            lambda it: it.theirs.crashed,
        ),
        differs(
            engine,
            "statements with numbers by their text",
            "1, 1.0 and 1E0 are the same key. (A second engine has to agree with us for this rule to hold.)",
            _same_number,
        ),
        differs(
            engine,
            "numbers in statements as they were written",
            "DynamoDB has one spelling for a number (`1E2` becomes `100`); it stores the text.",
            lambda it: it.member == "spelling",
        ),
        differs(
            engine,
            "statements it cannot read",
            "Sets, lists and maps as literals, functions, parentheses, BETWEEN, IN, indexes and EXISTS are documented "
            "for PartiQL.",
            _cannot_read,
        ),
        differs(
            engine,
            "statements it does not check",
            "Whole keys, operand types, index keys, the number of parameters, and what goes together are checked.",
            _unchecked,
        ),
        differs(
            engine,
            "the cost of statements",
            "It does not count capacity.",
            lambda it: both_answer(it, "ConsumedCapacity"),
        ),
    )


def _refused_whole(it: Difference) -> bool:
    return "ValidationError" in it.ours.members.get("Reasons", ()) and it.theirs.code == "ValidationException"


def _index_in(it: Difference) -> bool:
    return bool(re.search(r'FROM "\w+"\."', request_text(it)))


def _other_order(it: Difference) -> bool:
    """The same items in another order."""
    if not both_answer(it, "Items") or "ORDER BY" not in request_text(it):
        return False
    return unordered(it.ours.members["Items"]) == unordered(it.theirs.members["Items"])


def _shown_of(it: Difference) -> bool:
    """The same, but for attributes that one engine leaves out of all items."""
    if not both_answer(it, "Items") or "ORDER BY" not in request_text(it):
        return False
    shown = {name for item in it.theirs.members["Items"] for name in item}
    ours = [{name: item[name] for name in item if name in shown} for item in it.ours.members["Items"]]
    return '"' in it.step.params["Statement"].split("FROM")[0] and unordered(ours) == unordered(
        it.theirs.members["Items"]
    )


def _answers_writes(it: Difference) -> bool:
    """A transaction of writes, which has no responses here."""
    written = it.step.operation == "ExecuteTransaction" and both_answer(it, *_SHARED)
    return written and it.ours.members["Responses"] == []


def _returns_changes(it: Difference) -> bool:
    """What a statement says it changed."""
    return both_answer(it, "Items", *_SHARED) and "RETURNING MODIFIED" in request_text(it)


def _codes_of_errors(it: Difference) -> bool:
    """Reasons that are ours up to the first that failed, but for the words Exception and Error."""
    if it.member != "Reasons" or it.theirs.code != "TransactionCanceledException":
        return False
    ours, theirs = (
        [re.sub("(Exception|Error)$", "", code) for code in each.members["Reasons"]] for each in (it.ours, it.theirs)
    )
    failed = next((at for at, code in enumerate(theirs) if code != "None"), len(theirs))
    rest = set(theirs[failed + 1 :])
    return ours == theirs or (
        ours[: failed + 1] == theirs[: failed + 1] and rest == {"None"} and len(ours) == len(theirs)
    )


STATEMENT_RULES: tuple[Rule, ...] = (
    *_simple(MOTO),
    differs(
        MOTO,
        "indexes in statements",
        "A statement may read an index; it looks for a table of that name.",
        lambda it: _index_in(it) and it.theirs.code == "ResourceNotFoundException",
    ),
    differs(
        MOTO,
        "conditions of statements",
        "Functions, parentheses, IS, IN, OR and <> may stand in WHERE; it leaves them out, or finds nothing.",
        lambda it: it.theirs.ok and bool(re.search(r"WHERE .*([(\[]| IS | or | OR |<>)", request_text(it))),
    ),
    differs(
        MOTO,
        "the order of a statement",
        "ORDER BY … DESC is the other way round, whatever is shown; there it is as without.",
        lambda it: (_other_order(it) or _shown_of(it)) and "DESC" in request_text(it),
    ),
    differs(
        MOTO,
        "invalid statements refuse a transaction whole",
        "A statement that names no item cancels its transaction.",
        _refused_whole,
    ),
    differs(
        MOTO,
        "statements that do half of what they say",
        "Names in quotes, the reads of batches and transactions, and updates of what is not there are documented. "
        "(A second engine has to agree with us for this rule to hold.)",
        lambda it: (
            it.theirs.ok and (it.seconded or it.step.operation != "ExecuteStatement" or '"sk" FROM' in request_text(it))
        ),
    ),
    *_simple(MINISTACK),
    differs(
        MINISTACK,
        "answers of writing transactions of statements",
        "A transaction of writes has no responses.",
        _answers_writes,
    ),
    differs(
        MINISTACK,
        "reasons named after errors",
        "A cancellation reason is ConditionalCheckFailed, without the word Exception, and every statement has one; it "
        "stops at the first that failed.",
        _codes_of_errors,
    ),
    differs(
        MINISTACK,
        "sums of long numbers in statements",
        "Sums are exact to 38 digits; it rounds.",
        lambda it: it.ours.ok and it.member in ("contents", "Items", *_SHARED) and long_number(it),
    ),
    differs(
        MINISTACK,
        "values that are false in what a statement returns",
        "RETURNING gives what was changed, whatever its value; it leaves out false, zero and what is empty.",
        lambda it: _returns_changes(it) and bool(re.search(r"false|\"0\"|\"\"|\[\]|\{\}", str(it.ours))),
    ),
    differs(
        MINISTACK,
        "values that stay the same in what a statement returns",
        "RETURNING MODIFIED gives what a statement sets, as UPDATED_OLD does; it leaves out what is as it was, such as "
        "a number to which nothing is added.",
        lambda it: (
            _returns_changes(it)
            and bool(re.search(r"\b(num|size) = (num|size) [+-]", request_text(it)))
            and bool(re.search(r"{'N': '[+-]?0+(\.0+)?([Ee][+-]?\d+)?'}", request_text(it)))
        ),
    ),
    differs(
        MINISTACK,
        "clauses after REMOVE",
        "Clauses of an update come in any order; it reads what follows REMOVE as names.",
        lambda it: bool(re.search("REMOVE .* (SET|REMOVE) ", request_text(it))),
    ),
    differs(
        MINISTACK,
        "quoted names after REMOVE",
        'A name may be quoted wherever it stands; it looks for `"txt"` with its quotes.',
        lambda it: bool(re.search(r'REMOVE [^=]*"\w+" ', request_text(it))),
    ),
    differs(
        MINISTACK,
        "numbers in keys of statements by their text",
        "1 and 1.0 are the same key, so that the second INSERT finds a duplicate; it keeps an item for each.",
        lambda it: (
            any("DuplicateItem" in str(code) for code in (it.ours.code, *(it.ours.members.get("Reasons") or ())))
            and bool(re.search(r"'[ps]k\\*': [^,}]*[.eE]", request_text(it)))
        ),
    ),
    differs(
        MINISTACK,
        "paths in SELECT",
        "A column may be a nested path or an element of a list.",
        lambda it: both_answer(it, "Items", "Responses") and bool(re.search(r"doc|arr", request_text(it))),
    ),
    differs(
        MINISTACK,
        "statements and the keys of indexes",
        "An index holds the items that have its whole key, of its types; it asks for the partition key alone.",
        in_indexes_alone,
    ),
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
            and it.theirs.code == "ValidationException"
            and "ValidationError" in (it.ours.members.get("Errors") or ())
        ),
    ),
    differs(
        DYNOXIDE,
        "answers of writing transactions",
        "A transaction of writes has no responses.",
        _answers_writes,
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
        _item_is_missing,
    ),
    differs(
        DYNOXIDE,
        "what is not there in a statement",
        "A missing attribute differs from every value, and is neither less nor more than another attribute, in a "
        "FilterExpression and in WHERE.",
        lambda it: (
            (both_answer(it, "Items", *_SHARED) or it.member == "outcome")
            and bool(re.search(r'<>|NOT|[<>]=? "?[a-z]', request_text(it)))
        ),
        CHOSEN,
    ),
    *(
        differs(
            engine,
            "binaries that begin with others",
            "begins_with takes strings and binaries; it finds no binaries.",
            lambda it: (
                (
                    both_answer(it, "Items", *_SHARED)
                    or (it.ours.ok and it.theirs.code == "ConditionalCheckFailedException")
                )
                and bool(re.search("begins_with.*'B'", request_text(it)))
            ),
        )
        for engine in (MINISTACK, DYNOXIDE)
    ),
    differs(
        DYNOXIDE,
        "binaries that contain others",
        "contains looks for a part of a binary, as CONTAINS is documented to do; it finds none in statements.",
        lambda it: (
            both_answer(it, "Items", *_SHARED)
            and bool(re.search(r"contains\(.*'B'", request_text(it)))
            and all(item in it.ours.members.get("Items", ()) for item in it.theirs.members.get("Items", ()))
        ),
        CHOSEN,
    ),
    differs(
        DYNOXIDE,
        "tokens it gave itself",
        "A NextToken continues the statement that it came with.",
        lambda it: it.ours.ok and it.theirs.message == "NextToken does not match request",
    ),
    differs(
        DYNOXIDE,
        "the order of a statement",
        "ORDER BY … DESC is the other way round, with BETWEEN and names in quotes too; there it is as without.",
        _other_order,
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
