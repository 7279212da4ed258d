"""Accounts on a temporary engine, with two small systems' permissions, an outbox, and people."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from partita.kit.accounts import ACCOUNTS, Accounts
from partita.kit.accounts.passwords import Passwords
from partita.kit.clock import RandomIds
from partita.kit.limits import Limits
from partita.kit.mail import Outbox
from partita.kit.permissions import ADMIN, House, Permission, Policy, Reason, Viewer
from partita.kit.schema import KeptMail
from partita.kit.settings import Settings
from partita.store import EmbeddedStore
from tests.kit.conftest import HandClock
from tests.settings import settings_for

PASSWORD = "correct horse battery"


class Press(Permission):
    """The permissions of a small system."""

    READ = "press:article:read", "Read articles"
    WRITE = "press:article:write", "Write articles"
    APPROVE = "press:article:approve", "Approve articles"


POLICY = Policy(
    labels={permission: permission.label for permissions in (House, Press) for permission in permissions},
    roles={
        "press:editor": frozenset({Press.WRITE, Press.APPROVE}),
        "press:chief": frozenset({*Press, House.MANAGE_USERS}),
    },
    members=frozenset({Press.READ}),
)


@dataclass
class Clubs:
    """Grants beside roles, as fus's groups do."""

    granted: dict[str, frozenset[str]] = field(default_factory=dict)

    async def permissions_of(self, user_id: str) -> frozenset[str]:
        return self.granted.get(user_id, frozenset())

    async def reasons_for(self, user_id: str) -> list[Reason]:
        return [Reason("The club", self.granted[user_id])] if user_id in self.granted else []

    async def holders(self, permission: str) -> list[str]:
        return [user_id for user_id, granted in self.granted.items() if permission in granted]

    async def members_of(self, group: str) -> list[str] | None:
        return sorted(self.granted) if group == "club" else None

    async def groups_named(self, start: str, limit: int) -> list[str]:
        return ["club"] if "club".startswith(start) else []


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_for(tmp_path, base_url="https://partita.example.org")


@pytest.fixture
def clubs() -> Clubs:
    return Clubs()


@pytest.fixture
def outbox(house: EmbeddedStore, clock: HandClock) -> Outbox:
    return Outbox(house.asynchronous, clock, RandomIds(), sender="partita@example.org")


@pytest.fixture
def passwords() -> Passwords:
    """Cheap ones, since most tests are not about what they cost; those that are have their own."""
    return Passwords(memory_kib=8, rounds=1)


Made = Callable[[Settings], Accounts]


@pytest.fixture
def make_accounts(house: EmbeddedStore, clock: HandClock, outbox: Outbox, clubs: Clubs, passwords: Passwords) -> Made:
    """Accounts with settings of the test's own."""
    house.create(ACCOUNTS)

    def make(settings: Settings) -> Accounts:
        store = house.asynchronous
        limits = Limits(store, clock)
        made = Accounts(
            store,
            clock=clock,
            ids=RandomIds(),
            settings=settings,
            limits=limits,
            mail=outbox,
            passwords=passwords,
        )
        made.use(POLICY, (clubs,))
        return made

    return make


@pytest.fixture
def accounts(make_accounts: Made, settings: Settings) -> Accounts:
    return make_accounts(settings)


async def join(accounts: Accounts, username: str, *roles: str) -> Viewer:
    """Somebody new with a confirmed address, signed in."""
    person = await accounts.registration.create(username, f"{username}@example.org", username.title(), PASSWORD)
    if roles:
        await accounts.administration.set_roles(accounts.operator(), person.user_id, roles)
    return await enter(accounts, username)


async def enter(accounts: Accounts, identity: str, password: str = PASSWORD) -> Viewer:
    """Somebody signed in."""
    session = await accounts.sessions.sign_in(identity, password, user_agent="Test/1.0")
    viewer = await accounts.recognition.from_session(session.token)
    assert viewer.signed_in
    return viewer


def link_in(mail: KeptMail) -> str:
    """The token of the link in a mail, which is the same in text and HTML."""
    found = re.findall(r"https://partita\.example\.org/\S+[?]token=([\w.-]+)", mail.text)
    assert len(found) == 1
    assert mail.html.count(f"token={found[0]}") == 2
    return str(found[0])


async def mails_to(accounts: Accounts, outbox: Outbox, address: str, subject: str = "") -> list[KeptMail]:
    """What an address got, newest first."""
    await accounts.finish()
    return [each for each in await outbox.page(limit=100) if each.to == address and subject in each.subject]


async def confirm_address(accounts: Accounts, outbox: Outbox, viewer: Viewer, address: str) -> None:
    """Open the link that came to an address."""
    await accounts.addresses.confirm(viewer, link_in((await mails_to(accounts, outbox, address, "Confirm"))[0]))


__all__ = [
    "ADMIN",
    "PASSWORD",
    "POLICY",
    "Clubs",
    "Made",
    "Press",
    "confirm_address",
    "enter",
    "join",
    "link_in",
    "mails_to",
]
