"""Accounts from the command line, as whoever runs the machine types it."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from typer.testing import CliRunner

from partita.apps.kelifax.schema import LOGOS, RESOURCES, Resource
from partita.bootstrap import build
from partita.cli import app
from partita.engine import Engine
from partita.kit.accounts import Account, Accounts
from partita.kit.avatars import AVATAR
from partita.kit.permissions import Viewer
from partita.kit.problems import Forbidden
from partita.kit.settings import Settings
from partita.table import Put, Transaction, Update

LOGO = f"{LOGOS}/{'a' * 26}.png"
runner = CliRunner()


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path / "data"))


def _out(*arguments: str, code: int = 0, typed: str = "") -> str:
    result = runner.invoke(app, ["user", *arguments], input=typed)
    assert result.exit_code == code, result.output
    return result.output


def _password(output: str) -> str:
    found = re.search(r"^password  (\S+)$", output, re.MULTILINE)
    assert found is not None, output
    return found[1]


def _signed_in(tmp_path: Path, identity: str, password: str) -> Viewer:
    async def sign_in() -> Viewer:
        suite = build(Settings(data=tmp_path / "data"))
        try:
            accounts: Accounts = suite.kit.accounts
            session = await accounts.sessions.sign_in(identity, password, user_agent="Firefox")
            return await accounts.recognition.from_session(session.token)
        finally:
            await suite.close()

    return asyncio.run(sign_in())


def test_an_account_is_made_with_a_password_to_change(tmp_path: Path) -> None:
    password = _password(_out("create", "ada", "ada@example.org", "--name", "Ada Lovelace", "--role", "admin"))
    viewer = _signed_in(tmp_path, "ada", password)
    assert (viewer.name, viewer.must_change_password) == ("Ada Lovelace", True)


def test_what_is_wrong_is_said_field_by_field() -> None:
    said = _out("create", "a_", "ada", code=1)
    assert "partita: username: At least 3 characters; this has 2.\n" in said
    assert "partita: email: An email address must have an @-sign.\n" in said
    assert "There is no role press:chief. The roles are admin, " in _out(
        "create", "ada", "ada@example.org", "--role", "press:chief", code=1
    )
    assert "no accounts found" in _out("list")
    assert "There is no account ada; `partita user list` shows all." in _out("show", "ada", code=1)


def test_accounts_are_listed_and_shown() -> None:
    for username in ("ada", "adam", "bob"):
        _out("create", username, f"{username}@example.org")
    _out("roles", "bob", "--give", "admin")
    assert [line.split()[0] for line in _out("list").splitlines()] == ["bob", "adam", "ada"]
    assert [line.split()[0] for line in _out("list", "ad").splitlines()] == ["ada", "adam"]
    assert [line.split()[0] for line in _out("list", "--role", "admin").splitlines()] == ["bob"]
    shown = _out("show", "bob@example.org")
    assert "email     bob@example.org\n" in shown
    assert "state     must change the password\n" in shown
    assert "roles     admin\n" in shown
    assert "house:users:manage" in shown


def test_roles_are_given_and_taken() -> None:
    _out("create", "ada", "ada@example.org")
    assert _out("roles", "ada") == "ada: no roles\n"
    assert _out("roles", "ada", "--give", "admin", "--give", "kelifax:moderator") == "ada: admin, kelifax:moderator\n"
    assert _out("roles", "ada", "--take", "admin") == "ada: kelifax:moderator\n"
    assert "There is no role kelifax:janitor" in _out("roles", "ada", "--give", "kelifax:janitor", code=1)


def test_a_password_is_made_or_typed(tmp_path: Path) -> None:
    first = _password(_out("create", "ada", "ada@example.org"))
    made = _password(_out("password", "ada"))
    assert made != first
    assert _signed_in(tmp_path, "ada", made).must_change_password
    typed = "correct horse battery"
    out = _out("password", "ada", "--ask", typed=f"{typed}\n{typed}\n")
    assert typed not in out
    assert _signed_in(tmp_path, "ada", typed).must_change_password
    assert "At least 12 characters" in _out("password", "ada", "--ask", code=1, typed="short\nshort\n")


def test_all_sessions_are_ended_and_somebody_is_kept_out_and_let_in_again(tmp_path: Path) -> None:
    password = _password(_out("create", "ada", "ada@example.org"))
    _signed_in(tmp_path, "ada", password)
    assert "session" in _out("show", "ada")
    assert "Firefox" in _out("show", "ada")
    _out("revoke", "ada")
    assert "session" not in _out("show", "ada")
    assert _out("revoke", "ada", "--suspend") == "ada is signed out everywhere and suspended\n"
    assert _out("remove-second-factor", "ada") == "ada has no second factor\n"
    assert "state     suspended since 20" in _out("show", "ada")
    _out("restore", "ada")
    assert _signed_in(tmp_path, "ada", password).signed_in


def test_somebody_is_suspended_and_restored_and_told_where_nothing_had_to_be_done(tmp_path: Path) -> None:
    password = _password(_out("create", "ada", "ada@example.org"))
    assert _out("restore", "ada") == "ada was not suspended\n"
    assert "ada is suspended;" in _out("suspend", "ada")
    with pytest.raises(Forbidden, match="suspended"):
        _signed_in(tmp_path, "ada", password)
    since = re.search("suspended since (.*)", _out("show", "ada"))
    assert since is not None
    assert _out("suspend", "ada") == f"ada has been suspended since {since[1]}\n"
    assert _out("restore", "ada") == "ada can sign in again\n"
    assert _signed_in(tmp_path, "ada", password).signed_in


def test_somebodys_data_are_written_to_a_file_and_erased(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax")
    _out("create", "ada", "ada@example.org", "--name", "Ada Lovelace", "--role", "admin")
    _out("create", "ben", "ben@example.org")
    assert _out("export", "ben", "--to", "ben.json") == "written to ben.json\n"
    assert (tmp_path / "ben.json").stat().st_mode & 0o077 == 0
    assert json.loads((tmp_path / "ben.json").read_text())["person"]["username"] == "ben"
    assert "Erase ben for good?" in _out("erase", "ben", code=1, typed="n\n")
    assert "last administrator" in _out("erase", "ada", "--yes", code=1)
    said = runner.invoke(app, ["user", "erase", "ben"], input="y\n")
    assert said.stdout.endswith("done: The account is erased.\n")
    assert "ben" not in _out("list")
    (line,) = [json.loads(line) for line in said.stderr.splitlines()]
    assert re.fullmatch(r"account \S+: erasing it from the command line ended as done", line["event"])
    assert "ben" not in line["event"]


def test_nothing_is_written_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax")
    _out("create", "ben", "ben@example.org")
    for name in ("ben.json", "data.zip"):
        (tmp_path / name).write_text("mine")
        assert "is there already" in _out("export", "ben", *(("--to", name) if name != "data.zip" else ()), code=1)
        assert (tmp_path / name).read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ben.json", "data", "data.zip"]


def _with_a_logo(folder: Path, user_id: str) -> bytes:
    """A resource of somebody in Kelifax, with a file."""
    logo = b"<svg/>"

    async def add() -> None:
        suite = build(Settings(data=folder, systems=("kelifax",)))
        try:
            await suite.kit.files.save(LOGO, logo, "image/png")
            now = "2026-01-01T00:00:00Z"
            resource = Resource(
                resource_slug="aster",
                submission_id="1",
                created_at=now,
                submitted_at=now,
                submitter_first_name="Ben",
                submitter_last_name="B",
                submitter_email="ben@example.org",
                submitted_by=user_id,
                resource_name="Aster",
                resource_url="https://aster.example",
                usage_purpose="To look at",
                category="other",
                logo_image=LOGO.rpartition("/")[2],
            )
            await suite.kit.store.write(Put(resource))
        finally:
            await suite.close()

    asyncio.run(add())
    return logo


def test_where_nobody_serves_the_suite_the_picture_of_whoever_is_erased_goes_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Change handlers delete it, and follow that the account is gone only then."""
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax")
    user_id = re.findall(r"\((\S+)\)", _out("create", "ben", "ben@example.org"))[0]
    picture = _with_a_picture(tmp_path / "data", user_id)
    assert picture.read_bytes().endswith(b"Ben's face")
    assert "done: The account is erased.\n" in _out("erase", "ben", "--yes")
    assert not picture.exists()


