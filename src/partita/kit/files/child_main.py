"""The other end of `in_child`: run as a script, with the standard library alone until the limits are set."""

from __future__ import annotations

import importlib
import pickle
import resource
import sys
from typing import Any


def main(seconds: int, megabytes: int, path: list[str]) -> None:
    """Read a function and its arguments, and answer with what it makes of them."""
    for limit, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, megabytes * 1024 * 1024),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        hard = resource.getrlimit(limit)[1]
        kept = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (kept, kept))
    sys.path[:] = path
    sys.setrecursionlimit(500)
    sys.stdout.buffer.write(pickle.dumps(_answer(), protocol=5))
    sys.stdout.buffer.flush()


def _answer() -> tuple[str, Any]:
    try:
        (module, name), arguments = pickle.load(sys.stdin.buffer)
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
        return "done", function(*arguments)
    except MemoryError:
        return "memory", "not enough memory"
    except Exception as error:
        if hasattr(error, "detail") and hasattr(error, "code"):  # a Problem, which is not imported here
            return "problem", (type(error).__qualname__, str(error.detail), str(error.code))
        return "error", f"{type(error).__name__}: {error}"[:1000]


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
