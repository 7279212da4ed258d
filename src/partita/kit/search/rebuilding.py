"""Building the search index anew, as a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from partita.kit.jobs import Arguments, JobFailed, JobKind, Result, Running
from partita.kit.search.catalog import Catalog
from partita.kit.search.following import build_anew, source_queries
from partita.kit.search.index import Search
from partita.store.store import AsyncStore

REBUILD = "house.search-rebuild"


def rebuild_kind(search: Search, store: AsyncStore, catalogs: Sequence[Catalog[Any]]) -> JobKind:
    """The kind of job. Its argument `catalog` names one; without it, all are built. Interrupted, it goes on with the
    catalog that it was at."""

    async def run(running: Running, arguments: Arguments) -> Result:
        wanted = arguments.get("catalog", "")
        chosen = [each for each in catalogs if not wanted or each.name == wanted]
        if not chosen and not wanted:
            return Result("There is nothing to search here.")
        if not chosen:
            names = ", ".join(each.name for each in catalogs)
            raise JobFailed(f"There is no search catalog {wanted}. There are: {names or 'none'}.")
        counts: dict[str, int] = dict(running.saved or {})
        for each in chosen:
            if each.name in counts:
                continue
            total = sum([await store.count(source) for source in source_queries(each)])
            step = each.title or each.name
            await running.progress(step, done=0, total=total)
            counts[each.name] = await build_anew(search, store, each, partial(_note, running, step, total))
            await running.checkpoint(counts)
        return Result(_told([each for each in catalogs if each.name in counts], counts), values=counts)

    return JobKind(REBUILD, "Build the search index anew", run)


def _told(built: Sequence[Catalog[Any]], counts: Mapping[str, int]) -> str:
    """The titles of the catalogs and how much was read for them all: the page of a job is for people."""
    read = sum(counts[each.name] for each in built)
    entries = "1 entry" if read == 1 else f"{read:,} entries"
    return f"Search is built anew from {entries}: {', '.join(each.title or each.name for each in built)}."


def _note(running: Running, step: str, total: int, done: int) -> None:
    running.note(step, done=done, total=total)
