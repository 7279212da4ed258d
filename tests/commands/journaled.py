"""Writers that use a served suite over HTTP, each one write after the other, and note every write with its answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any
from urllib.request import Request, urlopen

import orjson

from tests.sent_forms import form_with_file

_SECONDS = 120
"""Far more than a few writes take."""


@dataclass(frozen=True)
class Written:
    """A write that was acknowledged: what it did, and from when until when it was under way."""

    did: dict[str, Any]
    begun: float
    ended: float


class Journal:
    """The file in which a writer notes its writes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch()

    def note(self, did: dict[str, Any], begun: float) -> None:
        with self._path.open("ab") as file:
            file.write(orjson.dumps({"did": did, "begun": begun, "ended": time.monotonic()}) + b"\n")

    def read(self) -> list[Written]:
        return [Written(**orjson.loads(line)) for line in self._path.read_bytes().splitlines()]


class Writer:
    """Somebody with a token."""

    def __init__(self, url: str, name: str, token: str, journal: Journal) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"}
        self.name = name
        self.journal = journal
        self.random = Random(name)

    def ask(self, method: str, path: str, values: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {**self._headers, "Content-Type": "application/json"}
        body = None if values is None else orjson.dumps(values)
        with urlopen(Request(self._url + path, body, headers, method=method), timeout=_SECONDS) as answer:
            told: dict[str, Any] = orjson.loads(answer.read() or b"{}")
            return told

    def write(self, method: str, path: str, values: dict[str, Any] | None, **did: Any) -> dict[str, Any]:
        """One write, which is noted when it is acknowledged; a value such as `@siteId` is
        taken from the answer."""
        begun = time.monotonic()
        answer = self.ask(method, path, values)
        named = {
            name: answer[value[1:]] if isinstance(value, str) and value[:1] == "@" else value
            for name, value in did.items()
        }
        self.journal.note(named, begun)
        return answer

    def send(self, url: str, fields: dict[str, str], data: bytes) -> None:
        """Send a file to where the suite says."""
        address = url if url.startswith("http") else self._url + url
        with urlopen(Request(address, *form_with_file(data, "a.txt", "file", fields)), timeout=_SECONDS) as answer:
            answer.read()


def digest_of(data: bytes) -> str:
    """What is noted of a text or a file."""
    return sha256(data).hexdigest()[:16]


def sites(writer: Writer, shared: str) -> Iterator[None]:
    """Adds sites with tags to fus, and rates a site that all rate; each step is one write."""
    number = 0
    while True:
        if number % 16 == 0:
            new = {
                "url": f"https://{writer.name}-{number}.example.org",
                "title": f"Site {number}",
                "tags": ["maps", writer.name],
                "fetch": False,
            }
            writer.write("POST", "/api/fus/sites", new, site="@siteId", title=new["title"])
        else:
            rating = {"stars": writer.random.randint(1, 5), "note": f"Note {number}"}
            writer.write("PUT", f"/api/fus/sites/{shared}/rating", rating, stars=rating["stars"], note=rating["note"])
        number += 1
        yield


def files(writer: Writer) -> Iterator[None]:
    """Makes drafts in the portal, and attaches files to them in the place of those before."""
    base, number, content_id = "/api/enablement/content", 0, ""
    while True:
        if number % 4 == 0:
            text = f"Text {number} of {writer.name}. " * 50 + "End"
            new = {"title": f"Draft {number}", "summary": "List prices.", "text": text}
            made = writer.write(
                "POST", base, new, content="@content_id", title=new["title"], text=digest_of(text.encode())
            )
            content_id = made["content_id"]
        else:
            data = f"File {number} of {writer.name}.\n".encode() * writer.random.randint(1, 4000)
            begun = writer.ask("POST", f"{base}/{content_id}/uploads", {"file_name": "a.txt"})
            writer.send(begun["url"], begun["fields"], data)
            attached = {"upload_id": begun["upload_id"]}
            writer.write("POST", f"{base}/{content_id}/attach", attached, content=content_id, file=digest_of(data))
        number += 1
        yield


@contextmanager
def working(works: Sequence[Callable[[], Iterator[None]]]) -> Iterator[Callable[[], None]]:
    """All of them write until this is left. What it yields tells when somebody has failed."""
    stop = threading.Event()
    failed: list[BaseException] = []

    def repeat(work: Callable[[], Iterator[None]]) -> None:
        try:
            for _ in work():
                if stop.is_set():
                    return
        except BaseException as error:
            failed.append(error)

    def check() -> None:
        if failed:
            raise AssertionError("a write was refused") from failed[0]

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield check
    finally:
        stop.set()
        for thread in threads:
            thread.join(_SECONDS)
    check()


def await_more(journals: dict[str, Journal], check: Callable[[], None], more: int = 5) -> None:
    """Until each of them has so many more writes."""
    before = {name: len(journal.read()) for name, journal in journals.items()}
    begun = time.monotonic()
    while any(len(journal.read()) < before[name] + more for name, journal in journals.items()):
        check()
        assert time.monotonic() - begun < _SECONDS, "they do not get ahead"
        time.sleep(0.05)
