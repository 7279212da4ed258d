"""The door and dynoxide under a load generator (wrk), which costs less of the machine than a client in Python."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson
from tests.serving import DYNOXIDE, dynoxide_server, partita_door

from bench.contestants import PAGE, Boto, get_request, put_request, query_request
from bench.measure import Measured

DOOR = "door"
DYNOXIDE_SERVER = "dynoxide on disk"
CONNECTIONS = 8
ITEMS = 2_500
OPERATIONS: dict[str, tuple[str, Callable[[int], dict[str, Any]], int]] = {
    "get": ("GetItem", get_request, ITEMS),
    "query of 25": ("Query", query_request, ITEMS // PAGE),
    "durable put": ("PutItem", lambda number: put_request(ITEMS + number), 2 * ITEMS),
}
"""Of each: its name, its requests by number, and how many different ones there are."""
WANTED = {"get": 1.5, "query of 25": 2.0, "durable put": 3.5}
_SCRIPT = Path(__file__).with_name("requests.lua")


def missing() -> str | None:
    """What cannot be compared here, and why; None if everything is there."""
    if shutil.which("wrk") is None:
        return "The door beside dynoxide was left out: install wrk, as `apt-get install wrk` does on Debian."
    return None if DYNOXIDE.exists() else "The door beside dynoxide was left out: its package from npm is not there."


def compare(rounds: int, say: Callable[[str], None], *, short: bool = False) -> Measured | None:
    """Microseconds per answer of both servers, interleaved; None if something is missing."""
    if missing() is not None:
        return None
    seconds, items = (1, PAGE) if short else (3, ITEMS)
    operations = {"get": OPERATIONS["get"]} if short else OPERATIONS
    measured = Measured()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="partita-load-")))
        for name in (DOOR, DYNOXIDE_SERVER):
            (folder / name).mkdir(mode=0o700)
        urls = {
            DOOR: stack.enter_context(partita_door(folder / DOOR)).url,
            DYNOXIDE_SERVER: stack.enter_context(dynoxide_server(folder / DYNOXIDE_SERVER)).url,
        }
        for name, url in urls.items():
            say(f"filling the {name}")
            client = Boto(url=url)
            for number in range(items):
                client.put(number)
        for name, (_, request, count) in operations.items():
            bodies = (request(number) for number in range(min(count, items) if name == "get" else count))
            (folder / name).write_bytes(b"".join(orjson.dumps(body) + b"\n" for body in bodies))
        for at in range(rounds):
            say(f"round {at + 1} of {rounds} under load")
            for name, (operation, _, _) in operations.items():
                for server, url in urls.items():
                    measured.add(server, name, 1e6 / _rate(url, operation, folder / name, seconds))
    return measured


def _rate(url: str, operation: str, bodies: Path, seconds: int) -> float:
    """Answers in a second; every one of them must be a success."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(_SCRIPT), url]
    ran = subprocess.run([*command, "--", operation, str(bodies)], capture_output=True, text=True, check=True)
    found = re.search(r"Requests/sec:\s+([\d.]+)", ran.stdout)
    if found is None or "Non-2xx" in ran.stdout or "Socket errors" in ran.stdout:
        raise RuntimeError(f"{url} did not answer every {operation}:\n{ran.stdout}{ran.stderr}")
    return float(found[1])


def section(measured: Measured | None) -> list[str]:
    """The table."""
    lines = ["## The door under load", ""]
    if measured is None:
        return [*lines, missing() or "The door beside dynoxide was not measured."]
    lines += [
        f"Answers in a second to wrk with {CONNECTIONS} connections, items of 1 KB; one process of either server. Both",
        "sync the disk before a put is answered (dynoxide knows no other way). Without wrk this is left out; on Debian",
        "`apt-get install wrk` brings it.",
        "",
        "| | door | dynoxide on disk | ratio | wanted |",
        "|---|---:|---:|---:|---:|",
    ]
    for name in measured.rounds[DOOR]:
        ours, theirs = (1e6 / measured.median(server, name) for server in (DOOR, DYNOXIDE_SERVER))
        ratio = measured.times_as_fast(DOOR, DYNOXIDE_SERVER, name)
        lines.append(f"| {name} | {ours:,.0f} | {theirs:,.0f} | {ratio:.2f}× | ≥ {WANTED[name]:g}× |")
    return lines
