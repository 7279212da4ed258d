"""What the items of the shop hold: money, addresses, and the states and lines of an order."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Email = Annotated[str, StringConstraints(to_lower=True, strip_whitespace=True, pattern=r"^[^@\s]+@[^@\s]+$")]
Money = Annotated[Decimal, Field(ge=0, decimal_places=2)]


class Status(StrEnum):
    """How far an order is."""

    PLACED = "placed"
    PAID = "paid"
    SENT = "sent"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """Whether somebody still has to do something."""
        return self in (Status.PLACED, Status.PAID)


class Address(BaseModel):
    """Where a parcel goes."""

    model_config = ConfigDict(frozen=True)

    name: str
    street: str
    city: str


class Line(BaseModel):
    """So many of a product, at the price of that day."""

    model_config = ConfigDict(frozen=True)

    sku: str
    quantity: int = Field(ge=1)
    price: Money


def total_of(lines: tuple[Line, ...]) -> Decimal:
    """What the lines cost together."""
    return sum((line.price * line.quantity for line in lines), Decimal(0))
