"""fus as it is, in a process whose jobs are taken over after two seconds, for which loopback is the public web,
and where people need no account to start jobs."""

from __future__ import annotations

from functools import partial

from partita.apps.fus import system as fus
from partita.kit.fetcher import Fetcher
from partita.kit.jobs import worker
from partita.kit.kit import Kit
from partita.kit.system import System
from tests.starters import Anybody


def build(kit: Kit) -> System:
    """fus. Nothing of its own is changed."""
    worker.Pace = partial(worker.Pace, poll=0.1, lease=2.0, stalls=1000)  # type: ignore[misc,assignment]
    _let_in(kit.fetcher)
    kit.jobs.starters = Anybody(kit.accounts)
    return fus.build(kit)


def _let_in(fetcher: Fetcher) -> None:
    async def here(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    fetcher._ports = None
    fetcher._allows = lambda _address: True
    fetcher._resolve = here
