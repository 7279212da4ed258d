"""A data folder with the demo data of all systems: filled once for all tests, and copied for each that wants one.

It stays in `build` for the next run, by a name that tells it from the folder of any other source or day.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from partita.bootstrap import build
from partita.cli import app
from partita.kit.settings import Settings

ROOT = Path(__file__).parent.parent
MOST_SECONDS = 600
"""What a busy machine may take to fill it; a test that asks for a copy may have to wait for that."""
_SOURCE = ROOT / "src" / "partita"
_BUILD = ROOT / "build"
_NAME = "demo-data-"
_GREETING = "greeting"
_QUICKLY = {"PARTITA_FETCH": "false", "PARTITA_DURABILITY": "off", "PARTITA_MEANING": "false"}
"""As for all tests, also if it is made before they start."""


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def copy_demo(data: Path) -> str:
    """Make a data folder with demo data; what `partita demo` said when it was filled, with people's passwords."""
    with demo_folder() as filled:
        shutil.copytree(filled, data, ignore=shutil.ignore_patterns(_GREETING))
        return (filled / _GREETING).read_text(encoding="utf-8")


def told_of(system: str, greeting: str) -> str:
    """What was said of one system."""
    return next(line for line in greeting.splitlines() if line.startswith(f"{system}: "))


@contextmanager
def demo_folder(build: Path = _BUILD, today: Callable[[], str] = _today) -> Iterator[Path]:
    """The folder to copy from: nobody deletes it meanwhile, also not for that of the next day."""
    build.mkdir(exist_ok=True)
    with (build / f"{_NAME}lock").open("w") as lock:
        while True:
            # Dates of the demo count from the day on which it is made.
            folder = build / f"{_NAME}{fingerprint(_SOURCE, today())}"
            fcntl.flock(lock, fcntl.LOCK_SH)
            if folder.exists():
                yield folder
                return
            # Whoever comes first fills it, and the others wait.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                for outdated in build.glob(f"{_NAME}*/"):
                    shutil.rmtree(outdated)
                _fill(folder)


def make_demo(build: Path = _BUILD) -> None:
    """Fill it, so that it is there when somebody copies it."""
    with demo_folder(build):
        pass


def _fill(folder: Path) -> None:
    """In a process of its own. It gets its name when it is complete."""
    unfinished = folder.with_name(f"{folder.name}-unfinished")
    filled = subprocess.run(
        [sys.executable, "-m", "tests.demo_folder", str(unfinished)],
        cwd=ROOT,
        env={**os.environ, **_QUICKLY},
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    assert filled.returncode == 0, filled.stderr
    (unfinished / _GREETING).write_text(filled.stdout, encoding="utf-8")
    unfinished.rename(folder)


async def _follow(data: Path) -> None:
    """Let everything happen that follows, such as previews: no copy has to begin with it."""
    suite = build(Settings(data=data))
    try:
        while await suite.jobs.drain() + await suite.worker.drain():
            pass
    finally:
        await suite.close()


def fingerprint(source: Path, day: str) -> str:
    """Another one for every other content of the source, and every other day."""
    made_of = hashlib.sha256(repr((sys.version, day)).encode())
    for file in sorted(path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        content = file.read_bytes()
        made_of.update(repr((file.relative_to(source).as_posix(), len(content))).encode() + content)
    return made_of.hexdigest()[:16]


if __name__ == "__main__":
    if sys.argv[1:]:
        app(["demo", "--data", sys.argv[1]], standalone_mode=False)
        asyncio.run(_follow(Path(sys.argv[1])))
    else:  # before tests start
        make_demo()
