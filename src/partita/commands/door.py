"""What `partita dynamodb` does, and its plain arguments.

The library of the commands takes half of the time until the server listens. Arguments that are surely right are
read here, without it; all others, and whoever asks for help, get to it.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DURABILITIES = ("full", "normal", "off")


@dataclass(frozen=True, slots=True)
class Served:
    """What is served, where and how."""

    data: Path = Path("data")
    host: str = "127.0.0.1"
    port: int = 8000
    durability: str = "full"
    region: str = "us-east-1"
    exports: Path | None = None
    allow_origin: tuple[str, ...] = ()
    sample: bool = False
    workers: int = 1


def plain(arguments: Sequence[str]) -> Served | None:
    """What plain arguments ask for; None if they are not surely right, or not plain."""
    members: dict[str, Any] = {}
    left = list(arguments)
    while left:
        option = left.pop(0)
        if option == "--sample":
            members["sample"] = True
            continue
        if option not in _READERS or not left or left[0].startswith("-"):
            return None
        value = _READERS[option](left.pop(0))
        if value is None:
            return None
        name = option[2:].replace("-", "_")
        members[name] = (*members.get(name, ()), value) if option == "--allow-origin" else value
    return Served(**members)


def _whole(least: int, most: int) -> Any:
    def read(text: str) -> int | None:
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else -1
        return number if least <= number <= most else None

    return read


_READERS: dict[str, Any] = {
    "--data": Path,
    "--host": str,
    "--port": _whole(0, 65535),
    "--durability": lambda text: text if text in DURABILITIES else None,
    "--region": str,
    "--exports": Path,
    "--allow-origin": str,
    "--workers": _whole(1, 64),
}


def environment_keys() -> dict[str, str]:
    """The access key in the environment, if there is one."""
    name, secret = os.environ.get("PARTITA_ACCESS_KEY_ID"), os.environ.get("PARTITA_SECRET_ACCESS_KEY")
    return {name: secret} if name and secret else {}


def serve(served: Served, keys: dict[str, str] | None, faults: Path | None = None) -> int:
    """Serve until it is stopped; returns the status to exit with."""
    from partita.dynamo.errors import DynamoError
    from partita.engine import Engine, FaultPlan, Place
    from partita.engine.door import UnprotectedHostError
    from partita.engine.door import run as run_door
    from partita.engine.faults import FaultPlanError
    from partita.heaps import bound_heaps

    bound_heaps()
    settings: dict[str, Any] = {"durability": served.durability, "exports": served.exports}
    host, port, origins = served.host, served.port, list(served.allow_origin)
    try:
        plan = None if faults is None else FaultPlan.from_json(faults.read_bytes())
        place = Place(region=served.region, endpoint=f"{host}:{port}")
        together = served.workers > 1
        with Engine(served.data, place=place, faults=plan, background=not together, **settings) as engine:
            if served.sample:
                from partita.engine.sample import make_sample

                make_sample(engine)
            tables = engine.call("ListTables", {})["TableNames"]
            if not together:
                run_door(
                    engine,
                    host=host,
                    port=port,
                    keys=keys,
                    origins=origins,
                    ready=lambda door: _greet(door.url, served, tables),
                )
        if together:
            from partita.engine.door.workers import WorkerSettings, run_workers

            run_workers(
                served.workers,
                WorkerSettings(
                    lambda bound: Engine(
                        served.data, place=Place(region=served.region, endpoint=f"{host}:{bound}"), **settings
                    ),
                    host=host,
                    port=port,
                    keys=keys,
                    origins=origins,
                ),
                ready=lambda url: _greet(url, served, tables),
            )
    except (DynamoError, UnprotectedHostError, FaultPlanError) as error:
        print(f"partita: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"partita: {_told(error, served)}", file=sys.stderr)
        return 1
    return 0


_OTHERS = {errno.EADDRINUSE: "--port", errno.EACCES: "--port", errno.EADDRNOTAVAIL: "--host"}
"""What to choose anew where a server cannot listen."""


def _told(error: OSError, served: Served) -> str:
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if error.errno in _OTHERS:
        why = os.strerror(error.errno)
        return f"cannot listen on {served.host}:{served.port}: {why}. Choose another {_OTHERS[error.errno]}."
    return str(error)


def _greet(url: str, served: Served, tables: list[str]) -> None:
    lines = [
        f"DynamoDB is served at {url}",
        f"data     {served.data.resolve()}",
        f"tables   {', '.join(tables) or 'none yet'}",
    ]
    if served.sample:
        request = '{"TableName": "films", "Key": {"pk": {"S": "FILM#metropolis"}, "sk": {"S": "METADATA"}}}'
        lines += [
            "",
            "Try it from another terminal, or with any AWS SDK, this endpoint and any credentials:",
            "",
            f"  curl -s {url} -H 'X-Amz-Target: DynamoDB_20120810.GetItem' -d '{request}'",
        ]
    print("\n".join([*lines, "", "Ctrl-C stops it."]), flush=True)
