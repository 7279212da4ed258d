"""Every operation that DynamoDB has by botocore's model: known here as the page of operations says, or unknown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from botocore.session import get_session
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError, UnknownOperationError
from partita.engine import Engine

_SERVICES = ("dynamodb", "dynamodbstreams")
_NAMES = sorted(name for each in _SERVICES for name in get_session().get_service_model(each).operation_names)
_PAGE = (Path(__file__).parents[3] / "docs" / "compatibility.md").read_text()
_ROWS = {name: marks.split(" | ") for name, marks in re.findall(r"^\| ([A-Z]\w+) \| (.+) \|$", _PAGE, re.MULTILINE)}


def _error(engine: Engine, name: str) -> DynamoError | None:
    try:
        engine.call(name, {})
    except DynamoError as error:
        return error
    return None


@pytest.mark.parametrize("name", _NAMES)
def test_an_operation_of_the_model_is_known_if_the_page_says_so_and_unknown_otherwise(
    engine: Engine, name: str
) -> None:
    error = _error(engine, name)
    if _ROWS[name][0] == "–":
        assert isinstance(error, UnknownOperationError)
        assert error.wire() == {"__type": "com.amazon.coral.service#UnknownOperationException"}
    else:
        assert not isinstance(error, UnknownOperationError)


@given(st.text(max_size=30) | st.sampled_from(_NAMES).map(str.lower) | st.sampled_from(_NAMES).map("{}s".format))
def test_any_other_name_is_unknown(engine: Engine, name: str) -> None:
    assert name in _NAMES or isinstance(_error(engine, name), UnknownOperationError)


def test_the_page_has_every_operation_once_and_counts_them() -> None:
    assert sorted(_ROWS) == _NAMES
    counted = re.findall(r"\*\*(\d+)\*\*", _PAGE)
    columns = list(zip(*_ROWS.values(), strict=True))
    known = [sum(mark == "yes" for mark in column) for column in columns]
    assert counted == [str(len(_NAMES)), *map(str, known)]
    assert f", and {columns[1].count('?')} ?" in _PAGE
