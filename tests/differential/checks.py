"""What DynamoDB refuses and others run: each check once, for every engine that does not make it."""

from __future__ import annotations

from tests.differential.rules import Rule, unchecked

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

_CHECKS: list[tuple[str, str, str]] = [
    ("empty expressions", "The expression can not be empty", "An expression is not empty."),
    (
        "names of functions and reserved words",
        "Invalid function name|is a reserved keyword",
        "Functions have names in small letters, and reserved words need a placeholder.",
    ),
    (
        "forms of key conditions",
        (
            "in KeyConditionExpression|KeyConditionExpressions (must|cannot)|^Query (key )?condition|"
            "^Conditions can be of length|^The number of query conditions"
        ),
        "A key condition is an equality and at most one comparison, joined by AND.",
    ),
    (
        "projection of what a global index lacks",
        "^One or more .* Global secondary index .* does not project",
        "'You can only request attributes that are projected into the index': it answers without them.",
    ),
    (
        "paths through what is neither map nor list",
        "^The document path provided in the update expression is invalid for update",
        "A path goes through maps and lists only; it walks on, or into sets.",
    ),
    (
        "operand types",
        "^Invalid .*Expression: (Incorrect operand type for operator or function|Operator or function requires a doc)",
        "Operators and functions name the types they take, or that they take paths; it takes all and finds nothing.",
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
        "Type mismatch for Index Key|(specified for|attempted to update) a secondary index key",
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
        ("(hash|range) keys has exceeded the size limit|Size of (hash|range)key has exceeded|Aggregated size of all"),
        "A partition key has at most 2048 bytes, a sort key 1024.",
    ),
    (
        "filters on the key",
        "^(Filter Expression|QueryFilter) can only contain non-primary key attributes",
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
        "A projection is a list of paths of which none contains another; it finds nothing.",
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
        r"^\d+ validation errors? detected: .*[fF]ailed to satisfy constraint|requestItems parameter is",
        "The model names lengths, patterns and permitted values of its members; it checks few.",
    ),
    (
        "table names by length",
        "^TableName must be at least 3 characters long",
        "A name that cannot be one is refused as such; it looks for the table, or makes it.",
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
        (
            "(ADD action is not supported|DELETE action with value is not supported|Only DELETE action is allowed|"
            "Type mismatch for attribute to update)"
        ),
        "ADD takes numbers and sets, DELETE sets, and PUT a value.",
    ),
    (
        "legacy conditions",
        (
            "ComparisonOperator .* is not valid for|Invalid number of argument|when Exists is|with a "
            "ComparisonOperator|cannot be used together|must be of same type|must be used with"
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
            "^ExpressionAttribute(Names|Values) (must not be empty|can only be|contains invalid key)|^Value "
            "provided in ExpressionAttribute|is not defined; attribute"
        ),
        "Placeholders must be there when used, and used when there.",
    ),
    (
        "syntax",
        "^Invalid (Condition|Filter|KeyCondition)Expression: Syntax error",
        "There are no literals in expressions, no negative positions and nothing after the end; it reads on.",
    ),
    (
        "capacity of an index",
        "ProvisionedThroughput (must be|is not) specified for index",
        "Each global index of a provisioned table needs its own throughput.",
    ),
    (
        "the most units of a table",
        "OnDemandThroughput",
        "Only a table on demand, and its indexes, have a limit of units, and that is at least 1.",
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


def lacking(engine: str, made: tuple[str, ...] = ()) -> tuple[Rule, ...]:
    """A rule for each check that an engine does not make: all but those it makes."""
    assert set(made) <= {name for name, _, _ in _CHECKS}, made
    return tuple(
        unchecked(engine, name, message, why, documented=name not in _UNDOCUMENTED)
        for name, message, why in _CHECKS
        if name not in made
    )
