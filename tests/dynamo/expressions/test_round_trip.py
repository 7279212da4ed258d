"""One tree, two directions: what is rendered parses back to the same tree."""

from __future__ import annotations

from hypothesis import given

from partita.dynamo.expressions import bind
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.render import Renderer
from partita.dynamo.expressions.tree import (
    And,
    AttributeExists,
    Compare,
    Condition,
    IfNotExists,
    Not,
    Or,
    Path,
    Projection,
    SetAction,
    SetOperand,
    Update,
    Value,
)
from tests.dynamo.strategies import conditions, projections, updates


@given(conditions)
def test_a_rendered_condition_parses_back_to_itself(tree: Condition) -> None:
    renderer = Renderer()
    text = renderer.condition(tree)
    placeholders = Placeholders(renderer.names, renderer.values)
    assert bind.condition(text, placeholders) == tree
    placeholders.check_all_used()


@given(updates)
def test_a_rendered_update_parses_back_to_itself(tree: Update) -> None:
    renderer = Renderer()
    text = renderer.update(tree)
    placeholders = Placeholders(renderer.names, renderer.values)
    assert bind.update(text, placeholders) == tree
    placeholders.check_all_used()


@given(projections)
def test_a_rendered_projection_parses_back_to_itself(tree: Projection) -> None:
    renderer = Renderer()
    text = renderer.projection(tree)
    placeholders = Placeholders(renderer.names)
    assert bind.projection(text, placeholders) == tree
    placeholders.check_all_used()


def test_reserved_words_and_odd_names_are_rendered_as_placeholders() -> None:
    renderer = Renderer()
    assert renderer.path(Path(("date", "plain", 0, "x.y", "date"))) == "#n0.plain[0].#n1.#n0"
    assert renderer.names == {"#n0": "date", "#n1": "x.y"}


def test_a_row_of_one_is_rendered_as_its_only_term() -> None:
    one = Compare("=", Path(("a",)), Value({"S": "x"}))
    assert Renderer().condition(And((one,))) == Renderer().condition(Or((one,))) == "a = :v0"


def test_a_row_inside_a_row_of_one_keeps_its_parentheses() -> None:
    one, two, three = (Compare("=", Path((name,)), Value({"S": "x"})) for name in "abc")
    text = Renderer().condition(And((And((Or((one, two)),)), three)))
    assert text == "(a = :v0 OR b = :v1) AND c = :v2"


def test_a_name_that_begins_a_section_is_rendered_as_a_placeholder() -> None:
    renderer = Renderer()
    assert renderer.path(Path(("remove",))) == "#n0"
    assert renderer.names == {"#n0": "remove"}


def test_a_tree_of_any_depth_is_rendered() -> None:
    condition: Condition = AttributeExists(Path(("a",)))
    operand: SetOperand = Path(("a",))
    for _ in range(20_000):
        condition = Not(condition)
        operand = IfNotExists(Path(("a",)), operand)
    assert Renderer().condition(condition) == "NOT " * 20_000 + "attribute_exists(a)"
    rendered = Renderer().update(Update((SetAction(Path(("b",)), operand),)))
    assert rendered == "SET b = " + "if_not_exists(a, " * 20_000 + "a" + ")" * 20_000
