"""Shapes of requests, names of tables and attributes, batches, and the envelope of single writes."""

from __future__ import annotations

import pytest

from partita.dynamo.errors import ResourceNotFoundError
from partita.engine import Engine
from tests.engine.answers.asking import INVALID, fault
from tests.engine.tables import Wire, key_schema, table, values

_KEY: Wire = {"pk": {"S": "a"}}
_ONE = "1 validation error detected: "
_DEEP: Wire = {"S": "x"}
for _ in range(32):
    _DEEP = {"L": [_DEEP]}
_NULLS = "n=null, b=null, sS=null, nS=null, bS=null, m=null, l=null, nULL=null, bOOL=null"


def test_a_structure_is_printed_whole_and_as_java_prints_it(engine: Engine) -> None:
    elements = [*key_schema("pk"), *key_schema("", "sk extra")]
    assert fault(engine, "CreateTable", {**table("never"), "KeySchema": elements}) == (
        f"{_ONE}Value '[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, "
        "keyType=RANGE), KeySchemaElement(attributeName=extra, keyType=RANGE)]' at 'keySchema' failed to satisfy "
        "constraint: Member must have length less than or equal to 2"
    )
    deletes = [{"Delete": {"TableName": "music", "Key": {"pk": {"S": str(number)}}}} for number in range(101)]
    message = fault(engine, "TransactWriteItems", {"TransactItems": deletes})
    assert message.startswith(f"{_ONE}Value '[TransactWriteItem(conditionCheck=null, put=null, delete=Delete(")
    assert message.count("TransactWriteItem(") == 101
    assert message.endswith(
        ")]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
    )


def test_too_many_writes_of_one_table_are_printed(engine: Engine) -> None:
    nested: Wire = {"PutRequest": {"Item": {"pk": {"S": "x"}, "m": {"M": {"l": {"L": [{"BOOL": True}]}}}}}}
    puts = [nested, *({"DeleteRequest": {"Key": {"pk": {"S": str(number)}}}} for number in range(25))]
    message = fault(engine, "BatchWriteItem", {"RequestItems": {"music": puts}})
    inner = f"AttributeValue(s=null, {_NULLS.replace('bOOL=null', 'bOOL=true')})"
    listed = f"AttributeValue(s=null, {_NULLS.replace('l=null, nULL', f'l=[{inner}], nULL')})"
    mapped = f"AttributeValue(s=null, {_NULLS.replace('m=null', f'm={{l={listed}}}')})"
    assert message.startswith(
        f"{_ONE}Value '{{music=[WriteRequest(putRequest=PutRequest(item={{pk=AttributeValue(s=x, {_NULLS}), "
        f"m={mapped}}}), deleteRequest=null), WriteRequest(putRequest=null, deleteRequest=DeleteRequest("
    )
    assert message.endswith(
        "]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have "
        "length less than or equal to 25, Member must have length greater than or equal to 1]"
    )
    spread = {"RequestItems": {"music": puts[:13], "pairs": puts[:13]}}
    assert fault(engine, "BatchWriteItem", spread) == "Too many items requested for the BatchWriteItem call"


def test_too_many_keys_of_one_table_are_told_with_its_name(engine: Engine) -> None:
    keys = [{"pk": {"S": str(number)}} for number in range(101)]
    assert fault(engine, "BatchGetItem", {"RequestItems": {"music": {"Keys": keys}}}) == (
        f"{_ONE}Value at 'RequestItems.music.member.Keys' failed to satisfy constraint: Member must have length less "
        "than or equal to 100"
    )
    spread = {"RequestItems": {"music": {"Keys": keys[:60]}, "pairs": {"Keys": keys[:60]}}}
    assert fault(engine, "BatchGetItem", spread) == "Too many items requested for the BatchGetItem call"


_LEAST = "failed to satisfy constraint: Member must have length greater than or equal to "


