"""What a call costs the program that makes it: CPU of the client process, against a server that costs it nothing."""

from __future__ import annotations

import asyncio
import gc
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.canned import canned_server
from bench.libraries import BOTO3, PARTITA, PARTITA_ASYNC, Library, libraries, partita
from bench.measure import Measured
from bench.sites import PAGE, SITES, Site, answers, values
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Put

OPERATIONS = ("put", "get", "query of 25")
WANTED = {"get": 0.35, "query of 25": 0.25}
WANTED_IN_PROCESS = {"get": 60, "query of 25": 500}
COUNTS = {"put": 60, "get": 60, "query of 25": 25}
IN_PROCESS = "Partita in process"
KNOWN = "Partita in process, rows it has read before"


def compare(rounds: int, say: Callable[[str], None], share: float = 1.0) -> Measured:
    """All libraries over HTTP and Partita in process, in turn within each round."""
    measured = Measured()
    folder = Path(tempfile.mkdtemp(prefix="partita-clients-"))
    loop = asyncio.new_event_loop()
    try:
        with ExitStack() as stack:
            url = stack.enter_context(canned_server(answers()))
            contestants = libraries(url, loop, stack)
            engine = stack.enter_context(Engine(folder))
            contestants[IN_PROCESS] = partita(_filled(EmbeddedStore(engine, remembered=0)))
            contestants[KNOWN] = partita(_filled(EmbeddedStore(engine)))
            for name, library in contestants.items():
                _try(name, library)
            gc.freeze()  # nobody pays for walking through what the others have loaded
            for at in range(rounds):
                say(f"round {at + 1} of {rounds}")
                for operation in OPERATIONS:
                    for name, library in contestants.items():
                        times = max(1, int(COUNTS[operation] * share))
                        measured.add(name, operation, _cpu(library, operation, times))
    finally:
        gc.unfreeze()
        loop.close()
        shutil.rmtree(folder, ignore_errors=True)
    return measured


def section(measured: Measured) -> list[str]:
    """What there is to say of a run."""
    lines = [
        "## Clients",
        "",
        "Microseconds of CPU that one operation costs the client's process, and how much that is of what boto3's",
        "client takes. All libraries talk to one server that answers with bytes made beforehand; sites of 1 KB with",
        "twelve attributes and a key, built and read as models where the library has models (aiodynamo and boto3",
        "have none).",
        "",
        "| | " + " | | ".join(OPERATIONS) + " | |",
        "|---|" + "---:|---:|" * len(OPERATIONS),
    ]
    for name in sorted(measured.rounds, key=lambda name: measured.median(name, "get")):
        figures = (
            f"{measured.median(name, operation):,.0f} | {measured.costs(name, BOTO3, operation):.2f}×"
            for operation in OPERATIONS
        )
        lines.append(f"| {name} | {' | '.join(figures)} |")
    lines += ["", "| what | wanted | measured |", "|---|---|---|"]
    return lines + [f"| {what} | {wanted} | {found} |" for what, wanted, found in _targets(measured)]


def _targets(measured: Measured) -> Iterator[tuple[str, str, str]]:
    for face in (PARTITA, PARTITA_ASYNC):
        for operation, most in WANTED.items():
            value = measured.costs(face, BOTO3, operation)
            yield f"{face} over HTTP costs, to boto3 client, {operation}", f"≤ {most}×", f"{value:.2f}×"
    others = [name for name in measured.rounds if name not in (PARTITA, PARTITA_ASYNC, IN_PROCESS, KNOWN)]
    for operation in OPERATIONS:
        best = min(others, key=lambda name: measured.median(name, operation))
        value = measured.costs(PARTITA, best, operation)
        yield f"{PARTITA} over HTTP costs, to the best other library ({best}), {operation}", "< 1×", f"{value:.2f}×"
    for operation, most in WANTED_IN_PROCESS.items():
        value = measured.median(IN_PROCESS, operation)
        yield f"{IN_PROCESS}, as models, {operation}", f"≤ {most} µs", f"{value:,.0f} µs"


def _filled(store: EmbeddedStore) -> EmbeddedStore:
    store.create(SITES)
    store.batch_write(Put(Site(**values(number))) for number in range(PAGE))
    return store


def _try(name: str, library: Library) -> None:
    """Once each, to open connections and to see that every library reads what is there."""
    wanted = [values(number)["title"] for number in range(PAGE)]
    _run(library, library.put, 1)
    found = library.title(_run(library, library.get, 1))
    assert found == wanted[0], f"{name} reads another site: {found}"
    listed = [library.title(site) for site in _run(library, library.query, 1)]
    assert listed == wanted, f"{name} lists other sites: {listed}"


def _cpu(library: Library, operation: str, times: int) -> float:
    """Microseconds of this process per operation, whichever of its threads they are spent in."""
    work = {"put": library.put, "get": library.get, "query of 25": library.query}[operation]
    begun = time.process_time()
    _run(library, work, times)
    return (time.process_time() - begun) / times * 1e6


def _run(library: Library, work: Callable[[], Any], times: int) -> Any:
    if library.loop is not None:
        return library.loop.run_until_complete(_awaited(work, times))
    result = None
    for _ in range(times):
        result = work()
    return result


async def _awaited(work: Callable[[], Any], times: int) -> Any:
    result = None
    for _ in range(times):
        result = await work()
    return result
