"""A start imports what it needs: commands nothing of the systems, schemas nothing of the web, the suite nothing that it
may never use."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import json, sys
steps = {}
for name, code in json.loads(sys.argv[1]).items():
    exec(code)
    steps[name] = sorted(sys.modules)
print(json.dumps(steps))
"""


def test_a_start_imports_only_what_it_needs() -> None:
    systems = "enablement", "fus", "kelifax", "newsletter", "worthwatch"
    suite = "\n".join(("import partita.web.app", *(f"import partita.apps.{name}.system" for name in systems)))
    starts = {
        "server": "import partita.commands.door",
        "commands": "import partita.cli",
        "schemas": "import partita.bootstrap",
        "suite": suite,
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(starts)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    imported = {name: set(modules) for name, modules in json.loads(done.stdout).items()}
    commands = {name for name in imported["server"] if name.startswith("partita.commands.")}
    assert commands == {"partita.commands.door"}
    assert not {"typer", "pydantic"} & imported["server"]
    assert "typer" in imported["commands"]
    assert not {"pydantic", "fastapi", "orjson", "partita.bootstrap", "partita.engine"} & imported["commands"]
    assert {f"partita.apps.{name}.schema" for name in systems} <= imported["schemas"]
    assert not {"PIL", "apsw", "fastapi", "jinja2", "partita.apps.worthwatch.service"} & imported["schemas"]
    assert "fastapi" in imported["suite"]
    waits = {"aiohttp", "boto3", "botocore", "docx", "joserfc", "numpy", "pypdfium2", "rich", "uvicorn", "weasyprint"}
    assert not waits & imported["suite"]