def _with_a_picture(folder: Path, user_id: str) -> Path:
    """The file of somebody's picture."""

    async def give() -> str:
        suite = build(Settings(data=folder, systems=("kelifax",)))
        try:
            name = await suite.kit.uploads.keep(AVATAR.folder, b"Ben's face", "image/png")
            picture = Update(Account.key(Account.user_id(user_id)), Account.avatar.set(name))
            await suite.kit.store.transact(Transaction(picture, suite.kit.uploads.claim(name)))
            await suite.worker.drain()
        finally:
            await suite.close()
        return name

    return folder / "files" / asyncio.run(give())


def test_files_are_in_what_is_exported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax")
    user_id = re.findall(r"\((\S+)\)", _out("create", "ben", "ben@example.org"))[0]
    logo = _with_a_logo(tmp_path / "data", user_id)
    _out("export", "ben")
    with ZipFile(tmp_path / "data.zip") as packed:
        assert packed.read(f"files/{LOGO}") == logo
        document = json.loads(packed.read("data.json"))
    assert document["files"] == [{"name": LOGO, "link": f"files/{LOGO}"}]
    _out("export", "ben", "--to", "ben")
    assert (tmp_path / "ben" / "files" / LOGO).read_bytes() == logo
    assert "1 files are not in it" in _out("export", "ben", "--to", "ben.json")
    (file,) = json.loads((tmp_path / "ben.json").read_text())["files"]
    assert file["link"].startswith("http://127.0.0.1:")


