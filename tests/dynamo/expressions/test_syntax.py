"""Expression text: grammar, precedence, and what a syntax error says."""

from __future__ import annotations

import pytest

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import bind
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.tree import (
    And,
    Arithmetic,
    AttributeExists,
    Between,
    Compare,
    Condition,
    Not,
    Or,
    Path,
    SetAction,
    Size,
    Value,
)

A, B, C = (AttributeExists(Path((name,))) for name in "abc")
_TEXTS = {"a": "attribute_exists(a)", "b": "attribute_exists(b)", "c": "attribute_exists(c)"}


def _condition(text: str) -> Condition:
    return bind.condition(text, Placeholders({"#n": "name"}, {":v": {"N": "1"}, ":w": {"N": "2"}}))


def _logic(text: str) -> Condition:
    """A condition in which a, b and c stand for attribute_exists of them."""
    return _condition(" ".join(_TEXTS.get(word, word) for word in text.replace("(", "( ").replace(")", " )").split()))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a OR b AND c", Or((A, And((B, C))))),
        ("a AND b OR c", Or((And((A, B)), C))),
        ("(a OR b) AND c", And((Or((A, B)), C))),
        ("NOT a AND b", And((Not(A), B))),
        ("NOT (a AND b)", Not(And((A, B)))),
        ("NOT a OR b", Or((Not(A), B))),
        ("a AND NOT b OR c", Or((And((A, Not(B))), C))),
        ("a AND b AND c", And((A, B, C))),
        ("NOT NOT a", Not(Not(A))),
        ("(a)", A),
    ],
)
def test_not_binds_tighter_than_and_and_and_tighter_than_or(text: str, tree: Condition) -> None:
    assert _logic(text) == tree


def test_comparisons_bind_tighter_than_not() -> None:
    assert _condition("NOT a = :v") == Not(Compare("=", Path(("a",)), Value({"N": "1"})))


def test_between_takes_its_own_and() -> None:
    between = Between(Path(("a",)), Value({"N": "1"}), Value({"N": "2"}))
    assert _condition("a BETWEEN :v AND :w AND attribute_exists(b)") == And((between, B))


@pytest.mark.parametrize("text", ["a=:v", " a = :v ", "a\n=\t:v", "(a) = (:v)", "a = (:v)", "(a = :v)"])
def test_white_space_and_parentheses_around_operands_do_not_matter(text: str) -> None:
    assert _condition(text) == Compare("=", Path(("a",)), Value({"N": "1"}))


@pytest.mark.parametrize("text", ["a between :v and :w", "a Between :v And :w"])
def test_keywords_are_taken_in_any_case(text: str) -> None:
    assert isinstance(_condition(text), Between)


def test_function_names_are_case_sensitive() -> None:
    with pytest.raises(ValidationError, match="Invalid function name; function: ATTRIBUTE_EXISTS"):
        _condition("ATTRIBUTE_EXISTS(a)")


def test_paths_go_into_maps_by_name_and_into_lists_by_position() -> None:
    assert _condition("attribute_exists(a.b[0][12].#n)") == AttributeExists(Path(("a", "b", 0, 12, "name")))


def test_a_placeholder_is_one_name_even_with_dots() -> None:
    found = bind.condition("attribute_exists(#n)", Placeholders({"#n": "a.b[0]"}))
    assert found == AttributeExists(Path(("a.b[0]",)))


