"""fus on a temporary engine, with people who have accounts and a way to be signed in as them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from partita.apps.fus.inputs import NewSite
from partita.apps.fus.permissions import MANAGER, MEMBERS, ROLES, Fus
from partita.apps.fus.schema import FUS, Site
from partita.apps.fus.service import FusService
from partita.apps.fus.service.adoption import adoptions
from partita.apps.fus.service.grants import GroupGrants
from partita.kit.accounts import Account
from partita.kit.adoption import Report, adopt_all
from partita.kit.kit import Kit
from partita.kit.permissions import House, Policy, Viewer
from tests.apps.house import kit_on, person

MANAGES = person("manager", *MANAGER)
READS = person("reader", *MEMBERS)
POLICY = Policy(
    labels={**{str(each): each.label for each in (*House, *Fus)}, "kelifax:resource:approve": "Approve resources"},
    roles={f"fus:{role}": granted for role, granted in ROLES.items()},
    members=frozenset(map(str, MEMBERS)),
)
_NUMBERS = count(1)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with kit_on(tmp_path, FUS) as kit:
        kit.accounts.use(POLICY, (GroupGrants(kit),))
        yield kit


@pytest.fixture
def service(kit: Kit) -> FusService:
    return FusService(kit)


async def put(service: FusService, title: str = "", **fields: Any) -> Site:
    """A site in the catalog, without asking its page; each has an address of its own."""
    number = next(_NUMBERS)
    said = {"url": f"https://site-{number}.example.org", "title": title or f"Site {number}", "fetch": False, **fields}
    return await service.sites.add(manager(), NewSite.model_validate(said))


def manager() -> Viewer:
    """A manager who has not added anything yet: how much one may add in an hour is not what tests are about."""
    return person(f"manager-{next(_NUMBERS)}", *MANAGER)


def member() -> Viewer:
    """Somebody with an account and nothing else, whom nobody has seen before."""
    return person(f"member-{next(_NUMBERS)}", *MEMBERS)


async def adopt_everything(kit: Kit) -> Report:
    """Adopt whatever another program wrote, as `partita adopt fus` does."""
    return await adopt_all(kit.store, adoptions(kit.store))


async def account(kit: Kit, name: str) -> Account:
    """Somebody whose name others can see."""
    username = f"{name.lower()}-{next(_NUMBERS)}"
    return await kit.accounts.registration.create(username, f"{username}@example.org", name, "correct horse battery")


async def as_viewer(kit: Kit, somebody: Account) -> Viewer:
    """Somebody signed in, with what roles and groups grant at this moment."""
    session = await kit.accounts.sessions.sign_in(somebody.username, "correct horse battery", user_agent="Test/1.0")
    return await kit.accounts.recognition.from_session(session.token)