def test_a_batch_of_nothing_is_refused(engine: Engine) -> None:
    assert fault(engine, "BatchWriteItem", {"RequestItems": {}}) == (
        "The requestItems parameter is required for BatchWriteItem"
    )
    assert fault(engine, "BatchGetItem", {"RequestItems": {}}) == f"{_ONE}Value at 'RequestItems' {_LEAST}1"
    assert fault(engine, "BatchGetItem", {"RequestItems": {"music": {"Keys": []}}}) == (
        f"{_ONE}Value at 'RequestItems.music.member.Keys' {_LEAST}1"
    )


_MAP_KEYS = (
    "at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less "
    "than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular expression "
    "pattern: [a-zA-Z0-9_.-]+]"
)
_CAPACITY = (
    "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: "
    "[INDEXES, TOTAL, NONE]"
)


@pytest.mark.parametrize("name", ["bad!name", "ab", "", "n" * 256, "arn:aws:dynamodb:music or so"])
def test_a_batch_that_names_no_table_shows_what_it_asks(engine: Engine, name: str) -> None:
    gets: Wire = {"RequestItems": {name: {"Keys": [_KEY]}}}
    shown = f'Value \'{{"{name}":{{"Keys":[{{"pk":{{"S":"a"}}}}]}}}}\' {_MAP_KEYS}'
    assert fault(engine, "BatchGetItem", gets) == _ONE + shown
    assert fault(engine, "BatchGetItem", {**gets, "ReturnConsumedCapacity": "BOGUS"}) == (
        f"2 validation errors detected: {shown}; {_CAPACITY}"
    )
    puts: Wire = {"RequestItems": {name: [{"PutRequest": {"Item": _KEY}}]}}
    told = fault(engine, "BatchWriteItem", puts)
    assert told.startswith(f"{_ONE}Value '{{{name}=[WriteRequest(putRequest=PutRequest(item={{pk=AttributeValue(s=a, ")
    assert told.endswith(f"]}}' {_MAP_KEYS}")
    assert fault(engine, "BatchWriteItem", {**puts, "ReturnConsumedCapacity": "BOGUS"}) == _ONE + _CAPACITY


def test_a_batch_that_names_no_table_and_nests_too_deeply_to_be_shown_is_refused(engine: Engine) -> None:
    deep: Wire = {"S": "x"}
    for _ in range(900):
        deep = {"M": {"n": deep}}
    for value in (deep, {"S": "\ud800"}, {"B": b"x"}):
        told = fault(engine, "BatchGetItem", {"RequestItems": {"bad!name": {"Keys": [{"pk": value}]}}})
        assert told.startswith(f"{_ONE}Value '{{")
        assert told.endswith(_MAP_KEYS)


def test_a_batch_of_gets_has_expressions_for_all_its_tables_or_for_none(engine: Engine) -> None:
    asked: Wire = {
        "music": {"Keys": [_KEY], "ProjectionExpression": "a"},
        "pairs": {"Keys": [{**_KEY, "sk": {"S": "b"}}], "AttributesToGet": ["a"]},
    }
    assert fault(engine, "BatchGetItem", {"RequestItems": asked}) == (
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
        "{AttributesToGet} Expression parameters: {ProjectionExpression}"
    )


def test_a_name_of_a_table_is_told_as_a_name(engine: Engine) -> None:
    def get(name: str) -> str:
        return fault(engine, "GetItem", {"TableName": name, "Key": _KEY})

    assert get("") == f"{_ONE}Value '' at 'tableName' {_LEAST}1"
    assert get("n" * 256) == (
        f"{_ONE}Value '{'n' * 256}' at 'tableName' failed to satisfy constraint: Member must have length less than or "
        "equal to 255"
    )
    assert get("a b") == (
        f"{_ONE}Value 'a b' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression "
        "pattern: [a-zA-Z0-9_.-]+"
    )
    assert fault(engine, "PutItem", {"TableName": "", "Item": _KEY, "ReturnValues": "X"}) == (
        f"{_ONE}Value at 'TableName' {_LEAST}1"
    )
    for operation in ("DeleteItem", "UpdateItem"):
        assert fault(engine, operation, {"TableName": "", "Key": _KEY, "ReturnValues": "X"}) == (
            f"{_ONE}Value at 'TableName' {_LEAST}1"
        )


