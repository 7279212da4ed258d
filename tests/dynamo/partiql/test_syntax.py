"""Reading statements: every text is read or refused, and what is read is what was written."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import Condition, In, Path, Value
from partita.dynamo.partiql.literals import checked_parameters
from partita.dynamo.partiql.statements import Insert, Select, column, statement
from partita.dynamo.partiql.syntax import parse
from partita.dynamo.partiql.tokens import StatementError, tokens
from partita.dynamo.values import AttributeValue
from tests.dynamo.partiql.writing import Writer, text
from tests.dynamo.strategies import conditions, values

_WORDS = (
    "SELECT INSERT UPDATE DELETE FROM INTO VALUE WHERE SET REMOVE RETURNING ALL OLD NEW MODIFIED ORDER BY AND OR "
    "NOT IN IS MISSING NULL BETWEEN EXISTS a t \"t\" 'x' ? 1 -1 .5e3 * , . ; ( ) [ ] { } : << >> = <> != < <= > >= + - "
    "set_add( size( true -- /* */ # ` é \x00"
)
_soups = st.lists(st.sampled_from(_WORDS.split(" ")), max_size=25).map(" ".join)
_starts = st.sampled_from(("", "SELECT * FROM t WHERE ", "UPDATE t SET a = ", "INSERT INTO t VALUE {'a': "))


@settings(max_examples=100)
@given(st.builds(str.__add__, _starts, _soups | st.text(max_size=40)))
@example("SELECT * FROM t WHERE " + "(" * 4000)
@example("SELECT * FROM t WHERE " + "NOT " * 1500 + "a = 1")
@example("SELECT * FROM t WHERE a" + "=a" * 2000)
@example("UPDATE t SET a = " + "1+" * 2000 + "1 WHERE a = 1")
@example("INSERT INTO t VALUE " + "{'a': " * 1000)
@example("SELECT * FROM t WHERE a = " + "[" * 4000)
@example("SELECT * FROM t WHERE " + " = ".join(["size(a) = 1"] * 90))
@example("SELECT * FROM t WHERE " + "(" * 60 + "a = 1" + " = b)" * 60)
@example("SELECT a" + ".b" * 3000 + " FROM t")
def test_any_text_is_read_or_refused_and_a_refusal_of_its_form_has_a_place_in_it(written: str) -> None:
    refusal: ValidationError | None = None
    try:
        statement(written)
    except ValidationError as error:
        refusal = error
    assert refusal is None or refusal.message
    if isinstance(refusal, StatementError):
        assert 0 <= refusal.spot.offset <= len(written)
        before = written[: refusal.spot.offset]
        assert refusal.spot.line == before.count("\n") + 1
        assert refusal.spot.column == len(before) - (before.rfind("\n") + 1) + 1


@settings(max_examples=40)
@given(conditions, st.booleans())
def test_a_condition_that_is_written_as_partiql_is_read_as_itself(condition: Condition, literal: bool) -> None:
    writer = Writer(literal=literal)
    written = f"SELECT * FROM t WHERE {writer.condition(condition)}"
    select = statement(written, checked_parameters(writer.parameters))
    assert isinstance(select, Select)
    assert select.where == condition


@settings(max_examples=40)
@given(st.dictionaries(st.text(min_size=1, max_size=8), values, max_size=4))
def test_an_item_that_is_written_as_partiql_is_read_as_itself(item: dict[str, AttributeValue]) -> None:
    writer = Writer()
    entries = ", ".join(f"{text(key)}: {writer.value(value)}" for key, value in item.items())
    insert = statement(f"INSERT INTO t VALUE {{{entries}}}", tuple(writer.parameters))
    assert isinstance(insert, Insert)
    assert insert.item == item


@given(st.text(alphabet=" \n\r\tab'\"-/*,<>=1e.?", max_size=30))
def test_tokens_are_in_the_order_of_the_text_and_do_not_overlap(written: str) -> None:
    try:
        found = tokens(written)
    except StatementError:
        return
    reached = 0
    for token in found:
        assert token.spot.offset >= reached
        reached = token.spot.offset + token.spot.length
    assert found[-1].kind == "end"
    assert reached == len(written)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("SLECT * FROM t", "Expected data manipulation"),
        ("UPDATE Payment-x SET a = 1", "Expected data manipulation"),
        ("SELECT * FROM t WHERE", "Unexpected term"),
        ("SELECT * FROM t WHERE;", "Unexpected term"),
        ("SELECT * FROM t WHERE NOT", "Unexpected term"),
        ("SELECT * FROM t WHERE (", "Unexpected term"),
        ("SELECT * FROM", "Unexpected term"),
        ("SELECT * FROM t WHERE pk = 'p1' AND", "Missing right-hand side expression of infix operator"),
        ("SELECT * FROM t WHERE ORDER BY pk", "Unexpected keyword"),
        ("INSERT INTO urls (key, clicks) VALUES (?, ?)", "Unexpected keyword"),
        ("SELECT * FROM t WHERE IS NULL", "Unexpected operator"),
        ("SELECT * FROM t WHERE pk = LIKE", "Unexpected operator"),
        ("SELECT * FROM t WHERE pk = 'a' AND x IS FOO", "Expected type name"),
        ("SELECT * FROM t WHERE attribute_exists(m.inner)", "Invalid path dot component"),
        ("DELETE FROM", "Expected identifier for simple path"),
        ("DELETE FROM WHERE pk = 'a'", "Expected identifier for simple path"),
        ("SELECT * FROM t WHERE pk = 1 foo", "Unexpected token after expression"),
        ("SELECT * FROM t WHERE pk = 1 e5", "Unexpected token after expression"),
        ("SELECT * FROM t WHERE pk = 1)", "Unexpected token after expression"),
        ("SELECT * FROM t ORDER BY pk WHERE pk = 1", "Unexpected token after expression"),
        ("DELETE FROM t WHERE pk = 1 ORDER BY pk", "Unexpected token after expression"),
        ("INSERT INTO t VALUE {'pk': 1} foo", "Unexpected token after expression"),
        ("INSERT INTO t x VALUE {'pk': 1}", "Unexpected token after expression"),
        ("FROM t SET c = 1 WHERE pk = 'x'", "Unexpected token after expression"),
        ("SELECT * FROM t WHERE pk = 1e2147483648", ""),
        ("SELECT * FROM t WHERE pk = 1.5e-2147483647", ""),
        ("SELECT * FROM t WHERE pk = 1 # note", ""),
        ("SELECT * FROM t WHERE pk = 1 /* note", ""),
        ('SELECT * FROM "t', ""),
    ],
)
def test_a_statement_of_the_wrong_form_is_refused_in_dynamodbs_words(written: str, told: str) -> None:
    with pytest.raises(StatementError) as caught:
        parse(written)
    assert caught.value.message == f"Statement wasn't well formed, can't be processed: {told}"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("SELECT * FROM t x WHERE pk = 'x'", "Aliasing is not supported"),
        ("SELECT * FROM t AS x WHERE pk = 'x'", "Aliasing is not supported"),
        ("SELECT a AS b FROM t", "Aliasing is not supported"),
        ("DELETE FROM t x WHERE pk = 'x'", "Aliasing is not supported"),
        ('SELECT * FROM ""', "Path component cannot be an empty string"),
        ('SELECT * FROM t."i"."x"', "A path may contain at most 2 components in the FROM clause"),
        ("SELECT * FROM t LIMIT 5", "Unsupported clause: LIMIT"),
        ("SELECT a, a FROM t", "Duplicate identifiers in select clause: a"),
        ("SELECT COUNT(*) FROM t", "Unexpected path component at 1:8:5"),
        ("SELECT l[-1] FROM t", "List index is not within the allowable range; index: [-1] at 1:11:1"),
        ("SELECT l[2147483648] FROM t", "List index is not within the allowable range; index: [2147483648] at 1:10:10"),
        ("SELECT * FROM t WHERE a = 1e126", "larger than supported range under root"),
        ("INSERT INTO t VALUE {'m': {'x': 1e-131}}", "smaller than supported range under root.x"),
        ("INSERT INTO t VALUE {'l': [1, 1e126]}", "larger than supported range under root[1]"),
        ("INSERT INTO t VALUE {'s': <<>>}", "Empty bags are not supported"),
        ("INSERT INTO t VALUE {'s': <<1, 'a'>>}", "DynamoDB only supports either numbers or strings in bags"),
        ("INSERT INTO t VALUE {'s': <<'a', 'a'>>}", "Input collection [a, a] contains duplicates."),
        ("INSERT INTO t VALUE {'s': <<2, 2.0>>}", "Input collection [2, 2.0] contains duplicates! under root"),
        ("INSERT INTO t VALUE {'s': set_add(a, b)}", "Unsupported data type: set_add under key root at 1:27:7"),
        ("INSERT INTO t VALUES <<{'a': 1}>>", "Inserting multiple items in a single statement is not supported"),
        ("SELECT * FROM t WHERE EXISTS(ss)", "Unrecognized function: exists at 1:23:6"),
        ("SELECT * FROM t WHERE a = MISSING", "MISSING must be compared using IS operator"),
        ("SELECT * FROM t WHERE a IS INT4", "Unsupported data type for IS operator: INT4."),
        ("SELECT * FROM t WHERE a", "WHERE clause must contain an expression that resolves to a boolean"),
        ("SELECT * FROM t WHERE a AND b = 1", "The arguments to AND/OR must be Expressions"),
        ("SELECT * FROM t WHERE attribute_exists(n) > false", "operator or function: >, operand type: BOOL"),
        ("SELECT * FROM t WHERE a < true", "operator or function: <, operand type: BOOL"),
        ("SELECT * FROM t WHERE a <= NULL", "operator or function: <=, operand type: NULL"),
        ("SELECT * FROM t WHERE a > [1]", "operator or function: >, operand type: L"),
        ("SELECT * FROM t WHERE a >= {'k': 1}", "operator or function: >=, operand type: M"),
        ("SELECT * FROM t WHERE a < <<1>>", "operator or function: <, operand type: NS"),
        ("SELECT * FROM t WHERE a < <<'x'>>", "operator or function: <, operand type: SS"),
        (
            "UPDATE t SET l = list_append(list_append(l, [1]), [2])",
            "The function is not allowed to be used this way in an expression; function: list_append",
        ),
        ("UPDATE t SET ss = set_add(ss) WHERE a = 1", "SET_ADD must have exactly two arguments at 1:19:7"),
        (
            "UPDATE t SET b = set_add(ss, <<1>>)",
            "The first argument to SET_ADD must equal the assignment value at 1:18:7",
        ),
        (
            "UPDATE t\nSET ss = set_add(ss, 'x')",
            "The second argument to SET_ADD must be a value with type SET at 2:18:2",
        ),
        ("UPDATE t SET a = 'a' + 1", "operator or function: +, operand type: S"),
        ("UPDATE t SET a = 1 SET a = 2", "Two document paths overlap with each other"),
        ("DELETE FROM t RETURNING ALL NEW *", "Only RETURNING ALL OLD * is allowed in DELETE statements."),
        ("UPDATE t SET a = 1 RETURNING ALL OLD", "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD )"),
        ("SELECT * FROM t WHERE a = ?", "Number of parameters in request and statement don't match."),
    ],
)
def test_a_statement_that_means_nothing_is_refused_in_dynamodbs_words(written: str, told: str) -> None:
    with pytest.raises(ValidationError) as caught:
        statement(written)
    assert told in caught.value.message


def test_a_literal_nests_as_deep_as_a_value() -> None:
    deepest = statement("INSERT INTO t VALUE {'d': " + "[" * 31 + "1" + "]" * 31 + "}")
    assert isinstance(deepest, Insert)
    with pytest.raises(ValidationError) as caught:
        statement("INSERT INTO t VALUE {'d': " + "{'a': " * 32 + "1" + "}" * 32 + "}")
    assert caught.value.message == "Nesting Levels have exceeded supported limits under root" + ".a" * 32


def test_a_parameter_stands_for_a_value_but_not_inside_a_literal() -> None:
    select = statement("SELECT * FROM t WHERE a IN [?, 2]", ({"N": "1"},))
    assert isinstance(select, Select)
    assert select.where == In(Path(("a",)), (Value({"N": "1"}), Value({"N": "2"})))
    with pytest.raises(ValidationError) as caught:
        statement("INSERT INTO t VALUE {'a': {'k': ?}}", ({"N": "1"},))
    assert caught.value.message == "Unsupported data type: Parameter under key root.k at 1:33:1"


@pytest.mark.parametrize("number", ["abc", "1e99999999999", "1e2147483648", "-1e-2147483648"])
def test_a_parameter_that_is_no_number_is_told_as_it_was_given(number: str) -> None:
    for parameter in ({"N": number}, {"L": [{"N": "1"}, {"N": number}]}, {"NS": ["1", number]}):
        with pytest.raises(ValidationError) as caught:
            checked_parameters([parameter])
        assert caught.value.message == f"The parameter cannot be converted to a numeric value: {number}"


def test_a_column_is_named_after_the_last_name_of_its_path() -> None:
    assert column(Path(("m", "x"))) == "x"
    assert column(Path(("m", "k", 0))) == "k[0]"
    assert column(Path(("l", 0, 1))) == "l[0][1]"


def test_comments_signs_and_cases_mean_what_they_should() -> None:
    written = "select/**/* from t -- a note\nwhere a = - - 1 and b != +2 and c = 'it''s -- here';"
    plain = "SELECT * FROM t WHERE a = 1 AND b <> 2 AND c = 'it''s -- here'"
    assert statement(written) == statement(plain)


@settings(max_examples=40)
@given(conditions, st.randoms(use_true_random=False))
def test_keywords_and_functions_mean_the_same_in_any_case(condition: Condition, random: Random) -> None:
    writer = Writer(literal=False)
    written = f'SELECT * FROM "t" WHERE {writer.condition(condition)}'
    parts = written.split('"')  # every second one is of a name
    parts[::2] = ["".join(random.choice((letter.lower(), letter.upper())) for letter in part) for part in parts[::2]]
    changed = '"'.join(parts)
    parameters = checked_parameters(writer.parameters)
    assert statement(changed, parameters) == statement(written, parameters)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (".5", {"N": "0.5"}),
        ("-.5E1", {"N": "-5"}),
        ("1e2", {"N": "100"}),
        ("1.50E+2", {"N": "150"}),
        ("25e-1", {"N": "2.5"}),
        ("TRUE", {"BOOL": True}),
        ("fAlse", {"BOOL": False}),
        ("Null", {"NULL": True}),
        ("[1, 'a', [true]]", {"L": [{"N": "1"}, {"S": "a"}, {"L": [{"BOOL": True}]}]}),
        ("{'k': <<1, 2>>}", {"M": {"k": {"NS": ["1", "2"]}}}),
    ],
)
def test_a_literal_is_the_value_that_it_looks_like(written: str, value: AttributeValue) -> None:
    insert = statement(f"INSERT INTO t VALUE {{'a': {written}}}")
    assert isinstance(insert, Insert)
    assert insert.item == {"a": value}


@pytest.mark.parametrize("marks", [0, 1, 2, 3])
def test_there_are_as_many_parameters_as_marks_for_them(marks: int) -> None:
    written = f"SELECT * FROM t WHERE a IN [{', '.join(['1'] + ['?'] * marks)}]"
    for count in range(5):
        parameters = tuple({"N": str(number)} for number in range(2, count + 2))
        if count == marks:
            statement(written, parameters)
            continue
        with pytest.raises(ValidationError) as caught:
            statement(written, parameters)
        assert caught.value.message == "Number of parameters in request and statement don't match."
