"""What a server takes of memory: at its start with the demo data, after hostile requests, and what it gives back."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from tests.demo_folder import MOST_SECONDS, copy_demo
from tests.fuzz.door import megabytes, summary
from tests.fuzz.people import furnish
from tests.fuzz.web import WebFuzzer
from tests.web.serving import Suite, serving

START_MEGABYTES = 185
"""It takes 150: what runs beside serving may have begun."""
BURST_MEGABYTES = 260
"""The bound of the long fuzz is 300, of which caches are filled only by and by."""
REQUESTS = 250

# In a process of its own: how memory is allocated is set once for all of it.
PROGRAM = """
import asyncio
import psutil
from partita.kit.accounts.passwords import Passwords
from partita.heaps import bound_heaps

async def check() -> None:
    passwords = Passwords()
    encoded = await passwords.encode("correct horse battery")
    before = psutil.Process().memory_info().rss
    for _ in range(3):
        await asyncio.gather(*(passwords.verify(encoded, "another one") for _ in range(4)))
    print((psutil.Process().memory_info().rss - before) // 1_000_000)

bound_heaps()
asyncio.run(check())
"""

# Blocks of a few hundred bytes, and every thousandth of them stays: glibc by itself gives none of it back.
SCATTERED = """
import asyncio
import psutil
from partita.heaps import given_back, bound_heaps

async def check() -> None:
    process = psutil.Process()
    async with given_back(seconds=0.05):
        blocks = [bytearray(600) for _ in range(100_000)]
        full = process.memory_info().rss
        kept = blocks[::1000]
        del blocks
        for _ in range(200):
            if full - process.memory_info().rss > 40_000_000:
                break
            await asyncio.sleep(0.05)
        print((full - process.memory_info().rss) // 1_000_000, len(kept))

bound_heaps()
asyncio.run(check())
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="glibc is asked for it")


def _told_by(program: str) -> list[int]:
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    return [int(word) for word in said.stdout.split()]


@linux
def test_checking_passwords_takes_no_memory_for_good() -> None:
    assert _told_by(PROGRAM)[0] < 10


@linux
def test_what_is_free_between_things_that_stay_is_given_back() -> None:
    assert _told_by(SCATTERED)[0] > 40


def _most_while(suite: Suite, path: str, token: str) -> float:
    """The most that a server takes while 23 bodies of unknown fields come to their end at once."""
    fields = b",".join(b'"%x":0' % key for key in range(105_000))
    body = b"{" + fields + b"}"
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n"
    head += f"Authorization: Bearer {token}\r\n" if token else ""
    where = urlsplit(suite.url)
    ready, answers, most = threading.Barrier(24, timeout=60), list[bytes](), 0.0

    def send() -> None:
        with suppress(OSError), socket.create_connection((where.hostname, where.port), timeout=60) as wire:
            with suppress(OSError):  # refused before all was sent
                wire.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body[:-1])
            ready.wait()
            with suppress(OSError):
                wire.sendall(body[-1:])
            answers.append(wire.recv(200))

    senders = [threading.Thread(target=send) for _ in range(23)]
    for each in senders:
        each.start()
    ready.wait()
    process = psutil.Process(suite.pid)
    while any(each.is_alive() for each in senders):
        most = max(most, megabytes(process))
        time.sleep(0.01)
    assert all(b" 5" not in each[:13] or b" 503" in each[:13] for each in answers), answers
    return most


@linux
@pytest.mark.timeout(MOST_SECONDS)
def test_a_server_of_all_systems_with_demo_data_stays_small_when_it_is_attacked(tmp_path: Path) -> None:
    """The short mode of the fuzzer, as everybody; `make fuzz` runs the long one."""
    copy_demo(tmp_path / "data")
    people = asyncio.run(furnish(tmp_path / "data", demo=False, of_each=1))
    asks_for_meaning = {"PARTITA_FETCH": "false", "PARTITA_LOG_LEVEL": "warning", "PARTITA_MEANING": "true"}
    with serving(tmp_path, environment=asks_for_meaning) as suite:
        assert suite.get("/")[0] == 200
        assert megabytes(psutil.Process(suite.pid)) < START_MEGABYTES
        fuzzer = WebFuzzer(suite.url, suite.pid, people, seed=21)
        outcome = fuzzer.run(REQUESTS)
        assert outcome.failures == []
        assert outcome.statuses[200] > 20, "some requests should work"
        assert outcome.megabytes_most < BURST_MEGABYTES, summary(outcome, REQUESTS)
        # Reads all tables, and holds none of them. A second time, so that caches are full.
        token = next(who.token for who in people if who.token)
        sizes = []
        for _ in range(3):
            status, _ = suite.get("/api/account/data", Authorization=f"Bearer {token}")
            assert status == 200
            sizes.append(megabytes(psutil.Process(suite.pid)))
        assert max(sizes) < BURST_MEGABYTES
        for number in range(60):
            assert suite.get(f"/kelifax/resources?q=word{number}")[0] == 200
        member = next(who.token for who in people if who.token)
        assert _most_while(suite, "/api/kelifax/resources", "") < BURST_MEGABYTES
        assert _most_while(suite, "/api/jobs/none/retry", member) < BURST_MEGABYTES
