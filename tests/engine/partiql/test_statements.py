"""What DynamoDB answers to statements: reads, writes, batches and transactions, and in which words it refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from partita.dynamo.errors import (
    ConditionalCheckFailedError,
    DuplicateItemError,
    DynamoError,
    IdempotentParameterMismatchError,
    ResourceNotFoundError,
    TransactionCanceledError,
    ValidationError,
)
from partita.engine import Engine
from tests.engine.tables import Clock, create, index, put, python_items

_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/music"
_WHOLE_KEY = "Select statements within ExecuteTransaction must specify the primary key in the where clause."
_TWICE = "Transaction request cannot include multiple operations on one item"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """`music` is only read, under the keys o, p and q; tests write under keys of their own."""
    with Engine.temporary(clock=Clock(), background=False) as engine:
        create(
            engine,
            "music",
            "pk sk",
            gsis=[index("byG", "g", "sk"), index("narrow", "g", "", "INCLUDE", ["kept"])],
            lsis=[index("byBirth", "pk", "born", "KEYS_ONLY")],
        )
        create(engine, "wide", gsis=[index("byPlace", "land town", "street")])
        for pk in "op":
            for sk in "123":
                put(engine, "music", pk=pk, sk=sk, g="x", n=int(sk), kept="k", born=f"b{sk}", l=["a"], m={"k": ["c"]})
        put(engine, "music", pk="q", sk="1", g="y", flag=True, nil=None, tags={"a", "b"}, name="it's")
        yield engine


def run(engine: Engine, statement: str, *parameters: Any, **options: Any) -> dict[str, Any]:
    wire: dict[str, Any] = {"Statement": statement, **options}
    if parameters:
        wire["Parameters"] = list(parameters)
    return engine.call("ExecuteStatement", wire)


def keys(engine: Engine, rest: str, source: str = "music", **options: Any) -> list[str]:
    found = run(engine, f"SELECT pk, sk FROM {source} {rest}", **options)
    return [f"{item['pk']}/{item['sk']}" for item in python_items(found)]


def refused(engine: Engine, statement: str, *parameters: Any, **options: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        run(engine, statement, *parameters, **options)
    return caught.value.message


def transact(engine: Engine, *statements: str, **options: Any) -> dict[str, Any]:
    wire = [{"Statement": each} for each in statements]
    return engine.call("ExecuteTransaction", {"TransactStatements": wire, **options})


def batch(engine: Engine, *statements: str, **options: Any) -> list[dict[str, Any]]:
    wire = {"Statements": [{"Statement": each} for each in statements], **options}
    responses: list[dict[str, Any]] = engine.call("BatchExecuteStatement", wire)["Responses"]
    return responses


def test_items_come_in_the_order_asked_for(engine: Engine) -> None:
    assert keys(engine, "WHERE pk = 'o' ORDER BY sk DESC") == ["o/3", "o/2", "o/1"]
    assert keys(engine, "WHERE pk = 'o' ORDER BY sk") == ["o/1", "o/2", "o/3"]
    assert keys(engine, "WHERE pk = 'o' ORDER BY pk ASC") == ["o/3", "o/2", "o/1"]
    both = ["p/1", "p/2", "p/3", "o/1", "o/2", "o/3"]
    assert keys(engine, "WHERE pk IN ['o', 'p'] ORDER BY pk DESC, sk ASC") == both
    assert keys(engine, "WHERE pk = 'p' AND (sk = '3' OR sk = '1') ORDER BY sk DESC") == ["p/3", "p/1"]


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("ORDER BY sk", "Must have WHERE clause in the statement when using ORDER BY clause."),
        ("WHERE pk = 'o' ORDER BY n", "Attribute n in ORDER BY clause must be part of the primary key"),
        ("WHERE pk > 'a' ORDER BY sk", "Must have at least one non-optional hash key condition in WHERE clause"),
        ("WHERE pk IN ['o', 'p'] ORDER BY sk", "Must have hash key in ORDER BY clause when more than one hash key"),
        ("WHERE pk IN ['o', 'o']", "Overlapping conditions with range keys are not supported in where clause"),
        ("WHERE pk = 'o' OR pk = 'o'", "Overlapping conditions"),
        ("WHERE pk = 'o' AND (sk > '0' OR sk < '5')", "Overlapping conditions"),
        ("WHERE pk = 'o' AND (sk = '1' OR n = 2)", "Overlapping conditions"),
        ("WHERE pk = 1 OR pk = 'o'", "Key attribute's data type should match its data type in table's schema: Key pk"),
        ("WHERE pk = 'o' AND sk IN ['1', 2]", "should match its data type in table's schema: Key sk"),
        ("WHERE pk = ''", "cannot contain an empty string value. Key: pk"),
        ("WHERE pk.x = 1", "Key attributes must be scalars"),
        (f"WHERE pk IN [{', '.join(map(repr, map(str, range(51))))}]", "Too many decomposed read operations"),
        (f"WHERE n IN [{', '.join(map(str, range(101)))}]", "provided with too many operands; number of operands: 101"),
    ],
)
def test_a_read_that_keys_cannot_answer_is_refused(engine: Engine, rest: str, told: str) -> None:
    assert told in refused(engine, f"SELECT * FROM music {rest}")


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ("pk = 'o' AND NOT sk = '1' OR pk = 'o' AND sk = '2'", ["o/2", "o/3"]),
        ("pk = 'o' OR sk = '1'", ["o/1", "o/2", "o/3", "p/1", "q/1"]),
        ("pk = 'o' AND sk > '0' AND sk <> '1' AND sk < '3'", ["o/2"]),
        ("pk = 'o' AND sk = '1' AND sk > '1'", []),
        ("attribute_exists(flag) = true", ["q/1"]),
        ("true = attribute_exists(flag)", ["q/1"]),
        ("pk = 'q' AND attribute_exists(nope) = false", ["q/1"]),
        ("pk = 'q' AND attribute_exists(flag) = flag", ["q/1"]),
        ("pk = 'q' AND attribute_exists(flag) <> 1", ["q/1"]),
        ("pk = 'q' AND (attribute_exists(flag) = true) = false", []),
        ("pk = 'q' AND attribute_exists(nope) IN [true, false]", ["q/1"]),
        ("nil IS NULL", ["q/1"]),
        ("pk = 'q' AND nope IS NULL", []),
        ("pk = 'q' AND nil IS NOT NULL", []),
        ("flag IS BOOL AND name IS STRING AND nope IS MISSING", ["q/1"]),
        ("size(tags) = 2 AND contains(tags, 'a') AND name = 'it''s'", ["q/1"]),
        ("pk = 'q' AND 'a' <= name", ["q/1"]),
        ("pk > 1", []),
    ],
)
def test_where_means_what_it_says(engine: Engine, where: str, wanted: list[str]) -> None:
    assert sorted(keys(engine, f"WHERE {where}")) == wanted


def test_an_index_answers_with_what_it_holds(engine: Engine) -> None:
    found = run(engine, "SELECT * FROM music.narrow WHERE g = 'y'", ReturnConsumedCapacity="INDEXES")
    assert python_items(found) == [{"pk": "q", "sk": "1", "g": "y"}]
    assert found["ConsumedCapacity"]["Table"] == {"CapacityUnits": 0.0}
    assert found["ConsumedCapacity"]["GlobalSecondaryIndexes"] == {"narrow": {"CapacityUnits": 0.5}}
    assert sorted(keys(engine, "WHERE g = 'x' AND kept = 'k' AND sk = '1'", "music.byG")) == ["o/1", "p/1"]
    local = run(engine, "SELECT n FROM music.byBirth WHERE pk = 'o' AND born = 'b2'", ConsistentRead=True)
    assert python_items(local) == [{"n": 2}]
    assert keys(engine, "WHERE NOT n = 1", "music.narrow") != []  # the index holds no n: the negation is true


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("SELECT * FROM music.nope WHERE pk = 'o'", "The table does not have the specified index"),
        ("SELECT n, m FROM music.narrow", "Global secondary index narrow does not project [n, m]"),
        (
            "SELECT pk FROM music.narrow WHERE g = 'x' AND n = 1",
            "Secondary index narrow does not project one or more filter attributes: [n]",
        ),
        (
            "SELECT pk FROM music.byBirth WHERE pk = 'o' AND n = 1",
            "Secondary index byBirth does not project one or more filter attributes: [n]",
        ),
        (
            "SELECT * FROM wide.byPlace",
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys",
        ),
        ("INSERT INTO music.byG VALUE {'pk': 'x'}", "FROM clause may only contain a single table name"),
        ("UPDATE music.byG SET n = 1 WHERE pk = 'o' AND sk = '1'", "This operation is not supported on an index"),
        ("DELETE FROM music.byG WHERE pk = 'o' AND sk = '1'", "This operation is not supported on an index"),
    ],
)
def test_what_an_index_cannot_do_is_refused(engine: Engine, statement: str, told: str) -> None:
    assert told in refused(engine, statement)


def test_a_global_index_has_no_consistent_reads(engine: Engine) -> None:
    told = refused(engine, "SELECT * FROM music.byG WHERE g = 'x'", ConsistentRead=True)
    assert told == "Strongly consistent read is not supported on Global Secondary Indexes"


def test_a_missing_table_is_told(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundError, match="Requested resource not found"):
        run(engine, "SELECT * FROM nope WHERE pk = 'o'")
    assert "Incorrect operand type" in refused(engine, "SELECT * FROM nope WHERE n < true")


def test_paths_come_under_their_last_names(engine: Engine) -> None:
    found = run(engine, "SELECT m.k[0], l[0], m.nope FROM music WHERE pk = 'o' AND sk = '1'")
    assert python_items(found) == [{"k[0]": "c", "l[0]": "a"}]
    assert run(engine, "SELECT nope FROM music WHERE pk = 'o' AND sk = '1'")["Items"] == [{}]


def test_a_page_goes_on_where_the_last_one_ended(engine: Engine) -> None:
    statement = "SELECT sk FROM music WHERE pk IN ['o', 'p'] ORDER BY pk DESC"
    first = run(engine, statement, Limit=2)
    second = run(engine, statement, Limit=2, NextToken=first["NextToken"])
    assert [item["sk"]["S"] for item in (*first["Items"], *second["Items"])] == ["3", "2", "1", "3"]
    assert refused(engine, f"{statement}, sk", NextToken=first["NextToken"]) == "NextToken does not match request"


@pytest.mark.parametrize("token", ["x", "bnVsbA==", "W10=", "WyIiLCAtMSwgbnVsbF0=", "WyIiLCA5OSwge31d", "é"])
def test_a_token_that_nobody_gave_is_refused(engine: Engine, token: str) -> None:
    for statement in ("SELECT * FROM music", "SELECT * FROM music WHERE pk = 'o'"):
        assert refused(engine, statement, NextToken=token) in ("Invalid NextToken", "NextToken does not match request")


def test_an_insert_makes_an_item_once(engine: Engine) -> None:
    assert run(engine, "INSERT INTO music VALUE {'pk': 'i', 'sk': ?, 's': <<1>>}", {"S": "1"}) == {"Items": []}
    with pytest.raises(DuplicateItemError, match="Duplicate primary key exists in table"):
        run(engine, "INSERT INTO music VALUE {'pk': 'i', 'sk': '1', 'other': 1}")
    assert python_items(run(engine, "SELECT * FROM music WHERE pk = 'i'")) == [{"pk": "i", "sk": "1", "s": {1}}]


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("INSERT INTO music VALUE {'pk': 'x'}", "Key attribute should be present in the item: Key sk"),
        ("INSERT INTO music VALUE {'pk': 'x', 'sk': 1}", "should match its data type in table's schema: Key sk"),
        ("UPDATE music SET a = 1 WHERE pk = 'o'", "Where clause does not contain a mandatory equality on all key"),
        ("UPDATE music SET a = 1", "Where clause does not contain a mandatory equality on all key attributes"),
        ("UPDATE music SET a = 1 WHERE pk IN ['o'] AND sk = '1'", "Where clause does not contain a mandatory equality"),
        ("UPDATE music SET a = 1 WHERE pk = 'o' AND sk = '1' AND pk = 'p'", "Multiple conditions on same key pk."),
        ("UPDATE music SET a = 1 WHERE pk = 'o' AND sk = 1", "should match its data type in table's schema: Key sk"),
        ("UPDATE music SET pk = 1 WHERE pk = 'o' AND sk = '1'", "Cannot update attribute pk. This attribute is part"),
        ("UPDATE music SET z = z + 1 WHERE pk = 'o' AND sk = '1'", "refers to an attribute that does not exist"),
        ("UPDATE music SET n = set_add(n, <<1>>) WHERE pk = 'o' AND sk = '1'", "has an incorrect data type"),
        (
            "DELETE FROM music WHERE pk = 'o'",
            "Where clause does not contain a mandatory equality on all key attributes",
        ),
        ("EXISTS(SELECT * FROM music WHERE pk = 'o')", "EXISTS can only be used in ExecuteTransaction write requests."),
    ],
)
def test_a_write_that_names_no_item_or_cannot_be_done_is_refused(engine: Engine, statement: str, told: str) -> None:
    assert told in refused(engine, statement)


def test_an_update_changes_an_item_and_makes_none(engine: Engine) -> None:
    put(engine, "music", pk="u", sk="1", n=1, l=["a"])
    where = "WHERE (pk = 'u' AND sk = '1') AND n = 1"
    update = f"UPDATE music SET n = n + 2, l = list_append(l, ['b']) REMOVE nope {where} RETURNING ALL NEW *"
    assert python_items(run(engine, update)) == [{"pk": "u", "sk": "1", "n": 3, "l": ["a", "b"]}]
    with pytest.raises(ConditionalCheckFailedError) as caught:
        run(engine, update, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert caught.value.item["n"] == {"N": "3"}
    first = "FROM music WHERE pk = 'u' AND sk = '1' SET n = 4 RETURNING MODIFIED OLD *"
    assert python_items(run(engine, first)) == [{"n": 3}]
    with pytest.raises(ConditionalCheckFailedError):
        run(engine, "UPDATE music SET n = 1 WHERE pk = 'u' AND sk = 'none' AND attribute_not_exists(pk)")
    assert keys(engine, "WHERE pk = 'u'") == ["u/1"]


def test_a_deletion_of_nothing_succeeds_and_one_whose_condition_fails_does_not(engine: Engine) -> None:
    put(engine, "music", pk="d", sk="1", n=1)
    assert run(engine, "DELETE FROM music WHERE pk = 'd' AND sk = 'none' RETURNING ALL OLD *") == {"Items": []}
    assert run(engine, "DELETE FROM music WHERE pk = 'd' AND sk = 'none' AND n = 2") == {"Items": []}
    assert transact(engine, "DELETE FROM music WHERE pk = 'd' AND sk = 'none' AND n = 2") == {"Responses": []}
    with pytest.raises(ConditionalCheckFailedError):
        run(engine, "DELETE FROM music WHERE pk = 'd' AND sk = '1' AND n = 2")
    gone = run(engine, "DELETE FROM music WHERE pk = 'd' AND sk = '1' AND n = 1 RETURNING ALL OLD *")
    assert python_items(gone) == [{"pk": "d", "sk": "1", "n": 1}]


def test_every_read_of_a_batch_has_its_answer_in_its_place(engine: Engine) -> None:
    key = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
    found = batch(
        engine,
        "SELECT sk FROM music WHERE pk = 'o' AND sk IN ['1']",
        "SELECT * FROM music WHERE pk = 'o'",
        "SELECT * FROM music WHERE pk = 'o' AND sk = '2' AND n = 2",
        "SELECT * FROM music.byG WHERE g = 'x'",
        "SELECT * FROM nope WHERE pk = 'o'",
        "SLECT",
        "SELECT * FROM music WHERE pk = 'o' AND sk = 'none'",
    )
    assert found[0] == {"TableName": "music", "Item": {"sk": {"S": "1"}}}
    assert [each["Error"] for each in found[1:4]] == [{"Code": "ValidationError", "Message": key}] * 3
    assert found[4] == {"Error": {"Code": "ResourceNotFound", "Message": "Requested resource not found"}}
    assert found[5]["Error"]["Code"] == "ValidationError"
    assert found[6] == {"TableName": "music"}


def test_every_write_of_a_batch_is_done_for_itself(engine: Engine) -> None:
    put(engine, "music", pk="b", sk="1", n=1)
    found = batch(
        engine,
        "INSERT INTO music VALUE {'pk': 'b', 'sk': '2'}",
        "INSERT INTO music VALUE {'pk': 'b', 'sk': '1'}",
        "UPDATE music SET n = 2 WHERE pk = 'b' AND sk = '3'",
        "DELETE FROM music WHERE pk = 'b' AND sk = '4' RETURNING ALL NEW *",
        "UPDATE music SET n = 2 WHERE pk = 'b'",
    )
    assert found[0] == {"TableName": "music"}
    assert found[1]["Error"] == {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}
    assert found[2]["Error"] == {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    assert [each.get("TableName") for each in found[1:]] == ["music", "music", None, None]
    assert keys(engine, "WHERE pk = 'b'") == ["b/1", "b/2"]


def test_a_batch_is_of_reads_or_of_writes_and_of_each_item_once(engine: Engine) -> None:
    read, write = "SELECT * FROM music WHERE pk = 'o' AND sk = '1'", "INSERT INTO music VALUE {'pk': 'bb', 'sk': '1'}"
    for statements, told in (
        ((read, write), "Read and write requests together in the same batch is not supported."),
        ((read, read), "Provided list of item keys contains duplicates"),
        ((read, read.replace("music", f'"{_ARN}"')), "Provided list of item keys contains duplicates"),
        ((write, "DELETE FROM music WHERE pk = 'bb' AND sk = '1'"), "Provided list of item keys contains duplicates"),
        ((), "Member must have length greater than or equal to 1"),
        ((read,) * 26, "Member must have length less than or equal to 25"),
    ):
        with pytest.raises(ValidationError) as caught:
            batch(engine, *statements)
        assert told in caught.value.message
    assert keys(engine, "WHERE pk = 'bb'") == []


def test_a_batch_costs_what_its_statements_cost(engine: Engine) -> None:
    statement = {"Statement": "SELECT * FROM music WHERE pk = 'o' AND sk = '1'", "ConsistentRead": True}
    other = {"Statement": "SELECT * FROM music WHERE pk = 'o' AND sk = '2'"}
    wire = {"Statements": [statement, other], "ReturnConsumedCapacity": "TOTAL"}
    spent = engine.call("BatchExecuteStatement", wire)["ConsumedCapacity"]
    assert spent == [{"TableName": "music", "CapacityUnits": 1.5}]


def _writes(engine: Engine, *texts: str, **options: str) -> dict[str, Any]:
    entries = [{"Statement": text, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"} for text in texts]
    return engine.call("BatchExecuteStatement", {"Statements": entries, **options})


def test_a_condition_that_fails_in_a_batch_shows_its_item_if_that_is_asked_for(engine: Engine) -> None:
    put(engine, "music", pk="held", sk="1", n=1)
    found, missing = _writes(
        engine,
        "UPDATE music SET n = 2 WHERE pk = 'held' AND sk = '1' AND n = 5",
        "UPDATE music SET n = 2 WHERE pk = 'held' AND sk = '2'",
    )["Responses"]
    item = {"pk": {"S": "held"}, "sk": {"S": "1"}, "n": {"N": "1"}}
    told = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    assert found == {"TableName": "music", "Error": {**told, "Item": item}}
    assert missing == {"TableName": "music", "Error": told}
    (silent,) = batch(engine, "UPDATE music SET n = 2 WHERE pk = 'held' AND sk = '1' AND n = 5")
    assert silent == {"TableName": "music", "Error": told}


def test_a_write_of_a_batch_whose_condition_fails_costs_what_its_item_does(engine: Engine) -> None:
    put(engine, "music", pk="cost", sk="1", filler="x" * 2_500)
    for statement, units in (
        ("UPDATE music SET n = 2 WHERE pk = 'cost' AND sk = '1' AND n = 5", 3),
        ("UPDATE music SET n = 2 WHERE pk = 'cost' AND sk = '2'", 1),
        ("DELETE FROM music WHERE pk = 'cost' AND sk = '1' AND n = 5", 3),
        ("INSERT INTO music VALUE {'pk': 'cost', 'sk': '1'}", 3),
        (f"INSERT INTO music VALUE {{'pk': 'cost', 'sk': '1', 'f': '{'x' * 4_500}'}}", 5),
    ):
        spent = _writes(engine, statement, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
        assert spent == [{"TableName": "music", "CapacityUnits": units}], statement
    unreadable = _writes(engine, "UPDATE music SET n = 2 WHERE pk = 'cost'", ReturnConsumedCapacity="TOTAL")
    assert unreadable["ConsumedCapacity"] == []


def test_a_transaction_of_reads_is_of_one_moment_and_by_key(engine: Engine) -> None:
    read = "SELECT sk FROM music WHERE pk = 'o' AND sk = "
    found = transact(engine, f"{read}'1'", f"{read}'none'", ReturnConsumedCapacity="TOTAL")
    assert found["Responses"] == [{"Item": {"sk": {"S": "1"}}}, {}]
    assert found["ConsumedCapacity"][0]["ReadCapacityUnits"] == 4.0
    for statements, told in (
        ((f"{read}'1'", f"{read}'1'"), _TWICE),
        (("SELECT * FROM music WHERE pk = 'o'",), _WHOLE_KEY),
        ((f"{read}'1' AND n = 1",), _WHOLE_KEY),
        ((f"{read}'2'", "SELECT * FROM music.byG WHERE g = 'x'"), "TransactStatements[1]: Reads on indices are not"),
        ((f"{read}'1'", "DELETE FROM music WHERE pk = 'o'"), "does not support both read and write operations"),
        (("SELECT * FROM music WHERE",), "Validation failed in TransactStatements[0]: Statement wasn't well formed"),
    ):
        with pytest.raises(ValidationError) as caught:
            transact(engine, *statements)
        assert told in caught.value.message


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "Member must have length greater than or equal to 1"),
        (101, "Member must have length less than or equal to 100"),
    ],
)
def test_a_transaction_has_1_to_100_statements(engine: Engine, count: int, told: str) -> None:
    inserts = [f"INSERT INTO music VALUE {{'pk': 'many', 'sk': '{number}'}}" for number in range(count)]
    with pytest.raises(ValidationError) as caught:
        transact(engine, *inserts)
    assert caught.value.message.endswith(f"at 'transactStatements' failed to satisfy constraint: {told}")
    assert keys(engine, "WHERE pk = 'many'") == []


def test_a_transaction_of_writes_is_done_whole_or_not_at_all(engine: Engine) -> None:
    put(engine, "music", pk="t", sk="1", n=1)
    insert = "INSERT INTO music VALUE {'pk': 't', 'sk': '2'}"
    with pytest.raises(TransactionCanceledError) as caught:
        transact(engine, insert, "INSERT INTO music VALUE {'pk': 't', 'sk': '1'}")
    duplicate = {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}
    assert caught.value.reasons == [{"Code": "None"}, duplicate]
    assert keys(engine, "WHERE pk = 't'") == ["t/1"]
    check = "EXISTS(SELECT * FROM music WHERE pk = 't' AND sk = '1' AND nope IS MISSING)"
    assert transact(engine, check, insert) == {"Responses": []}
    with pytest.raises(TransactionCanceledError) as caught:
        transact(engine, check.replace("nope", "n"), "DELETE FROM music WHERE pk = 't' AND sk = '2'")
    assert [reason["Code"] for reason in caught.value.reasons] == ["ConditionalCheckFailed", "None"]
    assert keys(engine, "WHERE pk = 't'") == ["t/1", "t/2"]


def test_what_a_transaction_cannot_hold_is_told_of_its_statement(engine: Engine) -> None:
    update = "UPDATE music SET a = 1 WHERE pk = 'o' AND sk = '1'"
    for statement, told in (
        (f"{update} RETURNING ALL NEW *", "RETURNING clause is not supported in ExecuteTransaction."),
        ("EXISTS(SELECT * FROM music WHERE pk = 'o' AND sk = '1')", "EXISTS() must contain a single item read with"),
        ("UPDATE music.byG SET a = 1 WHERE pk = 'o'", "This operation is not supported on an index"),
    ):
        with pytest.raises(ValidationError) as caught:
            transact(engine, "UPDATE nope SET a = 1 WHERE pk = 'o'", statement)
        assert caught.value.message.startswith(f"Validation failed in TransactStatements[1]: {told}")
    with pytest.raises(ResourceNotFoundError, match="Requested resource not found"):
        transact(engine, "UPDATE nope SET a = 1 WHERE pk = 'o'", update)
    with pytest.raises(ResourceNotFoundError, match="Requested resource not found"):
        transact(engine, "SELECT * FROM nope WHERE pk = 'o'")
    with pytest.raises(TransactionCanceledError) as canceled:
        transact(engine, "UPDATE music SET a = 1 WHERE pk = 'o'", "DELETE FROM music WHERE pk = 'o' AND sk = 1", update)
    assert [reason["Code"] for reason in canceled.value.reasons] == ["ValidationError", "ValidationError", "None"]
    assert canceled.value.reasons[0]["Message"] == "The provided key element does not match the schema"


def test_a_transaction_with_a_token_is_done_once(engine: Engine) -> None:
    put(engine, "music", pk="once", sk="1", n=0)
    add = "UPDATE music SET n = n + 1 WHERE pk = 'once' AND sk = '1'"
    first = transact(engine, add, ClientRequestToken="once", ReturnConsumedCapacity="TOTAL")
    again = transact(engine, add, ClientRequestToken="once", ReturnConsumedCapacity="TOTAL")
    assert first["ConsumedCapacity"][0]["WriteCapacityUnits"] == 2.0
    assert again["ConsumedCapacity"][0]["ReadCapacityUnits"] == 2.0
    assert python_items(run(engine, "SELECT n FROM music WHERE pk = 'once'")) == [{"n": 1}]
    with pytest.raises(IdempotentParameterMismatchError):
        transact(engine, add.replace("+ 1", "+ 2"), ClientRequestToken="once")


def test_parameters_are_checked_before_the_statement_is_read(engine: Engine) -> None:
    duplicates = "One or more parameter values were invalid: Input collection [a, a] contains duplicates."
    assert refused(engine, "UPDATE music SET WHERE", {"SS": ["a", "a"]}) == duplicates
    with pytest.raises(DynamoError, match="Member must have length less than or equal to 8192"):
        run(engine, "SELECT * FROM music WHERE n = " + "1" * 8192)
