"""The people of the demo, one for each role at least, and one who has left."""

from __future__ import annotations

from partita.apps.enablement.demo.stage import Entry, Stage, each, entries
from partita.kit.accounts import Account

_TO_SIGN_IN_AS = ("greta", "marit", "ioana", "ines")
"""An administrator, an approver, a contributor and a viewer."""


async def fill(stage: Stage) -> str:
    """Accounts with their roles; names that are taken are used as they are."""
    people = await each(entries("people"), lambda entry: _join(stage, entry))
    for entry, account in people:
        stage.join(entry["username"], account.user_id, entry["name"], entry["role"])
    return f"{len(people)} people"


async def _join(stage: Stage, entry: Entry) -> tuple[Entry, Account]:
    """If people cannot sign up, these cannot sign in either."""
    accounts = stage.kit.accounts
    operator, username, role = accounts.operator(), entry["username"], entry["role"]
    account = await accounts.people.by_username(username)
    if account is not None:
        return entry, account
    if stage.kit.settings.sign_up:
        account = await accounts.registration.create(username, entry["email"], entry["name"], stage.password)
    else:
        made = await accounts.administration.create_account(operator, username, entry["email"], entry["name"])
        account = made.account
    if role != "viewer":
        account = await accounts.administration.set_roles(operator, account.user_id, [f"enablement:{role}"])
    if entry.get("left"):
        account = await accounts.administration.suspend(operator, account.user_id)
    return entry, account


def how_to_sign_in(stage: Stage) -> str:
    """The names of one person for each role, and everybody's password."""
    if not stage.kit.settings.sign_up:
        return ""
    roles = {entry["username"]: entry["role"] for entry in entries("people")}
    names = ", ".join(f"{name} ({roles[name]})" for name in _TO_SIGN_IN_AS)
    return f" Sign in as {names} with the password {stage.password}"
