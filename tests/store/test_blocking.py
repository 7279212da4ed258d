"""The face for threads: a child process never reads from a connection of its parent."""

from __future__ import annotations

import subprocess
import sys

from tests.store.listener import Asked, Reply, listening, said
from tests.table.forum import Member

_PROGRAM = """
import os, sys
from partita.store.dynamo import DynamoStore, fixed
from tests.table.forum import Member

store = DynamoStore(endpoint_url=sys.argv[1], region="us-east-1", credentials=fixed("any", "any"))
store.get(Member.get(Member.member_id("parent")))
child = os.fork()
name = "parent" if child else "child"
found = store.get(Member.get(Member.member_id(name)))
assert found is not None and found.name == name, found
if not child:
    os._exit(0)
_, status = os.waitpid(child, 0)
store.close()
sys.exit(os.waitstatus_to_exitcode(status))
"""


def _whoever(asked: Asked) -> Reply:
    name = asked.members["Key"]["PK"]["S"].removeprefix("MEMBER#")
    return said({"Item": Member(member_id=name, name=name).to_row()})


def test_a_forked_process_opens_connections_of_its_own() -> None:
    with listening(_whoever) as listener:
        subprocess.run([sys.executable, "-c", _PROGRAM, listener.url], check=True, timeout=60)
        over = [("child" if b"child" in asked.body else "parent", asked.connection) for asked in listener.asked]
        assert sorted(over) == [("child", 2), ("parent", 1), ("parent", 1)]
