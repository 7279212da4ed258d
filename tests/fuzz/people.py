"""Those in whose name hostile requests are sent: visitors, members, and people with every role."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from partita.bootstrap import build
from partita.kit.settings import Settings
from partita.kit.suite import Suite

PASSWORD = "correct horse battery"


@dataclass(frozen=True, slots=True)
class Who:
    """What somebody sends to be recognised; nothing for a visitor."""

    name: str = "visitor"
    session: str = ""
    token: str = ""

    def headers(self, dice: random.Random, *, api: bool) -> list[tuple[bytes, bytes]]:
        """As a browser or a program sends them."""
        if api and self.token and dice.random() < 0.7:
            return [(b"Authorization", f"Bearer {self.token}".encode())]
        if self.session:
            cookie = (b"Cookie", f"partita={self.session}".encode())
            return [cookie, (b"Sec-Fetch-Site", b"same-origin")] if dice.random() < 0.95 else [cookie]
        return [(b"Sec-Fetch-Site", b"none")] if dice.random() < 0.7 else []


async def furnish(folder: Path, *, demo: bool, of_each: int) -> list[Who]:
    """Fill a data folder, and make so many people of each role."""
    suite = build(Settings(data=folder, fetch=False))
    try:
        if demo:
            for system in suite.systems:
                if system.demo is not None:
                    await system.demo()
            await suite.worker.drain()
        roles = [(), *((role,) for role in sorted(suite.kit.accounts.policy.roles))]
        return [
            Who(),
            *[await _person(suite, f"fuzz-{n}-{at}", role) for n in range(of_each) for at, role in enumerate(roles)],
        ]
    finally:
        await suite.close()


async def _person(suite: Suite, name: str, roles: tuple[str, ...]) -> Who:
    accounts = suite.kit.accounts
    made = await accounts.registration.create(name, f"{name}@example.org", name, PASSWORD)
    if roles:
        await accounts.administration.set_roles(accounts.operator(), made.user_id, roles)
    session = await accounts.sessions.sign_in(
        name, PASSWORD, user_agent="fuzz", address=f"198.51.100.{hash(name) % 250}"
    )
    viewer = await accounts.recognition.from_session(session.token)
    token = await accounts.tokens.create(viewer, "fuzz", sorted(viewer.permissions), 1)
    return Who(roles[0] if roles else "member", session.token, token.text)
