"""A source cut into segments that are read side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from partita.dynamo.errors import ResourceNotFoundError
from partita.dynamo.values import Item as WireItem
from partita.store.migrate.errors import NoSourceError
from partita.store.store import Store
from partita.table.scans import SegmentPage, segment_page


def check_source(store: Store, source: str) -> None:
    """Is there such a table at all?"""
    try:
        store.run(segment_page(source, segment=0, segments=1, after=None, limit=1))
    except ResourceNotFoundError:
        raise NoSourceError(source) from None


@dataclass(frozen=True, slots=True)
class Segments:
    """Where the rows come from, in how many segments, read by how many threads."""

    store: Store
    source: str
    count: int
    workers: int
    page: int
    stop: threading.Event

    def pages(self, segment: int, after: WireItem | None = None) -> Iterator[SegmentPage]:
        """A segment from a place to its end."""
        while True:
            wanted = segment_page(self.source, segment=segment, segments=self.count, after=after, limit=self.page)
            page = self.store.run(wanted)
            yield page
            after = page.after
            if after is None:
                return

    def side_by_side(self, work: Callable[[int], None]) -> None:
        """Do the work for every segment. When one fails, or Ctrl-C comes, the others end at their next request."""
        if self.workers == 1:
            for segment in range(self.count):
                work(segment)
            return
        with ThreadPoolExecutor(self.workers, thread_name_prefix="partita-migrate") as pool:
            futures = [pool.submit(work, segment) for segment in range(self.count)]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException:
                self.stop.set()
                for future in futures:
                    future.cancel()
                raise
