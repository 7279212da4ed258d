"""A data folder with the demo data of all systems: filled once for all tests, and copied for each that wants one.

It stays in `build` for the next run, by a name that tells it from the folder of any other source or day.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
_SOURCE = ROOT / "src" / "partita"
_BUILD = ROOT / "build"
_NAME = "demo-data-"
_GREETING = "greeting"


def copy_demo(data: Path) -> str:
    """Make a data folder with demo data; what `partita demo` said when it was filled, with people's passwords."""
    filled = _filled()
    shutil.copytree(filled, data, ignore=shutil.ignore_patterns(_GREETING))
    return (filled / _GREETING).read_text(encoding="utf-8")


def _filled() -> Path:
    _BUILD.mkdir(exist_ok=True)
    folder = _BUILD / f"{_NAME}{_fingerprint()}"
    # Whoever comes first fills it, and the others wait.
    with (_BUILD / f"{_NAME}lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            for outdated in _BUILD.glob(f"{_NAME}*/"):
                shutil.rmtree(outdated)
            _fill(folder)
    return folder


def _fill(folder: Path) -> None:
    """As a user fills it. It gets its name when it is complete."""
    unfinished = folder.with_name(f"{folder.name}-unfinished")
    filled = subprocess.run(
        [sys.executable, "-m", "partita.cli", "demo", "--data", str(unfinished)],
        env={**os.environ, "PARTITA_FETCH": "false"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert filled.returncode == 0, filled.stderr
    (unfinished / _GREETING).write_text(filled.stdout, encoding="utf-8")
    unfinished.rename(folder)


def _fingerprint() -> str:
    """Of everything that demo data is made from and with; dates of the demo count from today."""
    made_of = hashlib.sha256(f"{sys.version} {datetime.now(UTC).date()}".encode())
    for file in sorted(path for path in _SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        made_of.update(f"{file.relative_to(_SOURCE)} {file.stat().st_size} ".encode())
        made_of.update(file.read_bytes())
    return made_of.hexdigest()[:16]
