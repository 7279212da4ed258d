"""Aggregates: count, sum, histogram and average of numbers, kept exactly on the item they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Generic, TypeAlias, TypeVar

from partita.dynamo.frozen import dataclass
from partita.table.actions import Action
from partita.table.attributes import AttributeOf
from partita.table.errors import ModelError
from partita.table.items import Item
from partita.table.writes import Update

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
Counter: TypeAlias = AttributeOf[I, int] | AttributeOf[I, int | None]
"""A number that is counted up and down, starting from zero if there is none."""

_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Aggregate(Generic[I]):
    """What is known of many numbers, such as the stars of a site, without reading them.

    STARS = Aggregate(count=Site.rating_count, total=Site.rating_sum, histogram={1: Site.rated_1, 2: Site.rated_2})

    It is exact if its change is in the same transaction as the number's own write, and that write is made only if
    the number is still what it was: new, or `unless_changed`.
    """

    count: Counter[I]
    total: Counter[I]
    histogram: Mapping[int, Counter[I]] = field(default_factory=dict)
    """A counter for each number there is. Each is an attribute: DynamoDB cannot count in a list that is not there."""
    average: AttributeOf[I, Any] | None = None
    """The average's attribute: two digits, halves up; no update can divide, so it needs the item as it was read."""

    def change(self, before: int | None, after: int | None) -> tuple[Action[I], ...]:
        """What one number that comes (from None), changes or goes (to None) does; nothing if it stays."""
        if self.average is not None:
            raise ModelError(f"{self.average!r} is an average, which no update can make: use .update(item, …)")
        return tuple(counter.add(amount) for counter, amount in self._amounts(before, after))

    def update(self, item: I, before: int | None, after: int | None) -> tuple[Update[I], ...]:
        """The update of an item that was read; none if nothing changes. With an average it must be unchanged."""
        actions = tuple(counter.add(amount) for counter, amount in self._amounts(before, after))
        if not actions:
            return ()
        if self.average is None:
            return (Update(item.own_key, *actions),)
        count = self._stored(item, self.count) + (before is None) - (after is None)
        total = self._stored(item, self.total) + (after or 0) - (before or 0)
        average = self.average.set(_mean(total, count))
        return (Update(item.own_key, *actions, average).unless_changed(item, self.count, self.total),)

    def mean(self, item: Item) -> Decimal | None:
        """The average of an item's numbers with two digits; None if there are none."""
        return _mean(self._stored(item, self.total), self._stored(item, self.count))

    def _amounts(self, before: int | None, after: int | None) -> Iterator[tuple[Counter[I], int]]:
        if before == after:
            return
        if before is None or after is None:
            yield self.count, 1 if before is None else -1
        total = (after or 0) - (before or 0)
        if total:
            yield self.total, total
        for number, amount in ((before, -1), (after, 1)):
            if self.histogram and number is not None:
                if number not in self.histogram:
                    what, numbers = self.count.owner_type.__name__, ", ".join(map(str, self.histogram))
                    raise ModelError(f"{number} has no place in the histogram of {what}, which has {numbers}")
                yield self.histogram[number], amount

    @staticmethod
    def _stored(item: Item, counter: Counter[Any]) -> int:
        count: int | None = getattr(item, counter.field_name)
        return count or 0


def _mean(total: int, count: int) -> Decimal | None:
    return None if count <= 0 else (Decimal(total) / count).quantize(_CENT, ROUND_HALF_UP)
