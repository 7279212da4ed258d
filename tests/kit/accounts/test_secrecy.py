"""Passwords, tokens and links are in no log and in no representation, whatever happens to them."""

from __future__ import annotations

import logging
from contextlib import suppress

import pytest

from partita.kit.accounts import Accounts, SignUp
from partita.kit.accounts.credentials import read
from partita.kit.mail import Outbox
from partita.kit.problems import Problem
from partita.store import EmbeddedStore, Observation
from tests.kit.accounts.conftest import PASSWORD

pytestmark = pytest.mark.anyio
NEW = "staple of the battery"


async def test_a_whole_life_of_an_account_leaks_nothing(
    accounts: Accounts, outbox: Outbox, house: EmbeddedStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    observed: list[Observation] = []
    house.observe(observed.append)
    shown: list[object] = []
    secrets = {PASSWORD, NEW, "wrong horse battery"}

    shown.append(await accounts.registration.create("ada", "ada@example.org", "Ada", PASSWORD))
    session = await accounts.sessions.sign_in("ada", PASSWORD, user_agent="Firefox")
    viewer = await accounts.recognition.from_session(session.token)
    token = await accounts.tokens.create(viewer, "robot", [], 30)
    shown += [session, viewer, token, await accounts.sessions.list(viewer), await accounts.tokens.list(viewer)]
    shown += [await accounts.recognition.from_bearer(token.text), read(session.token), read(token.text, kind="pat_")]
    for attempt in (
        accounts.sessions.sign_in("ada", "wrong horse battery"),
        accounts.profile.change_password(viewer, "wrong horse battery", NEW),
        accounts.addresses.change(viewer, "ada@example.org", "wrong horse battery"),
        accounts.registration.sign_up("ada", "ada@example.org", "Ada", PASSWORD),
        accounts.registration.sign_up("a", "b", "c", PASSWORD),
        accounts.recognition.from_bearer(token.text[:-1]),
        accounts.resets.complete(session.token, NEW),
    ):
        try:
            await attempt
        except Problem as problem:
            shown += [problem, problem.detail, problem.errors]
    await accounts.resets.request("ada@example.org")
    await accounts.finish()
    (mail,) = [each for each in await outbox.page() if "Reset" in each.subject]  # and the notice of the token
    link = mail.text.partition("token=")[2].split()[0]
    shown += [mail, await accounts.resets.complete(link, NEW)]
    one_time = await accounts.administration.set_password(accounts.operator(), viewer.id)
    made = await accounts.administration.create_account(accounts.operator(), "eve", "eve@example.org", "Eve")
    shown += [made, await accounts.people.get(viewer.id), await accounts.people.get_many([viewer.id]), accounts]
    first = await accounts.registration.ensure_admin()
    assert first is not None
    secrets |= {session.token, token.text, link, one_time, made.password, first}
    secrets |= {text.rpartition(".")[2] for text in (session.token, token.text, link)}
    with suppress(ValueError):
        SignUp.model_validate({"username": "a", "password": PASSWORD, "email": "x", "name": "y"})
    try:
        SignUp.model_validate({"username": "a", "password": "short one", "email": "x", "name": "y"})
    except ValueError as error:
        shown.append(str(error))
        secrets.add("short one")

    everything = caplog.text + repr(shown) + "".join(map(str, shown)) + repr(observed)
    assert len(secrets) > 8
    assert [secret for secret in secrets if secret in everything] == []
    assert "$argon2id$" not in everything
    assert "signed in" in caplog.text
