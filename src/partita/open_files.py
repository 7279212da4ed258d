"""How many files, and so connections, a process can still open."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

_OWN = 64
"""What a process opens itself while it serves: tables, uploads, children."""


def files_left() -> int:
    """How many files this process can still open beside its own; the limit is raised as far as the system lets it."""
    if sys.platform == "win32":
        return 512
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    if soft == resource.RLIM_INFINITY:
        return sys.maxsize
    open_now = len(os.listdir("/dev/fd"))
    return soft - open_now - _OWN
