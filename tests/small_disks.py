"""File systems that are soon full."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system of so many megabytes in memory; the test is skipped where none can be mounted."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"no small file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill_up(disk: Path, free: int) -> Path:
    """Fill a disk with a file, but for so many bytes."""
    filler = disk / "filler"
    space = os.statvfs(disk)
    filler.write_bytes(b"x" * (space.f_bavail * space.f_bsize - free))
    return filler
