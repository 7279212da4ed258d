"""Small programs with libraries of Node.js for DynamoDB; each prints what it has seen. `make clients` installs them."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.serving import Served

FOLDER = Path(__file__).parent / "node"
PROGRAMS = ("electrodb", "toolbox", "onetable")


@pytest.mark.skipif(not (FOLDER / "node_modules" / ".made").exists(), reason="not installed: make clients")
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_sees_what_it_has_to(door: Served, program: str) -> None:
    command = ["node", f"{program}.js", door.url]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((FOLDER / "expected" / f"{program}.json").read_text())
