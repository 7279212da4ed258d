"""Known differences in UpdateTable."""

from __future__ import annotations

from tests.differential.compare import Difference
from tests.differential.engines import DYNOXIDE, MINISTACK, MOTO
from tests.differential.outcomes import description
from tests.differential.rules import CHOSEN, Rule, differs, in_indexes_alone, unchecked

_CHECKS = [
    (
        "changes of nothing",
        "^At least one of ProvisionedThroughput, BillingMode",
        "A request that changes nothing is refused.",
    ),
    (
        "changes that do not go together",
        "must be the only operation in the request|You cannot create or delete index while",
        "Deletion protection and table class are changed alone, and an index is made or deleted alone.",
    ),
    (
        "changes of indexes",
        (
            "AttributeDefinitions is not specified for index|Only one global secondary index|which already exists|"
            "List of GlobalSecondaryIndexUpdates is empty|not a GlobalSecondaryIndex|must not be null"
        ),
        "An entry has one action, an index has one entry, and a new one has a name and definitions of its own.",
    ),
    (
        "changes of throughput",
        (
            "will not change|ProvisionedThroughput must be specified|TableThroughputMode is PAY_PER_REQUEST|"
            "OnDemandThroughput cannot be|Neither ReadCapacityUnits nor"
        ),
        "Throughput is named where a table has it, for all its indexes, and changes.",
    ),
    (
        "changes of streams",
        "UpdateViewType|has no stream|already has an enabled stream",
        "An enabled stream has a view, and a stream is enabled or disabled once.",
    ),
    ("encryption that is there already", "Table is already encrypted by default", "It cannot be switched off."),
    (
        "documented lengths, names and values of changes",
        r"^\d+ validation errors? detected: Value |^TableName must be|Invalid table-class|Invalid KeySchema",
        "The model names lengths, patterns and permitted values of its members; it checks few.",
    ),
]


_MADE = ("changes of nothing", "encryption that is there already", "documented lengths, names and values of changes")
"""What dynoxide checks."""


def _lacking(engine: str, made: tuple[str, ...] = ()) -> tuple[Rule, ...]:
    return tuple(
        unchecked(engine, name, message, why, "UpdateTable") for name, message, why in _CHECKS if name not in made
    )


def _refused_half_way(it: Difference) -> bool:
    """Both refuse a change, and the table is as it was here and not there."""
    if it.ours.code != "ValidationException" or it.member not in ("Global", "Attributes"):
        return False
    before = next(table.create for table in it.tables if table.name == it.step.params["TableName"])
    return bool(it.ours.members[it.member] == description(before)[it.member] != it.theirs.members[it.member])


TABLE_RULES: tuple[Rule, ...] = (
    *_lacking(MOTO),
    differs(
        MOTO,
        "changes answered with 500",
        "An internal error is never DynamoDB's answer to a request, right or wrong.",
        lambda it: it.theirs.crashed,
    ),
    differs(
        MOTO,
        "definitions of attributes after a change",
        "A table has the definitions of the attributes that are keys; it has those of the last request, or too many.",
        lambda it: it.member == "Attributes",
    ),
    differs(
        MOTO,
        "a stream that is there already",
        "To enable it again is a ValidationException, by the documentation.",
        lambda it: it.theirs.code == "ResourceInUseException" and "enable stream" in it.theirs.message,
    ),
    differs(
        MOTO,
        "changes it forgets",
        "The class of a table and the most units of one on demand can be changed, and one on demand has no others.",
        lambda it: it.member in ("MostUnits", "TableClass", "Units"),
    ),
    *_lacking(MINISTACK),
    differs(
        MINISTACK,
        "changes refused half way",
        "A refused change leaves the table as it was; it keeps what it did before it found the fault.",
        _refused_half_way,
    ),
    differs(
        MINISTACK,
        "the most units of a provisioned table",
        "Only a table on demand has a limit of its units; it keeps the old one.",
        lambda it: it.member == "MostUnits",
    ),
    differs(
        MINISTACK,
        "changes and the keys of indexes",
        "An index holds the items that have its whole key, of its types, which may not be empty.",
        in_indexes_alone,
    ),
    *_lacking(DYNOXIDE, _MADE),
    differs(
        DYNOXIDE,
        "changes and the keys of indexes",
        "Items whose index key is empty are not written to a new index.",
        in_indexes_alone,
    ),
    differs(
        DYNOXIDE,
        "changes of an index that is not there",
        "A missing index is told as such.",
        lambda it: it.ours.code == "ResourceNotFoundException" and "IndexUpdate" in it.theirs.message,
        CHOSEN,
    ),
)
