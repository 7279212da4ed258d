"""Products: the list of suites with their concepts, colours and days; one item that every form reads."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Iterable
from typing import get_args

from partita.apps.enablement import schema
from partita.apps.enablement.formats import folded
from partita.apps.enablement.inputs import ProductsInput
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Products, Status, Suite
from partita.kit.inputs import StaleEdit
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import FieldError, Invalid
from partita.table import ChangedMeanwhileError, Put

MOST_COUNTED = 100
"""So many items of a suite are counted; more than that is "100+"."""


NO_PRODUCTS = Products.model_construct(revision=0, suites=(), audiences=(), stages=())
"""Before the first list is saved; its revision is the one that the first save names."""


def unknown_product(products: Products, suite: str | None) -> str:
    """What to say of a product that is not in the list, as most misspelt ones are; empty if there is nothing to say."""
    if not suite or not products.suites or products.suite(suite) is not None:
        return ""
    names = {folded(each.name): each.name for each in products.suites}
    near = difflib.get_close_matches(folded(suite), names, n=1)
    meant = (
        f"Did you mean “{names[near[0]]}”?" if near else "Choose one of the list, or ask an administrator to add it."
    )
    return f"There is no product “{suite}”. {meant}"


class ProductList:
    """Reading and saving the list."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def get(self) -> Products:
        """The list; empty with revision 0 if there is none yet."""
        return await self._store.get(schema.products().consistently()) or NO_PRODUCTS

    async def save(self, viewer: Viewer, new: ProductsInput) -> Products:
        """Replace the list. What content still uses cannot go."""
        authorize(viewer, Enablement.MANAGE)
        before = await self.get()
        if new.revision != before.revision:
            raise StaleEdit(before.revision)
        await self._check_unused(before, new)
        after = Products(
            revision=max(before.revision, 1),
            suites=tuple(Suite(**each.model_dump()) for each in new.suites),
            audiences=tuple(dict.fromkeys(new.audiences)),
            stages=tuple(dict.fromkeys(new.stages)),
        )
        put = Put(after).next_version() if before.revision else Put(after).if_new()
        try:
            return await self._store.write(put.otherwise(ChangedMeanwhileError("The products")), returning="new")
        except ChangedMeanwhileError:
            raise StaleEdit((await self.get()).revision) from None

    async def counts(self, suites: Iterable[Suite]) -> dict[str, int]:
        """How many items each suite has, up to `MOST_COUNTED`."""
        names = [each.name for each in suites]
        found = await asyncio.gather(*(self._count(name, MOST_COUNTED) for name in names))
        return dict(zip(names, found, strict=True))

    async def _count(self, suite: str, most: int) -> int:
        total = 0
        for status in get_args(Status):
            if total < most:
                page = await self._store.page(schema.content_of_suite(status, suite), limit=most - total)
                total += sum(each.product_suite == suite for each in page)
        return total

    async def _check_unused(self, before: Products, new: ProductsInput) -> None:
        kept = {each.name: each for each in new.suites}
        spelled = {folded(name): name for name in kept}
        errors: list[FieldError] = []
        for suite in before.suites:
            after = kept.get(suite.name)
            if after is None:
                if await self._count(suite.name, 1):
                    other = spelled.get(folded(suite.name))
                    how = f"it cannot become “{other}”" if other else "it cannot go"
                    errors.append(FieldError("suites", f"“{suite.name}” has content: {how}. Move its content first."))
                continue
            for concept in suite.concepts:
                if concept in after.concepts:
                    continue
                used = await self._store.first(schema.content_of_product(suite.name, concept))
                if used is not None:
                    message = f"“{concept}” of “{suite.name}” has content: it cannot go. Move its content first."
                    errors.append(FieldError("suites", message))
        if errors:
            raise Invalid(*errors)
