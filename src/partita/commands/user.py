"""`partita user`: accounts, for whoever runs the machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partita.commands.opened import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.accounts import Account, Accounts
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Make, show and change accounts.")

Who = Annotated[str, typer.Argument(help="A username, an address or an id.")]
_MOST = 1000


@app.command()
def create(
    username: Annotated[str, typer.Argument(help="3 to 30 of a–z, 0–9 and hyphens.")],
    email: Annotated[str, typer.Argument(help="The address.")],
    name: Annotated[str, typer.Option(help="How others see them; else the username.")] = "",
    role: Annotated[list[str], typer.Option(help="A role, such as admin or kelifax:moderator; may be repeated.")] = [],  # noqa: B006
    data: Data = None,
) -> None:
    """Make an account, and show the password to sign in with for the first time."""

    async def run(accounts: Accounts) -> None:
        made = await accounts.create_account(accounts.operator(), username, email, name or username, roles=role)
        typer.echo(f"made {made.account.username} ({made.account.user_id})")
        _tell_password(made.password)

    _run(data, run, new=True)


@app.command("list")
def list_(
    search: Annotated[str, typer.Argument(help="The start of a username, an address or an id; none: all.")] = "",
    role: Annotated[str, typer.Option(help="Only those with this role.")] = "",
    data: Data = None,
) -> None:
    """List accounts, newest first."""

    async def run(accounts: Accounts) -> None:
        operator = accounts.operator()
        cursor = None
        shown = 0
        while shown < _MOST:
            if search:
                page = await accounts.search_accounts(operator, search, limit=100, cursor=cursor)
            else:
                page = await accounts.list_accounts(operator, limit=100, cursor=cursor)
            for account in page:
                if not role or role in account.roles:
                    typer.echo(_line(account))
                    shown += 1
            cursor = page.next_cursor
            if cursor is None:
                break
        if not shown:
            typer.echo("nobody; `partita user create` makes accounts", err=True)
        if cursor is not None:
            typer.echo(f"and more; say the start of a username to see others than the first {shown}", err=True)

    _run(data, run)


@app.command()
def show(who: Who, data: Data = None) -> None:
    """Show an account: who it is, what it may do, where it is signed in."""

    async def run(accounts: Accounts) -> None:
        account = await _found(accounts, who)
        sessions, tokens = await accounts.access_of(accounts.operator(), account.user_id)
        permissions = await accounts.granted_to(account)
        lines = [
            ("username", account.username),
            ("id", account.user_id),
            ("email", account.email or "none"),
            ("name", account.name),
            ("made", account.created_at),
            ("state", _state(account) or "active"),
            ("roles", ", ".join(sorted(account.roles)) or "none"),
            ("may", ", ".join(sorted(permissions)) or "nothing"),
            *(("session", f"{each.created_at}, used {each.used_at}, {each.user_agent or '?'}") for each in sessions),
            *(("token", f"{each.name}, made {each.created_at}, used {each.used_at or 'never'}") for each in tokens),
        ]
        for name, value in lines:
            typer.echo(f"{name:9} {value}")

    _run(data, run)


@app.command()
def password(
    who: Who,
    ask: Annotated[bool, typer.Option("--ask", help="Type the password instead of having one made.")] = False,
    data: Data = None,
) -> None:
    """Give somebody a password that must be changed at the next sign-in; all their sessions end."""
    typed: str | None = typer.prompt("Password", hide_input=True, confirmation_prompt=True) if ask else None

    async def run(accounts: Accounts) -> None:
        account = await _found(accounts, who)
        new = await accounts.set_password(accounts.operator(), account.user_id, typed)
        typer.echo(f"{account.username} is signed out everywhere")
        if typed is None:
            _tell_password(new)

    _run(data, run)


@app.command()
def roles(
    who: Who,
    give: Annotated[list[str], typer.Option(help="A role to give; may be repeated.")] = [],  # noqa: B006
    take: Annotated[list[str], typer.Option(help="A role to take; may be repeated.")] = [],  # noqa: B006
    data: Data = None,
) -> None:
    """Give and take roles, and show those that are left."""

    async def run(accounts: Accounts) -> None:
        account = await _found(accounts, who)
        wanted = (account.roles | set(give)) - set(take)
        if wanted != account.roles:
            account = await accounts.set_roles(accounts.operator(), account.user_id, wanted)
        typer.echo(f"{account.username}: {', '.join(sorted(account.roles)) or 'no roles'}")

    _run(data, run)


@app.command()
def revoke(
    who: Who,
    suspend: Annotated[bool, typer.Option("--suspend", help="Keep them out until `partita user restore`.")] = False,
    data: Data = None,
) -> None:
    """End all sessions and API tokens of somebody."""

    async def run(accounts: Accounts) -> None:
        account = await _found(accounts, who)
        if suspend:
            await accounts.suspend(accounts.operator(), account.user_id)
        await accounts.revoke_access(accounts.operator(), account.user_id)
        typer.echo(f"{account.username} is signed out everywhere{' and suspended' if suspend else ''}")

    _run(data, run)


@app.command()
def suspend(who: Who, data: Data = None) -> None:
    """Keep somebody out until `partita user restore`; nothing of theirs is lost."""

    async def run(accounts: Accounts) -> None:
        account = await _found(accounts, who)
        if account.suspended:
            typer.echo(f"{account.username} is suspended since {account.suspended_at} already")
            return
        await accounts.suspend(accounts.operator(), account.user_id)
        typer.echo(f"{account.username} cannot sign in any more; `partita user restore` lets them in again")

    _run(data, run)


@app.command()
def restore(who: Who, data: Data = None) -> None:
    """Let somebody in again who was suspended."""

    async def run(accounts: Accounts) -> None:
        account = await _found(accounts, who)
        if not account.suspended:
            typer.echo(f"{account.username} was not suspended")
            return
        await accounts.restore(accounts.operator(), account.user_id)
        typer.echo(f"{account.username} can sign in again")

    _run(data, run)


async def _found(accounts: Accounts, who: str) -> Account:
    from partita.kit.problems import NotFound

    by_name = await (accounts.account_by_email(who) if "@" in who else accounts.account_by_username(who))
    found = by_name or (await accounts.accounts([who])).get(who)
    if found is None:
        raise NotFound(f"There is no account {who}; `partita user list` shows those there are.")
    return found


def _line(account: Account) -> str:
    notes = [", ".join(sorted(account.roles)), _state(account)]
    return f"{account.username:30} {account.email or '':40} {'; '.join(note for note in notes if note)}".rstrip()


def _state(account: Account) -> str:
    if account.suspended_at is not None:
        return f"suspended since {account.suspended_at}"
    return "must change the password" if account.must_change_password else ""


def _tell_password(new: str) -> None:
    typer.echo(f"password  {new}\nIt is shown this once, and must be changed at the first sign-in.")


def _run(data: Path | None, act: Callable[[Accounts], Awaitable[None]], *, new: bool = False) -> None:
    """Do something with the accounts that the settings lead to."""

    async def run(suite: Suite) -> None:
        await act(suite.kit.accounts)

    with_suite(data, run, new=new)
