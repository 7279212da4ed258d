"""The people of the demo, one of each role."""

from __future__ import annotations

from pathlib import Path

import orjson

from partita.apps.newsletter.demo.stage import Stage

AUTHOR, EDITOR, ADMIN = "selam", "omar-f", "joyce"
"""Their usernames."""


async def fill(stage: Stage) -> str:
    """Accounts with their roles; names that are taken are used as they are."""
    accounts = stage.kit.accounts
    operator = accounts.operator()
    people = entries()
    for each in people:
        username, name, email = each["username"], each["name"], each["email"]
        account = await accounts.people.by_username(username)
        if account is None and stage.kit.settings.sign_up:
            account = await accounts.registration.create(username, email, name, stage.password)
        elif account is None:
            account = (await accounts.administration.create_account(operator, username, email, name)).account
        await accounts.administration.set_roles(operator, account.user_id, [f"newsletter:{each['role']}"])
        stage.join(username, account.user_id, name, each["role"])
    return f"{len(people)} people"


def entries() -> list[dict[str, str]]:
    """The people as their file has them."""
    found: list[dict[str, str]] = orjson.loads(Path(__file__).with_name("people.json").read_bytes())
    return found


def how_to_sign_in(stage: Stage) -> str:
    """The names, and everybody's password."""
    if not stage.kit.settings.sign_up:
        return ""
    names = ", ".join(f"{each['username']} ({each['role']})" for each in entries())
    return f" Sign in as {names} with the password {stage.password}"
