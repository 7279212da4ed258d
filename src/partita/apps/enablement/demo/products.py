"""The suites of the demo, one of them still without content."""

from __future__ import annotations

from partita.apps.enablement.demo.stage import Stage, entries
from partita.apps.enablement.inputs import ProductsInput


async def fill(stage: Stage) -> str:
    """The list of suites, audiences and stages."""
    new = ProductsInput.model_validate({**entries("products"), "revision": 0})
    products = await stage.service.products.save(stage.viewers["greta"], new)
    return f"{len(products.suites)} suites"
