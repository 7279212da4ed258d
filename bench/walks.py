"""How far a request walks: the functions and files of ours that it passes, and the hops that lead back.

Three requests to Kelifax: the page of a list, a write by form, a write by the API. Each is made several times before it
is counted, so that what is worked out once is not. `python -m bench.walks` prints a table; with `--hops` also every hop
between files of the system itself.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlencode

import orjson

import partita
from partita.bootstrap import build
from partita.kit.settings import read_settings
from partita.web.app import create_app

_OURS = str(Path(partita.__file__).parent) + "/"
_RANKS = {"pages": 0, "api": 0, "service": 1}
"""From what answers requests to the rules, and from the rules to what they are about (2, everything else)."""
Place = tuple[str, str]
"""A file below the package, and a function in it."""


class Walk:
    """The places a request passes."""

    def __init__(self) -> None:
        self.places: set[Place] = set()
        self.hops: Counter[tuple[str, str]] = Counter()

    def step(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(_OURS):
            return
        file = frame.f_code.co_filename.removeprefix(_OURS)
        self.places.add((file, frame.f_code.co_qualname))
        caller = frame.f_back
        if caller is not None and caller.f_code.co_filename.startswith(_OURS):
            self.hops[caller.f_code.co_filename.removeprefix(_OURS), file] += 1

    @property
    def own_hops(self) -> list[tuple[str, str]]:
        """The hops between files of one system."""
        pairs = ((_room(here), _room(there), (here, there)) for here, there in self.hops)
        return sorted(hop for here, there, hop in pairs if here and here == there and hop[0] != hop[1])

    @property
    def back(self) -> list[tuple[str, str]]:
        """Those that lead from the rules to what calls them, or from what they are about to the rules."""
        return [(here, there) for here, there in self.own_hops if _rank(here) > _rank(there)]


def _room(file: str) -> str:
    parts = file.split("/")
    return parts[1] if parts[0] == "apps" and len(parts) > 2 else ""


def _rank(file: str) -> int:
    return _RANKS.get(file.split("/")[2].removesuffix(".py"), 2)


@contextmanager
def _watched() -> Iterator[Walk]:
    walk = Walk()
    sys.setprofile(walk.step)
    try:
        yield walk
    finally:
        sys.setprofile(None)


async def _ask(app: Any, method: str, path: str, body: bytes = b"", kind: str = "") -> int:
    """One request in process; its status."""
    path, _, query = path.partition("?")
    headers = [(b"host", b"127.0.0.1:8080"), (b"sec-fetch-site", b"same-origin")]
    if body:
        headers += [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": headers,
        "client": ("192.0.2.1", 1),
        "server": ("127.0.0.1", 8080),
        "state": {},
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return int(sent[0]["status"])


def _submission(number: int) -> bytes:
    features = ["Adds, subtracts and multiplies", "Keeps a thousand numbers", "Decides what to do next"]
    return orjson.dumps(
        {
            "submitter": {"firstName": "Ada", "lastName": "Lovelace", "companyEmail": "ada@example.org"},
            "resource": {
                "resourceName": f"Engine {number}",
                "resourceUrl": f"https://example.org/{number}",
                "usagePurpose": "Weaves algebraical patterns, as a loom weaves flowers.",
                "category": "development",
                "tags": ["looms"],
            },
            "details": {"keyFeatures": features, "useCases": ["Numbers of Bernoulli", "Tables without mistakes"]},
        }
    )


async def _walks(app: Any, suite: Any) -> dict[str, Walk]:
    kelifax = next(system for system in suite.systems if system.name == "kelifax")
    await kelifax.demo()
    listed = await _body(app, "/api/kelifax/resources?limit=1")
    slug = listed["items"][0]["resourceSlug"]
    numbers = iter(range(1000))

    async def page() -> int:
        return await _ask(app, "GET", f"/kelifax/resources?sort=newest&at={next(numbers)}")

    async def form() -> int:
        fields = urlencode({"reason": "The address leads nowhere."}).encode()
        return await _ask(
            app, "POST", f"/kelifax/resources/{slug}/reports", fields, "application/x-www-form-urlencoded"
        )

    async def api() -> int:
        return await _ask(app, "POST", "/api/kelifax/resources", _submission(next(numbers)), "application/json")

    requests: dict[str, tuple[Callable[[], Awaitable[int]], int]] = {
        "page of a list": (page, 200),
        "write by form": (form, 303),
        "write by the API": (api, 201),
    }
    walks = {}
    for name, (ask, status) in requests.items():
        for _ in range(3):
            assert await ask() == status, name
        with _watched() as walk:
            assert await ask() == status, name
        walks[name] = walk
    return walks


async def _body(app: Any, path: str) -> Any:
    parts: list[bytes] = []

    async def watching(scope: Any, receive: Any, send: Any) -> None:
        async def keep(message: Any) -> None:
            parts.append(message.get("body", b""))
            await send(message)

        await app(scope, receive, keep)

    await _ask(watching, "GET", path)
    return orjson.loads(b"".join(parts))


async def _main(folder: str, *, hops: bool) -> None:
    suite = build(read_settings(data=folder))
    app = create_app(suite)
    walks = await _walks(app, suite)
    await suite.close()
    print("| walk | functions | files | functions of the system | hops between its files | back |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, walk in walks.items():
        files = {file for file, _ in walk.places}
        own = [place for place in walk.places if _room(place[0])]
        print(f"| {name} | {len(walk.places)} | {len(files)} | {len(own)} | {len(walk.own_hops)} | {len(walk.back)} |")
    for name, walk in walks.items():
        for hop in walk.own_hops if hops else walk.back:
            print(f"{name}: {hop[0]} → {hop[1]}{' (back)' if hop in walk.back else ''}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_main(folder, hops="--hops" in sys.argv))
