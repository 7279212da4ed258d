"""Expressions at and beyond their limits: refused quickly, never a RecursionError."""

from __future__ import annotations

import time

import pytest

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import bind
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.expressions.render import Renderer


def _values() -> Placeholders:
    return Placeholders({}, {":v": {"N": "1"}, ":w": {"N": "2"}})


def test_an_expression_has_at_most_4_kb() -> None:
    longest = "attribute_exists(" + "a" * (4096 - 18) + ")"
    assert len(longest) == 4096
    bind.condition(longest, Placeholders())
    with pytest.raises(ValidationError) as caught:
        bind.condition(longest + " ", Placeholders())
    assert caught.value.message == (
        "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097"
    )


def test_the_4_kb_are_bytes_of_utf8() -> None:
    with pytest.raises(ValidationError, match="expression size: 4097"):
        bind.condition("a = :v " + "\u00a0" * 2045, Placeholders())


def test_an_expression_has_at_most_300_operators_and_functions() -> None:
    # n comparisons and the n - 1 ANDs between them.
    bind.condition(" AND ".join(["a=:v"] * 150), _values())
    with pytest.raises(ValidationError, match="too many operators; operator count: 301"):
        bind.condition(" AND ".join(["a=:v"] * 151), _values())


def test_an_update_has_at_most_300_actions() -> None:
    bind.update("REMOVE " + ",".join(f"a{number}" for number in range(300)), Placeholders())
    with pytest.raises(ValidationError, match="too many operators; operator count: 301"):
        bind.update("REMOVE " + ",".join(f"a{number}" for number in range(301)), Placeholders())


def test_in_takes_at_most_100_operands() -> None:
    bind.condition(f"a IN ({','.join([':v'] * 100)})", _values())
    with pytest.raises(
        ValidationError, match="IN operator is provided with too many operands; number of operands: 101"
    ):
        bind.condition(f"a IN ({','.join([':v'] * 101)})", _values())


def test_a_path_has_at_most_32_parts() -> None:
    bind.projection(".".join(["a"] * 32), Placeholders())
    with pytest.raises(ValidationError, match="The document path has too many nesting elements; nesting levels: 33"):
        bind.projection(".".join(["a"] * 33), Placeholders())


def test_a_placeholder_has_at_most_255_bytes() -> None:
    longest = "#" + "n" * 254
    bind.projection(longest, Placeholders({longest: "a"}))
    bind.condition("a = :" + "v" * 254, Placeholders({}, {":" + "v" * 254: {"N": "1"}}))
    with pytest.raises(ValidationError):
        bind.projection(longest + "n", Placeholders({longest + "n": "a"}))
    with pytest.raises(ValidationError):
        bind.condition("a = :" + "v" * 255, Placeholders({}, {":" + "v" * 255: {"N": "1"}}))


def test_all_substitutions_together_have_at_most_2_mb() -> None:
    with pytest.raises(ValidationError):
        bind.condition("a = :v", Placeholders({}, {":v": {"S": "x" * (2 * 1024 * 1024 + 1)}}))


_HOSTILE = {
    "parentheses": "(" * 2000 + "a=:v" + ")" * 2000,
    "open parentheses": "(" * 4000,
    "closed parentheses": "a=:v" + ")" * 4000,
    "negations": "NOT " * 1000 + "a=:v",
    "open negations": "NOT(" * 1000,
    "nested size": "size(" * 600 + "a" + ")" * 600 + " > :v",
    "nested contains": "contains(" * 400 + "a",
    "nested begins_with": "begins_with(a," * 250 + "a" + ")" * 250,
    "alternating": "(a=:v AND NOT " * 200 + "a=:v" + ")" * 200,
    "brackets": "a" + "[0]" * 1300 + "=:v",
    "commas": "a IN (" + ":v," * 1300 + ":v)",
}


@pytest.mark.parametrize("name", _HOSTILE)
def test_hostile_conditions_are_refused_quickly(name: str) -> None:
    started = time.process_time()
    with pytest.raises(ValidationError):
        bind.condition(_HOSTILE[name], _values())
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "text",
    [
        "SET a = " + "(" * 2000 + ":v" + ")" * 2000 + " + + :v",
        "SET a = " + "if_not_exists(a, " * 200 + ":v" + ")" * 200 + " x",
        "SET a = " + "if_not_exists(a," * 250,
        "SET a = " + "list_append(" * 330,
    ],
)
def test_hostile_updates_are_refused_quickly(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ValidationError):
        bind.update(text, _values())
    assert time.process_time() - started < 1


def test_the_deepest_condition_the_limits_allow_is_parsed_rendered_and_evaluated() -> None:
    tree = bind.condition("NOT " * 299 + "a=:v", _values())
    assert holds(tree, {"a": {"N": "1"}}) is False
    assert Renderer().condition(tree).startswith("NOT NOT ")


def test_the_deepest_row_the_limits_allow_is_parsed_rendered_and_evaluated() -> None:
    tree = bind.condition("(a=:v AND " * 149 + "NOT a=:w" + ")" * 149, _values())
    assert holds(tree, {"a": {"N": "1"}})
    renderer = Renderer()
    renderer.condition(tree)


def test_parentheses_around_an_operand_are_refused_however_many() -> None:
    with pytest.raises(ValidationError, match="The expression has redundant parentheses;"):
        bind.condition("a = " + "(" * 1000 + ":v" + ")" * 1000, _values())
