"""The commands as a person types them."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita import __version__
from partita.bootstrap import patterns, tables
from partita.cli import app
from tests.serving import partita_door

runner = CliRunner()


def _out(*arguments: str, code: int = 0) -> str:
    result = runner.invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


def test_the_version_is_said() -> None:
    assert _out("--version") == f"partita {__version__}\n"


def test_explain_lists_every_pattern_and_shows_one_whole() -> None:
    listed = _out("explain")
    assert all(pattern.label in listed for pattern in patterns())
    shown = _out("explain", "newsletter.newsletters_of")
    assert shown.startswith("newsletter.newsletters_of(user_id: str) -> Query[Newsletter]\n")
    assert "Query on igad-testing-main-table, index GSI1" in shown
    assert "GSI1PK = 'USER#user123' AND begins_with(GSI1SK, 'NEWSLETTER#')" in shown
    assert "costs 2 read units for 25 items of 564 bytes" in shown
    assert "costs 4 read units for 50 items of 564 bytes" in _out("explain", "newsletters_of", "--items", "50")


def test_explain_of_a_pattern_that_is_not_there_says_how_to_find_one() -> None:
    said = _out("explain", "fus.nothing", code=1)
    assert said.startswith("partita: there is no pattern fus.nothing; `partita explain` lists all of them;")
    assert said.endswith("; for your own schema, add --schema FILE\n")


def test_explain_takes_a_patterns_name_without_its_system() -> None:
    assert _out("explain", "newsletters_of") == _out("explain", "newsletter.newsletters_of")


def test_check_says_what_the_five_systems_accept_and_that_all_else_is_well() -> None:
    found = _out("check")
    assert "accepted hot-partition: kelifax-resources.ResourceStatusIndex: all Resource items share 3 part" in found
    assert re.search(r"^0 errors, 0 warnings, \d+ accepted; docs/check.md explains each code$", found, re.MULTILINE)
    assert "accepted hot-partition" not in _out("check", "--no-accepted")


def test_tables_shows_keys_indexes_items_and_patterns() -> None:
    page = _out("tables", "events")
    assert "Key: `date_bucket` (S) + `ts#event_id` (S)." in page
    assert re.search(r"^\| Event +\| `\{date_bucket\}` +\| `\{timestamp\}#\{event_id\}` \|", page, re.MULTILINE)
    assert re.search(r"^\| Query events by user +\| `enablement.events_of` +\| Query on by_user", page, re.MULTILINE)
    every = _out("tables")
    assert all(f"# {table.name}\n" in every for table in tables())
    _out("tables", "nowhere", code=1)


def test_exports_name_every_table_or_those_of_a_system() -> None:
    template = json.loads(_out("export", "cloudformation"))
    assert {each["Default"] for each in template["Parameters"].values()} == {table.name for table in tables()}
    model = json.loads(_out("export", "workbench"))
    assert [each["TableName"] for each in model["DataModel"]] == [table.name for table in tables()]
    assert 'variable "dynamoTableName" {\n  type    = string\n  default = "fus-main"\n}' in _out("export", "terraform")
    assert "worthwatch" not in _out("export", "terraform", "--system", "fus")


def test_patterns_measures_what_each_costs() -> None:
    page = _out("patterns", "--stored", "1,2", "--schema", "tests/table/forum.py")
    assert "| A member's posts | `forum.posts_of` | Query: `PK = 'MEMBER#ada' AND begins_with(SK, 'POST#')` |" in page
    for wrong in ("x", "2,1", "0,1", "1,1"):
        _out("patterns", "--stored", wrong, code=2)


OWN = """
from partita.table import Attribute, Get, Item, Query, Table, access_pattern, key_part
SHEDS = Table("sheds", pk="PK")
BY_OWNER = SHEDS.index("byOwner", pk="owner")
class Shed(Item, table=SHEDS, pk="SHED#{shed_id}"):
    shed_id: Attribute[str] = key_part()
    owner: Attribute[str]
