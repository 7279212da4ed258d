"""The core installed as a reader does it, into a new environment, from the package index: `make installed`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from tests.alone import CORE, PROGRAM, THEIRS

ROOT = Path(__file__).parent.parent
MOST_MB = 30.0


def _sizes(folder: Path) -> tuple[float, float]:
    """Megabytes that the files have, and that they take on this disk, which has nothing smaller than a block."""
    found = [file.stat() for file in folder.rglob("*") if not file.is_symlink()]
    return sum(each.st_size for each in found) / 1e6, sum(each.st_blocks * 512 for each in found) / 1e6


def _run(*command: str | Path) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Install, look at what came with it, and run a program."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        venv.create(folder / "new", with_pip=True)
        python = folder / "new" / "bin" / "python"
        (packages,) = (folder / "new" / "lib").glob("python*/site-packages")
        before, were = _sizes(packages), _installed(python)
        # A copy, so that what building leaves behind is not left in the clone.
        left = shutil.ignore_patterns("*.egg-info", "__pycache__")
        shutil.copytree(ROOT / "src", folder / "partita" / "src", ignore=left)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, folder / "partita")
        _run(python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", folder / "partita")
        after, came = _sizes(packages), _installed(python) - were
        size, on_disk = after[0] - before[0], after[1] - before[1]
        print(f"installed {size:.1f} MB ({on_disk:.1f} MB on this disk): {', '.join(sorted(came))}")
        wanted = {name.replace("_", "-") for name in ("partita", *CORE, *THEIRS)}
        assert came == wanted, f"wanted {', '.join(sorted(wanted))}"
        assert size < MOST_MB, f"more than {MOST_MB:g} MB"
        assert _run(python, "-c", PROGRAM) == "Emma\n"
        done = subprocess.run([folder / "new" / "bin" / "partita"], capture_output=True, text=True)
        assert (done.returncode, f"pip install '{folder / 'partita'}[cli]'" in done.stderr) == (2, True), done.stderr
        print("a table was made, written and read")


def _installed(python: Path) -> set[str]:
    program = "from importlib.metadata import distributions\nfor each in distributions(): print(each.metadata['Name'])"
    return {name.lower().replace("_", "-") for name in _run(python, "-c", program).split()}


if __name__ == "__main__":
    main()