def test_a_new_table_has_a_name_of_three_characters(engine: Engine) -> None:
    unnamed = {name: value for name, value in table("never").items() if name != "TableName"}
    assert fault(engine, "CreateTable", unnamed) == (
        "The parameter 'TableName' is required but was not present in the request"
    )
    assert fault(engine, "CreateTable", table("ab")) == f"{_ONE}Value 'ab' at 'tableName' {_LEAST}3"


def test_a_limit_of_nothing_is_told_without_its_value_in_a_query(engine: Engine) -> None:
    query = {"TableName": "music", "KeyConditionExpression": "pk = :p", **values(p="a"), "Limit": 0}
    least = "failed to satisfy constraint: Member must have value greater than or equal to 1"
    assert fault(engine, "Query", query) == f"{_ONE}Value at 'Limit' {least}"
    assert fault(engine, "Scan", {"TableName": "music", "Limit": 0}) == f"{_ONE}Value '0' at 'limit' {least}"


def _named(name: str) -> list[tuple[str, Wire]]:
    at: Wire = {"TableName": "music"}
    condition = {"ComparisonOperator": "NULL"}
    return [
        ("PutItem", {**at, "Item": {**_KEY, name: {"S": "x"}}}),
        ("PutItem", {**at, "Item": {**_KEY, "m": {"M": {name: {"S": "x"}}}}}),
        ("GetItem", {**at, "Key": _KEY, "AttributesToGet": [name]}),
        ("GetItem", {**at, "Key": _KEY, "ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": name}}),
        ("UpdateItem", {**at, "Key": _KEY, "AttributeUpdates": {name: {"Action": "DELETE"}}}),
        ("PutItem", {**at, "Item": _KEY, "Expected": {name: {"Exists": False}}}),
        ("Scan", {**at, "ScanFilter": {name: condition}}),
    ]


def test_attributes_have_names_of_1_to_65535_bytes_wherever_they_are_named(engine: Engine) -> None:
    for operation, request in _named(""):
        assert fault(engine, operation, request).removeprefix(_ONE) == "Empty attribute name", request
    for long in ("n" * 65_536, "é" * 32_768):
        for operation, request in _named(long):
            told = fault(engine, operation, request)
            assert told.removeprefix(_ONE) == "Attribute name is too large, must be less than 65536 bytes"
    for operation, request in _named("é" * 32_767):
        engine.call(operation, request)


def test_nesting_beyond_32_levels_is_told_in_full(engine: Engine) -> None:
    assert fault(engine, "PutItem", {"TableName": "music", "Item": {**_KEY, "a": _DEEP}}) == (
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
        "supported limit"
    )


