"""What the tests of `in_child` run there; light, so that each process starts fast."""

from __future__ import annotations

import os
import time
from typing import Any

from partita.kit.problems import NotFound


def twice(value: Any) -> Any:
    return (value, value)


def refuse() -> None:
    raise NotFound("There is none.", code="none_here")


def fail() -> None:
    raise RuntimeError("no")


def never() -> None:
    while True:
        pass


def sleep() -> None:
    time.sleep(60)


def much(megabytes: int) -> int:
    return len(bytearray(megabytes * 1024 * 1024))


def crash() -> None:
    import ctypes

    ctypes.string_at(0)


def write_here(path: str) -> str:
    try:
        with open(path, "w") as file:
            file.write("x" * 100)
    except OSError as error:
        return type(error).__name__
    return "written"


def see_environment() -> list[str]:
    return sorted(os.environ)


class Trap:
    def __reduce__(self) -> Any:
        return os.getpid, ()


def trap() -> Any:
    return Trap()


def endless() -> bytes:
    return b"x" * 100_000_000