def test_systems_that_are_not_set_are_not_forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax,worthwatch")
    user_id = re.findall(r"\((\S+)\)", _out("create", "ben", "ben@example.org"))[0]
    _with_a_logo(tmp_path / "data", user_id)
    monkeypatch.setenv("PARTITA_SYSTEMS", "worthwatch")
    assert "kelifax would be left out" in _out("erase", "ben", "--yes", code=1)
    assert "ben" in _out("list")
    assert "left out: kelifax; name all" in _out("export", "ben")
    said = _out("erase", "ben", "--yes", "--only-these-systems")
    assert f"left out: kelifax; there, erase {user_id} with --by-id" in said
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax,worthwatch")
    assert "There is no account" in _out("erase", user_id, "--yes", code=1)
    assert "is no id of an account" in _out("erase", "the", "--yes", "--by-id", code=1)
    assert _held(tmp_path / "data", user_id)
    assert "done: The account is erased." in _out("erase", user_id, "--yes", "--by-id")
    assert not _held(tmp_path / "data", user_id)


def _held(folder: Path, text: str) -> bool:
    """Whether a text stands in an item of Kelifax."""
    with Engine(folder, background=False) as engine:
        return text in json.dumps(engine.call("Scan", {"TableName": RESOURCES.name})["Items"])


def test_settings_that_cannot_be_used_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTITA_BACKEND", "postgres")
    assert _out("list", code=1) == "partita: PARTITA_BACKEND: Choose embedded or dynamodb.\n"


def test_another_folder_can_be_named(tmp_path: Path) -> None:
    _out("create", "ada", "ada@example.org", "--data", str(tmp_path / "other"))
    assert "ada@example.org" in _out("list", "--data", str(tmp_path / "other"))


def test_a_folder_that_is_not_there_is_told_and_not_made(tmp_path: Path) -> None:
    assert "there are no tables in" in _out("list", "--data", str(tmp_path / "misspelt"), code=1)
    assert not (tmp_path / "misspelt").exists()