@pytest.mark.parametrize(
    ("item", "members", "message"),
    [
        ({"s": {"SS": []}}, {}, f"{INVALID}An string set  may not be empty"),
        ({"s": {"SS": ["a", "a"]}}, {}, f'{INVALID}Input collection ["a", "a"] contains duplicates.'),
        ({"s": {"L": [{"SS": ["a", "a"]}]}}, {}, f'{INVALID}Input collection ["a", "a"] contains duplicates.'),
        (
            {"s": {"BS": ["AA==", "AA=="]}},
            {},
            f'{INVALID}Input collection ["AA==","AA=="]of type BS contains duplicates.',
        ),
        ({"s": {"NS": ["1", "1.0"]}}, {}, f"{INVALID}Input collection contains duplicates."),
        ({"s": {"NS": []}}, {}, f"{INVALID}An number set  may not be empty"),
        ({"s": {"BS": []}}, {}, f"{INVALID}Binary sets should not be empty"),
        (
            {},
            {"ConditionExpression": "a = :s", "ExpressionAttributeValues": {":s": {"SS": ["a", "a"]}}},
            f'{INVALID}Input collection ["a", "a"] contains duplicates.',
        ),
        (
            {},
            {"ConditionExpression": "a = :s", "ExpressionAttributeValues": {":s": {"SS": []}}},
            f"{INVALID}An string set  may not be empty",
        ),
        ({}, {"ConditionExpression": ""}, "Invalid ConditionExpression: The expression can not be empty;"),
        (
            {},
            {"ConditionExpression": "a =", **values(v=1)},
            'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="',
        ),
        (
            {},
            {"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeNames": {"#a": "a"}},
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}",
        ),
        (
            {},
            {"ConditionExpression": "attribute_exists(a)", **values(v=1)},
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}",
        ),
        (
            {},
            {"ConditionExpression": "attribute_exists(#a)"},
            (
                "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; "
                "attribute name: #a"
            ),
        ),
        ({}, values(v=1), "ExpressionAttributeValues can only be specified when using expressions"),
        (
            {},
            {"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeValues": {}},
            "ExpressionAttributeValues must not be empty",
        ),
        (
            {},
            {"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeNames": {}},
            "ExpressionAttributeNames must not be empty",
        ),
        (
            {},
            {"ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            {},
            {"ConditionExpression": "((attribute_exists(a)))"},
            "Invalid ConditionExpression: The expression has redundant parentheses;",
        ),
        (
            {},
            {"ConditionExpression": "a = :v"},
            (
                "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
                "attribute value: :v"
            ),
        ),
        (
            {},
            {"ConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": _DEEP}},
            (
                "ExpressionAttributeValues contains invalid value: Nesting Levels have exceeded supported limits: "
                "Attributes in the item have nested levels beyond supported limit for key :v"
            ),
        ),
        (
            {},
            {"ConditionExpression": "attribute_exists(a)", "Expected": {}},
            (
                "Can not use both expression and non-expression parameters in the same request: Non-expression "
                "parameters: {Expected} Expression parameters: {ConditionExpression}"
            ),
        ),
    ],
)
def test_single_writes_tell_faults_of_the_request_in_an_envelope(
    engine: Engine, item: Wire, members: Wire, message: str
) -> None:
    request = {"TableName": "music", "Item": {**_KEY, **item}, **members}
    assert fault(engine, "PutItem", request) == _ONE + message
    if not item:
        deleting = {name: value for name, value in request.items() if name != "Item"} | {"Key": _KEY}
        assert fault(engine, "DeleteItem", deleting) == _ONE + message
        assert fault(engine, "UpdateItem", deleting) == _ONE + message


_RETURNS = (
    "Failed to satisfy constraint: Member must satisfy enum value set: "
    "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
)


@pytest.mark.parametrize("returns", ["X", "", "all_old"])
def test_what_cannot_be_returned_is_told_alone_or_after_capacity(engine: Engine, returns: str) -> None:
    request: Wire = {"TableName": "music", "Item": _KEY, "Key": _KEY, "ReturnValues": returns}
    for operation in ("PutItem", "DeleteItem", "UpdateItem"):
        assert fault(engine, operation, request) == _ONE + _RETURNS
    request |= {"ReturnItemCollectionMetrics": "Z", "ReturnConsumedCapacity": "Y"}
    assert fault(engine, "UpdateItem", request) == _ONE + _RETURNS
    for operation in ("PutItem", "DeleteItem"):
        told = fault(engine, operation, request)
        assert told.startswith("3 validation errors detected: Value 'Y' at 'returnConsumedCapacity' failed to satisfy")
        assert f"; {_RETURNS}; Value 'Z' at 'returnItemCollectionMetrics' failed to satisfy" in told


