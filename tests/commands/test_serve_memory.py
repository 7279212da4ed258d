"""What a server gives back: memory that one request needed is not the server's for good."""

from __future__ import annotations

import subprocess
import sys

import pytest

# In a process of its own: how memory is allocated is set once for all of it.
PROGRAM = """
import asyncio
import psutil
from partita.web.heaps import share_heaps
from partita.kit.accounts.passwords import Passwords

async def check() -> None:
    passwords = Passwords()
    encoded = await passwords.encode("correct horse battery")
    before = psutil.Process().memory_info().rss
    for _ in range(3):
        await asyncio.gather(*(passwords.verify(encoded, "another one") for _ in range(4)))
    print((psutil.Process().memory_info().rss - before) // 1_000_000)

share_heaps()
asyncio.run(check())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is asked for it")
def test_checking_passwords_takes_no_memory_for_good() -> None:
    taken = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert int(taken.stdout) < 10
