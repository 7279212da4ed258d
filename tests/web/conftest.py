"""The application on a temporary folder, with a small system of the tests' own in it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from partita.bootstrap import build
from partita.kit.accounts import Account
from partita.kit.mail import Outbox
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.web.app import create_app
from tests.steady import steady_limits
from tests.web import press
from tests.web.visitor import Visitor

__all__ = ["steady_limits"]

PASSWORD = "correct horse battery"


_NUMBERS = count(1)


@dataclass(slots=True, kw_only=True)
class Person(Visitor):
    """A visitor who is signed in."""

    account: Account


@dataclass(frozen=True, slots=True)
class Served:
    """An application that runs."""

    suite: Suite
    app: FastAPI

    def visitor(self) -> Visitor:
        """Somebody new."""
        return Visitor(self.app, self.suite.kit.settings.base_url)

    async def account(self, name: str, *roles: str) -> Account:
        """An account for somebody; tests share the application, so that everybody is new."""
        accounts = self.suite.kit.accounts
        username = f"{name.lower()}-{next(_NUMBERS)}"
        made = await accounts.registration.create(username, f"{username}@example.org", name, PASSWORD)
        return await accounts.administration.set_roles(accounts.operator(), made.user_id, roles) if roles else made

    async def person(self, name: str, *roles: str) -> Person:
        """Somebody with an account, signed in."""
        return await self.enter(await self.account(name, *roles))

    async def enter(self, account: Account, password: str = PASSWORD) -> Person:
        """Sign somebody in, with a browser that is new to us."""
        person = Person(self.app, self.suite.kit.settings.base_url, account=account)
        answer = await person.post("/sign-in", {"identity": account.username, "password": password})
        assert answer.status == 303, answer.shown
        return person


def make(folder: Path, **settings: Any) -> Served:
    """An application with settings of the test's own; running is up to the test."""
    suite = build(Settings(data=folder, styleguide=True, **settings), builders=[press.build])
    return Served(suite, create_app(suite))


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    found = make(tmp_path_factory.mktemp("served"))
    async with found.app.router.lifespan_context(found.app):
        yield found


@pytest.fixture
def visitor(served: Served) -> Visitor:
    return served.visitor()


async def newest_link(served: Served, address: str) -> str:
    """The path of the link in the newest mail to an address."""
    await served.suite.kit.accounts.finish()
    outbox = served.suite.kit.mail
    assert isinstance(outbox, Outbox)
    mail = next(each for each in await outbox.page(limit=50) if each.to == address and "token=" in each.text)
    (link,) = re.findall(r"http://127\.0\.0\.1:8080(/\S+token=\S+)", mail.text)
    return str(link)
