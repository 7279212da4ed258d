"""Events of the enablement portal: how many a worker takes in, how many it counts, and how fast analytics are.

`python -m bench.enablement` prints the figures.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from tests.apps.enablement.conftest import ANNA, portal_in
from tests.apps.house import person

from partita.apps.enablement.inputs import EventBatch, EventInput
from partita.apps.enablement.schema import Event

BATCHES, SIZE = 200, 100
COUNTED = 2_000
ROUNDS = 20


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder, portal_in(Path(folder)) as portal:
        readers = [person(f"reader-{number}", "enablement:content:read") for number in range(50)]
        content = await portal.released()
        one = EventInput(event_name="content_previewed", content_id=content.content_id, metadata={"page": 3})
        batch = EventBatch(events=(one,) * SIZE)
        began = time.perf_counter()
        for number in range(BATCHES):
            await portal.service.events.record(readers[number % len(readers)], batch)
        seconds = time.perf_counter() - began
        print(f"intake: {BATCHES * SIZE / seconds:,.0f} events a second, in batches of {SIZE}")
        events = [each async for each in portal.kit.store.scan_whole_table(Event)][:COUNTED]
        began = time.perf_counter()
        for event in events:
            await portal.service.counting.count(event)
        print(f"counting: {len(events) / (time.perf_counter() - began):,.0f} events a second")
        await portal.service.summaries.make(90)
        times = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            await portal.service.analytics.overview(ANNA, 90)
            times.append(1000 * (time.perf_counter() - began))
        print(f"analytics of 90 days over {BATCHES * SIZE:,} events: median {statistics.median(times):.1f} ms")


if __name__ == "__main__":
    asyncio.run(main())
