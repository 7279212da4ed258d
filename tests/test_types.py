"""What type checkers accept and refuse of the modelling layer."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RIGHT, WRONG = ROOT / "tests" / "types" / "right.py", ROOT / "tests" / "types" / "wrong.py"
MARKED = {number for number, line in enumerate(WRONG.read_text().splitlines(), 1) if "# wrong: " in line}
EXAMPLES = [ROOT / "examples" / system for system in ("shop", "saas", "chat")]
PYRIGHT = ROOT / "node_modules" / ".bin" / "pyright"


def _checked(command: list[str], *files: Path) -> str:
    done = subprocess.run([*command, *map(str, files)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


def _errors(said: str, file: Path) -> set[int]:
    return {int(line) for line in re.findall(rf"{file.name}:(\d+)(?::\d+)?(?: -|:) error", said)}


def _checkers() -> list[tuple[str, list[str]]]:
    mypy = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--follow-imports=silent"]
    return [("mypy", mypy), ("pyright", [str(PYRIGHT), "--pythonpath", sys.executable])]


def _skip_without(name: str) -> None:
    if name == "pyright" and not (PYRIGHT.exists() and shutil.which("node")):
        pytest.skip("pyright is not installed: npm ci")


@pytest.mark.parametrize(("name", "command"), _checkers(), ids=["mypy", "pyright"])
def test_right_uses_and_examples_are_clean_and_every_wrong_one_is_an_error(name: str, command: list[str]) -> None:
    _skip_without(name)
    assert RIGHT.is_file()
    said = _checked(command, RIGHT, WRONG, *EXAMPLES)
    assert _errors(said, WRONG) == MARKED, said
    wrong = [line for line in said.splitlines() if re.search(r": error\b| - (error|warning)\b", line)]
    assert [line for line in wrong if WRONG.name not in line] == [], said
