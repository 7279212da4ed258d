"""The order of an update: as it is written, section by section."""

from __future__ import annotations

import pytest

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.sections import in_sections
from partita.dynamo.expressions.tree import AddAction, Path, RemoveAction, SetAction, Update, Value
from partita.dynamo.expressions.update import apply

_ONE = Value({"N": "1"})
_SET, _REMOVE, _ADD = SetAction(Path(("a",)), _ONE), RemoveAction(Path(("b",))), AddAction(Path(("c",)), _ONE)
_SET_TOO = SetAction(Path(("d",)), _ONE)


@pytest.mark.parametrize("actions", [(), (_SET,), (_SET, _SET_TOO, _REMOVE, _ADD), (_ADD, _REMOVE, _SET, _SET_TOO)])
def test_an_update_that_is_in_sections_stays_as_it_is(actions: tuple[SetAction, ...]) -> None:
    update = Update(actions)
    assert in_sections(update) is update


def test_a_section_stands_where_its_first_action_stands() -> None:
    assert in_sections(Update((_SET, _REMOVE, _SET_TOO, _ADD))) == Update((_SET, _SET_TOO, _REMOVE, _ADD))


def test_the_first_error_is_that_of_the_update_as_it_is_written() -> None:
    missing = SetAction(Path(("a",)), Path(("missing",)))
    not_a_number = AddAction(Path(("text",)), _ONE)
    item = {"text": {"S": "x"}}
    with pytest.raises(ValidationError, match="does not exist in the item"):
        apply(Update((missing, not_a_number)), item)
    with pytest.raises(ValidationError, match="incorrect data type"):
        apply(Update((_ADD, missing, not_a_number)), item)
