"""The engine tells whether anything was committed since: what was worked out before holds as long as nothing was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from partita.engine import Engine, FaultPlan

TABLE = {
    "TableName": "ttt",
    "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
PUT = {"TableName": "ttt", "Item": {"k": {"S": "1"}}}


def test_the_state_differs_after_every_write_and_after_nothing_else(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        engine.call("CreateTable", TABLE)
        seen = [engine.state()]
        for number in range(3):
            engine.call("PutItem", {**PUT, "Item": {"k": {"S": "1"}, "n": {"N": str(number)}}})
            seen.append(engine.state())
            engine.call("GetItem", {"TableName": "ttt", "Key": {"k": {"S": "1"}}})
            engine.call("Scan", {"TableName": "ttt"})
            assert engine.state() == seen[-1]
        assert len(set(seen)) == 4


def test_what_another_process_commits_is_seen_at_once(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        engine.call("CreateTable", TABLE)
        before = engine.state()
        program = (
            "import sys; from partita.engine import Engine\n"
            f"with Engine(sys.argv[1], background=False) as engine: engine.call('PutItem', {PUT!r})"
        )
        subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, timeout=60)
        assert engine.state() != before


def test_nobody_can_tell_while_faults_are_injected(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False, faults=FaultPlan(seed=1)) as engine:
        assert engine.state() is None
