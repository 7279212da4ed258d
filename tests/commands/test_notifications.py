"""`partita notifications`: several processes send one digest once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

from typer.testing import CliRunner

from partita.bootstrap import build
from partita.cli import app
from partita.kit.kit import Kit
from partita.kit.notifications import Channels, Kind, Notifications, Words
from partita.kit.schema import KeptMail, newest_mail
from partita.kit.settings import Settings
from partita.table.types import timestamp

KIND = Kind("fus.comment-added", "x", lambda data, count: Words(f"{count} × {data['title']}"), "x")


class _Yesterday:
    """A clock that is late, so that what is told waits for a digest that is due by now."""

    def __init__(self, kit: Kit) -> None:
        self._clock = kit.clock

    def now(self) -> datetime:
        return self._clock.now() - timedelta(days=1, hours=1)


async def _fill(folder: Path, people: int) -> None:
    suite = build(Settings(data=folder))
    kit = suite.kit
    try:
        early = Notifications(
            kit.store, clock=_Yesterday(kit), settings=kit.settings, accounts=kit.accounts, mail=kit.mail
        )
        early.use([KIND])
        for number in range(people):
            name = f"person{number}"
            who = await kit.accounts.registration.create(name, f"{name}@example.org", name, "correct horse battery")
            await early.preferences.choose(who.user_id, {KIND.name: Channels(True, "daily")})
            at = timestamp(kit.clock.now() - timedelta(days=1, hours=1))
            for cause in range(2):
                data = {"title": f"Story {cause}"}
                await early.tell(who.user_id, KIND, cause=str(cause), at=at, data=data)
    finally:
        await suite.close()


async def _kept(folder: Path) -> list[KeptMail]:
    suite = build(Settings(data=folder))
    try:
        return [mail async for mail in suite.kit.store.stream(newest_mail())]
    finally:
        await suite.close()


def test_processes_at_once_send_each_digest_once(tmp_path: Path) -> None:
    asyncio.run(_fill(tmp_path, 6))
    command = [sys.executable, "-m", "partita.cli", "notifications", "digest", "--data", str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 2
    assert sum(int(each.split()[1]) for each in said) == 6
    mails = asyncio.run(_kept(tmp_path))
    assert sorted(mail.to for mail in mails) == [f"person{number}@example.org" for number in range(6)]
    assert {mail.subject for mail in mails} == {"2 new notifications"}


def test_mail_that_waits_is_sent(tmp_path: Path) -> None:
    asyncio.run(_fill(tmp_path, 1))
    result = CliRunner().invoke(app, ["notifications", "send", "--data", str(tmp_path)])
    assert (result.exit_code, result.output) == (0, "mails    0\n")
