"""Guards: items that keep a value unique, written in the same transaction as the item that has the value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Generic, TypeVar

from partita.dynamo.frozen import dataclass
from partita.table.conditions import Condition, any_of
from partita.table.items import Item
from partita.table.versions import changed_meanwhile, unchanged
from partita.table.writes import Check, Delete, Put

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
G = TypeVar("G", bound=Item)


@dataclass(frozen=True, slots=True)
class Guard(Generic[I, G]):
    """What guards a value of an item: the guard item is a function of the item, None if there is nothing to guard.

    SITE_URL = Guard(Site, lambda site: SiteUrl(url=normalised(site.url), of_site=site.site_id))
    """

    item_type: type[I]
    make: Callable[[I], G | None]
    taken: Exception | Callable[[G], Exception] | None = None
    others: Callable[[G], Iterable[G]] = lambda _: ()
    """The guards of other spellings that count as the same value; see `unclaimed`."""

    def alike(self, others: Callable[[G], Iterable[G]]) -> Guard[I, G]:
        """What guards other spellings of the same value, as functions of the guard."""
        return replace(self, others=others)

    def otherwise(self, error: Exception | Callable[[G], Exception]) -> Guard[I, G]:
        """The error that is raised if a value is taken, or a function that makes it of the guard that is there."""
        return replace(self, taken=error)

    def claim(self, item: I) -> tuple[Put[G], ...]:
        """The writes that claim the value of a new item."""
        guard = self.make(item)
        return () if guard is None else (self._claim(guard),)

    def release(self, item: I) -> tuple[Delete[G], ...]:
        """The writes that let go of the value of an item; they fail if the guard is not its own."""
        guard = self.make(item)
        return () if guard is None else (self._release(guard),)

    def move(self, before: I, after: I) -> tuple[Put[G] | Delete[G], ...]:
        """The writes that let go of one value and claim another; none if they are the same."""
        old, new = self.make(before), self.make(after)
        if old == new:
            return ()
        if old is not None and new is not None and old.own_key.wire == new.own_key.wire:
            return (Put(new).when(_is(old)).otherwise(changed_meanwhile(old.own_key)),)
        released = () if old is None else (self._release(old),)
        return (*released, *(() if new is None else (self._claim(new),)))

    def unclaimed(self, before: I | None, after: I) -> tuple[Check[G], ...]:
        """The checks that nobody else has another spelling of a value that is claimed; for `claim` and `move`."""
        old, new = None if before is None else self.make(before), self.make(after)
        if new is None or old == new:
            return ()
        released = None if old is None else old.own_key.wire
        return tuple(self._unclaimed(other) for other in self.others(new) if other.own_key.wire != released)

    def _unclaimed(self, guard: G) -> Check[G]:
        check = Check(guard.own_key, any_of(guard.own_key.absent(), _is(guard)))
        taken = self.taken
        if taken is None:
            return check
        return check.otherwise(taken if isinstance(taken, Exception) else lambda there: taken(there or guard))

    def _claim(self, guard: G) -> Put[G]:
        claim = Put(guard).if_new()
        taken = self.taken
        if taken is None:
            return claim
        return claim.otherwise(taken if isinstance(taken, Exception) else lambda there: taken(there or guard))

    def _release(self, guard: G) -> Delete[G]:
        return Delete(guard.own_key).when(_is(guard)).otherwise(changed_meanwhile(guard.own_key))


def _is(guard: G) -> Condition[G]:
    """The guard that is there is this one: nobody else has claimed the value since."""
    layout = guard.__layout__
    return Condition(unchanged(guard.own_key, guard, (guard.__attributes__[field] for field in layout.names)))
