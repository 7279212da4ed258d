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
PYRIGHT = ROOT / "node_modules" / ".bin" / "pyright"


def _errors(command: list[str], file: Path) -> set[int]:
    done = subprocess.run([*command, str(file)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    found = re.findall(rf"{file.name}:(\d+)(?::\d+)?(?: -|:) error", done.stdout)
    assert found or "no issues found" in done.stdout or "0 errors" in done.stdout, done.stdout + done.stderr
    return {int(line) for line in found}


def _checkers() -> list[tuple[str, list[str]]]:
    mypy = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--follow-imports=silent"]
    return [("mypy", mypy), ("pyright", [str(PYRIGHT), "--pythonpath", sys.executable])]


@pytest.mark.parametrize(("name", "command"), _checkers(), ids=["mypy", "pyright"])
def test_right_uses_are_clean_and_every_wrong_one_is_an_error(name: str, command: list[str]) -> None:
    if name == "pyright" and not (PYRIGHT.exists() and shutil.which("node")):
        pytest.skip("pyright is not installed: npm ci")
    assert _errors(command, RIGHT) == set()
    assert _errors(command, WRONG) == MARKED
