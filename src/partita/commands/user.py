"""`partita user`: manage accounts from the command line."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partita.commands.suite import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.accounts import Account, Accounts
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Create, show and change accounts.")

Who = Annotated[str, typer.Argument(help="A username, email address or id.")]
_log = logging.getLogger(__name__)
_MOST = 1000
_ERASING_SECONDS = 3600.0


@app.command()
def create(
    username: Annotated[str, typer.Argument(help="3 to 30 characters: a–z, 0–9 and hyphens.")],
    email: Annotated[str, typer.Argument(help="The email address.")],
    name: Annotated[str, typer.Option(help="The name that others see; by default the username.")] = "",
    role: Annotated[list[str], typer.Option(help="A role, such as admin or kelifax:moderator; may be repeated.")] = [],  # noqa: B006
    data: Data = None,
) -> None:
    """Create an account and show its one-time password."""

    async def run(accounts: Accounts) -> None:
        new = await accounts.administration.create_account(
            accounts.operator(), username, email, name or username, roles=role
        )
        typer.echo(f"created {new.account.username} ({new.account.user_id})")
        _print_password(new.password)

    _run(data, run, new=True)


@app.command("list")
def list_(
    search: Annotated[str, typer.Argument(help="The start of a username, an email address or an id.")] = "",
    role: Annotated[str, typer.Option(help="Only accounts with this role.")] = "",
    data: Data = None,
) -> None:
    """List accounts, newest first."""

    async def run(accounts: Accounts) -> None:
        operator = accounts.operator()
        cursor = None
        count = 0
        while count < _MOST:
            if search:
                page = await accounts.people.search(operator, search, limit=100, cursor=cursor)
            else:
                page = await accounts.people.list(operator, limit=100, cursor=cursor)
            for account in page:
                if not role or role in account.roles:
                    typer.echo(_line(account))
                    count += 1
            cursor = page.next_cursor
            if cursor is None:
                break
        if not count:
            typer.echo("no accounts found; `partita user create` creates one", err=True)
        if cursor is not None:
            typer.echo(f"there are more than {count}; give the start of a username to see others", err=True)

    _run(data, run, reads=True)


@app.command()
def show(who: Who, data: Data = None) -> None:
    """Show an account with its permissions, sessions and tokens."""

    async def run(accounts: Accounts) -> None:
        account = await _get_account(accounts, who)
        sessions, tokens = await accounts.administration.access_of(accounts.operator(), account.user_id)
        permissions = await accounts.permissions.of(account)
        pending = await accounts.addresses.pending(account.user_id)
        lines = [
            ("username", account.username),
            ("id", account.user_id),
            ("email", account.email or "none"),
            *((("typed", f"{pending}, not confirmed"),) if pending else ()),
            ("factor", "second factor" if account.second_factor else "password alone"),
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

    _run(data, run, reads=True)


@app.command()
def password(
    who: Who,
    ask: Annotated[bool, typer.Option("--ask", help="Type the password instead of generating one.")] = False,
    data: Data = None,
) -> None:
    """Set a one-time password, which must be changed at the next sign-in; ends all sessions and API tokens."""
    typed: str | None = typer.prompt("Password", hide_input=True, confirmation_prompt=True) if ask else None

    async def run(accounts: Accounts) -> None:
        account = await _get_account(accounts, who)
        new = await accounts.administration.set_password(accounts.operator(), account.user_id, typed)
        typer.echo(f"{account.username} is signed out everywhere, and their API tokens are revoked")
        if typed is None:
            _print_password(new)

    _run(data, run)


@app.command()
def roles(
    who: Who,
    give: Annotated[list[str], typer.Option(help="A role to grant; may be repeated.")] = [],  # noqa: B006
    take: Annotated[list[str], typer.Option(help="A role to remove; may be repeated.")] = [],  # noqa: B006
    data: Data = None,
) -> None:
    """Grant and remove roles, and show the result."""

    async def run(accounts: Accounts) -> None:
        account = await _get_account(accounts, who)
        roles = (account.roles | set(give)) - set(take)
        if roles != account.roles:
            account = await accounts.administration.set_roles(accounts.operator(), account.user_id, roles)
        typer.echo(f"{account.username}: {', '.join(sorted(account.roles)) or 'no roles'}")

    _run(data, run)


@app.command()
def revoke(
    who: Who,
    suspend: Annotated[bool, typer.Option("--suspend", help="Also suspend until `partita user restore`.")] = False,
    data: Data = None,
) -> None:
    """End all sessions and API tokens of an account."""

    async def run(accounts: Accounts) -> None:
        account = await _get_account(accounts, who)
        if suspend:
            await accounts.administration.suspend(accounts.operator(), account.user_id)
        await accounts.administration.revoke_access(accounts.operator(), account.user_id)
        typer.echo(f"{account.username} is signed out everywhere{' and suspended' if suspend else ''}")

    _run(data, run)


@app.command("remove-second-factor")
def remove_second_factor(who: Who, data: Data = None) -> None:
    """Let somebody sign in with the password alone, who has lost their app and their recovery codes."""

    async def run(accounts: Accounts) -> None:
        account = await _get_account(accounts, who)
        if not account.second_factor:
            typer.echo(f"{account.username} has no second factor")
            return
        await accounts.administration.remove_second_factor(accounts.operator(), account.user_id)
        typer.echo(f"{account.username} signs in with the password alone")

    _run(data, run)


@app.command()
def suspend(who: Who, data: Data = None) -> None:
    """Suspend an account until `partita user restore`; nothing is deleted."""

    async def run(accounts: Accounts) -> None:
        account = await _get_account(accounts, who)
        if account.suspended:
            typer.echo(f"{account.username} has been suspended since {account.suspended_at}")
            return
        await accounts.administration.suspend(accounts.operator(), account.user_id)
        typer.echo(f"{account.username} is suspended; `partita user restore` lets them sign in again")

    _run(data, run)


@app.command()
def restore(who: Who, data: Data = None) -> None:
    """Restore a suspended account."""

    async def run(accounts: Accounts) -> None:
        account = await _get_account(accounts, who)
        if not account.suspended:
            typer.echo(f"{account.username} was not suspended")
            return
        await accounts.administration.restore(accounts.operator(), account.user_id)
        typer.echo(f"{account.username} can sign in again")

    _run(data, run)


@app.command()
def export(
    who: Who,
    to: Annotated[
        Path, typer.Option(help="What to write: a .zip with the files, a .json without them, or else a new folder.")
    ] = Path("data.zip"),
    data: Data = None,
) -> None:
    """Write everything that is held about somebody, as JSON with the files beside it."""

    async def run(suite: Suite) -> None:
        from partita.commands.exporting import Parcel

        accounts = suite.kit.accounts
        account = await _get_account(accounts, who)
        left_out = _left_out(suite)
        if left_out:
            typer.echo(f"left out: {', '.join(left_out)}; {_NAME_THEM}", err=True)
        parcel = Parcel(to, suite.kit.files, suite.kit.settings.base_url)
        pieces = await suite.personal_data.export(accounts.operator(), account.user_id, link_to=parcel.link_to)
        await parcel.write(pieces)
        typer.echo(f"written to {to}")
        if parcel.beside:
            typer.echo(
                f"{parcel.beside:,} files are not in it, only links to them: --to FILE.zip writes them too", err=True
            )
        for name in parcel.missing:
            typer.echo(f"the file {name} is missing", err=True)

    with_suite(data, run)


@app.command()
def erase(
    who: Who,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    only_these_systems: Annotated[
        bool, typer.Option("--only-these-systems", help="Leave what systems hold that are not set.")
    ] = False,
    by_id: Annotated[
        bool, typer.Option("--by-id", help="WHO is the id of an account that is gone: erase what is left of it.")
    ] = False,
    data: Data = None,
) -> None:
    """Close an account at once and erase it, in all systems. This cannot be undone."""
    if not yes:
        typer.confirm(f"Erase {who} for good?", abort=True)

    async def run(suite: Suite) -> None:
        accounts = suite.kit.accounts
        left_out = _left_out(suite)
        if left_out and not only_these_systems:
            raise LookupError(
                f"{', '.join(left_out)} would be left out, and may hold something too: {_NAME_THEM},"
                " or add --only-these-systems"
            )
        if by_id:
            user_id, job = who, await suite.personal_data.erase_again(accounts.operator(), who)
            typer.echo("erasing what is left takes some minutes")
        else:
            user_id = (await _get_account(accounts, who)).user_id
            job = await suite.personal_data.erase(accounts.operator(), user_id)
            typer.echo("the account is closed; erasing it takes some minutes")
        await suite.run_due_jobs()
        ended = await suite.kit.jobs.ended_within(job, _ERASING_SECONDS)  # where the suite is served, it may run there
        typer.echo(f"{ended.state}: {ended.result_message or ended.error or 'it goes on where the suite is served'}")
        if left_out:
            typer.echo(f"left out: {', '.join(left_out)}; there, erase {user_id} with --by-id", err=True)
        with logs.told(_log):
            _log.info("account %s: erasing it from the command line ended as %s", user_id, ended.state)
        if ended.state == "failed":
            raise typer.Exit(1)

    from partita.web import logs

    with_suite(data, run)


_NAME_THEM = "name all systems in PARTITA_SYSTEMS"


def _left_out(suite: Suite) -> tuple[str, ...]:
    from partita.bootstrap import systems_left_out

    return systems_left_out(suite)


async def _get_account(accounts: Accounts, who: str) -> Account:
    from partita.kit.problems import NotFound

    by_name = await (accounts.people.by_email(who) if "@" in who else accounts.people.by_username(who))
    account = by_name or (await accounts.people.get_many([who])).get(who)
    if account is None:
        raise NotFound(f"There is no account {who}; `partita user list` shows all.")
    return account


def _line(account: Account) -> str:
    notes = [", ".join(sorted(account.roles)), _state(account)]
    return f"{account.username:30} {account.email or '':40} {'; '.join(note for note in notes if note)}".rstrip()


def _state(account: Account) -> str:
    if account.erasing is not None:
        return f"being erased since {account.suspended_at}"
    if account.suspended_at is not None:
        return f"suspended since {account.suspended_at}"
    return "must change the password" if account.must_change_password else ""


def _print_password(new: str) -> None:
    typer.echo(f"password  {new}\nIt is shown only once and must be changed at the first sign-in.")


def _run(
    data: Path | None, act: Callable[[Accounts], Awaitable[None]], *, new: bool = False, reads: bool = False
) -> None:
    """Open the suite and run something with its accounts."""

    async def run(suite: Suite) -> None:
        await act(suite.kit.accounts)

    with_suite(data, run, new=new, reads=reads)