def test_other_operations_and_other_faults_have_no_envelope(engine: Engine) -> None:
    bad_set: Wire = {"s": {"SS": ["a", "a"]}}
    batch = {"RequestItems": {"music": [{"PutRequest": {"Item": {**_KEY, **bad_set}}}]}}
    assert fault(engine, "BatchWriteItem", batch) == f"{INVALID}Input collection [a, a] contains duplicates."
    scan = {"TableName": "music", "FilterExpression": "a = :s", "ExpressionAttributeValues": {":s": {"SS": []}}}
    assert fault(engine, "Scan", scan) == (
        f"ExpressionAttributeValues contains invalid value: {INVALID}An string set  may not be empty for key :s"
    )
    assert fault(engine, "PutItem", {"TableName": "music", "Item": {"x": {"S": "y"}}}) == (
        f"{INVALID}Missing the key pk in the item"
    )
    keyed: Wire = {"TableName": "music", "UpdateExpression": "SET a = :v", **values(v=1)}
    for key in ({"pk": {"N": "1"}}, {"other": {"S": "a"}}, {}):
        told = "The provided key element does not match the schema"
        assert fault(engine, "UpdateItem", {**keyed, "Key": key}) == told
        assert fault(engine, "DeleteItem", {"TableName": "music", "Key": key}) == told
    assert fault(engine, "PutItem", {"TableName": "music", "Item": {"pk": {"N": "1"}}}) == (
        f"{INVALID}Type mismatch for key pk expected: S actual: N"
    )
    for operation, member in (("PutItem", "Item"), ("UpdateItem", "Key"), ("DeleteItem", "Key")):
        absent = fault(engine, operation, {"TableName": "absent", member: _KEY}, ResourceNotFoundError)
        assert absent == "Requested resource not found"
    assert fault(engine, "Scan", {"TableName": "music", **values(v=1)}) == (
        "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null"
    )
    projected: Wire = {"TableName": "music", "ProjectionExpression": "a,"}
    reads: list[tuple[str, Wire]] = [
        ("GetItem", {**projected, "Key": _KEY}),
        ("Scan", projected),
        ("Query", {**projected, "KeyConditionExpression": "pk = :p", **values(p="a")}),
        ("BatchGetItem", {"RequestItems": {"music": {"Keys": [_KEY], "ProjectionExpression": "a,"}}}),
    ]
    for operation, request in reads:
        assert fault(engine, operation, request).startswith("Invalid ProjectionExpression: Syntax error")
    update = {"TableName": "music", "Key": _KEY, "UpdateExpression": "SET"}
    assert fault(engine, "TransactWriteItems", {"TransactItems": [{"Update": update}]}).startswith(
        "Invalid UpdateExpression: Syntax error"
    )


_CHOICES: list[Wire] = [{"ProjectionExpression": "a"}, {"AttributesToGet": ["a"]}]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"Select": "ALL_PROJECTED_ATTRIBUTES"},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
        (
            {"Select": "SPECIFIC_ATTRIBUTES"},
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        ),
        *(
            ({"Select": select, **members}, f"Cannot specify the {next(iter(members))} when choosing to get {what}")
            for select, what in (
                ("COUNT", "only the Count"),
                ("ALL_ATTRIBUTES", "ALL_ATTRIBUTES"),
                ("ALL_PROJECTED_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
            )
            for members in _CHOICES
        ),
    ],
)
def test_a_wrong_selection_is_in_the_envelope_in_a_query_only(engine: Engine, members: Wire, message: str) -> None:
    of: Wire = {"TableName": "music"}
    if message.endswith("choosing to get ALL_PROJECTED_ATTRIBUTES"):
        of["IndexName"] = "byTag"
    assert fault(engine, "Scan", {**of, **members}) == message
    equal = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}
    assert fault(engine, "Query", {**of, "KeyConditions": {"pk": equal}, **members}) == _ONE + message


def test_entries_of_a_batch_write_are_told_as_dynamodb_does(engine: Engine) -> None:
    items: list[Wire] = [{"x": {"S": "y"}}, {"pk": {"N": "5"}}, {"pk": {"L": [{"S": "x"}]}}]
    for item in items:
        keyless = {"RequestItems": {"music": [{"PutRequest": {"Item": item}}]}}
        assert fault(engine, "BatchWriteItem", keyless) == "The provided key element does not match the schema"
    empty = {"RequestItems": {"music": [{"PutRequest": {"Item": {"pk": {"S": ""}}}}]}}
    assert "cannot contain an empty string value. Key: pk" in fault(engine, "BatchWriteItem", empty)
    assert fault(engine, "BatchWriteItem", {"RequestItems": {"music": [{}]}}) == (
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )
