"""Adopting items that another program wrote: they lack the keys, guards and counters that our lists need.

Each system declares how items of a type are adopted. This runs when the change stream reports an item, or for a whole
table at once. Both may handle the same item, so an adoption is one transaction that also marks the item as adopted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from partita.kit.changes import Change, Handler
from partita.store.rows import every_row
from partita.store.store import AsyncStore
from partita.table import ForeignItemError, Item, Table

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type


class AdoptionRefused(Exception):
    """An item cannot be adopted as it is; the message says why."""


async def _nothing_to_forget(_gone: Any) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Adoption(Generic[I]):
    """How items of one type are adopted."""

    item_type: type[I]
    noun: str
    """What people call such an item, in a report."""
    adopt: Callable[[I, I | None], Awaitable[bool]]
    """Adopt an item; its earlier state is given if a change reported it. Reads the item again, adopts it exactly once
    even if others try at the same time, and returns whether there was anything to do."""
    forget: Callable[[I], Awaitable[None]] = _nothing_to_forget
    """Remove the guards and counts of an item that another program deleted."""
    is_due: Callable[[I], Awaitable[bool]] = field(kw_only=True)
    """Whether there is anything to do for an item, for a dry run; may refuse it as `adopt` does."""
    after_others: bool = False
    """Whether items of the other types must be adopted first, because they count items of this one."""


def plainly(is_due: Callable[[I], bool]) -> Callable[[I], Awaitable[bool]]:
    """`is_due` of a type whose items tell it themselves."""

    async def asked(item: I) -> bool:
        return is_due(item)

    return asked


@dataclass(slots=True)
class Report:
    """The result of adopting a whole table."""

    adopted: Counter[str] = field(default_factory=Counter)
    """Noun → how many."""
    refused: list[str] = field(default_factory=list)
    """Items that cannot be adopted: key and reason."""
    unreadable: list[str] = field(default_factory=list)
    """Items that do not fit their type: key and reason."""


def adoption_handler(name: str, table: Table, adoptions: Sequence[Adoption[Any]]) -> Handler:
    """The handler that adopts items that another program writes to a table."""
    here = [adoption for adoption in adoptions if adoption.item_type.__table__ is table]

    async def run(change: Change) -> None:
        for adoption in here:
            old, new = change.read(adoption.item_type)
            with suppress(AdoptionRefused):  # `partita adopt` reports it
                if new is not None:
                    await adoption.adopt(new, old)
                elif old is not None:
                    await adoption.forget(old)

    return Handler(name, table, run)


async def adopt_all(store: AsyncStore, adoptions: Iterable[Adoption[Any]], *, dry_run: bool = False) -> Report:
    """Adopt whatever is in the tables of these types and not in order. Only a scan finds what no index of ours holds;
    what comes after others is found by a second one, since a table has more items than a machine has memory. A dry run
    writes nothing and counts what there is to do."""
    wanted = tuple(adoptions)
    report = Report(Counter({adoption.noun: 0 for adoption in wanted}))
    for after_others in sorted({adoption.after_others for adoption in wanted}):
        now = [adoption for adoption in wanted if adoption.after_others == after_others]
        for table in dict.fromkeys(adoption.item_type.__table__ for adoption in now):
            here = [adoption for adoption in now if adoption.item_type.__table__ is table]
            async for adoption, item in _items(store, table, here, report):
                await _adopt(adoption, item, report, dry_run=dry_run)
    return report


async def _items(
    store: AsyncStore, table: Table, adoptions: Sequence[Adoption[Any]], report: Report
) -> AsyncIterator[tuple[Adoption[Any], Item]]:
    async for row in every_row(store, table):
        adoption = next((each for each in adoptions if each.item_type.owns(row)), None)
        if adoption is None:
            continue
        try:
            item = await store.read(adoption.item_type, row)
        except ForeignItemError as error:
            report.unreadable.append(str(error))
            continue
        if item is not None:
            yield adoption, item


async def _adopt(adoption: Adoption[Any], item: Item, report: Report, *, dry_run: bool) -> None:
    try:
        report.adopted[adoption.noun] += await (adoption.is_due(item) if dry_run else adoption.adopt(item, None))
    except AdoptionRefused as refused:
        report.refused.append(f"{item.key_of(item.own_key.wire)}: {refused}")