def test_sizes_can_be_compared() -> None:
    assert _condition("size(a) > :v") == Compare(">", Size(Path(("a",))), Value({"N": "1"}))


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("a", "<EOF>", "a"),
        ("a =", "<EOF>", "="),
        ("a = = :v", "=", "= = :v"),
        ("a == :v", "=", "== :v"),
        ("= :v", "=", "= :v"),
        ("a = :v AND", "<EOF>", "AND"),
        ("AND a = :v", "AND", "AND a"),
        ("a = :v b = :w", "b", ":v b ="),
        ("(a = :v", "<EOF>", ":v"),
        ("a = :v)", ")", ":v)"),
        ("a IN :v", ":v", "IN :v"),
        ("a IN ()", ")", "()"),
        ("a BETWEEN :v", "<EOF>", ":v"),
        ("a[:v] = :v", ":v", "[:v]"),
        ("a[-1] = :v", "-", "[-1"),
        ("a[0 = :v", "=", "0 = :v"),
        ("a. = :v", "=", ". = :v"),
        ("attribute_exists(a", "<EOF>", "a"),
        ("attribute_exists()", ")", "()"),
        ("NOT", "<EOF>", "NOT"),
        ("NOT a", "<EOF>", "a"),
        ("a AND b", "<EOF>", "b"),
    ],
)
def test_a_syntax_error_names_the_token_and_its_neighbourhood(text: str, token: str, near: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _condition(text)
    assert caught.value.message == f'Invalid ConditionExpression: Syntax error; token: "{token}", near: "{near}"'


@pytest.mark.parametrize("text", ["a = :v !", "a ? :v", "a = 'x'", 'a = "x"', "a = :v;", "a & b", "é = :v"])
def test_a_character_outside_the_grammar_is_a_syntax_error(text: str) -> None:
    with pytest.raises(ValidationError, match=r'^Invalid ConditionExpression: Syntax error; token: "'):
        _condition(text)


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_an_empty_expression_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="Invalid ConditionExpression: The expression can not be empty;"):
        _condition(text)


def test_redundant_parentheses_are_refused() -> None:
    with pytest.raises(ValidationError, match="Invalid ConditionExpression: The expression has redundant parentheses;"):
        _condition("((a = :v))")


@pytest.mark.parametrize("text", ["5 = :v", "a.5 = :v", ":v[0] = :v", ":v.a = :v", "# = :v", "a = :"])
def test_names_start_with_a_letter_and_only_paths_have_steps(text: str) -> None:
    with pytest.raises(ValidationError, match="Syntax error"):
        _condition(text)


def _update(text: str) -> tuple[object, ...]:
    return bind.update(text, Placeholders({}, {":v": {"N": "1"}, ":w": {"N": "2"}, ":s": {"SS": ["x"]}})).actions


def test_an_update_has_each_section_at_most_once_in_any_order() -> None:
    assert len(_update("REMOVE a SET b = :v DELETE c :s ADD d :v")) == 4
    assert len(_update("set a = :v, b = :w remove c, d")) == 4
    with pytest.raises(ValidationError) as caught:
        _update("SET a = :v SET b = :w")
    assert caught.value.message == (
        'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;'
    )


def test_arithmetic_takes_exactly_two_operands() -> None:
    (action,) = _update("SET a = (b + :v)")
    assert action == SetAction(Path(("a",)), Arithmetic("+", Path(("b",)), Value({"N": "1"})))
    with pytest.raises(ValidationError, match="Syntax error"):
        _update("SET a = b + :v - :w")


@pytest.mark.parametrize(
    "text",
    ["a = :v", "SET", "SET a", "SET a =", "SET a = :v,", "REMOVE", "REMOVE a b", "ADD a", "ADD a b", "DELETE a",
     "SET a :v", "REMOVE a = :v", "SET a = :v REMOVE", "SET = :v"],
)  # fmt: skip
def test_a_malformed_update_is_a_syntax_error(text: str) -> None:
    with pytest.raises(ValidationError, match=r"^Invalid UpdateExpression: Syntax error; token: "):
        _update(text)


def test_a_function_name_without_parentheses_is_a_path() -> None:
    assert _update("SET a = attribute_exists") == (SetAction(Path(("a",)), Path(("attribute_exists",))),)


@pytest.mark.parametrize("text", ["a,", ",a", "a b", "a,,b", ":v", "a = :v", "a[b]", "size(a)", "(a)"])
def test_a_projection_is_paths_and_commas_and_nothing_else(text: str) -> None:
    with pytest.raises(ValidationError, match=r"^Invalid ProjectionExpression: Syntax error; token: "):
        bind.projection(text, Placeholders())
