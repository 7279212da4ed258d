"""Which values the constructor takes as pydantic does, and which are refused when they are written or compared."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from partita.table import Attribute, Item, Put, Table, Update, attribute, key_part
from partita.table.errors import InvalidValueError

SCALES = Table("scales", pk="PK")
NAIVE = datetime(2026, 5, 1, 9, 30)
LONG = Decimal("1." + "1" * 38)


class Reading(Item, table=SCALES, pk="SCALE#{scale}"):
    scale: Attribute[str] = key_part()
    weight: Attribute[Decimal] = attribute(default=Decimal(0))
    at: Attribute[datetime | None] = attribute(default=None)
    note: Attribute[Any] = attribute(default=None)


@pytest.mark.parametrize("given", [31.5, "31.5", Decimal("31.5")])
def test_a_decimal_is_what_pydantic_makes_of_a_float(given: Any) -> None:
    reading = Reading(scale="a", weight=given)
    assert (type(reading.weight), reading.weight) == (Decimal, Decimal("31.5"))
    assert Put(reading).request().item["weight"] == {"N": "31.5"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"at": NAIVE}, "has no time zone"),
        ({"note": NAIVE}, "has no time zone"),
        ({"note": 31.5}, "is a float"),
        ({"weight": LONG}, "more than 38 significant digits"),
        ({"weight": 1e300}, "Number overflow"),
    ],
)
def test_what_cannot_be_stored_is_refused_when_it_is_written(given: dict[str, Any], said: str) -> None:
    reading = Reading(scale="a", **given)
    with pytest.raises(InvalidValueError, match=said):
        Put(reading).request()
    with pytest.raises(InvalidValueError, match=said):
        Update(reading.own_key, *(getattr(Reading, name).set(value) for name, value in given.items())).request()


@pytest.mark.parametrize(("attribute_", "value"), [(Reading.weight, 31.5), (Reading.weight, LONG), (Reading.at, NAIVE)])
def test_what_cannot_be_stored_is_refused_when_it_is_compared(attribute_: Any, value: Any) -> None:
    with pytest.raises(InvalidValueError):
        attribute_.equals(value)
