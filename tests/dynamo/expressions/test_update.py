"""Updates: SET, REMOVE, ADD and DELETE as the developer guide describes them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import bind
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.tree import Update
from partita.dynamo.expressions.update import apply
from partita.dynamo.python_values import from_python, item_from_python, item_to_python
from partita.dynamo.values import checked_item
from tests.dynamo.strategies import items, updates

_MISSING = "The provided expression refers to an attribute that does not exist in the item"
_WRONG_TYPE = "An operand in the update expression has an incorrect data type"
_BAD_PATH = "The document path provided in the update expression is invalid for update"


def _updated(text: str, item: dict[str, Any], **values: Any) -> dict[str, Any]:
    """The item after an update, both as Python has them."""
    placeholders = Placeholders({}, {f":{name}": from_python(value) for name, value in values.items()})
    return item_to_python(apply(bind.update(text, placeholders), item_from_python(item)))


@given(updates, items)
def test_an_update_leaves_the_old_item_whole_and_makes_a_valid_one(update: Update, item: dict[str, Any]) -> None:
    before = copy.deepcopy(item)
    try:
        after = apply(update, item)
    except ValidationError:
        assert item == before
    else:
        assert item == before
        assert checked_item(after) == after


def test_set_adds_and_replaces_attributes() -> None:
    assert _updated("SET a = :x, b = :y", {"a": 1}, x=2, y="new") == {"a": 2, "b": "new"}


def test_set_takes_other_attributes_as_they_were_before_the_update() -> None:
    assert _updated("SET a = b, b = a", {"a": 1, "b": 2}) == {"a": 2, "b": 1}
    assert _updated("SET a = b REMOVE b", {"b": 2}) == {"a": 2}


def test_set_from_an_absent_attribute_is_refused() -> None:
    with pytest.raises(ValidationError, match=_MISSING):
        _updated("SET a = b", {})
    with pytest.raises(ValidationError, match=_MISSING):
        _updated("SET a = a + :x", {}, x=1)


def test_set_changes_nested_attributes() -> None:
    item = {"m": {"l": [{"x": 1}, 2]}}
    assert _updated("SET m.l[0].x = :x, m.k = :x", item, x=9) == {"m": {"l": [{"x": 9}, 2], "k": 9}}


@pytest.mark.parametrize("text", ["SET a.b = :x", "SET m.a.b = :x", "SET s.b = :x", "SET s[0] = :x", "SET m[0] = :x",
                                  "SET l.a = :x", "SET l[5].a = :x"])  # fmt: skip
def test_a_path_whose_parent_is_absent_or_of_another_type_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match=_BAD_PATH):
        _updated(text, {"m": {}, "s": "x", "l": []}, x=1)


def test_a_position_in_a_list_replaces_and_one_beyond_the_end_appends() -> None:
    assert _updated("SET l[1] = :x", {"l": [1, 2, 3]}, x=9) == {"l": [1, 9, 3]}
    assert _updated("SET l[99] = :x", {"l": [1]}, x=9) == {"l": [1, 9]}


def test_several_positions_beyond_the_end_append_in_order_of_the_positions() -> None:
    assert _updated("SET l[50] = :y, l[20] = :x", {"l": [1]}, x=2, y=3) == {"l": [1, 2, 3]}


def test_if_not_exists_gives_what_is_there_or_the_default() -> None:
    assert _updated("SET a = if_not_exists(a, :x)", {}, x=1) == {"a": 1}
    assert _updated("SET a = if_not_exists(a, :x)", {"a": 5}, x=1) == {"a": 5}
    assert _updated("SET a = if_not_exists(b, :x) + :one", {}, x=1, one=1) == {"a": 2}
    assert _updated("SET a = if_not_exists(b, if_not_exists(c, :x))", {"c": 7}, x=1) == {"c": 7, "a": 7}


def test_list_append_joins_lists_in_the_order_given() -> None:
    assert _updated("SET l = list_append(l, :x)", {"l": [1]}, x=[2]) == {"l": [1, 2]}
    assert _updated("SET l = list_append(:x, l)", {"l": [1]}, x=[2]) == {"l": [2, 1]}
    assert _updated("SET l = list_append(if_not_exists(l, :none), :x)", {}, none=[], x=[2]) == {"l": [2]}


def test_list_append_takes_lists_only() -> None:
    with pytest.raises(ValidationError, match=_WRONG_TYPE):
        _updated("SET l = list_append(l, :x)", {"l": "text"}, x=[2])
    with pytest.raises(ValidationError, match=_MISSING):
        _updated("SET l = list_append(l, :x)", {}, x=[2])


def test_arithmetic_takes_numbers_only() -> None:
    assert _updated("SET a = a + :x, b = b - :x", {"a": 1, "b": 1}, x=3) == {"a": 4, "b": -2}
    with pytest.raises(ValidationError, match=_WRONG_TYPE):
        _updated("SET a = a + :x", {"a": "text"}, x=1)


def test_a_result_out_of_range_is_refused() -> None:
    with pytest.raises(ValidationError, match="Number overflow"):
        _updated("SET a = a + :x", {"a": 9 * 10**125}, x=9 * 10**125)
    with pytest.raises(ValidationError, match="Number overflow"):
        _updated("ADD a :x", {"a": 9 * 10**125}, x=9 * 10**125)


def test_remove_takes_attributes_away_and_does_not_mind_absent_ones() -> None:
    assert _updated("REMOVE a, b", {"a": 1, "c": 2}) == {"c": 2}
    assert _updated("REMOVE m.a, m.z", {"m": {"a": 1, "b": 2}}) == {"m": {"b": 2}}


def test_remove_counts_list_positions_from_before_the_update() -> None:
    assert _updated("REMOVE l[1], l[2]", {"l": [0, 1, 2, 3]}) == {"l": [0, 3]}
    assert _updated("REMOVE l[0], l[9]", {"l": [0, 1]}) == {"l": [1]}
    assert _updated("REMOVE l[1][0], l[0]", {"l": [0, [1, 2], 3]}) == {"l": [[2], 3]}


def test_set_and_remove_in_one_list_both_count_from_before() -> None:
    assert _updated("SET l[2] = :x REMOVE l[0]", {"l": [0, 1, 2]}, x=9) == {"l": [1, 9]}
    assert _updated("SET l[10] = :x REMOVE l[0]", {"l": [0, 1]}, x=9) == {"l": [1, 9]}


def test_removing_a_position_that_was_not_there_spares_what_is_appended() -> None:
    assert _updated("SET l[10] = :x REMOVE l[2]", {"l": [0, 1]}, x=9) == {"l": [0, 1, 9]}


def test_add_adds_numbers_and_starts_from_nothing() -> None:
    assert _updated("ADD a :x", {}, x=5) == {"a": 5}
    assert _updated("ADD a :x", {"a": 1}, x=-5) == {"a": -4}


def test_add_joins_sets() -> None:
    assert _updated("ADD s :x", {"s": {"a"}}, x={"a", "b"}) == {"s": {"a", "b"}}
    assert _updated("ADD s :x", {}, x={1}) == {"s": {1}}


@pytest.mark.parametrize("old", ["text", {1}, [1], {"b"}])
def test_add_to_another_type_is_refused(old: Any) -> None:
    value = 1 if old != {1} else {"x"}
    with pytest.raises(ValidationError, match=_WRONG_TYPE):
        _updated("ADD a :x", {"a": old}, x=value)


def test_delete_takes_members_out_of_a_set() -> None:
    assert _updated("DELETE s :x", {"s": {"a", "b"}}, x={"b", "z"}) == {"s": {"a"}}


def test_a_set_that_loses_its_last_member_is_gone() -> None:
    assert _updated("DELETE s :x", {"s": {"a"}}, x={"a"}) == {}


def test_delete_from_an_absent_attribute_changes_nothing() -> None:
    assert _updated("DELETE s :x", {"k": 1}, x={"a"}) == {"k": 1}


def test_delete_from_another_type_is_refused() -> None:
    with pytest.raises(ValidationError, match=_WRONG_TYPE):
        _updated("DELETE s :x", {"s": {1}}, x={"a"})


def test_an_update_cannot_nest_deeper_than_32_levels() -> None:
    deep: Any = "inside"
    for _ in range(30):
        deep = [deep]
    assert _updated("SET m.a = :x", {"m": {}}, x=deep) == {"m": {"a": deep}}
    with pytest.raises(ValidationError, match="Nesting Levels have exceeded supported limits"):
        _updated("SET m.a = :x", {"m": {}}, x=[deep])
    with pytest.raises(ValidationError, match="Nesting Levels have exceeded supported limits"):
        _updated("SET m.a = d", {"m": {}, "d": [deep]})


def test_all_sections_work_together() -> None:
    item = {"a": 1, "b": 2, "n": 3, "s": {"x", "y"}}
    assert _updated("SET a = :a REMOVE b ADD n :one DELETE s :y", item, a="A", one=1, y={"y"}) == {
        "a": "A",
        "n": 4,
        "s": {"x"},
    }