@access_pattern("Somebody's sheds", SHEDS, owner="ada")
def sheds_of(owner: str) -> Query[Shed]:
    return Shed.query(BY_OWNER, Shed.owner(owner))
"""
BROKEN = """
@access_pattern("A shed", SHEDS)
def shed() -> Get[Shed]:
    return Shed.get(Shed.owner("ada"))
"""
MISTAKEN = """
@access_pattern("A mistake", SHEDS)
def mistaken() -> Get[Shed]:
    return Shed.get(Shed.shed_id(str(1 // 0)))
"""


def _partita(folder: Path, *arguments: str, code: int = 0) -> str:
    """The commands in a process of their own, since they import what they are given."""
    command = [sys.executable, "-m", "partita.cli", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_every_command_reads_a_schema_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "sheds.py").write_text(OWN)
    own = ("--schema", "sheds.py")
    assert _partita(tmp_path, "explain", *own).split() == ["sheds.sheds_of", "Somebody's", "sheds"]
    assert "Query on sheds, index byOwner" in _partita(tmp_path, "explain", "sheds.sheds_of", *own)
    assert _partita(tmp_path, "check", *own) == "0 errors, 0 warnings, 0 accepted\n"
    assert _partita(tmp_path, "tables", *own).startswith("# sheds\n")
    assert list(json.loads(_partita(tmp_path, "export", "cloudformation", *own))["Resources"]) == ["ShedsTable"]


def test_a_pattern_that_cannot_work_is_an_error_of_the_check_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "sheds.py").write_text(OWN + BROKEN)
    own = ("--schema", "sheds.py")
    said = _partita(tmp_path, "check", *own, code=1)
    assert "error pattern-fails: sheds.shed: The key of Shed is made of shed_id" in said
    explained = _partita(tmp_path, "explain", "sheds.shed", *own, code=1)
    assert explained.startswith("partita: sheds.shed: The key of Shed is made of shed_id")


def test_one_pattern_that_fails_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "sheds.py").write_text(OWN + BROKEN + MISTAKEN)
    own = ("--schema", "sheds.py")
    shown = _partita(tmp_path, "tables", *own)
    assert "| Query on byOwner: `owner = 'ada'` |" in shown
    assert "**fails**: The key of Shed is made of shed\\_id" in shown
    measured = _partita(tmp_path, "patterns", "--stored", "1,2", *own, code=1)
    assert "| Somebody's sheds | `sheds.sheds_of` | Query on byOwner: `owner = 'ada'` |" in measured
    assert "| A shed | `sheds.shed` | The key of Shed is made of shed\\_id" in measured
    assert "partita: sheds.mistaken: sheds.mistaken fails with its examples: ZeroDivisionError: " in measured
    assert "error pattern-fails: sheds.mistaken: " in _partita(tmp_path, "check", *own, code=1)


def test_the_costs_of_a_schema_of_ones_own_claim_nothing_about_the_five_systems(tmp_path: Path) -> None:
    (tmp_path / "sheds.py").write_text(OWN)
    page = _partita(tmp_path, "patterns", "--stored", "1,2", "--schema", "sheds.py")
    assert page.startswith("# Access patterns\n\nMade from the schema by `partita patterns`: every access pattern")
    assert "five systems" not in page
    assert "document" not in page


def test_a_schema_that_cannot_be_read_is_said_in_one_line(tmp_path: Path) -> None:
    said = f"There is no file sheds.py in {tmp_path}: give the path of your schema, as in lending.py"
    assert _partita(tmp_path, "check", "--schema", "sheds.py", code=1) == f"partita: {said}\n"
    (tmp_path / "sheds.py").write_text(OWN)
    missing = _partita(tmp_path, "explain", "sheds.shed", "--schema", "sheds.py", code=1)
    near = "there is no pattern sheds.shed (did you mean sheds.sheds_of?)"
    assert missing == f"partita: {near}; `partita explain --schema sheds.py` lists all of them\n"
    unknown = _partita(tmp_path, "tables", "shops", "--schema", "sheds.py", code=1)
    assert unknown == "partita: there is no table shops; there are sheds\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["dynamodb", "--host", "0.0.0.0"], "Refusing to listen on '0.0.0.0' without access keys"),
        (["dynamodb", "--durability", "some"], "choose full, normal or off"),
        (["dynamodb", "--faults", "{folder}/plan.json"], "A fault plan has no thunder"),
        (["dynamodb", "--faults", "{folder}/plan.json", "--workers", "2"], "a fault plan needs one worker"),
        (["dynamodb", "--host", "0.0.0.0", "--workers", "2"], "Refusing to listen on '0.0.0.0' without access keys"),
        (["dynamodb", "--keys", "{folder}/keys"], "is not `id:secret`"),
        (["dynamodb", "--keys", "{folder}/open"], "others can read"),
        (["dynamodb", "--keys", "{folder}/none"], "there is no file"),
        (["dynamodb", "--faults", "{folder}/none"], "/none: No such file or directory"),
        (["serve", "--data", "{folder}/keys"], "/keys is a file: name a folder with --data"),
        (["dynamodb", "--data", "{folder}/keys/data"], "The data folder cannot be used"),
        (["export", "poetry"], "choose cloudformation, terraform, workbench"),
        (["export", "terraform", "--system", "x"], "choose kelifax"),
        (["export", "terraform", "--system", "fus", "--schema", "x.py"], "cannot be combined"),
    ],
)
def test_what_cannot_work_is_said_with_the_next_step(arguments: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"thunder": 1}')
    (tmp_path / "keys").write_text("nonsense\n")
    (tmp_path / "keys").chmod(0o600)
    (tmp_path / "open").write_text("alice:wonderland\n")
    (tmp_path / "open").chmod(0o640)
    filled = [argument.replace("{folder}", str(tmp_path)) for argument in arguments]
    if filled[0] == "dynamodb" and "--data" not in filled:
        filled += ["--data", str(tmp_path / "data")]
    result = runner.invoke(app, filled)
    assert result.exit_code != 0
    assert said in " ".join(result.output.replace("│", " ").split())


def test_a_port_that_somebody_has_is_said_with_the_next_step(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = _out("dynamodb", "--port", port, "--data", str(tmp_path), code=1)
    assert said == f"partita: cannot listen on 127.0.0.1:{port}: Address already in use. Choose another --port.\n"


def test_a_door_with_keys_opens_only_for_them(tmp_path: Path) -> None:
    import boto3
    from botocore.exceptions import ClientError

    keys = tmp_path / "keys"
    keys.write_text("alice:wonderland\n")
    keys.chmod(0o600)
    with partita_door(tmp_path / "data", "--keys", str(keys)) as served:
        for secret, allowed in (("wonderland", True), ("wrong", False)):
            client = boto3.client(
                "dynamodb",
                endpoint_url=served.url,
                region_name="us-east-1",
                aws_access_key_id="alice",
                aws_secret_access_key=secret,
            )
            if allowed:
                assert client.list_tables()["TableNames"] == []
            else:
                with pytest.raises(ClientError, match="InvalidSignatureException"):
                    client.list_tables()


def test_the_door_makes_a_sample_table_and_prints_a_command_that_works(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "partita.cli", "dynamodb", "--sample", "--data", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = ""
            while "Ctrl-C" not in said:
                line = process.stdout.readline()
                assert line, "it ended before it served"
                said += line
            assert "tables   films" in said
            command_line = next(line for line in said.splitlines() if line.startswith("  curl "))
            _, _, url, _, header, _, body = shlex.split(command_line)
            name, _, value = header.partition(": ")
            asked = urllib.request.Request(url, body.encode(), {name: value})
            with urllib.request.urlopen(asked, timeout=30) as answer:
                assert json.load(answer)["Item"]["title"] == {"S": "Metropolis"}
        finally:
            os.kill(process.pid, signal.SIGINT)
            assert process.wait(20) == 0
